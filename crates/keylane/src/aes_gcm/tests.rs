//! Limits that no slice can reach, later parts of long messages, a key that another thread is busy with, and
//! messages that are alike.

use super::kernel::{MAX_AAD_LEN, MAX_TEXT_LEN, Part, Progress, lengths, seal};
use super::{AesGcm, BACKENDS, Gcm};
use crate::aead::{Batch, Crypt, Direction, Message, check_lengths};
use crate::aes::KeyBytes;
use crate::error::Error;
use aes_gcm::aead::{Aead as _, KeyInit, Payload};
use ctr::cipher::{KeyIvInit, StreamCipher};
use keylane_cpu::in_out::InOut;

/// Runs a test with the stack that kernels need without optimisation.
fn with_stack(test: fn()) {
    std::thread::Builder::new().stack_size(1 << 25).spawn(test).unwrap().join().unwrap();
}

/// SP 800-38D §5.2.1.1 has the limits in bits. By §7.1, step 5, both lengths are numbers of 64 bits.
#[test]
fn the_longest_texts() {
    let (aad_len, text_len) = (MAX_AAD_LEN as usize, MAX_TEXT_LEN as usize);
    let (aad_bits, text_bits) = (0xffff_ffff_ffff_fff8_u128, (1_u128 << 39) - 256);
    let check = check_lengths::<Gcm<0>>;
    assert_eq!((check(aad_len, text_len), lengths(aad_len, text_len)), (Ok(()), aad_bits << 64 | text_bits));
    assert_eq!(check(aad_len, text_len + 1), Err(Error::InputTooLong { max: MAX_TEXT_LEN }));
    assert_eq!(check(aad_len + 1, text_len), Err(Error::InputTooLong { max: MAX_AAD_LEN }));
}

#[test]
fn lengths_in_bits() {
    assert_eq!(lengths(0, 0), 0);
    assert_eq!(lengths(3, 0x1000), 24 << 64 | 0x8000);
}

const KEY: [u8; 32] = [7; 32];

/// XORs RustCrypto's key stream, from the block on whose counter is so much more than that of `j0`.
fn keystream(j0: [u8; 16], more: u32, data: &mut [u8]) {
    let number = u128::from_be_bytes(j0);
    let block = number >> 32 << 32 | u128::from((number as u32).wrapping_add(more));
    ctr::Ctr32BE::<aes::Aes256>::new(&KEY.into(), &block.to_be_bytes().into()).apply_keystream(data);
}

/// Returns the ciphertext and the tag of what follows so many blocks that were not hashed. RustCrypto has the
/// same ciphertext of another text, without those blocks and with another mask.
fn sealed_after(blocks: u32, j0: [u8; 16], aad: &[u8], text: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let with_one = [&j0[..12], &[0, 0, 0, 1]].concat().try_into().unwrap();
    let mut sealed = text.to_vec();
    keystream(j0, blocks.wrapping_add(1), &mut sealed);
    let mut msg = sealed.clone();
    keystream(with_one, 1, &mut msg);
    let nonce = j0[..12].try_into().unwrap();
    let all = aes_gcm::Aes256Gcm::new(&KEY.into()).encrypt(nonce, Payload { msg: &msg, aad }).unwrap();
    let mut tag: [u8; 16] = all[text.len()..].try_into().unwrap();
    [j0, with_one].into_iter().for_each(|j0| keystream(j0, 0, &mut tag));
    assert_eq!(all[..text.len()], sealed);
    (sealed, tag)
}

/// Parts of a message that begin around 2^7, 2^8, ..., 2^32 blocks, with any first counter.
#[test]
fn later_parts() {
    with_stack(|| {
        let (data, aad) = (vec![5; 4000], [3; 37]);
        // The number of blocks from the first part's beginning to the power of two, and the parts.
        for (before, parts) in
            [(1, [0, 33]), (2, [64, 500]), (4, [64, 0]), (37, [512, 100]), (150, [2064, 1900])]
        {
            for (i, power) in (7..=32).map(|bit| (1_u64 << bit) as u32).enumerate() {
                let (blocks, from_one) = (power.wrapping_sub(before), i % 3 != before as usize % 3);
                let word = if from_one { 1 } else { power.wrapping_mul(5) ^ !before };
                let j0: [u8; 16] = [&[9; 12][..], &word.to_be_bytes()].concat().try_into().unwrap();
                let text = &data[..parts[0] + parts[1]];
                let (sealed, tag) = sealed_after(blocks, j0, &aad, text);
                let lengths = lengths(aad.len(), text.len());
                for (place, kernel) in BACKENDS.usable().enumerate() {
                    let what = format!("{parts:?} after {blocks:#x} blocks, first {word}, kernel {place}");
                    let key = kernel.prepare(KeyBytes::Aes256(&KEY));
                    let begin = || Progress { blocks, from_one, ..Progress::new(u128::from_le_bytes(j0)) };
                    let (mut progress, mut out) = (begin(), text.to_vec());
                    let (first, second) = out.split_at_mut(parts[0]);
                    seal(kernel, &key, &mut progress, &aad, InOut::in_place(first), None);
                    let second = InOut::in_place(second);
                    let sealed_tag = seal(kernel, &key, &mut progress, &[], second, Some(&lengths));
                    assert!((&out, sealed_tag) == (&sealed, tag), "sealed: {what}");
                    let opened_tag = kernel.crypt(&mut Part {
                        direction: Direction::Open(()),
                        key: &key,
                        progress: &mut begin(),
                        aad: &aad,
                        text: InOut::in_place(&mut out),
                        lengths: Some(&lengths),
                    });
                    assert!(opened_tag == tag, "tag: {what}");
                    assert!(out == text, "opened: {what}");
                }
            }
        }
    });
}

