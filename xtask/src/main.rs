//! What keeps the repository in order: `cargo xtask check` is what a change must pass.
#![forbid(unsafe_code)]

mod asm;
mod c;
mod check;
mod cpus;
mod evidence;
mod header;
mod layers;
mod peers;
mod python;
mod sources;
mod steps;
mod vectors;

use clap::Parser;
use std::path::Path;
use std::process::ExitCode;

/// Checks of the repository that cargo does not make.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Format, lints, documentation, layers, assembly, no_std builds, tests: stops at the first failure.
    Check {
        /// Leave the tests out, where they have run already.
        #[arg(long)]
        no_tests: bool,
    },
    /// Write docs/assurance.md anew from the records that the other commands leave with `--record`.
    Assurance,
    /// Fail on a dependency that the architecture forbids, between crates or between modules of `keylane`.
    Layers,
    /// Read the assembly of every kernel and fail on a call that was left in it.
    Asm {
        /// As compiled with `-C target-cpu=native`.
        #[arg(long, conflicts_with = "target_cpu")]
        native: bool,
        /// As compiled with `-C target-cpu=…`: x86-64-v3, x86-64-v4.
        #[arg(long)]
        target_cpu: Option<String>,
        /// For another architecture than this machine's, with the compiler of ci/cpus.
        #[arg(long, value_enum)]
        arch: Option<asm::Architecture>,
    },
    /// Write keylane.h from the exported functions of keylane-ffi, and from it docs/c-reference.md and keylane.3.
    Header {
        /// Only fail if these are not current.
        #[arg(long)]
        check: bool,
    },
    /// Install the C library, its headers, its pkg-config file and its manual page.
    InstallC(c::install::Destination),
    /// Test the C library as it is installed: programs in C and C++, exports, needs.
    C,
    /// Compare what cargo-c installs with what install-c does, and build the examples with it; fetches cargo-c if needed.
    CargoC,
    /// Run the command `keylane tls` against OpenSSL, curl, Go and nginx.
    Peers,
    /// Build the Python package as `pip install .` does, install it into an environment of its own and test it there.
    Python,
    /// Run the AES files of NIST's validation program over every implementation; downloads them once.
    Vectors,
    /// Run the tests on CPUs that this machine lacks, in emulators.
    Cpus {
        /// Which; all but this machine and the slow ones if none is named.
        #[arg(value_enum)]
        targets: Vec<cpus::Target>,
        /// Write what was found to docs/assurance.
        #[arg(long)]
        record: bool,
    },
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let done = match Command::parse() {
        Command::Check { no_tests } => check::run(root, no_tests),
        Command::Assurance => evidence::write(root),
        Command::Layers => layers::run(root),
        Command::Asm { native, target_cpu, arch } => {
            let native = native.then(|| "native".to_owned());
            asm::run(root, arch, &[native.or(target_cpu).as_deref()])
        }
        Command::Header { check } => header::run(root, check),
        Command::InstallC(destination) => c::install::run(root, &destination),
        Command::C => c::run(root),
        Command::CargoC => c::cargo_c::run(root),
        Command::Peers => peers::run(root),
        Command::Python => python::run(root),
        Command::Vectors => vectors::run(root),
        Command::Cpus { targets, record } => cpus::run(root, &targets, record),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
