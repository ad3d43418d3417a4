//! The project's checks besides `cargo test`: `cargo xtask --help` lists them, and docs/testing.md explains
//! each one's purpose.
#![forbid(unsafe_code)]

mod asm;
mod c;
mod check;
mod command;
mod constant_time;
mod cpus;
mod dependencies;
mod fuzz;
mod peers;
mod programs;
mod public_api;
mod python;
mod release;
mod sanitize;
mod site;
mod small;
mod vectors;
mod weigh;
mod wiping;

use clap::Parser;
use std::process::ExitCode;

/// The project's checks besides `cargo test`.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Formatting, lints, no_std, the public interface, kernels, tests: what a change must pass.
    Check {
        /// Leave the tests out, where they have run already.
        #[arg(long)]
        no_tests: bool,
    },
    /// What Keylane costs to compile, to ship and to read; fails where that has grown.
    Weigh(weigh::Options),
    /// Read the machine code of every kernel; fail on a call that was not inlined and on a division.
    Asm,
    /// Write docs/public-api.txt, the public items of the crates that users call.
    PublicApi {
        /// Only fail if it is not current.
        #[arg(long)]
        check: bool,
    },
    /// NIST's vectors of AES and of hashes over every implementation.
    Vectors,
    /// The C libraries: tests in C and C++, exports, what CMake installs, examples.
    C,
    /// The Python packages: built and installed by pip, their types, their tests.
    Python {
        /// And keylane.arrow on a million rows, on Spark and Dask with two workers.
        #[arg(long)]
        engines: bool,
    },
    /// TLS against OpenSSL.
    Peers,
    /// The tests on other CPUs, in emulators, and on Windows by wine.
    Cpus {
        /// Parts of the names of rows, such as aarch64 or Haswell; `small`: devices without an operating system;
        /// `all`. Without: what every change must pass.
        rows: Vec<String>,
        /// Write docs/benchmarks/small.md.
        #[arg(long)]
        write: bool,
    },
    /// Branches and addresses that depend on secrets, under valgrind and MemorySanitizer.
    ConstantTime {
        /// Under valgrind alone.
        #[arg(long)]
        valgrind: bool,
    },
    /// The memory of every type that holds a secret, after it was dropped.
    Wiping,
    /// The tests under MemorySanitizer, AddressSanitizer and ThreadSanitizer.
    Sanitize {
        /// memory, address, thread; all if none is named.
        sanitizers: Vec<String>,
    },
    /// libFuzzer with AddressSanitizer.
    Fuzz(fuzz::Options),
    /// Everything that a release has: built twice, compared, installed and used.
    Release(release::Options),
    /// Licences, sources and versions of all dependencies, by cargo-deny.
    Dependencies,
    /// The guides as a book, with search, and rustdoc's pages: target/site. Fails on a broken link.
    Site,
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Check { no_tests } => check::run(!no_tests),
        Command::Weigh(options) => weigh::run(&options),
        Command::Asm => asm::run(),
        Command::PublicApi { check } => public_api::run(check),
        Command::Vectors => vectors::run(),
        Command::C => c::run(),
        Command::Python { engines } => python::run(engines),
        Command::Peers => peers::run(),
        Command::Cpus { rows, write } => cpus::run(&rows, write),
        Command::ConstantTime { valgrind } => constant_time::run(valgrind),
        Command::Wiping => wiping::run(),
        Command::Sanitize { sanitizers } => sanitize::run(&sanitizers),
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Release(options) => release::run(&options),
        Command::Dependencies => dependencies::run(),
        Command::Site => site::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
