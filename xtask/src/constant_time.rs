//! `cargo xtask constant-time`: looks for branches and addresses that depend on secrets.
//!
//! The program `constant-time` in `checks/instrumented` marks secrets, and a tool follows them: valgrind
//! through the library as users get it, on the CPU that valgrind emulates; MemorySanitizer, compiled in, on
//! this CPU.

use crate::command::{cargo, parallel, program, require_all, step, target};
use anyhow::{Context, Result, ensure};
use std::process::Command;

pub(crate) const MANIFEST: &str = "checks/instrumented/Cargo.toml";
const PROGRAM: &str = "constant-time";
/// Instrumented kernels take LLVM minutes at level 3.
const LESS_OPTIMISED: [&str; 6] =
    ["keylane", "keylane-cpu", "keylane-file", "keylane-tls", "keylane-contracts", "keylane-secrets"];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Tool {
    /// Has AES-NI, PCLMULQDQ and AVX2, and no SHA-NI, VAES or AVX-512.
    Valgrind,
    /// Follows LLVM's code before it becomes machine code, with every instruction set of this CPU.
    MemorySanitizer,
}

pub(crate) fn run(valgrind_alone: bool) -> Result<()> {
    let tools = [Tool::Valgrind, Tool::MemorySanitizer].into_iter().take(2 - usize::from(valgrind_alone));
    let jobs = tools.map(|tool| (format!("{tool:?}"), tool)).collect();
    step("constant-time: tools", || parallel(jobs, watch))?;
    println!("no branch and no address depends on a secret, but for what `declassify` makes public");
    Ok(())
}

/// Runs the program under the tool and returns its last line. It fails where a secret leaks, and where the
/// tool does not report what was planted.
fn watch(tool: Tool) -> Result<String> {
    let result = tool.command()?.output()?;
    let reports = String::from_utf8_lossy(&result.stderr);
    // Before that, the tool has reported what was planted.
    let (_, unplanted) = reports.split_once("-- end").unwrap_or(("", &reports));
    ensure!(result.status.success(), "{}: {unplanted}", result.status);
    let printed = String::from_utf8_lossy(&result.stdout);
    Ok(printed.lines().last().context("the program printed nothing")?.to_owned())
}

impl Tool {
    /// A command that builds the program and runs it under the tool.
    fn command(self) -> Result<Command> {
        Ok(if self == Self::Valgrind {
            let mut command = released(PROGRAM);
            let valgrind = "valgrind -q --leak-check=no --error-limit=no";
            command.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", valgrind);
            // It hides instruction sets that this CPU has.
            command.env_remove("KEYLANE_REQUIRE_BACKENDS");
            command
        } else {
            let mut command = program("ci/cpus/cargo.sh");
            command.args(["memory", "run", "--features=memory-sanitizer"]);
            let level = |name| format!("--config=profile.release.package.{name}.opt-level=1");
            command.args(LESS_OPTIMISED.map(level));
            // All reports of a run, not the first alone; to hand a secret to a function is no leak.
            let flags = "-Zsanitizer-recover=memory -Cllvm-args=-msan-eager-checks=0";
            command.env("XFLAGS", format!("{flags} --cfg=keylane_no_asm --cfg=keylane_constant_time"));
            command.env("MSAN_OPTIONS", "external_symbolizer_path=/usr/bin/addr2line");
            require_all(&mut command)?;
            of_package(command, PROGRAM, "memory-sanitizer")
        })
    }
}

/// A command that runs a program of the package. All link one build of the library, which differs from that
/// of users by calls in `declassify`.
pub(crate) fn released(program: &str) -> Command {
    let mut command = cargo(&["run"]);
    command.env("RUSTFLAGS", "--cfg keylane_constant_time").env_remove("CARGO_ENCODED_RUSTFLAGS");
    of_package(command, program, "released")
}

fn of_package(mut command: Command, program: &str, folder: &str) -> Command {
    command.args(["--quiet", "--release", "--locked", "--manifest-path", MANIFEST, "--bin", program]);
    command.env("CARGO_TARGET_DIR", target().join("instrumented").join(folder));
    command
}
