//! The files in folders.

use crate::identity::Identity;
use crate::os::{self, STDOUT};
use crate::status::{Failure, Status};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Replaces each folder in `names` by the files in it and its subfolders, in order, and returns whether all
/// could be listed. Only files accepted by `takes` are included: no links, no devices, and not standard
/// output's own file, as in `keylane hash sha256 -r . > list`.
pub(crate) fn files(names: &[PathBuf], takes: impl Fn(&Path) -> bool) -> (Vec<PathBuf>, Status) {
    let (mut files, mut status) = (Vec::new(), Status::Done);
    let stdout = os::open(STDOUT).ok().filter(|file| file.metadata().is_ok_and(|it| it.is_file()));
    let stdout = stdout.and_then(|file| Identity::of(&file).ok());
    let is_stdout = |path: &Path| stdout.is_some() && Identity::at(path).ok() == stdout;
    let mut open: Vec<_> = names.iter().rev().map(|name| (name.clone(), name.is_dir())).collect();
    while let Some((path, is_folder)) = open.pop() {
        if !is_folder {
            files.push(path);
            continue;
        }
        match list(&path) {
            Ok(mut entries) => {
                entries.retain(|(path, is_folder)| *is_folder || takes(path) && !is_stdout(path));
                open.append(&mut entries);
            }
            Err(error) => status = Failure::file(&path, &error).report(),
        }
    }
    (files, status)
}

/// Returns a folder's files and subfolders, which are marked, in reverse order of their names.
fn list(folder: &Path) -> io::Result<Vec<(PathBuf, bool)>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() || kind.is_file() {
            entries.push((entry.path(), kind.is_dir()));
        }
    }
    entries.sort_unstable_by(|a, b| b.cmp(a));
    Ok(entries)
}
