//! Vectors, and the traits over which algorithms are written, with the operations that the kernels need. A
//! vector is made from the token that proves that the CPU has it. [`portable`] has the model: plain arrays,
//! against which the other vectors are tested.
//!
//! There are three kinds:
//!
//! - A *lane* vector ([`U32Lanes`], [`U64Lanes`]) holds the same word of N messages, or of N blocks of one
//!   message. [`RowLanes`] adds the operations of ChaCha20, [`ProductLanes`] and [`Product52Lanes`] those of
//!   Poly1305.
//! - A *word* vector ([`Sha1Words`], [`Sha256Words`], [`Sha512Words`]) holds consecutive words of one
//!   message, and has the CPU's instructions for that hash. [`BlockWords`] needs no such instructions, and
//!   may hold words of two blocks.
//! - A *block* vector ([`AesBlocks`], [`CarrylessBlocks`]) holds N blocks of one message.
//!
//! An algorithm is written once, over a trait. The vector's type determines the instructions:
//!
//! ```
//! use keylane_cpu::lanes::{U32Lanes, portable::U32s};
//! use keylane_cpu::{InstructionSet, Portable};
//!
//! /// SHA-256's σ0, for N messages at a time.
//! #[inline(always)]
//! fn sigma<V: U32Lanes<N>, const N: usize>(isa: V::Isa, words: &mut [u32; N]) {
//!     isa.run(
//!         #[inline(always)]
//!         |isa| {
//!             let w = V::load(isa, words);
//!             (w.rotate_right::<7>() ^ w.rotate_right::<18>() ^ w.shift_right::<3>()).store(words);
//!         },
//!     );
//! }
//!
//! let mut words = [0x6162_6380, 1, 2, 3, 4, 5, 6, 7];
//! let mut model = words;
//! sigma::<U32s<8>, 8>(Portable, &mut model);
//! # #[cfg(target_arch = "x86_64")]
//! match keylane_cpu::x86_64::Avx2::detect() {
//!     Some(&avx2) => sigma::<keylane_cpu::lanes::x86_64::U32x8, 8>(avx2, &mut words),
//!     None => sigma::<U32s<8>, 8>(Portable, &mut words),
//! }
//! # #[cfg(not(target_arch = "x86_64"))]
//! # sigma::<U32s<8>, 8>(Portable, &mut words);
//! assert_eq!(words, model);
//! ```

use crate::{IS_SMALL, InstructionSet};
use core::ops::{Add, BitAnd, BitOr, BitXor};

mod blocks;
pub mod portable;

pub use blocks::{AesBlocks, AesWords, Blocks, CarrylessBlocks};

#[cfg(target_arch = "aarch64")]
pub mod aarch64;
#[cfg(target_feature = "simd128")]
pub mod wasm32;
#[cfg(target_arch = "x86_64")]
pub mod x86_64;

/// The operations of all vectors of integers. Addition wraps.
pub trait Lanes:
    Copy + Add<Output = Self> + BitXor<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self>
{
    /// The token that proves that the CPU has the vector.
    type Isa: InstructionSet;

    /// Returns `self`, opaque to the optimiser, which does not reassociate pinned sums. See [`crate::pin`].
    #[inline(always)]
    #[must_use]
    fn pin(self) -> Self {
        self
    }

    /// Returns `self ^ b ^ c`.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self ^ b ^ c
    }

    /// Returns the bits of `yes` where `self` has ones, and those of `no` where it has zeros.
    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        ((yes ^ no) & self) ^ no
    }

    /// Returns for each bit the value that at least two of the three have.
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        // In this form `a ^ b` is the next round's `b ^ c`, which the optimiser reuses.
        ((self ^ b) & (b ^ c)) ^ b
    }
}

