//! The identity, opaque to the optimiser. No instruction is emitted.
//!
//! LLVM rebuilds sums and moves instructions; where the order is what makes a kernel fast, pinning the values keeps
//! it. On architectures without these, or without inline assembly, a pin is the plain identity.

/// Keeps `x` a value of its own: what is computed from it is not merged with what it was computed from. It may move.
///
/// ```
/// let (a, b, c) = (1, 2, 3);
/// assert_eq!(keylane_cpu::pin::pin(a + b) + c, 6); // in this order
/// ```
#[inline(always)]
#[must_use]
pub fn pin(x: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut x = x;
        // SAFETY: no instruction is emitted, and no memory, stack or flag is touched.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags))
        };
        x
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    x
}

/// As [`pin`], and keeps its place among the other values pinned by this function.
///
/// ```
/// assert_eq!(keylane_cpu::pin::pin_here(7), 7);
/// ```
#[inline(always)]
#[must_use]
pub fn pin_here(x: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut x = x;
        // SAFETY: as in `pin`; without `pure`, the compiler keeps the order of these.
        unsafe { core::arch::asm!("/* {0} */", inout(reg) x, options(nomem, nostack, preserves_flags)) };
        x
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    x
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_pin_is_the_identity() {
        for x in [0, 1, u64::MAX, 0x0123_4567_89ab_cdef] {
            assert_eq!(super::pin(x), x);
            assert_eq!(super::pin_here(x), x);
        }
    }
}
