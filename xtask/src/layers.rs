//! `cargo xtask layers`: who may use whom. Arrows go down; everything else fails.
//!
//! The rules are the tables in this file and nothing else: [`CRATES`] between crates, [`RANKS`] and [`EXCEPTIONS`]
//! between the modules of `keylane`. A new crate or module is named here first.

mod crates;
mod modules;
mod paths;

use crate::{sources, steps};
use anyhow::{Result, bail};
use std::fmt;
use std::path::{Path, PathBuf};

/// What a crate of the workspace may depend on.
pub(crate) struct CrateRule {
    name: &'static str,
    /// Our crates that it may use.
    ours: &'static [&'static str],
    /// Our crates that its tests may use besides.
    ours_in_tests: &'static [&'static str],
    /// Other people's crates that it may use; `None` where it is free. With a question mark, as in Cargo's features: only
    /// as an optional dependency.
    others: Option<&'static [&'static str]>,
    /// Why it may hold unsafe code; `None` where every root of it forbids that.
    holds_unsafe: Option<&'static str>,
}

pub(crate) const CRATES: &[CrateRule] = &[
    CrateRule {
        name: "keylane-cpu",
        ours: &[],
        // The test kit uses the crates it tests: cargo allows such a circle for tests.
        ours_in_tests: &["keylane-testkit"],
        others: Some(&[]),
        holds_unsafe: Some("it talks to the CPU"),
    },
    CrateRule {
        name: "keylane",
        ours: &["keylane-cpu"],
        // Itself, with the feature that its tests need.
        ours_in_tests: &["keylane", "keylane-testkit"],
        // What a user of the library has to trust stays this short; the traits are for those who ask for them.
        others: Some(&["aead?", "cipher?", "digest?", "universal-hash?", "zeroize"]),
        holds_unsafe: None,
    },
    CrateRule {
        name: "keylane-testkit",
        ours: &["keylane", "keylane-cpu"],
        ours_in_tests: &[],
        others: None,
        holds_unsafe: None,
    },
    CrateRule {
        name: "keylane-cli",
        ours: &["keylane", "keylane-cpu", "keylane-file", "keylane-tls", "keylane-tls-testkit"],
        ours_in_tests: &["keylane-testkit"],
        others: None,
        holds_unsafe: None,
    },
    CrateRule {
        name: "keylane-boundary",
        ours: &["keylane", "keylane-cpu"],
        ours_in_tests: &[],
        others: Some(&[]),
        holds_unsafe: Some("C's pointers"),
    },
    CrateRule {
        name: "keylane-ffi",
        ours: &["keylane", "keylane-boundary"],
        ours_in_tests: &[],
        others: Some(&[]),
        holds_unsafe: Some(
            "the attribute of an exported function, and nothing else: its tests read the sources",
        ),
    },
    CrateRule {
        name: "keylane-poly1305",
        ours: &["keylane", "keylane-boundary"],
        ours_in_tests: &[],
        others: Some(&[]),
        holds_unsafe: Some("as keylane-ffi, whose tests read its sources"),
    },
    CrateRule {
        name: "keylane-file",
        ours: &["keylane", "keylane-cpu"],
        ours_in_tests: &[],
        // For passphrases; the salts; what wipes the first one's memory.
        others: Some(&["argon2", "getrandom", "zeroize"]),
        holds_unsafe: None,
    },
    CrateRule {
        name: "keylane-c",
        ours: &["keylane", "keylane-boundary"],
        ours_in_tests: &[],
        others: Some(&[]),
        holds_unsafe: Some("it is keylane-ffi"),
    },
    CrateRule {
        name: "keylane-fuzz",
        ours: &["keylane", "keylane-file", "keylane-fuzz-c", "keylane-testkit", "keylane-tls-testkit"],
        ours_in_tests: &[],
        others: None,
        holds_unsafe: None,
    },
    CrateRule {
        name: "keylane-fuzz-c",
        ours: &["keylane-c"],
        ours_in_tests: &["keylane-testkit"],
        others: None,
        holds_unsafe: Some("it is the C program"),
    },
    CrateRule {
        name: "keylane-python",
        ours: &["keylane", "keylane-cpu"],
        ours_in_tests: &[],
        others: Some(&["pyo3"]),
        holds_unsafe: Some("Python's buffers"),
    },
    CrateRule {
        name: "keylane-tls",
        ours: &["keylane", "keylane-cpu"],
        // Itself, with the feature that its tests need.
        ours_in_tests: &["keylane-testkit", "keylane-tls", "keylane-tls-testkit"],
        // The asymmetric half and the runtime of those who want them, and nothing else.
        others: Some(&["rustls", "tokio", "zeroize"]),
        holds_unsafe: None,
    },
    CrateRule {
        name: "keylane-tls-testkit",
        ours: &["keylane", "keylane-tls"],
        ours_in_tests: &[],
        others: None,
        holds_unsafe: None,
    },
    CrateRule {
        name: "keylane-examples",
        ours: &["keylane", "keylane-tls"],
        ours_in_tests: &[],
        others: None,
        holds_unsafe: None,
    },
    CrateRule { name: "xtask", ours: &[], ours_in_tests: &[], others: None, holds_unsafe: None },
];

