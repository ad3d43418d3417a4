//! Tokens. A value of a type that implements [`InstructionSet`] proves that this CPU and its operating system
//! support all instructions named by the type.

/// A set of instructions. A value of the type proves that this CPU has them.
///
/// ```
/// use keylane_cpu::{InstructionSet, Portable};
///
/// fn sum<I: InstructionSet>(isa: I, words: &[u32]) -> u32 {
///     isa.run(
///         #[inline(always)]
///         |_isa| words.iter().sum(),
///     )
/// }
/// assert_eq!(sum(Portable, &[1, 2, 4]), 7);
/// #[cfg(target_arch = "x86_64")]
/// if let Some(&avx2) = keylane_cpu::x86_64::Avx2::detect() {
///     assert_eq!(sum(avx2, &[1, 2, 4]), 7); // compiled for AVX2
/// }
/// ```
pub trait InstructionSet: Copy + Send + Sync + 'static {
    /// The name, in lower case with dashes: `"vaes-avx512"`.
    const NAME: &'static str;

    /// Returns the token if this CPU has the instructions. The first call in a process asks the CPU; later
    /// calls are one relaxed load.
    fn detect() -> Option<&'static Self>;

    /// Returns whether this CPU has the instructions.
    fn is_usable() -> bool {
        Self::detect().is_some()
    }

    /// Runs `f` like [`run`](Self::run), with the token that an earlier call of [`detect`](Self::detect) has
    /// found.
    ///
    /// # Panics
    /// If there was no such call, or the CPU lacks the instructions.
    fn enter<R>(f: impl FnOnce(Self) -> R) -> R;

    /// Runs `f` compiled for this instruction set.
    ///
    /// `f` is inlined into a function for which the instructions are enabled. Functions called by `f` can use
    /// them only if they are also inlined, so generic kernel code is `#[inline(always)]` throughout.
    fn run<R>(self, f: impl FnOnce(Self) -> R) -> R;
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[cold]
pub(crate) fn unknown() -> ! {
    panic!("this CPU lacks the instructions, or detection has not run")
}

