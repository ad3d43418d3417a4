//! Edges between the top modules of `keylane`.

use super::Violation;
use super::paths::{self, Named};
use crate::sources::Source;
use anyhow::{Result, anyhow};
use std::collections::{HashMap, HashSet};

pub(crate) struct Checked {
    pub(crate) violations: Vec<Violation>,
    /// How many references between modules there are.
    pub(crate) edges: usize,
}

/// Every broken rule. The crate's root may use everything.
pub(crate) fn check(
    sources: &[Source],
    ranks: &[(u8, &[&str], &str)],
    exceptions: &[(&str, &str, &str)],
) -> Result<Checked> {
    let rank = |module: &str| ranks.iter().find(|row| row.1.contains(&module)).map(|row| row.0);
    let reexports = reexports(sources)?;
    let modules: HashSet<_> = sources.iter().filter_map(|source| source.module.first()).collect();
    let mut checked = Checked { violations: Vec::new(), edges: 0 };
    let mut used = HashSet::new();
    let (mut declared, mut test_modules) = (HashSet::from([Vec::new()]), HashSet::new());
    // A file that another declares for tests alone stands after it in the order of paths or before: find them first.
    let mut scanned = Vec::new();
    for source in sources {
        let tokens = source.text.parse().map_err(|error| anyhow!("{}: {error}", source.path.display()))?;
        let found = paths::scan(tokens, &source.module);
        declared.extend(found.declared);
        test_modules.extend(found.test_modules);
        scanned.push((source, found.references));
    }
    for (source, references) in scanned {
        if (1..=source.module.len()).any(|depth| test_modules.contains(&source.module[..depth])) {
            continue;
        }
        let mut broken = |line, rule| {
            checked.violations.push(Violation { path: source.path.clone(), line, rule });
        };
        if !declared.contains(&source.module) {
            broken(1, "no `mod` declares this file: it is not compiled".to_owned());
            continue;
        }
        let from = source.module.first();
        if let Some(from) = from
            && source.module.len() == 1
            && rank(from).is_none()
        {
            broken(1, format!("the module {from} has no rank: give it a place in RANKS"));
        }
        for reference in references {
            let line = reference.line;
            let name = match reference.what {
                Named::InRoot(name) => name,
                Named::Intrinsics => {
                    broken(line, "intrinsics are keylane-cpu's alone: go through its lanes".to_owned());
                    continue;
                }
            };
            let Some(from) = from else { continue };
            let Some(to) = modules.get(&name).copied().or_else(|| reexports.get(&name)) else {
                broken(line, format!("{from} uses crate::{name}: name the module that it comes from"));
                continue;
            };
            if from == to {
                continue;
            }
            checked.edges += 1;
            if let Some(row) = exceptions.iter().position(|row| row.0 == from && row.1 == to) {
                used.insert(row);
                continue;
            }
            // A module without a rank is reported once, above.
            if let (Some(low), Some(high)) = (rank(from), rank(to))
                && low <= high
            {
                broken(line, format!("{from} (rank {low}) must not use {to} (rank {high})"));
            }
        }
    }
    for (row, (from, to, _)) in exceptions.iter().enumerate() {
        if !used.contains(&row) {
            let path = "xtask/src/layers.rs".into();
            let rule = format!("{from} no longer uses {to}: take the exception out");
            checked.violations.push(Violation { path, line: 1, rule });
        }
    }
    Ok(checked)
}

/// Which module each name comes from that the root exports: `pub use error::Error`.
fn reexports(sources: &[Source]) -> Result<HashMap<String, String>> {
    let mut names = HashMap::new();
    for root in sources.iter().filter(|source| source.module.is_empty()) {
        let file =
            syn::parse_file(&root.text).map_err(|error| anyhow!("{}: {error}", root.path.display()))?;
        for item in file.items {
            if let syn::Item::Use(item) = item
                && let syn::UseTree::Path(path) = item.tree
            {
                leaves(&path.tree, &path.ident.to_string(), &mut names);
            }
        }
    }
    Ok(names)
}