/// A part of a message, with any additional data, while another thread is computing powers of H, and after.
#[test]
fn a_message_does_not_wait_for_powers_of_h() {
    with_stack(|| {
        let kernels: Vec<_> = BACKENDS.usable().collect();
        for (place, kernel) in kernels.iter().enumerate() {
            let key = kernel.prepare(KeyBytes::Aes256(&KEY));
            for (i, len) in [0, 16, 300, 2000, 4500].into_iter().enumerate() {
                for aad in [0, 5, 16, 40, 600] {
                    let run = |key| {
                        let mut text = vec![1; len];
                        let tag = kernel.crypt(&mut Part {
                            direction: if (i + aad) % 2 == 0 { Direction::Seal } else { Direction::Open(()) },
                            key,
                            progress: &mut Progress {
                                hash: [4; 16],
                                blocks: 6,
                                ..Progress::new(5 | 1 << 120)
                            },
                            aad: &[3; 600][..aad],
                            text: InOut::in_place(&mut text),
                            lengths: [None, Some(&9)][usize::from(aad > 5)],
                        });
                        (tag, text)
                    };
                    let (busy, mut meanwhile) = (key.clone(), None);
                    assert!(busy.hash.powers.grow(|_| meanwhile = Some(run(&busy))));
                    assert_eq!(busy.hash.powers.get().len(), 0);
                    assert!(meanwhile == Some(run(&busy)), "kernel {place}: {aad} and {len} bytes");
                    // The portable one needs no powers.
                    let needed = busy.hash.powers.get().len() > 0;
                    assert_eq!(needed, place + 1 < kernels.len());
                }
            }
        }
    });
}

/// Seals texts of these lengths in one call. Returns the texts and the tags.
fn many(key: &AesGcm, lens: &[usize]) -> Vec<(Vec<u8>, [u8; 16])> {
    let mut texts: Vec<_> = lens.iter().map(|&len| vec![len as u8; len]).collect();
    let mut received = vec![[0; 16]; lens.len()];
    let mut tags = received.clone();
    let parts = texts.iter_mut().zip(&mut received);
    let messages =
        parts.map(|(text, tag)| Message { nonce: &[3; 12], aad: &[6; 40][..text.len() % 41], text, tag });
    let messages = &mut messages.collect::<Vec<_>>();
    key.0.crypt_many(&mut Batch { direction: Direction::Seal, messages, tags: &mut tags });
    texts.into_iter().zip(tags).collect()
}

#[test]
fn some_messages_are_alike() {
    with_stack(|| {
        let mut random = 1_u32;
        // Also of more blocks than are processed in turn.
        for longest in [250, 700].repeat(25) {
            let mut lens = Vec::new();
            while lens.len() < 32 {
                random = random.wrapping_mul(0x9e37_79b9).rotate_left(9) ^ 5;
                lens.extend(std::iter::repeat_n((random % longest) as usize, 1 + (random >> 28) as usize));
            }
            let key = AesGcm::from_slice(&[7; 16]).unwrap();
            let alone = lens.iter().flat_map(|len| many(&key, &[*len]));
            assert_eq!(many(&key, &lens), alone.collect::<Vec<_>>(), "{lens:?}");
            // While another thread is computing powers of H, messages are processed one by one.
            let busy = key.clone();
            let mut sealed = None;
            assert!(busy.0.0.hash.powers.grow(|_| sealed = Some(many(&busy, &lens))));
            assert_eq!(sealed, Some(many(&busy, &lens)));
        }
    });
}

#[test]
fn after_precompute_no_message_computes_powers() {
    with_stack(|| {
        let key = AesGcm::from_slice(&[7; 16]).unwrap();
        key.precompute();
        let known = key.0.0.hash.powers.get().len();
        for (count, len) in [(1, 0), (1, 5000), (5, 100), (40, 400), (40, 448)] {
            let mut text = vec![0; len];
            key.seal(&[0; 12], &[0; 700], &mut text).unwrap();
            many(&key, &vec![len; count]);
            many(&key, &(0..count).map(|i| len.saturating_sub(i)).collect::<Vec<_>>());
            assert_eq!(key.0.0.hash.powers.get().len(), known, "{count} messages of {len} bytes");
        }
    });
}
