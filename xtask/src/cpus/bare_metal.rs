//! Builds for CPUs without an operating system: the library with `core` alone, and with a heap, either way with what it
//! depends on for RustCrypto's traits.

use super::{RELEASED, script, target_folder};
use crate::steps;
use anyhow::{Result, ensure};
use std::path::Path;

pub(super) const TARGETS: [&str; 2] = ["thumbv7em-none-eabi", "riscv32imac-unknown-none-elf"];

/// For builds that are never run: kernels take most of the compiler's time, and only to make them fast.
pub(crate) const UNOPTIMISED: [&str; 4] = [
    "--config=profile.dev.package.keylane.opt-level=0",
    "--config=profile.dev.package.keylane-cpu.opt-level=0",
    "--config=profile.dev.debug=0",
    "--config=profile.dev.opt-level=0",
];

pub(super) fn build(root: &Path) -> Result<()> {
    for (std, features) in [("core", "rustcrypto"), ("core,alloc", "alloc,rustcrypto")] {
        let mut command = script(root, "nostd-check.sh", "nostd")?;
        command
            .args([&*TARGETS.join(","), "--quiet", "--package", "keylane", "--no-default-features"])
            .args(UNOPTIMISED)
            .arg(format!("--features={features}"))
            .env("STD", std);
        // The profile is the command line's.
        for (setting, _) in RELEASED {
            command.env_remove(setting);
        }
        steps::run(&mut command)?;
    }
    for target in TARGETS {
        let built = target_folder(root, "nostd")?.join(target).join("debug/libkeylane.rlib");
        ensure!(built.exists(), "nothing was built for {target}");
    }
    Ok(())
}
