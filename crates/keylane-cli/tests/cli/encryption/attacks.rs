//! Files that were changed.

use super::{CHUNK_LEN, HEADER_LEN, SEALED_LEN, encrypted, place, text};
use crate::workplace::Workplace;
use std::sync::LazyLock;

/// Three full chunks and a short one.
static TEXT: LazyLock<Vec<u8>> = LazyLock::new(|| text(3 * CHUNK_LEN + 100));

/// Checks that `file` is refused, that a pipe receives only the first `good` chunks, and that no file is
/// created.
#[track_caller]
fn refused(place: &Workplace, file: &[u8], good: usize, what: &str) {
    let (out, run) = place.keylane_bytes("decrypt --key-file key", file);
    run.fails_with(1, what);
    assert!(out == TEXT[..good * CHUNK_LEN], "{} bytes instead of {good} chunks", out.len());
    place.write("bad", file);
    let before = place.names();
    place.keylane("decrypt --key-file key --threads 1 bad -o out").fails_with(1, what);
    assert_eq!(place.names(), before);
}

/// Returns the file, and its header and chunks.
fn parts(place: &Workplace) -> (Vec<u8>, Vec<Vec<u8>>) {
    let file = encrypted(place, &TEXT);
    let (header, chunks) = file.split_at(HEADER_LEN);
    let parts = [header].into_iter().chain(chunks.chunks(SEALED_LEN)).map(<[u8]>::to_vec).collect();
    (file, parts)
}

fn joined(parts: &[Vec<u8>], order: &[usize]) -> Vec<u8> {
    order.iter().flat_map(|&part| parts[part].clone()).collect()
}

#[test]
fn truncation() {
    let place = place();
    let (file, _) = parts(&place);
    let end = |chunks: usize| HEADER_LEN + chunks * SEALED_LEN;
    for (len, good) in [
        (0, 0),
        (7, 0),
        (9, 0),
        (HEADER_LEN - 1, 0),
        (HEADER_LEN, 0),
        (HEADER_LEN + 1, 0),
        (HEADER_LEN + 15, 0),
        (HEADER_LEN + 16, 0),
        (HEADER_LEN + 17, 0),
        (end(1) - 1, 0),
        // At the end of a chunk, which is authentic but not the last one.
        (end(1), 0),
        (end(1) + 1, 1),
        (end(1) + 16, 1),
        (end(2), 1),
        (end(3), 2),
        (end(3) + 15, 3),
        (file.len() - 1, 3),
    ] {
        refused(&place, &file[..len], good, "cut off");
    }
}

#[test]
fn reordering_and_duplication() {
    let place = place();
    let (file, parts) = parts(&place);
    assert_eq!(joined(&parts, &[0, 1, 2, 3, 4]), file);
    for (order, good) in [
        (&[0, 2, 1, 3, 4][..], 0),
        (&[0, 1, 3, 2, 4], 1),
        (&[0, 1, 2, 4, 3], 2),
        (&[0, 4, 1, 2, 3], 0),
        (&[0, 1, 1, 2, 3, 4], 1),
        (&[0, 1, 2, 2, 3, 4], 2),
        (&[0, 1, 2, 3, 3, 4], 3),
        (&[0, 1, 2, 3, 4, 4], 3),
        // One is left out.
        (&[0, 2, 3, 4], 0),
        (&[0, 1, 2, 4], 2),
    ] {
        refused(&place, &joined(&parts, order), good, "damaged");
    }
}

#[test]
fn appended_data() {
    let place = place();
    let (file, parts) = parts(&place);
    for more in [&b"\n"[..], &[0; 16], &parts[4], &parts[1], &file] {
        refused(&place, &[&file, more].concat(), 3, "chunk 3");
    }
    // After a last chunk that is full.
    let full = encrypted(&place, &text(CHUNK_LEN));
    for more in [&b"\n"[..], &parts[4], &parts[2], &full] {
        refused(&place, &[&full, more].concat(), 0, "something follows the end");
    }
}

#[test]
fn every_part_that_is_changed() {
    let place = place();
    let (file, _) = parts(&place);
    for chunk in 0..4 {
        let start = HEADER_LEN + chunk * SEALED_LEN;
        let end = (start + SEALED_LEN).min(file.len());
        for at in [start, (start + end) / 2, end - 17, end - 16, end - 1] {
            let mut bad = file.clone();
            bad[at] ^= 0x40;
            refused(&place, &bad, chunk, &format!("chunk {chunk}"));
        }
    }
}

#[test]
fn a_header_that_is_changed() {
    let place = place();
    let (file, _) = parts(&place);
    // Every field, and some bytes of the salt and of the commitment.
    for at in (0..16).chain((16..HEADER_LEN).step_by(9)) {
        let mut bad = file.clone();
        bad[at] ^= 1;
        let what = match at {
            0..8 => "not a file that Keylane has encrypted",
            8 => "version 0",
            9 => "algorithm 0",
            10 => "key source 0",
            11 => "chunks of 2^17 bytes",
            12..16 => "iterations",
            _ => "wrong key",
        };
        refused(&place, &bad, 0, what);
    }
    // Known values, but not this file's.
    let mut other_algorithm = file;
    other_algorithm[9] = 2;
    refused(&place, &other_algorithm, 0, "wrong key");
}

#[test]
fn an_unknown_version() {
    let place = place();
    let (mut file, _) = parts(&place);
    for version in [0, 2, 255] {
        file[8] = version;
        refused(&place, &file, 0, &format!("version {version} of the format is not known"));
        // Whatever follows in that version.
        refused(&place, &file[..9], 0, &format!("version {version} of the format is not known"));
    }
}

#[test]
fn a_swapped_header() {
    let place = place();
    let ((_, parts), other) = (parts(&place), encrypted(&place, &TEXT));
    let mut bad = other[..HEADER_LEN].to_vec();
    bad.extend(joined(&parts, &[1, 2, 3, 4]));
    refused(&place, &bad, 0, "chunk 0");
    // A chunk of another file with the same text, in the same place.
    let mut bad = joined(&parts, &[0, 1]);
    bad.extend(&other[HEADER_LEN + SEALED_LEN..]);
    refused(&place, &bad, 1, "chunk 1");
}

#[test]
fn other_files() {
    let place = place();
    for file in [&b"text"[..], b"\x8ckeyless", &[0; 200], b"age-encryption.org/v1\n"] {
        refused(&place, file, 0, "not a file that Keylane has encrypted");
    }
}

#[test]
fn a_wrong_key() {
    let place = place();
    let (file, _) = parts(&place);
    let (out, run) = place.keylane_bytes("decrypt --key-file other-key", &file);
    run.fails_with(1, "standard input: wrong key, or the header was changed");
    assert_eq!(out, b"");
}
