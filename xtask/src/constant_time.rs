//! `cargo xtask constant-time`: looks for branches and addresses that depend on secrets.
//!
//! The program `constant-time` of `checks/instrumented` marks secrets, and a tool follows them: valgrind
//! through the library as users get it, on the CPU that valgrind emulates; MemorySanitizer, compiled in, on
//! this CPU or in an emulator.

use crate::command::{Job, backends, cargo, output, parallel, program, run as run_command, step, target};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

const MANIFEST: &str = "checks/instrumented/Cargo.toml";
const PACKAGE: &str = "keylane-secrets";
const PROGRAM: &str = "constant-time";
/// Where something may be made public: `declassify` is looked for.
const SOURCES: [&str; 3] = ["crates/keylane/src", "crates/keylane-file/src", "crates/keylane-tls/src"];
/// Instrumented kernels take LLVM minutes at level 3.
const LESS_OPTIMISED: [&str; 6] =
    ["keylane", "keylane-cpu", "keylane-file", "keylane-tls", "keylane-subjects", PACKAGE];
/// The kinds of planted leaks, besides one after each implementation.
const PLANTED: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Tool {
    /// Has AES-NI, PCLMULQDQ and AVX2, and no SHA-NI, VAES or AVX-512.
    Valgrind,
    /// Follows LLVM's code before it becomes machine code, with every instruction set of this CPU.
    MemorySanitizer,
    /// The same program on an emulated CPU that has AVX-512 and VAES.
    Emulator,
}

pub(crate) fn run(emulator: bool) -> Result<()> {
    let public = step("constant-time: what is made public", made_public)?;
    let all_seen = Mutex::new((BTreeSet::new(), BTreeSet::new()));
    let all = &all_seen;
    let job = |tool: Tool| -> Job<'_> {
        let work = move || {
            let report = watch(tool)?;
            let mut seen = all.lock().expect("no panic");
            seen.0.extend(report.seen.iter().cloned());
            seen.1.extend(report.absent.iter().cloned());
            Ok(format!(
                "{} cases, {} of {} implementations, {} planted leaks",
                report.cases,
                report.seen.len(),
                report.seen.len() + report.absent.len(),
                report.planted
            ))
        };
        (format!("{tool:?}"), Box::new(work))
    };
    step("constant-time: tools", || parallel([Tool::Valgrind, Tool::MemorySanitizer].map(job).into()))?;
    if emulator {
        step("constant-time: emulator", || parallel(vec![job(Tool::Emulator)]))?;
    }
    let (seen, absent) = all_seen.into_inner().expect("no panic");
    println!("\nseen by no tool: {:?}", absent.difference(&seen).collect::<Vec<_>>());
    println!("no branch and no address depends on a secret, but for what these make public:\n{public}");
    Ok(())
}

/// Returns the uses of `declassify`, a line each.
fn made_public() -> Result<String> {
    let search = ["grep", "--line-number", "--word-regexp", "-e", "declassify", "--"];
    let found = output(program("git").args(search).args(SOURCES))?;
    let is_use = |line: &&str| {
        let code = line.splitn(3, ':').nth(2).unwrap_or_default().trim();
        !code.starts_with("//") && !code.starts_with("use ")
    };
    Ok(found.lines().filter(is_use).map(|line| line.to_owned() + "\n").collect())
}

/// What the program printed under a tool.
#[derive(Debug, Default, PartialEq)]
struct Report {
    cases: usize,
    planted: usize,
    /// Primitives with their implementations.
    seen: Vec<String>,
    absent: Vec<String>,
}

/// Runs the program under the tool and fails where a secret leaks or a planted leak is missed.
fn watch(tool: Tool) -> Result<Report> {
    let result = tool.command()?.output()?;
    let (printed, reports) =
        (String::from_utf8_lossy(&result.stdout), String::from_utf8_lossy(&result.stderr));
    let report =
        read(&printed).with_context(|| reports.rsplit("-- end").next().unwrap_or_default().to_owned())?;
    ensure!(result.status.success(), "{}: {reports}", result.status);
    let planted = PLANTED + report.seen.len();
    ensure!(report.planted == planted, "{} of {planted} planted leaks are there", report.planted);
    ensure!(tool != Tool::Emulator || report.absent.is_empty(), "not seen: {:?}", report.absent);
    for name in backends()?.split(',').filter(|name| !name.is_empty()) {
        // Valgrind hides instruction sets.
        let missed = report.absent.iter().find(|it| it.ends_with(&format!(" by {name}")));
        ensure!(tool == Tool::Valgrind || missed.is_none(), "{missed:?} was not seen, and this CPU has it");
    }
    Ok(report)
}

