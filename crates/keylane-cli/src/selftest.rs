//! `keylane selftest`

use crate::status::{Outcome, Status};
use clap::Args;
use keylane::primitives;
use std::io::Write;

/// Test every implementation that runs here against known answers
#[derive(Args, Debug)]
#[command(after_help = "Example: keylane selftest && echo all is well")]
pub(crate) struct SelfTest {}

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
        report(&results.collect::<Vec<_>>(), out)
    }
}

fn report(results: &[Result], out: &mut dyn Write) -> Outcome {
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
    let tested = results.iter().filter(|result| result.usable).count();
    let failed = results.iter().filter(|result| result.usable && !result.passes).count();
    writeln!(out, "{} passed, {failed} failed, {} cannot run here", tested - failed, results.len() - tested)?;
    Ok(if failed == 0 { Status::Done } else { Status::VerificationFailed })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(results: &[(bool, bool)]) -> (Status, String) {
        let results: Vec<_> = results
            .iter()
            .map(|&(usable, passes)| Result { primitive: "p", implementation: "i", usable, passes })
            .collect();
        let mut out = Vec::new();
        (report(&results, &mut out).unwrap(), String::from_utf8(out).unwrap())
    }

    #[test]
    fn one_failure_is_a_failure() {
        let (status, text) = print(&[(true, true), (true, false), (false, false)]);
        assert_eq!(status, Status::VerificationFailed);
        assert_eq!(
            text,
            "p  i  passed\np  i  FAILED\np  i  cannot run here\n1 passed, 1 failed, 1 cannot run here\n"
        );
    }

    #[test]
    fn what_cannot_run_has_not_failed() {
        assert_eq!(print(&[(true, true), (false, false)]).0, Status::Done);
    }
}
