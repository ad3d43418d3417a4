//! Not a peer: the cost of the copy that the `open` cases include.
use crate::{Op, Rival, case::*, op};

pub struct Memcpy;

impl Rival for Memcpy {
    fn name(&self) -> String {
        "memcpy".into()
    }
    fn version(&self) -> String {
        String::new()
    }
    fn prepare(&self, case: &Case) -> Option<Op> {
        let Case::Memcpy { len } = *case else { return None };
        let m = msg(len);
        op(move |out| out.copy_from_slice(&m))
    }
}
