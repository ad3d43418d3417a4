//! Sealing from one place, or several, to another.

use super::backends::BACKENDS;
use super::kernel::{Key, Progress, lengths};
use crate::aead::{self, TAG_LEN, check_output, total_len};
use crate::error::Error;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use keylane_cpu::in_out::InOut;

/// Encrypts the slices one after the other: the text, then the tag.
#[inline]
pub(super) fn seal_to(
    key: &Key,
    first: u128,
    aad: &[u8],
    plaintext: &[&[u8]],
    output: &mut [u8],
) -> Result<(), Error> {
    let text_len = total_len(plaintext);
    let lengths = lengths(aad.len(), text_len)?;
    check_output(text_len.saturating_add(TAG_LEN), output)?;
    let (text, tag) = output.split_at_mut(text_len);
    let value = match plaintext {
        [one] => BACKENDS.chosen().seal(
            key,
            &mut Progress::new(first),
            aad,
            &mut InOut::apart(one, text),
            Some(&lengths),
        ),
        several => gather(key, first, aad, several, text, lengths),
    };
    tag.copy_from_slice(&value);
    Ok(())
}

/// Encrypts several slices into `text`, which has the length of all.
fn gather(
    key: &Key,
    first: u128,
    aad: &[u8],
    slices: &[&[u8]],
    text: &mut [u8],
    lengths: u128,
) -> [u8; TAG_LEN] {
    let kernel = BACKENDS.chosen();
    let mut progress = Progress::new(first);
    let mut aad = aad;
    let mut tag = [0; TAG_LEN];
    aead::gather::<16>(slices, text, |mut text, end| {
        let lengths = end.then_some(&lengths);
        tag = kernel.seal(key, &mut progress, core::mem::take(&mut aad), &mut text, lengths);
    });
    progress.wipe();
    tag
}

/// Encrypts to the end of a vector: the text, then the tag.
#[cfg(feature = "alloc")]
#[inline]
pub(super) fn seal_append(
    key: &Key,
    first: u128,
    aad: &[u8],
    plaintext: &[u8],
    output: &mut Vec<u8>,
) -> Result<(), Error> {
    // Before anything is reserved.
    lengths(aad.len(), plaintext.len())?;
    keylane_cpu::in_out::append(output, plaintext.len() + TAG_LEN, |sealed| {
        seal_to(key, first, aad, &[plaintext], sealed)
    })
}

/// Decrypts to the end of a vector.
#[cfg(feature = "alloc")]
#[inline]
pub(super) fn open_append(
    key: &Key,
    first: u128,
    aad: &[u8],
    sealed: &[u8],
    output: &mut Vec<u8>,
) -> Result<(), Error> {
    // Before anything is reserved.
    let text_len = aead::text_len_of(sealed)?;
    lengths(aad.len(), text_len)?;
    keylane_cpu::in_out::append(output, text_len, |text| key.open_to(first, aad, sealed, text))
}
