//! A copy of the sources, for faults to be put into: nobody works on it.

use anyhow::{Context, Result, ensure};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Brings the copy up to date. What has not changed is not touched, so that cargo need not build it again.
pub(super) fn copy(root: &Path, tree: &Path) -> Result<()> {
    let mut copied = HashSet::new();
    for file in files(root, &[])? {
        let (from, to) = (root.join(&file), tree.join(file));
        let text = fs::read(&from).with_context(|| from.display().to_string())?;
        if !fs::read(&to).is_ok_and(|copy| copy == text) {
            fs::create_dir_all(to.parent().context("a file has a folder")?)?;
            fs::write(&to, text).with_context(|| to.display().to_string())?;
        }
        copied.insert(to);
    }
    remove_others(tree, &copied)
}

/// Fails unless what the tests are built of is in the copy as it is here.
pub(super) fn is_copied(root: &Path, tree: &Path) -> Result<()> {
    for file in files(root, &["Cargo.lock", "Cargo.toml", "crates"])? {
        let same = fs::read(tree.join(&file))
            .is_ok_and(|copy| fs::read(root.join(&file)).is_ok_and(|it| it == copy));
        ensure!(same, "{file} has changed since the last run");
    }
    Ok(())
}

/// What git knows, and what it would if it were told, below the paths.
fn files(root: &Path, paths: &[&str]) -> Result<Vec<String>> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"];
    let output =
        Command::new("git").current_dir(root).args(list).args(paths).output().context("cannot run git")?;
    ensure!(output.status.success(), "git ls-files: {}", output.status);
    let files = String::from_utf8(output.stdout)?;
    // Git still knows a file that was just deleted.
    Ok(files.split_terminator('\0').filter(|file| root.join(file).is_file()).map(str::to_owned).collect())
}

/// Cargo would build a test program that was only forgotten.
fn remove_others(folder: &Path, copied: &HashSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(&path, copied)?;
        } else if !copied.contains(&path) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}
