//! The test programs that cargo builds, to be run by another hand than cargo's.

use crate::steps;
use anyhow::{Context, Result, ensure};
use cargo_metadata::Message;
use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Command, Stdio};

#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// As cargo names it: `agreement`, or `keylane` for the unit tests.
    pub(crate) name: String,
    /// As its folder is named: `keylane`, `keylane-cpu`.
    pub(crate) package: String,
    pub(crate) path: PathBuf,
}

/// Runs a `cargo test`, but for the tests, and says what it built.
pub(crate) fn build(mut command: Command) -> Result<Vec<Program>> {
    command.args(["--quiet", "--no-run", "--message-format=json-render-diagnostics"]).stdout(Stdio::piped());
    let mut cargo = command.spawn().with_context(|| format!("cannot run {}", steps::shown(&command)))?;
    let messages = BufReader::new(cargo.stdout.take().context("cargo's messages")?);
    let mut programs = Vec::new();
    for message in Message::parse_stream(messages) {
        if let Message::CompilerArtifact(artifact) = message?
            && artifact.profile.test
            && let Some(path) = artifact.executable
            && let Some(package) = artifact.manifest_path.parent().and_then(|folder| folder.file_name())
        {
            let package = package.to_owned();
            programs.push(Program { name: artifact.target.name, package, path: path.into() });
        }
    }
    ensure!(cargo.wait()?.success(), "{} failed", steps::shown(&command));
    ensure!(!programs.is_empty(), "cargo built no test program");
    Ok(programs)
}
