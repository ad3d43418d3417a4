//! `cargo xtask dependencies`: runs cargo-deny on every lock file, with the rules of `deny.toml`. Advisories
//! are not checked: `cargo deny check advisories` has to fetch their database from GitHub.

use crate::check::SEPARATE;
use crate::command::{program, python_packages, root, run as run_command};
use anyhow::Result;

pub(crate) fn run() -> Result<()> {
    let deny = python_packages("ci/cargo-deny.txt")?.join("bin/cargo-deny");
    for folder in [""].into_iter().chain(SEPARATE) {
        println!("{}:", root().join(folder).join("Cargo.lock").display());
        let mut deny = program(&deny);
        // DataFusion is its example's, and reaches no user.
        deny.args(Some("--workspace").filter(|_| folder != "crates/keylane-arrow"));
        deny.current_dir(root().join(folder)).args(["--locked", "--config"]).arg(root().join("deny.toml"));
        deny.args(["check", "--allow=license-exception-not-encountered"]);
        // Rivals, fuzzers and tools bring what they need, and none of it reaches a user.
        for lint in ["duplicate", "license-not-encountered", "unmatched-skip-root"] {
            deny.arg(format!("--{}={lint}", if folder.is_empty() { "deny" } else { "allow" }));
        }
        run_command(deny.args(["bans", "licenses", "sources"]))?;
    }
    Ok(())
}