/// The modules of `keylane` by height, with the reason for the place. A module may use what stands lower, and itself.
pub(crate) const RANKS: &[(u8, &[&str], &str)] = &[
    (0, &["error"], "every module can fail"),
    (1, &["backend", "blocks", "constant_time", "secret", "unroll"], "what every primitive is made from"),
    (2, &["compression"], "what SHA-1 and SHA-2 have in common"),
    (3, &["function"], "the trait Hash; it names compression functions, no hash"),
    (4, &["sha1", "sha2", "aes", "ghash", "poly1305", "chacha20"], "primitives do not know each other"),
    (5, &["aes_ctr", "aead"], "counter mode is AES and a counter; what all AEADs share"),
    (6, &["hmac", "aes_gcm", "chacha20poly1305"], "constructions over primitives and the hash trait"),
    (7, &["hkdf", "pbkdf2"], "constructions over HMAC"),
    (7, &["stream"], "a construction over AEADs"),
    (8, &["hash"], "hashes that are chosen at run time: all of them, and all constructions over them"),
    (8, &["operations"], "what benchmarks and fuzzers run: everything below"),
    (8, &["rustcrypto"], "other people's traits on everything below; nothing here needs them"),
    (9, &["primitives", "self_test"], "the list of all primitives and what is run on them"),
];

/// The edges that go up, one by one. One that is no longer needed fails too.
pub(crate) const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// A rule that was broken, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    path: PathBuf,
    line: usize,
    rule: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.rule)
    }
}

pub(crate) fn run(root: &Path) -> Result<()> {
    let packages = crates::read(root)?;
    let sources = sources::read(root, Path::new("crates/keylane/src"))?;
    let mut violations = crates::check(&packages, CRATES);
    let found = modules::check(&sources, RANKS, EXCEPTIONS)?;
    violations.extend(found.violations);
    for violation in &violations {
        eprintln!("{violation}");
    }
    if !violations.is_empty() {
        bail!("{}; the rules are in xtask/src/layers.rs", steps::count(violations.len(), "violation"));
    }
    println!(
        "layers: {}, {} of keylane, {} between modules, none forbidden",
        steps::count(packages.len(), "crate"),
        steps::count(sources.len(), "file"),
        steps::count(found.edges, "reference"),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The repository itself obeys, tables included: no module twice, every exception goes up.
    #[test]
    fn the_real_tree_passes() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert_eq!(crates::check(&crates::read(root).unwrap(), CRATES), []);
        let sources = sources::read(root, Path::new("crates/keylane/src")).unwrap();
        let found = modules::check(&sources, RANKS, EXCEPTIONS).unwrap();
        assert_eq!(found.violations, []);
        assert!(found.edges > 20, "the scan finds the references that are there");
    }

    #[test]
    fn the_tables_are_consistent() {
        let rank = |module: &str| {
            let rows: Vec<_> = RANKS.iter().filter(|row| row.1.contains(&module)).collect();
            assert_eq!(rows.len(), 1, "{module}");
            rows[0].0
        };
        for module in RANKS.iter().flat_map(|row| row.1) {
            rank(module);
        }
        for (from, to, _) in EXCEPTIONS {
            assert!(rank(from) <= rank(to), "{from} may use {to} without an exception");
        }
    }
}
