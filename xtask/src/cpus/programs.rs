//! The test programs that an emulator runs.

use super::platforms::Build;
use super::{RELEASED, script, target_folder};
use crate::{programs, steps};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;

#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) build: Build,
    pub(super) built: programs::Program,
}

/// The packages whose tests say something about a CPU.
const PACKAGES: [&str; 2] = ["keylane-cpu", "keylane"];

/// And about the order of bytes and 32-bit lengths, on the builds that differ there: a format, an interface.
const BYTES: [&str; 3] = ["keylane-file", "keylane-boundary", "keylane-ffi"];
const BYTES_ON: [Build; 2] = [Build::S390x, Build::I686];

/// Of keylane's test programs, those that run every kernel at every length, and that see what is chosen. Beside them come
/// those of keylane-cpu.
const CHOOSING: [&str; 2] = ["agreement", "dispatch"];

impl Program {
    /// Whether it runs every kernel, or sees what is chosen.
    pub(super) fn chooses(&self) -> bool {
        self.built.package == "keylane-cpu" || CHOOSING.contains(&&*self.built.name)
    }
}

/// For this machine's architecture: those that `.ci/run` has built.
pub(super) fn native(root: &Path) -> Result<Vec<Program>> {
    // Of the whole workspace, as there: the packages decide together which features their dependencies have, and for two of
    // them alone all would be built again.
    build(steps::cargo(root, &["test", "--workspace"]), |_| Some(Build::X86))
}

/// The same, static: they run on any kernel.
pub(super) fn fixed(root: &Path) -> Result<Vec<Program>> {
    let mut command = steps::cargo(root, &["test", "--target", Build::X86.triple()]);
    command
        .args(of_packages())
        .env("CARGO_TARGET_DIR", target_folder(root, "x86")?)
        .envs(RELEASED)
        .env("RUSTFLAGS", "-Ctarget-feature=+crt-static");
    build(command, |_| Some(Build::X86))
}

/// For other architectures.
pub(super) fn foreign(root: &Path, builds: &[(Build, &str)]) -> Result<Vec<Program>> {
    let names: Vec<_> = builds.iter().map(|(_, name)| *name).collect();
    // In one run of cargo: what runs while they are compiled is compiled once. With the packages that do not run on each,
    // too: they decide which features all below them have.
    let mut command = script(root, "cross-test.sh", "cross")?;
    command.arg(names.join(",")).arg("test").args(of_packages());
    command.args(BYTES.map(|package| format!("--package={package}")));
    // Detection can be told to find less, and does so only where a platform has a mask.
    command.env("XFLAGS", "--cfg keylane_mask");
    build(command, |path| {
        let made_for = |build: &Build| path.to_string_lossy().contains(&format!("/{}/", build.triple()));
        builds.iter().map(|(build, _)| *build).find(made_for)
    })
}

pub(super) fn wasm(root: &Path, simd128: bool) -> Result<Vec<Program>> {
    let (of, folder) = if simd128 { (Build::WasmSimd128, "wasm-simd128") } else { (Build::Wasm, "wasm") };
    let mut command = script(root, "wasm-test.sh", folder)?;
    command.arg("test").args(of_packages());
    if simd128 {
        command.env("SIMD", "1");
    }
    let mut programs = build(command, |_| Some(of))?;
    // There are none, and it has no other test.
    programs.retain(|program| program.built.name != "threads");
    Ok(programs)
}

fn of_packages() -> impl Iterator<Item = String> {
    PACKAGES.iter().map(|package| format!("--package={package}"))
}

/// Those of our packages that the command builds. `made_for` tells what for by the path.
fn build(command: Command, made_for: impl Fn(&Path) -> Option<Build>) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for built in programs::build(command)? {
        let build = made_for(&built.path)
            .with_context(|| format!("a program for no target: {}", built.path.display()))?;
        let package = &*built.package;
        if PACKAGES.contains(&package) || BYTES.contains(&package) && BYTES_ON.contains(&build) {
            programs.push(Program { build, built });
        }
    }
    for name in CHOOSING {
        ensure!(programs.iter().any(|program| program.built.name == name), "no test program is named {name}");
    }
    Ok(programs)
}
