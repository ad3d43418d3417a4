//! Runs programs as a user would.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// Runs a program in `folder` with `input`. Returns its output, whatever its exit status is.
pub(crate) fn run(program: &str, folder: &TempDir, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(program)
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    // A program that refuses its input may close it early.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Runs a program that must succeed. Returns its output.
pub(crate) fn succeed(program: &str, folder: &TempDir, arguments: &[&str], input: &[u8]) -> String {
    let output = run(program, folder, arguments, input);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A program that is killed when the test ends.
pub(crate) struct Program(pub(crate) Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Program {
    pub(crate) fn start(program: &str, folder: &TempDir, arguments: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.current_dir(folder).args(arguments).stdout(Stdio::piped());
        Self(command.spawn().unwrap_or_else(|error| panic!("{program}: {error}")))
    }

    /// Starts a server. Returns the address that it prints as well.
    pub(crate) fn serve(program: &str, folder: &TempDir, arguments: &[&str]) -> (Self, String) {
        let mut server = Self::start(program, folder, arguments);
        let address = server.line().trim_end().to_owned();
        (server, address)
    }

    /// Returns its next line.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        BufReader::with_capacity(1, self.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        line
    }
}
