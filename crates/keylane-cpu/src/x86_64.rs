//! x86-64's CPU features that the operating system supports, and the tokens that prove them.
//!
//! A token's list includes features that others imply for the compiler (`rustc --print cfg -C
//! target-feature=+avx512f`), since a hypervisor may hide any of them.
//!
//! ```
//! use keylane_cpu::InstructionSet;
//! use keylane_cpu::x86_64::{Avx2, Features};
//!
//! let has_avx2 = Features::of_this_cpu().contains(Features::of_list(Avx2::FEATURES));
//! assert_eq!(Avx2::detect().is_some(), has_avx2);
//! ```

#[cfg(keylane_mask)]
use crate::InstructionSet;
use crate::instruction_set::token;
use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

token!(
    /// 128-bit integer vectors, which every x86-64 CPU has.
    Sse2, "sse2", enable "sse2"
);
token!(
    /// 128-bit integer vectors, and shuffles of their bytes.
    Ssse3, "ssse3", enable "ssse3" "sse3" "sse2"
);
token!(
    /// SHA-1 and SHA-256 instructions. Deliberately without AVX: SHA instructions exist only in the legacy
    /// encoding, and one 256-bit instruction among them costs some 350 cycles.
    ShaNi, "sha-ni", enable "sha" "sse4.1" "ssse3" "sse3"
);
token!(
    /// AES and carry-less multiplication, 128 bits.
    AesNi, "aes-ni", enable "aes" "pclmulqdq" "sse4.1" "ssse3" "sse3"
);
token!(
    /// 256-bit integer vectors, and the scalar rotations and masks that come with them.
    Avx2, "avx2", enable "avx2" "avx" "sse4.2" "sse4.1" "ssse3" "sse3" "bmi1" "bmi2"
);
token!(
    /// AES and carry-less multiplication, 256 bits.
    VaesAvx2, "vaes-avx2",
    enable "vaes" "vpclmulqdq" "aes" "pclmulqdq"
    "avx2" "avx" "sse4.2" "sse4.1" "ssse3" "sse3" "bmi1" "bmi2"
);
token!(
    /// SHA-512 instructions, which use AVX's encoding.
    Sha512, "sha512", enable "sha512" "avx2" "avx" "sse4.2" "sse4.1" "ssse3" "sse3"
);
token!(
    /// 512-bit integer vectors, with the 128- and 256-bit forms of their instructions.
    Avx512, "avx512",
    enable "avx512f" "avx512bw" "avx512dq" "avx512vl" "fma" "f16c"
    "avx2" "avx" "sse4.2" "sse4.1" "ssse3" "sse3" "bmi1" "bmi2"
);
token!(
    /// 512-bit vectors with products of 52-bit limbs.
    Avx512Ifma, "avx512-ifma",
    enable "avx512ifma" "avx512f" "avx512bw" "avx512dq" "avx512vl" "fma" "f16c"
    "avx2" "avx" "sse4.2" "sse4.1" "ssse3" "sse3" "bmi1" "bmi2"
);
token!(
    /// AES and carry-less multiplication, 512 bits.
    VaesAvx512, "vaes-avx512",
    enable "vaes" "vpclmulqdq" "aes" "pclmulqdq" "avx512f" "avx512bw" "avx512dq" "avx512vl" "fma" "f16c"
    "avx2" "avx" "sse4.2" "sse4.1" "ssse3" "sse3" "bmi1" "bmi2"
);

/// The names of all tokens, for `mask`.
#[cfg(keylane_mask)]
pub(crate) const NAMES: &[&str] = &[
    Sse2::NAME,
    Ssse3::NAME,
    ShaNi::NAME,
    AesNi::NAME,
    Avx2::NAME,
    VaesAvx2::NAME,
    Sha512::NAME,
    Avx512::NAME,
    Avx512Ifma::NAME,
    VaesAvx512::NAME,
];

impl Ssse3 {
    /// Returns the token of SSE2, which SSSE3 includes.
    #[inline]
    #[must_use]
    pub const fn sse2(self) -> Sse2 {
        const { assert!(Features::of_list(Self::FEATURES).contains(Features::of_list(Sse2::FEATURES))) }
        Sse2 { _detected: () }
    }
}

impl Avx512 {
    /// Returns the token of AVX2, which AVX-512 includes.
    #[inline]
    #[must_use]
    pub const fn avx2(self) -> Avx2 {
        const { assert!(Features::of_list(Self::FEATURES).contains(Features::of_list(Avx2::FEATURES))) }
        Avx2 { _detected: () }
    }
}

