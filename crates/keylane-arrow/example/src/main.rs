//! The example's command line.

#![forbid(unsafe_code)]

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Pseudonymise a folder of Parquet files with the columns `email`, `phone` and `born`.
#[derive(Parser)]
struct Arguments {
    /// The folder of email.key, phone.key and born.key, each from `keylane keygen`.
    #[arg(long)]
    keys: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Turn e-mail addresses and telephone numbers into tokens, and seal dates of birth.
    Run {
        /// A folder of Parquet files.
        input: PathBuf,
        /// The folder to write.
        output: PathBuf,
    },
    /// Print one person's date of birth, in days since 1970.
    Born {
        /// A folder that `run` wrote.
        folder: PathBuf,
        /// The person's e-mail address.
        email: String,
    },
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let session = pseudonymise::session(&arguments.keys)?;
    match arguments.command {
        Command::Run { input, output } => {
            let rows = pseudonymise::pseudonymise(&session, &input, &output).await?;
            println!("{rows} rows");
        }
        Command::Born { folder, email } => match pseudonymise::born(&session, &folder, &email).await? {
            Some(days) => println!("{days}"),
            None => println!("unknown"),
        },
    }
    Ok(())
}
