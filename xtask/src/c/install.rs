//! `cargo xtask install-c`: the C libraries, their headers, their pkg-config files and the manual page, where C
//! compilers and man look for them.

use super::{LIBRARIES, Library};
use crate::steps::{cargo, run as run_command};
use anyhow::{Context, Result, bail};
use cargo_metadata::semver::Version;
use cargo_metadata::{Metadata, MetadataCommand};
use std::fs;
use std::path::{Path, PathBuf};

/// What the files for pkg-config are made from.
const TEMPLATE: &str = "crates/keylane-ffi/library.pc.in";

/// Where to.
#[derive(clap::Args)]
pub(crate) struct Destination {
    /// What the installed files name as their home.
    #[arg(long, default_value = "/usr/local")]
    pub(crate) prefix: PathBuf,
    /// The folder of libraries, below the prefix if it is not absolute.
    #[arg(long, default_value = "lib")]
    pub(crate) libdir: PathBuf,
    /// Install below this folder, to make a package of it.
    #[arg(long)]
    pub(crate) destdir: Option<PathBuf>,
}

pub(crate) fn run(root: &Path, destination: &Destination) -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!(
            "for Linux: elsewhere copy what `cargo build --release` makes of keylane-ffi and keylane-poly1305"
        );
    }
    if !destination.prefix.is_absolute() {
        bail!("the prefix has to be absolute");
    }
    let metadata = MetadataCommand::new().current_dir(root).no_deps().exec()?;
    LIBRARIES.into_iter().try_for_each(|library| install(root, &metadata, library, destination))?;
    let manuals = staged(&destination.prefix.join("share/man/man3"), destination.destdir.as_deref())?;
    copy(&root.join("crates/keylane-ffi/man/keylane.3"), &manuals.join("keylane.3"))
}

fn install(root: &Path, metadata: &Metadata, library: &Library, destination: &Destination) -> Result<()> {
    let Destination { prefix, libdir, destdir } = destination;
    let Library { package, name, header, .. } = library;
    let found = metadata.packages.iter().find(|found| found.name == package);
    let found = found.with_context(|| format!("no package {package}"))?;
    let version = &found.version;
    let built = metadata.target_directory.join("release");
    let soname = soname(name, version);
    let link = format!("-Clink-arg=-Wl,-soname,{soname}");
    // What a program needs besides the static library, which rustc knows of this system.
    let private = built.join(format!("{name}.native-static-libs"));
    let print = format!("--print=native-static-libs={private}");
    let build = ["rustc", "--quiet", "--release", "--package", package, "--lib", "--", &link, &print];
    run_command(&mut cargo(root, &build))?;
    let private = fs::read_to_string(&private).with_context(|| format!("cannot read {private}"))?;

    let libdir = prefix.join(libdir);
    let libraries = staged(&libdir, destdir.as_deref())?;
    let headers = staged(&prefix.join("include"), destdir.as_deref())?;
    let descriptions = staged(&libdir.join("pkgconfig"), destdir.as_deref())?;

    let (shared, archive) = (format!("lib{name}.so"), format!("lib{name}.a"));
    let file = format!("{shared}.{version}");
    copy(built.join(&shared).as_std_path(), &libraries.join(&file))?;
    copy(built.join(&archive).as_std_path(), &libraries.join(&archive))?;
    link_to(&file, &libraries.join(&soname))?;
    link_to(&file, &libraries.join(&shared))?;
    copy(&root.join("crates").join(package).join("include").join(header), &headers.join(header))?;
    let description = fs::read_to_string(root.join(TEMPLATE)).context(TEMPLATE)?;
    let about = found.metadata.pointer("/capi/pkg_config/description").and_then(|about| about.as_str());
    let about = about.with_context(|| format!("{package}'s metadata has no description for pkg-config"))?;
    let description = description
        .replace("@NAME@", name)
        .replace("@PREFIX@", &prefix.to_string_lossy())
        .replace("@LIBDIR@", &libdir.to_string_lossy())
        .replace("@VERSION@", &version.to_string())
        // As cargo-c says it.
        .replace("@DESCRIPTION@", about)
        .replace("@LIBS_PRIVATE@", &each_once(&private));
    let path = descriptions.join(format!("{name}.pc"));
    fs::write(&path, description).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

/// The shared library's name for the programs that were linked to it: all versions that have it have one interface. While the
/// major version is 0, the minor version changes with the interface. As cargo-c names it.
fn soname(name: &str, version: &Version) -> String {
    match version.major {
        0 => format!("lib{name}.so.0.{}", version.minor),
        major => format!("lib{name}.so.{major}"),
    }
}

/// The words without those that came before.
fn each_once(words: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for word in words.split_whitespace() {
        if !kept.contains(&word) {
            kept.push(word);
        }
    }
    kept.join(" ")
}

/// The folder, below the one where packages are made if there is such a one; made if it is not there.
fn staged(folder: &Path, destdir: Option<&Path>) -> Result<PathBuf> {
    let folder = match destdir {
        Some(destdir) => destdir.join(folder.strip_prefix("/").unwrap_or(folder)),
        None => folder.to_owned(),
    };
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

/// Copies a file under another name and then renames it: a program that runs keeps the library that it has loaded.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let name = to.file_name().context("a file has a name")?.to_string_lossy().into_owned();
    let new = to.with_file_name(format!(".{name}.new"));
    fs::copy(from, &new).with_context(|| format!("cannot copy {} to {}", from.display(), new.display()))?;
    fs::rename(&new, to).with_context(|| format!("cannot write {}", to.display()))?;
    println!("{}", to.display());
    Ok(())
}

fn link_to(name: &str, link: &Path) -> Result<()> {
    if link.symlink_metadata().is_ok() {
        fs::remove_file(link).with_context(|| format!("cannot replace {}", link.display()))?;
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(name, link).with_context(|| format!("cannot make {}", link.display()))?;
    println!("{} -> {name}", link.display());
    Ok(())
}