/// N lanes of 32 bits.
pub trait U32Lanes<const N: usize>: Lanes {
    /// Returns `x` in every lane.
    fn splat(isa: Self::Isa, x: u32) -> Self;
    /// Loads the lanes, in order.
    fn load(isa: Self::Isa, lanes: &[u32; N]) -> Self;
    /// Stores the lanes, in order.
    fn store(self, lanes: &mut [u32; N]);
    /// Rotates every lane to the right by R bits, 0 < R < 32.
    fn rotate_right<const R: u32>(self) -> Self;
    /// Shifts every lane to the right by R bits, 0 < R < 32. Zeros are shifted in.
    fn shift_right<const R: u32>(self) -> Self;
    /// Transposes: row i becomes lane i, so vector j of the result holds word j of every row.
    fn from_rows(isa: Self::Isa, rows: &[[u32; 8]; N]) -> [Self; 8];
    /// Transposes like [`from_rows`](Self::from_rows), from words in big-endian bytes.
    fn from_rows_be(isa: Self::Isa, rows: [&[u8; 32]; N]) -> [Self; 8];
    /// Inverts [`from_rows`](Self::from_rows).
    fn to_rows(words: [Self; 8], rows: &mut [[u32; 8]; N]);
}

/// N lanes of 64 bits.
pub trait U64Lanes<const N: usize>: Lanes {
    /// Returns `x` in every lane.
    fn splat(isa: Self::Isa, x: u64) -> Self;
    /// Loads the lanes, in order.
    fn load(isa: Self::Isa, lanes: &[u64; N]) -> Self;
    /// Stores the lanes, in order.
    fn store(self, lanes: &mut [u64; N]);
    /// Rotates every lane to the right by R bits, 0 < R < 64.
    fn rotate_right<const R: u32>(self) -> Self;
    /// Shifts every lane to the right by R bits, 0 < R < 64. Zeros are shifted in.
    fn shift_right<const R: u32>(self) -> Self;
    /// Transposes: row i becomes lane i, so vector j of the result holds word j of every row.
    fn from_rows(isa: Self::Isa, rows: &[[u64; 4]; N]) -> [Self; 4];
    /// Transposes like [`from_rows`](Self::from_rows), from words in big-endian bytes.
    fn from_rows_be(isa: Self::Isa, rows: [&[u8; 32]; N]) -> [Self; 4];
    /// Inverts [`from_rows`](Self::from_rows).
    fn to_rows(words: [Self; 4], rows: &mut [[u64; 4]; N]);
}

/// N lanes of 32 bits for ChaCha20, as B = N / 4 rows of four words; N is 4, 8 or 16. ChaCha20's state has
/// four such rows.
pub trait RowLanes<const N: usize, const B: usize>: U32Lanes<N> {
    /// Returns `row` in every row.
    fn every(isa: Self::Isa, row: [u32; 4]) -> Self;
    /// Loads the words from little-endian bytes.
    fn load_bytes(isa: Self::Isa, bytes: &[[u8; 16]; B]) -> Self;
    /// Inverts [`load_bytes`](Self::load_bytes).
    fn store_bytes(self, bytes: &mut [[u8; 16]; B]);
    /// Rotates every lane to the right by R bits, whole bytes, with no register but the lane's.
    #[inline(always)]
    #[must_use]
    fn rotate_bytes<const R: u32>(self) -> Self {
        self.rotate_right::<R>()
    }
    /// Rotates the words of each row: word i of the result is word (i + K) mod 4 of `self`, 0 < K < 4.
    fn turn<const K: i32>(self) -> Self;
    /// Transposes: lane j of vector i becomes lane i of vector j.
    fn transpose(square: [Self; N]) -> [Self; N];
    /// Transposes from N states, where vector i has word i of each, to one state after the other: the
    /// result's first four words are words 0 to 3 of the first state.
    #[inline(always)]
    #[must_use]
    fn states_from_words(words: [Self; 16]) -> [Self; 16] {
        const { assert!(N == 4 * B && 16 % N == 0) }
        let mut states = words;
        for (part, square) in words.as_chunks().0.iter().enumerate() {
            let columns = Self::transpose(*square);
            for state in 0..N {
                states[16 / N * state + part] = columns[state];
            }
        }
        states
    }
    /// Transposes from B states, where vector i has row i of each, to one state after the other.
    fn states_from_rows(rows: [Self; 4]) -> [Self; 4];
}

