//! The allowed values of headers and keys, which are checked before anything is computed, read or written.

use crate::{CHUNK_LEN, HEADER_LEN, KEY, KEY_BYTES, opened, options, sealed, text};
use keylane_file::{Algorithm, Error, Header, Kdf, Key, KeySource, Options, c2sp, encrypt};
use std::io::{self, Read, Write};
use std::ops::Range;

/// A reader and writer that must not be used.
struct Untouched;

impl Read for Untouched {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        panic!("was read from")
    }
}

impl Write for Untouched {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        panic!("was written to")
    }

    fn flush(&mut self) -> io::Result<()> {
        panic!("was written to")
    }
}

fn file() -> Vec<u8> {
    sealed(&text(100), KEY, &options(Algorithm::Aes256Gcm, 1))
}

/// Checks that every function that reads the header refuses it, and that nothing is written.
#[track_caller]
fn refused(file: &[u8], expected: &Error) {
    let error = Header::read(&mut &file[..]).unwrap_err();
    assert_eq!(format!("{error:?}"), format!("{expected:?}"));
    assert!(error.is_verification_failure());
    let (output, result) = opened(file, KEY, 1);
    assert_eq!(format!("{:?}", result.unwrap_err()), format!("{expected:?}"));
    assert_eq!(output, []);
}

#[track_caller]
fn wrong_key(file: &[u8]) {
    let (output, result) = opened(file, KEY, 1);
    let error = result.unwrap_err();
    assert!(matches!(error, Error::WrongKey), "{error:?}");
    assert!(error.is_verification_failure());
    assert_eq!(output, []);
}

#[test]
fn cut_off() {
    let file = file();
    for len in 0..HEADER_LEN {
        refused(&file[..len], &Error::Truncated);
    }
}

#[test]
fn other_files() {
    for bytes in [
        &b"\n"[..],
        b"k",
        b"\x8ckeyless",
        b"a text that somebody wrote",
        b"keylane\0",
        &[0; 1000],
        &[0x8c; 1000],
    ] {
        refused(bytes, &Error::NotKeylane);
    }
}

#[test]
fn every_bit() {
    let file = file();
    for at in 0..HEADER_LEN {
        for bit in 0..8 {
            let mut file = file.clone();
            file[at] ^= 1 << bit;
            let value = file[at];
            match at {
                0..8 => refused(&file, &Error::NotKeylane),
                8 => refused(&file, &Error::UnknownVersion(value)),
                9 => refused(&file, &Error::UnknownAlgorithm(value)),
                // Argon2id, with a key file's parameters.
                10 if value == 3 => refused(&file, &Error::Argon2id { memory_mib: 0, passes: 0, lanes: 0 }),
                10 => refused(&file, &Error::UnknownKeySource(value)),
                11 => refused(&file, &Error::ChunkLength { log2: value }),
                12..16 => refused(&file, &Error::Iterations(1 << (8 * (15 - at) + bit))),
                _ => wrong_key(&file),
            }
        }
    }
}

#[test]
fn every_other_value() {
    let file = file();
    for value in 0..=255 {
        let with = |at: usize| {
            let mut file = file.clone();
            file[at] = value;
            file
        };
        if value != 1 {
            refused(&with(8), &Error::UnknownVersion(value));
        }
        match value {
            1 => {}
            2 => wrong_key(&with(9)),
            _ => refused(&with(9), &Error::UnknownAlgorithm(value)),
        }
        match value {
            1 => {}
            // PBKDF2, with a key file's parameters.
            2 => refused(&with(10), &Error::Iterations(0)),
            3 => refused(&with(10), &Error::Argon2id { memory_mib: 0, passes: 0, lanes: 0 }),
            _ => refused(&with(10), &Error::UnknownKeySource(value)),
        }
        if value != 16 {
            refused(&with(11), &Error::ChunkLength { log2: value });
        }
    }
}

/// The following fields may be different in that version.
#[test]
fn an_unknown_version_is_seen_before_all_else() {
    for len in [9, 10, 50] {
        let mut file = vec![0xff; len];
        file[..9].copy_from_slice(b"\x8ckeylane\x02");
        refused(&file, &Error::UnknownVersion(2));
    }
}

/// Such a header is refused when it is read, without a passphrase.
#[test]
fn iterations_out_of_bounds() {
    for iterations in [0, 1, 599_999, 10_000_001, u32::MAX] {
        let mut file = file();
        file[10] = 2;
        file[12..16].copy_from_slice(&iterations.to_be_bytes());
        refused(&file, &Error::Iterations(iterations));
        let options = Options { kdf: Kdf::Pbkdf2 { iterations }, ..Options::default() };
        let error = encrypt(Untouched, Untouched, Key::Passphrase(b"p"), &options, |_| ()).unwrap_err();
        assert!(matches!(error, Error::Iterations(given) if given == iterations));
    }
    for iterations in [600_000_u32, 10_000_000] {
        let mut file = file();
        file[10] = 2;
        file[12..16].copy_from_slice(&iterations.to_be_bytes());
        Header::read(&mut &file[..]).unwrap();
    }
}

