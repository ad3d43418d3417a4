//! `cargo xtask wiping`: checks that every type that holds a secret wipes its memory.
//!
//! The program `wiping` in `checks/instrumented` reads the memory after drops. Each public type must be among
//! those that it saw or among those that hold no secret.

use crate::command::{output, require_all, root, step};
use crate::constant_time::{MANIFEST, released};
use crate::public_api;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::fs;

/// Public types that hold no secret of their own.
const NO_SECRET: &str = include_str!("../../checks/instrumented/no-secret.txt");

pub(crate) fn run() -> Result<()> {
    let printed = step("wiping: memory", || {
        let mut command = released("wiping");
        require_all(&mut command)?;
        output(&mut command).context("a secret stays in memory, or one that was planted was not seen")
    })?;
    let count = |kind: &str| printed.lines().filter(|line| line.starts_with(kind)).count();
    let (uses, planted) = (count("seen\t"), count("planted\t"));
    ensure!(uses > 0 && planted > 0, "the program saw nothing");
    let types = printed.lines().filter_map(|line| line.strip_prefix("seen\t")?.split('\t').next());
    let seen: BTreeSet<&str> = types.collect();
    step("wiping: every public type", || {
        let public = public_types()?;
        let public: BTreeSet<&str> = public.iter().map(|name| &**name).collect();
        let no_secret: BTreeSet<&str> = NO_SECRET.lines().filter(|line| !line.starts_with('#')).collect();
        let unknown = &(&public - &seen) - &no_secret;
        ensure!(unknown.is_empty(), "neither seen by {MANIFEST} nor named in no-secret.txt: {unknown:?}");
        let wrong = &no_secret - &(&public - &seen);
        ensure!(wrong.is_empty(), "named in no-secret.txt, but seen, or no type: {wrong:?}");
        Ok(())
    })?;
    println!("wiping: {} types and modules in {uses} uses, {planted} planted faults", seen.len());
    Ok(())
}

/// Returns the types of the public interface, which `cargo xtask check` compares with the sources.
fn public_types() -> Result<BTreeSet<String>> {
    let text = fs::read_to_string(root().join(public_api::COMMITTED))?;
    let name = |line: &str| {
        // Attributes come first.
        let (kind, name) = line.split_once("pub ")?.1.split_once(' ')?;
        let is_type = ["struct", "enum", "union"].contains(&kind);
        is_type.then(|| name.split(['<', '(', ';', ' ']).next().unwrap_or(name).to_owned())
    };
    let names = text.lines().filter(|line| !line.starts_with("# ")).filter_map(name);
    // keylane-arrow keeps its secrets in types of keylane.
    let types: BTreeSet<_> = names.filter(|name| !name.starts_with("keylane_arrow::")).collect();
    ensure!(types.len() > 20, "{} has only {} types", public_api::COMMITTED, types.len());
    Ok(types)
}
