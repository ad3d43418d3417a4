//! `cargo xtask cpus`: the tests on CPUs that this machine lacks, in the emulators that `ci/cpus` sets up.

pub(crate) mod bare_metal;
mod platforms;
mod programs;
mod record;
mod runs;
mod tally;

use crate::evidence::Ran;
use crate::steps;
use anyhow::{Result, ensure};
use platforms::{Build, PLATFORMS, Runner};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Target {
    /// This machine, to have it in the record beside the others.
    Native,
    /// NEON, AES, SHA-2 and SHA-512 instructions, all of them and fewer, under qemu.
    Aarch64,
    /// Big-endian, portable code only, under qemu.
    S390x,
    /// 32 bits, portable code only, under qemu.
    I686,
    /// The same, of another kind.
    Armv7,
    /// WebAssembly, portable code only, with vectors and without, by node.
    Wasm,
    /// A series of x86-64 CPUs, from SSE2 alone to AVX2, AES-NI and SHA-NI, under qemu.
    X86,
    /// Builds for CPUs without an operating system.
    Nostd,
    /// What qemu lacks, without one or the other: AVX-512, IFMA, VAES, under Bochs: slow.
    Bochs,
    /// All of it, every test, under Bochs: slower.
    Avx512,
    /// All of these.
    All,
}

/// What runs if nothing is named.
const NOT_SLOW: [Target; 7] =
    [Target::Aarch64, Target::S390x, Target::I686, Target::Armv7, Target::Wasm, Target::X86, Target::Nostd];

/// Those that Debian's compiler has a standard library for, by the names that `cross-test.sh` knows.
const FOREIGN: [(Target, Build, &str); 4] = [
    (Target::Aarch64, Build::Aarch64, "aarch64"),
    (Target::S390x, Build::S390x, "s390x"),
    (Target::I686, Build::I686, "i686"),
    (Target::Armv7, Build::Armv7, "armv7"),
];

/// What would change the tests' expectations: each platform sets its own.
const EXPECTATIONS: [&str; 4] =
    ["KEYLANE_REQUIRE_BACKENDS", "KEYLANE_REQUIRE_TOOLS", "KEYLANE_EXPECT_CPU", "KEYLANE_MASK"];

/// What a release leaves out, and half of the compiler's time: this machine's own tests have it.
const RELEASED: [(&str, &str); 3] = [
    ("CARGO_PROFILE_DEV_DEBUG", "0"),
    ("CARGO_PROFILE_DEV_DEBUG_ASSERTIONS", "false"),
    ("CARGO_PROFILE_DEV_OVERFLOW_CHECKS", "false"),
];

/// Something to do beside others: writes what one may want to read to the text.
struct Job<'a> {
    name: String,
    run: Work<'a>,
}

type Work<'a> = Box<dyn FnOnce(&mut String) -> Result<Ran> + Send + 'a>;

pub(crate) fn run(root: &Path, targets: &[Target], record: bool) -> Result<()> {
    let wanted = |target: Target| match targets {
        [] => NOT_SLOW.contains(&target),
        targets => targets.contains(&target) || targets.contains(&Target::All),
    };
    let programs = built(root, wanted)?;
    let mut jobs = Vec::new();
    // Bochs first: it takes longest.
    let platforms = PLATFORMS.iter().filter(|platform| wanted(platform.target));
    let (slow, others): (Vec<_>, Vec<_>) =
        platforms.partition(|platform| matches!(platform.runner, Runner::Bochs { .. }));
    for platform in slow.into_iter().rev().chain(others) {
        let programs = &programs;
        let run = Box::new(move |text: &mut String| runs::tests_on(root, platform, programs, text));
        jobs.push(Job { name: platform.name(), run });
    }
    if wanted(Target::Nostd) {
        let run = Box::new(|_: &mut String| {
            bare_metal::build(root, &bare_metal::TARGETS)?;
            Ok(Ran::default())
        });
        jobs.push(Job { name: record::BARE_METAL.to_owned(), run });
    }
    let mut done = Vec::new();
    steps::step("cpus: tests", || {
        done = side_by_side(jobs)?;
        Ok(())
    })?;
    if record {
        record::record(root, &done)?;
    }
    println!("\ncpus: passed");
    Ok(())
}

/// The test programs that the targets need.
fn built(root: &Path, wanted: impl Fn(Target) -> bool) -> Result<Vec<programs::Program>> {
    let mut programs = Vec::new();
    let bochs = wanted(Target::Bochs) || wanted(Target::Avx512);
    if bochs || wanted(Target::X86) || wanted(Target::Native) {
        steps::step("cpus: programs for this machine's architecture", || {
            programs.extend(if bochs { programs::fixed(root)? } else { programs::native(root)? });
            Ok(())
        })?;
    }
    let foreign: Vec<_> = FOREIGN.iter().filter(|(target, ..)| wanted(*target)).collect();
    if !foreign.is_empty() {
        steps::step("cpus: programs for other architectures", || {
            let builds: Vec<_> = foreign.iter().map(|(_, build, name)| (*build, *name)).collect();
            programs.extend(programs::foreign(root, &builds)?);
            Ok(())
        })?;
    }
    if wanted(Target::Wasm) {
        steps::step("cpus: programs for WebAssembly", || {
            programs.extend(programs::wasm(root, false)?);
            programs.extend(programs::wasm(root, true)?);
            Ok(())
        })?;
    }
    Ok(programs)
}

/// Does the jobs, one on each of this machine's cores, and prints what a job wrote when it is done. Fails after all are
/// done, if one has failed; else says what ran, by the jobs' names.
fn side_by_side(jobs: Vec<Job>) -> Result<Vec<(String, Ran)>> {
    let total = jobs.len();
    let jobs = Mutex::new(jobs.into_iter());
    let (passed, failed) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let work = || {
        // Not in the loop's condition, where the lock would be held while the job runs.
        let next = || jobs.lock().expect("no panic while a job is taken").next();
        while let Some(job) = next() {
            let start = Instant::now();
            let mut text = String::new();
            let done = (job.run)(&mut text);
            let seconds = start.elapsed().as_secs_f64();
            // In one piece: others print, too.
            match done {
                Ok(ran) => {
                    println!("{text}{}: {}, {seconds:.1} s", job.name, runs::summary(&ran));
                    passed.lock().expect("no panic while a name is added").push((job.name, ran));
                }
                Err(error) => {
                    println!("{text}{}: FAILED after {seconds:.1} s: {error:#}", job.name);
                    failed.lock().expect("no panic while a name is added").push(job.name);
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from).min(total) {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().expect("no panic while a name is added");
    ensure!(failed.is_empty(), "{} of {total} failed: {}", failed.len(), failed.join(", "));
    Ok(passed.into_inner().expect("no panic while a name is added"))
}

/// A script of `ci/cpus`, with a target folder of its own: no cargo waits for another's lock, and a change of flags
/// rebuilds nobody's crates.
fn script(root: &Path, name: &str, target: &str) -> Result<Command> {
    let mut command = Command::new(root.join("ci/cpus").join(name));
    command.current_dir(root).env("CARGO_TARGET_DIR", target_folder(root, target)?);
    command.envs(RELEASED);
    for expectation in EXPECTATIONS {
        command.env_remove(expectation);
    }
    Ok(command)
}

fn target_folder(root: &Path, target: &str) -> Result<PathBuf> {
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    Ok(metadata.target_directory.join("cpus").join(target).into())
}
