//! Checks that neither files nor folders import each other in a circle, in any crate. Cargo checks this for
//! crates, but not for modules.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

type Module = Vec<String>;

#[test]
fn no_module_imports_another_in_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let list = Command::new("git").args(["ls-files", "*.rs"]).current_dir(root).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let files: Vec<&str> = list.lines().filter(|file| root.join(file).is_file()).collect();
    let is_root = |name: &str| ["lib.rs", "main.rs"].contains(&name);
    // A crate's folder is that of its root.
    let roots = files.iter().filter_map(|file| file.rsplit_once('/').filter(|(_, name)| is_root(name)));
    let folders: BTreeSet<&str> = roots.map(|(folder, _)| folder).collect();
    let mut crates: BTreeMap<&str, BTreeMap<Module, TokenStream>> = BTreeMap::new();
    for file in files {
        let within = |folder: &&&str| file.strip_prefix(**folder).is_some_and(|rest| rest.starts_with('/'));
        let Some(folder) = folders.iter().filter(within).max_by_key(|folder| folder.len()) else { continue };
        let path = &file[folder.len() + 1..];
        let parts = path.trim_end_matches(".rs").split('/').map(str::to_owned);
        let module: Module = parts.filter(|part| part != "mod").collect();
        // Unit tests import what they test.
        if module.iter().any(|part| part == "tests") {
            continue;
        }
        let module = if is_root(path) { Module::new() } else { module };
        let tokens: TokenStream = fs::read_to_string(root.join(file)).unwrap().parse().unwrap();
        crates.entry(folder).or_default().entry(module).or_default().extend(tokens);
    }
    assert!(crates.len() > 20, "git lists {} crates", crates.len());
    let circular = crates.into_iter().map(|(folder, modules)| {
        let imports = imports(modules);
        (folder, [circular(of_folders(&imports)), circular(imports)].concat())
    });
    let circular: Vec<_> = circular.filter(|(_, modules)| !modules.is_empty()).collect();
    assert!(circular.is_empty(), "modules that import each other: {circular:#?}");
}

/// Returns what modules that lie side by side import of each other. A folder imports what its files import.
fn of_folders(imports: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut folders: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    let pairs = imports.iter().flat_map(|(module, imported)| imported.iter().map(move |it| (module, it)));
    for (module, imported) in pairs {
        let common = module.iter().zip(imported).take_while(|(a, b)| a == b).count();
        if common < module.len().min(imported.len()) {
            folders.entry(module[..=common].into()).or_default().insert(imported[..=common].into());
        }
    }
    folders
}

/// Returns the files of the same crate that each file imports. What the crate's root has from a file is that
/// file's; the root itself may import everything.
fn imports(mut modules: BTreeMap<Module, TokenStream>) -> BTreeMap<Module, BTreeSet<Module>> {
    let of_root = used(modules.remove(&Module::new()).unwrap_or_default());
    let named = of_root.into_iter().filter_map(|path| Some((path.last()?.clone(), path)));
    let passed_on: BTreeMap<String, Module> = named.collect();
    let file = |mut path: Module| {
        let first = path.first().filter(|name| !modules.contains_key(std::slice::from_ref(*name)));
        if let Some(meant) = first.and_then(|name| passed_on.get(name)) {
            path.clone_from(meant);
        }
        (1..=path.len()).rev().map(|n| path[..n].to_vec()).find(|it| modules.contains_key(it))
    };
    let of = |(module, tokens): (&Module, &TokenStream)| {
        let files = paths(tokens.clone(), module, None).into_iter().filter_map(file);
        (module.clone(), files.filter(|it| it != module).collect())
    };
    modules.iter().map(of).collect()
}

/// Returns the paths of `use` items, as they are written.
fn used(tokens: TokenStream) -> Vec<Module> {
    let (mut paths, mut item) = (Vec::new(), None);
    for token in tokens {
        match (&mut item, &*token.to_string()) {
            (item, "use") => *item = Some(TokenStream::new()),
            // No file of the root's, or no item: `impl Trait + use<>`.
            (Some(begun), "crate" | "super" | "<") if begun.is_empty() => item = None,
            (Some(_), ";") => {
                let item = item.take().expect("it is there");
                paths.extend(self::paths(item, &[], Some(Module::new())));
            }
            (Some(item), _) => item.extend([token]),
            (None, _) => {}
        }
    }
    paths
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

#[test]
fn a_circle_is_found_and_a_chain_is_not() {
    let module = |name: &str| vec![name.to_owned()];
    let imports = |text: &str| {
        let found = paths(text.parse().unwrap(), &module("a"), None);
        found.into_iter().map(|path| path[..1].to_vec()).collect()
    };
    let a = imports("use crate::{b::{self, X}, c::Y}; fn f() { super::d::g() } mod tests { use crate::e; }");
    assert_eq!(a, ["b", "c", "d"].map(module).into());
    let mut graph = [(module("a"), a), (module("b"), imports("use crate::c;"))].into();
    assert!(circular(Clone::clone(&graph)).is_empty());
    graph.insert(module("d"), imports("crate::a::f()"));
    assert_eq!(circular(graph), ["a", "d"]);
    // Through two files of one folder.
    let path = |path: &str| path.split("::").map(str::to_owned).collect::<Module>();
    let graph = [("a::b", "c"), ("c", "a::d"), ("a::d", "a::e")];
    let graph = graph.map(|(from, to)| (path(from), [path(to)].into())).into();
    assert!(circular(Clone::clone(&graph)).is_empty());
    assert_eq!(circular(of_folders(&graph)), ["a", "c"]);
}
