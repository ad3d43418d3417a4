//! What cargo-mutants leaves in its folder.

use crate::reasons::Finding;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;

/// The names of faults, by what came of them.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    pub(super) noticed: Vec<String>,
    pub(super) survived: Vec<String>,
    /// Those that do not compile.
    pub(super) unviable: Vec<String>,
}

impl Outcomes {
    /// Of a run that came to its end.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let names = |file: &str| -> Result<Vec<String>> {
            let path = folder.join(file);
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            Ok(text.lines().map(str::to_owned).collect())
        };
        let mut noticed = names("caught.txt")?;
        // A loop that does not end is noticed by whoever waits for it.
        noticed.extend(names("timeout.txt")?);
        let outcomes = Self { noticed, survived: names("missed.txt")?, unviable: names("unviable.txt")? };
        let all: Vec<serde_json::Value> =
            serde_json::from_str(&fs::read_to_string(folder.join("mutants.json"))?)?;
        let tried = outcomes.noticed.len() + outcomes.survived.len() + outcomes.unviable.len();
        let all = all.len();
        ensure!(tried == all, "{}: {tried} faults of {all} were tried", folder.display());
        Ok(outcomes)
    }
}

/// From `crates/keylane/src/aead.rs:13:5: replace total_len -> usize with 0`.
pub(super) fn finding(name: &str) -> Result<Finding> {
    let mut parts = name.splitn(4, ':');
    let mut part = || parts.next().with_context(|| format!("not the name of a fault: {name}"));
    let (file, line, _column, text) = (part()?, part()?, part()?, part()?);
    Ok(Finding { file: file.to_owned(), line: line.parse()?, text: text.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "crates/a/src/b.rs:13:5: replace + with * in <impl B for A>::f";

    #[test]
    fn a_name_is_taken_apart() {
        let expected = Finding {
            file: "crates/a/src/b.rs".to_owned(),
            line: 13,
            text: "replace + with * in <impl B for A>::f".to_owned(),
        };
        assert_eq!(finding(NAME).unwrap(), expected);
        assert!(finding("crates/a/src/b.rs:13").is_err());
    }
}
