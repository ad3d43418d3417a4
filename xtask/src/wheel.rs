//! Packages of Python's index that are taken for the files in them, not to be installed.

use crate::steps::run as run_command;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder with the package that the file `requirements` names, with its version and its hash. It lies below `cache`;
/// the package is downloaded and unpacked if it is not there in this version.
pub(crate) fn unpacked(root: &Path, requirements: &str, cache: &Path) -> Result<PathBuf> {
    let text = fs::read_to_string(root.join(requirements)).context(requirements.to_owned())?;
    let version = text.split_whitespace().find(|word| word.contains("=="));
    let folder = cache.join(version.with_context(|| format!("no version in {requirements}"))?);
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
    download.current_dir(root).args(pip).args(["--requirement", requirements, "--dest"]).arg(&wheels);
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
