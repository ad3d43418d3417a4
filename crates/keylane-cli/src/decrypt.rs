//! `keylane decrypt`

use crate::status::Outcome;
use crate::transfer::{TransferOptions, decrypted};
use clap::Args;
use keylane_file::{Decryption, Header};

/// Decrypt files that `keylane encrypt` wrote
#[derive(Args, Debug)]
#[command(
    short_flag = 'd',
    mut_arg("force", |force| force.help("Overwrite the output")),
    long_about = "Decrypt files that `keylane encrypt` wrote.\n\n\
        Each FILE.kl is decrypted to FILE, and kept. Without `-o`, standard input goes to standard output; \
        so does a FILE with `-c`.\n\n\
        Only authentic text is written. An output file appears when it is complete, or not at all. Standard \
        output receives every good chunk before the first bad one: a program that reads it must check the \
        exit status before it takes the text for complete. Exit status 1 means that the input is not an \
        encrypted file, has an unknown version, is damaged or truncated, or that the key is wrong; 2 that \
        it needs the other kind of secret.",
    after_help = "\
Examples:
  keylane decrypt -k backup.key home.tar.kl -o restored.tar
  keylane decrypt -k backup.key -c photos.tar.kl | tar t
  keylane decrypt -k backup.key --recursive photos"
)]
pub(crate) struct Decrypt {
    #[command(flatten)]
    transfer: TransferOptions,
}

impl Decrypt {
    pub(crate) fn run(&self) -> Outcome {
        self.transfer.run(decrypted, |transfer| {
            let header = Header::read(&mut &transfer.input).map_err(|error| transfer.failure(error))?;
            transfer.secret.fits(&transfer.input_name, header.key_source())?;
            let decryption = Decryption::new(transfer.secret.read_old()?).header(header);
            transfer.run(|input, output, bar| {
                let decryption = decryption.threads(self.transfer.threads());
                decryption.progress(|len| bar.set_position(len)).run_file(input, output)
            })
        })
    }
}
