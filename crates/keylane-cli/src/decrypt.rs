//! `keylane decrypt`

use crate::file_secret::{FileSecretSource, SecretOptions};
use crate::format::FormatOptions;
use crate::status::{Failure, Outcome};
use crate::transfer::{Transfer, TransferOptions, decrypted};
use clap::Args;
use keylane::chunked::{self, ChunkCipher};
use keylane_file::{Error, Header, c2sp};
use std::io::Read;

/// Decrypt files that `keylane encrypt` wrote
#[derive(Args, Debug)]
#[command(
    short_flag = 'd',
    mut_arg("force", |force| force.help("Overwrite the output")),
    long_about = "Decrypt files that `keylane encrypt` wrote.\n\n\
        Each FILE.kl is decrypted to FILE, and kept. Standard input goes to standard output, and so does a \
        file with `-c`.\n\n\
        Only authentic text is written. An output file appears when it is complete, or not at all; standard \
        output receives every good chunk before the first bad one, so a program that reads it must wait for \
        the exit status to know that the text is complete. Exit status 1 means that the input is at fault: \
        it is not an encrypted file, has an unknown version, is damaged or truncated, or belongs to another \
        key.",
    after_help = "\
Examples:
  keylane decrypt -k backup.key home.tar.kl -o restored.tar
  keylane decrypt -k backup.key -c photos.tar.kl | tar t
  keylane decrypt -k backup.key --recursive photos"
)]
pub(crate) struct Decrypt {
    #[command(flatten)]
    transfer: TransferOptions,
    #[command(flatten)]
    secret: SecretOptions,
    #[command(flatten)]
    format: FormatOptions,
}

impl Decrypt {
    pub(crate) fn run(&self) -> Outcome {
        let format = self.format.c2sp()?;
        let source = self.secret.source()?;
        let threads = self.transfer.threads;
        self.transfer.run(decrypted, &source, |transfer| {
            if let Some(context) = format {
                let key = source.read_key()?;
                return Ok(transfer.run(|input, output, progress| {
                    c2sp::decrypt_file(input, output, key, context, threads, progress)
                }));
            }
            let header = match read_header(transfer, &source) {
                Ok(header) => header,
                Err(failure) => return Ok(Err(failure)),
            };
            let secret = source.read(false)?;
            Ok(transfer.run(|input, output, progress| {
                header.decrypt_file(input, output, secret.key(), threads, progress)
            }))
        })
    }
}

fn read_header(transfer: &Transfer<'_>, source: &FileSecretSource<'_>) -> Result<Header, Failure> {
    // Enough to know either format, and no more than the header of both.
    let mut start = Vec::new();
    let read = transfer.input().take(chunked::HEADER_LEN as u64).read_to_end(&mut start);
    let header = read.map_err(Error::Read).and_then(|_| Header::read(&mut start.chain(transfer.input())));
    let header = header.map_err(|error| match error {
        Error::NotKeylane => not_keylane(transfer.input_name(), &start, source),
        error => transfer.failure(error),
    })?;
    source.fits(transfer.input_name(), header.key_source())?;
    Ok(header)
}

/// C2SP's format has no mark: only its key knows it, if it has no context.
fn not_keylane(name: &str, start: &[u8], source: &FileSecretSource<'_>) -> Failure {
    let is_c2sp = start.first_chunk().is_some_and(|header| {
        source.read_key().is_ok_and(|key| ChunkCipher::for_message(key, header, b"").is_ok())
    });
    if is_c2sp {
        return Failure::input(format_args!("{name} has the format of C2SP: give --format c2sp"));
    }
    let error = Error::NotKeylane;
    Failure::VerificationFailed(format!("{name}: {error}; the format of C2SP needs --format c2sp"))
}
