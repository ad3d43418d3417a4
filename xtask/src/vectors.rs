//! `cargo xtask vectors`: the AES files of NIST's validation program over every implementation.
//!
//! The files come from the package that the Python project `cryptography` publishes its test vectors in.

use crate::command::{built_by_tests, program, python_packages, require_all, run as run_command};
use anyhow::Result;
use std::path::PathBuf;

pub(crate) fn run() -> Result<()> {
    let mut command = program(built_by_tests("examples/cavp")?);
    require_all(&mut command)?;
    run_command(command.arg(folder()?))
}

/// Returns the folder that has the package.
pub(crate) fn folder() -> Result<PathBuf> {
    python_packages("ci/vectors.txt")
}
