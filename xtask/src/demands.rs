//! What the tests are told to demand of the machine: a test that skipped what is not there would pass unseen.

use crate::steps;
use anyhow::Result;
use std::env;
use std::path::Path;
use std::process::Command;

const BACKENDS: &str = "KEYLANE_REQUIRE_BACKENDS";
const TOOLS: &str = "KEYLANE_REQUIRE_TOOLS";

/// Every implementation that the CPU can run, by the kernel's account of it, and every tool; what the environment says of
/// either stands.
pub(crate) fn add(root: &Path, command: &mut Command) -> Result<()> {
    // The script knows the names that Linux has for x86-64's instruction sets.
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        command.env(BACKENDS, backends(root)?);
    }
    if env::var_os(TOOLS).is_none() {
        command.env(TOOLS, "1");
    }
    Ok(())
}

/// The implementations for x86-64 that are demanded, separated by commas.
pub(crate) fn backends(root: &Path) -> Result<String> {
    env::var(BACKENDS).or_else(|_| steps::answer(&mut script(root)))
}

/// Those that the CPU cannot run.
pub(crate) fn lacking(root: &Path) -> Result<String> {
    steps::answer(script(root).arg("lacking"))
}

fn script(root: &Path) -> Command {
    Command::new(root.join("ci/cpus/backends.sh"))
}
