//! `cargo xtask check`: what a change must pass, cheap checks first.

use crate::cpus::bare_metal;
use crate::steps::{cargo, run as run_command, step};
use crate::{asm, c, evidence, header, layers};
use anyhow::Result;
use std::path::Path;

pub(crate) fn run(root: &Path, no_tests: bool) -> Result<()> {
    step("format", || {
        run_command(&mut cargo(root, &["fmt", "--all", "--check"]))?;
        // Workspaces of their own, so that what they need is needed by nobody else.
        for workspace in ["benches", "fuzz"].map(|name| root.join(name)) {
            if workspace.join("Cargo.toml").exists() {
                run_command(&mut cargo(&workspace, &["fmt", "--all", "--check"]))?;
            }
        }
        Ok(())
    })?;
    step("clippy", || {
        run_command(&mut cargo(
            root,
            &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-Dwarnings"],
        ))
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
        // With AVX in the baseline the compiler may put a 256-bit instruction beside SHA instructions.
        let cpus: &[_] = if cfg!(target_arch = "x86_64") {
            &[None, Some("x86-64-v3"), Some("x86-64-v4")]
        } else {
            &[None]
        };
        asm::run(root, None, cpus)
    })?;
    step("no_std", || {
        let build = ["build", "--quiet", "--package", "keylane", "--no-default-features"];
        run_command(cargo(root, &build).args(bare_metal::UNOPTIMISED))?;
        run_command(cargo(root, &build).args(bare_metal::UNOPTIMISED).args(["--features", "alloc"]))?;
        if bare_metal::is_at_hand() {
            bare_metal::build(root, &bare_metal::TARGETS[..1])?;
        } else {
            println!("not for bare metal: `cargo xtask cpus nostd` fetches what that needs");
        }
        Ok(())
    })?;
    if !no_tests {
        step("tests", || run_command(&mut cargo(root, &["test", "--workspace"])))?;
        step("C", || c::run(root))?;
    }
    println!("\ncheck: passed");
    Ok(())
}
