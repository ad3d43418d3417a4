//! Checks that the crate writes and reads only the specified format.

mod attacks;
mod headers;
mod reference;
mod round_trips;
mod streams;

use keylane_file::{Algorithm, CHUNK_LEN, Decryption, Encryption, Error, HEADER_LEN, Header, Key, TAG_LEN};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

const ALGORITHMS: [Algorithm; 2] = [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305];
const KEY_BYTES: [u8; 40] = *b"a key file of forty bytes, none a secret";
const KEY: Key<'_> = Key::File(&KEY_BYTES);
const SEALED_LEN: usize = CHUNK_LEN + TAG_LEN;

/// Returns bytes with period 251, so that adjacent chunks differ.
fn text(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

/// An encryption with [`KEY`].
fn with(algorithm: Algorithm, threads: usize) -> Encryption<'static> {
    Encryption::new(KEY).algorithm(algorithm).threads(threads)
}

/// Encrypts from a file on the disk, from which threads read different positions at once.
fn sealed(text: &[u8], encryption: Encryption<'_>) -> Vec<u8> {
    let mut file = Vec::new();
    assert_eq!(encryption.run_file(&on_disk(text), &mut file).unwrap(), text.len() as u64);
    file
}

/// Decrypts from memory and from the disk, with the same result. Returns the output, and the text's length or
/// the error.
fn opened(file: &[u8], key: Key<'_>, threads: usize) -> (Vec<u8>, Result<u64, Error>) {
    let decryption = || Decryption::new(key).threads(threads);
    let (mut text, mut from_disk) = (Vec::new(), Vec::new());
    let result = decryption().run(file, &mut text);
    let mut disk = on_disk(file);
    let header = Header::read(&mut disk);
    let same = header.and_then(|header| decryption().header(header).run_file(&disk, &mut from_disk));
    assert_eq!(format!("{same:?}"), format!("{result:?}"));
    assert!(from_disk == text, "other text from the disk, {result:?}");
    (text, result)
}

/// Creates a file with these bytes after its position, which is not its beginning.
fn on_disk(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"others' bytes").unwrap();
    let start = file.stream_position().unwrap();
    file.write_all(bytes).unwrap();
    file.seek(SeekFrom::Start(start)).unwrap();
    file
}

/// Returns the header and the sealed chunks.
fn parts(file: &[u8]) -> (&[u8], Vec<&[u8]>) {
    let (header, chunks) = file.split_at(HEADER_LEN);
    (header, chunks.chunks(SEALED_LEN).collect())
}
