//! Known answers of AES-GCM, for every implementation, before its first use.

use super::kernel::{Direct as _, Kernel, Key, Progress, first_block, lengths};
use crate::aead::{self, Direction};
use crate::aes::KeyBytes;
use keylane_cpu::in_out::InOut;

/// From an empty text to several groups of every implementation, with every number of vectors after them,
/// whole and partial.
const LENGTHS: [usize; 10] = [0, 5, 16, 27, 79, 250, 511, 512, 1337, MAX_LEN];
const MAX_LEN: usize = 2645;

/// For each key size, the XOR of the tags of texts of all these lengths. A tag depends on every bit of the
/// ciphertext and of the additional data.
const ANSWERS: [(usize, u128); 3] = [
    (16, 0x3d4c_606b_01f5_0840_b15f_09b8_4f27_6ffc),
    (24, 0x6878_63c7_0d3b_cb42_3c40_cfaa_4abb_bd41),
    (32, 0xa17d_5350_decf_0572_c9c0_9896_0dcd_e755),
];

/// Seals, seals in two parts, and opens; then seals with a new key, as the next length does. Last, seals and
/// opens messages side by side.
pub(super) fn passes(kernel: &(impl Kernel + ?Sized)) -> bool {
    let numbers: [u8; MAX_LEN] = core::array::from_fn(|i| ((i * i) >> 3) as u8);
    let mut good = true;
    for (key_len, answer) in ANSWERS {
        let Ok(key) = KeyBytes::from_slice(&numbers[100..100 + key_len]) else { return false };
        let new = kernel.prepare(key);
        let mut key = new.clone();
        let mut tags = 0;
        for len in LENGTHS {
            let (aad, plaintext) = (&numbers[..len % 101], &numbers[..len]);
            let start = || Progress::new(first_block(&[len as u8; 12]));
            let lengths = lengths(aad.len(), len);

            let mut text = numbers;
            let text = &mut text[..len];
            let tag = kernel.seal(&key, &mut start(), aad, &mut InOut::in_place(text), Some(&lengths));
            tags ^= u128::from_be_bytes(tag);

            let mut parts = [0; MAX_LEN];
            let (head, tail) = parts[..len].split_at_mut(len / 48 * 16);
            let (head_in, tail_in) = plaintext.split_at(head.len());
            let mut progress = start();
            kernel.seal(&key, &mut progress, aad, &mut InOut::apart(head_in, head), None);
            good &= kernel.seal(&key, &mut progress, &[], &mut InOut::apart(tail_in, tail), Some(&lengths))
                == tag;
            good &= parts[..len] == *text;

            good &= kernel.open(&key, &mut start(), aad, &mut InOut::in_place(text), lengths) == tag;
            good &= text == plaintext;

            // A key's first message computes the powers of H that it needs.
            key = new.clone();
            good &= kernel.seal(&key, &mut start(), aad, &mut InOut::in_place(text), Some(&lengths)) == tag;
        }
        good &= tags == answer && many(kernel, &key, &numbers);
    }
    good
}

/// Compares many messages with the same messages one by one: with messages that are alike, then with others.
fn many(kernel: &(impl Kernel + ?Sized), key: &Key, numbers: &[u8; MAX_LEN]) -> bool {
    const COUNT: usize = 18;
    const MIXED: [usize; COUNT / 2] = [448, 0, 256, 300, 5, 191, 447, 16, 320];
    let plaintext: &[u8; 448] = numbers.first_chunk().expect("2645 bytes");
    let nonces: [[u8; 12]; COUNT] = core::array::from_fn(|i| [i as u8; 12]);
    let mut good = true;
    for len in [0, 9, 64, 191, 448] {
        let alike = len < 448;
        let aad_of = |i| if alike { &numbers[..len % 51] } else { &numbers[..i * 13 % 49] };
        let len_of = |i| if alike { len - usize::from(len % 16 > i) } else { MIXED[i % MIXED.len()] };
        let (mut texts, mut received, mut tags) = ([*plaintext; COUNT], [[0; 16]; COUNT], [[0; 16]; COUNT]);
        for direction in [Direction::Seal, Direction::Open] {
            let mut parts = texts.iter_mut().zip(&mut received).zip(&nonces).enumerate();
            let mut messages: [aead::Message<'_>; COUNT] = core::array::from_fn(|_| {
                let (i, ((text, tag), nonce)) = parts.next().expect("as many of each");
                aead::Message { nonce, aad: aad_of(i), text: &mut text[..len_of(i)], tag }
            });
            let count = kernel.crypt_many(alike, direction, key, &mut messages, &mut tags);
            for i in 0..count {
                let (mut text, aad, len) = (*plaintext, aad_of(i), len_of(i));
                let (mut progress, lengths) =
                    (Progress::new(first_block(&nonces[i])), lengths(aad.len(), len));
                let mut alone = InOut::in_place(&mut text[..len]);
                good &= kernel.seal(key, &mut progress, aad, &mut alone, Some(&lengths)) == tags[i];
                good &= texts[i] == if direction == Direction::Seal { text } else { *plaintext };
            }
        }
    }
    good
}
