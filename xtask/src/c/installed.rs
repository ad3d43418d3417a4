//! The libraries where they were installed, and what readelf and pkg-config say of them.

use super::Library;
use crate::steps;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A prefix that holds the libraries.
pub(super) struct Installed {
    pub(super) prefix: PathBuf,
}

impl Installed {
    pub(super) fn library(&self, name: &str) -> PathBuf {
        self.prefix.join("lib").join(name)
    }

    /// A command that finds these libraries by pkg-config.
    pub(super) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("PKG_CONFIG_PATH", self.library("pkgconfig"));
        command
    }

    /// What pkg-config says of the libraries with these names.
    pub(super) fn pkg_config(&self, arguments: &[&str], names: &[&str]) -> Result<Vec<String>> {
        let words = output(self.command("pkg-config").args(arguments).args(names))?;
        Ok(words.split_whitespace().map(str::to_owned).collect())
    }

    /// What pkg-config says for static libraries, with their files named, as the linker prefers shared ones:
    /// libNAME.a, or with a suffix after the name.
    pub(super) fn static_libraries(&self, names: &[&str], suffix: &str) -> Result<Vec<String>> {
        let mut arguments = self.pkg_config(&["--static", "--libs"], names)?;
        for name in names {
            let argument = arguments.iter_mut().find(|argument| **argument == format!("-l{name}"));
            *argument.with_context(|| format!("pkg-config names no -l{name}"))? =
                format!("-l:lib{name}{suffix}.a");
        }
        Ok(arguments)
    }

    /// The functions that a shared library exports.
    pub(super) fn exported(&self, library: &Library) -> Result<BTreeSet<String>> {
        symbols(&self.library(&format!("lib{}.so", library.name)), "--dyn-syms", defined)
    }
}

/// Whether symbols of this section are the library's own.
pub(super) fn defined(section: &str) -> bool {
    section != "UND"
}

/// The global symbols of a library in sections that are `wanted`. From readelf: nm asks a plugin about objects that
/// hold LLVM's bitcode, as those of Rust's standard library do, and the plugin may be too old for them.
pub(super) fn symbols(library: &Path, table: &str, wanted: fn(&str) -> bool) -> Result<BTreeSet<String>> {
    let listing = output(Command::new("readelf").args([table, "--wide"]).arg(library))?;
    let mut found = BTreeSet::new();
    for line in listing.lines() {
        // Number, value, size, type, binding, visibility, section, name.
        let fields: Vec<_> = line.split_whitespace().collect();
        if let [_, _, _, _, "GLOBAL", _, section, name, ..] = fields[..]
            && wanted(section)
        {
            found.insert(name.split('@').next().unwrap_or(name).to_owned());
        }
    }
    Ok(found)
}

/// What readelf prints of the dynamic section of a library or program.
pub(super) fn dynamic(file: &Path) -> Result<String> {
    output(Command::new("readelf").args(["--dynamic", "--wide"]).arg(file))
}

/// The names that a tag has in a dynamic section: SONAME, NEEDED.
pub(super) fn named(dynamic: &str, tag: &str) -> Vec<String> {
    let lines = dynamic.lines().filter(|line| line.contains(&format!("({tag})")));
    lines.filter_map(|line| Some(line.split_once('[')?.1.split_once(']')?.0.to_owned())).collect()
}

/// What the command prints, if it succeeds.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let result = command.stderr(Stdio::inherit()).output();
    let result = result.with_context(|| format!("cannot run {}", steps::shown(command)))?;
    if !result.status.success() {
        bail!("{}: {}", steps::shown(command), result.status);
    }
    Ok(String::from_utf8_lossy(&result.stdout).into_owned())
}
