//! `cargo xtask cpus`: the tests on CPUs that this machine lacks, in the emulators that `ci/cpus` fetches.

use crate::command::{Job, cargo, output, parallel, program, run as run_command, step, target};
use crate::programs::{self, Program};
use anyhow::{Context, Result, ensure};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A CPU, and what runs programs as if it were that CPU.
struct Row {
    /// As `ci/cpus/cargo.sh` names it.
    target: &'static str,
    emulator: Emulator,
    /// As the emulator names the CPU.
    model: &'static str,
    /// As `KEYLANE_EXPECT_CPU` names it.
    expect: &'static str,
    /// Implementations that must run.
    backends: &'static str,
    /// Instruction sets that detection ignores.
    mask: &'static str,
    /// Whether a plain `cargo xtask cpus` runs it, with the tests of [`CHOICE`].
    always: bool,
    /// Whether it runs all tests where it is named.
    whole: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Emulator {
    Qemu,
    Bochs,
    Node,
}

/// The first and the last of qemu's x86-64 CPUs have the fewest and the most instruction sets. Those between
/// show that an implementation needs no more than it detects, and which is chosen. So do Bochs' CPUs besides
/// Ice Lake, which has all.
const ROWS: [Row; 22] = [
    whole(always(qemu("x86_64", "qemu64", "sse2"))),
    qemu("x86_64", "core2duo", "ssse3,sse2"),
    qemu("x86_64", "Nehalem", "ssse3,sse2"),
    qemu("x86_64", "Westmere", "aes-ni,ssse3,sse2"),
    qemu("x86_64", "SandyBridge", "aes-ni,ssse3,sse2"),
    always(qemu("x86_64", "Haswell", "aes-ni,avx2,ssse3,sse2")),
    qemu("x86_64", "EPYC-Milan", "aes-ni,avx2,sha-ni,ssse3,sse2"),
    qemu("x86_64", "Denverton", "aes-ni,sha-ni,ssse3,sse2"),
    whole(qemu("x86_64", "max", "aes-ni,avx2,sha-ni,ssse3,sse2")),
    bochs("ryzen", "aes-ni,avx2,sha-ni,ssse3,sse2"),
    bochs("corei7_skylake_x", "aes-ni,avx512,avx2,ssse3,sse2"),
    bochs("corei3_cnl", "aes-ni,avx512-ifma,avx512,avx2,sha-ni,ssse3,sse2"),
    bochs("arrow_lake", "vaes-avx2,aes-ni,avx2,sha-ni,ssse3,sse2"),
    whole(bochs(
        "corei7_icelake_u",
        "vaes-avx512,vaes-avx2,aes-ni,avx512-ifma,avx512,avx2,sha-ni,ssse3,sse2",
    )),
    whole(always(qemu("aarch64", "max", "neon,neon-aes,neon-sha2,neon-sha512"))),
    qemu("aarch64", "neoverse-n1", "neon,neon-aes,neon-sha2"),
    // Each of qemu's CPUs has the AES and SHA instructions that the Raspberry Pi 4's Cortex-A72 lacks.
    Row {
        expect: "raspberry-pi-4",
        mask: "neon-aes,neon-sha2",
        ..whole(qemu("aarch64", "cortex-a72", "neon"))
    },
    whole(qemu("armv7", "max", "")),
    whole(always(qemu("i686", "max", ""))),
    // Big-endian.
    whole(always(qemu("s390x", "max", ""))),
    whole(row("wasm", Emulator::Node, "node", "")),
    whole(row("wasm-simd128", Emulator::Node, "node", "")),
];

const fn row(target: &'static str, emulator: Emulator, model: &'static str, backends: &'static str) -> Row {
    Row { target, emulator, model, expect: model, backends, mask: "", always: false, whole: false }
}

const fn qemu(target: &'static str, model: &'static str, backends: &'static str) -> Row {
    row(target, Emulator::Qemu, model, backends)
}

const fn bochs(model: &'static str, backends: &'static str) -> Row {
    row("x86_64", Emulator::Bochs, model, backends)
}

const fn always(row: Row) -> Row {
    Row { always: true, ..row }
}

const fn whole(row: Row) -> Row {
    Row { whole: true, ..row }
}

/// Targets of Debian's compiler, with the triples that stand in the paths of their programs.
const CROSS: [(&str, &str); 4] = [
    ("aarch64", "aarch64-unknown-linux-gnu"),
    ("armv7", "armv7-unknown-linux-gnueabihf"),
    ("i686", "i686-unknown-linux-gnu"),
    ("s390x", "s390x-unknown-linux-gnu"),
];
/// Besides keylane-cpu's, the tests that run every kernel at every length and that see which is chosen.
const CHOICE: [&str; 2] = ["contracts", "dispatch"];
/// Packages that care for the order of bytes and for 32-bit lengths, and where these differ.
const BYTES: [&str; 3] = ["keylane-file", "keylane-boundary", "keylane-ffi"];
const BYTES_ON: [&str; 2] = ["s390x", "i686"];

const BARE_METAL: &str = "bare-metal";
const BARE_METAL_TRIPLES: [&str; 2] = ["thumbv7em-none-eabi", "riscv32imac-unknown-none-elf"];
/// Nothing of that build runs.
const UNOPTIMISED: [&str; 4] = [
    "--config=profile.dev.package.keylane.opt-level=0",
    "--config=profile.dev.package.keylane-cpu.opt-level=0",
    "--config=profile.dev.debug=0",
    "--config=profile.dev.opt-level=0",
];
/// Runs the rows whose names have one of the patterns: `aarch64`, `Bochs`, `all`. Without patterns, those
/// that every change must pass.
pub(crate) fn run(patterns: &[String]) -> Result<()> {
    let named = |name: &str| {
        patterns.iter().any(|it| it == "all" || name.to_lowercase().contains(&it.to_lowercase()))
    };
    let rows: Vec<_> =
        ROWS.iter().filter(|row| if patterns.is_empty() { row.always } else { named(&row.name()) }).collect();
    let bare_metal = patterns.is_empty() || named(BARE_METAL);
    ensure!(bare_metal || !rows.is_empty(), "no row has {}", patterns.join(" or "));
    let whole = !patterns.is_empty();
    let programs = step("cpus: build", || build(&rows, whole))?;
    let mut jobs: Vec<Job<'_>> = Vec::new();
    // The slow ones first.
    for slow in [true, false] {
        for row in rows.iter().filter(|row| (row.emulator == Emulator::Bochs) == slow) {
            let programs = &programs;
            jobs.push((row.name(), Box::new(move || row.run(programs, whole && row.whole))));
        }
    }
    if bare_metal {
        jobs.push((BARE_METAL.to_owned(), Box::new(build_bare_metal)));
    }
    step("cpus: tests", || parallel(jobs))
}

/// Builds the test programs that the rows need, with their rows' targets. `whole`: more than those of
/// [`CHOICE`].
fn build(rows: &[&Row], whole: bool) -> Result<Vec<(&'static str, Program)>> {
    let needed = |target: &str| rows.iter().any(|row| row.target == target);
    let mut built = Vec::new();
    if rows.iter().any(|row| row.emulator == Emulator::Bochs) {
        // Static, for a system that has nothing else.
        let mut command = script("cargo.sh", "static")?;
        command.args(["static", "test", "--package=keylane-cpu", "--package=keylane"]);
        built.extend(programs::build(command)?.into_iter().map(|program| ("x86_64", program)));
    } else if needed("x86_64") {
        // Those that `cargo test --workspace` has built.
        let programs = programs::build(cargo(&["test", "--workspace"]))?;
        built.extend(programs.into_iter().map(|program| ("x86_64", program)));
    }
    let cross: Vec<_> = CROSS.into_iter().filter(|(target, _)| needed(target)).collect();
    if !cross.is_empty() {
        let targets: Vec<_> = cross.iter().map(|(target, _)| *target).collect();
        for package in ["keylane-cpu", "keylane"].into_iter().chain(BYTES.into_iter().filter(|_| whole)) {
            let mut command = script("cargo.sh", "cross")?;
            command.args([&*targets.join(","), "test", "--package", package]);
            if package == "keylane" && !whole {
                command.args(CHOICE.map(|name| format!("--test={name}")));
            }
            // Detection can be told to find less, and is where a row has a mask.
            command.env("XFLAGS", "--cfg keylane_mask");
            for program in programs::build(command)? {
                let path = program.path.to_string_lossy().into_owned();
                let target = cross.iter().find(|(_, triple)| path.contains(&format!("/{triple}/")));
                built.push((target.context("a program for no target")?.0, program));
            }
        }
    }
    for target in ["wasm", "wasm-simd128"].into_iter().filter(|target| needed(target)) {
        let mut command = script("cargo.sh", target)?;
        command.args([target, "test", "--package=keylane-cpu", "--package=keylane"]);
        // It has no threads.
        let programs = programs::build(command)?.into_iter().filter(|program| program.name != "threads");
        built.extend(programs.map(|program| (target, program)));
    }
    built.retain(|(target, program)| match &*program.package {
        "keylane" | "keylane-cpu" => true,
        package => BYTES.contains(&package) && BYTES_ON.contains(target),
    });
    Ok(built)
}

/// Builds the library for CPUs without an operating system: with `core` alone, and with a heap.
fn build_bare_metal() -> Result<String> {
    for (std, features) in [("core", "rustcrypto"), ("core,alloc", "alloc,rustcrypto")] {
        let mut command = script("cargo.sh", BARE_METAL)?;
        command.args([BARE_METAL, "build", "--quiet", "--lib", "--package=keylane"]);
        command.args(BARE_METAL_TRIPLES.map(|triple| format!("--target={triple}")));
        command.args(["--no-default-features", &format!("--features={features}")]).args(UNOPTIMISED);
        run_command(command.env("STD", std))?;
    }
    Ok(format!("built for {}", BARE_METAL_TRIPLES.join(" and ")))
}

/// A script of `ci/cpus`. Its flags need a target directory of their own.
fn script(name: &str, folder: &str) -> Result<Command> {
    let mut command = program(format!("ci/cpus/{name}"));
    command.env("CARGO_TARGET_DIR", target().join("cpus").join(folder));
    for setting in ["DEBUG", "DEBUG_ASSERTIONS", "OVERFLOW_CHECKS"] {
        // Each costs much of the compiler's time, and this machine's own tests have them.
        command.env(format!("CARGO_PROFILE_DEV_{setting}"), "false");
    }
    Ok(command)
}

impl Row {
    fn name(&self) -> String {
        let emulator = match self.emulator {
            Emulator::Qemu => "qemu",
            Emulator::Bochs => "Bochs",
            Emulator::Node => return format!("{} on node", self.target),
        };
        let mask = if self.mask.is_empty() { String::new() } else { format!(" without {}", self.mask) };
        format!("{} on {emulator}'s {}{mask}", self.target, self.model)
    }

