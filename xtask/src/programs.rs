//! Test programs that cargo builds and this program runs, with a sanitizer or on another CPU.

use crate::command::{output, require_all};
use anyhow::{Context, Result, ensure};
use cargo_metadata::Message;
use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Command, Stdio};

#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The name that cargo gives it: `contracts`, or `keylane_proofs` for the unit tests and the proofs.
    pub(crate) name: String,
    /// The last part of its folder's name.
    pub(crate) package: String,
    /// Where cargo runs it.
    folder: PathBuf,
    pub(crate) path: PathBuf,
}

/// Builds what a `cargo test` command would run.
pub(crate) fn build(mut command: Command) -> Result<Vec<Program>> {
    command.args(["--quiet", "--no-run", "--message-format=json-render-diagnostics"]).stdout(Stdio::piped());
    let mut cargo = command.spawn().context("cargo")?;
    let messages = BufReader::new(cargo.stdout.take().context("cargo's messages")?);
    let mut programs = Vec::new();
    for message in Message::parse_stream(messages) {
        if let Message::CompilerArtifact(artifact) = message?
            && artifact.profile.test
            && let Some(path) = artifact.executable
            && let Some(folder) = artifact.manifest_path.parent()
            && let Some(package) = folder.file_name()
        {
            let (package, folder) = (package.to_owned(), folder.into());
            programs.push(Program { name: artifact.target.name, package, folder, path: path.into() });
        }
    }
    ensure!(cargo.wait()?.success(), "cargo test --no-run failed");
    ensure!(!programs.is_empty(), "cargo built no test program");
    Ok(programs)
}

/// Runs a program on this CPU, with every implementation that the CPU has, and returns how many tests passed.
pub(crate) fn run(program: &Program, adapt: impl Fn(&mut Command)) -> Result<usize> {
    let mut command = Command::new(&program.path);
    command.current_dir(&program.folder);
    require_all(&mut command)?;
    adapt(&mut command);
    passed(&output(&mut command).with_context(|| format!("{} {}", program.package, program.name))?)
}

/// Returns how many tests passed, from what test programs print.
pub(crate) fn passed(printed: &str) -> Result<usize> {
    let results =
        printed.lines().filter_map(|line| line.split_once("test result: ok. ")?.1.split_once(" passed"));
    let counts: Vec<usize> = results.map(|(count, _)| count.parse()).collect::<Result<_, _>>()?;
    ensure!(!counts.is_empty(), "no test program came to its end:\n{printed}");
    Ok(counts.iter().sum())
}
