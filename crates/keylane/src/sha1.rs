//! SHA-1 (FIPS 180-4 §6.1). It is broken as a hash: collisions are practical. HMAC and PBKDF2 with SHA-1 are
//! not broken, and old protocols need them.

mod lanes;
#[cfg(target_arch = "x86_64")]
pub(crate) mod two_blocks;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod words;

use crate::backend::{Backends, backends};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
use crate::hash::compression::lanes::Lanes;
#[cfg(target_arch = "x86_64")]
use crate::hash::compression::two_blocks::TwoBlocks;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::hash::compression::words::Words;
use crate::hash::compression::{Compression, Kernel, Variant, compiled_here, self_test};
use crate::hash::{Function, Hasher};
#[cfg(not(target_feature = "simd128"))]
use keylane_cpu::Portable;
use keylane_cpu::lanes::portable::U32x1;
#[cfg(target_feature = "simd128")]
use keylane_cpu::lanes::wasm32::U32x4;
#[cfg(target_arch = "x86_64")]
use keylane_cpu::lanes::x86_64::ShaWords;
pub(crate) use lanes::Sha1Core;

/// SHA-1, with digests of 20 bytes. Use it only for HMAC and PBKDF2, where a protocol requires it.
///
/// ```
/// use keylane::sha1::Sha1;
///
/// assert_eq!(Sha1::digest(b"abc")[..4], [0xa9, 0x99, 0x3e, 0x36]);
/// ```
///
/// # Security
/// Anyone can make two messages with the same SHA-1 digest. Do not sign SHA-1 digests or identify data by
/// them.
pub type Sha1 = Hasher<Sha1Function>;

/// The constants of [`Sha1`].
#[derive(Clone, Copy, Debug)]
pub struct Sha1Function;

impl Function for Sha1Function {
    type Output = [u8; 20];
    const NAME: &'static str = "sha1";
    type Core = Sha1Core;
    const VARIANT: &'static Variant<Sha1Core> = &Variant { initial: INITIAL, digest_len: 20 };
    const ID: u8 = 1;
}

/// The initial value (FIPS 180-4 §5.3.1).
const INITIAL: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

backends! {
    static BACKENDS: Backends<Chosen>;
    "sha1", self_test::passes::<Sha1Core> => self_test::passes_side_by_side::<Sha1Core>, dyn Kernel<Sha1Core>:
    x86_64 [
        Lanes<U32x16, 16, 1>: cost { alone: 520, together: 520, lanes: 16 },
        Lanes<U32x8, 8, 3, TwoBlocks<U32x8>>: cost { alone: 235, together: 560, lanes: 8 },
        // Not for one message: the next one is shorter.
        Words<ShaWords, 4> as "sha-ni-4": cost { alone: 128, together: 515, lanes: 4 }
            amd { alone: 121, together: 208, lanes: 4 },
        Words<ShaWords>: cost { alone: 127, together: 220, lanes: 2 }
            amd { alone: 120, together: 146, lanes: 2 },
        TwoBlocks<U32x4<Ssse3>>: cost { alone: 250, together: 250, lanes: 1 },
    ]
    // Those of an Emerald Rapids (decision 2).
    aarch64 [Words<Sha2Words>: cost { alone: 127, together: 220, lanes: 2 }, Lanes<U32x4, 4, 3>: cost { alone: 600, together: 600, lanes: 4 }]
    wasm32 [Lanes<U32x4, 4, 3>: cost { alone: 240, together: 760, lanes: 4 }]
    portable [Portable: cost { alone: 290, together: 290, lanes: 1 }]
}

impl Compression for Sha1Core {
    type Word = u32;
    type Vector = U32x1;
    type State = [u32; 5];
    type Block = [u8; 64];

    const ZERO_STATE: [u32; 5] = [0; 5];
    const ANSWER: [u32; 5] = [0xf362_70f1, 0x4f90_a96e, 0x4e18_90ef, 0xdc9c_4de4, 0xa4d7_dafa];
    type Chosen = Chosen;

    #[inline]
    fn backends() -> &'static Backends<Chosen> {
        &BACKENDS
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn chosen() -> &'static Chosen {
        BACKENDS.usually::<Words<ShaWords>>(|kernel| kernel)
    }

    compiled_here!();
}
