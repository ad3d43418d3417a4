//! The allowed values of headers and keys, which are checked before anything is computed, read or written.

use crate::{CHUNK_LEN, HEADER_LEN, KEY, KEY_BYTES, opened, sealed, text, with};
use keylane_file::{Algorithm, Decryption, Encryption, Error, Header, Kdf, Key, KeySource};
use std::io::{self, Read, Write};

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
    sealed(&text(100), with(Algorithm::Aes256Gcm, 1))
}

fn not_encrypted(encryption: Encryption<'_>) -> Error {
    encryption.run(Untouched, Untouched).unwrap_err()
}

/// The error of a decryption that reads and writes nothing.
fn not_decrypted(header: &Header, key: Key<'_>) -> Error {
    Decryption::new(key).header(header.clone()).run(Untouched, Untouched).unwrap_err()
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

/// Every bit of the header, and every value of the fields with few.
#[test]
fn every_bit_and_value() {
    let file = file();
    for at in 0..HEADER_LEN {
        let one_bit = |value: u8| (value ^ file[at]).is_power_of_two();
        for value in (0..=255).filter(|&value| one_bit(value) || (8..12).contains(&at) && value != file[at]) {
            let mut file = file.clone();
            file[at] = value;
            match at {
                0..8 => refused(&file, &Error::NotKeylane),
                8 => refused(&file, &Error::UnknownVersion(value)),
                9 if value == 2 => wrong_key(&file),
                9 => refused(&file, &Error::UnknownAlgorithm(value)),
                // With a key file's parameters.
                10 if value == 2 => refused(&file, &Error::Iterations(0)),
                10 if value == 3 => refused(&file, &Error::Argon2id { memory_mib: 0, passes: 0, lanes: 0 }),
                10 => refused(&file, &Error::UnknownKeySource(value)),
                11 => refused(&file, &Error::ChunkLength { log2: value }),
                12..16 => refused(&file, &Error::Iterations(u32::from(value) << (8 * (15 - at)))),
                _ => wrong_key(&file),
            }
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
        let error = not_encrypted(Encryption::new(Key::Passphrase(b"p")).kdf(Kdf::Pbkdf2 { iterations }));
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
        let error = not_encrypted(Encryption::new(Key::Passphrase(b"p")).kdf(kdf));
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
        let key = Key::File(&key);
        for error in [not_encrypted(Encryption::new(key)), not_decrypted(&header, key)] {
            assert!(matches!(error, Error::KeyFileLength(given) if given == len), "{error:?}");
            assert!(!error.is_verification_failure());
        }
    }
    let error = not_encrypted(Encryption::new(Key::Passphrase(b"")));
    assert!(matches!(error, Error::EmptyPassphrase));
    let long = text((1 << 20) + 1);
    let error = not_encrypted(Encryption::new(Key::Passphrase(&long)));
    assert!(matches!(error, Error::PassphraseTooLong));
    let kdf = Kdf::Argon2id { memory_mib: 64, passes: 1, lanes: 1 };
    for (key, other) in [
        (Key::File(&long[..32]), Key::File(&long[1..33])),
        (Key::File(&long[..33]), Key::File(&long[..32])),
        (Key::File(&long[1..]), Key::File(&long[..1 << 20])),
        (Key::Passphrase(&long[1..]), Key::Passphrase(&long[..1 << 20])),
    ] {
        let file = sealed(b"text", Encryption::new(key).kdf(kdf));
        assert_eq!(opened(&file, key, 1).0, b"text", "{key:?}");
        assert!(matches!(opened(&file, other, 1).1, Err(Error::WrongKey | Error::WrongPassphrase)));
    }
}

/// Every bit of the salt is random: 0 once and 1 once in 128 files. The probability that this fails by chance
/// is below 2^-110.
#[test]
fn salts_are_random() {
    let mut ones = [0; 256];
    for _ in 0..128 {
        let file = sealed(b"", with(Algorithm::Aes256Gcm, 1));
        for (bit, ones) in ones.iter_mut().enumerate() {
            *ones += file[16 + bit / 8] >> (bit % 8) & 1;
        }
    }
    assert!(ones.iter().all(|ones| (1..128).contains(ones)), "{ones:?}");
}

#[test]
fn the_other_source_of_keys() {
    let mut bytes = file();
    let header = Header::read(&mut &bytes[..]).unwrap();
    assert!(matches!(not_decrypted(&header, Key::Passphrase(&KEY_BYTES)), Error::WrongKeySource));
    bytes[10] = 2;
    bytes[12..16].copy_from_slice(&600_000_u32.to_be_bytes());
    let header = Header::read(&mut &bytes[..]).unwrap();
    assert!(matches!(not_decrypted(&header, KEY), Error::WrongKeySource));
}

#[test]
fn wrong_keys() {
    let header = Header::read(&mut &file()[..]).unwrap();
    for i in 0..KEY_BYTES.len() {
        let mut key = KEY_BYTES;
        key[i] ^= 0x10;
        assert!(matches!(not_decrypted(&header, Key::File(&key)), Error::WrongKey));
    }
    for kdf in [Kdf::Pbkdf2 { iterations: 600_000 }, Kdf::default()] {
        let encryption = Encryption::new(Key::Passphrase(b"correct horse")).kdf(kdf);
        let file = sealed(&text(CHUNK_LEN + 1), encryption.algorithm(Algorithm::ChaCha20Poly1305));
        let (output, result) = opened(&file, Key::Passphrase(b"correct house"), 2);
        assert!(matches!(result, Err(Error::WrongPassphrase)));
        assert_eq!(output, []);
    }
}

#[test]
fn a_key_is_not_shown() {
    for key in [Key::File(b"secret"), Key::Passphrase(b"secret")] {
        assert!(!format!("{key:?}").contains("115") && !format!("{key:?}").contains("secret"));
    }
}
