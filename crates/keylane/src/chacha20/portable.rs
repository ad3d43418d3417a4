//! ChaCha20 block by block in words, and HChaCha20, which derives a key from a key and a nonce. A word W is a
//! `u32`; in `checks/proofs`, a term.

use super::kernel::Kernel;
use crate::unroll::each;
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
use keylane_cpu::pin::Scalar;
use keylane_cpu::wipe::{Wipe, wipe};

/// "expand 32-byte k"
pub(super) const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// Returns the initial state (RFC 8439 §2.3): constants, key, counter, nonce.
#[inline(always)]
pub(crate) fn state(key: &[u8; 32], counter: u32, nonce: &[u8; 12]) -> [u32; 16] {
    let (key, _) = key.as_chunks();
    let (nonce, _) = nonce.as_chunks();
    let mut state = [0; 16];
    state[..4].copy_from_slice(&CONSTANTS);
    for i in 0..8 {
        state[4 + i] = u32::from_le_bytes(key[i]);
    }
    state[12] = counter;
    for i in 0..3 {
        state[13 + i] = u32::from_le_bytes(nonce[i]);
    }
    state
}

/// Ten double rounds: columns, then diagonals.
#[inline(always)]
fn permute<W: Scalar>(v: &mut [W; 16]) {
    for _ in 0..10 {
        each!(I in [0 1 2 3] { quarter_round(v, I, I + 4, I + 8, I + 12) });
        each!(I in [0 1 2 3] { quarter_round(v, I, (I + 1) % 4 + 4, (I + 2) % 4 + 8, (I + 3) % 4 + 12) });
    }
}

/// RFC 8439 §2.1.
#[inline(always)]
fn quarter_round<W: Scalar>(v: &mut [W; 16], a: usize, b: usize, c: usize, d: usize) {
    v[a] = v[a].add(v[b]);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(20);
    v[a] = v[a].add(v[b]);
    v[d] = (v[d] ^ v[a]).rotate_right(24);
    v[c] = v[c].add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(25);
}

impl Kernel for Portable {
    fn xor_keystream(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        counter: u32,
        text: &mut InOut<'_>,
        last: &mut [u8; 64],
    ) {
        xor_keystream::<u32>(key, nonce, counter, text, last);
    }
}

/// Implements [`Kernel::xor_keystream`].
#[inline(always)]
pub(crate) fn xor_keystream<W: Scalar + Wipe + From<u32> + Into<u32>>(
    key: &[u8; 32],
    nonce: &[u8; 12],
    counter: u32,
    text: &mut InOut<'_>,
    last: &mut [u8; 64],
) {
    let mut input = state(key, counter, nonce).map(W::from);
    let (mut words, mut block) = (input, [0; 64]);
    while !text.is_empty() {
        words = input;
        permute(&mut words);
        for (bytes, (word, input)) in block.as_chunks_mut().0.iter_mut().zip(words.iter().zip(input)) {
            *bytes = word.add(input).into().to_le_bytes();
        }
        let len = text.len().min(64);
        text.take_front(len).xor(&block[..len]);
        if len < 64 {
            *last = block;
        }
        input[12] = input[12].add(W::from(1));
    }
    wipe(&mut block);
    wipe(&mut words);
    wipe(&mut input);
}

/// Returns the first and the last row of the permuted state (draft-irtf-cfrg-xchacha-03 §2.2).
pub(crate) fn hchacha20<W: Scalar + Wipe + From<u32> + Into<u32>>(
    key: &[u8; 32],
    nonce: &[u8; 16],
) -> [u8; 32] {
    let (&[c, n0, n1, n2], []) = nonce.as_chunks::<4>() else { unreachable!("four words") };
    let nonce = [n0, n1, n2];
    let mut words =
        state(key, u32::from_le_bytes(c), nonce.as_flattened().first_chunk().expect("12 bytes")).map(W::from);
    permute(&mut words);
    words.copy_within(12..16, 4);
    // The whole block, which is stored in vectors; half of it would be stored word by word.
    let mut block = [0; 64];
    for (bytes, word) in block.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.into().to_le_bytes();
    }
    let subkey = *block.first_chunk().expect("32 of 64");
    wipe(&mut block);
    wipe(&mut words);
    subkey
}
