//! Seals a file of any size in chunks, and opens it again: `keylane::chunked`, an open format.
//!
//! ```text
//! seal_file seal KEY-FILE INPUT OUTPUT
//! seal_file open KEY-FILE INPUT OUTPUT
//! ```
//!
//! Chunks that were changed, moved or cut off are detected.
#![forbid(unsafe_code)]

use keylane::chunked::{Reader, SALT_LEN, Writer};
use keylane::secret;
use std::error::Error;
use std::fs::{self, File};
use std::{env, io};

/// Separates these files from others under the same key.
const CONTEXT: &[u8] = b"seal_file 2";

fn seal(key: &[u8], mut input: File, output: File) -> Result<(), Box<dyn Error>> {
    let mut salt = [0; SALT_LEN]; // never twice with one key
    getrandom::fill(&mut salt)?;
    let mut writer = Writer::new(output, key, &salt, CONTEXT)?;
    io::copy(&mut input, &mut writer)?;
    writer.finish()?; // without it, the file does not open
    Ok(())
}

fn open(key: &[u8], input: File, mut output: File) -> Result<(), Box<dyn Error>> {
    // What it has read is authentic, but only after the end it is known to be all.
    io::copy(&mut Reader::new(input, key, CONTEXT)?, &mut output)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [command, key, input, output] = &arguments[..] else {
        return Err("usage: seal_file seal|open KEY-FILE INPUT OUTPUT".into());
    };
    let key = secret::read_key(File::open(key)?)?;
    let input = File::open(input)?;
    // The output gets its name once it is complete.
    let partial = format!("{output}.partial");
    let file = File::create_new(&partial)?;
    let result = match command.as_str() {
        "seal" => seal(&key, input, file),
        "open" => open(&key, input, file),
        _ => Err("usage: seal_file seal|open KEY-FILE INPUT OUTPUT".into()),
    };
    if result.is_err() {
        fs::remove_file(&partial)?;
    }
    result?;
    Ok(fs::rename(&partial, output)?)
}
