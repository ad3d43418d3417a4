//! `cargo xtask coverage`: which lines, regions and functions of the library the tests run, and a reason for each line that
//! they do not.
//!
//! Generic kernels are one piece of source and a function for each CPU: what one of them runs counts. That every CPU's is
//! run, `KEYLANE_REQUIRE_BACKENDS` sees to. The reasons are for lines that run on no CPU: they hold on one that has
//! everything.

mod figures;

use crate::demands;
use crate::evidence::Evidence;
use crate::programs::{self, Program};
use crate::reasons::{self, Explained, Finding, Reason};
use crate::steps::{self, run as run_command};
use anyhow::{Context, Result, ensure};
use figures::Figures;
use serde::Deserialize;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The packages that are looked at, by their own tests and each other's.
const PACKAGES: [&str; 3] = ["keylane", "keylane-cpu", "keylane-tls"];

const REASONS: &str = "ci/coverage.toml";
const PAGE: &str = "docs/coverage.md";

/// Counters in a kernel's loop cost more than what the optimiser would save.
const QUICK: [&str; 3] = [
    "--config=profile.dev.package.keylane.opt-level=1",
    "--config=profile.dev.package.keylane-cpu.opt-level=1",
    "--config=profile.dev.package.keylane-tls.opt-level=1",
];

/// What the file of reasons holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    reason: Vec<Reason>,
}

pub(crate) fn run(root: &Path, record: bool) -> Result<()> {
    let evidence = Evidence::begin(root, "coverage", record)?;
    let lacking = demands::lacking(root)?;
    ensure!(lacking.is_empty(), "what runs here is not all that could: this CPU lacks {lacking}");
    same_llvm(root)?;
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let folder = metadata.target_directory.join("coverage").into_std_path_buf();
    let profiles = folder.join("profiles");
    if profiles.exists() {
        fs::remove_dir_all(&profiles)?;
    }
    let programs = programs::build(tests(root))?;
    steps::step("coverage: tests", || {
        for program in &programs {
            program.tests(root, |command| {
                // The processes that run it one after the other add to one file.
                command.env("LLVM_PROFILE_FILE", profiles_of(program, &profiles).join("%m.profraw"));
                if program.name == "pbkdf2" {
                    // With counters it takes a quarter of an hour, and runs no line that the RFCs' vectors do not.
                    command.args(["--exact", "--skip", "wycheproof"]);
                }
            })?;
        }
        Ok(())
    })?;
    let figures = measured(root, &profiles, &programs)?;
    let Table { reason: reasons } = reasons::read(root, REASONS)?;
    let explained = reasons::explain(&reasons, left_out(root, &figures)?, true)?;
    let mut shares = Vec::new();
    for package in PACKAGES {
        for (what, (ran, all)) in figures.of(&format!("crates/{package}/src/")) {
            ensure!(all > 0, "{package} has no counters of {what}");
            let share = format!("{ran} of {all}, {:.2} %", 100.0 * ran as f64 / all as f64);
            println!("{package}, {what} that ran: {share}");
            shares.push((format!("{package}, {what} that ran"), share));
        }
    }
    if let Some(mut evidence) = evidence {
        for (what, share) in shares {
            evidence.figure(what, share);
        }
        let places: usize = explained.iter().map(|(_, found)| found.len()).sum();
        evidence.figure("lines or whole functions that did not, each with its reason", places);
        fs::write(root.join(PAGE), page(&explained)).context(PAGE)?;
        evidence.record(root)?;
    }
    Ok(())
}

/// The tests, in a build that counts.
fn tests(root: &Path) -> Command {
    let mut command = steps::cargo(root, &["test", "--lib", "--tests"]);
    command.args(PACKAGES.map(|package| format!("--package={package}"))).args(QUICK);
    command.env("RUSTC_WORKSPACE_WRAPPER", root.join("ci/cpus/instrument.sh"));
    command
}

