//! Edges between crates, and which crates may hold unsafe code.

use super::{CrateRule, Violation};
use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, MetadataCommand, TargetKind};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A crate of the workspace, as far as the rules look at it.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    /// The roots of its library and its programs: where they lie, and their text.
    pub(crate) roots: Vec<(PathBuf, String)>,
}

pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) for_tests: bool,
    pub(crate) optional: bool,
}

/// The workspace's crates.
pub(crate) fn read(root: &Path) -> Result<Vec<Package>> {
    let metadata = MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let from_root = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_owned();
    let mut packages = Vec::new();
    for package in metadata.workspace_packages() {
        let dependencies = package.dependencies.iter().map(|dependency| Dependency {
            name: dependency.name.clone(),
            for_tests: dependency.kind == DependencyKind::Development,
            optional: dependency.optional,
        });
        let mut roots = Vec::new();
        for target in &package.targets {
            let tests = [TargetKind::Test, TargetKind::Bench, TargetKind::Example];
            if !target.kind.iter().any(|kind| tests.contains(kind)) {
                let path = target.src_path.as_std_path();
                let text =
                    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
                roots.push((from_root(path), text));
            }
        }
        packages.push(Package {
            name: package.name.to_string(),
            manifest: from_root(package.manifest_path.as_std_path()),
            dependencies: dependencies.collect(),
            roots,
        });
    }
    Ok(packages)
}

/// Every broken rule.
pub(crate) fn check(packages: &[Package], rules: &[CrateRule]) -> Vec<Violation> {
    let ours: HashSet<_> = packages.iter().map(|package| package.name.as_str()).collect();
    let mut violations = Vec::new();
    let mut broken =
        |path: &Path, rule: String| violations.push(Violation { path: path.to_owned(), line: 1, rule });
    for package in packages {
        let name = &package.name;
        let Some(rule) = rules.iter().find(|rule| rule.name == name) else {
            broken(&package.manifest, format!("the crate {name} has no rule: give it a row in CRATES"));
            continue;
        };
        for Dependency { name: used, for_tests, optional } in &package.dependencies {
            let used_by_choice = format!("{used}?");
            let listed = |others: &[&str]| {
                others.contains(&used.as_str()) || *optional && others.contains(&used_by_choice.as_str())
            };
            let allowed = if ours.contains(used.as_str()) {
                rule.ours.contains(&used.as_str())
                    || *for_tests && rule.ours_in_tests.contains(&used.as_str())
            } else {
                *for_tests || rule.others.is_none_or(listed)
            };
            if !allowed {
                let where_to = if *for_tests { "in tests" } else { "as a dependency" };
                broken(&package.manifest, format!("{name} must not use {used} {where_to}"));
            }
        }
        for (path, text) in &package.roots {
            if rule.holds_unsafe.is_none() && !forbids_unsafe(text) {
                broken(path, format!("{name} must have #![forbid(unsafe_code)] at its root"));
            }
        }
    }
    violations
}

/// Whether a crate's root forbids unsafe code, without conditions.
fn forbids_unsafe(text: &str) -> bool {
    let Ok(file) = syn::parse_file(text) else { return false };
    file.attrs.iter().any(|attribute| {
        attribute.path().is_ident("forbid")
            && attribute.parse_args::<syn::Path>().is_ok_and(|lint| lint.is_ident("unsafe_code"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[CrateRule] = &[
        CrateRule {
            name: "low",
            ours: &[],
            ours_in_tests: &[],
            others: Some(&[]),
            holds_unsafe: Some("it may"),
        },
        CrateRule {
            name: "high",
            ours: &["low"],
            ours_in_tests: &["kit"],
            others: Some(&["digest?", "zeroize"]),
            holds_unsafe: None,
        },
        CrateRule { name: "kit", ours: &["high"], ours_in_tests: &[], others: None, holds_unsafe: None },
    ];
    const SAFE: &str = "//! A crate.\n#![forbid(unsafe_code)]\n";

    fn package(name: &str, uses: &[&str], uses_in_tests: &[&str], root: &str) -> Package {
        // As in the rules: a question mark behind the name of what is optional.
        let dependency = |for_tests| {
            move |name: &&str| {
                let (name, optional) = name.strip_suffix('?').map_or((*name, false), |name| (name, true));
                Dependency { name: name.to_owned(), for_tests, optional }
            }
        };
        Package {
            name: name.to_owned(),
            manifest: PathBuf::from(format!("{name}/Cargo.toml")),
            dependencies: uses
                .iter()
                .map(dependency(false))
                .chain(uses_in_tests.iter().map(dependency(true)))
                .collect(),
            roots: vec![(PathBuf::from(format!("{name}/src/lib.rs")), root.to_owned())],
        }
    }

    fn broken(low: Package, high: Package, kit: Package) -> Vec<String> {
        check(&[low, high, kit], RULES).iter().map(Violation::to_string).collect()
    }

    #[test]
    fn a_tree_that_obeys_passes() {
        let low = package("low", &[], &["proptest"], "unsafe fn f() {}");
        let high = package("high", &["low", "digest?", "zeroize"], &["kit", "sha2"], SAFE);
        assert_eq!(broken(low, high, package("kit", &["high", "serde_json"], &[], SAFE)), [""; 0]);
    }

    #[test]
    fn an_edge_that_goes_up_fails() {
        let low = package("low", &["high"], &[], SAFE);
        let found = broken(low, package("high", &[], &[], SAFE), package("kit", &[], &[], SAFE));
        assert_eq!(found, ["low/Cargo.toml:1: low must not use high as a dependency"]);
    }

    #[test]
    fn a_test_dependency_that_ships_fails() {
        let high = package("high", &["kit"], &[], SAFE);
        let found = broken(package("low", &[], &[], SAFE), high, package("kit", &[], &[], SAFE));
        assert_eq!(found, ["high/Cargo.toml:1: high must not use kit as a dependency"]);
    }

    #[test]
    fn a_foreign_dependency_fails() {
        let high = package("high", &["libc"], &[], SAFE);
        let found = broken(package("low", &[], &[], SAFE), high, package("kit", &[], &[], SAFE));
        assert_eq!(found, ["high/Cargo.toml:1: high must not use libc as a dependency"]);
    }

    #[test]
    fn an_optional_dependency_that_became_mandatory_fails() {
        let high = package("high", &["digest"], &[], SAFE);
        let found = broken(package("low", &[], &[], SAFE), high, package("kit", &[], &[], SAFE));
        assert_eq!(found, ["high/Cargo.toml:1: high must not use digest as a dependency"]);
    }

    #[test]
    fn a_root_that_allows_unsafe_code_fails() {
        for root in ["", "// #![forbid(unsafe_code)]", "#![deny(unsafe_code)]", "#![forbid(missing_docs)]"] {
            let high = package("high", &[], &[], root);
            let found = broken(package("low", &[], &[], ""), high, package("kit", &[], &[], SAFE));
            assert_eq!(found, ["high/src/lib.rs:1: high must have #![forbid(unsafe_code)] at its root"]);
        }
    }

    #[test]
    fn a_crate_without_a_rule_fails() {
        let found = check(&[package("new", &[], &[], SAFE)], RULES);
        assert_eq!(
            found[0].to_string(),
            "new/Cargo.toml:1: the crate new has no rule: give it a row in CRATES"
        );
    }
}