/// Reads lines of the program's, with tabs between the words. See its `main.rs`.
fn read(printed: &str) -> Result<Report> {
    let mut report = Report::default();
    for line in printed.lines() {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["planted", name, reported] => {
                ensure!(reported == "true", "the tool does not report {name}");
                report.planted += 1;
            }
            ["absent", primitive, name] => report.absent.push(format!("{primitive} by {name}")),
            ["seen", primitive, name, cases, faults] => {
                let cases: usize = cases.parse()?;
                ensure!(faults == "0" && cases > 0, "{primitive} by {name}: {faults} of {cases} cases leak");
                report.cases += cases;
                report.seen.push(format!("{primitive} by {name}"));
            }
            // Under the emulator, the sanitizer's reports of planted leaks are there too.
            _ => ensure!(!line.contains('\t'), "unexpected: {line}"),
        }
    }
    Ok(report)
}

impl Tool {
    fn command(self) -> Result<Command> {
        let built = self.build()?;
        Ok(match self {
            Self::Valgrind => {
                let mut command = program("valgrind");
                command.args(["-q", "--leak-check=no", "--error-limit=no"]).arg(built);
                command
            }
            Self::MemorySanitizer => {
                let mut command = program(built);
                command.env("MSAN_OPTIONS", "external_symbolizer_path=/usr/bin/addr2line");
                command
            }
            Self::Emulator => {
                let mut command = program("ci/cpus/vm-avx512.sh");
                command.arg(built).env("CPU", "corei7_icelake_u").env("MEM", "1024").env("TIMEOUT", "3600");
                command
            }
        })
    }

    fn build(self) -> Result<PathBuf> {
        let folder = target().join("constant-time");
        let (mut command, folder, built) = if self == Self::Valgrind {
            let mut command = cargo(&["build"]);
            command.env("RUSTFLAGS", "--cfg keylane_constant_time").env_remove("CARGO_ENCODED_RUSTFLAGS");
            (command, folder.join("valgrind"), "release")
        } else {
            let mut command = program("ci/cpus/cargo.sh");
            command.args(["memory", "build", "--features=memory-sanitizer"]);
            command.args(
                LESS_OPTIMISED.map(|name| format!("--config=profile.release.package.{name}.opt-level=1")),
            );
            // All reports of a run, not the first alone; to hand a secret to a function is no leak.
            let flags = "-Zsanitizer-recover=memory -Cllvm-args=-msan-eager-checks=0";
            command.env("XFLAGS", format!("{flags} --cfg=keylane_no_asm --cfg=keylane_constant_time"));
            (command, folder.join("memory-sanitizer"), "x86_64-unknown-linux-gnu/release")
        };
        command.args(["--quiet", "--release", "--locked", "--manifest-path", MANIFEST]);
        command.args(["--package", PACKAGE, "--bin", PROGRAM]);
        run_command(command.env("CARGO_TARGET_DIR", &folder))?;
        Ok(folder.join(built).join(PROGRAM))
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_went_wrong_does_not_count() {
        let good = "planted\ta\ttrue\nseen\tsha1\tavx2\t7\t0\nabsent\tsha1\tsha-ni\n";
        let report = read(good).unwrap();
        assert_eq!((report.planted, report.cases), (1, 7));
        assert_eq!(
            (report.seen, report.absent),
            (vec!["sha1 by avx2".into()], vec!["sha1 by sha-ni".into()])
        );
        for bad in
            ["planted\ta\tfalse", "seen\tsha1\tavx2\t7\t1", "seen\tsha1\tavx2\t0\t0", "seen\tsha1\tavx2"]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
