//! curl, which is a client only.

use super::process::Stage;
use super::suite::Suite;
use super::{Lab, Seen, keylane};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::process::Command;

pub(crate) fn client(lab: &Lab, suite: &Suite, stage: &Stage) -> Result<Seen> {
    let server = keylane::Server::files(lab, stage, suite)?;
    let (version, suites) = if suite.is_13() { ("1.3", "--tls13-ciphers") } else { ("1.2", "--ciphers") };
    let url = format!("https://localhost:{}/payload", server.port);
    let mut command = Command::new("curl");
    command.current_dir(&lab.folder).args(["--silent", "--show-error", "--fail", "--no-progress-meter"]);
    command.args(["--cacert", &suite.certificate(), "--header", "Connection: close"]);
    command.args([&format!("--tlsv{version}"), "--tls-max", version, suites, suite.openssl]);
    // On two connections, of which the second resumes the first one's session.
    let copies = ["curl-1", "curl-2"];
    for copy in copies {
        command.args(["--output", copy, &url]);
    }
    stage.run(&mut command)?;
    for (copy, resumed) in copies.into_iter().zip([false, true]) {
        server.expect(resumed, "answered, closed")?;
        ensure!(fs::read(lab.path(copy)).context(copy)? == lab.payload, "{copy} is not what was served");
        fs::remove_file(lab.path(copy))?;
    }
    Ok(Seen {
        bytes: copies.len() * lab.payload.len(),
        closed: (true, false),
        resumed: true,
        ..Seen::default()
    })
}
