//! `cargo xtask asm`: reads the assembly of every kernel and fails on what makes it slow in silence.
//!
//! Generic code that is not inlined into `InstructionSet::run`'s `enter` loses the CPU's features: each intrinsic
//! becomes a call, with no error and no warning. So the rules are:
//!
//! 1. an `enter` calls nothing but panics and the memory functions, and nothing through a pointer;
//! 2. a function with SHA instructions touches no 256- or 512-bit register: mixing the two costs 350 cycles a time;
//! 3. a kernel has no division, and reaches memory by no address that came from data: `secrets.rs` says what it can tell;
//! 4. every `run` in every `impl … Kernel … for …` of the source is found in the assembly, so that a change of names
//!    cannot leave this check with nothing to look at.

mod judge;
mod kernels;
mod secrets;
mod text;

use crate::evidence::Evidence;
use crate::{sources, steps};
use anyhow::{Context, Result, bail};
use judge::Verdict;
use kernels::Kernels;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
pub(crate) use text::Architecture;

/// This machine's architecture, and on x86-64 its levels: with AVX in the baseline the compiler may put a 256-bit instruction
/// beside SHA instructions.
pub(crate) const CPUS: &[Option<&str>] =
    if cfg!(target_arch = "x86_64") { &[None, Some("x86-64-v3"), Some("x86-64-v4")] } else { &[None] };

/// Reads this machine's kernels as compiled for all [`CPUS`], and aarch64's.
pub(crate) fn all(root: &Path, record: bool) -> Result<()> {
    let evidence = Evidence::begin(root, "assembly", record)?;
    let mut counts = Vec::new();
    for cpu in CPUS {
        counts.push((cpu.unwrap_or(std::env::consts::ARCH), run(root, None, &[*cpu])?));
    }
    if Architecture::of_this_machine() != Some(Architecture::Aarch64) {
        counts.push(("aarch64", run(root, Some(Architecture::Aarch64), &[None])?));
    }
    println!("asm: {} in all", steps::count(counts.iter().map(|(_, kernels)| kernels).sum(), "kernel"));
    if let Some(mut evidence) = evidence {
        for (what, kernels) in counts {
            evidence.figure(format!("kernels read, {what}"), kernels);
        }
        evidence.figure("planted leaks, all reported", secrets::planted()?);
        evidence.record(root)?;
    }
    Ok(())
}

/// For each of the CPUs, none of them being the architecture's baseline. Gives how many kernels it read.
pub(crate) fn run(root: &Path, architecture: Option<Architecture>, cpus: &[Option<&str>]) -> Result<usize> {
    secrets::planted()?;
    let Some(host) = Architecture::of_this_machine() else { bail!("no rules for this machine's assembly") };
    let architecture = architecture.unwrap_or(host);
    let sources = sources::read(root, Path::new("crates/keylane/src"))?;
    let kernels = kernels::find(&sources, architecture.name())?;
    // Side by side: one codegen unit keeps one core busy.
    let listings: Vec<Result<String>> = thread::scope(|scope| {
        let compile = |&cpu| scope.spawn(move || compile(root, architecture, architecture == host, cpu));
        let compilers: Vec<_> = cpus.iter().map(compile).collect();
        compilers.into_iter().map(|compiler| compiler.join().expect("no panic while compiling")).collect()
    });
    let reports = listings.into_iter().zip(cpus);
    reports.map(|(listing, cpu)| report(&listing?, &kernels, architecture, *cpu)).sum()
}

fn report(listing: &str, kernels: &Kernels, architecture: Architecture, cpu: Option<&str>) -> Result<usize> {
    let Verdict { rows, failures } =
        judge::judge(&text::functions(listing, architecture), kernels, architecture);
    print!("{}", judge::table(&rows));
    for failure in &failures {
        eprintln!("{failure}");
    }
    if !failures.is_empty() {
        bail!("{} in the assembly of keylane", steps::count(failures.len(), "fault"));
    }
    let cpu = cpu.map(|cpu| format!(", target-cpu={cpu}")).unwrap_or_default();
    println!("asm: {} on {}{cpu}, no fault", steps::count(rows.len(), "kernel"), architecture.name());
    Ok(rows.len())
}

/// The library's assembly: release build, one codegen unit. Kernels are instantiated in `keylane`, nowhere else.
fn compile(root: &Path, architecture: Architecture, is_host: bool, cpu: Option<&str>) -> Result<String> {
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    // A target folder of its own: no other cargo waits for its lock, and its flags rebuild nobody's crates.
    let folder = metadata.target_directory.join("asm").join(cpu.unwrap_or_else(|| architecture.name()));
    let listing = folder.join("keylane.s");
    let arguments = ["rustc", "--quiet", "--package", "keylane", "--lib", "--release"];
    let mut command = if is_host {
        steps::cargo(root, &arguments)
    } else {
        let mut command = Command::new(root.join("ci/cpus/cross-test.sh"));
        command.current_dir(root).arg(architecture.name()).args(arguments);
        command
    };
    command
        .env("CARGO_TARGET_DIR", &folder)
        // Line tables make the text five times as long.
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .args(["--", "-Csymbol-mangling-version=v0", "-Ccodegen-units=1"])
        .arg(format!("--emit=asm={listing}"));
    if let Some(cpu) = cpu {
        // Not for `keylane` alone: its dependencies must agree with it.
        let variable = if is_host { "RUSTFLAGS" } else { "XFLAGS" };
        let flags = std::env::var(variable).unwrap_or_default();
        command.env(variable, format!("{flags} -Ctarget-cpu={cpu}"));
    }
    // An old listing must not stand in for one that was not written.
    if !listing.exists() {
        let _ = fs::remove_dir_all(&folder);
    }
    steps::run(&mut command)?;
    fs::read_to_string(&listing).with_context(|| format!("cannot read {listing}"))
}
