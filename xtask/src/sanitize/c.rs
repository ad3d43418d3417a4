//! The C programs of `crates/keylane-ffi/tests/c` and the library, both with the sanitizer: C's from the system's compiler,
//! which calls the run-time library by the same names.

use super::{Sanitizer, TARGET};
use crate::c::{C, LIBRARIES, Library, PROGRAMS, installed::output, library_of};
use crate::cpus::{cache, target_folder};
use crate::steps;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Gives the number of programs. Fails, too, if a fault that is planted in C is not reported.
pub(super) fn run(root: &Path, sanitizer: Sanitizer) -> Result<usize> {
    let names: &[&str] = match sanitizer {
        // C's compiler has no such sanitizer.
        Sanitizer::Memory => return Ok(0),
        Sanitizer::Address => &PROGRAMS,
        Sanitizer::Thread => &["threads"],
    };
    // With the tests, for the features that they ask for: nothing is compiled for these programs alone.
    let build = ["--quiet", "--lib", "--tests"];
    for Library { package, .. } in LIBRARIES {
        steps::run(sanitizer.package(root, "build", package)?.args(build))?;
    }
    let library = target_folder(root, TARGET)?.join("x86_64-unknown-linux-gnu/debug");
    let (variable, options) = sanitizer.options(root)?;
    planted(root, sanitizer)?;
    for name in names {
        let source = format!("crates/keylane-ffi/tests/c/{name}.c");
        // The program of threads loads the other library by itself.
        let linked =
            (sanitizer != Sanitizer::Thread).then(|| library.join(format!("lib{}.a", library_of(name).name)));
        let mut test = Command::new(compiled(root, sanitizer, &source, linked.as_deref())?);
        test.env(variable, &options);
        if sanitizer == Sanitizer::Thread {
            test.arg(library.join("libkeylane.so"));
        }
        let said = output(&mut test)?;
        ensure!(said.ends_with(" checks\n"), "{name} says {said:?}");
        print!("C, {name}: {said}");
    }
    Ok(names.len())
}

/// Fails unless the sanitizer reports the fault of a program that is compiled as the others are.
fn planted(root: &Path, sanitizer: Sanitizer) -> Result<()> {
    let program =
        compiled(root, sanitizer, &format!("checks/instrumented/faults/{}.c", sanitizer.name()), None)?;
    // The first of its faults is of the same kind.
    let (_, report) = sanitizer.faults()[0];
    let result = Command::new(program).output()?;
    let said = String::from_utf8_lossy(&result.stderr);
    ensure!(
        !result.status.success() && said.contains(report),
        "the planted fault in C was not reported: {said}"
    );
    println!("planted fault in C, reported: {report}");
    Ok(())
}

/// The program of a C file.
fn compiled(root: &Path, sanitizer: Sanitizer, source: &str, library: Option<&Path>) -> Result<PathBuf> {
    let run_time = match sanitizer {
        Sanitizer::Memory => "librustc-stable_rt.msan.a",
        Sanitizer::Address => "librustc-stable_rt.asan.a",
        Sanitizer::Thread => "librustc-stable_rt.tsan.a",
    };
    // Where `sanitize.sh` has put it.
    let libraries = "rustweb/usr/lib/rustlib/x86_64-unknown-linux-gnu/lib";
    let run_time = cache().context("no cache")?.join(libraries).join(run_time);
    let programs = target_folder(root, TARGET)?.join("c");
    fs::create_dir_all(&programs)?;
    let name = Path::new(source).file_stem().context("a source without a name")?.to_string_lossy();
    let program = programs.join(format!("{name}-{}", sanitizer.name()));
    let object = program.with_extension("o");
    let mut compile = Command::new("cc");
    compile.args(C).arg(format!("-fsanitize={}", sanitizer.name())).arg("-c").arg(root.join(source));
    for Library { package, .. } in LIBRARIES {
        compile.arg("-I").arg(root.join("crates").join(package).join("include"));
    }
    steps::run(compile.arg("-o").arg(&object))?;
    let mut link = Command::new("cc");
    link.arg(&object).arg("-o").arg(&program).args(library);
    // The library that is loaded later finds the run-time library in the program.
    link.args(["-rdynamic", "-Wl,--whole-archive"]).arg(run_time).arg("-Wl,--no-whole-archive");
    steps::run(link.args(["-lpthread", "-ldl", "-lm", "-lrt", "-lresolv", "-lgcc_s"]))?;
    Ok(program)
}
