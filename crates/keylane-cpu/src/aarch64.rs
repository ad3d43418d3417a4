//! aarch64: what the CPU offers, and the tokens that prove it.
//!
//! An aarch64 program cannot ask the CPU: the operating system must say. With the feature `std` the standard
//! library's macro asks it; without, only what the compiler was told (`-C target-feature`) counts.
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
    /// SHA-1 and SHA-256 instructions.
    NeonSha2, "neon-sha2", enable "neon" "sha2"
);
token!(
    /// SHA-512 instructions, which the compiler counts with SHA-3's.
    NeonSha512, "neon-sha512", enable "neon" "sha3"
);

/// Every token's, for those that mask them.
#[cfg(keylane_mask)]
pub(crate) const NAMES: &[&str] = &[Neon::NAME, NeonAes::NAME, NeonSha2::NAME, NeonSha512::NAME];

/// A set of features, a bit each, in the order in which [`Features::of_this_cpu`] asks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(u32);

impl Features {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// With the feature that the compiler calls `name`. Unknown names do not compile.
    #[must_use]
    pub const fn with(self, name: &str) -> Self {
        let bit = match name.as_bytes() {
            b"neon" => 0,
            b"aes" => 1,
            b"sha2" => 2,
            b"sha3" => 3,
            _ => panic!("a feature that is not asked for"),
        };
        Self(self.0 | 1 << bit)
    }

    /// Whether every feature of `other` is in this set.
    #[inline]
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// As [`of_this_cpu`](Self::of_this_cpu).
    #[inline(always)]
    pub(crate) fn known() -> Self {
        Self::of_this_cpu()
    }

    /// What this CPU offers.
    #[inline]
    #[must_use]
    pub fn of_this_cpu() -> Self {
        // Miri knows few of the instructions.
        if cfg!(miri) {
            return Self::NONE;
        }
        #[cfg(feature = "std")]
        let has = [
            // Each is cached by the standard library: one relaxed load.
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
