//! Running the programs on a platform.

use super::platforms::{Platform, Runner};
use super::programs::Program;
use super::{script, target_folder};
use crate::evidence::Ran;
use crate::{demands, steps, tally};
use anyhow::{Context, Result, ensure};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The programs' tests on the platform. What one may want to read of a failure goes to `text`.
pub(super) fn tests_on(
    root: &Path,
    platform: &Platform,
    programs: &[Program],
    text: &mut String,
) -> Result<Ran> {
    let wanted =
        |program: &&Program| program.build == platform.build && (platform.every_program || program.chooses());
    let programs: Vec<_> = programs.iter().filter(wanted).collect();
    let ran = if let Runner::Bochs { model } = platform.runner {
        heard(in_one_boot(root, platform, model, &programs)?, text)?
    } else {
        let mut ran = Ran::default();
        for program in &programs {
            let one = alone(root, platform, program, text).with_context(|| program.built.name.clone())?;
            ran.tests += one.tests;
            ran.left_out += one.left_out;
            ran.programs += one.programs;
            ran.implementations.extend(one.implementations);
        }
        ran
    };
    ensure!(ran.programs == programs.len(), "{} of {} programs ended well", ran.programs, programs.len());
    ensure!(!ran.implementations.is_empty(), "no program named an implementation");
    Ok(ran)
}

/// What the program says of itself, and of what it says when it is only to list its tests no test may be missing.
fn alone(root: &Path, platform: &Platform, program: &Program, text: &mut String) -> Result<Ran> {
    let list = command(root, platform, program)?.args(["--list", "--format", "terse"]).output()?;
    let listed = tally::listed(&String::from_utf8_lossy(&list.stdout));
    let mut command = command(root, platform, program)?;
    command.args(arguments(platform, program));
    let ran = heard(command, text)?;
    let heard_of = ran.tests + ran.left_out;
    ensure!(heard_of == listed, "it spoke of {heard_of} tests, and it has {listed}");
    Ok(ran)
}

fn heard(command: Command, text: &mut String) -> Result<Ran> {
    let mut output = String::new();
    let ran = tally::quiet_run(command, &mut output);
    if ran.is_err() {
        text.push_str(&output);
    }
    ran
}

/// The program as that CPU would run it.
fn command(root: &Path, platform: &Platform, program: &Program) -> Result<Command> {
    let mut command = match platform.runner {
        Runner::Native => {
            let mut command = Command::new(&program.built.path);
            demands::add(root, &mut command)?;
            command
        }
        Runner::Qemu { architecture, model } => {
            let mut command = script(root, "emulate.sh", "x86")?;
            command.args([architecture, model]).arg(&program.built.path);
            command
        }
        Runner::Node => {
            let mut command = script(root, "wasi-run.sh", "wasm")?;
            command.arg(&program.built.path);
            command
        }
        Runner::Bochs { .. } => unreachable!("Bochs runs all programs in one boot"),
    };
    command.current_dir(root);
    for (variable, value) in variables(platform) {
        command.env(variable, value);
    }
    Ok(command)
}

/// What the tests are told of the platform.
fn variables(platform: &Platform) -> Vec<(&'static str, &'static str)> {
    if matches!(platform.runner, Runner::Native) {
        return Vec::new();
    }
    let mut variables =
        vec![("KEYLANE_EXPECT_CPU", platform.expect), ("KEYLANE_REQUIRE_BACKENDS", platform.backends)];
    if !platform.mask.is_empty() {
        variables.push(("KEYLANE_MASK", platform.mask));
    }
    variables
}

/// Every test program, one after the other, in one boot of the emulator.
fn in_one_boot(root: &Path, platform: &Platform, model: &str, programs: &[&Program]) -> Result<Command> {
    let mut run = String::from("#!/bin/sh\nbad=0\n");
    for program in programs {
        let file = program.built.path.file_name().context("a program without a name")?.to_string_lossy();
        let arguments = arguments(platform, program).join(" ");
        writeln!(run, "echo 'running {file} {arguments}'\n/files/{file} {arguments} || bad=1")?;
    }
    run.push_str("exit $bad\n");
    let init = target_folder(root, "x86")?.join(model).with_extension("sh");
    fs::write(&init, run).with_context(|| format!("cannot write {}", init.display()))?;
    let files: Vec<_> = programs.iter().map(|program| program.built.path.to_string_lossy()).collect();
    let variables: Vec<_> =
        variables(platform).into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut command = script(root, "vm-avx512.sh", "x86")?;
    command
        .arg(&init)
        .env("CPU", model)
        .env("FILES", files.join(" "))
        .env("ENVS", variables.join(" "))
        .env("MEM", "512")
        .env("TIMEOUT", "7200");
    Ok(command)
}

/// One thread: one core is emulated, and a program that dies says in which test. What passes is shown, too: it names the
/// implementations.
fn arguments(platform: &Platform, program: &Program) -> Vec<&'static str> {
    let mut arguments = vec!["--test-threads=1", "--show-output", "--exact"];
    for test in left_out(platform, program) {
        arguments.extend(["--skip", test]);
    }
    arguments
}

/// What cannot run on the platform, or not in minutes; tests that an architecture cannot run say so by themselves.
fn left_out(platform: &Platform, program: &Program) -> &'static [&'static str] {
    match (platform.runner, &*program.built.name) {
        (Runner::Native, _) => &[],
        // Wycheproof's PBKDF2 vectors are seconds on a CPU, half of all other tests' time under qemu and half an hour under
        // Bochs. The RFCs' vectors have as many iterations of the same kernels.
        (_, "pbkdf2") => &["wycheproof"],
        // Minutes of files that are damaged in every way; the other tests read and write the same bytes.
        (_, "file") => &[
            "attacks::any_bit_of_any_chunk",
            "attacks::any_edit",
            "attacks::appended",
            "attacks::several_errors",
            "attacks::truncated",
        ],
        // It reads files of this repository.
        (Runner::Bochs { .. }, "rustcrypto") => &["vectors::the_files_hold_the_published_vectors"],
        _ => &[],
    }
}

/// For the progress.
pub(super) fn summary(ran: &Ran) -> String {
    if ran.programs == 0 {
        return "built".to_owned();
    }
    let left_out = if ran.left_out == 0 { String::new() } else { format!(", {} left out", ran.left_out) };
    format!(
        "{} in {}{left_out}; {}",
        steps::count(ran.tests, "test"),
        steps::count(ran.programs, "program"),
        ran.implementations.join(" ")
    )
}
