//! `cargo xtask sanitize`: the tests with a sanitizer in all that is compiled, the standard library included.

mod c;
mod faults;
mod suites;

use crate::cpus::target_folder;
use crate::evidence::Evidence;
use crate::{demands, programs, steps};
use anyhow::{Result, ensure};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Which; all of them if none is named.
    #[arg(value_enum)]
    sanitizers: Vec<Sanitizer>,
    /// Write what was found to docs/assurance, if all of them ran.
    #[arg(long)]
    record: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Sanitizer {
    /// MemorySanitizer: a branch on memory that was never written, or an address from it.
    Memory,
    /// AddressSanitizer: what lies outside of what was allocated, or was freed. With what cargo-careful checks.
    Address,
    /// ThreadSanitizer: races.
    Thread,
}

const ALL: [Sanitizer; 3] = [Sanitizer::Memory, Sanitizer::Address, Sanitizer::Thread];

/// What compiles fast and still runs. The standard library keeps its assertions.
const PROFILE: [&str; 2] = ["profile.dev.debug=0", "profile.dev.opt-level=1"];
/// Debug assertions take half of the compiler's time where kernels are.
const PROFILE_OF_KERNELS: [&str; 3] = ["opt-level=1", "debug-assertions=false", "overflow-checks=false"];
const KERNELS: [&str; 4] = ["keylane", "keylane-cpu", "keylane-file", "keylane-tls"];

/// Of all sanitizers: what is compiled for this machine, such as macros, is compiled once.
const TARGET: &str = "sanitize";

impl Sanitizer {
    /// As `sanitize.sh` takes it.
    fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Address => "address",
            Self::Thread => "thread",
        }
    }

    /// As its authors write it.
    fn title(self) -> &'static str {
        match self {
            Self::Memory => "MemorySanitizer",
            Self::Address => "AddressSanitizer",
            Self::Thread => "ThreadSanitizer",
        }
    }

    /// The variable that its run-time library reads, and what it shall find there.
    fn options(self, root: &Path) -> Result<(&'static str, String)> {
        let (variable, options) = match self {
            Self::Memory => ("MSAN_OPTIONS", String::new()),
            Self::Address => ("ASAN_OPTIONS", "detect_stack_use_after_return=1:".to_owned()),
            Self::Thread => {
                let suppressions = root.join("checks/instrumented/faults/thread.txt");
                ("TSAN_OPTIONS", format!("suppressions={}:", suppressions.display()))
            }
        };
        // Without the names of functions a report is hard to read, and none is suppressed.
        let symbolizer = steps::answer(Command::new(root.join("ci/cpus/llvm.sh")).arg("llvm-symbolizer"))?;
        Ok((variable, format!("{options}external_symbolizer_path={symbolizer}")))
    }

    /// A cargo command whose build has the sanitizer.
    fn cargo(self, root: &Path, command: &str) -> Result<Command> {
        let mut cargo = Command::new(root.join("ci/cpus/sanitize.sh"));
        cargo.current_dir(root).args([self.name(), command]).args(PROFILE.map(|it| format!("--config={it}")));
        cargo.env("CARGO_TARGET_DIR", target_folder(root, TARGET)?).env("CARGO_INCREMENTAL", "0");
        if self == Self::Memory {
            // What comes out of inline assembly passes for written.
            cargo.env("XFLAGS", "--cfg keylane_no_asm");
        }
        steps::forget_own_package(&mut cargo);
        Ok(cargo)
    }

    /// A cargo command for a package. Features are those of the whole workspace, whichever packages are built: none is
    /// compiled twice.
    fn package(self, root: &Path, command: &str, package: &str) -> Result<Command> {
        let mut cargo = self.cargo(root, command)?;
        cargo.args(["-Zfeature-unification", "--config=resolver.feature-unification='workspace'"]);
        for kernels in KERNELS {
            cargo.args(PROFILE_OF_KERNELS.map(|it| format!("--config=profile.dev.package.{kernels}.{it}")));
        }
        cargo.arg(format!("--package={package}"));
        Ok(cargo)
    }
}

/// What ran under one sanitizer, and passed.
#[derive(Default)]
struct Passed {
    tests: usize,
    programs: usize,
    c_programs: usize,
}

pub(crate) fn run(root: &Path, options: &Options) -> Result<()> {
    let sanitizers: &[_] = if options.sanitizers.is_empty() { &ALL } else { &options.sanitizers };
    let complete = ALL.iter().all(|sanitizer| sanitizers.contains(sanitizer));
    ensure!(complete || !options.record, "a record is of all sanitizers: name none of them");
    let evidence = Evidence::begin(root, "sanitizers", options.record)?;
    let (mut found, mut faults) = (Vec::new(), 0);
    for &sanitizer in sanitizers {
        steps::step(&format!("sanitize {}", sanitizer.name()), || {
            faults += faults::must_be_reported(root, sanitizer)?;
            let passed = tests(root, sanitizer)?;
            println!("{}: {}", sanitizer.title(), passed.told());
            found.push((sanitizer, passed));
            Ok(())
        })?;
    }
    println!("\nsanitize: passed");
    if let Some(mut evidence) = evidence {
        for (sanitizer, passed) in &found {
            evidence.figure(format!("under {}", sanitizer.title()), passed.told());
        }
        // Where one of them cannot run, tests fail.
        evidence.figure(
            "implementations demanded, beside the portable ones",
            demands::backends(root)?.replace(',', " "),
        );
        evidence.figure("planted faults, each reported", faults);
        evidence.record(root)?;
    }
    Ok(())
}

impl Passed {
    fn told(&self) -> String {
        let mut told =
            format!("{} in {}", steps::count(self.tests, "test"), steps::count(self.programs, "program"));
        if self.c_programs > 0 {
            told += &format!(", and {} in C", steps::count(self.c_programs, "program"));
        }
        told
    }
}

fn tests(root: &Path, sanitizer: Sanitizer) -> Result<Passed> {
    let mut passed = Passed::default();
    let (variable, options) = sanitizer.options(root)?;
    for suite in suites::of(sanitizer) {
        let mut build = sanitizer.package(root, "test", suite.package)?;
        build.args(suite.targets);
        let before = passed.tests;
        for program in programs::build(build)? {
            let start = Instant::now();
            let tests = program.tests(root, |command| {
                command.env(variable, &options);
            })?;
            let (counted, seconds) = (steps::count(tests, "test"), start.elapsed().as_secs_f64());
            println!("{} {}: {counted}, {seconds:.1} s", suite.package, program.name);
            passed.tests += tests;
            passed.programs += usize::from(tests > 0);
        }
        ensure!(passed.tests > before, "{}: no test ran", suite.package);
        if let Some(left_out) = suite.left_out {
            println!("{}: left out: {left_out}", suite.package);
        }
    }
    passed.c_programs = c::run(root, sanitizer)?;
    Ok(passed)
}
