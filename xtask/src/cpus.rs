//! `cargo xtask cpus`: the tests on CPUs that this machine lacks, in the emulators that `ci/cpus` sets up.

pub(crate) mod bare_metal;
mod platforms;
mod programs;
mod record;
mod runs;

use crate::evidence::{Evidence, Ran};
use crate::{side_by_side, steps};
use anyhow::{Context, Result};
use platforms::{Build, PLATFORMS, Runner};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
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

/// Writes what one may want to read to the text.
type Work<'a> = Box<dyn FnOnce(&mut String) -> Result<Ran> + Send + 'a>;

pub(crate) fn run(root: &Path, targets: &[Target], record: bool) -> Result<()> {
    let wanted = |target: Target| match targets {
        [] => NOT_SLOW.contains(&target),
        targets => targets.contains(&target) || targets.contains(&Target::All),
    };
    let evidence = Evidence::begin(root, "platforms", record)?;
    let programs = built(root, wanted)?;
    let mut jobs = Vec::new();
    // Bochs first: it takes longest.
    let platforms = PLATFORMS.iter().filter(|platform| wanted(platform.target));
    let (slow, others): (Vec<_>, Vec<_>) =
        platforms.partition(|platform| matches!(platform.runner, Runner::Bochs { .. }));
    for platform in slow.into_iter().rev().chain(others) {
        let programs = &programs;
        let run = Box::new(move |text: &mut String| runs::tests_on(root, platform, programs, text));
        jobs.push((platform.name(), run as Work<'_>));
    }
    if wanted(Target::Nostd) {
        let run = Box::new(|_: &mut String| {
            bare_metal::build(root)?;
            Ok(Ran::default())
        });
        jobs.push((record::BARE_METAL.to_owned(), run as Work<'_>));
    }
    let mut done = Vec::new();
    steps::step("cpus: tests", || {
        done = side_by_side::run(jobs, |run, text| {
            let start = Instant::now();
            let done = run(text);
            let seconds = start.elapsed().as_secs_f64();
            let ran = done.with_context(|| format!("after {seconds:.1} s"))?;
            Ok((format!("{}, {seconds:.1} s", runs::summary(&ran)), ran))
        })?;
        Ok(())
    })?;
    if let Some(evidence) = evidence {
        record::record(root, evidence, &done)?;
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

pub(crate) fn target_folder(root: &Path, target: &str) -> Result<PathBuf> {
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    Ok(metadata.target_directory.join("cpus").join(target).into())
}

/// Where the scripts of `ci/cpus` keep what they fetch, as packages.sh says it.
pub(crate) fn cache() -> Option<PathBuf> {
    let cache = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cache")));
    env::var_os("CROSS").map(PathBuf::from).or_else(|| Some(cache?.join("keylane-cpus")))
}
