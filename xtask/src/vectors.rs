//! `cargo xtask vectors`: the AES files of NIST's validation program over every implementation.
//!
//! The files come from a package of Python's index that the project `cryptography` publishes its test vectors in:
//! `ci/vectors.txt` names its version and its hash.

use crate::evidence::Evidence;
use crate::steps::{cargo, shown};
use crate::{demands, wheel};
use anyhow::{Context, Result, bail, ensure};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

pub(crate) fn run(root: &Path, record: bool) -> Result<()> {
    let evidence = Evidence::begin(root, "vectors", record)?;
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let folder = unpacked(root, metadata.target_directory.as_std_path())?;
    let program =
        ["run", "--quiet", "--release", "--package", "keylane-contracts", "--example", "cavp", "--"];
    let mut command = cargo(root, &program);
    demands::add(root, &mut command)?;
    let mut child = command.arg(folder).stdout(Stdio::piped()).spawn()?;
    let mut last = String::new();
    for line in BufReader::new(child.stdout.take().context("the program's output")?).lines() {
        last = line?;
        println!("{last}");
    }
    ensure!(child.wait()?.success(), "{} failed", shown(&command));
    if let Some(mut evidence) = evidence {
        // Its last line sums up: so many cases in so many files.
        let [cases, "cases", "in", files, ..] = last.split_whitespace().collect::<Vec<_>>()[..] else {
            bail!("no sum in {last:?}");
        };
        evidence.figure("files", files);
        evidence.figure("cases, each over every implementation", cases);
        evidence.record(root)?;
    }
    Ok(())
}

/// The folder with the package, below the target folder.
pub(crate) fn unpacked(root: &Path, target: &Path) -> Result<PathBuf> {
    wheel::unpacked(root, "ci/vectors.txt", &target.join("vectors"))
}
