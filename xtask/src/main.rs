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
    /// Check formatting, lints, no_std, the public interface, kernels and tests: what a change must pass.
    Check {
        /// Leave out the tests, if they have already run.
        #[arg(long)]
        no_tests: bool,
    },
    /// Measure what Keylane costs to compile, to ship and to read; fail if that has grown.
    Weigh(weigh::Options),
    /// Read the machine code of every kernel; fail on calls that were not inlined and on divisions.
    Asm,
    /// Write docs/public-api.txt, the public items of the crates that users call.
    PublicApi {
        /// Write nothing; fail if the file is outdated.
        #[arg(long)]
        check: bool,
    },
    /// Test every implementation with NIST's vectors for AES and hashes.
    Vectors,
    /// Test the C libraries: tests in C and C++, exports, the files that CMake installs, examples.
    C,
    /// Test the Python package, built and installed by pip: its types, its tests.
    Python {
        /// Also test keylane.arrow: its types, its tests, a million rows on Spark and Dask with two workers.
        #[arg(long)]
        engines: bool,
    },
    /// Test TLS with OpenSSL as the peer.
    Peers,
    /// Run the tests on other CPUs, in emulators, and on Windows with wine.
    Cpus {
        /// Parts of rows' names, such as aarch64 or Haswell; `small` for devices without an operating system;
        /// `all`; none for the rows that every change must pass.
        rows: Vec<String>,
        /// Write docs/benchmarks/small.md.
        #[arg(long)]
        write: bool,
    },
    /// Look for branches and addresses that depend on secrets, with valgrind and MemorySanitizer.
    ConstantTime {
        /// Use only valgrind.
        #[arg(long)]
        valgrind: bool,
    },
    /// Check that every type that holds a secret wipes its memory.
    Wiping,
    /// Run the tests with MemorySanitizer, AddressSanitizer and ThreadSanitizer.
    Sanitize {
        /// memory, address, thread; none for all.
        sanitizers: Vec<String>,
    },
    /// Run libFuzzer with AddressSanitizer.
    Fuzz(fuzz::Options),
    /// Build a release's files twice, compare them, install and use them.
    Release(release::Options),
    /// Check licences, sources and versions of all dependencies with cargo-deny.
    Dependencies,
    /// Build the guides as a book, with search, and rustdoc's pages, in target/site; fail on broken links.
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
