//! `keylane inspect`

use crate::Document;
use crate::descriptor::is_stdin;
use crate::hex;
use crate::os::{self, STDIN};
use crate::status::{Outcome, Status, quoted};
use crate::transfer::failure;
use clap::Args;
use keylane_file::{CHUNK_LEN, Error, Header, Kdf, KeySource, VERSION, text_len};
use serde::Serialize;
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::PathBuf;

/// Show the header of a file that `keylane encrypt` wrote, without a key
#[derive(Args, Debug)]
#[command(
    long_about = "Show the header of a file that `keylane encrypt` wrote, without a key.\n\n\
        The header may have been changed: only `keylane decrypt` can tell. The text's length follows from \
        the file's, and is unknown for standard input and pipes. Exit status 1 means that the header is \
        missing, incomplete or of another version of keylane; 2 that the input cannot be read.\n\n\
        The second example teaches the program `file` to recognise encrypted files, for your user only.",
    after_help = "\
Examples:
  keylane inspect home.tar.kl
  echo '0 string \\x8ckeylane Keylane encrypted file' >>~/.magic"
)]
pub(crate) struct Inspect {
    /// The file to read; `-` is standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Fields {
    version: u8,
    algorithm: &'static str,
    key_source: &'static str,
    kdf: Option<Function>,
    salt: String,
    chunk_length: usize,
    /// The file's length, `None` unless it is a regular file.
    file_length: Option<u64>,
    /// The text's length, `None` if the file's is unknown or not that of a complete file.
    text_length: Option<u64>,
}

#[derive(Serialize)]
#[serde(tag = "name", rename_all = "lowercase")]
enum Function {
    Argon2id { memory_mib: u16, passes: u8, lanes: u8 },
    Pbkdf2 { hash: &'static str, iterations: u32 },
}

impl Inspect {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        let is_stdin = is_stdin(&self.input);
        let name = if is_stdin { "standard input".to_owned() } else { quoted(&self.input).to_string() };
        let document = || {
            let file = if is_stdin { os::open(STDIN) } else { File::open(&self.input) };
            let mut file = file.map_err(Error::Read)?;
            let header = Header::read(&mut file)?;
            // Windows has no metadata of pipes.
            let metadata = (!is_stdin).then(|| file.metadata()).transpose().map_err(Error::Read)?;
            Ok(Fields::new(&header, metadata.filter(Metadata::is_file).map(|it| it.len())))
        };
        let document = document().map_err(|error| failure(&name, error))?;
        document.write(self.json, out)?;
        Ok(Status::Done)
    }
}

impl Fields {
    fn new(header: &Header, file_len: Option<u64>) -> Self {
        let kdf = match header.key_source() {
            KeySource::KeyFile => None,
            KeySource::Passphrase(Kdf::Argon2id { memory_mib, passes, lanes }) => {
                Some(Function::Argon2id { memory_mib, passes, lanes })
            }
            KeySource::Passphrase(Kdf::Pbkdf2 { iterations }) => {
                Some(Function::Pbkdf2 { hash: "sha512", iterations })
            }
        };
        Self {
            version: VERSION,
            algorithm: header.algorithm().kind().name(),
            key_source: if kdf.is_some() { "passphrase" } else { "key-file" },
            kdf,
            salt: hex::encode(header.salt()),
            chunk_length: CHUNK_LEN,
            file_length: file_len,
            text_length: file_len.and_then(text_len),
        }
    }
}

impl Document for Fields {
    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "format      Keylane encrypted file, version {}", self.version)?;
        writeln!(out, "algorithm   {}", self.algorithm)?;
        match &self.kdf {
            None => writeln!(out, "secret      a key file")?,
            Some(Function::Argon2id { memory_mib, passes, lanes }) => {
                write!(out, "secret      a passphrase, by Argon2id: {memory_mib} MiB of memory, ")?;
                writeln!(out, "{passes} passes, {lanes} lanes")?;
            }
            Some(Function::Pbkdf2 { iterations, .. }) => {
                writeln!(out, "secret      a passphrase, by PBKDF2-HMAC-SHA-512: {iterations} iterations")?;
            }
        }
        writeln!(out, "salt        {}", self.salt)?;
        writeln!(out, "chunks      {} bytes of text each", self.chunk_length)?;
        match (self.text_length, self.file_length) {
            (Some(len), _) => writeln!(out, "text        {len} bytes, if the file is whole"),
            (None, Some(len)) => writeln!(out, "text        damaged: no whole file has {len} bytes"),
            (None, None) => writeln!(out, "text        unknown length: the input is not a file"),
        }
    }
}
