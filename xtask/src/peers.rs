//! `cargo xtask peers`: the command `keylane tls` against other TLS libraries, in every cipher suite, as client and as
//! server. What was sent is compared with what came, byte for byte.

mod curl;
mod go;
mod keylane;
mod nginx;
mod openssl;
mod process;
mod suite;
mod tools;

use crate::steps;
use anyhow::{Context, Result, bail};
use process::Stage;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use suite::{SUITES, Suite};
use tools::Tools;

/// What one message is at most, in bytes.
const PAYLOAD: usize = 2 << 20;
const LINE: usize = 64;

/// What the peers share.
struct Lab {
    tools: Tools,
    /// For files of the tests; the certificates lie there.
    folder: PathBuf,
    /// Digits and ends of lines: OpenSSL takes some letters for commands.
    payload: Vec<u8>,
}

/// What was seen to work between Keylane and a peer.
#[derive(Debug, Default)]
struct Seen {
    /// Sent and compared with what arrived, in both directions together.
    bytes: usize,
    /// By Keylane, and by the peer.
    key_updates: (usize, usize),
    /// By Keylane, and by the peer: some do not tell.
    closed: (bool, bool),
    resumed: bool,
}

/// One side of a peer, over one suite.
type Meeting<'a> = Box<dyn Fn(&Lab, &Suite, &Stage) -> Result<Seen> + 'a>;

pub(crate) fn run(root: &Path) -> Result<()> {
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let folder = metadata.target_directory.join("peers").into_std_path_buf();
    let tools = Tools::find(root, metadata.target_directory.as_std_path(), &folder)?;
    let lab = Lab::prepare(tools, folder)?;
    let nginx_stage = Stage::default();
    let nginx = nginx::Server::start(&lab, &nginx_stage).map_err(|error| nginx_stage.explain(error))?;
    let meetings: [(&str, &str, Meeting<'_>); 6] = [
        ("OpenSSL", "client", Box::new(openssl::client)),
        ("OpenSSL", "server", Box::new(openssl::server)),
        ("curl", "client", Box::new(curl::client)),
        ("Go", "client", Box::new(go::client)),
        ("Go", "server", Box::new(go::server)),
        ("nginx", "server", Box::new(|lab, suite, stage| nginx.meet(lab, suite, stage))),
    ];
    println!(
        "{:8} {:7} {:8} {:46} {:>9}  {:22} {:14} {:8} {:>6}",
        "peer", "it is", "version", "suite", "bytes", "key updates", "close seen by", "resumed", "ms"
    );
    let mut failures = Vec::new();
    for (peer, role, meet) in &meetings {
        for suite in &SUITES {
            let (stage, start) = (Stage::default(), Instant::now());
            let result = meet(&lab, suite, &stage).map_err(|error| stage.explain(error));
            let ms = start.elapsed().as_millis();
            print!("{peer:8} {role:7} {:8} {:46} ", suite.version.name(), suite.name);
            match result {
                Ok(seen) => println!("{seen} {ms:6}"),
                Err(error) => {
                    println!("FAILED");
                    failures.push(error.context(format!("{peer} as {role}, {}", suite.name)));
                }
            }
        }
    }
    for failure in &failures {
        println!("\n{failure:#}");
    }
    let all = meetings.len() * SUITES.len();
    if !failures.is_empty() {
        bail!("{} of {all} failed", failures.len());
    }
    println!("peers: {} passed", steps::count(all, "meeting"));
    Ok(())
}

impl Lab {
    fn prepare(tools: Tools, folder: PathBuf) -> Result<Self> {
        let mut x = 1u32;
        let mut digit = || {
            x = x.wrapping_mul(1664525).wrapping_add(1013904223);
            b'0' + (x >> 24) as u8 % 10
        };
        let payload: Vec<_> = (1..=PAYLOAD).map(|at| if at % LINE == 0 { b'\n' } else { digit() }).collect();
        let www = folder.join("www");
        fs::create_dir_all(&www).with_context(|| format!("cannot make {}", www.display()))?;
        fs::write(www.join("payload"), &payload)?;
        let lab = Self { tools, folder, payload };
        openssl::make_certificates(&lab)?;
        Ok(lab)
    }

    /// Enough to know it by.
    fn end_of_payload(&self) -> &[u8] {
        &self.payload[PAYLOAD - LINE..]
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key_updates = match self.key_updates {
            (0, 0) => "-".to_owned(),
            (ours, theirs) => format!("{ours} Keylane, {theirs} peer"),
        };
        let closed = match self.closed {
            (true, true) => "both",
            (true, false) => "Keylane",
            (false, true) => "peer",
            (false, false) => "nobody",
        };
        let resumed = if self.resumed { "yes" } else { "no" };
        write!(f, "{:9}  {key_updates:22} {closed:14} {resumed:8}", self.bytes)
    }
}
