use crate::rival::Rival;
use ::ring as lib;

#[path = "ring_interface.rs"]
mod interface;

pub(super) fn rival() -> Rival {
    Rival::new("ring", super::version("ring"), interface::prepare)
}
