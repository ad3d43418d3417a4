//! `cargo xtask peers`: tests Keylane's streams with OpenSSL as the peer, in every cipher suite, as client
//! and as server.

use crate::command::{built_by_tests, program, run as run_command, target};
use anyhow::Result;
use std::fs;

pub(crate) fn run() -> Result<()> {
    let (peer, folder) = (built_by_tests("peer")?, target().join("peers"));
    fs::create_dir_all(&folder)?;
    run_command(program("python3").arg("ci/peers.py").arg(peer).arg(folder))
}
