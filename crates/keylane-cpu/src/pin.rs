//! The identity function, opaque to the optimiser. No instruction is emitted.
//!
//! LLVM reassociates sums and moves instructions. Where a kernel's speed depends on the order, pinning the
//! values keeps it. A pin is the plain identity on other architectures, under Miri, which cannot run inline
//! assembly, and with `cfg(keylane_no_asm)`, for MemorySanitizer, which cannot track a value through it.

/// Passes a value through a register of the class. With `pure`, the compiler may move the pin and merge equal
/// ones; without, it keeps the order of pins.
///
/// This is a macro because the enclosing function must have the target feature that the register needs.
macro_rules! opaque {
    (vreg, $x:expr $(, $pure:ident)?) => { $crate::pin::opaque!("/* {0:v} */", vreg, $x $(, $pure)?) };
    ($class:ident, $x:expr $(, $pure:ident)?) => {
        $crate::pin::opaque!("/* {0} */", $class, $x $(, $pure)?)
    };
    ($template:literal, $class:ident, $x:expr $(, $pure:ident)?) => {{
        let x = $x;
        #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(any(miri, keylane_no_asm))))]
        // SAFETY: no instruction is emitted, and no memory, stack or flag is touched.
        let x = unsafe {
            let same;
            core::arch::asm!(
                $template, inout($class) x => same, options($($pure,)? nomem, nostack, preserves_flags)
            );
            same
        };
        x
    }};
}
pub(crate) use opaque;

/// Returns `x`, which the optimiser then treats as unrelated to what it was computed from. It may still move
/// it.
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

/// As [`pin`], and keeps the order of the values that are pinned by this function.
///
/// ```
/// assert_eq!(keylane_cpu::pin::pin_here(7), 7);
/// ```
#[inline(always)]
#[must_use]
pub fn pin_here(x: u64) -> u64 {
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
