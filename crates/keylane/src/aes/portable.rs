//! AES (FIPS 197) in constant time on any CPU, bitsliced, without tables: four blocks at a time in 64-bit
//! words, two in 32-bit words, eight in 128-bit vectors.
//!
//! Word k of a state holds bit k of all bytes of B blocks; the bit for row r and column c of block b is at
//! 4·B·r + B·c + b. Rotations then move rows and columns. ShiftRows is omitted: instead, each round's columns
//! are rotated by one place more than the previous round's, and MixColumns and the round keys are adapted
//! ("fixslicing": Adomnicai and Peyrin, TCHES 2021).

pub(crate) mod sbox;

use super::{KeyBytes, Order, RoundKeys};
use crate::unroll::each;
use core::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::Blocks;
use keylane_cpu::lanes::portable::PlainBlocks;
use keylane_cpu::wipe::{Secret, Wipe, wipe};
use sbox::{CONSTANT, invert_sub_bytes, sub_bytes};

/// The maximum number of blocks that are encrypted before their key stream is used.
pub(crate) const GROUP: usize = if Register::BLOCKS < 4 { 4 } else { Register::BLOCKS };

/// The word of the target's registers. WebAssembly has some of 64 bits.
#[cfg(target_feature = "simd128")]
pub(crate) type Register = keylane_cpu::lanes::wasm32::bits::Bits;
/// The word of the target's registers. WebAssembly has some of 64 bits.
#[cfg(all(any(target_pointer_width = "64", target_family = "wasm"), not(target_feature = "simd128")))]
pub(crate) type Register = u64;
/// The word of the target's registers.
#[cfg(not(any(target_pointer_width = "64", target_family = "wasm")))]
pub(crate) type Register = u32;

/// A state: word k holds bit k of every byte.
type Slices<W> = [W; 8];

/// A word of 128, 64 or 32 bits, or, in proofs, a term.
pub(crate) trait Word:
    Copy
    + Wipe
    + BitXor<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
    const ZERO: Self;
    /// The number of blocks in a state: 8, 4 or 2.
    const BLOCKS: usize;
    /// Returns the lower bits of a number, as a word.
    fn new(number: u128) -> Self;
    /// Inverts [`new`](Self::new).
    fn number(self) -> u128;
    /// Rotates by fewer bits than a word of fewer than eight blocks has.
    fn rotate_right(self, bits: u32) -> Self;
    /// Shuffles the bytes of a word of eight blocks: byte i becomes the one whose number is byte i of
    /// `order`.
    fn shuffle(self, _order: &[u8; 16]) -> Self {
        unreachable!("fewer than eight blocks")
    }
    /// Returns ones in each byte of a word of eight blocks that has a bit, and zeros in the others.
    fn spread(self, _bit: usize) -> Self {
        unreachable!("fewer than eight blocks")
    }

    /// Replaces every byte by the byte `rows` rows below it and `columns` columns after it.
    #[inline(always)]
    fn turn(self, rows: u32, columns: u32) -> Self {
        let blocks = Self::BLOCKS as u32;
        let straight = self.rotate_right(blocks * (4 * rows + columns));
        if columns == 0 {
            return straight;
        }
        // The last columns wrap within their row.
        let (row, rows_of_ones) =
            if Self::BLOCKS == 4 { (0xffff, 0x0001_0001_0001_0001) } else { (0xff, 0x0101_0101) };
        let wrap = (row << (blocks * (4 - columns)) & row) * rows_of_ones;
        straight & Self::new(!wrap) | self.rotate_right(blocks * (4 * (rows - 1) + columns)) & Self::new(wrap)
    }
}

macro_rules! words {
    ($($Word:ident $blocks:literal),+) => { $(
        impl Word for $Word {
            const ZERO: Self = 0;
            const BLOCKS: usize = $blocks;

            #[inline(always)]
            fn new(number: u128) -> Self {
                number as Self
            }

            #[inline(always)]
            fn number(self) -> u128 {
                self.into()
            }

            #[inline(always)]
            fn rotate_right(self, bits: u32) -> Self {
                self.rotate_right(bits)
            }
        }
    )+ };
}
words!(u64 4, u32 2);

#[cfg(target_feature = "simd128")]
impl Word for Register {
    const ZERO: Self = Self::ZERO;
    const BLOCKS: usize = 8;

    #[inline(always)]
    fn new(number: u128) -> Self {
        Self::new(number)
    }

    #[inline(always)]
    fn number(self) -> u128 {
        self.number()
    }

