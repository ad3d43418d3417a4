//! The C programs of `crates/keylane-ffi/tests/c` and the library, both with the sanitizer: C's from the system's compiler,
//! which calls the run-time library by the same names.

use super::{Sanitizer, TARGET};
use crate::c::{C, PROGRAMS, installed::output};
use crate::cpus::{cache, target_folder};
use crate::steps;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Gives the number of programs.
pub(super) fn run(root: &Path, sanitizer: Sanitizer) -> Result<usize> {
    let (names, run_time): (&[&str], _) = match sanitizer {
        // C's compiler has no such sanitizer.
        Sanitizer::Memory => return Ok(0),
        Sanitizer::Address => (&PROGRAMS, "librustc-stable_rt.asan.a"),
        Sanitizer::Thread => (&["threads"], "librustc-stable_rt.tsan.a"),
    };
    // Where `sanitize.sh` has put it.
    let libraries = "rustweb/usr/lib/rustlib/x86_64-unknown-linux-gnu/lib";
    let run_time = cache().context("no cache")?.join(libraries).join(run_time);
    // With the tests, for the features that they ask for: nothing is compiled for these programs alone.
    let build = ["--quiet", "--lib", "--tests"];
    steps::run(sanitizer.package(root, "build", "keylane-ffi")?.args(build))?;
    let target = target_folder(root, TARGET)?;
    let (library, programs) = (target.join("x86_64-unknown-linux-gnu/debug"), target.join("c"));
    fs::create_dir_all(&programs)?;
    for name in names {
        let program = programs.join(format!("{name}-{}", sanitizer.name()));
        let object = program.with_extension("o");
        let sources = root.join("crates/keylane-ffi");
        let mut compile = Command::new("cc");
        compile.args(C).arg(format!("-fsanitize={}", sanitizer.name())).arg("-c");
        compile.arg(sources.join("tests/c").join(name).with_extension("c"));
        steps::run(compile.arg("-I").arg(sources.join("include")).arg("-o").arg(&object))?;
        let mut link = Command::new("cc");
        link.arg(&object).arg("-o").arg(&program);
        if sanitizer != Sanitizer::Thread {
            link.arg(library.join("libkeylane.a"));
        }
        // The library that is loaded later finds the run-time library in the program.
        link.args(["-rdynamic", "-Wl,--whole-archive"]).arg(&run_time).arg("-Wl,--no-whole-archive");
        steps::run(link.args(["-lpthread", "-ldl", "-lm", "-lrt", "-lresolv", "-lgcc_s"]))?;
        let mut test = Command::new(&program);
        if sanitizer == Sanitizer::Thread {
            test.arg(library.join("libkeylane.so"));
        }
        let said = output(&mut test)?;
        ensure!(said.ends_with(" checks\n"), "{name} says {said:?}");
        print!("C, {name}: {said}");
    }
    Ok(names.len())
}
