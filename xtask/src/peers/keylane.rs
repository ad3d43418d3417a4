//! The command `keylane`, at either end.

use super::Lab;
use super::process::{Process, Stage};
use super::suite::Suite;
use anyhow::{Context, Result, ensure};
use std::cell::Cell;
use std::process::Command;

/// `keylane tls serve` in one suite.
pub(crate) struct Server<'a> {
    process: Process,
    suite: &'a Suite,
    pub(crate) port: u16,
    /// Connections whose line was read.
    seen: Cell<usize>,
}

impl<'a> Server<'a> {
    /// Serves `--echo` or `--folder`.
    pub(crate) fn start(lab: &Lab, stage: &Stage, suite: &'a Suite, service: &[&str]) -> Result<Self> {
        let mut command = command(lab, "serve", suite);
        command.args([
            "--listen",
            "127.0.0.1:0",
            "--cert",
            &suite.certificate(),
            "--key",
            &suite.private_key(),
        ]);
        let process = stage.start(command.args(service))?;
        let port = port(&process.out.line(0)?)?;
        Ok(Self { process, suite, port, seen: Cell::new(0) })
    }

    pub(crate) fn echo(lab: &Lab, stage: &Stage, suite: &'a Suite) -> Result<Self> {
        Self::start(lab, stage, suite, &["--echo"])
    }

    pub(crate) fn files(lab: &Lab, stage: &Stage, suite: &'a Suite) -> Result<Self> {
        Self::start(lab, stage, suite, &["--folder", "www"])
    }

    /// The next connection has to be as agreed, resumed or not, and to have ended so.
    pub(crate) fn expect(&self, resumed: bool, ended: &str) -> Result<()> {
        self.seen.set(self.seen.get() + 1);
        let line = self.process.out.line(self.seen.get())?;
        let agreed = agreed(self.suite, resumed);
        let right = line.contains(&format!(": {agreed}")) && line.ends_with(&format!(": {ended}"));
        ensure!(right, "not {agreed}, {ended}: {line}");
        Ok(())
    }
}

/// Starts `keylane tls connect` in one suite.
pub(crate) fn connect(
    lab: &Lab,
    stage: &Stage,
    suite: &Suite,
    port: u16,
    options: &[&str],
) -> Result<Process> {
    let mut command = command(lab, "connect", suite);
    command.arg(format!("localhost:{port}")).args(["--ca", "all.pem"]);
    stage.start(command.args(options))
}

/// What `keylane tls connect` said of one of its connections, counted from 0, all of which have to end in a close; how
/// often it changed the keys.
pub(crate) fn expect(process: &Process, suite: &Suite, connection: usize, resumed: bool) -> Result<usize> {
    let begin = process.err.line(2 * connection)?;
    let end = process.err.line(2 * connection + 1)?;
    let agreed = agreed(suite, resumed);
    ensure!(begin.ends_with(&agreed), "not {agreed}: {begin}");
    ensure!(end.starts_with("keylane: closed; "), "not closed: {end}");
    let updates = end.strip_suffix(" key updates").and_then(|end| end.rsplit(", ").next());
    updates.map_or(Ok(0), |number| number.parse().context(end.clone()))
}

fn agreed(suite: &Suite, resumed: bool) -> String {
    let handshake = if resumed { "resumed" } else { "full handshake" };
    format!("{}, {}, {handshake}", suite.version.name(), suite.name)
}

fn command(lab: &Lab, role: &str, suite: &Suite) -> Command {
    let mut command = Command::new(&lab.tools.keylane);
    let version = if suite.is_13() { "--tls13" } else { "--tls12" };
    command.current_dir(&lab.folder).args(["tls", role, version, "--suite", suite.name]);
    command
}

/// The port at the end of a line.
pub(crate) fn port(line: &str) -> Result<u16> {
    let port = line.trim_end().rsplit(':').next().unwrap_or(line);
    port.parse().with_context(|| format!("no port: {line:?}"))
}
