//! `cargo xtask vectors`: tests every implementation with the files for AES and hashes of NIST's validation
//! program.
//!
//! The files come from the package in which the Python project `cryptography` publishes its test vectors.

use crate::command::{cargo, output, python_packages, require_all};
use anyhow::{Result, ensure};

pub(crate) fn run() -> Result<()> {
    // As `cargo test --workspace` builds it: alone, its package would be built with other features.
    let mut command = cargo(&["test", "--quiet", "--workspace", "--test", "cavp"]);
    require_all(&mut command)?;
    command
        .env("KEYLANE_CAVP", python_packages("ci/vectors.txt")?)
        .args(["--", "--include-ignored", "--nocapture"]);
    let printed = output(&mut command)?;
    print!("{printed}");
    ensure!(printed.contains("all as published"), "no file was read");
    Ok(())
}
