//! PBKDF2's chain of iterations, on chaining values (RFC 8018 §5.2).

use super::{Compression, digest_block};
use keylane_cpu::wipe::{Wipe, wipe};

/// One block of PBKDF2's output in progress: two midstates, the last U, and the XOR of all.
#[derive(Clone, Copy)]
pub struct Chain<C: Compression> {
    /// HMAC's midstates.
    pub(crate) inner: C::State,
    pub(crate) outer: C::State,
    /// U_i. The words after a truncated digest have no meaning.
    pub(crate) u: C::State,
    /// U_1 ^ … ^ U_i.
    pub(crate) sum: C::State,
}

impl<C: Compression> Chain<C> {
    pub(crate) const EMPTY: Self =
        Self { inner: C::ZERO_STATE, outer: C::ZERO_STATE, u: C::ZERO_STATE, sum: C::ZERO_STATE };

    /// Runs the iterations one after the other, two compressions each, on blocks that are padded once. Every
    /// kernel must agree with this.
    #[inline(always)]
    pub(crate) fn iterate_by(
        &mut self,
        digest_len: usize,
        iterations: u32,
        compress: impl Fn(&mut C::State, &C::Block),
    ) {
        // The padding stays; only the digest in front of it changes.
        let mut block = digest_block::<C>(&self.u, digest_len);
        for _ in 0..iterations {
            C::store(&self.u, &mut block.as_mut()[..digest_len]);
            self.u = self.inner;
            compress(&mut self.u, &block);
            C::store(&self.u, &mut block.as_mut()[..digest_len]);
            self.u = self.outer;
            compress(&mut self.u, &block);
            self.sum = C::xor(&self.sum, &self.u);
        }
        wipe(&mut block);
    }
}

impl<C: Compression> Wipe for Chain<C> {
    fn set_zero(&mut self) {
        for state in [&mut self.inner, &mut self.outer, &mut self.u, &mut self.sum] {
            state.set_zero();
        }
    }
}
