//! What libFuzzer says of a run.

use anyhow::{Context, Result};
use std::fmt;

/// How far a run came.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) executions: u64,
    /// Branches reached.
    branches: u64,
    /// Branches with how often they were taken, and comparisons.
    features: u64,
    /// The inputs that are kept for what they reach.
    inputs: u64,
}

impl Report {
    /// From the last line that has them all: `#1234 REDUCE cov: 5 ft: 6 corp: 7/8b …`.
    pub(super) fn read(log: &str) -> Result<Self> {
        let number = |line: &str, name: &str| {
            let mut words = line.split_whitespace().skip_while(|word| *word != name).skip(1);
            words.next()?.split('/').next()?.parse().ok()
        };
        let read = |line: &str| {
            Some(Self {
                executions: line.split_whitespace().next()?.strip_prefix('#')?.parse().ok()?,
                branches: number(line, "cov:")?,
                features: number(line, "ft:")?,
                inputs: number(line, "corp:")?,
            })
        };
        let mut last = log.lines().filter_map(read).next_back().context("libFuzzer has told nothing")?;
        // More exact, if the run came to its end.
        let executed = log.lines().find_map(|line| number(line, "stat::number_of_executed_units:"));
        last.executions = executed.unwrap_or(last.executions);
        Ok(last)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { executions, branches, features, inputs } = self;
        write!(f, "{executions} executions, {branches} branches, {features} features, {inputs} inputs")
    }
}

/// The line that says why a run failed.
pub(super) fn reason(log: &str) -> &str {
    let of_panic = |line: &&str| line.contains("panicked at");
    let of_sanitizer = |line: &&str| line.contains("ERROR: ");
    let lines = || log.lines();
    // A panic's message stands in the line after its place.
    let panic = lines().position(|line| of_panic(&line)).and_then(|at| lines().nth(at + 1));
    panic.or_else(|| lines().find(of_sanitizer)).unwrap_or("no reason was given")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "INFO: seed corpus: files: 1\n\
        #2\tINITED cov: 12 ft: 13 corp: 1/1b exec/s: 0 rss: 45Mb\n\
        #400\tREDUCE cov: 14 ft: 20 corp: 3/8b lim: 4 exec/s: 0 rss: 45Mb L: 2/4 MS: 1 EraseBytes-\n\
        #512\tDONE   cov: 14 ft: 21 corp: 4/9b lim: 4 exec/s: 256 rss: 45Mb\n\
        stat::number_of_executed_units: 513\n";

    #[test]
    fn the_last_line_counts() {
        let read = Report::read(LOG).unwrap();
        assert_eq!(read, Report { executions: 513, branches: 14, features: 21, inputs: 4 });
        let (cut, _) = LOG.split_once("#512").unwrap();
        assert_eq!(Report::read(cut).unwrap().executions, 400);
        assert!(Report::read("==1==ERROR: AddressSanitizer: ABRT").is_err());
    }

    #[test]
    fn the_reason_is_the_message() {
        assert_eq!(reason("thread 'main' panicked at a.rs:1:2:\nanother text\nstack"), "another text");
        assert_eq!(
            reason("x\n==1==ERROR: libFuzzer: out-of-memory\n"),
            "==1==ERROR: libFuzzer: out-of-memory"
        );
    }
}
