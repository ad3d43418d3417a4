//! Known answers of ChaCha20-Poly1305, for every implementation, before its first use.

use super::Chosen;
use super::kernel::{Kernel, Part, Progress, lengths};
use crate::aead::{self, Direction};
use keylane_cpu::in_out::InOut;

/// From an empty text to several groups of every implementation, with and without a partial block at the end.
const LENGTHS: [usize; 12] = [0, 5, 16, 79, 192, 193, 250, 511, 960, 961, 1337, MAX_LEN];
const MAX_LEN: usize = 2345;

/// The XOR of the tags of texts of all these lengths. A tag depends on every bit of the ciphertext and of the
/// additional data.
const ANSWER: u128 = 0x8e11_e9bd_199a_c798_93bc_d6e4_b024_9d77;

/// The number of messages that are processed at once, and their length in all. Sixteen are about as long, so
/// that each may have a lane of its own.
const MANY: usize = 36;
const MANY_LEN: usize = {
    let (mut sum, mut i) = (0, 0);
    while i < MANY {
        sum += LENGTHS[kind(i)];
        i += 1;
    }
    sum
};

/// Returns which of the lengths message i has.
const fn kind(i: usize) -> usize {
    if i < 16 { 4 + i % 2 } else { i % LENGTHS.len() }
}

/// Seals, seals in two parts, and opens; then seals and opens many messages at once.
pub(super) fn passes(kernel: &Chosen) -> bool {
    let numbers: [u8; MAX_LEN] = core::array::from_fn(|i| ((i * i) >> 3) as u8);
    let key = numbers[100..].first_chunk().expect("it is long enough");
    let mut tags = 0;
    let mut good = true;
    let mut single_tags = [[0; 16]; LENGTHS.len()];
    for (len, single_tag) in LENGTHS.into_iter().zip(&mut single_tags) {
        let (aad, plaintext) = (&numbers[..len % 101], &numbers[..len]);
        let nonce = [len as u8; 12];
        let start = || Progress::new(key, &nonce);

        let mut text = numbers;
        let text = &mut text[..len];
        let tag = start().crypt(kernel, Direction::Seal, aad, InOut::in_place(text));
        tags ^= u128::from_be_bytes(tag);
        *single_tag = tag;

        let mut parts = [0; MAX_LEN];
        let (head, tail) = parts[..len].split_at_mut(len / 192 * 64);
        let (head_in, tail_in) = plaintext.split_at(head.len());
        let mut message = start();
        let (head, tail) = (InOut::apart(head_in, head), InOut::apart(tail_in, tail));
        let ends: [&[u8]; 2] = [&[], &lengths(aad.len(), len)];
        for (text, aad, end) in [(head, aad, ends[0]), (tail, &[][..], ends[1])] {
            Kernel::crypt(
                kernel,
                &mut Part { direction: Direction::Seal, message: &mut message, aad, text, end },
            );
        }
        good &= message.tag() == tag && parts[..len] == *text;

        let opened = start().crypt(kernel, Direction::Open, aad, InOut::in_place(text));
        good &= opened == tag && text == plaintext;
    }
    good && tags == ANSWER && many(kernel, key, &numbers, &single_tags)
}

/// Returns whether many messages at once have these tags, sealed and opened, and the right texts afterwards.
fn many(kernel: &Chosen, key: &[u8; 32], numbers: &[u8; MAX_LEN], expected: &[[u8; 16]]) -> bool {
    let nonces = LENGTHS.map(|len| [len as u8; 12]);
    let mut texts = [0; MANY_LEN];
    let (mut rest, mut unused) = (&mut texts[..], [[0; 16]; MANY]);
    let mut places = unused.iter_mut();
    let mut messages: [aead::Message<'_>; MANY] = core::array::from_fn(|i| {
        let len = LENGTHS[kind(i)];
        let (text, later) = core::mem::take(&mut rest).split_at_mut(len);
        rest = later;
        text.copy_from_slice(&numbers[..len]);
        let (nonce, aad) = (&nonces[kind(i)], &numbers[..len % 101]);
        aead::Message { nonce, aad, text, tag: places.next().expect("as many") }
    });
    let mut good = true;
    for direction in [Direction::Seal, Direction::Open] {
        let mut tags = [[0; 16]; MANY];
        kernel.crypt_many(direction, key, &mut messages, &mut tags);
        good &= tags.iter().enumerate().all(|(i, tag)| *tag == expected[kind(i)]);
    }
    good && messages.iter().all(|message| *message.text == numbers[..message.text.len()])
}
