//! The page: a section for each kind of evidence.

use super::{Evidence, kinds::Kind};
use std::fmt::Write;

const INTRODUCTION: &str = "\
# Assurance

What Keylane's promises rest on: each kind of evidence, the command that brings it, what it can show and what it cannot, and
what its last recorded run found. This page is made from the records in [assurance](assurance) by the commands themselves,
with `--record`; [SECURITY.md](../SECURITY.md) says what is promised.
";

pub(super) fn page(records: &[(&Kind, Option<Evidence>)]) -> String {
    let mut page = INTRODUCTION.to_owned();
    for (kind, evidence) in records {
        section(&mut page, kind, evidence.as_ref()).expect("a string takes what it is given");
    }
    page
}

fn section(page: &mut String, kind: &Kind, evidence: Option<&Evidence>) -> std::fmt::Result {
    write!(page, "\n## {}\n\n    {}\n\n{}", kind.title, kind.command, kind.shows)?;
    let Some(evidence) = evidence else {
        return writeln!(page, "\n\nNo run was recorded.");
    };
    // It is written with the record.
    if let Some(link) = kind.page {
        write!(page, " {link}")?;
    }
    writeln!(page, "\n\n| {}, commit {} | |\n|---|---|", evidence.date, evidence.commit)?;
    for figure in &evidence.figures {
        writeln!(page, "| {} | {} |", cell(&figure.what), cell(&figure.value))?;
    }
    writeln!(page, "\nOn {}.", evidence.machine)
}

/// A bar would end the cell: `|t|` has two.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Figure;

    const KIND: Kind =
        Kind { name: "a", title: "A", command: "a", shows: "It is so.", page: Some("[a](a.md).") };

    #[test]
    fn a_row_has_two_cells_and_a_page_comes_with_a_record() {
        let figure = Figure { what: "largest |t|".to_owned(), value: "|t| = 3".to_owned() };
        let evidence = Evidence {
            name: "a".to_owned(),
            date: "2026-01-02".to_owned(),
            commit: "abc".to_owned(),
            machine: "a CPU".to_owned(),
            figures: vec![figure],
            platforms: Vec::new(),
        };
        let with = page(&[(&KIND, Some(evidence))]);
        assert!(with.contains("\n| largest \\|t\\| | \\|t\\| = 3 |\n"), "{with}");
        assert!(with.contains("It is so. [a](a.md).\n"), "{with}");
        let without = page(&[(&KIND, None)]);
        assert!(without.ends_with("It is so.\n\nNo run was recorded.\n"), "{without}");
    }
}
