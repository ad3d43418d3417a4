//! 128-bit vectors of blocks, with the instructions for AES and carry-less products.

use crate::InstructionSet;
use crate::aarch64::{Features, NeonAes, NeonAesSha3};
use crate::lanes::{AesBlocks, AesWords, Blocks, CarrylessBlocks, load_partial, mask, store_partial};
use crate::pin::{opaque, pin};
use core::arch::aarch64::*;
use core::marker::PhantomData;
use core::ops::BitXor;

/// Instruction sets with AES and carry-less products.
///
/// # Safety
/// The token's features include those of [`NeonAes`].
pub unsafe trait Aes128Bits: InstructionSet {
    /// Whether the compiler may use EOR3.
    const XOR3: bool;
}

const _: () =
    assert!(Features::of_list(NeonAesSha3::FEATURES).contains(Features::of_list(NeonAes::FEATURES)),);

// SAFETY: the features are its own.
unsafe impl Aes128Bits for NeonAes {
    const XOR3: bool = false;
}
// SAFETY: asserted above.
unsafe impl Aes128Bits for NeonAesSha3 {
    const XOR3: bool = true;
}

/// One block: the sum of the two fields.
///
/// aarch64's instructions add the round key first; the standard's rounds, like x86's instructions, add it
/// last. A round therefore leaves its key in `key`, and the next round's instruction adds it. Everywhere
/// else, the optimiser sees that `key` is zero.
#[derive(Clone, Copy, Debug)]
pub struct Blocks1<I = NeonAes> {
    state: uint8x16_t,
    key: uint8x16_t,
    isa: PhantomData<I>,
}

impl<I: Aes128Bits> Blocks1<I> {
    #[inline(always)]
    fn of(state: uint8x16_t) -> Self {
        // SAFETY: the vector was made from the token.
        Self { state, key: unsafe { vdupq_n_u8(0) }, isa: PhantomData }
    }

    #[inline(always)]
    fn block(self) -> uint8x16_t {
        // SAFETY: the vector was made from the token.
        unsafe { veorq_u8(self.state, self.key) }
    }
}

impl<I: Aes128Bits> BitXor for Blocks1<I> {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self::of(unsafe { veorq_u8(self.block(), other.block()) })
    }
}

impl<I: Aes128Bits> Blocks<1> for Blocks1<I> {
    type Isa = I;
    type One = Self;
    const XOR3: bool = I::XOR3;

    #[inline(always)]
    fn zero(_: I) -> Self {
        // SAFETY: the token is the proof.
        Self::of(unsafe { vdupq_n_u8(0) })
    }

    #[inline(always)]
    fn load(_: I, [block]: &[[u8; 16]; 1]) -> Self {
        // SAFETY: the token is the proof; the reference reaches 16 bytes.
        Self::of(unsafe { vld1q_u8(block.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, [block]: &mut [[u8; 16]; 1]) {
        // SAFETY: the vector was made from the token; the reference reaches 16 bytes.
        unsafe { vst1q_u8(block.as_mut_ptr(), self.block()) }
    }

    #[inline(always)]
    fn splat(_: I, number: u128) -> Self {
        let (low, high) = (pin(number as u64), pin((number >> 64) as u64));
        // SAFETY: the token is the proof.
        Self::of(unsafe { vcombine_u8(vcreate_u8(low), vcreate_u8(high)) })
    }

    #[inline(always)]
    fn number(self) -> u128 {
        // SAFETY: the vector was made from the token.
        unsafe {
            let halves = vreinterpretq_u64_u8(self.block());
            u128::from(vgetq_lane_u64::<0>(halves)) | u128::from(vgetq_lane_u64::<1>(halves)) << 64
        }
    }

    #[inline(always)]
    fn broadcast(isa: I, block: &[u8; 16]) -> Self {
        Self::load(isa, core::array::from_ref(block))
    }

    #[inline(always)]
    fn load_front(isa: I, bytes: &[u8]) -> Self {
        if let Some(block) = bytes.first_chunk::<16>() {
            return Self::broadcast(isa, block);
        }
        // SAFETY: the token is the proof; the array reaches 16 bytes.
        Self::of(unsafe { vreinterpretq_u8_u64(vld1q_u64(load_partial(bytes).as_ptr())) })
    }

    #[inline(always)]
    fn store_front(self, bytes: &mut [u8]) {
        if let Some(block) = bytes.first_chunk_mut::<16>() {
            return self.store(core::array::from_mut(block));
        }
        // SAFETY: the vector was made from the token.
        let halves = unsafe {
            let halves = vreinterpretq_u64_u8(self.block());
            [vgetq_lane_u64::<0>(halves), vgetq_lane_u64::<1>(halves)]
        };
        store_partial(halves, bytes);
    }

    #[inline(always)]
    fn keep_front(self, len: usize) -> Self {
        // SAFETY: the vector was made from the token; the reference reaches 16 bytes.
        Self::of(unsafe { vandq_u8(self.block(), vld1q_u8(mask::<16>(len).as_ptr())) })
    }

    #[inline(always)]
    fn push(self, last: Self) -> Self {
        last
    }

    #[inline(always)]
    fn split(self) -> [Self; 1] {
        [self]
    }

    #[inline(always)]
    fn every(one: Self) -> Self {
        one
    }

    #[inline(always)]
    fn first(one: Self) -> Self {
        one
    }

    #[inline(always)]
    fn front(self) -> Self {
        self
    }

    #[inline(always)]
    fn sum(self) -> Self {
        self
    }

    /// Does not pin `key`: adding it would then take a separate instruction.
    #[inline(always)]
    fn pin(self) -> Self {
        // SAFETY: the vector was made from the token.
        Self { state: unsafe { pin_128(self.state) }, ..self }
    }

    #[inline(always)]
    fn add32(self, other: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let [a, b] = [vreinterpretq_u32_u8(self.block()), vreinterpretq_u32_u8(other.block())];
            Self::of(vreinterpretq_u8_u32(vaddq_u32(a, b)))
        }
    }

    #[inline(always)]
    fn add64(self, other: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let [a, b] = [vreinterpretq_u64_u8(self.block()), vreinterpretq_u64_u8(other.block())];
            Self::of(vreinterpretq_u8_u64(vaddq_u64(a, b)))
        }
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        // SAFETY: the vector was made from the token.
        unsafe { Self::of(vrev64q_u8(self.block())).swap_halves() }
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        let block = self.block();
        // SAFETY: the vector was made from the token.
        Self::of(unsafe { vextq_u8::<8>(block, block) })
    }
}

impl<I: Aes128Bits> AesBlocks<1> for Blocks1<I> {
    type Words = Blocks1;

