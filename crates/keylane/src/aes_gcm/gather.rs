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
    first: [u8; 16],
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
    tag.copy_from_slice(&match plaintext {
        [one] => BACKENDS.chosen().seal(key, &Progress::new(first), aad, InOut::apart(one, text), lengths),
        several => gather(key, first, aad, several, text, lengths),
    });
    Ok(())
}

/// Encrypts several slices into `text`, which has the length of all: whole blocks straight from the slices; a block that
/// lies in two or more is put together in its place.
fn gather(
    key: &Key,
    first: [u8; 16],
    aad: &[u8],
    slices: &[&[u8]],
    text: &mut [u8],
    lengths: u128,
) -> [u8; TAG_LEN] {
    let kernel = BACKENDS.chosen();
    let mut progress = Progress::new(first);
    let mut aad = aad;
    let short = text.len() <= SHORT;
    // `text` is ciphertext up to `sealed`, plaintext up to `filled`, fewer than 16 bytes if it is not short.
    let (mut sealed, mut filled) = (0, 0);
    for &slice in slices {
        let mut slice = slice;
        let open = (filled - sealed) % 16;
        if short || open != 0 {
            let (head, rest) = slice.split_at(if short { slice.len() } else { slice.len().min(16 - open) });
            text[filled..filled + head.len()].copy_from_slice(head);
            (filled, slice) = (filled + head.len(), rest);
        }
        if short {
            continue;
        }
        if filled - sealed == 16 {
            kernel.seal_blocks(
                key,
                &mut progress,
                core::mem::take(&mut aad),
                InOut::in_place(&mut text[sealed..filled]),
            );
            sealed = filled;
        }
        let (blocks, tail) = slice.split_at(slice.len() / 16 * 16);
        if !blocks.is_empty() {
            let output = &mut text[filled..filled + blocks.len()];
            kernel.seal_blocks(key, &mut progress, core::mem::take(&mut aad), InOut::apart(blocks, output));
            filled += blocks.len();
            sealed = filled;
        }
        text[filled..filled + tail.len()].copy_from_slice(tail);
        filled += tail.len();
    }
    kernel.seal(key, &progress, aad, InOut::in_place(&mut text[sealed..]), lengths)
}

/// Encrypts to the end of a vector: the text, then the tag.
#[cfg(feature = "alloc")]
#[inline]
pub(super) fn seal_append(
    key: &Key,
    first: [u8; 16],
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
