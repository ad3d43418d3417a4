//! A step of `cargo xtask check`: files of one crate that import each other, in a circle. Cargo sees to crates,
//! nothing to files.

use crate::command::{output, program, root};
use anyhow::{Result, anyhow, ensure};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const CRATES: [&str; 4] = ["keylane", "keylane-tls", "keylane-ffi", "keylane-cli"];

type Module = Vec<String>;

pub(crate) fn run() -> Result<()> {
    for name in CRATES {
        let src = format!("crates/{name}/src/");
        let mut modules: BTreeMap<Module, TokenStream> = BTreeMap::new();
        for file in output(program("git").args(["ls-files", "--", &format!("{src}*.rs")]))?.lines() {
            let path = file.trim_start_matches(&src).trim_end_matches(".rs").split('/').map(str::to_owned);
            let module: Module = path.filter(|part| part != "mod").collect();
            // The crate's root may import everything, and tests do.
            let is_root = module.len() == 1 && ["lib", "main"].contains(&&*module[0]);
            if is_root || module.iter().any(|part| part == "tests") {
                continue;
            }
            let Ok(text) = fs::read_to_string(root().join(file)) else { continue };
            modules.insert(module, text.parse().map_err(|error| anyhow!("{file}: {error}"))?);
        }
        let file = |path: Module| {
            (1..=path.len()).rev().map(|n| path[..n].to_vec()).find(|it| modules.contains_key(it))
        };
        let imports: BTreeMap<Module, BTreeSet<Module>> = modules
            .iter()
            .map(|(module, tokens)| {
                let files = paths(tokens.clone(), module, None).into_iter().filter_map(file);
                (module.clone(), files.filter(|it| it != module).collect())
            })
            .collect();
        ensure!(imports.values().any(|it| !it.is_empty()), "{name}: no file imports another");
        let circular = circular(imports);
        ensure!(circular.is_empty(), "{name}: files that import each other: {circular:?}");
    }
    Ok(())
}

/// Returns the paths that begin with `crate` or `super`, from the crate's root, outside of unit tests. What a
/// module takes from those below it is its own. `start` is the path that braces follow.
fn paths(tokens: TokenStream, module: &[String], start: Option<Module>) -> Vec<Module> {
    let (mut paths, mut path, mut last) = (Vec::new(), start.clone(), String::new());
    let mut is_tests = false;
    for token in tokens {
        let word = token.to_string();
        match (token, &*word) {
            (TokenTree::Ident(_), "crate") => paths.extend(path.replace(Module::new())),
            (TokenTree::Ident(_), "super") if last != ":" => {
                paths.extend(path.replace(module[..module.len() - 1].to_vec()));
            }
            (TokenTree::Ident(_), "super") => path = path.map(|it| it[..it.len().saturating_sub(1)].to_vec()),
            (TokenTree::Ident(_), name) => {
                is_tests = last == "mod" && name == "tests";
                path.iter_mut().for_each(|path| path.push(name.to_owned()));
            }
            (TokenTree::Group(_), _) if is_tests => is_tests = false,
            (TokenTree::Group(group), _) => {
                let (of_braces, done) = if last == ":" { (path, None) } else { (None, path) };
                paths.extend(done);
                paths.extend(self::paths(group.stream(), module, of_braces));
                path = None;
            }
            (_, ":") => {}
            _ => paths.extend(std::mem::replace(&mut path, start.clone())),
        }
        last = word;
    }
    paths.extend(path);
    // After the last comma nothing may come.
    paths.retain(|path| Some(path) != start.as_ref());
    paths
}

/// Returns the modules that are left when those are taken away, again and again, that import none or that
/// none imports.
fn circular(mut imports: BTreeMap<Module, BTreeSet<Module>>) -> Vec<String> {
    loop {
        let (left, before) = (imports.clone(), imports.len());
        imports.retain(|module, imported| {
            imported.iter().any(|it| left.contains_key(it)) && left.values().any(|it| it.contains(module))
        });
        if imports.len() == before {
            return left.into_keys().map(|it| it.join("::")).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{circular, paths};

    #[test]
    fn a_circle_is_found_and_a_chain_is_not() {
        let module = |name: &str| vec![name.to_owned()];
        let imports = |text: &str| {
            let found = paths(text.parse().unwrap(), &module("a"), None);
            found.into_iter().map(|path| path[..1].to_vec()).collect()
        };
        let a =
            imports("use crate::{b::{self, X}, c::Y}; fn f() { super::d::g() } mod tests { use crate::e; }");
        assert_eq!(a, ["b", "c", "d"].map(module).into());
        let mut graph = [(module("a"), a), (module("b"), imports("use crate::c;"))].into();
        assert!(circular(Clone::clone(&graph)).is_empty());
        graph.insert(module("d"), imports("crate::a::f()"));
        assert_eq!(circular(graph), ["a", "d"]);
    }
}
