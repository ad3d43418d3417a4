//! Why something that a command found is as it should be, in a file that a reader can judge. Each is named by the text of
//! its line, which stays when lines move.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A line of a source file, or what was found on it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// From the root.
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) text: String,
}

/// One reason for findings in one file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reason {
    pub(crate) file: String,
    /// Their texts, a line each.
    pub(crate) lines: String,
    pub(crate) why: String,
}

impl Reason {
    fn texts(&self) -> impl Iterator<Item = &str> {
        self.lines.lines().map(str::trim).filter(|line| !line.is_empty())
    }
}

/// Reasons, and what each of them is for.
pub(crate) type Explained<'a> = Vec<(&'a Reason, Vec<Finding>)>;

/// Finds the reason of each finding. Fails on a finding that has none, and, if the findings are `complete`, on a text that
/// is not found.
pub(crate) fn explain(reasons: &[Reason], findings: Vec<Finding>, complete: bool) -> Result<Explained<'_>> {
    let mut explained: Explained<'_> = reasons.iter().map(|reason| (reason, Vec::new())).collect();
    let mut bad = String::new();
    for finding in findings {
        let is_for =
            |reason: &Reason| reason.file == finding.file && reason.texts().any(|text| text == finding.text);
        match explained.iter_mut().find(|(reason, _)| is_for(reason)) {
            Some((_, found)) => found.push(finding),
            None => writeln!(bad, "{}:{}: no reason for: {}", finding.file, finding.line, finding.text)?,
        }
    }
    if complete {
        for (reason, found) in &explained {
            let found: BTreeSet<_> = found.iter().map(|finding| &*finding.text).collect();
            for text in reason.texts().filter(|text| !found.contains(text)) {
                writeln!(bad, "{}: a reason for what was not found: {text}", reason.file)?;
            }
        }
    }
    ensure!(bad.is_empty(), "what was found and what has a reason are not the same:\n{bad}");
    Ok(explained)
}

/// The findings that have a reason, a section for each.
pub(crate) fn sections(explained: &Explained<'_>) -> String {
    let mut page = String::new();
    for (reason, found) in explained.iter().filter(|(_, found)| !found.is_empty()) {
        write!(page, "\n## {}\n\n{}\n\n```text\n", reason.file, reason.why.trim())
            .expect("a string takes all");
        for Finding { line, text, .. } in found {
            writeln!(page, "{line:4}  {text}").expect("a string takes all");
        }
        page.push_str("```\n");
    }
    page
}

/// What a file with nothing but reasons says.
pub(crate) fn read<T: for<'a> Deserialize<'a>>(root: &Path, path: &str) -> Result<T> {
    toml::from_str(&fs::read_to_string(root.join(path)).context(path.to_owned())?).context(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: u32, text: &str) -> Finding {
        Finding { file: "a.rs".to_owned(), line, text: text.to_owned() }
    }

    fn reason(file: &str, lines: &str) -> Reason {
        Reason { file: file.to_owned(), lines: lines.to_owned(), why: "It is so.".to_owned() }
    }

    #[test]
    fn what_has_a_reason_passes() {
        let reasons = [reason("b.rs", ""), reason("a.rs", "\n  one\n  two\n")];
        let explained =
            explain(&reasons, vec![found(3, "two"), found(7, "one"), found(9, "two")], true).unwrap();
        assert_eq!(explained[1].1, [found(3, "two"), found(7, "one"), found(9, "two")]);
        assert_eq!(
            sections(&explained),
            "\n## a.rs\n\nIt is so.\n\n```text\n   3  two\n   7  one\n   9  two\n```\n"
        );
    }

    #[test]
    fn what_has_none_fails() {
        let error = |reasons: &[Reason]| {
            explain(reasons, vec![found(3, "one")], false).map(drop).unwrap_err().to_string()
        };
        assert!(error(&[]).ends_with("a.rs:3: no reason for: one\n"));
        assert!(error(&[reason("b.rs", "one")]).ends_with("a.rs:3: no reason for: one\n"));
        assert!(error(&[reason("a.rs", "one and more")]).ends_with("a.rs:3: no reason for: one\n"));
    }

    #[test]
    fn a_reason_for_nothing_fails_once_all_was_looked_at() {
        let reasons = [reason("a.rs", "one\ntwo")];
        assert!(explain(&reasons, vec![found(3, "one")], false).is_ok());
        let error = explain(&reasons, vec![found(3, "one")], true).map(drop).unwrap_err().to_string();
        assert!(error.ends_with("a.rs: a reason for what was not found: two\n"));
    }
}
