//! What keeps the repository in order: `cargo xtask check` is what a change must pass.
#![forbid(unsafe_code)]

mod asm;
mod c;
mod check;
mod constant_time;
mod coverage;
mod cpus;
mod demands;
mod dependencies;
mod evidence;
mod fuzz;
mod header;
mod layers;
mod mutants;
mod peers;
mod programs;
mod python;
mod reasons;
mod sanitize;
mod side_by_side;
mod sources;
mod steps;
mod tally;
mod tests;
mod vectors;
mod wheel;
mod wiping;
mod workspaces;

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
    /// Read the assembly of every kernel and fail on a call that was left in it, a division, or an address that comes from data:
    /// for each of this architecture's levels and for aarch64, if none is named.
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
        /// Write what was found to docs/assurance.
        #[arg(long, conflicts_with_all = ["native", "target_cpu", "arch"])]
        record: bool,
    },
    /// Fuzz with libFuzzer and AddressSanitizer; fails on any crash, and if a planted fault is not found.
    Fuzz(fuzz::Options),
    /// Write keylane.h from the exported functions of keylane-ffi, and from it docs/c-reference.md and keylane.3.
    Header {
        /// Only fail if these are not current.
        #[arg(long)]
        check: bool,
    },
    /// Install the C libraries, their headers, their pkg-config files and the manual page.
    InstallC(c::install::Destination),
    /// Test the C libraries as they are installed: programs in C and C++, exports, needs.
    C,
    /// Compare what cargo-c installs with what install-c does, and build the examples with it; fetches cargo-c if needed.
    CargoC,
    /// Put small faults into the portable code, one at a time, and see whether the tests notice; takes hours.
    Mutants(mutants::Options),
    /// Run the command `keylane tls` against OpenSSL, curl, Go and nginx.
    Peers,
    /// Build the Python package as `pip install .` does, install it into an environment of its own and test it there.
    Python,
    /// Run the AES files of NIST's validation program over every implementation; downloads them once.
    Vectors(Record),
    /// Count which lines, regions and functions the tests run; fail on a line that they do not and that has no reason.
    Coverage(Record),
    /// Check licences, sources, versions and bans of every crate in the lock files; downloads cargo-deny once.
    Dependencies(Record),
    /// Run the tests of the workspace and count them.
    Tests(Record),
    /// Run the tests under sanitizers, each of which must first report a planted fault.
    Sanitize(sanitize::Options),
    /// Run the tests on CPUs that this machine lacks, in emulators.
    Cpus {
        /// Which; all but this machine and the slow ones if none is named.
        #[arg(value_enum)]
        targets: Vec<cpus::Target>,
        /// Write what was found to docs/assurance.
        #[arg(long)]
        record: bool,
    },
    /// Look for branches and addresses that depend on secrets, under valgrind and under MemorySanitizer.
    ConstantTime {
        /// Also on an emulated CPU with AVX-512 and VAES, for machines that lack these.
        #[arg(long)]
        emulator: bool,
        /// Write what was found to docs/assurance.
        #[arg(long)]
        record: bool,
    },
    /// Read the memory of every type that holds a secret, after it was dropped.
    Wiping(Record),
}

/// Of the commands that bring evidence.
#[derive(clap::Args)]
struct Record {
    /// Write what was found to docs/assurance.
    #[arg(long)]
    record: bool,
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let done = match Command::parse() {
        Command::Check { no_tests } => check::run(root, no_tests),
        Command::Assurance => evidence::write(root),
        Command::Layers => layers::run(root),
        Command::Asm { native: false, target_cpu: None, arch: None, record } => asm::all(root, record),
        Command::Asm { native, target_cpu, arch, .. } => {
            let native = native.then(|| "native".to_owned());
            asm::run(root, arch, &[native.or(target_cpu).as_deref()]).map(|_| ())
        }
        Command::Fuzz(options) => fuzz::run(root, &options),
        Command::Header { check } => header::run(root, check),
        Command::InstallC(destination) => c::install::run(root, &destination),
        Command::C => c::run(root),
        Command::CargoC => c::cargo_c::run(root),
        Command::Mutants(options) => mutants::run(root, &options),
        Command::Peers => peers::run(root),
        Command::Python => python::run(root),
        Command::Vectors(Record { record }) => vectors::run(root, record),
        Command::Coverage(Record { record }) => coverage::run(root, record),
        Command::Dependencies(Record { record }) => dependencies::run(root, record),
        Command::Tests(Record { record }) => tests::run(root, record),
        Command::Cpus { targets, record } => cpus::run(root, &targets, record),
        Command::Sanitize(options) => sanitize::run(root, &options),
        Command::ConstantTime { emulator, record } => constant_time::run(root, emulator, record),
        Command::Wiping(Record { record }) => wiping::run(root, record),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
