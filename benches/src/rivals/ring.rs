use ::ring as lib;

#[path = "ring_interface.rs"]
mod interface;

pub(super) fn rival() -> crate::rival::Rival {
    crate::rival::Rival::new("ring", crate::lock::version("ring", ""), interface::prepare)
}
