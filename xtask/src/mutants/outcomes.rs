//! What cargo-mutants leaves in its folder.

use crate::reasons::Finding;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
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
        let (tried, all) = (outcomes.len(), all.len());
        ensure!(tried == all, "{}: {tried} faults of {all} were tried", folder.display());
        Ok(outcomes)
    }

    pub(super) fn len(&self) -> usize {
        self.noticed.len() + self.survived.len() + self.unviable.len()
    }

    /// With what became of the survivors when they were tried again.
    pub(super) fn followed_by(self, Self { noticed, survived, unviable }: Self) -> Result<Self> {
        let (before, after): (BTreeSet<_>, BTreeSet<_>) =
            (self.survived.iter().collect(), noticed.iter().chain(&survived).collect());
        ensure!(
            before == after && unviable.is_empty(),
            "survivors were {before:?}, and tried again {after:?}"
        );
        Ok(Self {
            noticed: self.noticed.into_iter().chain(noticed).collect(),
            survived,
            unviable: self.unviable,
        })
    }
}

/// A regular expression that the name of this fault alone matches.
pub(super) fn only(name: &str) -> String {
    format!("^{}$", regex_syntax::escape(name))
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
    use regex_syntax::hir::{Hir, Look};

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

    #[test]
    fn a_name_as_a_pattern() {
        for name in [NAME, "a.rs:1:2: replace f -> [u8; 4]", "replace && with ||", r"'\\' {$} #^ ~ <T>::f?"] {
            let itself = [Hir::look(Look::Start), Hir::literal(name.as_bytes()), Hir::look(Look::End)];
            assert_eq!(regex_syntax::parse(&only(name)).unwrap(), Hir::concat(itself.into()));
        }
    }

    #[test]
    fn survivors_are_tried_again_all_of_them() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let quick =
            || Outcomes { noticed: names(&["a"]), survived: names(&["b", "c"]), unviable: names(&["d"]) };
        let again = |noticed, survived| Outcomes { noticed, survived, ..Outcomes::default() };
        let both = quick().followed_by(again(names(&["c"]), names(&["b"]))).unwrap();
        assert_eq!((both.noticed, both.survived), (names(&["a", "c"]), names(&["b"])));
        assert!(quick().followed_by(again(names(&["c"]), names(&[]))).is_err());
        assert!(quick().followed_by(again(names(&["c"]), names(&["a"]))).is_err());
    }
}
