//! The only implementation, where there are no vectors, or every CPU has them: its functions are called by their
//! names.

pub(crate) use super::Shape as Choice;
use super::cost::{Cost, gains_from};
use super::{Implementation, SelfTestError};
#[cfg(feature = "select")]
use crate::error::Error;
use keylane_cpu::{InstructionSet, Portable};

/// The maximum number of messages side by side.
pub(crate) const MAX_BATCH: usize = if cfg!(target_feature = "simd128") { 4 } else { 1 };

/// A list of one implementation, which has no state. It is tested where that is asked for.
pub struct Backends<K: 'static> {
    primitive: &'static str,
    cost: Cost,
    self_tests: [fn(&K) -> bool; 2],
}

impl<K: Choice> Backends<K> {
    pub(crate) const fn new(primitive: &'static str, cost: Cost, self_tests: [fn(&K) -> bool; 2]) -> Self {
        Self { primitive, cost, self_tests }
    }

    /// Returns the implementation.
    #[inline(always)]
    pub(crate) fn chosen(&self) -> &'static K {
        K::KERNEL
    }

    /// Returns every kernel.
    #[cfg(test)]
    pub(crate) fn usable(&self) -> impl Iterator<Item = &'static K> {
        core::iter::once(K::KERNEL)
    }

    /// Does nothing: see the module.
    #[inline(always)]
    pub(crate) fn ensure_tested(&self) {}

    /// Returns the implementation, for any number of messages side by side.
    #[inline(always)]
    pub(crate) fn chosen_for(&self, _messages: usize) -> &'static K {
        K::KERNEL
    }

    /// Returns whether `messages` messages of so many blocks in all cost less if `side_by_side`, 1 to
    /// [`MAX_BATCH`], of them are processed at a time.
    #[inline(always)]
    pub(crate) fn gain(&self, side_by_side: usize, messages: usize, blocks: usize) -> bool {
        if const { MAX_BATCH == 1 } {
            return false;
        }
        let (alone, beside) = (self.cost.side_by_side(1), self.cost.side_by_side(side_by_side));
        let from = gains_from(side_by_side, side_by_side * alone, beside);
        from < u8::MAX && usize::from(from).saturating_mul(messages) <= blocks
    }

    /// The name of the instruction set. Of portable forms there is one, whichever the target has.
    fn name() -> &'static str {
        if K::Isa::NAME.starts_with(Portable::NAME) { Portable::NAME } else { K::Isa::NAME }
    }

    fn passes(&self) -> bool {
        self.self_tests.iter().all(|passes| passes(K::KERNEL))
    }
}

/// The operations on a list that [`Primitive`](crate::Primitive) needs, whatever the type of the kernels.
pub(crate) trait List: Sync {
    fn len(&self) -> usize;
    fn describe(&self, place: usize) -> Implementation;
    fn test(&self) -> Result<(), SelfTestError>;
    #[cfg(feature = "select")]
    fn select(&self, place: usize) -> Result<(), Error>;
    #[cfg(feature = "select")]
    fn reset(&self);
}

impl<K: Choice + Sync> List for Backends<K> {
    fn len(&self) -> usize {
        1
    }

    fn describe(&self, place: usize) -> Implementation {
        Implementation {
            name: Self::name(),
            usable: true,
            passes_self_test: self.passes(),
            chosen: true,
            from_messages: 1,
            place,
        }
    }

    fn test(&self) -> Result<(), SelfTestError> {
        let failed = SelfTestError { primitive: self.primitive, implementation: Some(Self::name()) };
        if self.passes() { Ok(()) } else { Err(failed) }
    }

    #[cfg(feature = "select")]
    fn select(&self, _: usize) -> Result<(), Error> {
        let failed = Error::InvalidParameter { what: "implementation: it fails its self-test" };
        if self.passes() { Ok(()) } else { Err(failed) }
    }

    #[cfg(feature = "select")]
    fn reset(&self) {}
}
