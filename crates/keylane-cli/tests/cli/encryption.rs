//! `keylane encrypt` and `keylane decrypt`.

mod attacks;
#[cfg(unix)]
mod endings;
mod files;
mod round_trips;
mod secrets;
mod several;
#[cfg(target_os = "linux")]
mod terminal;

use super::workplace::Workplace;
use keylane_file::{CHUNK_LEN, HEADER_LEN, TAG_LEN};

/// The length of a full chunk in the file.
const SEALED_LEN: usize = CHUNK_LEN + TAG_LEN;

/// Creates a folder with `key` and `other-key`.
fn place() -> Workplace {
    Workplace::with(&[("key", &[7; 32]), ("other-key", &[8; 32])])
}

/// Returns bytes that differ from chunk to chunk.
fn text(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 11) as u8).collect()
}

/// Returns the file of this text under `key`.
fn encrypted(place: &Workplace, text: &[u8]) -> Vec<u8> {
    let file = place.bytes("encrypt --key-file key", text);
    assert_eq!(file.len(), HEADER_LEN + text.len() + TAG_LEN * text.len().div_ceil(CHUNK_LEN).max(1));
    file
}
