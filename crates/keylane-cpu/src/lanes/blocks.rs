//! Vectors of 16-byte blocks: AES rounds and carry-less products.

use crate::InstructionSet;
use core::ops::BitXor;

/// N blocks of sixteen bytes, the first in the first lane. As a number, a block's first byte is its lowest.
pub trait Blocks<const N: usize>: Copy + BitXor<Output = Self> {
    /// What proves that the CPU has the vector.
    type Isa: InstructionSet;
    /// One block with the same instructions.
    type One: Blocks<1, Isa = Self::Isa, One = Self::One>;

    /// Zeros.
    fn zero(isa: Self::Isa) -> Self;
    /// The blocks, one after the other.
    fn load(isa: Self::Isa, blocks: &[[u8; 16]; N]) -> Self;
    /// The blocks, one after the other.
    fn store(self, blocks: &mut [[u8; 16]; N]);
    /// `block` in every lane.
    fn broadcast(isa: Self::Isa, block: &[u8; 16]) -> Self;
    /// `number` in every lane, from the CPU's integer registers: a number that was stored in two halves and
    /// is loaded as a vector waits for both to reach the cache, and so does everything after it.
    fn splat(isa: Self::Isa, number: u128) -> Self;
    /// The first lane, as a number.
    fn number(self) -> u128;
    /// The first bytes from `bytes`, at most as many as fit, and zeros after them.
    fn load_front(isa: Self::Isa, bytes: &[u8]) -> Self;
    /// Fills `bytes`, which must not be longer than the vector, with the first bytes.
    fn store_front(self, bytes: &mut [u8]);
    /// The first `len` bytes, and zeros after them.
    fn keep_front(self, len: usize) -> Self;
    /// `one` in every lane.
    fn every(one: Self::One) -> Self;
    /// `one` in the first lane, zeros in the others.
    fn first(one: Self::One) -> Self;
    /// The first lane.
    fn front(self) -> Self::One;
    /// The XOR of all lanes.
    fn sum(self) -> Self::One;
    /// The identity, opaque to the optimiser; pinned values are computed in the order of the source. See
    /// [`crate::pin`].
    #[must_use]
    fn pin(self) -> Self;
    /// `self ^ b ^ c`.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self ^ b ^ c
    }
    /// Adds in each word of 32 bits; the sums wrap.
    fn add32(self, other: Self) -> Self;
    /// Adds in each word of 64 bits; the sums wrap.
    fn add64(self, other: Self) -> Self;
    /// Turns the bytes of each block round.
    fn reverse_bytes(self) -> Self;
    /// Swaps the 64-bit halves of each block.
    fn swap_halves(self) -> Self;
}

/// Blocks with the rounds of AES (FIPS 197): what the round keys come from is the caller's.
pub trait AesBlocks<const N: usize>: Blocks<N> {
    /// SubBytes, ShiftRows, MixColumns, AddRoundKey.
    fn encrypt_round(self, round_key: Self) -> Self;
    /// SubBytes, ShiftRows, AddRoundKey.
    fn encrypt_last_round(self, round_key: Self) -> Self;
    /// InvShiftRows, InvSubBytes, InvMixColumns, AddRoundKey: of the equivalent inverse cipher (§5.3.5).
    fn decrypt_round(self, round_key: Self) -> Self;
    /// InvShiftRows, InvSubBytes, AddRoundKey.
    fn decrypt_last_round(self, round_key: Self) -> Self;
}

/// One block for AES's key schedule.
pub trait AesWords: AesBlocks<1> {
    /// InvMixColumns.
    fn inverse_mix_columns(self) -> Self;
    /// Byte i of the result is the byte of `self` that byte i of `order` names, 0 to 15.
    fn shuffle_bytes(self, order: Self) -> Self;
    /// Moves the bytes up by BYTES places; zeros come in at the front.
    fn shift_up<const BYTES: i32>(self) -> Self;
}

/// Blocks with products of polynomials over GF(2): a 64-bit half of `self` by one of `other`, in each lane.
pub trait CarrylessBlocks<const N: usize>: Blocks<N> {
    /// Low half by low half.
    fn multiply_low(self, other: Self) -> Self;
    /// High half by high half.
    fn multiply_high(self, other: Self) -> Self;
}
