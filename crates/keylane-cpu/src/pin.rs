//! The identity, opaque to the optimiser. No instruction is emitted.
//!
//! LLVM rebuilds sums and moves instructions; where the order is what makes a kernel fast, pinning the values
//! keeps it. On other architectures a pin is the plain identity, and so it is where inline assembly is left
//! out: under Miri, which cannot run it, and with `cfg(keylane_no_asm)`, for MemorySanitizer, which loses
//! sight of a value that passes through it.

/// The value, once through a register of this class. With `pure` it may be moved and merged with its like;
/// without, it keeps its place among the others without.
///
/// A macro, as the function around it must have the target feature that the register needs.
macro_rules! opaque {
    (vreg, $x:expr $(, $pure:ident)?) => { $crate::pin::opaque!("/* {0:v} */", vreg, $x $(, $pure)?) };
    ($class:ident, $x:expr $(, $pure:ident)?) => { $crate::pin::opaque!("/* {0} */", $class, $x $(, $pure)?) };
    ($template:literal, $class:ident, $x:expr $(, $pure:ident)?) => {{
        let x = $x;
        #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(any(miri, keylane_no_asm))))]
        // SAFETY: no instruction is emitted, and no memory, stack or flag is touched.
        let x = unsafe {
            let same;
            core::arch::asm!($template, inout($class) x => same, options($($pure,)? nomem, nostack, preserves_flags));
            same
        };
        x
    }};
}
pub(crate) use opaque;

/// Keeps `x` a value of its own: what is computed from it is not merged with what it was computed from. It
/// may move.
///
/// ```
/// let (a, b, c) = (1, 2, 3);
/// assert_eq!(keylane_cpu::pin::pin(a + b) + c, 6); // in this order
/// ```
#[inline(always)]
#[must_use]
pub fn pin(x: u64) -> u64 {
    opaque!(reg, x, pure)
}

/// As [`pin`], and keeps its place among the other values pinned by this function.
///
/// ```
/// assert_eq!(keylane_cpu::pin::pin_here(7), 7);
/// ```
#[inline(always)]
#[must_use]
pub fn pin_here(x: u64) -> u64 {
    // Without `pure`, the compiler keeps the order of these.
    opaque!(reg, x)
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
