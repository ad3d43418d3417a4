//! Sealing from one place, or several, to another.

use super::{BACKENDS, Key, Progress, TAG_LEN, lengths};
use crate::error::Error;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use keylane_cpu::in_out::InOut;

/// Up to here, slices are first put together where they are sealed: quicker than a call for each.
const SHORT: usize = 512;

/// Encrypts the slices one after the other: the text, then the tag.
#[inline]
pub(super) fn seal_to(
    key: &Key,
    first: u128,
    aad: &[u8],
    plaintext: &[&[u8]],
    output: &mut [u8],
) -> Result<(), Error> {
    let text_len = match plaintext {
        [one] => one.len(),
        // Slices may be the same memory again and again.
        several => {
            several.iter().try_fold(0_usize, |sum, slice| sum.checked_add(slice.len())).unwrap_or(usize::MAX)
        }
    };
    let lengths = lengths(aad.len(), text_len)?;
    let (expected, actual) = (text_len.saturating_add(TAG_LEN), output.len());
    if expected != actual {
        return Err(Error::WrongLength { what: "output: the text and a tag", expected, actual });
    }
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

/// Encrypts several slices into `text`, which has the length of all: whole blocks straight from the slices; a block that
/// lies in two or more is put together in its place.
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
    let mut seal = |mut text: InOut<'_>, lengths| {
        kernel.seal(key, &mut progress, core::mem::take(&mut aad), &mut text, lengths)
    };
    if text.len() <= SHORT {
        let mut filled = 0;
        for slice in slices {
            text[filled..filled + slice.len()].copy_from_slice(slice);
            filled += slice.len();
        }
        return seal(InOut::in_place(text), Some(&lengths));
    }
    // `text` is ciphertext up to `sealed`, and plaintext, less than a block, up to `filled`.
    let (mut sealed, mut filled) = (0, 0);
    for &slice in slices {
        let mut slice = slice;
        if filled > sealed {
            let (head, rest) = slice.split_at(slice.len().min(16 - (filled - sealed)));
            text[filled..filled + head.len()].copy_from_slice(head);
            (filled, slice) = (filled + head.len(), rest);
            if filled - sealed == 16 {
                seal(InOut::in_place(&mut text[sealed..filled]), None);
                sealed = filled;
            }
        }
        let (blocks, tail) = slice.split_at(slice.len() / 16 * 16);
        if !blocks.is_empty() {
            seal(InOut::apart(blocks, &mut text[filled..filled + blocks.len()]), None);
            filled += blocks.len();
            sealed = filled;
        }
        text[filled..filled + tail.len()].copy_from_slice(tail);
        filled += tail.len();
    }
    let tag = seal(InOut::in_place(&mut text[sealed..]), Some(&lengths));
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
