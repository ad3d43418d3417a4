//! Limits that no slice can reach, a key that another thread is busy with, and messages that are alike.

use super::kernel::{MAX_AAD_LEN, MAX_TEXT_LEN, Part, Progress, lengths};
use super::{AesGcm, BACKENDS, Gcm};
use crate::aead::{Batch, Crypt, Direction, Message, check_lengths};
use crate::aes::KeyBytes;
use crate::error::Error;
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
