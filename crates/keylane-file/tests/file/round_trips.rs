//! Encryption, then decryption, with any length and any number of threads.

use crate::{ALGORITHMS, CHUNK_LEN, KEY, opened, options, sealed, text};
use keylane_file::{Algorithm, Header, Key, KeySource, encrypt};
use proptest::prelude::*;

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
                    let file = sealed(&text[..len], KEY, &options(algorithm, threads));
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
    let options = keylane_file::Options::default();
    assert_eq!((options.algorithm, options.threads), (Algorithm::Aes256Gcm, None));
    let file = sealed(&text, KEY, &options);
    let mut output = Vec::new();
    keylane_file::decrypt(&file[..], &mut output, KEY, None, |_| ()).unwrap();
    assert!(output == text);
    // Any number is accepted: no more threads are started than there are batches.
    assert!(opened(&file, KEY, usize::MAX).0 == text);
}

#[test]
fn two_files_of_one_text_share_nothing() {
    let text = text(1000);
    let [one, two] = [(); 2].map(|()| sealed(&text, KEY, &options(Algorithm::Aes256Gcm, 1)));
    assert_eq!(one[..16], two[..16]);
    for (a, b) in one[16..].chunks(16).zip(two[16..].chunks(16)) {
        assert_ne!(a, b);
    }
}

/// The command prompts for a passphrase once it has read the header.
#[test]
fn a_header_has_the_kind_of_key() {
    let text = text(100);
    let file = sealed(&text, KEY, &options(Algorithm::ChaCha20Poly1305, 1));
    let mut input = &file[..];
    let header = Header::read(&mut input).unwrap();
    assert_eq!(input.len(), 100 + 16, "not a byte more was read");
    assert_eq!(header.algorithm(), Algorithm::ChaCha20Poly1305);
    assert_eq!(header.key_source(), KeySource::KeyFile);
    let mut output = Vec::new();
    assert_eq!(header.decrypt(input, &mut output, KEY, None, |_| ()).unwrap(), 100);
    assert_eq!(output, text);
}

#[test]
fn progress_counts_the_text() {
    let text = text(30 * CHUNK_LEN + 5);
    for threads in [1, 3] {
        let (mut file, mut told) = (Vec::new(), Vec::new());
        encrypt(&text[..], &mut file, KEY, &options(Algorithm::Aes256Gcm, threads), |done| told.push(done))
            .unwrap();
        assert!(told.is_sorted_by(|a, b| a < b) && told.len() > 2, "{told:?}");
        assert_eq!(told.last(), Some(&(text.len() as u64)));
        let mut opened = Vec::new();
        keylane_file::decrypt(&file[..], Vec::new(), KEY, None, |done| opened.push(done)).unwrap();
        assert_eq!(opened, told);
    }
}

#[test]
fn keys_of_every_allowed_length() {
    for len in [32, 33, 1000, 1 << 20] {
        let key = text(len);
        let file = sealed(b"text", Key::File(&key), &options(Algorithm::Aes256Gcm, 1));
        assert_eq!(opened(&file, Key::File(&key), 1).0, b"text");
        let mut other = key.clone();
        *other.last_mut().unwrap() ^= 1;
        assert!(matches!(opened(&file, Key::File(&other), 1).1, Err(keylane_file::Error::WrongKey)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_length(len in 0..30 * CHUNK_LEN, threads in 1..10_usize, chacha: bool) {
        let text = text(len);
        let file = sealed(&text, KEY, &options(ALGORITHMS[usize::from(chacha)], threads));
        let (output, result) = opened(&file, KEY, 10 - threads);
        prop_assert_eq!(result.unwrap(), len as u64);
        prop_assert!(output == text);
    }
}
