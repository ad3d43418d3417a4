//! `cargo xtask cpus`: runs the tests for other CPUs, in the emulators that `ci/cpus` fetches.

use crate::command::{backends, cargo, output, parallel, root, script, step};
use crate::programs::{self, Program};
use crate::small::{self, Answers};
use anyhow::{Context, Result, ensure};
use std::fs;

/// A CPU, and what runs as if on it.
struct Row {
    /// As `ci/cpus/cargo.sh` and `ci/cpus/emulate.sh` name it.
    target: &'static str,
    /// As the emulator names the CPU, and `KEYLANE_EXPECT_CPU`.
    model: &'static str,
    /// Implementations that must run.
    backends: &'static str,
    /// Instruction sets that detection is told not to find.
    mask: &'static str,
    /// The tests of [`TESTS`] that a plain `cargo xtask cpus` runs, on x86-64 besides those of keylane-cpu;
    /// none if empty.
    always: &'static [&'static str],
    /// Whether it runs all tests where it is named, not those of [`CHOICE`] alone.
    whole: bool,
}

/// Keylane's own tests, in the folder `tests`.
const TESTS: &str = "keylane-tests";
/// Those of them that run every kernel at every length and that see which is chosen.
const CHOICE: &[&str] = &["contracts", "dispatch"];

/// The first and the last of qemu's x86-64 CPUs have the fewest and the most instruction sets. Those between
/// show that an implementation needs no more than it asks for, and which is chosen: of the CPUs that run the
/// same implementations, the one with the fewest instructions. No emulator of programs has AVX-512, VAES or
/// SHA-512's instructions: CPUs with some of it are this one, if it has all, with a mask.
const ROWS: [Row; 20] = [
    whole(CHOICE, row("aarch64", "max", "neon,neon-aes,neon-aes-sha3,neon-sha2,neon-sha512")),
    // This computer's own tests run the same kernels.
    whole(&["dispatch"], row("x86_64", "qemu64", "sse2")),
    Row { always: &["dispatch"], ..row("x86_64", "Haswell", "aes-ni,avx2,ssse3,sse2") },
    // Big-endian.
    whole(&[], row("s390x", "max", "")),
    row("x86_64", "core2duo", "ssse3,sse2"),
    row("x86_64", "Westmere", "aes-ni,ssse3,sse2"),
    row("x86_64", "EPYC-Milan", "aes-ni,avx2,sha-ni,ssse3,sse2"),
    row("x86_64", "Denverton", "aes-ni,sha-ni,ssse3,sse2"),
    whole(&[], row("x86_64", "max", "aes-ni,avx2,sha-ni,ssse3,sse2")),
    // The first of them is Skylake's server as well.
    masked("cascade_lake", "avx512-ifma,sha-ni,sha512,vaes-avx2,vaes-avx512"),
    masked("corei3_cnl", "sha512,vaes-avx2,vaes-avx512"),
    masked("corei7_icelake_u", "sha512"),
    masked("alder_lake", "avx512,avx512-ifma,sha512,vaes-avx512"),
    row("aarch64", "neoverse-n1", "neon,neon-aes,neon-sha2"),
    // Each of qemu's CPUs has the AES and SHA instructions that the Raspberry Pi 4 lacks.
    Row { mask: "neon-aes,neon-aes-sha3,neon-sha2", ..whole(&[], row("aarch64", "raspberry-pi-4", "neon")) },
    whole(&[], row("armv7", "max", "")),
    whole(&[], row("i686", "max", "")),
    whole(&[], row("wasm", "node", "")),
    whole(&[], row("wasm-simd128", "node", "")),
    // Another system on this CPU.
    whole(&[], row("windows", "wine", "")),
];

const fn row(target: &'static str, model: &'static str, backends: &'static str) -> Row {
    Row { target, model, backends, mask: "", always: &[], whole: false }
}

const fn masked(model: &'static str, mask: &'static str) -> Row {
    Row { mask, ..row("native", model, "") }
}

const fn whole(always: &'static [&'static str], row: Row) -> Row {
    Row { always, whole: true, ..row }
}

/// Packages that are built together, so that those they need are built once: a folder under `target/cpus`,
/// targets, packages.
const BUILDS: [(&str, &[&str], &[&str]); 6] = [
    ("cross", &["aarch64", "armv7", "i686", "s390x"], ALL),
    // These care for the order of bytes and for 32-bit lengths.
    ("cross", &["i686", "s390x"], &["keylane-file", "keylane-ffi"]),
    ("native", &["native"], ALL),
    ("wasm", &["wasm"], ALL),
    ("wasm-simd128", &["wasm-simd128"], ALL),
    // These care for the system.
    ("windows", &["windows"], &["keylane-cpu", TESTS, "keylane-file", "keylane-ffi", "keylane-cli"]),
];
const ALL: &[&str] = &["keylane-cpu", TESTS, "keylane-proofs"];

/// Runs the rows whose names have one of the patterns: `aarch64`, `Haswell`, `all`. Without patterns, those
/// that every change must pass.
pub(crate) fn run(patterns: &[String], write: bool) -> Result<()> {
    let plain = patterns.is_empty();
    let named = |name: &str| {
        patterns.iter().any(|it| it == "all" || name.to_lowercase().contains(&it.to_lowercase()))
    };
    let can_mask = backends()?.contains("vaes-avx512");
    let wanted = |row: &&Row| {
        if plain { !row.always.is_empty() } else { named(&row.name()) }
    };
    let (rows, skipped): (Vec<_>, Vec<_>) =
        ROWS.iter().filter(wanted).partition(|row| row.target != "native" || can_mask);
    let small = named("small");
    ensure!(small || !rows.is_empty(), "no row has {}", patterns.join(" or "));
    let programs = step("cpus: build", || build(&rows, plain))?;
    let jobs = rows.into_iter().map(|row| (row.name(), row)).collect();
    step("cpus: tests", || parallel(jobs, |row| row.run(&programs, plain)))?;
    for row in skipped {
        println!("NOT RUN: {}: this CPU lacks instruction sets that it has", row.name());
    }
    if plain || small {
        step("cpus: firmware", small::firmware)?;
    }
    if small { small::run(&step("cpus: answers", Answers::new)?, write) } else { Ok(()) }
}

