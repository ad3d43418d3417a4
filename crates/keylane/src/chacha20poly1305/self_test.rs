//! Self-tests of ChaCha20-Poly1305: known answers of every implementation, before its first use, and many
//! messages at once.

use super::Chosen;
use super::kernel::{Kernel, Part, Progress, lengths};
use crate::aead::{Batch, Direction, Message, Tag, checked};
use crate::backend::MESSAGE;
use keylane_cpu::in_out::InOut;

/// The lengths of texts: from empty to several groups of every implementation, with and without a partial
/// block at the end.
const LENGTHS: [usize; 12] = [0, 5, 16, 79, 192, 193, 250, 511, 960, 961, 1337, MAX_LEN];
const MAX_LEN: usize = 2345;

/// The XOR of the tags of texts of all these lengths. A tag depends on every bit of the ciphertext and of the
/// additional data.
const ANSWER: u128 = 0x8e11_e9bd_199a_c798_93bc_d6e4_b024_9d77;

fn key() -> &'static [u8; 32] {
    MESSAGE[100..].first_chunk().expect("it is long enough")
}

/// Tests sealing, sealing in two parts, and opening.
pub(super) fn passes(kernel: &Chosen) -> bool {
    let mut text = [0; MAX_LEN];
    let (mut good, mut tags) = (true, [0; 2]);
    for &len in &LENGTHS {
        let (aad, plaintext, text) = (&MESSAGE[..len % 101], &MESSAGE[..len], &mut text[..len]);
        let nonce = [len as u8; 12];
        for in_parts in [false, true] {
            text.copy_from_slice(plaintext);
            let tag = if in_parts {
                seal_parts(kernel, &nonce, aad, plaintext, text)
            } else {
                whole(kernel, Direction::Seal, &nonce, aad, text)
            };
            tags[usize::from(in_parts)] ^= u128::from_be_bytes(tag);
            good &= whole(kernel, Direction::Open(()), &nonce, aad, text) == tag && text == plaintext;
        }
    }
    good && tags == [ANSWER; 2]
}

/// Encrypts or decrypts a message. Returns its tag.
#[inline(never)]
fn whole(kernel: &Chosen, direction: Direction, nonce: &[u8; 12], aad: &[u8], text: &mut [u8]) -> Tag {
    Progress::new(key(), nonce).crypt(kernel, direction, aad, InOut::in_place(text))
}

/// Seals a message in two parts, into another buffer.
#[inline(never)]
fn seal_parts(kernel: &Chosen, nonce: &[u8; 12], aad: &[u8], plaintext: &[u8], text: &mut [u8]) -> Tag {
    let (message, end) = (&mut Progress::new(key(), nonce), &lengths(aad.len(), text.len()));
    let (direction, cut) = (Direction::Seal, text.len() / 192 * 64);
    let (head, tail) = text.split_at_mut(cut);
    let text = InOut::apart(&plaintext[..cut], head);
    Kernel::crypt(kernel, &mut Part { direction, message: &mut *message, aad, text, end: &[] });
    let text = InOut::apart(&plaintext[cut..], tail);
    Kernel::crypt(kernel, &mut Part { direction, message: &mut *message, aad: &[], text, end });
    message.tag()
}

/// The lengths of messages: sixteen similar ones, so that each may have its own lane, and others.
const EVEN: [usize; 20] = [70, 71, 72, 73, 74, 64, 65, 66, 67, 68, 70, 71, 72, 73, 74, 64, 511, 0, 5, 300];
/// Several groups of blocks, of one message and of many; too long a message, where there are fewer.
const MIXED: [usize; 20] = [1201, 0, 511, 5, 16, 64, 65, 0, 1, 17, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12];
const TEXTS_LEN: usize = 2000;

/// Compares many messages at once with the same messages one by one.
pub(super) fn passes_side_by_side(kernel: &Chosen) -> bool {
    [&EVEN[..], &EVEN[..14], &MIXED, &MIXED[..12]].into_iter().all(|lens| side_by_side(kernel, lens))
}

/// Tests sealing and opening messages of these lengths.
fn side_by_side(kernel: &Chosen, lens: &[usize]) -> bool {
    let (mut texts, mut received, mut tags) = ([0; TEXTS_LEN], [[0; 16]; 20], [[0; 16]; 20]);
    let (mut rest, mut places) = (&mut texts[..], received.iter_mut());
    let mut messages: [Message<'_>; 20] = core::array::from_fn(|i| {
        let len = lens.get(i).copied().unwrap_or_default();
        let (text, later) = core::mem::take(&mut rest).split_at_mut(len);
        rest = later;
        let (nonce, aad) = (&MESSAGE[12 * i..][..12], &MESSAGE[..len % 101]);
        Message { nonce, aad, text, tag: places.next().expect("as many") }
    });
    let (messages, tags) = (&mut messages[..lens.len()], &mut tags[..lens.len()]);
    let mut good = true;
    for direction in [Direction::Seal, Direction::Open(())] {
        for (i, message) in messages.iter_mut().enumerate() {
            message.text.copy_from_slice(&MESSAGE[i..][..message.text.len()]);
            if direction == Direction::Open(()) {
                *message.tag =
                    whole(kernel, Direction::Seal, checked(message.nonce), message.aad, message.text);
            }
        }
        Kernel::crypt_many(kernel, key(), &mut Batch { direction, messages, tags });
        for (i, (message, tag)) in messages.iter_mut().zip(&*tags).enumerate() {
            if direction == Direction::Seal {
                *message.tag =
                    whole(kernel, Direction::Open(()), checked(message.nonce), message.aad, message.text);
            }
            good &= *message.tag == *tag && *message.text == MESSAGE[i..][..message.text.len()];
        }
    }
    good
}
