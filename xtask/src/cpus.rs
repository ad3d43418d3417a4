//! `cargo xtask cpus`: the tests on CPUs that this machine lacks, in the emulators that `ci/cpus` sets up.

mod programs;
pub(crate) mod tally;

use crate::steps;
use anyhow::{Context, Result, bail, ensure};
use programs::Program;
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Target {
    /// NEON, AES, SHA-2 and SHA-512 instructions, under qemu.
    Aarch64,
    /// Big-endian, portable code only, under qemu.
    S390x,
    /// 32 bits, portable code only, under qemu.
    I686,
    /// A series of x86-64 CPUs, from SSE2 alone to AVX2, AES-NI and SHA-NI, under qemu.
    X86,
    /// Builds for a CPU without an operating system.
    Nostd,
    /// AVX-512 and VAES, under Bochs: slow.
    Avx512,
    /// All of these.
    All,
}

const NOT_SLOW: [Target; 5] = [Target::Aarch64, Target::S390x, Target::I686, Target::X86, Target::Nostd];

impl Target {
    fn name(self) -> &'static str {
        match self {
            Self::Aarch64 => "aarch64",
            Self::S390x => "s390x",
            Self::I686 => "i686",
            Self::X86 => "x86",
            Self::Nostd => "nostd",
            Self::Avx512 => "avx512",
            Self::All => "all",
        }
    }
}

/// A CPU of qemu's.
struct Cpu {
    target: Target,
    /// The emulator: what follows `qemu-`.
    qemu: &'static str,
    model: &'static str,
    /// What `KEYLANE_REQUIRE_BACKENDS` must find.
    backends: &'static str,
    /// Whether every program runs, or `CHOOSING` alone.
    every_program: bool,
}

/// The first and the last of the x86-64 CPUs run every test: all that qemu has of our implementations is on the last.
/// Those between show that each implementation needs no more than it asks for, and what is chosen.
const CPUS: [Cpu; 12] = [
    whole(Target::Aarch64, "aarch64", "max", "neon,neon-aes,neon-sha2,neon-sha512"),
    whole(Target::S390x, "s390x", "max", ""),
    whole(Target::I686, "i386", "max", ""),
    whole(Target::X86, "x86_64", "max", "aes-ni,avx2,sha-ni,ssse3,sse2"),
    whole(Target::X86, "x86_64", "qemu64", "sse2"),
    // SSSE3.
    between("core2duo", "ssse3,sse2"),
    // SSE4, no AES.
    between("Nehalem", "ssse3,sse2"),
    // AES and CLMUL, no AVX.
    between("Westmere", "aes-ni,ssse3,sse2"),
    // AVX.
    between("SandyBridge", "aes-ni,ssse3,sse2"),
    between("Haswell", "aes-ni,avx2,ssse3,sse2"),
    // SHA-NI, no VAES.
    between("EPYC-Milan", "aes-ni,avx2,sha-ni,ssse3,sse2"),
    // AES and SHA-NI without AVX.
    between("Denverton", "aes-ni,sha-ni,ssse3,sse2"),
];

const fn whole(target: Target, qemu: &'static str, model: &'static str, backends: &'static str) -> Cpu {
    Cpu { target, qemu, model, backends, every_program: true }
}

const fn between(model: &'static str, backends: &'static str) -> Cpu {
    Cpu { target: Target::X86, qemu: "x86_64", model, backends, every_program: false }
}

/// Of keylane's test programs, those that run every kernel at every length, and that see what is chosen. Beside them come
/// those of keylane-cpu.
const CHOOSING: [&str; 2] = ["agreement", "dispatch"];

/// The packages whose tests say something about a CPU.
const PACKAGES: [&str; 2] = ["keylane-cpu", "keylane"];

/// What would change the tests' expectations: each CPU sets its own.
const EXPECTATIONS: [&str; 3] = ["KEYLANE_REQUIRE_BACKENDS", "KEYLANE_REQUIRE_TOOLS", "KEYLANE_EXPECT_CPU"];

/// What a release leaves out, and half of the compiler's time: this machine's own tests have it.
const RELEASED: [(&str, &str); 2] =
    [("CARGO_PROFILE_DEV_DEBUG_ASSERTIONS", "false"), ("CARGO_PROFILE_DEV_OVERFLOW_CHECKS", "false")];

