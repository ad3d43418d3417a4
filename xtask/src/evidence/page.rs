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
    writeln!(page, "\n## {}\n\n    {}\n\n{}\n", kind.title, kind.command, kind.shows)?;
    let Some(evidence) = evidence else {
        return writeln!(page, "No run was recorded.");
    };
    writeln!(page, "| {}, commit {} | |\n|---|---|", evidence.date, evidence.commit)?;
    for figure in &evidence.figures {
        writeln!(page, "| {} | {} |", figure.what, figure.value)?;
    }
    writeln!(page, "\nOn {}.", evidence.machine)
}