/// N lanes of 64 bits with products, for Poly1305.
pub trait ProductLanes<const N: usize>: U64Lanes<N> {
    /// Shifts every lane to the left by L bits, 0 < L < 64. Zeros are shifted in.
    fn shift_left<const L: u32>(self) -> Self;
    /// Returns in each lane the product of the lower 32 bits of both.
    fn multiply_32(self, other: Self) -> Self;
    /// Pins a factor of [`multiply_32`](Self::multiply_32). If the optimiser can prove that the upper halves
    /// are zeros, it would otherwise choose slower 64-bit products.
    #[inline(always)]
    #[must_use]
    fn pin_factor(self) -> Self {
        self.pin()
    }
    /// Returns the lower and the upper words of N little-endian blocks, one block per lane. Each vector type
    /// has its own order of blocks, the same in every call.
    fn from_blocks(isa: Self::Isa, blocks: &[[u8; 16]; N]) -> (Self, Self);
    /// Puts word i into the lane that [`from_blocks`](Self::from_blocks) uses for block i. The words come
    /// from integer registers: if they were stored one by one and loaded as a vector, the load would wait
    /// until all of them have reached the cache.
    fn from_words(isa: Self::Isa, words: [u64; N]) -> Self;
    /// Returns the sum of all lanes, which wraps.
    fn sum(self) -> u64;
}

/// N lanes of 64 bits with products of 52 bits (AVX-512 IFMA).
pub trait Product52Lanes<const N: usize>: ProductLanes<N> {
    /// The token that proves that the CPU has these products.
    type Ifma: InstructionSet;
    /// Returns the token of the vector, which every CPU with these products has.
    fn lanes(isa: Self::Ifma) -> Self::Isa;
    /// Returns the lower and the upper words of little-endian blocks, those of block i in lane i.
    fn gather(isa: Self::Isa, blocks: [&[u8; 16]; N]) -> (Self, Self);
    /// Returns `self` + the lower 52 bits of a * b, where only the lower 52 bits of a and b are used.
    fn add_low_product(self, isa: Self::Ifma, a: Self, b: Self) -> Self;
    /// Returns `self` + the upper 52 bits of a * b, where only the lower 52 bits of a and b are used.
    fn add_high_product(self, isa: Self::Ifma, a: Self, b: Self) -> Self;
}

/// Consecutive words of one block or of two, for a hash's schedule: 16 bytes of each block. `W` is the hash's
/// word.
pub trait BlockWords<W>: Lanes {
    /// The number of blocks: 1 or 2. A vector of one block ignores the second.
    const BLOCKS: usize;
    /// Loads the words of both blocks from big-endian bytes.
    fn load_be(isa: Self::Isa, first: &[u8; 16], second: &[u8; 16]) -> Self;
    /// Returns the words, which have 16 bytes, once for each block.
    fn repeat(isa: Self::Isa, words: &[W]) -> Self;
    /// Loads the words of the first block, then those of the second.
    fn load(isa: Self::Isa, words: &[W]) -> Self;
    /// Inverts [`load`](Self::load).
    fn store(self, words: &mut [W]);
    /// Returns the bytes of each block from byte N on, followed by the first N bytes of that block in `next`.
    fn straddle<const N: i32>(self, next: Self) -> Self;
    /// Rotates every word to the right by R bits, R > 0.
    fn rotate_right<const R: u32>(self) -> Self;
    /// Shifts every word to the right by R bits, R > 0. Zeros are shifted in.
    fn shift_right<const R: u32>(self) -> Self;
}

/// [`BlockWords`] of SHA-256, whose schedule is as short as a vector: words 2 and 3 depend on words 0 and 1.
pub trait Sha256Schedule: BlockWords<u32> {
    /// Returns σ1 (FIPS 180-4 §4.1.2) of words 2 and 3 of each block, as words 0 and 1, followed by zeros.
    fn sigma1_of_upper(self) -> Self;
    /// Returns σ1 of words 0 and 1 of each block, as words 2 and 3, after zeros.
    fn sigma1_of_lower(self) -> Self;
}

