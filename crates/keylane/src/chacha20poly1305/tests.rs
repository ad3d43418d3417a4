//! Limits that no slice can reach.

use super::*;

/// RFC 8439 §2.8: 274877906880 bytes, longer than any slice, and both lengths in 64 bits.
#[test]
fn the_longest_text() {
    let check = |text_len| aead::check_lengths::<ChaChaPoly>(0, text_len);
    assert_eq!(check(274_877_906_880), Ok(()));
    assert_eq!(check(274_877_906_881), Err(crate::Error::InputTooLong { max: 274_877_906_880 }));
    let (aad, text) = (0x0123_4567_89ab_cdef_u64, 274_877_906_879_u64);
    let expected = [aad, text].map(u64::to_le_bytes);
    assert_eq!(lengths(aad as usize, text as usize), expected.as_flattened());
}
