//! `keylane selftest`

use crate::status::{Outcome, Status};
use clap::Args;
use keylane::primitives;
use serde::Serialize;
use std::io::Write;

/// Test every implementation that runs on this CPU against known answers
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keylane selftest && echo all is well")]
pub(crate) struct SelfTest {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    version: &'static str,
    passed: usize,
    failed: usize,
    unusable: usize,
    results: Vec<Result>,
}

#[derive(Serialize)]
struct Result {
    primitive: &'static str,
    implementation: &'static str,
    usable: bool,
    passes: bool,
}

impl SelfTest {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        let results = primitives().iter().flat_map(|primitive| {
            primitive.implementations().map(|implementation| Result {
                primitive: primitive.name(),
                implementation: implementation.name,
                usable: implementation.usable,
                passes: implementation.passes_self_test,
            })
        });
        report(results.collect(), self.json, out)
    }
}

fn report(results: Vec<Result>, json: bool, out: &mut dyn Write) -> Outcome {
    let usable = results.iter().filter(|result| result.usable).count();
    let passed = results.iter().filter(|result| result.usable && result.passes).count();
    let (failed, unusable) = (usable - passed, results.len() - usable);
    let document = Document { version: env!("CARGO_PKG_VERSION"), passed, failed, unusable, results };
    if json {
        // Only writing can fail.
        serde_json::to_writer_pretty(&mut *out, &document).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        document.print(out)?;
    }
    Ok(if failed == 0 { Status::Done } else { Status::VerificationFailed })
}

impl Document {
    fn print(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let Self { passed, failed, unusable, results, .. } = self;
        let primitives = results.iter().map(|result| result.primitive.len()).max().unwrap_or(0);
        let names = results.iter().map(|result| result.implementation.len()).max().unwrap_or(0);
        for result in results {
            let verdict = match (result.usable, result.passes) {
                (false, _) => "cannot run here",
                (true, true) => "passed",
                (true, false) => "FAILED",
            };
            writeln!(out, "{:primitives$}  {:names$}  {verdict}", result.primitive, result.implementation)?;
        }
        writeln!(out, "{passed} passed, {failed} failed, {unusable} cannot run here")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(results: &[(bool, bool)], json: bool) -> (Status, String) {
        let results: Vec<_> = results
            .iter()
            .map(|&(usable, passes)| Result { primitive: "p", implementation: "i", usable, passes })
            .collect();
        let mut out = Vec::new();
        (report(results, json, &mut out).unwrap(), String::from_utf8(out).unwrap())
    }

    #[test]
    fn one_failure_is_a_failure() {
        let (status, text) = print(&[(true, true), (true, false), (false, false)], false);
        assert_eq!(status, Status::VerificationFailed);
        assert_eq!(
            text,
            "p  i  passed\np  i  FAILED\np  i  cannot run here\n1 passed, 1 failed, 1 cannot run here\n"
        );
    }

    #[test]
    fn what_cannot_run_has_not_failed() {
        assert_eq!(print(&[(true, true), (false, false)], false).0, Status::Done);
    }

    #[test]
    fn json_says_the_same() {
        let (status, text) = print(&[(true, true), (true, true), (true, false), (false, false)], true);
        assert_eq!(status, Status::VerificationFailed);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&json["passed"], &json["failed"], &json["unusable"]), (&2.into(), &1.into(), &1.into()));
        let expected = serde_json::json!({
            "primitive": "p", "implementation": "i", "usable": true, "passes": false,
        });
        assert_eq!(json["results"][2], expected);
    }
}