/// Shuffles that move a vector's last bytes to its front: the sixteen bytes from byte n on are the shuffle
/// that drops the first n. An index with the top bit set selects zero.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
static TO_FRONT: [u8; 32] = {
    let mut order = [0x80; 32];
    let mut i = 0;
    while i < 16 {
        order[i] = i as u8;
        i += 1;
    }
    order
};

/// The one bit after a message: the sixteen bytes from byte 16 - n on have it in byte n.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
static ONE_BIT: [u8; 32] = {
    let mut bytes = [0; 32];
    bytes[16] = 0x80;
    bytes
};

/// Returns the sixteen bytes of `table` from `at` on. `at` is at most 16.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
fn window(table: &[u8; 32], at: usize) -> &[u8; 16] {
    table[at..].first_chunk().expect("at most 16")
}

/// Loads fewer than sixteen bytes as little-endian words, followed by zeros. Reads two pieces of equal
/// length, which may overlap.
#[inline(always)]
#[must_use]
pub fn load_partial(bytes: &[u8]) -> [u64; 2] {
    if const { IS_SMALL } {
        return load_copied(bytes);
    }
    let len = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let last = u64::from_le_bytes(*last).checked_shr(8 * (16 - len) as u32);
        [u64::from_le_bytes(*first), last.unwrap_or(0)]
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let last = u64::from(u32::from_le_bytes(*last)) << (8 * (len - 4));
        [u64::from(u32::from_le_bytes(*first)) | last, 0]
    } else if let (Some(first), Some(last)) = (bytes.first(), bytes.last()) {
        let middle = u64::from(bytes[len / 2]) << (8 * (len / 2));
        [u64::from(*first) | middle | u64::from(*last) << (8 * (len - 1)), 0]
    } else {
        [0; 2]
    }
}

/// Does [`load_partial`] with little code.
#[inline(never)]
fn load_copied(bytes: &[u8]) -> [u64; 2] {
    let mut words = [[0; 8]; 2];
    words.as_flattened_mut()[..bytes.len()].copy_from_slice(bytes);
    words.map(u64::from_le_bytes)
}

/// Stores the first bytes, fewer than sixteen, of two little-endian words: the inverse of [`load_partial`].
#[inline(always)]
pub(crate) fn store_partial([low, high]: [u64; 2], bytes: &mut [u8]) {
    let len = bytes.len();
    if let Some(first) = bytes.first_chunk_mut::<8>() {
        *first = low.to_le_bytes();
        if let (Some(last), 9..) = (bytes.last_chunk_mut::<8>(), len) {
            let shift = 8 * (len - 8) as u32;
            *last = (low >> shift | high << (64 - shift)).to_le_bytes();
        }
    } else if let Some(first) = bytes.first_chunk_mut::<4>() {
        *first = (low as u32).to_le_bytes();
        if let Some(last) = bytes.last_chunk_mut::<4>() {
            *last = ((low >> (8 * (len - 4))) as u32).to_le_bytes();
        }
    } else if len > 0 {
        bytes[0] = low as u8;
        bytes[len / 2] = (low >> (8 * (len / 2))) as u8;
        bytes[len - 1] = (low >> (8 * (len - 1))) as u8;
    }
}

/// Masks: from byte 64 - n on, the first n bytes are ones and the others zeros.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
static ONES: [u8; 128] = {
    let mut bytes = [0; 128];
    let mut i = 0;
    while i < 64 {
        bytes[i] = 0xff;
        i += 1;
    }
    bytes
};

/// Returns the mask that keeps the first `len` of LEN bytes.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
fn mask<const LEN: usize>(len: usize) -> &'static [u8; LEN] {
    ONES[64 - len.min(64)..].first_chunk().expect("as many bytes follow")
}

/// Four words of one message, with instructions for SHA-1 (FIPS 180-4 §6.1).
pub trait Sha1Words: Lanes {
    /// The five working variables, in the order that the instructions need.
    type State: Copy;

