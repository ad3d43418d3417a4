//! Does the crate write and read the format, and nothing else?

mod attacks;
mod headers;
mod reference;
mod round_trips;
mod streams;

use keylane_file::{Algorithm, CHUNK_LEN, Error, HEADER_LEN, Key, Options, TAG_LEN, decrypt, encrypt};
use std::num::NonZeroUsize;

const ALGORITHMS: [Algorithm; 2] = [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305];
const KEY_BYTES: [u8; 40] = *b"a key file of forty bytes, none a secret";
const KEY: Key<'_> = Key::File(&KEY_BYTES);
const SEALED_LEN: usize = CHUNK_LEN + TAG_LEN;

/// Bytes with period 251: no chunk sees what its neighbour sees.
fn text(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

fn options(algorithm: Algorithm, threads: usize) -> Options {
    Options { algorithm, threads: NonZeroUsize::new(threads), ..Options::default() }
}

fn sealed(text: &[u8], key: Key<'_>, options: &Options) -> Vec<u8> {
    let mut file = Vec::new();
    assert_eq!(encrypt(text, &mut file, key, options, |_| ()).unwrap(), text.len() as u64);
    file
}

/// What was written, and the text's length or the error.
fn opened(file: &[u8], key: Key<'_>, threads: usize) -> (Vec<u8>, Result<u64, Error>) {
    let mut text = Vec::new();
    let result = decrypt(file, &mut text, key, NonZeroUsize::new(threads), |_| ());
    (text, result)
}

/// The header, and the sealed chunks.
fn parts(file: &[u8]) -> (&[u8], Vec<&[u8]>) {
    let (header, chunks) = file.split_at(HEADER_LEN);
    (header, chunks.chunks(SEALED_LEN).collect())
}
