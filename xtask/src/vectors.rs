//! `cargo xtask vectors`: the AES files of NIST's validation program over every implementation.
//!
//! The files come from the package that the Python project `cryptography` publishes its test vectors in.

use crate::command::{cargo, python_packages, require_all, run as run_command};
use anyhow::Result;
use std::path::PathBuf;

pub(crate) fn run() -> Result<()> {
    // As `cargo test --workspace` builds it: alone, its package would be built with other features.
    let mut command = cargo(&["test", "--quiet", "--workspace", "--test", "cavp"]);
    require_all(&mut command)?;
    command.env("KEYLANE_CAVP", folder()?).args(["--", "--ignored", "--nocapture"]);
    run_command(&mut command)
}

/// Returns the folder that has the package.
pub(crate) fn folder() -> Result<PathBuf> {
    python_packages("ci/vectors.txt")
}
