//! `cargo xtask cargo-c`: `cargo cinstall` gives what `cargo xtask install-c` does, and programs find it.

use super::LIBRARIES;
use super::examples::{self, TemporaryFolder};
use super::install::{self, Destination};
use super::installed::{Installed, dynamic, named, output};
use crate::steps::{self, cargo, run as run_command};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is asked here does not depend on the optimiser, which takes most of a compilation's time.
const QUICK: [&str; 2] = ["--config=profile.release.opt-level=0", "--config=profile.release.debug=0"];

pub(crate) fn run(root: &Path) -> Result<()> {
    if super::tools_are_missing()? {
        return Ok(());
    }
    let folder = TemporaryFolder::new("cargo-c")?;
    let prefix = folder.0.join("prefix");
    // Below folders of their own, as packages are made: both then name the same prefix.
    let (ours, theirs) = (folder.0.join("install-c"), folder.0.join("cinstall"));
    let destination =
        Destination { prefix: prefix.clone(), libdir: "lib".into(), destdir: Some(ours.clone()) };
    install::run(root, &destination)?;
    cinstall(root, &prefix, &theirs)?;

    let below = |destdir: &Path| -> Result<Installed> {
        Ok(Installed { prefix: destdir.join(prefix.strip_prefix("/").context("the prefix is absolute")?) })
    };
    let (ours, theirs) = (below(&ours)?, below(&theirs)?);
    let (by_ours, by_theirs) = (facts(&ours)?, facts(&theirs)?);
    let only_ours: Vec<_> = by_ours.difference(&by_theirs).collect();
    let only_theirs: Vec<_> = by_theirs.difference(&by_ours).collect();
    ensure!(
        only_ours.is_empty() && only_theirs.is_empty(),
        "only from install-c: {only_ours:#?}\nonly from cargo-c: {only_theirs:#?}"
    );
    println!("cargo-c: installs what install-c does, by {}", steps::count(by_ours.len(), "fact"));

    // The package is installed.
    fs::rename(&theirs.prefix, &prefix).context("cannot move what cargo-c has installed")?;
    examples::run(root, &Installed { prefix })
}

/// As docs/c.md says it. Offline: the crates have come for install-c, and an older cargo has no business to fetch more.
fn cinstall(root: &Path, prefix: &Path, destdir: &Path) -> Result<()> {
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let mut command = cargo(root, &["cinstall", "--locked", "--offline"]);
    command.args(LIBRARIES.map(|library| format!("--package={}", library.package)));
    command.args(QUICK).arg("--target-dir").arg(metadata.target_directory.join("cargo-c"));
    command.arg("--prefix").arg(prefix).args(["--libdir", "lib", "--destdir"]).arg(destdir);
    run_command(command.env("PATH", path_with_cargo_c(root)?))
}

/// Where the commands are found. Fetches cargo-c if it is not among them.
fn path_with_cargo_c(root: &Path) -> Result<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    if super::is_there("cargo-cinstall") {
        return Ok(path);
    }
    // It compiles for half an hour where it is installed from its sources.
    let mut fetch = Command::new(root.join("ci/cpus/trixie.sh"));
    let program = PathBuf::from(output(fetch.args(["cargo-c", "cargo-cinstall"]))?.trim());
    let fetched = program.parent().context("a program in a folder")?;
    Ok(env::join_paths([fetched.to_owned()].into_iter().chain(env::split_paths(&path)))?)
}

/// What programs and linkers can tell of an installation, a line each.
fn facts(installed: &Installed) -> Result<BTreeSet<String>> {
    let mut facts = BTreeSet::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(installed.prefix.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            let name = path.display();
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_symlink() {
                facts.insert(format!("{name} -> {}", fs::read_link(entry.path())?.display()));
            } else if path.starts_with("lib") {
                // Their contents are looked at below.
                facts.insert(name.to_string());
            } else {
                let mut hasher = DefaultHasher::new();
                fs::read(entry.path())?.hash(&mut hasher);
                facts.insert(format!("{name}, hash {:016x}", hasher.finish()));
            }
        }
    }
    for library in LIBRARIES {
        let name = library.name;
        let dynamic = dynamic(&installed.library(&format!("lib{name}.so")))?;
        for tag in ["SONAME", "NEEDED"] {
            facts.extend(named(&dynamic, tag).iter().map(|value| format!("{name}: {tag} {value}")));
        }
        facts.extend(installed.exported(library)?.iter().map(|found| format!("{name}: exports {found}")));
    }
    let questions: [&[&str]; 6] = [
        &["--list-all"],
        &["--modversion"],
        &["--cflags"],
        &["--libs"],
        &["--static", "--libs"],
        &["--variable=libdir"],
    ];
    for library in LIBRARIES {
        for question in questions {
            let answer = installed.pkg_config(question, &[library.name])?.join(" ");
            facts.insert(format!("pkg-config {} {}: {answer}", question.join(" "), library.name));
        }
    }
    Ok(facts)
}
