//! `cargo xtask check`: what a change must pass besides its tests, cheap checks first.

use crate::command::{cargo, root, run as run_command, step, target};
use crate::{asm, header, public_api, release};
use anyhow::Result;

/// Workspaces of their own, since they need tools, unsafe code, crates or profiles that the library does not.
pub(crate) const SEPARATE: [&str; 5] =
    ["benches", "checks/instrumented", "checks/small", "crates/keylane-arrow", "examples/firmware"];

pub(crate) fn run(tests: bool) -> Result<()> {
    step("format", || {
        let folders = [""].into_iter().chain(SEPARATE);
        folders
            .map(|folder| root().join(folder))
            .try_for_each(|folder| run_command(cargo(&["fmt", "--all", "--check"]).current_dir(folder)))
    })?;
    step("clippy", || {
        run_command(&mut cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "-Dwarnings"]))?;
        // Not the benchmarks: that would compile all rivals. Not the firmware, which this machine cannot run.
        for folder in SEPARATE.iter().filter(|folder| !["benches", "examples/firmware"].contains(folder)) {
            let mut clippy = cargo(&["clippy", "--quiet", "--locked", "--all-targets"]);
            clippy.arg("--manifest-path").arg(root().join(folder).join("Cargo.toml"));
            // Nothing is linked: libFuzzer need not be compiled.
            clippy.env("CUSTOM_LIBFUZZER_PATH", "/libfuzzer.a");
            run_command(clippy.arg("--target-dir").arg(target()).args(["--", "-Dwarnings"]))?;
        }
        Ok(())
    })?;
    step("arrow", || {
        ["", "parallel"].iter().try_for_each(|features| {
            let mut test = cargo(&["test", "--quiet", "--locked", "--features", features, "--target-dir"]);
            run_command(test.arg(target()).current_dir(root().join("crates/keylane-arrow")))
        })
    })?;
    step("features", || {
        // What the tests never are: without tokio and with rustls' defaults, without std.
        let application = ["--package=keylane-application", "--features=rustls-defaults"];
        run_command(cargo(&["test", "--quiet"]).args(application))?;
        ["", "alloc"].iter().try_for_each(|features| {
            let mut check = cargo(&["check", "--quiet", "--package", "keylane", "--no-default-features"]);
            run_command(check.args(["--features", features]))
        })
    })?;
    step("documentation", documentation)?;
    step("header", || header::run(true))?;
    step("public interface", || public_api::run(true))?;
    step("versions", release::metadata)?;
    step("asm", asm::run)?;
    if tests {
        step("tests", || run_command(&mut cargo(&["test", "--workspace"])))?;
    }
    println!("\ncheck: passed");
    Ok(())
}

/// Writes the documentation as docs.rs shows it.
pub(crate) fn documentation() -> Result<()> {
    let features = "--features=keylane/getrandom,keylane/rustcrypto";
    let mut doc = cargo(&["doc", "--quiet", "--workspace", "--no-deps", features]);
    run_command(doc.env("RUSTDOCFLAGS", "-Dwarnings"))
}