/// LLVM's tools read only what their own version has written.
fn same_llvm(root: &Path) -> Result<()> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiler = major(&steps::answer(Command::new(rustc).arg("-vV"))?)?;
    let tools = major(&steps::answer(Command::new(llvm(root, "llvm-cov")?).arg("--version"))?)?;
    ensure!(compiler == tools, "rustc has LLVM {compiler}, and ci/cpus/llvm.sh fetches LLVM {tools}");
    Ok(())
}

/// The number in `LLVM version: 22.1.2`, as rustc says it, or `Debian LLVM version 22.1.8`.
fn major(text: &str) -> Result<u32> {
    let (_, version) = text.split_once("LLVM version").context("no version of LLVM")?;
    let number = version.trim_start_matches([':', ' ']).split('.').next().unwrap_or_default();
    number.parse().with_context(|| format!("LLVM's version is {number:?}"))
}

fn llvm(root: &Path, tool: &str) -> Result<String> {
    steps::answer(Command::new(root.join("ci/cpus/llvm.sh")).arg(tool))
}

/// Where a program's counters are written: two may have functions of one name that are not the same.
fn profiles_of(program: &Program, profiles: &Path) -> PathBuf {
    profiles.join(format!("{}-{}", program.package, program.name))
}

/// What the programs' counters say of the library's sources.
fn measured(root: &Path, profiles: &Path, programs: &[Program]) -> Result<Figures> {
    let (profdata, cov) = (llvm(root, "llvm-profdata")?, llvm(root, "llvm-cov")?);
    let mut figures = Figures::default();
    for program in programs {
        let raw = profiles_of(program, profiles);
        let data = raw.with_extension("profdata");
        let mut merge = Command::new(&profdata);
        run_command(merge.args(["merge", "--sparse", "--output"]).arg(&data).arg(&raw))?;
        let export = |format: &str| -> Result<String> {
            let mut export = Command::new(&cov);
            export.arg("export").arg(format!("--format={format}")).arg("--instr-profile").arg(&data);
            export.arg(&program.path).arg("--sources");
            export.args(PACKAGES.map(|package| root.join(format!("crates/{package}/src"))));
            let output = export.stderr(Stdio::inherit()).output()?;
            ensure!(output.status.success(), "llvm-cov export: {}", output.status);
            Ok(String::from_utf8(output.stdout)?)
        };
        figures.add(root, &export("lcov")?, &export("text")?)?;
    }
    Ok(figures)
}

/// The lines that did not run; of a function that never ran, the first.
fn left_out(root: &Path, figures: &Figures) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (path, lines) in figures.left_out() {
        let source = fs::read_to_string(root.join(path)).with_context(|| path.to_owned())?;
        let texts: Vec<_> = source.lines().map(str::trim).collect();
        for line in lines {
            let text = *texts.get(line as usize - 1).context("a line past the file's end")?;
            findings.push(Finding { file: path.to_owned(), line, text: text.to_owned() });
        }
    }
    Ok(findings)
}

fn page(explained: &Explained<'_>) -> String {
    let introduction = "\
# What the tests do not run

Written by `cargo xtask coverage --record`, which fails on a line that did not run and that `ci/coverage.toml` has no reason
for, and on a reason for a line that ran. Of a function that never ran, the first line stands for all. Doc tests are not
counted, nor are the tests of the command, of the installed C library and of the Python package.
[assurance.md](assurance.md#coverage) has the figures.
";
    introduction.to_owned() + &reasons::sections(explained)
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn both_spell_the_version() {
        assert_eq!(major("release: 1.95.0\nLLVM version: 22.1.2\n").unwrap(), 22);
        assert_eq!(major("Debian LLVM version 9.0.1\n  Optimized build.").unwrap(), 9);
        assert!(major("LLVM version: ?").is_err());
        assert!(major("rustc 1.95.0").is_err());
    }
}
