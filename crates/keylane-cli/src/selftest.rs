//! `keylane selftest`

use crate::Document;
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
struct Results {
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
    let document = Results { version: env!("CARGO_PKG_VERSION"), passed, failed, unusable, results };
    document.write(json, out)?;
    Ok(if failed == 0 { Status::Done } else { Status::VerificationFailed })
}

impl Document for Results {
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
mod tests;
