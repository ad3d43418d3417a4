//! Self-tests of AES-GCM: known answers of every implementation, before its first use, and many messages at
//! once.

use super::Chosen;
use super::kernel::{Kernel, Key, Part, Progress, first_block, lengths, seal};
use crate::aead::{Batch, Direction, Message, Tag, checked};
use crate::aes::KeyBytes;
use crate::backend::MESSAGE;
use keylane_cpu::in_out::InOut;

/// The lengths of texts: from empty to several groups of every implementation, with every number of vectors
/// after them, whole and partial.
const LENGTHS: [usize; 10] = [0, 5, 16, 27, 79, 250, 511, 512, 1337, MAX_LEN];
const MAX_LEN: usize = 2139;

/// For each key size, the XOR of the tags of texts of all these lengths. A tag depends on every bit of the
/// ciphertext and of the additional data.
const ANSWERS: [(usize, u128); 3] = [
    (16, 0x3fb0_e79d_e423_8c8f_638b_dc30_c365_2a30),
    (24, 0x880e_386c_dd1b_a9c4_2b1f_5477_359e_569f),
    (32, 0x5ea5_a732_080e_6a5f_cf04_991a_3fb5_3aee),
];

/// Tests sealing, sealing in two parts, and opening.
pub(super) fn passes(kernel: &Chosen) -> bool {
    every_key(|key, answer| one_by_one(kernel, key, answer))
}

/// Compares many messages at once with the same messages one by one: with messages that are alike, then with
/// others.
pub(super) fn passes_side_by_side(kernel: &Chosen) -> bool {
    every_key(|key, _| {
        let key = &kernel.prepare(key);
        [Some(0), Some(9), Some(64), Some(90), Some(191), None]
            .into_iter()
            .all(|alike| side_by_side(kernel, key, alike))
    })
}

fn every_key(passes: impl Fn(KeyBytes<'_>, u128) -> bool) -> bool {
    ANSWERS.iter().all(|&(key_len, answer)| {
        KeyBytes::from_slice(&MESSAGE[100..100 + key_len]).is_ok_and(|key| passes(key, answer))
    })
}

fn one_by_one(kernel: &Chosen, key: KeyBytes<'_>, answer: u128) -> bool {
    let mut text = [0; MAX_LEN];
    let (mut good, mut tags) = (true, [0; 2]);
    for (number, &len) in LENGTHS.iter().enumerate() {
        let (nonce, aad, plaintext) = (&[len as u8; 12], &MESSAGE[..len % 101], &MESSAGE[..len]);
        // A key's first message computes the powers of H that it needs: in turns one of either kind.
        let key = &kernel.prepare(key);
        for in_parts in [number % 2 == 0, number % 2 == 1] {
            let text = &mut text[..len];
            text.copy_from_slice(plaintext);
            let tag = if in_parts {
                seal_parts(kernel, key, nonce, aad, plaintext, text)
            } else {
                whole(kernel, key, Direction::Seal, nonce, aad, text)
            };
            tags[usize::from(in_parts)] ^= u128::from_be_bytes(tag);
            good &= whole(kernel, key, Direction::Open(()), nonce, aad, text) == tag && text == plaintext;
        }
    }
    good && tags == [answer; 2]
}

/// Encrypts or decrypts a message in place. Returns its tag.
#[inline(never)]
fn whole(
    kernel: &Chosen,
    key: &Key,
    direction: Direction,
    nonce: &[u8; 12],
    aad: &[u8],
    text: &mut [u8],
) -> Tag {
    let (progress, lengths) = (&mut Progress::new(first_block(nonce)), Some(&lengths(aad.len(), text.len())));
    Kernel::crypt(kernel, &mut Part { direction, key, progress, aad, text: InOut::in_place(text), lengths })
}

/// Seals a message in two parts, into another buffer.
#[inline(never)]
fn seal_parts(
    kernel: &Chosen,
    key: &Key,
    nonce: &[u8; 12],
    aad: &[u8],
    plaintext: &[u8],
    text: &mut [u8],
) -> Tag {
    let (mut progress, lengths) = (Progress::new(first_block(nonce)), lengths(aad.len(), text.len()));
    let cut = if text.len() < MAX_LEN { text.len() / 48 * 16 } else { 16 };
    let (head, tail) = text.split_at_mut(cut);
    seal(kernel, key, &mut progress, aad, InOut::apart(&plaintext[..cut], head), None);
    seal(kernel, key, &mut progress, &[], InOut::apart(&plaintext[cut..], tail), Some(&lengths))
}

/// The lengths of messages that are not alike: more than the masks that are computed at once.
const MIXED: [usize; 17] = [448, 257, 191, 0, 5, 16, 33, 17, 1, 48, 2, 15, 31, 3, 32, 4, 18];
const TEXTS_LEN: usize = 1152;

/// Tests sealing and opening many messages at once, all with the blocks of `alike` bytes, or with mixed
/// lengths.
#[inline(never)]
fn side_by_side(kernel: &Chosen, key: &Key, alike: Option<usize>) -> bool {
    let count = alike.map_or(MIXED.len(), |len| MIXED.len().min(TEXTS_LEN / len.max(1)));
    let (mut texts, mut received, mut tags) =
        ([0; TEXTS_LEN], [[0; 16]; MIXED.len()], [[0; 16]; MIXED.len()]);
    let (mut rest, mut places) = (&mut texts[..], received.iter_mut());
    let mut messages: [Message<'_>; MIXED.len()] = core::array::from_fn(|i| {
        let (aad_len, len) = match alike {
            Some(len) => (len % 51, len - usize::from(len % 16 > i)),
            None => (i * 13 % 49, MIXED[i]),
        };
        let (text, later) = core::mem::take(&mut rest).split_at_mut(if i < count { len } else { 0 });
        rest = later;
        let (nonce, aad) = (&MESSAGE[12 * i..][..12], &MESSAGE[..aad_len]);
        Message { nonce, aad, text, tag: places.next().expect("as many") }
    });
    let messages = &mut messages[..count];
    let mut good = true;
    for direction in [Direction::Seal, Direction::Open(())] {
        for (i, message) in messages.iter_mut().enumerate() {
            message.text.copy_from_slice(&MESSAGE[i..][..message.text.len()]);
            if direction == Direction::Open(()) {
                *message.tag =
                    whole(kernel, key, Direction::Seal, checked(message.nonce), message.aad, message.text);
            }
        }
        let done = kernel.crypt_many(
            alike.is_some(),
            key,
            &mut Batch { direction, messages, tags: &mut tags[..count] },
        );
        for (i, (message, tag)) in messages[..done].iter_mut().zip(&tags).enumerate() {
            if direction == Direction::Seal {
                *message.tag = whole(
                    kernel,
                    key,
                    Direction::Open(()),
                    checked(message.nonce),
                    message.aad,
                    message.text,
                );
            }
            good &= *message.tag == *tag && *message.text == MESSAGE[i..][..message.text.len()];
        }
    }
    good
}
