//! Changed files: keylane-file's tests try all changes, these test the command's reports.

use super::{CHUNK_LEN, HEADER_LEN, SEALED_LEN, encrypted, place, text};

/// Only the chunks before the change leave the command, and a file does not appear.
#[test]
fn a_changed_file_is_refused() {
    let place = place();
    // Three full chunks and a short one.
    let text = text(3 * CHUNK_LEN + 100);
    let (file, other) = (encrypted(&place, &text), encrypted(&place, &text));
    let chunk = |number: usize| HEADER_LEN + number * SEALED_LEN;
    let changed = |at: usize, byte: u8| {
        let mut file = file.clone();
        file[at] = byte;
        file
    };
    let mut swapped = file.clone();
    swapped[chunk(1)..chunk(3)].rotate_left(SEALED_LEN);
    for (bytes, good, what) in [
        (file[..0].to_vec(), 0, "the file was cut off"),
        (file[..HEADER_LEN - 1].to_vec(), 0, "the file was cut off"),
        // At the end of a chunk, which is authentic but not the last one.
        (file[..chunk(2)].to_vec(), 1, "the file was cut off"),
        (file[..chunk(3) + 15].to_vec(), 3, "the file was cut off"),
        (swapped, 1, "damaged: chunk 1"),
        ([&file, &b"\n"[..]].concat(), 3, "damaged: the end, chunk 3"),
        ([&encrypted(&place, &text[..CHUNK_LEN]), &b"\n"[..]].concat(), 0, "unexpected data after the end"),
        (changed(chunk(2) + 5, !file[chunk(2) + 5]), 2, "damaged: chunk 2, text from byte 131072"),
        ([&file[..chunk(1)], &other[chunk(1)..]].concat(), 1, "damaged: chunk 1"),
        (changed(0, b'k'), 0, "not a file encrypted by Keylane"),
        (b"age-encryption.org/v1\n".to_vec(), 0, "not a file encrypted by Keylane"),
        (changed(8, 2), 0, "unknown format version 2"),
        (changed(9, 3), 0, "unknown algorithm 3"),
        (changed(9, 2), 0, "wrong key, or the header was changed"),
        (changed(10, 0), 0, "unknown key source 0"),
        (changed(11, 17), 0, "unknown chunk length of 2^17 bytes"),
        (changed(15, 1), 0, "1 iterations: 600000 to 10000000"),
        (changed(50, !file[50]), 0, "wrong key, or the header was changed"),
    ] {
        let (out, run) = place.keylane_bytes("decrypt --key-file key", &bytes);
        run.fails_with(1, &format!("standard input: {what}"));
        assert!(out == text[..good * CHUNK_LEN], "{} bytes instead of {good} chunks: {what}", out.len());
        place.write("bad", &bytes);
        let before = place.names();
        let decrypt = "decrypt --key-file key --threads 1 bad -o out";
        place.keylane(decrypt).fails_with(1, &format!("bad: {what}"));
        assert_eq!(place.names(), before);
    }
    let (out, run) = place.keylane_bytes("decrypt --key-file other-key", &file);
    run.fails_with(1, "standard input: wrong key, or the header was changed");
    assert_eq!(out, b"");
}
