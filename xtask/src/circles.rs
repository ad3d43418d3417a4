//! Files of one crate that import each other, in a circle: cargo sees to crates, nothing to files.

use crate::command::{output, program, root};
use anyhow::{Result, anyhow, ensure};
use proc_macro2::token_stream::IntoIter;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::iter::Peekable;

const CRATES: [&str; 4] = ["keylane", "keylane-tls", "keylane-ffi", "keylane-cli"];

type Module = Vec<String>;
type Imports = BTreeMap<Module, BTreeSet<Module>>;

pub(crate) fn run() -> Result<()> {
    let mut circles = Vec::new();
    for name in CRATES {
        let src = format!("crates/{name}/src/");
        let mut modules: BTreeMap<Module, TokenStream> = BTreeMap::new();
        for file in
            output(program("git").args(["ls-files", "--", &src]))?.lines().filter(|it| it.ends_with(".rs"))
        {
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
        let mut imports = Imports::new();
        for (module, tokens) in &modules {
            let mut paths = Vec::new();
            scan(tokens.clone(), module, &mut paths);
            let file = |path: Module| {
                (1..=path.len()).rev().find_map(|n| Some(modules.get_key_value(&path[..n])?.0.clone()))
            };
            imports.insert(
                module.clone(),
                paths.into_iter().filter_map(file).filter(|it| it != module).collect(),
            );
        }
        ensure!(imports.values().any(|it| !it.is_empty()), "{name}: no file imports another");
        circles.extend(circular(&imports).into_iter().map(|circle| format!("{name}: {circle}")));
    }
    ensure!(circles.is_empty(), "files that import each other:\n{}", circles.join("\n"));
    Ok(())
}

/// Adds the paths that begin with `crate`, `super` or `self`, from the crate's root, outside of unit tests.
/// What a module takes from those below it is its own.
fn scan(tokens: TokenStream, module: &Module, paths: &mut Vec<Module>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "mod" => {
                let tests = tokens.next().is_some_and(|name| name.to_string() == "tests");
                if tests {
                    tokens.next();
                }
            }
            TokenTree::Ident(word) if word == "crate" || word == "super" => {
                let start = if word == "crate" { Module::new() } else { parent(module) };
                if separator(&mut tokens) {
                    follow(&mut tokens, start, paths);
                }
            }
            TokenTree::Group(group) => scan(group.stream(), module, paths),
            _ => {}
        }
    }
}

type Tokens = Peekable<IntoIter>;

fn follow(tokens: &mut Tokens, mut path: Module, paths: &mut Vec<Module>) {
    loop {
        match tokens.peek() {
            Some(TokenTree::Ident(word)) if word == "super" => path = parent(&path),
            Some(TokenTree::Ident(word)) => path.push(word.to_string()),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let mut inner = group.stream().into_iter().peekable();
                while inner.peek().is_some() {
                    follow(&mut inner, path.clone(), paths);
                    while inner.next().is_some_and(|token| token.to_string() != ",") {}
                }
                return;
            }
            _ => return paths.push(path),
        }
        tokens.next();
        if !separator(tokens) {
            return paths.push(path);
        }
    }
}

fn separator(tokens: &mut Tokens) -> bool {
    let colon = |token: &TokenTree| token.to_string() == ":";
    tokens.next_if(colon).is_some() && tokens.next_if(colon).is_some()
}

fn parent(module: &Module) -> Module {
    module[..module.len().saturating_sub(1)].to_vec()
}

/// Returns the sets of modules that reach each other.
fn circular(imports: &Imports) -> BTreeSet<String> {
    let reach = |from: &Module| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(module) = next.pop() {
            next.extend(imports.get(module).into_iter().flatten().filter(|it| reached.insert((*it).clone())));
        }
        reached
    };
    let reached: BTreeMap<_, _> = imports.keys().map(|module| (module, reach(module))).collect();
    let circle = |module: &Module| -> Vec<String> {
        let back = reached[module].iter().filter(|it| reached.get(it).is_some_and(|it| it.contains(module)));
        back.map(|it| it.join("::")).collect()
    };
    imports.keys().map(circle).filter(|it| it.len() > 1).map(|it| it.join(", ")).collect()
}

#[cfg(test)]
mod tests {
    use super::{circular, scan};

    #[test]
    fn a_circle_is_found_and_a_chain_is_not() {
        let module = |name: &str| vec![name.to_owned()];
        let imports = |text: &str| {
            let mut paths = Vec::new();
            scan(text.parse().unwrap(), &module("a"), &mut paths);
            paths.into_iter().map(|path| path[..1].to_vec()).collect()
        };
        let a =
            imports("use crate::{b::{self, X}, c::Y}; fn f() { super::d::g() } mod tests { use crate::e; }");
        assert_eq!(a, ["b", "c", "d"].map(module).into());
        let mut graph = [(module("a"), a), (module("b"), imports("use crate::c;"))].into();
        assert!(circular(&graph).is_empty());
        graph.insert(module("d"), imports("crate::a::f()"));
        assert_eq!(circular(&graph), ["a, d".to_owned()].into());
    }
}
