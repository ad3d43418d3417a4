//! Encrypted files: any bytes, and files that an attacker changed, without the key or with it.
//!
//! What is handed out, sealed again, is always the file's beginning; a file is accepted only if that is all
//! of it.

use keylane::aes_gcm::Aes256Gcm;
use keylane::chacha20poly1305::ChaCha20Poly1305;
use keylane::hkdf::Prk;
use keylane::sha2::Sha512;
use keylane::stream::{Chunk, ChunkCipher};
use keylane_contracts::Choices;
use keylane_file::{Algorithm, CHUNK_LEN, Error, HEADER_LEN, Header, Kdf, Key, KeySource, Options};
use keylane_file::{TAG_LEN, decrypt, encrypt};
use std::io::{self, ErrorKind, Read};
use std::num::NonZeroUsize;

const SECRET: &[u8] = b"a key file of 32 bytes or more...";

pub(crate) fn file(choices: &mut Choices<'_>) {
    if choices.one_in(32) {
        return encrypted(choices);
    }
    let format = Format::new(algorithm(choices), &choices.any());
    let (mut bytes, honest) = match choices.any::<u8>() % 4 {
        0 => (choices.bytes(200), false),
        1 => (format.by_anyone(choices), false),
        _ => (format.file(&text(choices)), true),
    };
    let touched = tamper(choices, &mut bytes);
    header(&bytes);
    let reader = Pieces { bytes: &bytes, most: 1 + choices.up_to(200_000), fails: choices.one_in(16) };
    let decrypted = |threads| {
        let mut text = Vec::new();
        let done = decrypt(reader, &mut text, Key::File(SECRET), NonZeroUsize::new(threads), |_| ());
        (done.map_err(|error| error.to_string()), text)
    };
    let (done, text) = decrypted(1);
    assert!(decrypted(2 + choices.up_to(1)) == (done.clone(), text.clone()), "threads show");
    if let Ok(len) = done {
        assert_eq!(len, text.len() as u64);
        let format = Format::of_header(bytes.first_chunk().expect("a header"));
        assert!(format.file(&text) == bytes, "not all of it");
    } else {
        let (chunks, rest) = text.as_chunks::<CHUNK_LEN>();
        assert!(rest.is_empty(), "a part of a chunk");
        assert!(text.is_empty() || bytes.starts_with(&format.inner_chunks(chunks)), "not authentic");
        assert!(!honest || touched || reader.fails, "{done:?}");
    }
    // The parameters in the header of a passphrase.
    let mut passphrase = format.header;
    passphrase[10] = choices.any();
    passphrase[12..16].copy_from_slice(&choices.any::<[u8; 4]>());
    header(&passphrase);
}

fn algorithm(choices: &mut Choices<'_>) -> Algorithm {
    if choices.any() { Algorithm::Aes256Gcm } else { Algorithm::ChaCha20Poly1305 }
}

/// A header is read as it is written, and its numbers are in bounds.
fn header(bytes: &[u8]) {
    let mut rest = bytes;
    let header = match Header::read(&mut rest) {
        Ok(header) => header,
        Err(error) => return assert!(error.is_verification_failure(), "{error}"),
    };
    assert_eq!(rest.len() + HEADER_LEN, bytes.len());
    assert_eq!(header.algorithm() as usize + 1, usize::from(bytes[9]));
    let KeySource::Passphrase(kdf) = header.key_source() else { return };
    let (kind, numbers) = match kdf {
        Kdf::Pbkdf2 { iterations } => {
            assert!((600_000..=10_000_000).contains(&iterations));
            (2, iterations.to_be_bytes())
        }
        Kdf::Argon2id { memory_mib, passes, lanes } => {
            assert!((64..=1024).contains(&memory_mib));
            assert!((1..=10).contains(&passes) && (1..=16).contains(&lanes));
            let [high, low] = memory_mib.to_be_bytes();
            (3, [high, low, passes, lanes])
        }
    };
    assert_eq!((kind, &numbers[..]), (bytes[10], &bytes[12..16]));
    let done = header.decrypt(rest, Vec::new(), Key::File(SECRET), None, |_| ());
    assert!(matches!(done, Err(Error::WrongKeySource)));
}

/// What the library writes is what the format says.
fn encrypted(choices: &mut Choices<'_>) {
    let (algorithm, text) = (algorithm(choices), text(choices));
    let threads = NonZeroUsize::new(1 + choices.up_to(2));
    let options = Options { algorithm, threads, ..Options::default() };
    let reader = Pieces { bytes: &text, most: 1 + choices.up_to(200_000), fails: false };
    let mut file = Vec::new();
    encrypt(reader, &mut file, Key::File(SECRET), &options, |_| ()).expect("nothing fails");
    let header = file.first_chunk().expect("a header");
    assert!(Format::of_header(header).file(&text) == file, "not what the format says");
}