    fn run(&self, programs: &[(&str, Program)], whole: bool) -> Result<String> {
        let chosen = |program: &Program| program.package == "keylane-cpu" || CHOICE.contains(&&*program.name);
        let of_row =
            |(target, program): &&(&str, Program)| *target == self.target && (whole || chosen(program));
        let programs: Vec<_> = programs.iter().filter(of_row).map(|(_, program)| program).collect();
        for name in CHOICE {
            ensure!(programs.iter().any(|program| program.name == name), "no test program is named {name}");
        }
        let tests = if self.emulator == Emulator::Bochs {
            programs::passed(&output(&mut self.boot(&programs)?)?)?
        } else {
            let run = |program: &&Program| {
                let printed = output(&mut self.command(program)?).with_context(|| program.name.clone());
                programs::passed(&printed?)
            };
            programs.iter().map(run).sum::<Result<usize>>()?
        };
        ensure!(tests > 0, "no test ran");
        Ok(format!("{tests} tests in {} programs", programs.len()))
    }

    fn command(&self, program: &Program) -> Result<Command> {
        let mut command = script("emulate.sh", "x86_64")?;
        command.args([self.target, self.model]).arg(&program.path).args(arguments(program));
        command.env_remove("KEYLANE_REQUIRE_TOOLS").envs(self.environment());
        Ok(command)
    }