/// Whether the target has no vectors, like small devices. Its code is then short instead of unrolled where
/// speed allows.
pub const IS_SMALL: bool =
    cfg!(not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")));

/// Whether the CPU is known to multiply 32 × 32 → 64 bits in few instructions that take the same time for all
/// operands.
///
/// A Cortex-M0 has no such instruction, and a Cortex-M3's is faster for short operands. rustc does not say
/// for which Cortex-M it compiles. One with an FPU is an M4 or later; for others, `--cfg
/// keylane_long_products` promises that. It is not a Cargo feature, since Cargo might enable it for all of a
/// program's targets.
pub const LONG_PRODUCTS: bool = cfg!(not(any(
    target_pointer_width = "16",
    all(target_arch = "riscv32", not(target_feature = "m")),
    all(target_arch = "arm", target_os = "none", target_abi = "eabi", not(keylane_long_products)),
)));

// M0 and M3 do not have this instruction, and an M33's targets do not promise it. No program contains it.
#[cfg(all(keylane_long_products, target_arch = "arm", target_os = "none"))]
core::arch::global_asm!(
    ".pushsection .discard.keylane, \"\", %progbits",
    "umaal r0, r1, r2, r3 @ `--cfg keylane_long_products` is for a Cortex-M4",
    ".popsection",
);

/// Defines a token for instructions that every CPU has.
macro_rules! portable {
    ($(#[$doc:meta])* $Isa:ident, $name:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Isa;

        impl InstructionSet for $Isa {
            const NAME: &'static str = $name;

            fn detect() -> Option<&'static Self> {
                Some(&Self)
            }

            #[inline(always)]
            fn enter<R>(f: impl FnOnce(Self) -> R) -> R {
                f(Self)
            }

            #[inline(always)]
            fn run<R>(self, f: impl FnOnce(Self) -> R) -> R {
                f(self)
            }
        }
    };
}
portable! {
    /// The instructions that all of the target's CPUs have.
    ///
    /// ```
    /// use keylane_cpu::{InstructionSet, Portable};
    ///
    /// assert!(Portable::detect().is_some());
    /// ```
    Portable, "portable"
}
portable! {
    /// The CPU of [`Portable`], for algorithms with a second portable form for registers of 32 bits.
    ///
    /// ```
    /// use keylane_cpu::{InstructionSet, Portable32};
    ///
    /// assert_eq!(Portable32::NAME, "portable-32");
    /// ```
    Portable32, "portable-32"
}
portable! {
    /// The CPU of [`Portable`], for algorithms with a third portable form for registers of 8 bits.
    ///
    /// ```
    /// use keylane_cpu::{InstructionSet, Portable8};
    ///
    /// assert_eq!(Portable8::NAME, "portable-8");
    /// ```
    Portable8, "portable-8"
}

/// Defines a token from a list of features, which `detect` checks and `run` enables. The architecture's
/// module brings `Features` into scope.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! token {
    ($(#[$doc:meta])* $Isa:ident, $name:literal, enable $($feature:literal)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Isa {
            _detected: (),
        }

        impl $Isa {
            /// The features that the token proves, by the compiler's names.
            pub const FEATURES: &'static [&'static str] = &[$($feature),+];

            /// Runs `f` with the features enabled. Never inlined, so that `cargo xtask asm` finds every
            /// kernel by this name.
            #[inline(never)]
            $(#[target_feature(enable = $feature)])+
            fn with_features<R>(self, f: impl FnOnce(Self) -> R) -> R {
                #[cfg(target_arch = "x86_64")]
                if const { Features::of_list(Self::FEATURES).contains(Features::of_list(&["vaes"])) } {
                    $crate::pin::align_frame();
                }
                f(self)
            }

            /// Returns the token if `features` includes all of its own.
            #[inline(always)]
            fn in_features(features: Features) -> Option<&'static Self> {
                static TOKEN: $Isa = $Isa { _detected: () };
                const NEEDED: Features = Features::NONE$(.with($feature))+;
                features.contains(NEEDED).then_some(&TOKEN)
            }
        }

        impl $crate::InstructionSet for $Isa {
            const NAME: &'static str = $name;

            #[inline]
            fn detect() -> Option<&'static Self> {
                // `enter` ignores the mask, so that a call costs as much as in a build without it.
                #[cfg(keylane_mask)]
                if $crate::mask::hides($name, NAMES) {
                    return None;
                }
                Self::in_features(Features::of_this_cpu())
            }

            #[inline(always)]
            fn enter<R>(f: impl FnOnce(Self) -> R) -> R {
                // This never asks the CPU. `unknown` does not return, so that a function that does nothing
                // else needs no stack frame.
                let known = Self::in_features(Features::known());
                let Some(&isa) = known else { $crate::instruction_set::unknown() };
                // SAFETY: `detect` has found every feature of the list.
                unsafe { isa.with_features(f) }
            }

            #[inline(always)]
            fn run<R>(self, f: impl FnOnce(Self) -> R) -> R {
                // SAFETY: `self` exists. It is from `detect`, which has found every feature of the list, or
                // from a token whose own list includes this one.
                unsafe { self.with_features(f) }
            }
        }
    };
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use token;

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::InstructionSet;
    #[cfg(target_arch = "aarch64")]
    use crate::aarch64::*;
    #[cfg(target_arch = "x86_64")]
    use crate::x86_64::*;
    use std::panic::catch_unwind;

    fn check<I: InstructionSet>(features: &[&str]) {
        let all = features.iter().all(|name| Features::of_this_cpu().contains(Features::NONE.with(name)));
        // The mask hides nothing from `enter`.
        assert_eq!(catch_unwind(|| I::enter(|_| 7)).ok(), all.then_some(7), "{}", I::NAME);
        #[cfg(keylane_mask)]
        let all = all && !crate::mask::hides(I::NAME, NAMES);
        assert_eq!((I::detect().is_some(), I::is_usable()), (all, all), "{}", I::NAME);
    }

    macro_rules! check {
        ($($Isa:ident)+) => {
            $( check::<$Isa>($Isa::FEATURES); )+
        };
    }

    #[test]
    fn a_token_exists_if_and_only_if_the_cpu_has_all_its_features() {
        #[cfg(target_arch = "aarch64")]
        check!(Neon NeonAes NeonAesSha3 NeonSha2 NeonSha512);
        #[cfg(target_arch = "x86_64")]
        check!(Sse2 Ssse3 ShaNi AesNi Avx2 VaesAvx2 Sha512 Avx512 Avx512Ifma VaesAvx512);
    }
}
