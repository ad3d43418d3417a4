//! The source files of a crate and the modules they are.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// A source file in memory.
#[derive(Debug)]
pub(crate) struct Source {
    /// Where it lies, from the workspace's root.
    pub(crate) path: PathBuf,
    /// Which module it is: `["sha2", "lanes"]`; empty for the crate's root.
    pub(crate) module: Vec<String>,
    pub(crate) text: String,
}

/// Every Rust file under `src`, in the order of their paths.
pub(crate) fn read(root: &Path, src: &Path) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    let mut folders = vec![root.join(src)];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text =
                    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
                let module = module_of(path.strip_prefix(root.join(src))?);
                sources.push(Source { path: path.strip_prefix(root)?.to_owned(), module, text });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

/// The module that the file at `path`, from the crate's `src`, is.
pub(crate) fn module_of(path: &Path) -> Vec<String> {
    let mut module: Vec<_> =
        path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod" || (module.len() == 1 && last == "lib")) {
        module.pop();
    }
    module
}