impl Avx512Ifma {
    /// Returns the token of AVX-512, whose features this set includes.
    #[inline]
    #[must_use]
    pub const fn avx512(self) -> Avx512 {
        const { assert!(Features::of_list(Self::FEATURES).contains(Features::of_list(Avx512::FEATURES))) }
        Avx512 { _detected: () }
    }
}

/// The register in which CPUID reports a feature.
#[derive(Clone, Copy)]
enum Register {
    Leaf1Edx,
    Leaf1Ecx,
    Leaf7Ebx,
    Leaf7Ecx,
    /// EAX of leaf 7, subleaf 1.
    Leaf7Eax1,
}
use Register::{Leaf1Ecx, Leaf1Edx, Leaf7Eax1, Leaf7Ebx, Leaf7Ecx};

/// The registers that the operating system must save at a task switch before a feature can be used.
#[derive(Clone, Copy)]
enum State {
    /// XMM registers: always saved.
    Xmm,
    /// XMM and YMM: bits 1 and 2 of XCR0.
    Ymm,
    /// YMM, the mask registers and ZMM: bits 1, 2, 5, 6 and 7.
    Zmm,
}
use State::{Xmm, Ymm, Zmm};

impl State {
    const fn xcr0(self) -> u64 {
        match self {
            Xmm => 0,
            Ymm => 0b0000_0110,
            Zmm => 0b1110_0110,
        }
    }
}

/// Each feature's name in the compiler, its register and bit in CPUID (Intel SDM volume 2, CPUID, leaves 1
/// and 7), and the register state that it needs.
const TABLE: [(&str, Register, u32, State); 25] = [
    ("sse2", Leaf1Edx, 26, Xmm),
    ("sse3", Leaf1Ecx, 0, Xmm),
    ("sse4.2", Leaf1Ecx, 20, Xmm),
    ("fma", Leaf1Ecx, 12, Ymm),
    ("f16c", Leaf1Ecx, 29, Ymm),
    ("ssse3", Leaf1Ecx, 9, Xmm),
    ("sse4.1", Leaf1Ecx, 19, Xmm),
    ("pclmulqdq", Leaf1Ecx, 1, Xmm),
    ("aes", Leaf1Ecx, 25, Xmm),
    ("sha", Leaf7Ebx, 29, Xmm),
    ("bmi1", Leaf7Ebx, 3, Xmm),
    ("bmi2", Leaf7Ebx, 8, Xmm),
    ("adx", Leaf7Ebx, 19, Xmm),
    ("avx", Leaf1Ecx, 28, Ymm),
    ("avx2", Leaf7Ebx, 5, Ymm),
    ("sha512", Leaf7Eax1, 0, Ymm),
    ("vaes", Leaf7Ecx, 9, Ymm),
    ("vpclmulqdq", Leaf7Ecx, 10, Ymm),
    ("avx512f", Leaf7Ebx, 16, Zmm),
    ("avx512bw", Leaf7Ebx, 30, Zmm),
    ("avx512dq", Leaf7Ebx, 17, Zmm),
    ("avx512vl", Leaf7Ebx, 31, Zmm),
    ("avx512ifma", Leaf7Ebx, 21, Zmm),
    ("avx512vbmi", Leaf7Ecx, 1, Zmm),
    ("gfni", Leaf7Ecx, 8, Xmm),
];

/// The features of this CPU, once `ASKED` is set.
static CACHE: AtomicU32 = AtomicU32::new(0);

/// A set of features, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(u32);

impl Features {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Whether the CPU is AMD's, or Hygon's, which are similar.
    pub const AMD: Self = Self(1 << 30);

    /// Set in the cached value, to distinguish "has no features" from "not asked yet".
    const ASKED: u32 = 1 << 31;

    /// Adds the feature that the compiler calls `name`. In a constant, an unknown name does not compile.
    ///
    /// # Panics
    /// For an unknown name.
    #[must_use]
    pub const fn with(self, name: &str) -> Self {
        let mut i = 0;
        while i < TABLE.len() {
            if same(TABLE[i].0, name) {
                return Self(self.0 | 1 << i);
            }
            i += 1;
        }
        panic!("a feature that TABLE does not know")
    }

    /// Returns the set of the features in a list of names.
    ///
    /// # Panics
    /// For an unknown name.
    #[must_use]
    pub const fn of_list(mut names: &[&str]) -> Self {
        let mut features = Self::NONE;
        while let [name, rest @ ..] = names {
            features = features.with(name);
            names = rest;
        }
        features
    }

