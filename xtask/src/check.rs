//! `cargo xtask check`: the checks that a change must pass besides its tests, cheap ones first.

use crate::command::{cargo, root, run as run_command, step};
use crate::{asm, public_api};
use anyhow::Result;

/// Workspaces of their own, since they need tools, unsafe code, crates or profiles that the library does not.
pub(crate) const SEPARATE: [&str; 5] =
    ["benches", "checks/instrumented", "crates/keylane-arrow", "examples/firmware", "examples/http"];

pub(crate) fn run(tests: bool) -> Result<()> {
    step("format", || {
        let folders = [""].into_iter().chain(SEPARATE);
        folders
            .map(|folder| root().join(folder))
            .try_for_each(|folder| run_command(cargo(&["fmt", "--all", "--check"]).current_dir(folder)))
    })?;
    step("clippy", || {
        // Not `--all-targets`, which has keylane's unit tests twice: keylane-proofs has the same source.
        let targets = ["--lib", "--bins", "--tests", "--examples"];
        let mut clippy = cargo(&["clippy", "--quiet", "--workspace"]);
        run_command(clippy.args(targets).args(["--", "-Dwarnings"]))
    })?;
    step("no_std", || {
        ["", "alloc"].iter().try_for_each(|features| {
            let mut check = cargo(&["check", "--quiet", "--package", "keylane", "--no-default-features"]);
            run_command(check.args(["--features", features]))
        })
    })?;
    step("debug build", || {
        // Alone, its package would be built with other features, and all that it needs.
        let mut test = cargo(&["test", "--quiet", "--workspace", "--test", "first_call"]);
        for package in ["keylane", "keylane-cpu", "keylane-contracts"] {
            test.arg("--config").arg(format!("profile.dev.package.{package}.opt-level=0"));
        }
        run_command(test.arg("small_stack"))
    })?;
    step("public interface", || public_api::run(true))?;
    step("asm", asm::run)?;
    if tests {
        step("tests", || run_command(&mut cargo(&["test", "--workspace"])))?;
    }
    println!("\ncheck: passed");
    Ok(())
}
