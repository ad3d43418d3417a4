//! AES (FIPS 197) in constant time on any CPU: bitsliced, four blocks at a time, without a table.
//!
//! Word k of a state holds bit k of all 64 bytes, that of the byte in row r and column c of block b at
//! 16·r + 4·c + b. Rows and columns are then moved by rotations. ShiftRows is never done. Instead the columns
//! of each round are rotated by one place more than those of the round before, and MixColumns and the round
//! keys are rotated likewise ("fixslicing": Adomnicai and Peyrin, TCHES 2021).

pub(crate) mod sbox;

use super::{KeyBytes, Order, RoundKeys};
use core::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::Blocks;
use keylane_cpu::lanes::portable::PlainBlocks;
use keylane_cpu::wipe::{Secret, Wipe, wipe};
use sbox::{invert_sub_bytes, sub_bytes};

/// The blocks that are processed at a time.
pub(crate) const GROUP: usize = 4;

/// A state: word k holds bit k of every byte.
type Slices<W> = [W; 8];

/// A word of 64 bits: `u64`, or one that records what is computed.
pub(crate) trait Word:
    Copy
    + Wipe
    + From<u64>
    + Into<u64>
    + BitXor<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
    const ZERO: Self;
    /// Rotates by fewer than 64 bits.
    fn rotate_right(self, bits: u32) -> Self;
}

impl Word for u64 {
    const ZERO: Self = 0;

    #[inline(always)]
    fn rotate_right(self, bits: u32) -> Self {
        self.rotate_right(bits)
    }
}

/// Round keys as slices, each key four times, with columns rotated as in its round. Wiped when dropped.
pub(crate) struct SlicedKeys<W = u64> {
    keys: Secret<[Slices<W>; 15]>,
    rounds: usize,
}

impl<W: Word> SlicedKeys<W> {
    pub(crate) const EMPTY: Self = Self { keys: Secret::new([[W::ZERO; 8]; 15]), rounds: 0 };

    /// Slices the round keys, for one call: this takes about as long as encrypting a group. In place, since a
    /// move may leave a copy on the stack.
    pub(crate) fn set(&mut self, keys: &RoundKeys) {
        self.rounds = keys.rounds;
        // Four round keys are sliced together, then each is repeated.
        for first in (0..=keys.rounds).step_by(GROUP) {
            let mut turned = [[0; 16]; GROUP];
            let rounds = first..=keys.rounds.min(first + GROUP - 1);
            for (round, turned) in rounds.clone().zip(&mut turned) {
                // After the last round the columns are in their places.
                let turn = if round == keys.rounds { 0 } else { round };
                for (i, byte) in keys.all()[round].iter().enumerate() {
                    turned[(i + 4 * turn * (i % 4)) % 16] = *byte;
                }
            }
            let mut slices: Slices<W> = slice(&turned);
            for (block, round) in rounds.enumerate() {
                for (key, slice) in self.keys[round].iter_mut().zip(slices) {
                    let one = slice >> block & W::from(0x1111_1111_1111_1111);
                    let two = one | one << 1;
                    *key = two | two << 2;
                }
                if round > 0 {
                    for bit in sbox::CONSTANT {
                        self.keys[round][bit] = !self.keys[round][bit];
                    }
                }
            }
            wipe(&mut turned);
            wipe(&mut slices);
        }
    }