/// For builds that are never run: kernels take most of the compiler's time, and only to make them fast.
pub(crate) const UNOPTIMISED: [&str; 4] = [
    "--config=profile.dev.package.keylane.opt-level=0",
    "--config=profile.dev.package.keylane-cpu.opt-level=0",
    "--config=profile.dev.debug=0",
    "--config=profile.dev.opt-level=0",
];

/// What Bochs' Ice Lake has.
const ICE_LAKE: &str = "vaes-avx512,vaes-avx2,aes-ni,avx512-ifma,avx512,avx2,sha-ni,ssse3,sse2";

const X86_64: &str = "x86_64-unknown-linux-gnu";
const BARE_METAL: &str = "thumbv7em-none-eabi";

/// Something to do beside others: writes what one may want to read to the text, and returns a line that sums it up.
struct Job<'a> {
    name: String,
    run: Work<'a>,
}

type Work<'a> = Box<dyn FnOnce(&mut String) -> Result<String> + Send + 'a>;

pub(crate) fn run(root: &Path, targets: &[Target]) -> Result<()> {
    let targets = match targets {
        [] => NOT_SLOW.to_vec(),
        targets if targets.contains(&Target::All) => {
            NOT_SLOW.iter().copied().chain([Target::Avx512]).collect()
        }
        targets => targets.to_vec(),
    };
    let foreign: Vec<_> = targets
        .iter()
        .copied()
        .filter(|target| matches!(target, Target::Aarch64 | Target::S390x | Target::I686))
        .collect();
    let mut programs = Vec::new();
    if targets.contains(&Target::X86) {
        steps::step("cpus: programs for this machine's architecture", || {
            programs.extend(programs::native(root)?.into_iter().map(|program| (Target::X86, program)));
            Ok(())
        })?;
    }
    if !foreign.is_empty() {
        steps::step("cpus: programs for other architectures", || {
            programs.extend(programs::foreign(root, &foreign)?);
            Ok(())
        })?;
    }
    let mut jobs = Vec::new();
    if targets.contains(&Target::Nostd) {
        let run = Box::new(|_: &mut String| build_for_bare_metal(root));
        jobs.push(Job { name: "nostd".to_owned(), run });
    }
    for cpu in CPUS.iter().filter(|cpu| targets.contains(&cpu.target)) {
        let programs: Vec<_> =
            programs.iter().filter(|(target, _)| *target == cpu.target).map(|(_, program)| program).collect();
        let run = Box::new(move |text: &mut String| tests_on(root, cpu, &programs, text));
        jobs.push(Job { name: format!("{} {}", cpu.target.name(), cpu.model), run });
    }
    steps::step("cpus: tests", || side_by_side(jobs))?;
    if targets.contains(&Target::Avx512) {
        steps::step("cpus avx512", || {
            println!("{}", avx512(root)?);
            Ok(())
        })?;
    }
    println!("\ncpus: passed");
    Ok(())
}