    /// Returns whether this set includes every feature of `other`.
    #[inline]
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the features of this CPU and its operating system. The result is cached, since CPUID takes
    /// microseconds in a virtual machine.
    #[inline]
    #[must_use]
    pub fn of_this_cpu() -> Self {
        let cached = CACHE.load(Relaxed);
        if cached & Self::ASKED != 0 {
            return Self(cached & !Self::ASKED);
        }
        // If two threads ask, they store the same result. Miri lacks most of the instructions and CPUID.
        let found = if cfg!(miri) { Self::NONE } else { Self::ask() };
        CACHE.store(found.0 | Self::ASKED, Relaxed);
        found
    }

    /// Returns the cached features: none before the first [`of_this_cpu`](Self::of_this_cpu).
    #[inline(always)]
    pub(crate) fn known() -> Self {
        Self(CACHE.load(Relaxed) & !Self::ASKED)
    }

    #[cold]
    #[allow(unused_unsafe)] // CPUID became a safe function in a later compiler than our oldest
    fn ask() -> Self {
        // SAFETY: every x86-64 CPU has CPUID, and leaf 0 says how many leaves it has.
        // Leaf 7 says how many subleaves it has.
        let (leaf0, leaf1, leaf7, leaf7_1) = unsafe {
            let leaf0 = __cpuid(0);
            let leaf7 = (leaf0.eax >= 7).then(|| __cpuid_count(7, 0));
            let more = leaf7.is_some_and(|leaf| leaf.eax >= 1);
            (leaf0, __cpuid(1), leaf7, more.then(|| __cpuid_count(7, 1)))
        };
        const OSXSAVE: u32 = 1 << 27;
        let xcr0 = if leaf1.ecx & OSXSAVE != 0 {
            // SAFETY: OSXSAVE says that the operating system has enabled XGETBV.
            unsafe { xgetbv0() }
        } else {
            0
        };
        let mut found = Self::of_maker(leaf0.ebx);
        for (i, &(_, register, bit, state)) in TABLE.iter().enumerate() {
            let word = match register {
                Leaf1Edx => leaf1.edx,
                Leaf1Ecx => leaf1.ecx,
                Leaf7Ebx => leaf7.map_or(0, |leaf| leaf.ebx),
                Leaf7Ecx => leaf7.map_or(0, |leaf| leaf.ecx),
                Leaf7Eax1 => leaf7_1.map_or(0, |leaf| leaf.eax),
            };
            if word >> bit & 1 != 0 && xcr0 & state.xcr0() == state.xcr0() {
                found.0 |= 1 << i;
            }
        }
        found
    }

    /// Returns [`AMD`](Self::AMD) if the maker's name, `AuthenticAMD` or `HygonGenuine`, begins with this
    /// word.
    const fn of_maker(name: u32) -> Self {
        if matches!(&name.to_le_bytes(), b"Auth" | b"Hygo") { Self::AMD } else { Self::NONE }
    }
}

/// Reads XCR0: the register states that the operating system saves.
#[target_feature(enable = "xsave")]
#[allow(unused_unsafe)]
fn xgetbv0() -> u64 {
    // SAFETY: the caller has checked OSXSAVE.
    unsafe { _xgetbv(0) }
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detection_agrees_with_the_standard_library() {
        macro_rules! compare {
            ($($feature:tt)*) => {{
                $( assert_eq!(
                    Features::of_this_cpu().contains(Features::NONE.with($feature)),
                    std::arch::is_x86_feature_detected!($feature),
                    "{}", $feature
                ); )*
                [$($feature),*].len()
            }};
        }
        let compared = compare!(
            "sse2" "sse3" "sse4.2" "fma" "f16c" "ssse3" "sse4.1" "pclmulqdq" "aes" "sha" "bmi1" "bmi2" "adx"
            "avx" "avx2" "sha512" "vaes" "vpclmulqdq"
            "avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512ifma" "avx512vbmi" "gfni"
        );
        assert_eq!(compared, TABLE.len(), "not every row of the table is compared");
    }

    #[test]
    fn amd_is_told_from_others() {
        let word = |name: &str| u32::from_le_bytes(*name.as_bytes().first_chunk().unwrap());
        for (name, is_amd) in [("AuthenticAMD", true), ("HygonGenuine", true), ("GenuineIntel", false)] {
            assert_eq!(Features::of_maker(word(name)) == Features::AMD, is_amd, "{name}");
        }
    }
}
