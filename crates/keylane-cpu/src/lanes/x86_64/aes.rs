//! 128-, 256- and 512-bit vectors of blocks, with the instructions for AES and carry-less products.

mod pins;

use super::{REVERSE, binary};
use crate::InstructionSet;
use crate::lanes::{AesBlocks, AesWords, Blocks, CarrylessBlocks, load_partial, mask, store_partial};
use crate::pin::pin;
use crate::x86_64::{AesNi, Features, VaesAvx2, VaesAvx512};
use core::arch::x86_64::*;
use core::marker::PhantomData;
use core::ops::BitXor;
use pins::{pin_128, pin_256, pin_512};

/// Instruction sets with AES and carry-less multiplication on 128 bits.
///
/// # Safety
/// The token's features include those of [`AesNi`].
pub unsafe trait Aes128Bits: InstructionSet {}

const _: () = {
    const AES_NI: Features = Features::of_list(AesNi::FEATURES);
    assert!(Features::of_list(VaesAvx2::FEATURES).contains(AES_NI));
    assert!(Features::of_list(VaesAvx512::FEATURES).contains(AES_NI));
};

// SAFETY: the features are its own.
unsafe impl Aes128Bits for AesNi {}
// SAFETY: asserted above.
unsafe impl Aes128Bits for VaesAvx2 {}
// SAFETY: asserted above.
unsafe impl Aes128Bits for VaesAvx512 {}

/// One block.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Blocks1<I>(__m128i, PhantomData<I>);

/// Two blocks.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Blocks2(__m256i);

/// Four blocks.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Blocks4(__m512i);

impl<I> Blocks1<I> {
    #[inline(always)]
    const fn of(x: __m128i) -> Self {
        Self(x, PhantomData)
    }
}

impl Blocks2 {
    #[inline(always)]
    const fn of(x: __m256i) -> Self {
        Self(x)
    }
}

impl Blocks4 {
    #[inline(always)]
    const fn of(x: __m512i) -> Self {
        Self(x)
    }
}

/// The methods that the three widths share, from their intrinsics.
macro_rules! blocks {
    (
        [$($I:ident)?] $Vector:ty, $n:literal, $Isa:ty:
        load $load:ident, store $store:ident, zero $zero:ident, xor $xor:ident, pin $pin:ident,
        add $add32:ident $add64:ident, shuffle $shuffle:ident $shuffle32:ident,
        encrypt $encrypt:ident $encrypt_last:ident, decrypt $decrypt:ident $decrypt_last:ident,
        multiply $multiply:ident, $($rest:item)+
    ) => {
        impl$(<$I: Aes128Bits>)? BitXor for $Vector {
            type Output = Self;

            binary!(bitxor $xor);
        }

        impl$(<$I: Aes128Bits>)? Blocks<$n> for $Vector {
            type Isa = $Isa;
            type One = Blocks1<$Isa>;

            #[inline(always)]
            fn zero(_: $Isa) -> Self {
                // SAFETY: the token is the proof.
                Self::of(unsafe { $zero() })
            }

            #[inline(always)]
            fn load(_: $Isa, blocks: &[[u8; 16]; $n]) -> Self {
                // SAFETY: the token is the proof; the reference reaches as many bytes, and the load has no
                // alignment rule.
                Self::of(unsafe { $load(blocks.as_ptr().cast()) })
            }

            #[inline(always)]
            fn store(self, blocks: &mut [[u8; 16]; $n]) {
                // SAFETY: the vector was made from the token; the reference reaches as many bytes, and the
                // store has no alignment rule.
                unsafe { $store(blocks.as_mut_ptr().cast(), self.0) }
            }

            #[inline(always)]
            fn pin(self) -> Self {
                // SAFETY: the vector was made from the token.
                Self::of(unsafe { $pin(self.0) })
            }

            binary!(add32 $add32, add64 $add64);

            #[inline(always)]
            fn reverse_bytes(self) -> Self {
                // SAFETY: the vector was made from the token.
                unsafe {
                    let order = <Self as FromOne<_>>::from_one(_mm_set_epi64x(REVERSE.0, REVERSE.1));
                    Self::of($shuffle(self.0, order))
                }
            }

            #[inline(always)]
            fn swap_halves(self) -> Self {
                // SAFETY: the vector was made from the token.
                Self::of(unsafe { $shuffle32::<0x4e>(self.0) })
            }

            $($rest)+
        }

        impl$(<$I: Aes128Bits>)? AesBlocks<$n> for $Vector {
            type Words = Blocks1<AesNi>;

            binary!(
                encrypt_round $encrypt, encrypt_last_round $encrypt_last,
                decrypt_round $decrypt, decrypt_last_round $decrypt_last
            );
        }

        impl$(<$I: Aes128Bits>)? CarrylessBlocks<$n> for $Vector {
            #[inline(always)]
            fn multiply_low(self, other: Self) -> Self {
                // SAFETY: the vectors were made from the token.
                Self::of(unsafe { $multiply::<0x00>(self.0, other.0) })
            }

            #[inline(always)]
            fn multiply_high(self, other: Self) -> Self {
                // SAFETY: the vectors were made from the token.
                Self::of(unsafe { $multiply::<0x11>(self.0, other.0) })
            }
        }
    };
}

