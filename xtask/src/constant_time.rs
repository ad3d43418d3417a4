//! `cargo xtask constant-time`: looks for branches and addresses that depend on secrets.
//!
//! The program `constant-time` of `checks/instrumented` marks secrets, and a tool follows them: valgrind
//! through the library as users get it, on the CPU that valgrind emulates; MemorySanitizer, compiled in, on
//! this CPU.

use crate::command::{Job, backends, cargo, parallel, program, step, target};
use anyhow::{Context, Result, ensure};
use std::process::Command;

const MANIFEST: &str = "checks/instrumented/Cargo.toml";
const PACKAGE: &str = "keylane-secrets";
const PROGRAM: &str = "constant-time";
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
}

pub(crate) fn run() -> Result<()> {
    let job = |tool| -> Job<'_> { (format!("{tool:?}"), Box::new(move || watch(tool))) };
    step("constant-time: tools", || parallel([Tool::Valgrind, Tool::MemorySanitizer].map(job).into()))?;
    println!("no branch and no address depends on a secret, but for what `declassify` makes public");
    Ok(())
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
fn watch(tool: Tool) -> Result<String> {
    let result = tool.command().output()?;
    let (printed, reports) =
        (String::from_utf8_lossy(&result.stdout), String::from_utf8_lossy(&result.stderr));
    let report =
        read(&printed).with_context(|| reports.rsplit("-- end").next().unwrap_or_default().to_owned())?;
    ensure!(result.status.success(), "{}: {reports}", result.status);
    let planted = PLANTED + report.seen.len();
    ensure!(report.planted == planted, "{} of {planted} planted leaks are there", report.planted);
    for name in backends()?.split(',').filter(|name| !name.is_empty()) {
        // Valgrind hides instruction sets.
        let missed = report.absent.iter().find(|it| it.ends_with(&format!(" by {name}")));
        ensure!(tool == Tool::Valgrind || missed.is_none(), "{missed:?} was not seen, and this CPU has it");
    }
    let (seen, absent) = (report.seen.len(), report.absent.len());
    Ok(format!(
        "{} cases, {seen} of {} implementations, {planted} planted leaks",
        report.cases,
        seen + absent
    ))
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
            _ => ensure!(!line.contains('\t'), "unexpected: {line}"),
        }
    }
    Ok(report)
}

impl Tool {
    /// A command that builds the program and runs it under the tool.
    fn command(self) -> Command {
        let (mut command, folder) = if self == Self::Valgrind {
            let mut command = cargo(&["run"]);
            let valgrind = "valgrind -q --leak-check=no --error-limit=no";
            command.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", valgrind);
            command.env("RUSTFLAGS", "--cfg keylane_constant_time").env_remove("CARGO_ENCODED_RUSTFLAGS");
            (command, "valgrind")
        } else {
            let mut command = program("ci/cpus/cargo.sh");
            command.args(["memory", "run", "--features=memory-sanitizer"]);
            command.args(
                LESS_OPTIMISED.map(|name| format!("--config=profile.release.package.{name}.opt-level=1")),
            );
            // All reports of a run, not the first alone; to hand a secret to a function is no leak.
            let flags = "-Zsanitizer-recover=memory -Cllvm-args=-msan-eager-checks=0";
            command.env("XFLAGS", format!("{flags} --cfg=keylane_no_asm --cfg=keylane_constant_time"));
            command.env("MSAN_OPTIONS", "external_symbolizer_path=/usr/bin/addr2line");
            (command, "memory-sanitizer")
        };
        command.args(["--quiet", "--release", "--locked", "--manifest-path", MANIFEST]);
        command.args(["--package", PACKAGE, "--bin", PROGRAM]);
        command.env("CARGO_TARGET_DIR", target().join("constant-time").join(folder));
        command
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
