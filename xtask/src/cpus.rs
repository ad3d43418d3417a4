//! `cargo xtask cpus`: the tests on CPUs that this machine lacks, in the emulators that `ci/cpus` sets up.

mod tally;

use crate::steps;
use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::Message;
use std::env;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use tally::Tally;

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

/// The packages whose tests say something about a CPU.
const PACKAGES: [&str; 4] = ["--package", "keylane-cpu", "--package", "keylane"];

/// What would change the tests' expectations: each target sets its own.
const EXPECTATIONS: [&str; 3] = ["KEYLANE_REQUIRE_BACKENDS", "KEYLANE_REQUIRE_TOOLS", "KEYLANE_EXPECT_CPU"];

/// How tests are built for an emulator. They compare with other people's implementations, which must not run unoptimised
/// there. The rest is what a release leaves out, and half of the compiler's time; this machine's own tests have it.
const RELEASED: [(&str, &str); 4] = [
    ("CARGO_PROFILE_DEV_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_DEV_DEBUG", "line-tables-only"),
    ("CARGO_PROFILE_DEV_DEBUG_ASSERTIONS", "false"),
    ("CARGO_PROFILE_DEV_OVERFLOW_CHECKS", "false"),
];

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

pub(crate) fn run(root: &Path, targets: &[Target]) -> Result<()> {
    let targets = match targets {
        [] => NOT_SLOW.to_vec(),
        targets if targets.contains(&Target::All) => {
            NOT_SLOW.iter().copied().chain([Target::Avx512]).collect()
        }
        targets => targets.to_vec(),
    };
    let mut summary = Vec::new();
    for target in targets {
        let start = Instant::now();
        let name = format!("{target:?}").to_lowercase();
        steps::step(&format!("cpus {name}"), || {
            let done = match target {
                Target::Aarch64 => cross(root, "aarch64", Some("neon,neon-aes,neon-sha2,neon-sha512")),
                Target::S390x => cross(root, "s390x", None),
                Target::I686 => cross(root, "i686", None),
                Target::X86 => x86(root),
                Target::Nostd => build_for_bare_metal(root),
                Target::Avx512 => avx512(root),
                Target::All => unreachable!("replaced above"),
            }?;
            summary.push(format!("{name:8} {:6.1} s  {done}", start.elapsed().as_secs_f64()));
            Ok(())
        })?;
    }
    println!("\ncpus: passed\n{}", summary.join("\n"));
    Ok(())
}

/// A script of `ci/cpus`, with a target folder of its own: no cargo waits for another's lock, and a change of flags
/// rebuilds nobody's crates.
fn script(root: &Path, name: &str, target: &str) -> Result<Command> {
    let mut command = Command::new(root.join("ci/cpus").join(name));
    command.current_dir(root).env("CARGO_TARGET_DIR", target_folder(root, target)?).envs(RELEASED);
    for expectation in EXPECTATIONS {
        command.env_remove(expectation);
    }
    Ok(command)
}

fn target_folder(root: &Path, target: &str) -> Result<PathBuf> {
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    Ok(metadata.target_directory.join("cpus").join(target).into())
}

/// The test suite, doc tests included, for another architecture.
fn cross(root: &Path, target: &str, require: Option<&str>) -> Result<String> {
    let mut command = script(root, "cross-test.sh", target)?;
    command.args([target, "test", "--quiet"]).args(PACKAGES);
    command.env("QEMU_CPU", "max").env("KEYLANE_EXPECT_CPU", "max");
    if let Some(require) = require {
        command.env("KEYLANE_REQUIRE_BACKENDS", require);
    }
    Ok(steps::count(tally::run(&mut command)?.only()?, "test"))
}

/// The test programs of the library, static: they run on any kernel, in any emulator.
fn static_tests(root: &Path) -> Result<Vec<PathBuf>> {
    let mut command = steps::cargo(root, &["test", "--no-run", "--message-format=json-render-diagnostics"]);
    command
        .args(PACKAGES)
        .args(["--target", X86_64])
        .env("CARGO_TARGET_DIR", target_folder(root, "x86")?)
        .envs(RELEASED)
        .env("RUSTFLAGS", "-Ctarget-feature=+crt-static")
        .stdout(Stdio::piped());
    let mut cargo = command.spawn().context("cannot run cargo")?;
    let messages = BufReader::new(cargo.stdout.take().context("cargo's messages")?);
    let mut programs = Vec::new();
    for message in Message::parse_stream(messages) {
        if let Message::CompilerArtifact(artifact) = message?
            && artifact.profile.test
            && let Some(program) = artifact.executable
        {
            programs.push(program.into());
        }
    }
    ensure!(cargo.wait()?.success(), "{} failed", steps::shown(&command));
    ensure!(!programs.is_empty(), "cargo built no test program");
    Ok(programs)
}

/// Every test program on every CPU model of `x86-cpus.sh`.
fn x86(root: &Path) -> Result<String> {
    let mut all = Tally::default();
    for program in static_tests(root)? {
        println!("{}", program.display());
        all.add(tally::run(script(root, "x86-cpus.sh", "x86")?.arg(program).arg("--quiet"))?);
    }
    let tests = all.equal()?;
    Ok(format!("{} on each of {}", steps::count(tests, "test"), steps::count(all.headings(), "CPU model")))
}

/// Every test program, one after the other, in one boot of the emulator.
fn avx512(root: &Path) -> Result<String> {
    let programs = static_tests(root)?;
    let files: Vec<_> = programs.iter().map(|program| program.to_string_lossy()).collect();
    let init = target_folder(root, "x86")?.join("avx512.sh");
    // One thread: one CPU is emulated, and what a stopped machine was doing is then the last line.
    // Wycheproof's PBKDF2 vectors are seconds on a CPU and half an hour at ten million vectors a second.
    let run = r#"#!/bin/sh
bad=0
for f in /files/*; do
  skip=
  case $f in */pbkdf2-*) skip="--skip wycheproof" ;; esac
  echo "running $f $skip"
  $f --test-threads=1 $skip || bad=1
done
exit $bad
"#;
    fs::write(&init, run).with_context(|| format!("cannot write {}", init.display()))?;
    let mut command = script(root, "vm-avx512.sh", "x86")?;
    command
        .arg(&init)
        .env("FILES", files.join(" "))
        .env("CPU", "corei7_icelake_u")
        .env("ENVS", format!("KEYLANE_EXPECT_CPU=icelake KEYLANE_REQUIRE_BACKENDS={ICE_LAKE}"))
        .env("MEM", "512")
        .env("TIMEOUT", "3600");
    Ok(steps::count(tally::run(&mut command)?.only()?, "test"))
}

/// Whether the sources of `core` are here already.
pub(crate) fn bare_metal_is_at_hand() -> bool {
    let cache = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cache")));
    let cross = env::var_os("CROSS").map(PathBuf::from).or_else(|| Some(cache?.join("keylane-cpus")));
    cross.is_some_and(|cross| cross.join("rustsrc/library").exists())
}

/// The library without `std`, and with a heap, for a CPU without an operating system.
pub(crate) fn build_for_bare_metal(root: &Path) -> Result<String> {
    for (std, features) in [("core", None), ("core,alloc", Some("alloc"))] {
        let mut command = script(root, "nostd-check.sh", "nostd")?;
        command
            .args([BARE_METAL, "--quiet", "--package", "keylane", "--no-default-features"])
            .args(UNOPTIMISED)
            .args(features.map(|features| format!("--features={features}")))
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
