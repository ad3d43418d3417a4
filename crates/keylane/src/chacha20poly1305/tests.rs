//! Limits that no slice can reach, and later parts of long messages.

use super::*;
use ::chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use ::chacha20poly1305::aead::{Aead as _, KeyInit, Payload};

/// RFC 8439 §2.8: 274877906880 bytes, longer than any slice, and both lengths in 64 bits.
#[test]
#[cfg(target_pointer_width = "64")]
fn the_longest_text() {
    let check = |text_len| aead::check_lengths::<ChaChaPoly>(0, text_len);
    assert_eq!(check(274_877_906_880), Ok(()));
    assert_eq!(check(274_877_906_881), Err(crate::Error::InputTooLong { max: 274_877_906_880 }));
    let (aad, text) = (0x0123_4567_89ab_cdef_u64, 274_877_906_879_u64);
    let expected = [aad, text].map(u64::to_le_bytes);
    assert_eq!(lengths(aad as usize, text as usize), expected.as_flattened());
}

/// Parts of a message after the first, which begin around 2^8, 2^9, ..., 2^32 blocks. RustCrypto has the same
/// ciphertext of another text, without the blocks between the first part and those.
#[test]
fn later_parts() {
    let (key, nonce, aad) = ([7; 32], [9; 12], [3; 37]);
    let keystream = |block: u32, data: &mut [u8]| {
        let mut cipher = ::chacha20::ChaCha20::new(&key.into(), &nonce.into());
        cipher.seek(64 * u64::from(block));
        cipher.apply_keystream(data);
    };
    // The number of blocks to the power of two, and the parts.
    for (before, parts) in
        [(170, [64, 64, 9999]), (5, [320, 0, 200]), (22, [1088, 1344, 0]), (20, [64, 1152, 0])]
    {
        for power in 8..=32 {
            let (at, text) = ((1_u64 << power) - before, vec![power as u8; parts.iter().sum()]);
            let mut sealed = text.clone();
            let (first, later) = sealed.split_at_mut(parts[0]);
            keystream(1, first);
            keystream(at as u32, later);
            let mut msg = sealed.clone();
            keystream(1, &mut msg);
            let cipher = ::chacha20poly1305::ChaCha20Poly1305::new(&key.into());
            let all = cipher.encrypt(&nonce.into(), Payload { msg: &msg, aad: &aad }).unwrap();
            let tag = &all[text.len()..];
            for (place, kernel) in BACKENDS.usable().enumerate() {
                for (direction, input, output) in
                    [(Direction::Seal, &text, &sealed), (Direction::Open(()), &sealed, &text)]
                {
                    let (mut message, mut data) = (Progress::new(&key, &nonce), input.clone());
                    let (mut rest, lengths) = (InOut::in_place(&mut data), lengths(aad.len(), text.len()));
                    for (i, len) in parts.into_iter().enumerate() {
                        let (aad, end): (&[u8], &[u8]) =
                            ([&aad[..], &[], &[]][i], [&[], &[], &lengths[..]][i]);
                        let text = rest.take_front(len);
                        Kernel::crypt(kernel, &mut Part { direction, message: &mut message, aad, text, end });
                        if i == 0 {
                            message.counter = at as u32;
                        }
                    }
                    let what = format!("{direction:?} {parts:?} at {at:#x}, kernel {place}");
                    assert!((&data, &message.tag()[..]) == (output, tag), "{what}");
                }
            }
        }
    }
}
