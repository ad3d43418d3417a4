//! ChaCha20 (RFC 8439) in terms.

use super::words::{Piece, Word, Words};
use std::collections::{BTreeSet, HashMap};

/// §2.1.
fn quarter_round(words: &mut Words, v: &mut [Word; 16], [a, b, c, d]: [usize; 4]) {
    for (x, y, z, left) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
        let sum = words.add(v[x], v[y]);
        v[x] = words.seal(sum);
        let changed = words.xor(v[z], v[x]);
        words.seal(changed);
        v[z] = words.rotate_right(changed, 32 - left);
    }
}

/// Ten times §2.3's `inner_block`.
pub fn permute(words: &mut Words, state: &[Word; 16]) -> [Word; 16] {
    let mut v = *state;
    for _ in 0..10 {
        for columns in [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]] {
            quarter_round(words, &mut v, columns);
        }
        for diagonals in [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]] {
            quarter_round(words, &mut v, diagonals);
        }
    }
    v
}

/// The key streams of one key, which is the kernel's first input.
pub struct Streams {
    pub words: Words,
    blocks: HashMap<[Word; 4], [Word; 16]>,
}

impl Streams {
    pub fn new() -> Self {
        Self { words: Words::new(4), blocks: HashMap::new() }
    }

    /// Reads little-endian words from inputs of one byte each.
    pub fn inputs<const N: usize>(&mut self, first: u32) -> [Word; N] {
        core::array::from_fn(|i| {
            let bytes =
                (0..4).map(|at| Piece::Of(self.words.input(first + (4 * i + at) as u32), 0)).collect();
            self.words.bytes(bytes)
        })
    }

    /// Returns the state of §2.3, with the counter and the nonce.
    pub fn state(&mut self, last: [Word; 4]) -> [Word; 16] {
        let constants: [[u8; 4]; 4] = [*b"expa", *b"nd 3", *b"2-by", *b"te k"];
        let constants = constants.map(|bytes| self.words.constant(u32::from_le_bytes(bytes).into()));
        let key: [Word; 8] = self.inputs(0);
        [&constants[..], &key, &last].concat().try_into().expect("sixteen words")
    }

    /// Returns the words of a block of the key stream. The nonce begins with this input.
    pub fn block(&mut self, counter: Word, nonce: u32) -> [Word; 16] {
        let [n0, n1, n2] = self.inputs(nonce);
        let last = [counter, n0, n1, n2];
        if !self.blocks.contains_key(&last) {
            let state = self.state(last);
            let mut block = permute(&mut self.words, &state);
            for (x, y) in block.iter_mut().zip(state) {
                *x = self.words.add(*x, y);
            }
            self.blocks.insert(last, block);
        }
        self.blocks[&last]
    }

    /// Returns the XOR of bytes with a key stream from a block on (§2.4). The counter wraps.
    pub fn xor(
        &mut self,
        counter: u32,
        nonce: u32,
        text: impl IntoIterator<Item = Piece>,
    ) -> Vec<BTreeSet<Piece>> {
        let text: Vec<Piece> = text.into_iter().collect();
        let mut result = Vec::new();
        for (i, text) in text.chunks(64).enumerate() {
            let counter = self.words.constant(counter.wrapping_add(i as u32).into());
            let block = self.block(counter, nonce);
            result.extend(
                text.iter().enumerate().map(|(i, &text)| {
                    self.words.xor_of_bytes(&[text, Piece::Of(block[i / 4], (i % 4) as u8)])
                }),
            );
        }
        result
    }

    /// Returns the bytes of an input.
    pub fn text(&mut self, first: u32, len: usize) -> Vec<Piece> {
        (first..).take(len).map(|input| Piece::Of(self.words.input(input), 0)).collect()
    }
}
