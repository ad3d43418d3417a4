//! `cargo xtask sanitize`: runs the tests with a sanitizer in all code, including the standard library.

use crate::command::{output, program, root, run as run_command, step, target, verdict};
use crate::programs;
use anyhow::{Result, ensure};
use std::process::Command;

const FAULTS: &str = "checks/instrumented/fuzzer";
/// The packages with a profile that compiles fast and still runs: LLVM takes minutes for instrumented kernels
/// with debug assertions.
const KERNELS: [&str; 4] = ["keylane", "keylane-cpu", "keylane-file", "keylane-tls"];
const PROFILE: [&str; 3] = ["opt-level=1", "debug-assertions=false", "overflow-checks=false"];

/// Parts of the names of tests that measure or limit memory, of which sanitizers take more, and of two that
/// trace a program, in which AddressSanitizer cannot look for leaks.
const SKIPPED: [&str; 6] =
    ["_stack", "lack_of_memory", "memory_depends", "little_memory", "or_are_interrupted", "synced_before"];

/// A sanitizer, as `ci/cpus/cargo.sh` and the program `faults` of `checks/instrumented` name it.
struct Sanitizer {
    name: &'static str,
    /// Options that its run-time library reads from the variable `MSAN_OPTIONS`, `ASAN_OPTIONS` or
    /// `TSAN_OPTIONS`.
    options: &'static str,
    /// Planted faults, and what is reported of each.
    faults: &'static [(&'static str, &'static str)],
    /// Packages, with the tests of some. Not keylane-proofs: every kernel would be compiled again, and the
    /// tests of keylane-tests run the same kernels. Not the tests of keylane-file that measure their own
    /// memory.
    suites: &'static str,
}

const SANITIZERS: [Sanitizer; 3] = [
    Sanitizer {
        name: "memory",
        options: "",
        faults: &[("memory", "MemorySanitizer: use-of-uninitialized-value")],
        // To this sanitizer, ring's assembly writes nothing: no test with a handshake runs.
        suites: "cpu; contracts; tests; file; ffi; tls --lib --test=record",
    },
    Sanitizer {
        name: "address",
        options: "detect_stack_use_after_return=1:",
        faults: &[
            ("address", "AddressSanitizer: heap-buffer-overflow"),
            ("initialisation", "attempted to leave type `u32` uninitialized"),
            ("precondition", "unsafe precondition(s) violated: slice::get_unchecked"),
        ],
        suites: "cpu; contracts; tests; file --lib --test=file; ffi; c; tls; tls-checks; cli",
    },
    Sanitizer {
        name: "thread",
        options: "suppressions=SUPPRESSIONS:",
        faults: &[("thread", "ThreadSanitizer: data race")],
        suites: "tests --test=threads --test=dispatch; file --lib --test=file; ffi; tls",
    },
];

/// Runs those that are named: `memory`, `address`, `thread`; all if none is.
pub(crate) fn run(names: &[String]) -> Result<()> {
    let wanted = |sanitizer: &&Sanitizer| names.is_empty() || names.iter().any(|name| name == sanitizer.name);
    let sanitizers: Vec<_> = SANITIZERS.iter().filter(wanted).collect();
    ensure!(sanitizers.len() >= names.len().max(1), "there are memory, address and thread");
    sanitizers.iter().try_for_each(|it| step(&format!("sanitize {}", it.name), || it.run()))
}

impl Sanitizer {
    fn run(&self) -> Result<()> {
        self.report_planted()?;
        let (variable, options) = self.options()?;
        for suite in self.suites.split("; ") {
            let (package, tests) = suite.split_once(' ').unwrap_or((suite, "--tests"));
            let mut count = 0;
            let mut build = self.cargo("test");
            // With the features of the whole workspace, so that nothing is compiled twice.
            build.args(["-Zfeature-unification", "--config=resolver.feature-unification='workspace'"]);
            for name in KERNELS {
                build.args(PROFILE.map(|it| format!("--config=profile.dev.package.{name}.{it}")));
            }
            build.arg(format!("--package=keylane-{package}")).args(tests.split(' '));
            for program in programs::build(build)? {
                count += programs::run(&program, |command| {
                    command.env(&variable, &options);
                    SKIPPED.iter().for_each(|test| _ = command.args(["--skip", test]));
                })?;
            }
            ensure!(count > 0, "{package}: no test ran");
            println!("{package}: {count} tests");
        }
        Ok(())
    }

    /// Fails unless the sanitizer reports each planted fault, and nothing where there is none.
    fn report_planted(&self) -> Result<()> {
        let manifest = format!("--manifest-path={FAULTS}/Cargo.toml");
        let mut build = self.cargo("build");
        run_command(build.args(["--quiet", "--no-default-features", "--bin=faults", &manifest]))?;
        let faults = target().join("sanitize/x86_64-unknown-linux-gnu/debug/faults");
        let (variable, options) = self.options()?;
        let run = |fault: &str| verdict(Command::new(&faults).arg(fault).env(&variable, &options));
        let sound = run("none")?;
        ensure!(sound == (true, String::new()), "a program without a fault: {}", sound.1);
        for (fault, report) in self.faults {
            let (passed, said) = run(fault)?;
            ensure!(!passed && said.contains(report), "the planted fault {fault} was not reported: {said}");
        }
        Ok(())
    }

    fn options(&self) -> Result<(String, String)> {
        // Without a symbolizer, reports have no names and nothing is suppressed.
        let symbolizer = output(program("ci/cpus/fetch.sh").args(["llvm", "llvm-symbolizer"]))?;
        let suppressions = root().join(FAULTS).join("thread.txt");
        let options = self.options.replace("SUPPRESSIONS", &suppressions.to_string_lossy());
        let variable = format!("{}SAN_OPTIONS", self.name[..1].to_uppercase());
        Ok((variable, format!("{options}external_symbolizer_path={}", symbolizer.trim())))
    }

    /// A cargo command whose build has the sanitizer.
    fn cargo(&self, command: &str) -> Command {
        let mut cargo = program("ci/cpus/cargo.sh");
        cargo.args([self.name, command, "--config=profile.dev.debug=0", "--config=profile.dev.opt-level=1"]);
        cargo.env("CARGO_TARGET_DIR", target().join("sanitize")).env("CARGO_INCREMENTAL", "0");
        if self.name == "memory" {
            // What comes out of inline assembly would pass for written.
            cargo.env("XFLAGS", "--cfg keylane_no_asm");
        }
        cargo
    }
}
