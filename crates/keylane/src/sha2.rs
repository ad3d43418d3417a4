//! SHA-224, SHA-256, SHA-384, SHA-512 and SHA-512/256 (FIPS 180-4).

pub(crate) mod lanes;
#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
pub(crate) mod two_blocks;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod words;

use crate::backend::{Backends, backends};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
use crate::hash::compression::lanes::Lanes;
#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
use crate::hash::compression::two_blocks::TwoBlocks;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::hash::compression::words::Words;
use crate::hash::compression::{Compression, Kernel, Variant, compiled_here, self_test};
use crate::hash::{Function, Hasher};
use keylane_cpu::Portable;
use keylane_cpu::lanes::portable::{U32x1, U64x1};
#[cfg(target_feature = "simd128")]
use keylane_cpu::lanes::wasm32::U32x4;
#[cfg(target_arch = "x86_64")]
use keylane_cpu::lanes::x86_64::ShaWords;
pub(crate) use lanes::{Sha256Core, Sha512Core};

/// SHA-224 (FIPS 180-4 §6.3), with digests of 28 bytes: SHA-256 with another initial value, truncated.
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
    const VARIANT: &'static Variant<Sha256Core> = &Variant { initial: INITIAL224, digest_len: 28 };
    const ID: u8 = 2;
}

/// SHA-256 (FIPS 180-4 §6.2), with digests of 32 bytes.
///
/// # Security
/// A digest of a secret followed by a message is not a MAC: without the secret, anyone can extend the message
/// and compute the new digest. Use [`hmac`](crate::hmac). The same is true of [`Sha512`].
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
    const VARIANT: &'static Variant<Sha256Core> = &Variant { initial: INITIAL256, digest_len: 32 };
    const ID: u8 = 3;
}

/// SHA-384 (FIPS 180-4 §6.5), with digests of 48 bytes: SHA-512 with another initial value, truncated.
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
    const VARIANT: &'static Variant<Sha512Core> = &Variant { initial: INITIAL384, digest_len: 48 };
    const ID: u8 = 4;
}

/// SHA-512 (FIPS 180-4 §6.4), with digests of 64 bytes.
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
    const VARIANT: &'static Variant<Sha512Core> = &Variant { initial: INITIAL512, digest_len: 64 };
    const ID: u8 = 5;
}

/// SHA-512/256 (FIPS 180-4 §6.7), with digests of 32 bytes: SHA-512 with another initial value, truncated. It
/// prevents length extension, and is faster than SHA-256 on 64-bit CPUs without SHA instructions.
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
    const VARIANT: &'static Variant<Sha512Core> = &Variant { initial: INITIAL512_256, digest_len: 32 };
    const ID: u8 = 6;
}

backends! {
    static SHA256: Backends<Chosen256>;
    "sha256", self_test::passes::<Sha256Core> => self_test::passes_side_by_side::<Sha256Core>, dyn Kernel<Sha256Core>:
    x86_64 [
        Lanes<U32x16, 16, 1>: cost { alone: 1000, together: 1000, lanes: 16 },
        // Not for one message, nor at a tie (390 on Intel): the next one is shorter.
        Words<ShaWords, 4> as "sha-ni-4": cost { alone: 128, together: 391, lanes: 4 }
            amd { alone: 130, together: 275, lanes: 4 },
        Words<ShaWords>: cost { alone: 127, together: 195, lanes: 2 }
            amd { alone: 129, together: 143, lanes: 2 },
        Lanes<U32x8, 8, 3, TwoBlocks<U32x8>>: cost { alone: 490, together: 1230, lanes: 8 },
        TwoBlocks<U32x4<Ssse3>>: cost { alone: 500, together: 500, lanes: 1 },
    ]
    // Those of an Emerald Rapids (decision 2).
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
    // Estimates (decision 2).
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

/// Repeats `$step` for eight rounds. The working variables rotate by one place from each to the next, and are
/// back in their places after eight.
macro_rules! eight_times {
    ($step:ident from $first:literal;
     $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
        $step!($first => $a $b $c $d $e $f $g $h);
        $step!($first + 1 => $h $a $b $c $d $e $f $g);
        $step!($first + 2 => $g $h $a $b $c $d $e $f);
        $step!($first + 3 => $f $g $h $a $b $c $d $e);
        $step!($first + 4 => $e $f $g $h $a $b $c $d);
        $step!($first + 5 => $d $e $f $g $h $a $b $c);
        $step!($first + 6 => $c $d $e $f $g $h $a $b);
        $step!($first + 7 => $b $c $d $e $f $g $h $a);
    };
}
use eight_times;

/// The initial value of SHA-224 (§5.3.2).
const INITIAL224: [u32; 8] =
    [0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4];
/// The initial value of SHA-256 (§5.3.3).
const INITIAL256: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
/// The initial value of SHA-384 (§5.3.4).
const INITIAL384: [u64; 8] = [
    0xcbbb_9d5d_c105_9ed8, 0x629a_292a_367c_d507, 0x9159_015a_3070_dd17, 0x152f_ecd8_f70e_5939,
    0x6733_2667_ffc0_0b31, 0x8eb4_4a87_6858_1511, 0xdb0c_2e0d_64f9_8fa7, 0x47b5_481d_befa_4fa4,
];
/// The initial value of SHA-512 (§5.3.5).
const INITIAL512: [u64; 8] = [
    0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
];
/// The initial value of SHA-512/256 (§5.3.6.2).
const INITIAL512_256: [u64; 8] = [
    0x2231_2194_fc2b_f72c, 0x9f55_5fa3_c84c_64c2, 0x2393_b86b_6f53_b151, 0x9638_7719_5940_eabd,
    0x9628_3ee2_a88e_ffe3, 0xbe5e_1e25_5386_3992, 0x2b01_99fc_2c85_b8aa, 0x0eb7_2ddc_81c5_2ca2,
];

/// The round constants of SHA-224 and SHA-256 (§4.2.2).
static K32: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

/// The round constants of SHA-384, SHA-512 and SHA-512/256 (§4.2.3).
static K64: [u64; 80] = [
    0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc,
    0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019, 0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118,
    0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe, 0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2,
    0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694,
    0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3, 0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65,
    0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5,
    0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4,
    0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725, 0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70,
    0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df,
    0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b,
    0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001, 0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30,
    0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8,
    0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53, 0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8,
    0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb, 0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3,
    0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec,
    0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b,
    0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207, 0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178,
    0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6, 0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b,
    0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c,
    0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a, 0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817,
];