    #[inline(always)]
    fn encrypt_round(self, round_key: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self {
            state: unsafe { vaesmcq_u8(vaeseq_u8(self.state, self.key)) },
            key: round_key.block(),
            isa: PhantomData,
        }
    }

    #[inline(always)]
    fn encrypt_last_round(self, round_key: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self { state: unsafe { vaeseq_u8(self.state, self.key) }, key: round_key.block(), isa: PhantomData }
    }

    #[inline(always)]
    fn decrypt_round(self, round_key: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self {
            state: unsafe { vaesimcq_u8(vaesdq_u8(self.state, self.key)) },
            key: round_key.block(),
            isa: PhantomData,
        }
    }

    #[inline(always)]
    fn decrypt_last_round(self, round_key: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self { state: unsafe { vaesdq_u8(self.state, self.key) }, key: round_key.block(), isa: PhantomData }
    }
}

impl<I: Aes128Bits> AesWords for Blocks1<I> {
    #[inline(always)]
    fn inverse_mix_columns(self) -> Self {
        // SAFETY: the vector was made from the token.
        Self::of(unsafe { vaesimcq_u8(self.block()) })
    }

    #[inline(always)]
    fn shuffle_bytes(self, order: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self::of(unsafe { vqtbl1q_u8(self.block(), order.block()) })
    }

    #[inline(always)]
    fn shift_up<const BYTES: i32>(self) -> Self {
        let order = const { &places_before::<BYTES>() };
        // SAFETY: the vector was made from the token; the reference reaches 16 bytes.
        Self::of(unsafe { vqtbl1q_u8(self.block(), vld1q_u8(order.as_ptr())) })
    }

    #[inline(always)]
    fn keep(self, mask: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self::of(unsafe { vandq_u8(self.block(), mask.block()) })
    }
}

/// Returns for each place the index BYTES before it. Indexes before the first wrap to numbers past the last,
/// which select zero.
const fn places_before<const BYTES: i32>() -> [u8; 16] {
    assert!(BYTES >= 0 && BYTES <= 16);
    let mut order = [0; 16];
    let mut i = 0;
    while i < 16 {
        order[i] = (i as u8).wrapping_sub(BYTES as u8);
        i += 1;
    }
    order
}

impl<I: Aes128Bits> Blocks1<I> {
    #[inline(always)]
    fn halves(self) -> poly64x2_t {
        // SAFETY: the vector was made from the token.
        unsafe { vreinterpretq_p64_u8(self.block()) }
    }
}

impl<I: Aes128Bits> CarrylessBlocks<1> for Blocks1<I> {
    #[inline(always)]
    fn multiply_low(self, other: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        unsafe {
            let (a, b) = (vgetq_lane_p64::<0>(self.halves()), vgetq_lane_p64::<0>(other.halves()));
            Self::of(vreinterpretq_u8_p128(vmull_p64(a, b)))
        }
    }

    #[inline(always)]
    fn multiply_high(self, other: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self::of(unsafe { vreinterpretq_u8_p128(vmull_high_p64(self.halves(), other.halves())) })
    }
}

/// Without `pure`, so that the compiler keeps the order of pins.
#[inline]
#[target_feature(enable = "neon")]
fn pin_128(x: uint8x16_t) -> uint8x16_t {
    opaque!(vreg, x)
}
