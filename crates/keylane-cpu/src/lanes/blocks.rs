//! Vectors of 16-byte blocks: AES rounds and carry-less products.

use crate::InstructionSet;
use core::ops::BitXor;

/// N blocks of sixteen bytes, the first in the first lane. As numbers, blocks are little-endian.
pub trait Blocks<const N: usize>: Copy + BitXor<Output = Self> {
    /// The token that proves that the CPU has the vector.
    type Isa: InstructionSet;
    /// The vector of one block with the same token.
    type One: Blocks<1, Isa = Self::Isa, One = Self::One>;

    /// Whether [`xor3`](Self::xor3) is one instruction.
    const XOR3: bool = false;

    /// Returns zeros.
    fn zero(isa: Self::Isa) -> Self;
    /// Loads the blocks, in order.
    fn load(isa: Self::Isa, blocks: &[[u8; 16]; N]) -> Self;
    /// Stores the blocks, in order.
    fn store(self, blocks: &mut [[u8; 16]; N]);
    /// Returns `block` in every lane.
    #[inline(always)]
    fn broadcast(isa: Self::Isa, block: &[u8; 16]) -> Self {
        Self::every(Self::One::broadcast(isa, block))
    }
    /// Returns `number` in every lane. It comes from integer registers: if it were stored in two halves and
    /// loaded as a vector, the load would wait until both have reached the cache.
    #[inline(always)]
    fn splat(isa: Self::Isa, number: u128) -> Self {
        Self::every(Self::One::splat(isa, number))
    }
    /// Returns the first lane as a number.
    #[inline(always)]
    fn number(self) -> u128 {
        self.front().number()
    }
    /// Loads `bytes`, or as many of them as fit, followed by zeros.
    fn load_front(isa: Self::Isa, bytes: &[u8]) -> Self;
    /// Stores the first bytes to `bytes`, which must not be longer than the vector.
    fn store_front(self, bytes: &mut [u8]);
    /// Returns the first `len` bytes, followed by zeros.
    fn keep_front(self, len: usize) -> Self;
    /// Returns `one` in every lane.
    fn every(one: Self::One) -> Self;
    /// Returns `one` in the first lane and zeros in the others.
    fn first(one: Self::One) -> Self;
    /// Returns the first lane.
    fn front(self) -> Self::One;
    /// Returns all lanes but the first, followed by `last`.
    #[must_use]
    fn push(self, last: Self::One) -> Self;
    /// Returns the lanes, in order.
    fn split(self) -> [Self::One; N];
    /// Returns the XOR of all lanes.
    fn sum(self) -> Self::One;
    /// Returns `self`, opaque to the optimiser. Pinned values are computed in the order of the source. See
    /// [`crate::pin`].
    #[must_use]
    fn pin(self) -> Self;
    /// Returns `self ^ b ^ c`.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self ^ b ^ c
    }
    /// Adds words of 32 bits. The sums wrap.
    fn add32(self, other: Self) -> Self;
    /// Adds words of 64 bits. The sums wrap.
    fn add64(self, other: Self) -> Self;
    /// Reverses the bytes of each block.
    fn reverse_bytes(self) -> Self;
    /// Swaps the 64-bit halves of each block.
    fn swap_halves(self) -> Self;
}

/// Blocks with the rounds of AES (FIPS 197), whose round keys the caller supplies, and with carry-less
/// products.
pub trait AesBlocks<const N: usize>: CarrylessBlocks<N> {
    /// The vector of the key schedule. Wider vectors of an architecture share one, so that a schedule is
    /// compiled once.
    type Words: AesWords;

    /// SubBytes, ShiftRows, MixColumns, AddRoundKey.
    fn encrypt_round(self, round_key: Self) -> Self;
    /// SubBytes, ShiftRows, AddRoundKey.
    fn encrypt_last_round(self, round_key: Self) -> Self;
    /// InvShiftRows, InvSubBytes, InvMixColumns, AddRoundKey, as in the equivalent inverse cipher (§5.3.5).
    fn decrypt_round(self, round_key: Self) -> Self;
    /// InvShiftRows, InvSubBytes, AddRoundKey.
    fn decrypt_last_round(self, round_key: Self) -> Self;
}

/// One block for AES's key schedule.
pub trait AesWords: AesBlocks<1> {
    /// InvMixColumns.
    fn inverse_mix_columns(self) -> Self;
    /// Shuffles the bytes: byte i of the result is the byte of `self` whose index, 0 to 15, is byte i of
    /// `order`.
    fn shuffle_bytes(self, order: Self) -> Self;
    /// Moves the bytes up by BYTES places. Zeros are shifted in at the front.
    fn shift_up<const BYTES: i32>(self) -> Self;
    /// Returns the bits of `self` where `mask` has ones, and zeros elsewhere.
    fn keep(self, mask: Self) -> Self;
}

/// Blocks with products of polynomials over GF(2): in each lane, of a 64-bit half of `self` and one of
/// `other`.
pub trait CarrylessBlocks<const N: usize>: Blocks<N> {
    /// Multiplies the low halves.
    fn multiply_low(self, other: Self) -> Self;
    /// Multiplies the high halves.
    fn multiply_high(self, other: Self) -> Self;

    /// Multiplies the low halves by x^63 + x^62 + x^57, which is the low half of `polynomial`: a step of
    /// GHASH's reduction.
    #[inline(always)]
    fn reduce_low(self, polynomial: Self) -> Self {
        self.multiply_low(polynomial)
    }
}
