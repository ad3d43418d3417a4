//! Counts the tests that ran, from what the test programs print: a run of nothing must not pass.

use crate::steps;
use anyhow::{Context, Result, bail, ensure};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Tests passed, by heading (`== Haswell`), in the order of their first appearance.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally(Vec<(String, usize)>);

/// Runs the command, prints what it prints and counts. Fails if it fails or if no test passed.
pub(crate) fn run(command: &mut Command) -> Result<Tally> {
    let shown = steps::shown(command);
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot run {shown}"))?;
    let mut tally = Tally::default();
    let mut heading = String::new();
    for line in BufReader::new(child.stdout.take().context("its output")?).split(b'\n') {
        let line = line?;
        // Emulated consoles may garble a byte.
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        tally.read(&line, &mut heading);
    }
    let status = child.wait()?;
    ensure!(status.success(), "{shown}: {status}");
    ensure!(!tally.0.is_empty() && tally.0.iter().any(|(_, passed)| *passed > 0), "{shown}: no test ran");
    Ok(tally)
}

impl Tally {
    fn read(&mut self, line: &str, heading: &mut String) {
        if let Some(name) = line.strip_prefix("== ") {
            *heading = name.to_owned();
        } else if let Some(passed) = passed(line) {
            self.count(heading, passed);
        }
    }

    fn count(&mut self, heading: &str, passed: usize) {
        match self.0.iter_mut().find(|(name, _)| name == heading) {
            Some((_, sum)) => *sum += passed,
            None => self.0.push((heading.to_owned(), passed)),
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        for (heading, passed) in other.0 {
            self.count(&heading, passed);
        }
    }

    pub(crate) fn headings(&self) -> usize {
        self.0.len()
    }

    /// The tests of a run without headings.
    pub(crate) fn only(&self) -> Result<usize> {
        match &self.0[..] {
            [(_, passed)] => Ok(*passed),
            others => bail!("several headings where none was expected: {others:?}"),
        }
    }

    /// The tests under each heading, which must be equally many.
    pub(crate) fn equal(&self) -> Result<usize> {
        let Some((_, first)) = self.0.first() else { bail!("no test ran") };
        ensure!(self.0.iter().all(|(_, passed)| passed == first), "not the same tests on each: {:?}", self.0);
        Ok(*first)
    }
}

/// `test result: ok. 12 passed; 0 failed; …`
fn passed(line: &str) -> Option<usize> {
    let (_, rest) = line.split_once("test result: ok. ")?;
    rest.split_once(" passed")?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted_by_heading() {
        let mut tally = Tally::default();
        let mut heading = String::new();
        for line in [
            "== Haswell",
            "test result: ok. 3 passed; 0 failed; 1 ignored",
            "test result: FAILED. 9 passed; 1 failed",
            "== max",
            "running 2 tests",
            "test result: ok. 2 passed; 0 failed",
            "\rtest result: ok. 1 passed; 0 failed",
        ] {
            tally.read(line, &mut heading);
        }
        assert_eq!(tally.equal().unwrap(), 3);
        assert_eq!(tally.headings(), 2);
        assert!(tally.only().is_err());
        tally.count("max", 1);
        assert!(tally.equal().is_err());
    }

    #[test]
    fn a_run_of_nothing_fails() {
        let sh = |script: &str| run(Command::new("sh").args(["-c", script]));
        assert_eq!(sh("echo 'test result: ok. 2 passed; 0 failed'").unwrap().only().unwrap(), 2);
        assert!(
            sh("echo 'test result: ok. 0 passed; 0 failed'")
                .unwrap_err()
                .to_string()
                .ends_with("no test ran")
        );
        assert!(sh("echo").unwrap_err().to_string().ends_with("no test ran"));
        assert!(sh("echo 'test result: ok. 2 passed; 0 failed'; exit 3").is_err());
    }
}
