//! What all AEADs have in common: tags, and messages from several slices.

use crate::error::Error;
use keylane_cpu::constant_time::{declassify, equal};
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::wipe;

pub(crate) const TAG_LEN: usize = 16;

/// The length of a sealed message's text.
#[inline(always)]
pub(crate) fn text_len_of(sealed: &[u8]) -> Result<usize, Error> {
    sealed.len().checked_sub(TAG_LEN).ok_or(Error::WrongLength {
        what: "length of the sealed message in bytes",
        min: TAG_LEN,
        max: usize::MAX,
        actual: sealed.len(),
    })
}

/// Refuses an output that is not exactly as long as what is written to it.
#[inline(always)]
pub(crate) fn check_output(expected: usize, output: &[u8]) -> Result<(), Error> {
    Error::check_length("length of the output in bytes", expected, output.len())
}

/// The length of all slices, which may be the same memory again and again.
#[inline(always)]
pub(crate) fn total_len(slices: &[&[u8]]) -> usize {
    match slices {
        [one] => one.len(),
        several => {
            several.iter().try_fold(0_usize, |sum, slice| sum.checked_add(slice.len())).unwrap_or(usize::MAX)
        }
    }
}

/// Wipes `text` unless `tag`, 12 to 16 bytes, is the leading part of the expected one. The expected tag of a forgery is a
/// secret, too.
#[inline]
pub(crate) fn verify(expected: &mut [u8; TAG_LEN], tag: &[u8], text: &mut [u8]) -> Result<(), Error> {
    assert!((12..=TAG_LEN).contains(&tag.len()));
    let authentic = declassify(equal(&expected[..tag.len()], tag));
    wipe(expected);
    if authentic {
        return Ok(());
    }
    wipe(text);
    Err(Error::AuthenticationFailed)
}

/// Up to here, slices are first put together where they are sealed: quicker than a call for each.
const SHORT: usize = 512;

/// Calls `seal` for the slices, one after the other, each with its place in `text`, which has the length of all: whole blocks
/// straight from the slices; a block that lies in two or more is put together in its place. The last call, which always
/// comes and says so, has fewer bytes than a block, or all of them.
#[inline(always)]
pub(crate) fn gather<const BLOCK: usize>(
    slices: &[&[u8]],
    text: &mut [u8],
    mut seal: impl FnMut(InOut<'_>, bool),
) {
    if text.len() <= SHORT {
        let mut filled = 0;
        for slice in slices {
            text[filled..filled + slice.len()].copy_from_slice(slice);
            filled += slice.len();
        }
        return seal(InOut::in_place(text), true);
    }
    // `text` is ciphertext up to `sealed`, and plaintext, less than a block, up to `filled`.
    let (mut sealed, mut filled) = (0, 0);
    for &slice in slices {
        let mut slice = slice;
        if filled > sealed {
            let (head, rest) = slice.split_at(slice.len().min(BLOCK - (filled - sealed)));
            text[filled..filled + head.len()].copy_from_slice(head);
            (filled, slice) = (filled + head.len(), rest);
            if filled - sealed == BLOCK {
                seal(InOut::in_place(&mut text[sealed..filled]), false);
                sealed = filled;
            }
        }
        let (blocks, tail) = slice.split_at(slice.len() / BLOCK * BLOCK);
        if !blocks.is_empty() {
            seal(InOut::apart(blocks, &mut text[filled..filled + blocks.len()]), false);
            filled += blocks.len();
            sealed = filled;
        }
        text[filled..filled + tail.len()].copy_from_slice(tail);
        filled += tail.len();
    }
    seal(InOut::in_place(&mut text[sealed..]), true);
}