    /// Encrypts each block independently.
    pub(crate) fn encrypt(&self, blocks: &mut [[u8; 16]; GROUP]) {
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

    /// Decrypts each block independently.
    pub(crate) fn decrypt(&self, blocks: &mut [[u8; 16]; GROUP]) {
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

    /// Does all the ShiftRows that the rounds have left out. Their number is even, so rows 0 and 2 are in
    /// their places, and rows 1 and 3 are there or two columns away, in either direction.
    #[inline(always)]
    fn turn_back(&self, state: &mut Slices<W>) {
        if self.rounds % 4 == 2 {
            for x in state {
                let moved = (*x ^ *x >> 8) & W::from(0x00ff_0000_00ff_0000);
                *x = *x ^ (moved | moved << 8);
            }
        }
    }
}

#[inline(always)]
fn add<W: Word>(state: &mut Slices<W>, key: &Slices<W>) {
    for (x, key) in state.iter_mut().zip(key) {
        *x = *x ^ *key;
    }
}

/// Exchanges the bits of `a` under `mask << shift` with those of `b` under `mask`.
#[inline(always)]
fn exchange<W: Word>(state: &mut Slices<W>, a: usize, b: usize, shift: usize, mask: u64) {
    let moved = (state[a] >> shift ^ state[b]) & W::from(mask);
    state[b] = state[b] ^ moved;
    state[a] = state[a] ^ moved << shift;
}

/// Slices blocks. A bit's index is the number of its word, w (3 bits), and its place in the word, p (6 bits).
/// An exchange of words swaps a bit of w with one of p. The indexes go from w = (c1 b1 b0), p = (c0 r1 r0 k2
/// k1 k0), the halves of blocks, to w = (k2 k1 k0), p = (r1 r0 c1 c0 b1 b0).
#[inline(always)]
fn slice<W: Word>(blocks: &[[u8; 16]; GROUP]) -> Slices<W> {
    let mut state = [W::ZERO; 8];
    for (i, block) in blocks.iter().enumerate() {
        let block = u128::from_le_bytes(*block);
        (state[i], state[i + 4]) = (W::from(block as u64), W::from((block >> 64) as u64));
    }
    for i in 0..4 {
        exchange(&mut state, i, i + 4, 8, 0x00ff_00ff_00ff_00ff);
        exchange(&mut state, i, i + 4, 16, 0x0000_ffff_0000_ffff);
        exchange(&mut state, i, i + 4, 32, 0x0000_0000_ffff_ffff);
    }
    transpose(&mut state);
    state
}

/// The inverse of [`slice`].
#[inline(always)]
fn unslice<W: Word>(mut state: Slices<W>, blocks: &mut [[u8; 16]; GROUP]) {
    transpose(&mut state);
    for (i, block) in blocks.iter_mut().enumerate() {
        exchange(&mut state, i, i + 4, 32, 0x0000_0000_ffff_ffff);
        exchange(&mut state, i, i + 4, 16, 0x0000_ffff_0000_ffff);
        exchange(&mut state, i, i + 4, 8, 0x00ff_00ff_00ff_00ff);
        let (low, high): (u64, u64) = (state[i].into(), state[i + 4].into());
        *block = (u128::from(low) | u128::from(high) << 64).to_le_bytes();
    }
}

/// Transposes: bit j of every byte of word i becomes bit i of that byte of word j.
#[inline(always)]
fn transpose<W: Word>(state: &mut Slices<W>) {
    for i in [0, 2, 4, 6] {
        exchange(state, i, i + 1, 1, 0x5555_5555_5555_5555);
    }
    for i in [0, 1, 4, 5] {
        exchange(state, i, i + 2, 2, 0x3333_3333_3333_3333);
    }
    for i in [0, 1, 2, 3] {
        exchange(state, i, i + 4, 4, 0x0f0f_0f0f_0f0f_0f0f);
    }
}

/// Replaces every byte by the byte `rows` rows below it and `columns` columns after it.
#[inline(always)]
fn turn<W: Word>(x: W, rows: u32, columns: u32) -> W {
    let straight = x.rotate_right(16 * rows + 4 * columns);
    if columns == 0 {
        return straight;
    }
    // The last columns wrap within their row.
    let wrap = (0xffff << (16 - 4 * columns) & 0xffff) * 0x0001_0001_0001_0001;
    straight & W::from(!wrap) | x.rotate_right(16 * (rows - 1) + 4 * columns) & W::from(wrap)
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
    for bit in 0..8 {
        below[bit] = turn(state[bit], 1, TURN);
        sums[bit] = state[bit] ^ below[bit];
    }
    let doubled = double(sums);
    for bit in 0..8 {
        state[bit] = doubled[bit] ^ below[bit] ^ turn(sums[bit], 2, 2 * TURN % 4);
    }
}

/// InvMixColumns (FIPS 197 §5.3.3), whose matrix is the product of those of MixColumns and of a + 4·(a + c).
#[inline(always)]
fn invert_mix_columns<const TURN: u32, W: Word>(state: &mut Slices<W>) {
    let mut sums = [W::ZERO; 8];
    for bit in 0..8 {
        sums[bit] = state[bit] ^ turn(state[bit], 2, 2 * TURN % 4);
    }
    add(state, &double(double(sums)));
    mix_columns::<TURN, W>(state);
}

/// SubWord (FIPS 197 §5.2), of the lower half.
#[inline(always)]
fn sub_word<W: Word>(word: W) -> W {
    // The S-box works on bits in any place, so these need not be moved.
    let mut slices = [W::ZERO; 8];
    for (bit, slice) in slices.iter_mut().enumerate() {
        *slice = word >> bit & W::from(0x0101_0101);
    }
    sub_bytes(&mut slices);
    let mut substituted = W::from(0x6363_6363);
    for (bit, slice) in slices.iter().enumerate() {
        substituted = substituted ^ *slice << bit;
    }
    wipe(&mut slices);
    substituted
}

/// Expands a key (FIPS 197 §5.2).
pub(crate) fn expand<W: Word>(key: KeyBytes<'_>, keys: &mut RoundKeys) {
    let key = key.as_slice();
    let key_len = key.len();
    let bytes = keys.set_rounds(key_len / 4 + 6).as_flattened_mut();
    bytes[..key_len].copy_from_slice(key);
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let mut round_constant = 1_u8;
    for at in (key_len..bytes.len()).step_by(4) {
        let before = word(&bytes[at - 4..]);
        let mut last = W::from(before.into());
        if at % key_len == 0 {
            last = sub_word(W::from(before.rotate_right(8).into())) ^ W::from(round_constant.into());
            round_constant = (round_constant << 1) ^ ((round_constant >> 7) * 0x1b);
        } else if key_len == 32 && at % key_len == 16 {
            last = sub_word(last);
        }
        let next: u64 = (W::from(word(&bytes[at - key_len..]).into()) ^ last).into();
        bytes[at..at + 4].copy_from_slice(&(next as u32).to_le_bytes());
    }
}

/// Encrypts every block.
pub(crate) fn encrypt_blocks<W: Word>(keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
    let mut sliced = SlicedKeys::<W>::EMPTY;
    sliced.set(keys);
    in_groups(blocks, |group| sliced.encrypt(group));
}

/// Decrypts every block.
pub(crate) fn decrypt_blocks<W: Word>(keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
    let mut sliced = SlicedKeys::<W>::EMPTY;
    sliced.set(keys);
    in_groups(blocks, |group| sliced.decrypt(group));
}

#[inline(always)]
fn in_groups(blocks: &mut [[u8; 16]], cipher: impl Fn(&mut [[u8; 16]; GROUP])) {
    let (groups, rest) = blocks.as_chunks_mut();
    for group in groups {
        cipher(group);
    }
    if !rest.is_empty() {
        let mut group = [[0; 16]; GROUP];
        group[..rest.len()].copy_from_slice(rest);
        cipher(&mut group);
        rest.copy_from_slice(&group[..rest.len()]);
        wipe(&mut group);
    }
}

/// See [`aes_ctr::Kernel`](crate::aes_ctr::Kernel).
pub(crate) fn xor_keystream<W: Word>(
    keys: &RoundKeys,
    order: Order,
    mut counter: u128,
    text: &mut InOut<'_>,
    last: &mut [u8; 16],
) {
    let mut sliced = SlicedKeys::<W>::EMPTY;
    sliced.set(keys);
    let mut stream = [[0; 16]; GROUP];
    while !text.is_empty() {
        for block in &mut stream {
            *block = if order == Order::Big { counter.to_be_bytes() } else { counter.to_le_bytes() };
            counter = counter.wrapping_add(1);
        }
        sliced.encrypt(&mut stream);
        if text.len() < 16 * GROUP {
            if text.len() % 16 != 0 {
                *last = stream[text.len() / 16];
            }
            // Byte by byte: a vector would also load unused key stream, which nothing would wipe.
            text.xor(stream.as_flattened());
            break;
        }
        let input: PlainBlocks<GROUP> = text.load_front(Portable);
        text.store_front(input ^ PlainBlocks::load(Portable, &stream));
    }
    wipe(&mut stream);
}

#[cfg(test)]
mod tests;
