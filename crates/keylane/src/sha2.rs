//! SHA-224, SHA-256, SHA-384, SHA-512 and SHA-512/256 (FIPS 180-4).

mod cores;
pub(crate) mod lanes;
#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
pub(crate) mod two_blocks;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod words256;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod words512;

use crate::backend::{Backends, backends};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
use crate::hash::compression::lanes::Lanes;
#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
use crate::hash::compression::two_blocks::TwoBlocks;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::hash::compression::words::Words;
use crate::hash::compression::{Compression, Kernel, Variant, compiled_here, self_test};
use crate::hash::{Function, Hasher};
pub(crate) use cores::{Sha256Core, Sha512Core};
use keylane_cpu::Portable;
use keylane_cpu::lanes::portable::{U32x1, U64x1};
#[cfg(target_feature = "simd128")]
use keylane_cpu::lanes::wasm32::U32x4;
#[cfg(target_arch = "x86_64")]
use keylane_cpu::lanes::x86_64::ShaWords;

/// SHA-224: SHA-256 with another initial value, truncated to 28 bytes.
///
/// ```
/// use keylane::sha2::Sha224;
///
/// assert_eq!(Sha224::digest(b"abc")[..4], [0x23, 0x09, 0x7d, 0x22]);
/// ```
pub type Sha224 = Hasher<Sha224Function>;

/// The constants of [`Sha224`].
#[derive(Clone, Copy, Debug)]
pub struct Sha224Function;

impl Function for Sha224Function {
    type Output = [u8; 28];
    const NAME: &'static str = "sha224";
    type Core = Sha256Core;
    const VARIANT: &'static Variant<Sha256Core> = &Variant { initial: cores::SHA224, digest_len: 28 };
    const ID: u8 = 2;
}

/// SHA-256.
///
/// ```
/// use keylane::sha2::Sha256;
///
/// let digests = {
///     let mut out = [[0; 32]; 2];
///     Sha256::digest_many(&["abc", "a longer message"], &mut out)?;
///     out
/// };
/// assert_eq!(digests[0], Sha256::digest(b"abc"));
/// # Ok::<(), keylane::Error>(())
/// ```
pub type Sha256 = Hasher<Sha256Function>;

/// The constants of [`Sha256`].
#[derive(Clone, Copy, Debug)]
pub struct Sha256Function;

impl Function for Sha256Function {
    type Output = [u8; 32];
    const NAME: &'static str = "sha256";
    type Core = Sha256Core;
    const VARIANT: &'static Variant<Sha256Core> = &Variant { initial: cores::SHA256, digest_len: 32 };
    const ID: u8 = 3;
}

/// SHA-384: SHA-512 with another initial value, truncated to 48 bytes.
///
/// ```
/// use keylane::sha2::Sha384;
///
/// assert_eq!(Sha384::digest(b"abc")[..4], [0xcb, 0x00, 0x75, 0x3f]);
/// ```
pub type Sha384 = Hasher<Sha384Function>;

/// The constants of [`Sha384`].
#[derive(Clone, Copy, Debug)]
pub struct Sha384Function;

impl Function for Sha384Function {
    type Output = [u8; 48];
    const NAME: &'static str = "sha384";
    type Core = Sha512Core;
    const VARIANT: &'static Variant<Sha512Core> = &Variant { initial: cores::SHA384, digest_len: 48 };
    const ID: u8 = 4;
}

/// SHA-512.
///
/// ```
/// use keylane::sha2::Sha512;
///
/// assert_eq!(Sha512::digest(b"abc")[..4], [0xdd, 0xaf, 0x35, 0xa1]);
/// ```
pub type Sha512 = Hasher<Sha512Function>;

/// The constants of [`Sha512`].
#[derive(Clone, Copy, Debug)]
pub struct Sha512Function;

impl Function for Sha512Function {
    type Output = [u8; 64];
    const NAME: &'static str = "sha512";
    type Core = Sha512Core;
    const VARIANT: &'static Variant<Sha512Core> = &Variant { initial: cores::SHA512, digest_len: 64 };
    const ID: u8 = 5;
}

/// SHA-512/256: SHA-512 with another initial value, truncated to 32 bytes. Not open to length extension,
/// and on 64-bit CPUs without SHA instructions faster than SHA-256.
///
/// ```
/// use keylane::sha2::Sha512_256;
///
/// assert_eq!(Sha512_256::digest(b"abc")[..4], [0x53, 0x04, 0x8e, 0x26]);
/// ```
pub type Sha512_256 = Hasher<Sha512_256Function>;

