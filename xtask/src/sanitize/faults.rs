//! A sanitizer that does not report a planted fault says nothing by its silence about Keylane.

use super::{Sanitizer, TARGET};
use crate::cpus::target_folder;
use crate::steps;
use anyhow::{Result, ensure};
use std::path::Path;
use std::process::Command;

/// Gives the number of faults. Fails unless the sanitizer reports each, and nothing where there is none.
pub(super) fn must_be_reported(root: &Path, sanitizer: Sanitizer) -> Result<usize> {
    let mut build = sanitizer.cargo(root, "build")?;
    steps::run(build.args([
        "--quiet",
        "--package=faults",
        "--manifest-path=checks/instrumented/Cargo.toml",
    ]))?;
    let program = target_folder(root, TARGET)?.join("x86_64-unknown-linux-gnu/debug/faults");
    let (variable, options) = sanitizer.options(root)?;
    let run = |fault: &str| -> Result<(bool, String)> {
        let output = Command::new(&program).arg(fault).env(variable, &options).output()?;
        Ok((output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()))
    };
    let sound = run("none")?;
    ensure!(sound == (true, String::new()), "a program without a fault: {}", sound.1);
    for (fault, report) in sanitizer.faults() {
        let (passed, said) = run(fault)?;
        ensure!(!passed && said.contains(report), "the planted fault {fault} was not reported: {said}");
        println!("planted fault, reported: {report}");
    }
    Ok(sanitizer.faults().len())
}

impl Sanitizer {
    /// Its faults in `checks/instrumented/faults`, and what it says of each.
    pub(super) fn faults(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Memory => &[("memory", "MemorySanitizer: use-of-uninitialized-value")],
            Self::Address => &[
                ("address", "AddressSanitizer: heap-buffer-overflow"),
                ("initialisation", "attempted to leave type `u32` uninitialized"),
                ("precondition", "unsafe precondition(s) violated: slice::get_unchecked"),
            ],
            Self::Thread => &[("thread", "ThreadSanitizer: data race")],
        }
    }
}
