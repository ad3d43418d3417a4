//! aarch64's CPU features, and the tokens that prove them.
//!
//! On aarch64, only the operating system can ask the CPU. With the feature `std`, detection uses the standard
//! library's macro; without it, only features enabled at compile time (`-C target-feature`) are found.
//!
//! ```
//! use keylane_cpu::InstructionSet;
//! use keylane_cpu::aarch64::{Features, NeonAes};
//!
//! let has_aes = Features::of_this_cpu().contains(Features::NONE.with("neon").with("aes"));
//! assert_eq!(NeonAes::detect().is_some(), has_aes);
//! ```

#[cfg(keylane_mask)]
use crate::InstructionSet;
use crate::instruction_set::token;

token!(
    /// 128-bit integer vectors.
    Neon, "neon", enable "neon"
);
token!(
    /// AES and carry-less multiplication.
    NeonAes, "neon-aes", enable "neon" "aes"
);
token!(
    /// [`NeonAes`], and the XOR of three vectors by one instruction (EOR3), which is part of the compiler's
    /// feature `sha3`.
    NeonAesSha3, "neon-aes-sha3", enable "neon" "aes" "sha3"
);
token!(
    /// SHA-1 and SHA-256 instructions.
    NeonSha2, "neon-sha2", enable "neon" "sha2"
);
token!(
    /// SHA-512 instructions, which are part of the compiler's feature `sha3`.
    NeonSha512, "neon-sha512", enable "neon" "sha3"
);

/// The names of all tokens, for `mask`.
#[cfg(keylane_mask)]
pub(crate) const NAMES: &[&str] =
    &[Neon::NAME, NeonAes::NAME, NeonAesSha3::NAME, NeonSha2::NAME, NeonSha512::NAME];

/// A set of features, one bit each, in the order of the arrays in [`Features::of_this_cpu`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(u32);

impl Features {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Adds the feature that the compiler calls `name`. In a constant, an unknown name does not compile.
    ///
    /// # Panics
    /// For an unknown name.
    #[must_use]
    pub const fn with(self, name: &str) -> Self {
        let bit = match name.as_bytes() {
            b"neon" => 0,
            b"aes" => 1,
            b"sha2" => 2,
            b"sha3" => 3,
            _ => panic!("a feature that is not detected"),
        };
        Self(self.0 | 1 << bit)
    }

    /// Returns the set of these features, by the compiler's names.
    pub(crate) const fn of_list(mut names: &[&str]) -> Self {
        let mut set = Self::NONE;
        while let [name, rest @ ..] = names {
            (set, names) = (set.with(name), rest);
        }
        set
    }

    /// Returns whether this set includes every feature of `other`.
    #[inline]
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the features, like [`of_this_cpu`](Self::of_this_cpu).
    #[inline(always)]
    pub(crate) fn known() -> Self {
        Self::of_this_cpu()
    }

    /// Returns the features of this CPU.
    #[inline]
    #[must_use]
    pub fn of_this_cpu() -> Self {
        // Miri lacks most of the instructions.
        if cfg!(miri) {
            return Self::NONE;
        }
        #[cfg(feature = "std")]
        let has = [
            // The standard library caches each result: this is one relaxed load.
            std::arch::is_aarch64_feature_detected!("neon"),
            std::arch::is_aarch64_feature_detected!("aes")
                && std::arch::is_aarch64_feature_detected!("pmull"),
            std::arch::is_aarch64_feature_detected!("sha2"),
            std::arch::is_aarch64_feature_detected!("sha3"),
        ];
        #[cfg(not(feature = "std"))]
        let has = [
            cfg!(target_feature = "neon"),
            cfg!(target_feature = "aes"),
            cfg!(target_feature = "sha2"),
            cfg!(target_feature = "sha3"),
        ];
        let mut found = Self::NONE;
        for (bit, has) in has.into_iter().enumerate() {
            found.0 |= u32::from(has) << bit;
        }
        found
    }
}