/// Does the jobs, one on each of this machine's cores, and prints what a job wrote when it is done. Fails after all are
/// done, if one has failed.
fn side_by_side(jobs: Vec<Job>) -> Result<()> {
    let total = jobs.len();
    let jobs = Mutex::new(jobs.into_iter());
    let failed = Mutex::new(Vec::new());
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
                Ok(sum) => println!("{text}{}: {sum}, {seconds:.1} s", job.name),
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
    Ok(())
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

/// The tests on one of qemu's CPUs: as many as each program has by its own account.
fn tests_on(root: &Path, cpu: &Cpu, programs: &[&Program], text: &mut String) -> Result<String> {
    let chosen = |program: &Program| program.package == "keylane-cpu" || CHOOSING.contains(&&*program.name);
    for name in CHOOSING {
        ensure!(programs.iter().any(|program| program.name == name), "no test program is named {name}");
    }
    let (mut tests, mut ran) = (0, 0);
    for program in programs.iter().filter(|program| cpu.every_program || chosen(program)) {
        let emulated = || -> Result<Command> {
            let mut command = script(root, "emulate.sh", cpu.target.name())?;
            command.args([cpu.qemu, cpu.model]).arg(&program.path).args(skipped(&program.name));
            command.env("KEYLANE_REQUIRE_BACKENDS", cpu.backends);
            Ok(command)
        };
        let list = emulated()?.args(["--list", "--format", "terse"]).output()?;
        let listed = tally::listed(&String::from_utf8_lossy(&list.stdout));
        // One thread: the job has one core, and a program that dies says in which test.
        let mut command = emulated()?;
        command.arg("--test-threads=1");
        let mut output = String::new();
        let passed = tally::run(command, |line| {
            output.push_str(line);
            output.push('\n');
        });
        match passed {
            Ok(passed) => {
                ensure!(passed == listed, "{}: {passed} tests passed, and it has {listed}", program.name);
                tests += passed;
                ran += 1;
            }
            Err(error) => {
                text.push_str(&output);
                return Err(error.context(format!("{} on {}", program.name, cpu.model)));
            }
        }
    }
    Ok(format!("{} of {}", steps::count(tests, "test"), steps::count(ran, "program")))
}

/// What a test program is told to leave out. Wycheproof's PBKDF2 vectors are seconds on a CPU, half of all other tests'
/// time under qemu and half an hour under Bochs. The RFCs' vectors have as many iterations of the same kernels.
fn skipped(program: &str) -> &'static [&'static str] {
    if program == "pbkdf2" { &["--exact", "--skip", "wycheproof"] } else { &[] }
}

/// Every test program, one after the other, in one boot of the emulator.
fn avx512(root: &Path) -> Result<String> {
    let programs = programs::fixed(root)?;
    let init = target_folder(root, "x86")?.join("avx512.sh");
    let mut run = String::from("#!/bin/sh\nbad=0\n");
    for program in &programs {
        let file = program.path.file_name().context("a program without a name")?.to_string_lossy();
        let skipped = skipped(&program.name).join(" ");
        // One thread: one CPU is emulated, and what a stopped machine was doing is then the last line.
        writeln!(run, "echo 'running {file} {skipped}'\n/files/{file} --test-threads=1 {skipped} || bad=1")?;
    }
    run.push_str("exit $bad\n");
    fs::write(&init, run).with_context(|| format!("cannot write {}", init.display()))?;
    let files: Vec<_> = programs.iter().map(|program| program.path.to_string_lossy()).collect();
    let mut command = script(root, "vm-avx512.sh", "x86")?;
    command
        .arg(&init)
        .env("FILES", files.join(" "))
        .env("CPU", "corei7_icelake_u")
        .env("ENVS", format!("KEYLANE_EXPECT_CPU=icelake KEYLANE_REQUIRE_BACKENDS={ICE_LAKE}"))
        .env("MEM", "512")
        .env("TIMEOUT", "3600");
    Ok(steps::count(tally::run(command, |line| println!("{line}"))?, "test"))
}

/// Whether the sources of `core` are here already.
pub(crate) fn bare_metal_is_at_hand() -> bool {
    let cache = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cache")));
    let cross = env::var_os("CROSS").map(PathBuf::from).or_else(|| Some(cache?.join("keylane-cpus")));
    cross.is_some_and(|cross| cross.join("rustsrc/library").exists())
}

/// The library without `std`, and with a heap, for a CPU without an operating system; either way with what it depends on
/// for RustCrypto's traits.
pub(crate) fn build_for_bare_metal(root: &Path) -> Result<String> {
    for (std, features) in [("core", "rustcrypto"), ("core,alloc", "alloc,rustcrypto")] {
        let mut command = script(root, "nostd-check.sh", "nostd")?;
        command
            .args([BARE_METAL, "--quiet", "--package", "keylane", "--no-default-features"])
            .args(UNOPTIMISED)
            .arg(format!("--features={features}"))
            .env("STD", std);
        for (setting, _) in RELEASED {
            command.env_remove(setting);
        }
        steps::run(&mut command)?;
    }
    if !target_folder(root, "nostd")?.join(BARE_METAL).join("debug/libkeylane.rlib").exists() {
        bail!("nothing was built");
    }
    Ok(format!("built for {BARE_METAL}, without a heap and with one"))
}