/// Memory in MiB, passes, lanes: each too low, too high, and just allowed.
#[test]
fn argon2id_out_of_bounds() {
    let with = |(memory_mib, passes, lanes): (u16, u8, u8)| {
        let mut file = file();
        file[10] = 3;
        file[12..14].copy_from_slice(&memory_mib.to_be_bytes());
        file[14..16].copy_from_slice(&[passes, lanes]);
        (file, Kdf::Argon2id { memory_mib, passes, lanes })
    };
    for given in [
        (0, 3, 4),
        (63, 3, 4),
        (1025, 3, 4),
        (u16::MAX, 3, 4),
        (64, 0, 4),
        (64, 11, 4),
        (64, u8::MAX, 4),
        (64, 3, 0),
        (64, 3, 17),
        (64, 3, u8::MAX),
    ] {
        let (file, kdf) = with(given);
        let (memory_mib, passes, lanes) = given;
        refused(&file, &Error::Argon2id { memory_mib, passes, lanes });
        let options = Options { kdf, ..Options::default() };
        let error = encrypt(Untouched, Untouched, Key::Passphrase(b"p"), &options, |_| ()).unwrap_err();
        assert!(matches!(error, Error::Argon2id { .. }), "{error:?}");
    }
    for given in [(64, 1, 1), (1024, 10, 16)] {
        let (file, kdf) = with(given);
        assert_eq!(Header::read(&mut &file[..]).unwrap().key_source(), KeySource::Passphrase(kdf));
    }
}

#[test]
fn keys_out_of_bounds() {
    let header = Header::read(&mut &file()[..]).unwrap();
    for len in [0, 1, 31, (1 << 20) + 1] {
        let key = text(len);
        for error in [
            encrypt(Untouched, Untouched, Key::File(&key), &Options::default(), |_| ()).unwrap_err(),
            header.decrypt(Untouched, Untouched, Key::File(&key), None, |_| ()).unwrap_err(),
        ] {
            assert!(matches!(error, Error::KeyFileLength(given) if given == len), "{error:?}");
            assert!(!error.is_verification_failure());
        }
    }
    let error = encrypt(Untouched, Untouched, Key::Passphrase(b""), &Options::default(), |_| ()).unwrap_err();
    assert!(matches!(error, Error::EmptyPassphrase));
    let long = text((1 << 20) + 1);
    let error =
        encrypt(Untouched, Untouched, Key::Passphrase(&long), &Options::default(), |_| ()).unwrap_err();
    assert!(matches!(error, Error::PassphraseTooLong));
    let kdf = Kdf::Argon2id { memory_mib: 64, passes: 1, lanes: 1 };
    for key in [Key::File(&long[1..]), Key::Passphrase(&long[1..])] {
        let file = sealed(b"text", key, &Options { kdf, ..Options::default() });
        assert_eq!(opened(&file, key, 1).0, b"text", "{key:?} of the longest length");
    }
}

/// Every bit of the salt is random, in both formats: 0 once and 1 once in 128 files. The probability that
/// this fails by chance is below 2^-110.
#[test]
fn salts_are_random() {
    let salts = |encrypt: fn(&mut Vec<u8>) -> u64, salt: Range<usize>| {
        let mut ones = vec![0; 8 * salt.len()];
        for _ in 0..128 {
            let mut file = Vec::new();
            encrypt(&mut file);
            for (bit, ones) in ones.iter_mut().enumerate() {
                *ones += file[salt.start + bit / 8] >> (bit % 8) & 1;
            }
        }
        assert!(ones.iter().all(|ones| (1..128).contains(ones)), "{ones:?}");
    };
    salts(|file| encrypt(&b""[..], file, KEY, &Options::default(), |_| ()).unwrap(), 16..48);
    salts(|file| c2sp::encrypt(&b""[..], file, &KEY_BYTES[..32], b"", None, |_| ()).unwrap(), 0..24);
}

#[test]
fn the_other_source_of_keys() {
    let header = Header::read(&mut &file()[..]).unwrap();
    let error = header.decrypt(Untouched, Untouched, Key::Passphrase(&KEY_BYTES), None, |_| ()).unwrap_err();
    assert!(matches!(error, Error::WrongKeySource));
    let mut bytes = file();
    bytes[10] = 2;
    bytes[12..16].copy_from_slice(&600_000_u32.to_be_bytes());
    let header = Header::read(&mut &bytes[..]).unwrap();
    let error = header.decrypt(Untouched, Untouched, KEY, None, |_| ()).unwrap_err();
    assert!(matches!(error, Error::WrongKeySource));
}

#[test]
fn wrong_keys() {
    let header = Header::read(&mut &file()[..]).unwrap();
    for i in 0..KEY_BYTES.len() {
        let mut key = KEY_BYTES;
        key[i] ^= 0x10;
        let error = header.decrypt(Untouched, Untouched, Key::File(&key), None, |_| ()).unwrap_err();
        assert!(matches!(error, Error::WrongKey));
    }
    for kdf in [Kdf::Pbkdf2 { iterations: 600_000 }, Kdf::default()] {
        let options = Options { kdf, ..options(Algorithm::ChaCha20Poly1305, 1) };
        let file = sealed(&text(CHUNK_LEN + 1), Key::Passphrase(b"correct horse"), &options);
        let (output, result) = opened(&file, Key::Passphrase(b"correct house"), 2);
        assert!(matches!(result, Err(Error::WrongPassphrase)));
        assert_eq!(output, []);
    }
}

/// Another file's salt with this one's commitment, and vice versa.
#[test]
fn a_mixed_header() {
    let (one, two) = (file(), file());
    for range in [16..48, 48..80] {
        let mut mixed = one.clone();
        mixed[range.clone()].copy_from_slice(&two[range]);
        wrong_key(&mixed);
    }
}

#[test]
fn a_key_is_not_shown() {
    for key in [Key::File(b"secret"), Key::Passphrase(b"secret")] {
        assert!(!format!("{key:?}").contains("115") && !format!("{key:?}").contains("secret"));
    }
}
