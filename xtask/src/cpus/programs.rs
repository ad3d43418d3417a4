//! The test programs that an emulator runs.

use super::{PACKAGES, RELEASED, Target, X86_64, script, target_folder};
use crate::steps;
use anyhow::{Context, Result, ensure};
use cargo_metadata::Message;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Clone, Debug)]
pub(super) struct Program {
    /// As cargo names it: `agreement`, or `keylane` for the unit tests.
    pub(super) name: String,
    /// Of `keylane` or of `keylane-cpu`.
    pub(super) package: String,
    pub(super) path: PathBuf,
}

/// For this machine's architecture: those that `.ci/run` has built.
pub(super) fn native(root: &Path) -> Result<Vec<Program>> {
    // Of the whole workspace, as there: the packages decide together which features their dependencies have, and for two of
    // them alone all would be built again.
    build(steps::cargo(root, &["test", "--workspace"]))
}

/// For other architectures, in one run of cargo: what runs while they are compiled is compiled once.
pub(super) fn foreign(root: &Path, targets: &[Target]) -> Result<Vec<(Target, Program)>> {
    let names: Vec<_> = targets.iter().map(|target| target.name()).collect();
    let mut command = script(root, "cross-test.sh", "cross")?;
    command.arg(names.join(",")).arg("test").args(of_packages());
    let programs = build(command)?;
    let target_of = |program: &Program| {
        let name = |target: &&Target| {
            program.path.to_string_lossy().contains(&format!("/{}-unknown-", target.name()))
        };
        targets.iter().find(name).copied()
    };
    programs
        .into_iter()
        .map(|program| Ok((target_of(&program).context("a program for no target")?, program)))
        .collect()
}

/// Static: they run on any kernel.
pub(super) fn fixed(root: &Path) -> Result<Vec<Program>> {
    let mut command = steps::cargo(root, &["test", "--target", X86_64]);
    command
        .args(of_packages())
        .env("CARGO_TARGET_DIR", target_folder(root, "x86")?)
        .envs(RELEASED)
        .env("RUSTFLAGS", "-Ctarget-feature=+crt-static");
    build(command)
}

fn of_packages() -> impl Iterator<Item = String> {
    PACKAGES.iter().map(|package| format!("--package={package}"))
}

/// Runs a `cargo test`, but for the tests, and says what it built.
fn build(mut command: Command) -> Result<Vec<Program>> {
    command.args(["--quiet", "--no-run", "--message-format=json-render-diagnostics"]).stdout(Stdio::piped());
    let mut cargo = command.spawn().with_context(|| format!("cannot run {}", steps::shown(&command)))?;
    let messages = BufReader::new(cargo.stdout.take().context("cargo's messages")?);
    let mut programs = Vec::new();
    for message in Message::parse_stream(messages) {
        if let Message::CompilerArtifact(artifact) = message?
            && artifact.profile.test
            && let Some(path) = artifact.executable
            && let Some(package) = artifact.manifest_path.parent().and_then(|folder| folder.file_name())
            && PACKAGES.contains(&package)
        {
            let package = package.to_owned();
            programs.push(Program { name: artifact.target.name, package, path: path.into() });
        }
    }
    ensure!(cargo.wait()?.success(), "{} failed", steps::shown(&command));
    ensure!(!programs.is_empty(), "cargo built no test program");
    Ok(programs)
}
