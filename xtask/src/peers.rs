//! `cargo xtask peers`: Keylane's streams against other TLS libraries, in every cipher suite, as client and as server.

use crate::command::{built_by_tests, program, run as run_command, target};
use anyhow::Result;
use std::fs;

pub(crate) fn run() -> Result<()> {
    let peer = built_by_tests("peer")?;
    let folder = target().join("peers");
    fs::create_dir_all(&folder)?;
    let mut build = program("go");
    build.args(["build", "-C", "ci/peers/go", "-buildvcs=false", "-o"]).arg(folder.join("go-peer")).arg(".");
    run_command(build.env("GOTOOLCHAIN", "local"))?;
    run_command(program("python3").arg("ci/peers/peers.py").arg(peer).arg(folder))
}