/// The constants of [`Sha512_256`].
#[derive(Clone, Copy, Debug)]
pub struct Sha512_256Function;

impl Function for Sha512_256Function {
    type Output = [u8; 32];
    const NAME: &'static str = "sha512-256";
    type Core = Sha512Core;
    const VARIANT: &'static Variant<Sha512Core> = &Variant { initial: cores::SHA512_256, digest_len: 32 };
    const ID: u8 = 6;
}

backends! {
    static SHA256: Backends<Chosen256>;
    "sha256", self_test::passes::<Sha256Core> => self_test::passes_side_by_side::<Sha256Core>, dyn Kernel<Sha256Core>:
    x86_64 [
        Lanes<U32x16, 16, 1>: cost { alone: 1000, together: 1000, lanes: 16 },
        Words<ShaWords>: cost { alone: 127, together: 195, lanes: 2 },
        Lanes<U32x8, 8, 3, TwoBlocks<U32x8>>: cost { alone: 490, together: 1230, lanes: 8 },
        TwoBlocks<U32x4<Ssse3>>: cost { alone: 500, together: 500, lanes: 1 },
    ]
    // Not measured.
    aarch64 [Words<Sha2Words>: cost { alone: 127, together: 195, lanes: 2 }, Lanes<U32x4, 4, 3>: cost { alone: 1500, together: 1500, lanes: 4 }]
    wasm32 [Lanes<U32x4, 4, 3, TwoBlocks<U32x4>>: cost { alone: 410, together: 1270, lanes: 4 }]
    portable [Portable: cost { alone: 700, together: 700, lanes: 1 }]
}

backends! {
    static SHA512: Backends<Chosen512>;
    "sha512", self_test::passes::<Sha512Core> => self_test::passes_side_by_side::<Sha512Core>, dyn Kernel<Sha512Core>:
    // A block is a chain of 40 of SHA-512's instructions. With two messages interleaved, they beat AVX2's
    // lanes (310 cycles per message and block) if their latency is below 15 cycles. No such CPU was measured.
    x86_64 [
        Lanes<U64x8, 8, 3, TwoBlocks<U64x4Vl>>: cost { alone: 590, together: 1190, lanes: 8 },
        Words<WordQuad>: cost { alone: 500, together: 580, lanes: 2 },
        Lanes<U64x4, 4, 3, TwoBlocks<U64x4>>: cost { alone: 600, together: 1470, lanes: 4 },
    ]
    // Not measured.
    aarch64 [Words<WordQuad>: cost { alone: 500, together: 580, lanes: 2 }, Lanes<U64x2, 2, 2>: cost { alone: 1500, together: 1500, lanes: 2 }]
    wasm32 [Portable: cost { alone: 780, together: 780, lanes: 1 }]
    portable [Portable: cost { alone: 780, together: 780, lanes: 1 }]
}

impl Compression for Sha256Core {
    type Word = u32;
    type Vector = U32x1;
    type State = [u32; 8];
    type Block = [u8; 64];

    const ZERO_STATE: [u32; 8] = [0; 8];
    const ANSWER: [u32; 8] = [
        0xb0be_b222, 0x5e0d_0739, 0x173e_6684, 0x68fb_2920, 0x0464_3006, 0xbffb_54af, 0x3f89_0a48,
        0xf7f3_98a3,
    ];
    type Chosen = Chosen256;

    #[inline]
    fn backends() -> &'static Backends<Chosen256> {
        &SHA256
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn chosen() -> &'static Chosen256 {
        SHA256.usually::<Words<ShaWords>>(|kernel| kernel)
    }

    compiled_here!();
}

impl Compression for Sha512Core {
    type Word = u64;
    type Vector = U64x1;
    type State = [u64; 8];
    type Block = [u8; 128];

    const ZERO_STATE: [u64; 8] = [0; 8];
    const ANSWER: [u64; 8] = [
        0xcaa5_cb45_4d6b_d57b, 0x5bb0_11d5_b5f7_eb19, 0x0996_9842_38f7_4db1, 0x5eb4_7c8a_5ab2_fc1a,
        0x20e6_b900_990d_70ad, 0x079e_4173_035a_95af, 0x53c9_e05f_4d7b_4bfc, 0x5576_466e_6f06_8ea9,
    ];
    type Chosen = Chosen512;

    #[inline]
    fn backends() -> &'static Backends<Chosen512> {
        &SHA512
    }

    compiled_here!();
}
