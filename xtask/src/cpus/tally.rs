//! Counts the tests that ran, from what the test programs print: a run of nothing must not pass.

use crate::evidence::Ran;
use crate::steps;
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader, pipe};
use std::process::Command;

/// Runs the command, hands each line that it prints to `print`, and sums up what its test programs say of themselves. Fails
/// if it fails or if no test passed.
pub(super) fn run(mut command: Command, mut print: impl FnMut(&str)) -> Result<Ran> {
    let shown = steps::shown(&command);
    let (reader, writer) = pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn().with_context(|| format!("cannot run {shown}"))?;
    // It holds the pipe's other end: without it the output would have no end.
    drop(command);
    let mut ran = Ran::default();
    for line in BufReader::new(reader).split(b'\n') {
        let line = line?;
        // Emulated consoles may garble a byte.
        let line = String::from_utf8_lossy(&line);
        print(&line);
        add(&mut ran, &line);
    }
    let status = child.wait()?;
    ensure!(status.success(), "{shown}: {status}");
    ensure!(ran.tests > 0, "{shown}: no test ran");
    Ok(ran)
}

fn add(ran: &mut Ran, line: &str) {
    // test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; …
    if let Some((_, result)) = line.split_once("test result: ok. ") {
        let count = |what: &str| {
            let number = result.split("; ").find_map(|part| part.strip_suffix(what));
            number.and_then(|number| number.parse().ok()).unwrap_or(0)
        };
        ran.programs += 1;
        ran.tests += count(" passed");
        ran.left_out += count(" ignored") + count(" filtered out");
    }
    // usable: sha256: sha-ni avx2 portable
    if let Some((_, names)) = line.strip_prefix("usable: ").and_then(|rest| rest.split_once(": ")) {
        for name in names.split_whitespace() {
            if !ran.implementations.iter().any(|known| known == name) {
                ran.implementations.push(name.to_owned());
            }
        }
        // Each list ends with a portable one: behind all others.
        ran.implementations.sort_by_key(|name| name.starts_with("portable"));
    }
}

/// The tests that a program has by its own account, from what it prints when it is told `--list --format terse`.
pub(super) fn listed(list: &str) -> usize {
    list.lines().filter(|line| line.ends_with(": test")).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Result<Ran> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, |_| ())
    }

    #[test]
    fn what_passed_is_counted() {
        let ran = sh(r"echo 'running 5 tests'
                echo 'test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.01s'
                echo 'test result: FAILED. 9 passed; 1 failed'
                printf '\rtest result: ok. 2 passed; 0 failed\n'")
        .unwrap();
        assert_eq!((ran.tests, ran.left_out, ran.programs), (5, 5, 2));
        assert_eq!(listed("agreement::sha1: test\nspeed: benchmark\n\naes: test\n"), 2);
    }

    #[test]
    fn what_is_usable_is_named_once() {
        let ran = sh("echo usable: sha256: sha-ni avx2 portable
                echo 'usable: poly1305: avx2 sse2 portable portable-32'
                echo 'test result: ok. 1 passed'")
        .unwrap();
        assert_eq!(ran.implementations, ["sha-ni", "avx2", "sse2", "portable", "portable-32"]);
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
        let error = sh("echo 'test result: ok. 0 passed; 0 failed'").unwrap_err();
        assert!(error.to_string().ends_with("no test ran"));
        assert!(sh("echo").unwrap_err().to_string().ends_with("no test ran"));
        assert!(sh("echo 'test result: ok. 2 passed; 0 failed'; exit 3").is_err());
    }
}