    fn environment(&self) -> Vec<(&'static str, &'static str)> {
        let expected = [("KEYLANE_EXPECT_CPU", self.expect), ("KEYLANE_REQUIRE_BACKENDS", self.backends)];
        let mask = ("KEYLANE_MASK", self.mask);
        expected.into_iter().chain((!self.mask.is_empty()).then_some(mask)).collect()
    }

    /// Runs all programs in one boot of the emulator.
    fn boot(&self, programs: &[&Program]) -> Result<Command> {
        let mut init = String::from("#!/bin/sh\nbad=0\n");
        for program in programs {
            let file = program.path.file_name().context("a program has a name")?.to_string_lossy();
            writeln!(init, "/files/{file} {} || bad=1", arguments(program).join(" "))?;
        }
        init.push_str("exit $bad\n");
        let path: PathBuf = target().join("cpus").join(self.model).with_extension("sh");
        fs::write(&path, init)?;
        let files: Vec<_> = programs.iter().map(|program| program.path.to_string_lossy()).collect();
        let variables: Vec<_> =
            self.environment().iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut command = script("vm-avx512.sh", "static")?;
        command.arg(path).env("CPU", self.model).env("FILES", files.join(" "));
        command.env("ENVS", variables.join(" ")).env("MEM", "512").env("TIMEOUT", "7200");
        Ok(command)
    }
}

/// One thread, as one core is emulated; without tests that an emulator takes too long for.
fn arguments(program: &Program) -> Vec<&'static str> {
    let left_out: &[&str] = match &*program.name {
        // The RFCs' vectors run the same kernels.
        "pbkdf2" => &["wycheproof"],
        // The other tests read and write the same bytes.
        "file" => &[
            "attacks::any_bit_of_any_chunk",
            "attacks::any_edit",
            "attacks::appended",
            "attacks::several_errors",
            "attacks::truncated",
        ],
        // They read files that the system under Bochs does not have.
        "rustcrypto" => &["vectors::the_files_hold_the_published_vectors"],
        _ => &[],
    };
    let skipped = left_out.iter().flat_map(|test| ["--skip", *test]);
    ["--test-threads=1", "--exact"].into_iter().chain(skipped).collect()
}