    fn rotate_right(self, _: u32) -> Self {
        unreachable!("eight blocks")
    }

    #[inline(always)]
    fn shuffle(self, order: &[u8; 16]) -> Self {
        self.shuffle(order)
    }

    #[inline(always)]
    fn spread(self, bit: usize) -> Self {
        self.spread(bit)
    }

    #[inline(always)]
    fn turn(self, rows: u32, columns: u32) -> Self {
        self.turn(rows, columns)
    }
}

/// Orders of a block's bytes by rows. In order i, each row is rotated by 3i columns more than the row above.
static BY_ROWS: [[u8; 16]; 4] = {
    let (mut orders, mut i) = ([[0; 16]; 4], 0);
    while i < 64 {
        let (turn, row) = (i / 16, i / 4 % 4);
        orders[turn][i % 16] = ((i + 3 * turn * row) % 4 * 4 + row) as u8;
        i += 1;
    }
    orders
};

/// Round keys as slices, each key as often as there are blocks, with columns rotated as in its round. Wiped
/// when dropped.
pub(crate) struct SlicedKeys<W> {
    keys: Secret<[Slices<W>; 15]>,
    rounds: usize,
}

impl<W: Word> SlicedKeys<W> {
    pub(crate) const EMPTY: Self = Self { keys: Secret::new([[W::ZERO; 8]; 15]), rounds: 0 };

    /// Slices the round keys for one call, which takes about as long as encrypting a group. In place, since a
    /// move may leave a copy on the stack.
    pub(crate) fn set(&mut self, keys: &RoundKeys) {
        self.rounds = keys.rounds;
        if W::BLOCKS == 2 {
            return self.set_each(keys);
        }
        if W::BLOCKS == 8 {
            for (round, (key, sliced)) in keys.all().iter().zip(self.keys.iter_mut()).enumerate() {
                let key = W::new(u128::from_le_bytes(*key)).shuffle(&BY_ROWS[turn_of(keys, round) % 4]);
                each!(I in [0 1 2 3 4 5 6 7] { sliced[I] = key.spread(I); });
                add_constant(sliced, round);
            }
            return;
        }
        // Four round keys are sliced together, then each is repeated.
        for first in (0..=keys.rounds).step_by(4) {
            let mut turned = [[0; 16]; 4];
            let rounds = first..=keys.rounds.min(first + 3);
            for (round, turned) in rounds.clone().zip(&mut turned) {
                let turn = turn_of(keys, round);
                for (i, byte) in keys.all()[round].iter().enumerate() {
                    turned[(i + 4 * turn * i) % 16] = *byte;
                }
            }
            let mut slices: Slices<W> = slice(&turned);
            for (block, round) in rounds.enumerate() {
                for (key, slice) in self.keys[round].iter_mut().zip(slices) {
                    let one = slice >> block & W::new(0x1111_1111_1111_1111);
                    let two = one | one << 1;
                    *key = two | two << 2;
                }
                add_constant(&mut self.keys[round], round);
            }
            wipe(&mut turned);
            wipe(&mut slices);
        }
    }

    /// Sets the keys for states of two blocks, both of which get each round key.
    #[inline(always)]
    fn set_each(&mut self, keys: &RoundKeys) {
        let mut columns = [0; 4];
        for (round, (key, sliced)) in keys.all().iter().zip(self.keys.iter_mut()).enumerate() {
            let turn = turn_of(keys, round);
            each!(I in [0 1 2 3] { columns[I] = u32::from_le_bytes(key.as_chunks().0[I]); });
            each!(I in [0 1 2 3] {
                let column = columns[I] & 0xff
                    | columns[(I + 3 * turn) % 4] & 0xff00
                    | columns[(I + 2 * turn) % 4] & 0x00ff_0000
                    | columns[(I + turn) % 4] & 0xff00_0000;
                (sliced[2 * I], sliced[2 * I + 1]) = (W::new(column.into()), W::new(column.into()));
            });
            transpose(sliced);
            add_constant(sliced, round);
        }
        wipe(&mut columns);
    }

    /// Encrypts each block independently.
    pub(crate) fn encrypt(&self, blocks: &mut [[u8; 16]]) {
        in_groups::<W>(blocks, |group| self.encrypt_group(group));
    }

    /// Decrypts each block independently.
    fn decrypt(&self, blocks: &mut [[u8; 16]]) {
        in_groups::<W>(blocks, |group| self.decrypt_group(group));
    }

