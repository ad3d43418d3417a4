//! The only implementation, where there are no vectors, or every CPU has them: its functions are called by
//! their names.

use super::{Backends, Entry, Implementation, List, SelfTestError, gains_from};
#[cfg(feature = "select")]
use crate::error::Error;
use keylane_cpu::{InstructionSet, Portable};

/// The maximum number of messages side by side.
pub(crate) const MAX_BATCH: usize = if cfg!(target_feature = "simd128") { 4 } else { 1 };

impl<K: ?Sized + Sync + 'static> Backends<K> {
    /// Returns the implementation.
    #[inline(always)]
    pub(crate) fn chosen(&self) -> &'static K {
        self.entries[0].kernel
    }

    /// Does nothing: see the module.
    #[inline(always)]
    pub(crate) fn ensure_tested(&self) {}

    /// Returns the implementation, for any number of messages side by side.
    #[inline(always)]
    pub(crate) fn chosen_for(&self, _messages: usize) -> &'static K {
        self.chosen()
    }

    /// Returns whether `messages` messages of so many blocks in all cost less if `side_by_side`, 1 to
    /// [`MAX_BATCH`], of them are processed at a time.
    #[inline(always)]
    pub(crate) fn gain(&self, side_by_side: usize, messages: usize, blocks: usize) -> bool {
        if const { MAX_BATCH == 1 } {
            return false;
        }
        let [cost, _] = self.entries[0].cost;
        let from = gains_from(side_by_side, cost, cost, 0);
        from < u8::MAX && usize::from(from).saturating_mul(messages) <= blocks
    }
}

impl dyn List {
    /// Returns the name of the instruction set. Of portable forms there is one, whichever the target has.
    fn name(&self) -> &'static str {
        let Entry { name, .. } = self.entry(0);
        if name.starts_with(Portable::NAME) { Portable::NAME } else { name }
    }

    fn passes(&self) -> bool {
        (0..2).all(|which| self.run_self_test(0, which))
    }

    pub(crate) fn describe(&self, place: usize) -> Implementation {
        Implementation {
            name: self.name(),
            usable: true,
            passes_self_test: self.passes(),
            chosen: true,
            from_messages: 1,
            place,
        }
    }

    pub(crate) fn test(&self) -> Result<(), SelfTestError> {
        let failed = SelfTestError { primitive: self.primitive(), implementation: Some(self.name()) };
        if self.passes() { Ok(()) } else { Err(failed) }
    }

    #[cfg(feature = "select")]
    pub(crate) fn select(&self, _: usize) -> Result<(), Error> {
        let failed = Error::InvalidParameter { what: "implementation: it fails its self-test" };
        if self.passes() { Ok(()) } else { Err(failed) }
    }

    #[cfg(feature = "select")]
    pub(crate) fn reset(&self) {}
}
