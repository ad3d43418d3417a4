//! The command `keylane`: checksums and HMAC tags, key derivation, encrypted files, and the implementations
//! that run on this CPU, with their speed.
//!
//! Exit status: 0 for success, 1 for failed verification, 2 for wrong usage or input.
#![deny(unsafe_code)]

mod algorithm;
mod backends;
mod bench;
mod check_list;
mod checksum;
mod completions;
mod decrypt;
mod derive;
mod descriptor;
mod encrypt;
mod file_secret;
mod folders;
mod hash;
mod hex;
mod identity;
mod inspect;
mod keygen;
mod lanes;
mod mac;
mod man;
#[allow(unsafe_code)]
mod os;
mod progress;
mod secret;
mod selftest;
mod signals;
mod status;
mod target;
mod terminal;
mod transfer;

use clap::error::{ContextKind, ContextValue};
use clap::{Parser, Subcommand};
use os::STDOUT;
use serde::Serialize;
use status::{Failure, Outcome, Status};
use std::io::{self, Write};
use std::process::ExitCode;

/// Fast symmetric cryptography: hashes, MACs, key derivation, encryption
#[derive(Parser, Debug)]
#[command(
    name = "keylane",
    // On Windows, the file has another name.
    bin_name = "keylane",
    version,
    long_about = "Fast symmetric cryptography: hashes, MACs, key derivation, encryption.\n\n\
        Exit status: 0 done, 1 verification failed, 2 wrong usage or input.",
    after_help = "\
Examples:
  keylane keygen -o backup.key
  keylane encrypt -k backup.key home.tar
  keylane decrypt -k backup.key home.tar.kl -o restored.tar
  keylane hash sha256 *.iso >SHA256SUMS
  keylane bench"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Backends(backends::Backends),
    Selftest(selftest::SelfTest),
    Bench(bench::Bench),
    Hash(hash::Hash),
    Mac(mac::Mac),
    Keygen(keygen::Keygen),
    Encrypt(encrypt::Encrypt),
    Decrypt(decrypt::Decrypt),
    Inspect(inspect::Inspect),
    #[command(subcommand)]
    Derive(derive::Derive),
    Completions(completions::Completions),
    Man(man::Man),
}

fn main() -> ExitCode {
    os::survive_file_limit();
    let outcome = match Arguments::try_parse() {
        Ok(arguments) => {
            let mut out = os::stdout();
            run(&arguments.command, &mut out).and_then(|status| {
                out.flush()?;
                Ok(status)
            })
        }
        Err(error) if error.use_stderr() => quoted(error).exit(),
        // Not an error: help or the version was requested.
        Err(help) => {
            os::check(STDOUT).and_then(|()| help.print()).map(|()| Status::Done).map_err(Failure::from)
        }
    };
    outcome.unwrap_or_else(|failure| failure.report()).into()
}

/// Returns the error without control characters, since an argument may be the name of another user's file
/// (`keylane encrypt *`), and with the likelier suggestion.
fn quoted(mut error: clap::Error) -> clap::Error {
    let is_raw = |text: &str| text.contains(char::is_control);
    let raw = error.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) if is_raw(text) => Some((kind, text.escape_debug().to_string())),
        _ => None,
    });
    for (kind, text) in raw.collect::<Vec<_>>() {
        error.insert(kind, ContextValue::String(text));
        // It may contain the argument again.
        error.insert(ContextKind::Suggested, ContextValue::None);
    }
    // `--key` is most similar to `--key-fd`, but a file is more likely.
    if let Some(ContextValue::String(like)) = error.get(ContextKind::SuggestedArg)
        && let Some(what) = like.strip_suffix("-fd")
    {
        let file = format!("{what}-file");
        error.insert(ContextKind::SuggestedArg, ContextValue::String(file));
        // The usage line contains the other suggestion.
        error.insert(ContextKind::Usage, ContextValue::None);
    }
    error
}

/// A command's output: lines, or a document with `--json`.
trait Document: Serialize + Sized {
    fn print(&self, out: &mut dyn Write) -> io::Result<()>;

    fn write(&self, json: bool, out: &mut dyn Write) -> io::Result<()> {
        if !json {
            return self.print(out);
        }
        // Only the write can fail.
        serde_json::to_writer_pretty(&mut *out, self)?;
        writeln!(out)
    }
}

fn run(command: &Command, out: &mut dyn Write) -> Outcome {
    match command {
        Command::Backends(backends) => backends.run(out),
        Command::Selftest(self_test) => self_test.run(out),
        Command::Bench(bench) => bench.run(out),
        Command::Hash(hash) => hash.run(out),
        Command::Mac(mac) => mac.run(out),
        Command::Keygen(keygen) => keygen.run(),
        Command::Encrypt(encrypt) => encrypt.run(),
        Command::Decrypt(decrypt) => decrypt.run(),
        Command::Inspect(inspect) => inspect.run(out),
        Command::Derive(derive) => derive.run(out),
        Command::Completions(completions) => completions.run(out),
        Command::Man(man) => man.run(out),
    }
}