    /// Encrypts the blocks of a state.
    fn encrypt_group(&self, blocks: &mut [[u8; 16]]) {
        let mut state: Slices<W> = slice(blocks);
        add(&mut state, &self.keys[0]);
        let mut round = 1;
        loop {
            sub_bytes(&mut state);
            if round == self.rounds {
                break;
            }
            match round % 4 {
                0 => mix_columns::<0, W>(&mut state),
                1 => mix_columns::<1, W>(&mut state),
                2 => mix_columns::<2, W>(&mut state),
                _ => mix_columns::<3, W>(&mut state),
            }
            add(&mut state, &self.keys[round]);
            round += 1;
        }
        self.turn_back(&mut state);
        add(&mut state, &self.keys[self.rounds]);
        unslice(state, blocks);
    }

    /// Decrypts the blocks of a state.
    fn decrypt_group(&self, blocks: &mut [[u8; 16]]) {
        let mut state: Slices<W> = slice(blocks);
        add(&mut state, &self.keys[self.rounds]);
        self.turn_back(&mut state);
        let mut round = self.rounds;
        loop {
            invert_sub_bytes(&mut state);
            round -= 1;
            if round == 0 {
                break;
            }
            add(&mut state, &self.keys[round]);
            match round % 4 {
                0 => invert_mix_columns::<0, W>(&mut state),
                1 => invert_mix_columns::<1, W>(&mut state),
                2 => invert_mix_columns::<2, W>(&mut state),
                _ => invert_mix_columns::<3, W>(&mut state),
            }
        }
        add(&mut state, &self.keys[0]);
        unslice(state, blocks);
    }

    /// Applies all ShiftRows that the rounds have omitted. Their number is even, so rows 0 and 2 are in
    /// place, and rows 1 and 3 are in place or two columns away.
    #[inline(always)]
    fn turn_back(&self, state: &mut Slices<W>) {
        if self.rounds % 4 == 2 {
            // Half of a row.
            let (half, mask) = match W::BLOCKS {
                8 => (16, 0xffff << 32 | 0xffff << 96),
                4 => (8, 0x00ff_0000_00ff_0000),
                _ => (4, 0x0f00_0f00),
            };
            for x in state {
                let moved = (*x ^ *x >> half) & W::new(mask);
                *x = *x ^ moved ^ moved << half;
            }
        }
    }
}

/// Returns by how many columns more than the row above each row of a round key is rotated. After the last
/// round, the columns are in place.
#[inline(always)]
fn turn_of(keys: &RoundKeys, round: usize) -> usize {
    if round == keys.rounds { 0 } else { round }
}

/// Adds the constant of SubBytes, which is before each round key but the first.
#[inline(always)]
fn add_constant<W: Word>(key: &mut Slices<W>, round: usize) {
    if round > 0 {
        each!(I in [0 1 2 3] { key[CONSTANT[I]] = !key[CONSTANT[I]]; });
    }
}

#[inline(always)]
fn add<W: Word>(state: &mut Slices<W>, key: &Slices<W>) {
    each!(I in [0 1 2 3 4 5 6 7] { state[I] = state[I] ^ key[I]; });
}

/// Exchanges the bits of `a` under `mask << shift` with those of `b` under `mask`.
#[inline(always)]
fn exchange<W: Word>(state: &mut Slices<W>, a: usize, b: usize, shift: usize, mask: u128) {
    let moved = (state[a] >> shift ^ state[b]) & W::new(mask);
    state[b] = state[b] ^ moved;
    state[a] = state[a] ^ moved << shift;
}

