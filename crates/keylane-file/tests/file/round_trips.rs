//! Encryption, then decryption, with any length and any number of threads.

use crate::{ALGORITHMS, CHUNK_LEN, KEY, opened, sealed, text, with};
use keylane_file::{Algorithm, Decryption, Encryption, Header, KeySource};

/// Lengths around every boundary between chunks, and so between batches.
#[test]
fn every_edge() {
    let text = text(25 * CHUNK_LEN + 1);
    for algorithm in ALGORITHMS {
        for (i, at) in (0..=25).map(|chunks| chunks * CHUNK_LEN).enumerate() {
            for len in [at.saturating_sub(1), at, at + 1] {
                for threads in [1, 2, 3, 8] {
                    // At later boundaries, some numbers of threads are enough.
                    if i > 3 && (i + threads) % 3 == 0 {
                        continue;
                    }
                    let file = sealed(&text[..len], with(algorithm, threads));
                    let (output, result) = opened(&file, KEY, 9 - threads);
                    assert_eq!(result.unwrap(), len as u64);
                    assert!(output == text[..len], "{algorithm:?}, {len} bytes, {threads} threads");
                }
            }
        }
    }
}

#[test]
fn all_cores_are_the_default() {
    let text = text(40 * CHUNK_LEN + 7);
    let file = sealed(&text, Encryption::new(KEY));
    let mut output = Vec::new();
    Decryption::new(KEY).run(&file[..], &mut output).unwrap();
    assert!(output == text);
    // Any number is accepted: no more threads are started than there are batches.
    assert!(opened(&file, KEY, usize::MAX).0 == text);
}

/// The command prompts for a passphrase once it has read the header.
#[test]
fn a_header_has_the_kind_of_key() {
    let text = text(100);
    let file = sealed(&text, with(Algorithm::ChaCha20Poly1305, 1));
    let mut input = &file[..];
    let header = Header::read(&mut input).unwrap();
    assert_eq!(input.len(), 100 + 16, "not a byte more was read");
    assert_eq!(header.algorithm(), Algorithm::ChaCha20Poly1305);
    assert_eq!(header.key_source(), KeySource::KeyFile);
    let mut output = Vec::new();
    assert_eq!(Decryption::new(KEY).header(header).run(input, &mut output).unwrap(), 100);
    assert_eq!(output, text);
}

#[test]
fn progress_counts_the_text() {
    let text = text(30 * CHUNK_LEN + 5);
    for threads in [1, 3] {
        let (mut file, mut told) = (Vec::new(), Vec::new());
        let encryption = with(Algorithm::Aes256Gcm, threads).progress(|done| told.push(done));
        encryption.run(&text[..], &mut file).unwrap();
        assert!(told.is_sorted_by(|a, b| a < b) && told.len() > 2, "{told:?}");
        assert_eq!(told.last(), Some(&(text.len() as u64)));
        let mut opened = Vec::new();
        Decryption::new(KEY).progress(|done| opened.push(done)).run(&file[..], Vec::new()).unwrap();
        assert_eq!(opened, told);
    }
}