/// Builds the test programs that the rows need, with their rows' targets.
fn build(rows: &[&Row], plain: bool) -> Result<Vec<(&'static str, Program)>> {
    let mut built = Vec::new();
    if rows.iter().any(|row| row.target == "x86_64") {
        // Those that `cargo test --workspace` has built.
        let programs = programs::build(cargo(&["test", "--workspace"]))?.into_iter();
        let ours = programs.filter(|it| ["keylane-cpu", "kernels", "library"].contains(&&*it.package));
        built.extend(ours.map(|program| ("x86_64", program)));
    }
    for (folder, targets, packages) in BUILDS {
        let needed = |target: &&str| rows.iter().any(|row| row.target == *target);
        let targets: Vec<&str> = targets.iter().copied().filter(needed).collect();
        let is_whole = !plain && rows.iter().any(|row| row.whole && targets.contains(&row.target));
        if targets.is_empty() || plain && !packages.contains(&TESTS) {
            continue;
        }
        let mut command = script("cargo.sh", folder);
        command.args([&*targets.join(","), "test"]);
        // Its unit tests run in whole rows only.
        let packages = packages.iter().filter(|package| is_whole || **package != "keylane-proofs");
        command.args(packages.map(|package| format!("--package={package}")));
        if plain {
            command.args(CHOICE.iter().map(|name| format!("--test={name}")));
        } else if !is_whole {
            let own = fs::read_dir(root().join("crates/keylane-cpu/tests"))?;
            let own = own
                .map(|file| Ok(file?.path().file_stem().context("a name")?.to_string_lossy().into_owned()));
            let own: Vec<String> = own.collect::<Result<_>>()?;
            let names = own.iter().map(String::as_str).chain(CHOICE.iter().copied());
            command.arg("--lib").args(names.map(|name| format!("--test={name}")));
        }
        // Detection can be told to find less, and is where a row has a mask. No compiler looks at the command
        // for Windows but here.
        command.env("XFLAGS", if folder == "windows" { "-Dwarnings" } else { "--cfg keylane_mask" });
        for program in programs::build(command)? {
            let path = program.path.to_string_lossy();
            let target = targets.iter().find(|target| path.contains(&format!("/{target}-")));
            built.push((*target.unwrap_or(&targets[0]), program));
        }
    }
    // WebAssembly has no threads, and no emulated program can start itself.
    built.retain(|(target, program)| !target.starts_with("wasm") || program.name != "threads");
    built.retain(|(_, program)| program.name != "first_call");
    Ok(built)
}

impl Row {
    fn name(&self) -> String {
        format!("{} as {}", self.target, self.model)
    }

    fn run(&self, programs: &[(&str, Program)], plain: bool) -> Result<String> {
        let tests = if plain { self.always } else { CHOICE };
        let all = !plain && self.whole;
        let chosen = |it: &&Program| all || it.package == "keylane-cpu" || tests.contains(&&*it.name);
        let of_row = programs.iter().filter(|(target, _)| *target == self.target).map(|(_, program)| program);
        let programs: Vec<_> = of_row.filter(chosen).collect();
        for name in tests {
            ensure!(programs.iter().any(|program| program.name == *name), "no test program is named {name}");
        }
        let mut passed = 0;
        for program in &programs {
            let mut command = script("emulate.sh", self.target);
            command.args([self.target, self.model]).arg(&program.path).env_remove("KEYLANE_REQUIRE_TOOLS");
            if self.model == "wine" {
                command.env("KEYLANE_REQUIRE_BACKENDS", backends()?);
            } else {
                command.args(arguments(program)).env("KEYLANE_EXPECT_CPU", self.model);
                command.env("KEYLANE_REQUIRE_BACKENDS", self.backends).env("KEYLANE_MASK", self.mask);
                command.env("KEYLANE_EVERY", if plain { "8" } else { "1" });
            }
            passed += programs::passed(&output(&mut command).with_context(|| program.name.clone())?)?;
        }
        ensure!(passed > 0, "no test ran");
        Ok(format!("{passed} tests in {} programs", programs.len()))
    }
}

/// One thread, as one core is emulated; without tests that an emulator takes too long for.
fn arguments(program: &Program) -> Vec<&'static str> {
    let left_out: &[&str] = match &*program.name {
        // Proofs execute no instruction of the CPU's vectors: another CPU shows nothing new.
        "keylane_proofs" => &["proofs::"],
        // The RFCs' vectors run the same kernels.
        "pbkdf2" => &["wycheproof"],
        // The other tests read and write the same bytes.
        "file" => &[
            "attacks::any_",
            "attacks::appended",
            "attacks::several_errors",
            "attacks::truncated",
            "headers::wrong_keys",
            "reference::both_write_the_same_for_a_passphrase",
        ],
        _ => &[],
    };
    // As parts of names.
    let skipped = left_out.iter().flat_map(|test| ["--skip", *test]);
    ["--test-threads=1"].into_iter().chain(skipped).collect()
}
