//! Go's crypto/tls: the program in ci/peers/go.

use super::process::Stage;
use super::suite::Suite;
use super::{Lab, Seen, keylane};
use anyhow::{Result, ensure};
use std::process::Command;

/// Twice: the second connection resumes the first one's session.
const TWICE: usize = 2;

pub(crate) fn client(lab: &Lab, suite: &Suite, stage: &Stage) -> Result<Seen> {
    let server = keylane::Server::echo(lab, stage, suite)?;
    let mut go = stage.start(peer(lab, suite).arg("-connect").arg(format!("localhost:{}", server.port)))?;
    go.input(&lab.payload);
    go.end_input();
    go.finish()?;
    for (connection, resumed) in [false, true].into_iter().enumerate() {
        server.expect(resumed, "closed")?;
        ensure_reported(&go.out.line(connection)?, lab, suite, resumed)?;
    }
    Ok(Seen { bytes: 2 * TWICE * lab.payload.len(), closed: (true, true), resumed: true, ..Seen::default() })
}

pub(crate) fn server(lab: &Lab, suite: &Suite, stage: &Stage) -> Result<Seen> {
    let mut go = stage.start(peer(lab, suite).args(["-serve", "-key", &suite.private_key()]))?;
    let port = keylane::port(&go.out.line(0)?)?;
    let mut options = vec!["--session-repeat", "2"];
    options.extend(suite.is_13().then_some("--key-update=300000"));
    let mut client = keylane::connect(lab, stage, suite, port, &options)?;
    client.input(&lab.payload);
    client.end_input();
    client.finish()?;
    go.finish()?;
    ensure!(client.out.bytes() == lab.payload.repeat(TWICE), "what came back is not what was sent");
    let mut key_updates = 0;
    for (connection, resumed) in [false, true].into_iter().enumerate() {
        key_updates += keylane::expect(&client, suite, connection, resumed)?;
        ensure_reported(&go.out.line(1 + connection)?, lab, suite, resumed)?;
    }
    ensure!((key_updates > 0) == suite.is_13(), "{key_updates} key updates");
    Ok(Seen {
        bytes: 2 * TWICE * lab.payload.len(),
        key_updates: (key_updates, 0),
        closed: (true, true),
        resumed: true,
    })
}

fn peer(lab: &Lab, suite: &Suite) -> Command {
    let mut command = Command::new(&lab.tools.go_peer);
    let version = suite.version.name().strip_prefix("TLS ").expect("a version of TLS");
    command.current_dir(&lab.folder).args(["-version", version, "-cert", &suite.certificate()]);
    command.args(["-connections", &TWICE.to_string()]);
    command
}

/// Go says nothing of a connection that was not closed.
fn ensure_reported(line: &str, lab: &Lab, suite: &Suite, resumed: bool) -> Result<()> {
    let expected = format!("closed: {}, resumed {resumed}, {} bytes", suite.name, lab.payload.len());
    ensure!(line == expected, "{line}, and not {expected}");
    Ok(())
}
