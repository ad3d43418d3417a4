//! C2SP's chunked encryption on many threads writes and reads what `keylane::chunked` does on one.

use crate::{on_disk, text};
use keylane::chunked::{CHUNK_LEN, HEADER_LEN, Reader, message_len, open_to, seal_to};
use keylane_file::Error;
use keylane_file::c2sp::{decrypt, decrypt_file, encrypt, encrypt_file};
use std::num::NonZeroUsize;

const KEY: &[u8] = &[7; 32];
const SEALED_LEN: usize = CHUNK_LEN + 16;
const CONTEXT: &[u8] = &[b'c'; 300];
/// In a batch.
const CHUNKS: usize = 16;

fn decrypted(file: &[u8], key: &[u8], context: &[u8], threads: usize) -> (Vec<u8>, Result<u64, Error>) {
    let mut output = Vec::new();
    let done = decrypt(file, &mut output, key, context, NonZeroUsize::new(threads), |_| ());
    (output, done)
}

/// The file of this text, on one thread by the other implementation.
fn sealed(text: &[u8]) -> Vec<u8> {
    let mut file = vec![0; message_len(text.len() as u64).unwrap() as usize];
    seal_to(KEY, &[9; 24], CONTEXT, text, &mut file).unwrap();
    file
}

#[test]
fn whole_files() {
    let chunks = [0, 1, 2, CHUNKS - 1, CHUNKS, CHUNKS + 1, 3 * CHUNKS];
    let lens =
        chunks.iter().flat_map(|chunks| [0, 1, 15, CHUNK_LEN - 1].map(|more| chunks * CHUNK_LEN + more));
    for len in lens {
        let text = text(len);
        for threads in [1, 2, 5] {
            let (mut file, threads) = (Vec::new(), NonZeroUsize::new(threads));
            assert_eq!(encrypt(&text[..], &mut file, KEY, CONTEXT, threads, |_| ()).unwrap(), len as u64);
            let mut opened = vec![0; len];
            open_to(KEY, CONTEXT, &file, &mut opened).unwrap();
            assert!(opened == text, "{len} bytes");
        }
        for threads in [1, 2, 5] {
            let (opened, done) = decrypted(&sealed(&text), KEY, CONTEXT, threads);
            assert_eq!(done.unwrap(), len as u64);
            assert!(opened == text, "{len} bytes");
        }
    }
}

/// Every thread reads at its own place, from the file's position on.
#[test]
fn regular_files() {
    let (text, mut file) = (text(70 * CHUNK_LEN), Vec::new());
    encrypt_file(&on_disk(&text), &mut file, &KEY[..16], b"", None, |_| ()).unwrap();
    let mut opened = Vec::new();
    decrypt_file(&on_disk(&file), &mut opened, &KEY[..16], b"", None, |_| ()).unwrap();
    assert!(opened == text);
}

/// What is written before an error is a prefix of the text, in whole chunks.
#[test]
fn refused_files() {
    let text = text(20 * CHUNK_LEN);
    let file = sealed(&text);
    let damaged = |chunk: usize| {
        format!("{:?}", Error::Damaged { chunk: chunk as u64, from: (chunk * CHUNK_LEN) as u64 })
    };
    let damaged_end = |chunk: usize| damaged(chunk).replace("Damaged", "DamagedEnd");
    let refuse = |file: &[u8], key: &[u8], context: &[u8], chunks: usize, expected: &str| {
        for threads in [1, 2, 3] {
            let (output, done) = decrypted(file, key, context, threads);
            let error = done.unwrap_err();
            assert_eq!(format!("{error:?}"), expected);
            assert!(output == text[..chunks * CHUNK_LEN], "{error}");
            assert_eq!(error.is_verification_failure(), key.len() == 32);
        }
    };
    let refused = |file: &[u8], chunks, expected: &str| refuse(file, KEY, CONTEXT, chunks, expected);
    for chunks in 0..=20 {
        let end = HEADER_LEN + chunks * SEALED_LEN;
        for left in [0, 1, 15] {
            refused(&file[..end + left], chunks, "Truncated");
        }
        if chunks < 20 {
            for left in [16, 17, SEALED_LEN - 1] {
                refused(&file[..end + left], chunks, &damaged_end(chunks));
            }
            let mut changed = file.clone();
            changed[end + 100] ^= 1;
            refused(&changed, chunks, &damaged(chunks));
        }
        if chunks < 19 {
            let mut swapped = file.clone();
            swapped[end..end + 2 * SEALED_LEN].rotate_left(SEALED_LEN);
            refused(&swapped, chunks, &damaged(chunks));
        }
    }
    refused(&[&file[..], &[1]].concat(), 20, &damaged_end(20));
    refused(&[&file[..], &file[HEADER_LEN..]].concat(), 20, &damaged(20));
    refused(&file[..HEADER_LEN - 1], 0, "Truncated");
    refuse(&file, &[8; 32], CONTEXT, 0, "WrongKeyOrContext");
    refuse(&file, KEY, b"", 0, "WrongKeyOrContext");
    refuse(&file, KEY, &[&CONTEXT[1..], b"d"].concat(), 0, "WrongKeyOrContext");
    refuse(&file, &[7; 24], CONTEXT, 0, "KeyLength(24)");
    let mut output = Vec::new();
    assert!(matches!(encrypt(&text[..], &mut output, b"", b"", None, |_| ()), Err(Error::KeyLength(0))));
    assert_eq!(output, [], "nothing is written for a key of another length");
}

/// Its reader says so of a file in the other format.
#[test]
fn files_in_the_other_format() {
    let file = crate::sealed(&text(9), crate::KEY, &crate::options(keylane_file::Algorithm::Aes256Gcm, 1));
    let refused = Reader::new(&file[..], KEY, b"").unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::InvalidData);
    assert_eq!(refused.to_string(), "the format of `keylane encrypt`, not of C2SP");
}