/// Broadcasts a block to every lane.
trait FromOne<T> {
    /// # Safety
    /// The CPU has the vector's instruction set.
    unsafe fn from_one(one: __m128i) -> T;
}

impl<I> FromOne<__m128i> for Blocks1<I> {
    #[inline(always)]
    unsafe fn from_one(one: __m128i) -> __m128i {
        one
    }
}

impl FromOne<__m256i> for Blocks2 {
    #[inline(always)]
    unsafe fn from_one(one: __m128i) -> __m256i {
        // SAFETY: the caller promises the instruction set.
        unsafe { _mm256_broadcastsi128_si256(one) }
    }
}

impl FromOne<__m512i> for Blocks4 {
    #[inline(always)]
    unsafe fn from_one(one: __m128i) -> __m512i {
        // SAFETY: the caller promises the instruction set.
        unsafe { _mm512_broadcast_i32x4(one) }
    }
}

blocks! {
    [I] Blocks1<I>, 1, I:
    load _mm_loadu_si128, store _mm_storeu_si128, zero _mm_setzero_si128, xor _mm_xor_si128, pin pin_128,
    add _mm_add_epi32 _mm_add_epi64, shuffle _mm_shuffle_epi8 _mm_shuffle_epi32,
    encrypt _mm_aesenc_si128 _mm_aesenclast_si128, decrypt _mm_aesdec_si128 _mm_aesdeclast_si128,
    multiply _mm_clmulepi64_si128,

    #[inline(always)]
    fn splat(_: I, number: u128) -> Self {
        let (low, high) = (pin(number as u64), pin((number >> 64) as u64));
        // SAFETY: every x86-64 CPU has SSE2.
        Self::of(unsafe { _mm_set_epi64x(high as i64, low as i64) })
    }

    #[inline(always)]
    fn number(self) -> u128 {
        // SAFETY: every x86-64 CPU has SSE2.
        let (low, high) =
            unsafe { (_mm_cvtsi128_si64(self.0), _mm_cvtsi128_si64(_mm_unpackhi_epi64(self.0, self.0))) };
        u128::from(low as u64) | u128::from(high as u64) << 64
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
        let [low, high] = load_partial(bytes);
        // SAFETY: every x86-64 CPU has SSE2.
        Self::of(unsafe { _mm_set_epi64x(high as i64, low as i64) })
    }

    #[inline(always)]
    fn store_front(self, bytes: &mut [u8]) {
        if let Some(block) = bytes.first_chunk_mut::<16>() {
            return self.store(core::array::from_mut(block));
        }
        // SAFETY: every x86-64 CPU has SSE2.
        let (low, high) =
            unsafe { (_mm_cvtsi128_si64(self.0), _mm_cvtsi128_si64(_mm_unpackhi_epi64(self.0, self.0))) };
        store_partial([low as u64, high as u64], bytes);
    }

    #[inline(always)]
    fn keep_front(self, len: usize) -> Self {
        // SAFETY: every x86-64 CPU has SSE2; the reference reaches 16 bytes.
        Self::of(unsafe { _mm_and_si128(self.0, _mm_loadu_si128(mask::<16>(len).as_ptr().cast())) })
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
}

impl<I: Aes128Bits> AesWords for Blocks1<I> {
    #[inline(always)]
    fn inverse_mix_columns(self) -> Self {
        // SAFETY: the vector was made from the token.
        Self::of(unsafe { _mm_aesimc_si128(self.0) })
    }

    binary!(shuffle_bytes _mm_shuffle_epi8, keep _mm_and_si128);

    #[inline(always)]
    fn shift_up<const BYTES: i32>(self) -> Self {
        // SAFETY: every x86-64 CPU has SSE2.
        Self::of(unsafe { _mm_slli_si128::<BYTES>(self.0) })
    }
}

blocks! {
    [] Blocks2, 2, VaesAvx2:
    load _mm256_loadu_si256, store _mm256_storeu_si256, zero _mm256_setzero_si256, xor _mm256_xor_si256,
    pin pin_256,
    add _mm256_add_epi32 _mm256_add_epi64, shuffle _mm256_shuffle_epi8 _mm256_shuffle_epi32,
    encrypt _mm256_aesenc_epi128 _mm256_aesenclast_epi128,
    decrypt _mm256_aesdec_epi128 _mm256_aesdeclast_epi128,
    multiply _mm256_clmulepi64_epi128,

    #[inline(always)]
    fn load_front(isa: VaesAvx2, bytes: &[u8]) -> Self {
        if let Some(blocks) = bytes.as_chunks().0.first_chunk() {
            return Self::load(isa, blocks);
        }
        // Either the first block or the second is partial.
        let Some((low, high)) = bytes.split_first_chunk() else {
            return Self::first(Blocks1::load_front(isa, bytes));
        };
        let (low, high) = (Blocks1::broadcast(isa, low), Blocks1::load_front(isa, high));
        // SAFETY: the token is the proof.
        Self(unsafe { _mm256_set_m128i(high.0, low.0) })
    }

    #[inline(always)]
    fn store_front(self, bytes: &mut [u8]) {
        if let Some(blocks) = bytes.as_chunks_mut().0.first_chunk_mut() {
            return self.store(blocks);
        }
        let Some((low, high)) = bytes.split_first_chunk_mut() else { return self.front().store_front(bytes) };
        self.front().store(core::array::from_mut(low));
        // SAFETY: the vector was made from the token.
        Blocks1::<VaesAvx2>::of(unsafe { _mm256_extracti128_si256::<1>(self.0) }).store_front(high);
    }

    #[inline(always)]
    fn keep_front(self, len: usize) -> Self {
        // SAFETY: the vector was made from the token; the reference reaches 32 bytes.
        Self(unsafe { _mm256_and_si256(self.0, _mm256_loadu_si256(mask::<32>(len).as_ptr().cast())) })
    }

    #[inline(always)]
    fn push(self, last: Blocks1<VaesAvx2>) -> Self {
        // SAFETY: the vectors were made from the token.
        Self(unsafe { _mm256_permute2x128_si256::<0x21>(self.0, _mm256_castsi128_si256(last.0)) })
    }

    #[inline(always)]
    fn split(self) -> [Blocks1<VaesAvx2>; 2] {
        // SAFETY: the vector was made from the token.
        [self.front(), Blocks1::of(unsafe { _mm256_extracti128_si256::<1>(self.0) })]
    }

    #[inline(always)]
    fn every(one: Blocks1<VaesAvx2>) -> Self {
        // SAFETY: the vector was made from the token.
        Self(unsafe { Self::from_one(one.0) })
    }

    #[inline(always)]
    fn first(one: Blocks1<VaesAvx2>) -> Self {
        // SAFETY: the vector was made from the token.
        Self(unsafe { _mm256_zextsi128_si256(one.0) })
    }

    #[inline(always)]
    fn front(self) -> Blocks1<VaesAvx2> {
        // SAFETY: the vector was made from the token.
        Blocks1::of(unsafe { _mm256_castsi256_si128(self.0) })
    }

    #[inline(always)]
    fn sum(self) -> Blocks1<VaesAvx2> {
        // SAFETY: the vector was made from the token.
        unsafe {
            let (low, high) = (_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0));
            Blocks1::of(_mm_xor_si128(low, high))
        }
    }
}