    /// Loads four words from big-endian bytes.
    fn load_be(isa: Self::Isa, bytes: &[u8; 16]) -> Self;
    /// Loads four words from byte `at` of a message that is followed by a one bit and zeros (FIPS 180-4
    /// §5.1).
    fn load_padded(isa: Self::Isa, message: &[u8], at: usize) -> Self;
    /// Loads four words.
    fn words(isa: Self::Isa, words: [u32; 4]) -> Self;
    /// Loads the state from a, b, c, d, e.
    fn state(isa: Self::Isa, state: &[u32; 5]) -> Self::State;
    /// Returns a, b, c, d, e.
    fn state_words(state: Self::State) -> [u32; 5];
    /// Does four rounds with these message words. `STAGE` is the round number divided by 20, which determines
    /// the function and the constant.
    fn four_rounds<const STAGE: i32>(state: Self::State, w: Self) -> Self::State;
    /// Adds the state after a block and the state before it, word by word.
    fn add_state(after: Self::State, before: Self::State) -> Self::State;
    /// Returns the XOR of two states.
    fn xor_state(a: Self::State, b: Self::State) -> Self::State;
    /// Returns the state as the first five words of a message, followed by three zeros.
    fn state_as_message(state: Self::State) -> [Self; 2];
    /// Returns the four words of the schedule that follow these sixteen (`self` is w0).
    fn schedule(self, w1: Self, w2: Self, w3: Self) -> Self;
}

/// Four words of one message, with instructions for SHA-256 (FIPS 180-4 §6.2). A state is two such vectors,
/// in the order that the instructions need.
pub trait Sha256Words: Lanes {
    /// Loads four words from big-endian bytes.
    fn load_be(isa: Self::Isa, bytes: &[u8; 16]) -> Self;
    /// Loads four words from byte `at` of a message that is followed by a one bit and zeros (FIPS 180-4
    /// §5.1).
    fn load_padded(isa: Self::Isa, message: &[u8], at: usize) -> Self;
    /// Loads four words.
    fn words(isa: Self::Isa, words: &[u32; 4]) -> Self;
    /// Stores the four words. If they were returned, the compiler would assemble a wider vector.
    fn store(self, words: &mut [u32; 4]);
    /// Returns the state of a to d and e to h. This inverts itself: from a state, it returns a to d and e to
    /// h.
    fn reorder(halves: [Self; 2]) -> [Self; 2];
    /// Does the first half of four rounds; `wk` is message words plus constants.
    fn rounds_begin(state: [Self; 2], wk: Self) -> [Self; 2];
    /// Does the second half. `before` is the state before the first half, which some CPUs' instructions need.
    /// Instructions for other messages, between the two halves, hide the latency.
    fn rounds_end(state: [Self; 2], before: [Self; 2], wk: Self) -> [Self; 2];
    /// Returns the four words of the schedule that follow these sixteen (`self` is w0).
    fn schedule(self, w1: Self, w2: Self, w3: Self) -> Self;
}

/// Four words of one message, with instructions for SHA-512 (FIPS 180-4 §6.4). A state is two such vectors,
/// in the order that the instructions need.
pub trait Sha512Words: Lanes {
    /// Loads four words from the big-endian bytes at `at` of a message that is followed by a one bit and
    /// zeros (FIPS 180-4 §5.1).
    fn load_padded(isa: Self::Isa, message: &[u8], at: usize) -> Self;
    /// Loads four words.
    fn words(isa: Self::Isa, words: &[u64; 4]) -> Self;
    /// Stores the four words.
    fn store(self, words: &mut [u64; 4]);
    /// Returns the state of a to d and e to h. This inverts itself: from a state, it returns a to d and e to
    /// h.
    fn reorder(halves: [Self; 2]) -> [Self; 2];
    /// Does four rounds; `wk` is message words plus constants.
    fn four_rounds(state: [Self; 2], wk: Self) -> [Self; 2];
    /// Returns the four words of the schedule that follow these sixteen (`self` is w0).
    fn schedule(self, w1: Self, w2: Self, w3: Self) -> Self;
}
