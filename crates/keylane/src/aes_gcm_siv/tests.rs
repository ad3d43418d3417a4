//! Limits that no slice can reach, and later parts of long texts.

use super::*;
use ctr::cipher::{KeyIvInit, StreamCipher};

/// Both lengths are numbers of 64 bits.
#[test]
fn the_longest_lengths() {
    let bits = 8 * u128::from(MAX_LEN);
    assert_eq!(lengths(MAX_LEN as usize, 3), bits | 24 << 64);
    assert_eq!(lengths(3, MAX_LEN as usize), bits << 64 | 24);
}

/// Later parts of a text, which begin around 2^7, 2^8, ..., 2^32 blocks.
#[test]
fn later_parts() {
    let (key, mut hash) = ([7; 32], [0; 16]);
    for (before, len) in [(0, 40), (2, 100), (30, 1200), (130, 5000)] {
        for power in 7..=32 {
            let (at, mut sealed) = ((1_usize << power).saturating_sub(before), vec![power as u8; len]);
            // Every other one wraps after two blocks.
            let word = if power % 2 == 0 {
                (power as u32).wrapping_mul(0x9876_5432)
            } else {
                0_u32.wrapping_sub(at as u32 + 2)
            };
            let tag = 0x0123_4567_89ab_cdef_1234_5678_u128 << 32 | u128::from(word);
            let text = sealed.clone();
            let first = tag >> 32 << 32 | 1 << 127 | u128::from((tag as u32).wrapping_add(at as u32));
            ctr::Ctr32LE::<aes::Aes256>::new(&key.into(), &first.to_le_bytes().into())
                .apply_keystream(&mut sealed);
            for (place, kernel) in BACKENDS.usable().enumerate() {
                let mut data = text.clone();
                let rounds = &mut Kernel::expand(kernel, KeyBytes::Aes256(&key));
                let keys = MessageKeys { hash: &mut hash, rounds };
                crypt(kernel, &keys, &tag.to_le_bytes(), 16 * at, InOut::in_place(&mut data));
                assert!(data == sealed, "{len} bytes at block {at:#x}, kernel {place}");
            }
        }
    }
}