/// Returns a mask of the first `len` bytes of a 512-bit vector.
#[inline(always)]
fn mask_512(len: usize) -> __mmask64 {
    u64::MAX >> (64 - len.clamp(1, 64)) & u64::from(len == 0).wrapping_sub(1)
}

blocks! {
    [] Blocks4, 4, VaesAvx512:
    load _mm512_loadu_si512, store _mm512_storeu_si512, zero _mm512_setzero_si512, xor _mm512_xor_si512,
    pin pin_512,
    add _mm512_add_epi32 _mm512_add_epi64, shuffle _mm512_shuffle_epi8 _mm512_shuffle_epi32,
    encrypt _mm512_aesenc_epi128 _mm512_aesenclast_epi128,
    decrypt _mm512_aesdec_epi128 _mm512_aesdeclast_epi128,
    multiply _mm512_clmulepi64_epi128,

    #[inline(always)]
    fn load_front(isa: VaesAvx512, bytes: &[u8]) -> Self {
        // CPUs do not forward a masked store to a load, or a store to a masked load. So whole vectors and
        // single blocks are stored without a mask.
        if let Some(blocks) = bytes.as_chunks().0.first_chunk() {
            return Self::load(isa, blocks);
        }
        if let Ok(block) = bytes.try_into() {
            return Self::first(Blocks1::broadcast(isa, block));
        }
        // SAFETY: the token is the proof; a masked load touches no byte that its mask leaves out.
        Self(unsafe { _mm512_maskz_loadu_epi8(mask_512(bytes.len()), bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store_front(self, bytes: &mut [u8]) {
        if let Some(blocks) = bytes.as_chunks_mut().0.first_chunk_mut() {
            return self.store(blocks);
        }
        if let Ok(block) = <&mut [u8; 16]>::try_from(&mut *bytes) {
            return self.front().store(core::array::from_mut(block));
        }
        // SAFETY: the vector was made from the token; a masked store touches no byte that its mask leaves
        // out.
        unsafe { _mm512_mask_storeu_epi8(bytes.as_mut_ptr().cast(), mask_512(bytes.len()), self.0) }
    }

    #[inline(always)]
    fn keep_front(self, len: usize) -> Self {
        // SAFETY: the vector was made from the token.
        Self(unsafe { _mm512_maskz_mov_epi8(mask_512(len), self.0) })
    }

    #[inline(always)]
    fn push(self, last: Blocks1<VaesAvx512>) -> Self {
        // SAFETY: the vectors were made from the token.
        Self(unsafe { _mm512_alignr_epi64::<2>(_mm512_castsi128_si512(last.0), self.0) })
    }

    #[inline(always)]
    fn split(self) -> [Blocks1<VaesAvx512>; 4] {
        // SAFETY: the vector was made from the token.
        unsafe {
            [
                self.front(),
                Blocks1::of(_mm512_extracti32x4_epi32::<1>(self.0)),
                Blocks1::of(_mm512_extracti32x4_epi32::<2>(self.0)),
                Blocks1::of(_mm512_extracti32x4_epi32::<3>(self.0)),
            ]
        }
    }

    #[inline(always)]
    fn every(one: Blocks1<VaesAvx512>) -> Self {
        // SAFETY: the vector was made from the token.
        Self(unsafe { Self::from_one(one.0) })
    }

    #[inline(always)]
    fn first(one: Blocks1<VaesAvx512>) -> Self {
        // SAFETY: the vector was made from the token.
        Self(unsafe { _mm512_zextsi128_si512(one.0) })
    }

    #[inline(always)]
    fn front(self) -> Blocks1<VaesAvx512> {
        // SAFETY: the vector was made from the token.
        Blocks1::of(unsafe { _mm512_castsi512_si128(self.0) })
    }

    #[inline(always)]
    fn sum(self) -> Blocks1<VaesAvx512> {
        // SAFETY: the vector was made from the token.
        unsafe {
            let (low, high) = (_mm512_castsi512_si256(self.0), _mm512_extracti64x4_epi64::<1>(self.0));
            let halves = _mm256_xor_si256(low, high);
            Blocks1::of(_mm_xor_si128(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves)))
        }
    }

    const XOR3: bool = true;

    // MemorySanitizer does not know this instruction, as in the 512-bit vectors of words.
    #[cfg(not(keylane_no_asm))]
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        // SAFETY: the vectors were made from the token.
        Self(unsafe { _mm512_ternarylogic_epi64::<0x96>(self.0, b.0, c.0) })
    }
}
