//! `cargo xtask check`: what a change must pass, cheap checks first.

use crate::cpus::bare_metal;
use crate::steps::{cargo, run as run_command, step};
use crate::{asm, c, evidence, header, layers, workspaces};
use anyhow::Result;
use std::path::Path;

pub(crate) fn run(root: &Path, no_tests: bool) -> Result<()> {
    step("format", || {
        run_command(&mut cargo(root, &["fmt", "--all", "--check"]))?;
        workspaces::SEPARATE
            .iter()
            .try_for_each(|folder| run_command(&mut cargo(&root.join(folder), &["fmt", "--all", "--check"])))
    })?;
    step("clippy", || {
        run_command(&mut cargo(
            root,
            &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-Dwarnings"],
        ))?;
        // What the library is made of is checked already, in one folder; the benchmarks alone would compile their rivals.
        let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
        for folder in workspaces::SEPARATE.iter().filter(|folder| **folder != "benches") {
            let mut clippy = cargo(root, &["clippy", "--quiet", "--locked", "--all-targets"]);
            clippy.arg("--manifest-path").arg(root.join(folder).join("Cargo.toml"));
            clippy.arg("--target-dir").arg(&metadata.target_directory).args(["--", "-Dwarnings"]);
            run_command(&mut clippy)?;
        }
        Ok(())
    })?;
    step("features", || {
        // As the tests never are: without what needs a C compiler, and without tokio.
        for package in ["keylane-tls", "keylane-cli"] {
            let check = ["check", "--quiet", "--package", package, "--no-default-features"];
            run_command(&mut cargo(root, &check))?;
        }
        Ok(())
    })?;
    step("documentation", || {
        // As docs.rs shows it.
        let features = "--features=keylane/rustcrypto";
        let mut doc = cargo(root, &["doc", "--quiet", "--workspace", "--no-deps", features]);
        run_command(doc.env("RUSTDOCFLAGS", "-Dwarnings"))
    })?;
    step("layers", || layers::run(root))?;
    step("header", || header::run(root, true))?;
    step("assurance", || evidence::check(root))?;
    step("asm", || {
        asm::run(root, None, asm::CPUS)?;
        Ok(())
    })?;
    step("no_std", || {
        let build = ["build", "--quiet", "--package", "keylane", "--no-default-features"];
        run_command(cargo(root, &build).args(bare_metal::UNOPTIMISED))?;
        run_command(cargo(root, &build).args(bare_metal::UNOPTIMISED).args(["--features", "alloc"]))
    })?;
    if !no_tests {
        step("tests", || run_command(&mut cargo(root, &["test", "--workspace"])))?;
        step("C", || c::run(root))?;
    }
    println!("\ncheck: passed");
    Ok(())
}
