//! Counts the tests that ran, from what the test programs print: a run of nothing must not pass.

use crate::steps;
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader, pipe};
use std::process::Command;

/// Runs the command, hands each line that it prints to `print`, and counts the tests that passed. Fails if it fails or if
/// no test passed.
pub(crate) fn run(mut command: Command, mut print: impl FnMut(&str)) -> Result<usize> {
    let shown = steps::shown(&command);
    let (reader, writer) = pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn().with_context(|| format!("cannot run {shown}"))?;
    // It holds the pipe's other end: without it the output would have no end.
    drop(command);
    let mut tests = 0;
    for line in BufReader::new(reader).split(b'\n') {
        let line = line?;
        // Emulated consoles may garble a byte.
        let line = String::from_utf8_lossy(&line);
        print(&line);
        tests += passed(&line).unwrap_or(0);
    }
    let status = child.wait()?;
    ensure!(status.success(), "{shown}: {status}");
    ensure!(tests > 0, "{shown}: no test ran");
    Ok(tests)
}

/// `test result: ok. 12 passed; 0 failed; …`
fn passed(line: &str) -> Option<usize> {
    let (_, rest) = line.split_once("test result: ok. ")?;
    rest.split_once(" passed")?.0.parse().ok()
}

/// The tests that a program has by its own account, from what it prints when it is told `--list --format terse`.
pub(crate) fn listed(list: &str) -> usize {
    list.lines().filter(|line| line.ends_with(": test")).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Result<usize> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, |_| ())
    }

    #[test]
    fn what_passed_is_counted() {
        assert_eq!(
            sh(r"echo 'running 5 tests'
                echo 'test result: ok. 3 passed; 0 failed; 1 ignored'
                echo 'test result: FAILED. 9 passed; 1 failed'
                printf '\rtest result: ok. 2 passed; 0 failed\n'")
            .unwrap(),
            5
        );
        assert_eq!(listed("agreement::sha1: test\nspeed: benchmark\n\naes: test\n"), 2);
    }

    #[test]
    fn both_streams_are_printed() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo 'test result: ok. 1 passed'; echo oh >&2"]);
        let mut lines = Vec::new();
        run(command, |line| lines.push(line.to_owned())).unwrap();
        assert_eq!(lines, ["test result: ok. 1 passed", "oh"]);
    }

    #[test]
    fn a_run_of_nothing_fails() {
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
