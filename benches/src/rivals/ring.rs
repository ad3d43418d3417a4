use crate::{case::Case, rival::Rival};
use ::ring as lib;

#[path = "ring_interface.rs"]
mod interface;

pub(super) fn rival(name: &'static str) -> Option<Rival> {
    Some(Rival::new(name, super::version("ring"), interface::prepare))
}

fn other_aead(_: &Case) -> Option<&'static lib::aead::Algorithm> {
    None
}