/// Slices the blocks of a state. A bit's index is the number of its word, w (3 bits), and its place in the
/// word, p. An exchange of words swaps a bit of w with one of p. Of four blocks, the indexes go from w = (c1
/// b1 b0), p = (c0 r1 r0 k2 k1 k0), the halves of blocks, to w = (k2 k1 k0), p = (r1 r0 c1 c0 b1 b0). Of two,
/// they go from w = (c1 c0 b0), p = (r1 r0 k2 k1 k0), the columns, to w = (k2 k1 k0), p = (r1 r0 c1 c0 b0).
/// Of eight, they go from w = (b2 b1 b0), p = (r1 r0 c1 c0 k2 k1 k0), the blocks by rows, to w = (k2 k1 k0),
/// p = (r1 r0 c1 c0 b2 b1 b0).
#[inline(always)]
fn slice<W: Word>(blocks: &[[u8; 16]]) -> Slices<W> {
    let mut state = [W::ZERO; 8];
    if W::BLOCKS == 4 {
        let blocks: &[[u8; 16]; 4] = blocks.first_chunk().expect("four blocks");
        for (i, block) in blocks.iter().enumerate() {
            let block = u128::from_le_bytes(*block);
            (state[i], state[i + 4]) = (W::new(block), W::new(block >> 64));
        }
        for i in 0..4 {
            exchange(&mut state, i, i + 4, 8, 0x00ff_00ff_00ff_00ff);
            exchange(&mut state, i, i + 4, 16, 0x0000_ffff_0000_ffff);
            exchange(&mut state, i, i + 4, 32, 0x0000_0000_ffff_ffff);
        }
    } else if W::BLOCKS == 8 {
        let blocks: &[[u8; 16]; 8] = blocks.first_chunk().expect("eight blocks");
        each!(I in [0 1 2 3 4 5 6 7] {
            state[I] = W::new(u128::from_le_bytes(blocks[I])).shuffle(&BY_ROWS[0]);
        });
    } else {
        let blocks: &[[u8; 16]; 2] = blocks.first_chunk().expect("two blocks");
        each!(I in [0 1 2 3 4 5 6 7] {
            let column = blocks[I % 2].as_chunks().0[I / 2];
            state[I] = W::new(u32::from_le_bytes(column).into());
        });
    }
    transpose(&mut state);
    state
}

/// Inverts [`slice`].
#[inline(always)]
fn unslice<W: Word>(mut state: Slices<W>, blocks: &mut [[u8; 16]]) {
    transpose(&mut state);
    if W::BLOCKS == 2 {
        let blocks: &mut [[u8; 16]; 2] = blocks.first_chunk_mut().expect("two blocks");
        each!(I in [0 1 2 3 4 5 6 7] {
            blocks[I % 2].as_chunks_mut().0[I / 2] = (state[I].number() as u32).to_le_bytes();
        });
        return;
    }
    if W::BLOCKS == 8 {
        let blocks: &mut [[u8; 16]; 8] = blocks.first_chunk_mut().expect("eight blocks");
        each!(I in [0 1 2 3 4 5 6 7] {
            blocks[I] = state[I].shuffle(&BY_ROWS[0]).number().to_le_bytes();
        });
        return;
    }
    let blocks: &mut [[u8; 16]; 4] = blocks.first_chunk_mut().expect("four blocks");
    for (i, block) in blocks.iter_mut().enumerate() {
        exchange(&mut state, i, i + 4, 32, 0x0000_0000_ffff_ffff);
        exchange(&mut state, i, i + 4, 16, 0x0000_ffff_0000_ffff);
        exchange(&mut state, i, i + 4, 8, 0x00ff_00ff_00ff_00ff);
        let (low, high) = (state[i].number(), state[i + 4].number());
        *block = (low | high << 64).to_le_bytes();
    }
}

/// Transposes: bit j of every byte of word i becomes bit i of that byte of word j.
#[inline(always)]
fn transpose<W: Word>(state: &mut Slices<W>) {
    each!(I in [0 2 4 6] { exchange(state, I, I + 1, 1, u128::MAX / 3); });
    each!(I in [0 1 4 5] { exchange(state, I, I + 2, 2, u128::MAX / 5); });
    each!(I in [0 1 2 3] { exchange(state, I, I + 4, 4, u128::MAX / 17); });
}

/// Multiplies every byte by x, in the field of bytes.
#[inline(always)]
fn double<W: Word>([x0, x1, x2, x3, x4, x5, x6, x7]: Slices<W>) -> Slices<W> {
    [x7, x0 ^ x7, x1, x2 ^ x7, x3 ^ x7, x4, x5, x6]
}

/// MixColumns (FIPS 197 §5.1.3) where each row is rotated by `TURN` columns more than the row above. It
/// computes 2·a + 3·b + c + d, of a byte and those below it, as 2·(a + b) + b + (c + d).
#[inline(always)]
fn mix_columns<const TURN: u32, W: Word>(state: &mut Slices<W>) {
    let (mut below, mut sums) = ([W::ZERO; 8], [W::ZERO; 8]);
    each!(I in [0 1 2 3 4 5 6 7] {
        below[I] = state[I].turn(1, TURN);
        sums[I] = state[I] ^ below[I];
    });
    let doubled = double(sums);
    each!(I in [0 1 2 3 4 5 6 7] {
        state[I] = doubled[I] ^ below[I] ^ sums[I].turn(2, 2 * TURN % 4);
    });
}

