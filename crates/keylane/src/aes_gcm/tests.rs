//! Limits that no slice can reach.

use super::AesGcm;
use super::kernel::{MAX_AAD_LEN, MAX_TEXT_LEN, lengths};
use crate::aead::check_lengths;
use crate::error::Error;

/// SP 800-38D §5.2.1.1 has the limits in bits. By §7.1, step 5, both lengths are numbers of 64 bits.
#[test]
fn the_longest_texts() {
    let (aad_len, text_len) = (MAX_AAD_LEN as usize, MAX_TEXT_LEN as usize);
    let (aad_bits, text_bits) = (0xffff_ffff_ffff_fff8_u128, (1_u128 << 39) - 256);
    let check = check_lengths::<AesGcm>;
    assert_eq!((check(aad_len, text_len), lengths(aad_len, text_len)), (Ok(()), aad_bits << 64 | text_bits));
    assert_eq!(check(aad_len, text_len + 1), Err(Error::InputTooLong { max: MAX_TEXT_LEN }));
    assert_eq!(check(aad_len + 1, text_len), Err(Error::InputTooLong { max: MAX_AAD_LEN }));
}

#[test]
fn lengths_in_bits() {
    assert_eq!(lengths(0, 0), 0);
    assert_eq!(lengths(3, 0x1000), 24 << 64 | 0x8000);
}
