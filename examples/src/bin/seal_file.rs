//! Seals a file of any size in chunks, and opens it again: `keylane::stream` in AES-256-GCM.
//!
//! ```text
//! seal_file seal KEY-FILE INPUT OUTPUT
//! seal_file open KEY-FILE INPUT OUTPUT
//! ```
//!
//! A sealed file is 32 random bytes, then chunks of 64 KiB with a tag each. Chunks that were changed, moved
//! or cut off are detected. For files that others will open, use the command `keylane encrypt`, which has a
//! documented format.
#![forbid(unsafe_code)]

use keylane::aes_gcm::Aes256Gcm;
use keylane::hkdf::Prk;
use keylane::sha2::Sha256;
use keylane::stream::{ChunkCipher, Opener, PREFIX_LEN, Sealer};
use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use zeroize::Zeroizing;

const CHUNK_LEN: usize = 64 * 1024;
const TAG_LEN: usize = Aes256Gcm::TAG_LEN;
const SALT_LEN: usize = 32;

/// Derives a key for this file alone, with which any prefix is unique.
fn stream(key: &[u8], salt: &[u8; SALT_LEN]) -> Result<ChunkCipher<Aes256Gcm>, keylane::Error> {
    let mut file_key = Zeroizing::new([0; 32]);
    Prk::<Sha256>::extract(salt, key).expand(&[b"seal_file 1"], file_key.as_mut())?;
    Ok(ChunkCipher::new(Aes256Gcm::new(&file_key), &[0; PREFIX_LEN]))
}

/// Reads the next `len` bytes, or the rest. Returns them, and whether they are the last.
fn read_chunk(input: &mut impl BufRead, len: usize, chunk: &mut Vec<u8>) -> io::Result<bool> {
    chunk.clear();
    input.take(len as u64).read_to_end(chunk)?;
    Ok(input.fill_buf()?.is_empty())
}

fn seal(key: &[u8], input: &mut impl BufRead, output: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut salt = [0; SALT_LEN];
    getrandom::fill(&mut salt)?;
    output.write_all(&salt)?;
    let mut sealer = Sealer::new(stream(key, &salt)?);
    let mut chunk = Vec::new();
    while !read_chunk(input, CHUNK_LEN, &mut chunk)? {
        let tag = sealer.seal_next(b"", &mut chunk)?;
        output.write_all(&chunk)?;
        output.write_all(&tag)?;
    }
    let tag = sealer.seal_last(b"", &mut chunk)?;
    output.write_all(&chunk)?;
    Ok(output.write_all(&tag)?)
}

fn open(key: &[u8], input: &mut impl BufRead, output: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut salt = [0; SALT_LEN];
    input.read_exact(&mut salt)?;
    let mut opener = Opener::new(stream(key, &salt)?);
    let mut chunk = Vec::new();
    loop {
        let last = read_chunk(input, CHUNK_LEN + TAG_LEN, &mut chunk)?;
        let (text, tag) = chunk.split_last_chunk_mut().ok_or("too short to be a sealed file")?;
        if last {
            opener.open_last(b"", text, tag)?;
            return Ok(output.write_all(text)?);
        }
        opener.open_next(b"", text, tag)?;
        output.write_all(text)?;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [command, key, input, output] = &arguments[..] else {
        return Err("usage: seal_file seal|open KEY-FILE INPUT OUTPUT".into());
    };
    let key = Zeroizing::new(fs::read(key)?);
    if key.len() < 32 {
        return Err("a key has at least 32 random bytes".into());
    }
    let mut input = BufReader::new(File::open(input)?);
    // The output gets its name once it is complete.
    let partial = format!("{output}.partial");
    let mut file = File::create_new(&partial)?;
    let result = match command.as_str() {
        "seal" => seal(&key, &mut input, &mut file),
        "open" => open(&key, &mut input, &mut file),
        _ => Err("usage: seal_file seal|open KEY-FILE INPUT OUTPUT".into()),
    };
    if result.is_err() {
        fs::remove_file(&partial)?;
    }
    result?;
    Ok(fs::rename(&partial, output)?)
}
