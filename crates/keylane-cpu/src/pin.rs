//! The identity function, opaque to the optimiser. No instruction is emitted.
//!
//! LLVM reassociates sums and moves instructions. If a kernel's speed depends on their order, pinning the
//! values preserves it. A pin does nothing outside x86-64 and aarch64, under Miri, which cannot run inline
//! assembly, and with `cfg(keylane_no_asm)`, for MemorySanitizer, which cannot track values through it.

use crate::any_bytes::any_bytes;
use core::mem::MaybeUninit;
use core::ops::{BitAnd, BitXor, Not};

/// Passes a value through a register of the class. With `pure`, the compiler may move the pin and merge equal
/// pins; without it, it keeps their order.
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

/// Returns `x`, which the optimiser then treats as unrelated to the values from which it was computed. The
/// optimiser may still move it.
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

/// Aligns the enclosing function's stack frame to cache lines. LLVM aligns it to 16 bytes, so that vectors on
/// the stack may span two lines or two pages: depending on the stack's address, AES-GCM can take 2.4 times as
/// long (256-bit VAES, Golden Cove). This takes an integer register, which costs SHA-512 with AVX2 6 %.
#[inline(always)]
pub fn align_frame() {
    #[cfg(all(target_arch = "x86_64", not(any(miri, keylane_no_asm))))]
    #[expect(clippy::pointers_in_nomem_asm_block, reason = "only the address is passed")]
    {
        #[repr(align(64))]
        struct Line(#[expect(dead_code, reason = "only its place counts")] MaybeUninit<[u8; 64]>);

        let line = Line(MaybeUninit::uninit());
        // SAFETY: no instruction is emitted, and no memory, stack or flag is touched.
        unsafe {
            core::arch::asm!(
                "/* {0} */", in(reg) &raw const line, options(nomem, nostack, preserves_flags)
            );
        }
    }
}

/// A word in an integer register. The operations whose names end in `_here` keep their order among each
/// other.
///
/// ```
/// use keylane_cpu::pin::Scalar;
///
/// assert_eq!((7_u32 ^ 1).pin_here().add_here(u32::MAX), 5);
/// ```
pub trait Scalar: Copy + BitXor<Output = Self> + BitAnd<Output = Self> + Not<Output = Self> {
    /// Returns `self`, as [`pin`] does.
    #[must_use]
    fn pin_here(self) -> Self;
    /// Returns the sum, which wraps. On x86-64 it is made by LEA, which Intel's CPUs run on ports that
    /// rotations do not use.
    #[must_use]
    fn add_here(self, other: Self) -> Self;
    /// Returns the sum, which wraps.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// Rotates to the right by `bits`.
    #[must_use]
    fn rotate_right(self, bits: u32) -> Self;
    /// Initialises words with unspecified contents, as [`any_bytes`] does.
    fn any_words<const N: usize>(memory: &mut MaybeUninit<[Self; N]>) -> &mut [Self; N] {
        memory.write([Self::from_low(0); N])
    }
    /// An array of a word's length in bytes.
    type Bytes: AsRef<[u8]>;
    /// Returns the big-endian bytes.
    fn to_bytes(self) -> Self::Bytes;
    /// Reads a word from big-endian bytes.
    fn from_bytes(bytes: &[u8]) -> Self;
    /// Returns the low bits of `x`.
    fn from_low(x: u64) -> Self;
}

macro_rules! scalars {
    ($($Word:ident $register:literal $target:literal),+) => { $(
        impl Scalar for $Word {
            #[inline(always)]
            fn pin_here(self) -> Self {
                opaque!($register, reg, self)
            }

            #[cfg(all(target_arch = "x86_64", not(any(miri, keylane_no_asm))))]
            #[inline(always)]
            fn add_here(self, other: Self) -> Self {
                let mut sum = self;
                // RBP and R13 as the base need a displacement, with which LEA takes three times as long.
                // SAFETY: one instruction on registers.
                unsafe {
                    core::arch::asm!(
                        ".ifc {sum:r}, r13",
                        concat!("lea ", $target, ", [{other:r} + {sum:r}]"),
                        ".else",
                        ".ifc {sum:r}, rbp",
                        concat!("lea ", $target, ", [{other:r} + {sum:r}]"),
                        ".else",
                        concat!("lea ", $target, ", [{sum:r} + {other:r}]"),
                        ".endif",
                        ".endif",
                        sum = inout(reg) sum, other = in(reg) other,
                        options(nomem, nostack, preserves_flags)
                    );
                }
                sum
            }

            #[cfg(not(all(target_arch = "x86_64", not(any(miri, keylane_no_asm)))))]
            #[inline(always)]
            fn add_here(self, other: Self) -> Self {
                self.wrapping_add(other).pin_here()
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn rotate_right(self, bits: u32) -> Self {
                Self::rotate_right(self, bits)
            }

            #[inline(always)]
            fn any_words<const N: usize>(memory: &mut MaybeUninit<[Self; N]>) -> &mut [Self; N] {
                let start = memory.as_mut_ptr().cast::<MaybeUninit<u8>>();
                // SAFETY: the bytes of the words, which any value initialises.
                unsafe {
                    any_bytes(core::slice::from_raw_parts_mut(start, size_of::<[Self; N]>()));
                    memory.assume_init_mut()
                }
            }

            type Bytes = [u8; size_of::<$Word>()];

            #[inline(always)]
            fn to_bytes(self) -> Self::Bytes {
                self.to_be_bytes()
            }

            #[inline(always)]
            fn from_bytes(bytes: &[u8]) -> Self {
                Self::from_be_bytes(*bytes.first_chunk().expect("a word's bytes"))
            }

            #[inline(always)]
            fn from_low(x: u64) -> Self {
                x as Self
            }
        }
    )+ };
}
#[cfg(target_arch = "x86_64")]
scalars!(u32 "/* {0:e} */" "{sum:e}", u64 "/* {0} */" "{sum:r}");
#[cfg(not(target_arch = "x86_64"))]
scalars!(u32 "/* {0:w} */" "", u64 "/* {0} */" "");

#[cfg(test)]
mod tests {
    use super::{Scalar, pin};

    #[test]
    fn a_pin_is_the_identity() {
        for x in [0, 1, u64::MAX, 0x0123_4567_89ab_cdef] {
            assert_eq!(pin(x), x);
            assert_eq!(x.pin_here(), x);
            assert_eq!((x as u32).pin_here(), x as u32);
        }
    }

    #[test]
    fn a_sum_wraps() {
        for x in [0, 1, u64::MAX, 0x0123_4567_89ab_cdef] {
            let y = x.rotate_left(13);
            assert_eq!(x.add_here(y), x.wrapping_add(y));
            assert_eq!((x as u32).add_here(y as u32), (x as u32).wrapping_add(y as u32));
        }
    }
}
