//! The test programs that cargo builds, to be run by another hand than cargo's.

use crate::{demands, steps, tally};
use anyhow::{Context, Result, ensure};
use cargo_metadata::Message;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// As cargo names it: `agreement`, or `keylane` for the unit tests.
    pub(crate) name: String,
    /// As its folder is named: `keylane`, `keylane-cpu`.
    pub(crate) package: String,
    pub(crate) path: PathBuf,
}

impl Program {
    /// Runs the program on this CPU, as `adapt` wants it, with all implementations demanded that there are. Gives the number
    /// of its tests, which have all passed.
    pub(crate) fn tests(&self, root: &Path, adapt: impl Fn(&mut Command)) -> Result<usize> {
        let command = || {
            let mut command = Command::new(&self.path);
            // Where cargo runs them.
            command.current_dir(root.join("crates").join(&self.package));
            adapt(&mut command);
            command
        };
        let list = command().args(["--list", "--format", "terse"]).output()?;
        ensure!(list.status.success(), "{}: {}", self.name, String::from_utf8_lossy(&list.stderr));
        let listed = tally::listed(&String::from_utf8_lossy(&list.stdout));
        if listed == 0 {
            return Ok(0);
        }
        let mut command = command();
        demands::add(root, &mut command)?;
        let mut output = String::new();
        let passed = tally::quiet_run(command, &mut output)
            .inspect_err(|_| println!("{output}"))
            .with_context(|| format!("{} {}", self.package, self.name))?
            .tests;
        ensure!(passed == listed, "{}: {passed} tests passed, and it has {listed}", self.name);
        Ok(passed)
    }
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
