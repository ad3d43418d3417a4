//! What the corpora reach of each crate, as the fuzzer itself counts it: no other build is needed.

use super::{CORPORA, Fuzzer, names};
use crate::steps;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The target that runs every target on every input.
const ALL: &str = "all";

/// Branches, as the compiler has made them: a generic function counts once for each type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reached {
    branches: u64,
    all: u64,
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { branches, all } = self;
        write!(f, "{branches} of {all} ({:.0} %)", 100.0 * *branches as f64 / *all as f64)
    }
}

pub(super) fn print(fuzzer: &Fuzzer<'_>) -> Result<()> {
    for (name, reached) in of_crates(fuzzer)? {
        println!("{name}: {reached}");
    }
    Ok(())
}

/// For our crates that are no tests.
pub(super) fn of_crates(fuzzer: &Fuzzer<'_>) -> Result<BTreeMap<String, Reached>> {
    let mut symbolizer = Command::new(fuzzer.root.join("ci/cpus/llvm.sh"));
    let symbolizer = steps::answer(symbolizer.arg("llvm-symbolizer"))?;
    let mut command = fuzzer.command(ALL);
    command.env("ASAN_SYMBOLIZER_PATH", symbolizer).args(["-runs=0", "-print_coverage=1"]);
    // The first folder is where new inputs would go.
    let none = fuzzer.folder.join(ALL);
    fs::create_dir_all(&none)?;
    command.arg(none);
    command.args(names(fuzzer.root)?.iter().map(|name| fuzzer.root.join(CORPORA).join(name)));
    let output = command.output().with_context(|| steps::shown(&command))?;
    let log = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{log}");
    let reached = read(&log, fuzzer.root);
    ensure!(!reached.is_empty(), "libFuzzer has told nothing of what it reached");
    Ok(reached)
}

/// From lines such as `COVERED_FUNC: hits: 3 edges: 2/5 name /path/crates/keylane/src/aes.rs:12`.
fn read(log: &str, root: &Path) -> BTreeMap<String, Reached> {
    let mut crates = BTreeMap::<_, Reached>::new();
    for line in log.lines().filter(|line| line.contains("COVERED_FUNC: ")) {
        let edges = line.split_once("edges: ").and_then(|(_, rest)| rest.split_once(' '));
        let Some((edges, place)) = edges else { continue };
        let Some((branches, all)) = edges.split_once('/') else { continue };
        let (Ok(branches), Ok(all)) = (branches.parse::<u64>(), all.parse::<u64>()) else { continue };
        let Some(name) = crate_of(place, root) else { continue };
        let reached = crates.entry(name).or_default();
        reached.branches += branches;
        reached.all += all;
    }
    crates
}

/// `keylane` for a place in `crates/keylane/src`. What only tests is not asked for.
fn crate_of(place: &str, root: &Path) -> Option<String> {
    let (_, below) = place.split_once(&format!("{}/crates/", root.display()))?;
    let (name, _) = below.split_once("/src/")?;
    (!name.contains("testkit") && !name.contains("fuzz")).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_are_added_up() {
        let log = "COVERED_FUNC: hits: 3 edges: 2/5 keylane::aes::f /a/crates/keylane/src/aes.rs:1\n\
            UNCOVERED_FUNC: hits: 0 edges: 0/3 keylane::aes::g /a/crates/keylane/src/aes.rs:9\n\
            COVERED_FUNC: hits: 3 edges: 2/2 core::h /rustc/1/library/core/src/x.rs:9\n\
            COVERED_FUNC: hits: 3 edges: 2/2 keylane_fuzz::h /a/crates/keylane-fuzz/src/x.rs:9\n";
        let read = read(log, Path::new("/a"));
        assert_eq!(read, [("keylane".to_owned(), Reached { branches: 2, all: 8 })].into());
        assert_eq!(read["keylane"].to_string(), "2 of 8 (25 %)");
    }
}