/// Around the ends of chunks.
fn text(choices: &mut Choices<'_>) -> Vec<u8> {
    let len = CHUNK_LEN * choices.up_to(9) + choices.up_to(300);
    let mut text = vec![choices.any(); len.saturating_sub(150)];
    let start = choices.bytes(64);
    let len = start.len().min(text.len());
    text[..len].copy_from_slice(&start[..len]);
    text
}

fn tamper(choices: &mut Choices<'_>, bytes: &mut Vec<u8>) -> bool {
    let before = bytes.clone();
    for _ in 0..choices.up_to(2) {
        match choices.any::<u8>() % 6 {
            0 => choices.flip(bytes),
            1 => {
                let len = bytes.len().min(HEADER_LEN);
                choices.flip(&mut bytes[..len]);
            }
            2 => bytes.truncate(choices.up_to(bytes.len())),
            3 => bytes.extend(choices.bytes(40)),
            // A chunk is left out, or doubled.
            kind => {
                let start = HEADER_LEN + (CHUNK_LEN + TAG_LEN) * choices.up_to(3);
                let end = start + CHUNK_LEN + TAG_LEN;
                if let Some(chunk) = bytes.get(start..end).map(<[u8]>::to_vec) {
                    let place = if kind == 4 { start..end } else { start..start };
                    bytes.splice(place, if kind == 4 { Vec::new() } else { chunk });
                }
            }
        }
    }
    *bytes != before
}

/// A reader that returns a few bytes at a time, and may fail at the end.
#[derive(Clone, Copy)]
struct Pieces<'a> {
    bytes: &'a [u8],
    most: usize,
    fails: bool,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.bytes.is_empty() && self.fails {
            return Err(ErrorKind::ConnectionReset.into());
        }
        let len = buffer.len().min(self.most);
        self.bytes.read(&mut buffer[..len])
    }
}

/// What `docs/format.md` says of a file with this header. It checks the layout, with Keylane's own
/// primitives: other targets check those.
struct Format {
    header: [u8; HEADER_LEN],
    key: [u8; 71],
}

impl Format {
    fn new(algorithm: Algorithm, salt: &[u8; 32]) -> Self {
        let mut header = [0; HEADER_LEN];
        header[..8].copy_from_slice(b"\x8ckeylane");
        header[8..12].copy_from_slice(&[1, algorithm as u8 + 1, 1, 16]);
        header[16..48].copy_from_slice(salt);
        Self::of_header(&header)
    }

    fn of_header(header: &[u8; HEADER_LEN]) -> Self {
        let (mut header, mut key) = (*header, [0; 71]);
        let prk = Prk::<Sha512>::extract(&header[16..48], SECRET);
        prk.expand(&[b"keylane file 1", &header[..48]], &mut key).expect("a short key");
        header[48..].copy_from_slice(&key[..32]);
        Self { header, key }
    }

    fn seal(&self, chunk: Chunk, text: &[u8]) -> Vec<u8> {
        let (key, prefix) = self.key[32..].split_first_chunk::<32>().expect("a key");
        let prefix = prefix.try_into().expect("and a prefix");
        let (aad, text, mut sealed) = (&self.header, [text], vec![0; text.len() + TAG_LEN]);
        if self.header[9] == 1 {
            ChunkCipher::new(Aes256Gcm::new(key), prefix).seal_to(chunk, aad, &text, &mut sealed)
        } else {
            ChunkCipher::new(ChaCha20Poly1305::new(key), prefix).seal_to(chunk, aad, &text, &mut sealed)
        }
        .expect("the lengths fit");
        sealed
    }

    fn file(&self, text: &[u8]) -> Vec<u8> {
        let last = text.len().saturating_sub(1) / CHUNK_LEN;
        let (chunks, _) = text[..last * CHUNK_LEN].as_chunks();
        let mut file = self.inner_chunks(chunks);
        file.extend(self.seal(Chunk::Last(last as u32), &text[last * CHUNK_LEN..]));
        file
    }

    /// A file's beginning.
    fn inner_chunks(&self, chunks: &[[u8; CHUNK_LEN]]) -> Vec<u8> {
        let mut file = self.header.to_vec();
        for (number, chunk) in (0..).zip(chunks) {
            file.extend(self.seal(Chunk::Inner(number), chunk));
        }
        file
    }

    /// What an attacker with the key may write against the format: chunks of any length, in any place.
    fn by_anyone(&self, choices: &mut Choices<'_>) -> Vec<u8> {
        let mut file = self.header.to_vec();
        for number in 0..choices.up_to(4) as u32 {
            let len = [CHUNK_LEN, 0, 1, choices.up_to(CHUNK_LEN)][choices.up_to(3)];
            let number = if choices.one_in(8) { choices.any() } else { number };
            let place = if choices.any() { Chunk::Inner(number) } else { Chunk::Last(number) };
            if place != Chunk::Inner(u32::MAX) {
                file.extend(self.seal(place, &vec![7; len]));
            }
        }
        file
    }
}