/// InvMixColumns (FIPS 197 §5.3.3), whose matrix is the product of those of MixColumns and of a + 4·(a + c).
#[inline(always)]
fn invert_mix_columns<const TURN: u32, W: Word>(state: &mut Slices<W>) {
    let mut sums = [W::ZERO; 8];
    each!(I in [0 1 2 3 4 5 6 7] { sums[I] = state[I] ^ state[I].turn(2, 2 * TURN % 4); });
    add(state, &double(double(sums)));
    mix_columns::<TURN, W>(state);
}

/// SubWord (FIPS 197 §5.2), of the lower half.
#[inline(always)]
fn sub_word<W: Word>(word: W) -> W {
    // The S-box works on bits in any place, so these need not be moved.
    let mut slices = [W::ZERO; 8];
    each!(I in [0 1 2 3 4 5 6 7] { slices[I] = word >> I & W::new(0x0101_0101); });
    sub_bytes(&mut slices);
    let mut substituted = W::new(0x6363_6363);
    each!(I in [0 1 2 3 4 5 6 7] { substituted = substituted ^ slices[I] << I; });
    wipe(&mut slices);
    substituted
}

/// Expands a key (FIPS 197 §5.2).
pub(crate) fn expand<W: Word>(key: KeyBytes<'_>, keys: &mut RoundKeys) {
    let (key, _) = key.as_slice().as_chunks();
    let words = keys.set_rounds(key.len() + 6).as_flattened_mut().as_chunks_mut::<4>().0;
    words[..key.len()].copy_from_slice(key);
    let word = |bytes| W::new(u32::from_le_bytes(bytes).into());
    let (mut last, mut round_constant, mut place) = (word(key[key.len() - 1]), 1_u8, 0);
    for at in key.len()..words.len() {
        if place == 0 {
            let rotated = (last.number() as u32).rotate_right(8);
            last = sub_word(W::new(rotated.into())) ^ W::new(round_constant.into());
            round_constant = (round_constant << 1) ^ ((round_constant >> 7) * 0x1b);
        } else if key.len() == 8 && place == 4 {
            last = sub_word(last);
        }
        last = word(words[at - key.len()]) ^ last;
        words[at] = (last.number() as u32).to_le_bytes();
        place = if place + 1 < key.len() { place + 1 } else { 0 };
    }
}

/// Encrypts every block.
pub(crate) fn encrypt_blocks<W: Word>(keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
    let mut sliced = SlicedKeys::<W>::EMPTY;
    sliced.set(keys);
    sliced.encrypt(blocks);
}

/// Decrypts every block.
pub(crate) fn decrypt_blocks<W: Word>(keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
    let mut sliced = SlicedKeys::<W>::EMPTY;
    sliced.set(keys);
    sliced.decrypt(blocks);
}

#[inline(always)]
fn in_groups<W: Word>(blocks: &mut [[u8; 16]], cipher: impl Fn(&mut [[u8; 16]])) {
    let mut groups = blocks.chunks_exact_mut(W::BLOCKS);
    for group in &mut groups {
        cipher(group);
    }
    let rest = groups.into_remainder();
    if !rest.is_empty() {
        let mut group = [[0; 16]; 8];
        group[..rest.len()].copy_from_slice(rest);
        cipher(&mut group[..W::BLOCKS]);
        rest.copy_from_slice(&group[..rest.len()]);
        wipe(&mut group);
    }
}

/// See [`aes_ctr::Kernel`](crate::aes_ctr::Kernel).
pub(crate) fn xor_keystream<W: Word, const N: usize>(
    keys: &RoundKeys,
    order: Order,
    mut counter: u128,
    text: &mut InOut<'_>,
    last: &mut [u8; 16],
) {
    let mut sliced = SlicedKeys::<W>::EMPTY;
    sliced.set(keys);
    let mut stream = [[0; 16]; N];
    while !text.is_empty() {
        for block in &mut stream {
            *block = if order == Order::Big { counter.to_be_bytes() } else { counter.to_le_bytes() };
            counter = super::add(counter, 1);
        }
        sliced.encrypt(&mut stream[..text.len().div_ceil(16).min(N)]);
        if text.len() < 16 * N {
            if text.len() % 16 != 0 {
                *last = stream[text.len() / 16];
            }
            // Byte by byte, since a vector would also load unused key stream, which would not be wiped.
            text.xor(stream.as_flattened());
            break;
        }
        let input: PlainBlocks<N> = text.load_front(Portable);
        text.store_front(input ^ PlainBlocks::load(Portable, &stream));
    }
    wipe(&mut stream);
}
