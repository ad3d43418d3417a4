//! `cargo xtask install-c`: the C library, its headers, its pkg-config file and its manual page, where C compilers and
//! man look for them.

use crate::steps::{cargo, run as run_command};
use anyhow::{Context, Result, bail};
use cargo_metadata::MetadataCommand;
use cargo_metadata::semver::Version;
use std::fs;
use std::path::{Path, PathBuf};

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
        bail!("written for Linux: elsewhere copy what `cargo build --release --package keylane-ffi` makes");
    }
    let Destination { prefix, libdir, destdir } = destination;
    if !prefix.is_absolute() {
        bail!("the prefix has to be absolute");
    }
    let metadata = MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let package = metadata.packages.iter().find(|package| package.name == "keylane-ffi");
    let package = package.context("no package keylane-ffi")?;
    let version = &package.version;
    let built = metadata.target_directory.join("release");
    let soname = soname(version);
    let link = format!("-Clink-arg=-Wl,-soname,{soname}");
    // What a program needs besides the static library, which rustc knows of this system.
    let private = built.join("keylane.native-static-libs");
    let print = format!("--print=native-static-libs={private}");
    let build = ["rustc", "--quiet", "--release", "--package", "keylane-ffi", "--lib", "--", &link, &print];
    run_command(&mut cargo(root, &build))?;
    let private = fs::read_to_string(&private).with_context(|| format!("cannot read {private}"))?;

    let crate_folder = root.join("crates/keylane-ffi");
    let libdir = prefix.join(libdir);
    let libraries = staged(&libdir, destdir.as_deref())?;
    let headers = staged(&prefix.join("include"), destdir.as_deref())?;
    let manuals = staged(&prefix.join("share/man/man3"), destdir.as_deref())?;
    let descriptions = staged(&libdir.join("pkgconfig"), destdir.as_deref())?;

    let library = format!("libkeylane.so.{version}");
    copy(built.join("libkeylane.so").as_std_path(), &libraries.join(&library))?;
    copy(built.join("libkeylane.a").as_std_path(), &libraries.join("libkeylane.a"))?;
    link_to(&library, &libraries.join(&soname))?;
    link_to(&library, &libraries.join("libkeylane.so"))?;
    for header in ["keylane.h", "poly1305.h"] {
        copy(&crate_folder.join("include").join(header), &headers.join(header))?;
    }
    copy(&crate_folder.join("man/keylane.3"), &manuals.join("keylane.3"))?;
    let description = fs::read_to_string(crate_folder.join("keylane.pc.in")).context("keylane.pc.in")?;
    let about = package.metadata.pointer("/capi/pkg_config/description").and_then(|about| about.as_str());
    let description = description
        .replace("@PREFIX@", &prefix.to_string_lossy())
        .replace("@LIBDIR@", &libdir.to_string_lossy())
        .replace("@VERSION@", &version.to_string())
        // As cargo-c says it.
        .replace("@DESCRIPTION@", about.context("keylane-ffi's metadata has no description for pkg-config")?)
        .replace("@LIBS_PRIVATE@", &each_once(&private));
    let path = descriptions.join("keylane.pc");
    fs::write(&path, description).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

/// The shared library's name for the programs that were linked to it: all versions that have it have one interface. While the
/// major version is 0, the minor version changes with the interface. As cargo-c names it.
fn soname(version: &Version) -> String {
    match version.major {
        0 => format!("libkeylane.so.0.{}", version.minor),
        major => format!("libkeylane.so.{major}"),
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
