//! `keylane decrypt`

use crate::file_secret::SecretOptions;
use crate::format::FormatOptions;
use crate::status::Outcome;
use crate::transfer::{Transfer, TransferOptions};
use clap::Args;
use keylane_file::{Header, c2sp};

/// Decrypt a file that `keylane encrypt` wrote
#[derive(Args, Debug)]
#[command(
    mut_arg("force", |force| force.help("Overwrite the output")),
    long_about = "Decrypt a file that `keylane encrypt` wrote.\n\n\
        Only authentic text is written. An output file appears when it is complete, or not at all; standard \
        output receives every good chunk before the first bad one, so a program that reads it must wait for \
        the exit status to know that the text is complete. Exit status 1 means that the input is at fault: \
        it is not an encrypted file, has an unknown version, is damaged or truncated, or belongs to another \
        key.",
    after_help = "Example: keylane decrypt --key-file backup.key home.tar.kl -o home.tar; \
        ssh host cat home.tar.kl | keylane decrypt --key-file backup.key | tar t"
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
        let transfer = Transfer::new(&self.transfer, &source)?;
        let threads = self.transfer.threads;
        if let Some(context) = format {
            let key = source.read_key()?;
            return transfer.run(|input, output, progress| {
                c2sp::decrypt_file(input, output, &key, context, threads, progress)
            });
        }
        let header = Header::read(&mut transfer.input()).map_err(|error| transfer.failure(error))?;
        let secret = source.read_for(transfer.input_name(), header.key_source())?;
        transfer.run(|input, output, progress| {
            header.decrypt_file(input, output, secret.key(), threads, progress)
        })
    }
}
