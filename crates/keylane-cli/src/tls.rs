//! `keylane tls`

mod access_log;
// The measuring code uses Unix clocks.
#[cfg(unix)]
mod bench;
mod client_auth;
mod connect;
mod control;
mod folder;
mod http;
mod identity;
mod lines;
mod ocsp;
mod open_files;
mod problem;
mod protocol;
mod serve;
mod server;
mod socket;
mod starttls;
mod timing;

use crate::status::{Failure, Outcome};
use clap::Subcommand;
use std::io::Write;
use tokio::runtime::Runtime;

/// Serve files over TLS, talk to a TLS server, measure
#[derive(Subcommand, Debug)]
#[command(after_help = "\
Examples:
  keylane tls serve --self-signed --folder .")]
pub(crate) enum Tls {
    Serve(serve::Serve),
    Connect(connect::Connect),
    #[cfg(unix)]
    Bench(bench::Bench),
}

impl Tls {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        match self {
            Self::Serve(serve) => serve.run(),
            Self::Connect(connect) => connect.run(out),
            #[cfg(unix)]
            Self::Bench(bench) => bench.run(out),
        }
    }
}

fn runtime() -> Result<Runtime, Failure> {
    Runtime::new().map_err(|error| Failure::input(format_args!("no threads: {error}")))
}