fn leaves(tree: &syn::UseTree, module: &str, names: &mut HashMap<String, String>) {
    match tree {
        syn::UseTree::Path(path) => leaves(&path.tree, module, names),
        syn::UseTree::Name(name) => drop(names.insert(name.ident.to_string(), module.to_owned())),
        syn::UseTree::Rename(rename) => drop(names.insert(rename.rename.to_string(), module.to_owned())),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, module, names)),
        syn::UseTree::Glob(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::module_of;
    use std::path::{Path, PathBuf};

    const RANKS: &[(u8, &[&str], &str)] =
        &[(0, &["error"], ""), (1, &["backend"], ""), (4, &["sha1", "sha2"], ""), (6, &["hmac"], "")];
    const ROOT: &str =
        "mod error; mod backend; pub mod sha1; pub mod sha2; pub mod hmac; pub use error::Error;";

    fn broken(files: &[(&str, &str)], exceptions: &[(&str, &str, &str)]) -> Vec<String> {
        let mut files = files.to_vec();
        for file in ["error.rs", "backend.rs", "sha1.rs", "sha2.rs", "hmac.rs"] {
            if !files.iter().any(|(path, _)| *path == file) {
                files.push((file, ""));
            }
        }
        if !files.iter().any(|(path, _)| *path == "lib.rs") {
            files.push(("lib.rs", ROOT));
        }
        let sources: Vec<_> = files
            .iter()
            .map(|(path, text)| Source {
                path: PathBuf::from(path),
                module: module_of(Path::new(path)),
                text: (*text).to_owned(),
            })
            .collect();
        let checked = check(&sources, RANKS, exceptions).unwrap();
        checked.violations.iter().map(Violation::to_string).collect()
    }

    #[test]
    fn a_tree_that_obeys_passes() {
        let files = [
            ("backend.rs", "use crate::error::Error;"),
            ("sha1.rs", "use crate::{Error, backend}; mod lanes;"),
            ("sha1/lanes.rs", "use super::Compression1; use crate::sha1::K; use super::super::error;"),
            ("hmac.rs", "use crate::sha1::Sha1;"),
        ];
        assert_eq!(broken(&files, &[]), [""; 0]);
    }

    #[test]
    fn an_edge_that_goes_up_fails() {
        let rule = "backend (rank 1) must not use hmac (rank 6)";
        assert_eq!(
            broken(&[("backend.rs", "\nuse crate::hmac::Key;")], &[]),
            [format!("backend.rs:2: {rule}")]
        );
        assert_eq!(broken(&[("backend.rs", "use super::hmac;")], &[]), [format!("backend.rs:1: {rule}")]);
        let hidden = "macro_rules! m { () => {\n $crate::hmac::Key } }";
        assert_eq!(broken(&[("backend.rs", hidden)], &[]), [format!("backend.rs:2: {rule}")]);
    }

    #[test]
    fn a_name_of_the_root_counts_as_its_module() {
        let found = broken(&[("error.rs", "use crate::backend::X;")], &[]);
        assert_eq!(found, ["error.rs:1: error (rank 0) must not use backend (rank 1)"]);
        assert_eq!(broken(&[("backend.rs", "use crate::Error;")], &[]), [""; 0]);
        let found = broken(&[("sha1.rs", "use crate::*;")], &[]);
        assert_eq!(found, ["sha1.rs:1: sha1 uses crate::*: name the module that it comes from"]);
    }

    #[test]
    fn an_edge_between_equals_fails() {
        let found = broken(&[("sha2.rs", "use crate::sha1::Sha1;")], &[]);
        assert_eq!(found, ["sha2.rs:1: sha2 (rank 4) must not use sha1 (rank 4)"]);
    }

    #[test]
    fn an_intrinsic_fails() {
        let found = broken(
            &[("sha2.rs", "mod x86;"), ("sha2/x86.rs", "// core::arch\nuse core::arch::x86_64::__m128i;")],
            &[],
        );
        assert_eq!(found, ["sha2/x86.rs:2: intrinsics are keylane-cpu's alone: go through its lanes"]);
    }

    #[test]
    fn a_module_without_a_rank_fails() {
        let root = format!("{ROOT} mod blake3;");
        let found = broken(&[("blake3.rs", ""), ("lib.rs", &root)], &[]);
        assert_eq!(found, ["blake3.rs:1: the module blake3 has no rank: give it a place in RANKS"]);
    }

    #[test]
    fn a_file_that_is_no_module_fails() {
        let expected = "sha1/tests.rs:1: no `mod` declares this file: it is not compiled";
        assert_eq!(broken(&[("sha1/tests.rs", "use crate::hmac;")], &[]), [expected]);
    }

    #[test]
    fn an_exception_allows_its_edge_and_must_be_needed() {
        let exceptions = [("backend", "hmac", "a reason")];
        assert_eq!(broken(&[("backend.rs", "use crate::hmac::Key;")], &exceptions), [""; 0]);
        let found = broken(&[], &exceptions);
        assert_eq!(found, ["xtask/src/layers.rs:1: backend no longer uses hmac: take the exception out"]);
    }

    #[test]
    fn tests_may_look_anywhere() {
        let inline = ("backend.rs", "#[cfg(test)] mod tests { use crate::hmac::Key; }");
        assert_eq!(broken(&[inline], &[]), [""; 0]);
        let files =
            [("backend.rs", "#[cfg(test)]\nmod tests;"), ("backend/tests.rs", "use crate::hmac::Key;")];
        assert_eq!(broken(&files, &[]), [""; 0]);
    }
}
