//! Which kernels there must be, from the source: every `.run(` in an implementation of a trait `…Kernel`.

use crate::sources::Source;
use anyhow::{Result, anyhow, bail};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What names a kernel in the source and in a symbol alike: paths are cut to their last names, the trait's to its last
/// two, as many primitives call theirs `Kernel`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kernel {
    /// The instruction set's type: `ShaNi`.
    pub(crate) isa: String,
    /// The trait with the module that has it and its arguments: `compression::Kernel<Compression256>`.
    pub(crate) of: String,
    pub(crate) method: String,
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {}: {}", self.of, self.isa, self.method)
    }
}

/// The crate's own name, where a path has nothing between it and the trait.
const CRATE: &str = "keylane";

/// The kernels of `architecture`, and how often each calls `run`.
pub(crate) type Kernels = BTreeMap<Kernel, usize>;

/// Reads the crate. A set that stands in a list and runs nothing of its own is an error.
pub(crate) fn find(sources: &[Source], architecture: &str) -> Result<Kernels> {
    let mut found =
        Found { sources, architecture, scopes: Vec::new(), kernels: Kernels::new(), listed: BTreeSet::new() };
    found.file(&[])?;
    for (isa, of) in &found.listed {
        if !found.kernels.keys().any(|kernel| kernel.isa == *isa && kernel.of == *of) {
            bail!("{isa} is listed for {of}, but no method of an `impl {of} for {isa}` calls `run`");
        }
    }
    if found.listed.is_empty() {
        bail!("no list of implementations (`backends!`) found");
    }
    Ok(found.kernels)
}

struct Found<'a> {
    sources: &'a [Source],
    architecture: &'a str,
    /// For each module around what is read: the kernels' traits that it declares or imports, and the modules that have
    /// them.
    scopes: Vec<BTreeMap<String, String>>,
    kernels: Kernels,
    /// The sets that lists name, with the lists' traits.
    listed: BTreeSet<(String, String)>,
}

impl Found<'_> {
    fn file(&mut self, module: &[String]) -> Result<()> {
        let Some(source) = self.sources.iter().find(|source| source.module == module) else {
            bail!("no file for the module crate::{}", module.join("::"));
        };
        let file = syn::parse_file(&source.text)
            .map_err(|error| anyhow!("{}:{}: {error}", source.path.display(), error.span().start().line))?;
        self.items(&file.items, module)
    }

    fn items(&mut self, items: &[syn::Item], module: &[String]) -> Result<()> {
        self.scopes.push(scope(items, module));
        for item in items {
            match item {
                syn::Item::Mod(item) if self.is_compiled(&item.attrs) => {
                    let mut inside = module.to_vec();
                    inside.push(item.ident.to_string());
                    match &item.content {
                        Some((_, items)) => self.items(items, &inside)?,
                        None => self.file(&inside)?,
                    }
                }
                syn::Item::Impl(item) if self.is_compiled(&item.attrs) => self.implementation(item)?,
                syn::Item::Static(item) if self.is_compiled(&item.attrs) => {
                    self.lists(item.expr.to_token_stream())?;
                }
                _ => {}
            }
        }
        self.scopes.pop();
        Ok(())
    }

    /// The trait at `path`, with the module that has it.
    fn trait_at(&self, path: &str) -> Result<String> {
        let (module, names) = module_and_names(path);
        let module = match module.as_deref() {
            Some("crate") => CRATE,
            Some(module) if module != "super" && module != "self" => module,
            // Every module around: an inner one has the names of an outer one by `use super::*`.
            _ => {
                let name = names.split('<').next().unwrap_or_default();
                let Some(module) = self.scopes.iter().rev().find_map(|scope| scope.get(name)) else {
                    bail!(
                        "where the trait {path} is from cannot be seen: declare it or import it by its name"
                    );
                };
                module
            }
        };
        Ok(format!("{module}::{names}"))
    }

    /// Whether the `cfg`s hold on the architecture. Whatever else they ask is taken for true, tests excepted.
    fn is_compiled(&self, attributes: &[syn::Attribute]) -> bool {
        attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).all(|attribute| {
            attribute.parse_args::<syn::Meta>().map_or(true, |condition| self.holds(&condition))
        })
    }

    fn holds(&self, condition: &syn::Meta) -> bool {
        use syn::{Token, punctuated::Punctuated};
        match condition {
            syn::Meta::Path(name) => !name.is_ident("test"),
            syn::Meta::NameValue(pair) if pair.path.is_ident("target_arch") => {
                pair.value.to_token_stream().to_string().trim_matches('"') == self.architecture
            }
            syn::Meta::NameValue(_) => true,
            syn::Meta::List(list) => {
                let Ok(parts) = list.parse_args_with(Punctuated::<syn::Meta, Token![,]>::parse_terminated)
                else {
                    return true;
                };
                if list.path.is_ident("any") {
                    parts.iter().any(|part| self.holds(part))
                } else if list.path.is_ident("not") {
                    !parts.iter().any(|part| self.holds(part))
                } else {
                    parts.iter().all(|part| self.holds(part))
                }
            }
        }
    }

    fn implementation(&mut self, item: &syn::ItemImpl) -> Result<()> {
        let Some((path, _)) = &item.trait_ else { return Ok(()) };
        if !path.segments.last().is_some_and(|last| is_kernel(&last.ident)) {
            return Ok(());
        }
        let isa = last_names(&item.self_ty.to_token_stream().to_string());
        let of = self.trait_at(&path.to_token_stream().to_string())?;
        for method in &item.items {
            if let syn::ImplItem::Fn(method) = method {
                let runs = runs(method.block.to_token_stream());
                // The portable implementation enters no instruction set.
                if runs > 0 && isa != "Portable" {
                    let method = method.sig.ident.to_string();
                    *self.kernels.entry(Kernel { isa: isa.clone(), of: of.clone(), method }).or_default() +=
                        runs;
                }
            }
        }
        Ok(())
    }

    /// `backends!(name, self-test, dyn Kernel<…>: x86_64 [Avx512 from 6, …] aarch64 […] Portable)`
    fn lists(&mut self, tokens: TokenStream) -> Result<()> {
        let tokens: Vec<_> = tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            let TokenTree::Group(group) = token else { continue };
            let is_list = at >= 2
                && matches!(&tokens[at - 2], TokenTree::Ident(name) if name == "backends")
                && matches!(&tokens[at - 1], TokenTree::Punct(bang) if bang.as_char() == '!');
            if !is_list {
                self.lists(group.stream())?;
                continue;
            }
            let words: Vec<_> = group.stream().into_iter().collect();
            let Some(kind) = words.iter().position(|word| word.to_string() == "dyn") else { continue };
            let of: TokenStream = words[kind + 1..]
                .iter()
                .take_while(|word| !matches!(word, TokenTree::Punct(colon) if colon.as_char() == ':'))
                .cloned()
                .collect();
            let of = self.trait_at(&of.to_string())?;
            for pair in words.windows(2) {
                if let [TokenTree::Ident(name), TokenTree::Group(sets)] = pair
                    && name == self.architecture
                    && sets.delimiter() == Delimiter::Bracket
                {
                    let sets: Vec<_> = sets.stream().into_iter().collect();
                    let sets = sets.split(|word| word.to_string() == ",").filter_map(<[_]>::first);
                    self.listed.extend(sets.map(|set| (set.to_string(), of.clone())));
                }
            }
        }
        Ok(())
    }
}

fn is_kernel(name: &syn::Ident) -> bool {
    name.to_string().ends_with("Kernel")
}

/// The kernels' traits that a module declares or imports, and the modules that have them.
fn scope(items: &[syn::Item], module: &[String]) -> BTreeMap<String, String> {
    fn imports(tree: &syn::UseTree, from: &str, names: &mut BTreeMap<String, String>) {
        match tree {
            syn::UseTree::Path(path) => imports(&path.tree, &path.ident.to_string(), names),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| imports(tree, from, names)),
            syn::UseTree::Name(name) if is_kernel(&name.ident) && from != "super" && from != "self" => {
                let from = if from == "crate" { CRATE } else { from };
                names.insert(name.ident.to_string(), from.to_owned());
            }
            _ => {}
        }
    }
    let mut names = BTreeMap::new();
    for item in items {
        match item {
            syn::Item::Use(item) => imports(&item.tree, "", &mut names),
            syn::Item::Trait(item) if is_kernel(&item.ident) => {
                let module = module.last().map_or(CRATE, |name| name);
                names.insert(item.ident.to_string(), module.to_owned());
            }
            _ => {}
        }
    }
    names
}

/// How often a body says `.run(`.
fn runs(body: TokenStream) -> usize {
    let tokens: Vec<_> = body.into_iter().collect();
    let here = tokens
        .windows(3)
        .filter(|window| {
            matches!(window, [TokenTree::Punct(dot), TokenTree::Ident(run), TokenTree::Group(arguments)]
                if dot.as_char() == '.' && run == "run" && arguments.delimiter() == Delimiter::Parenthesis)
        })
        .count();
    let inside: usize = tokens
        .iter()
        .map(|token| if let TokenTree::Group(group) = token { runs(group.stream()) } else { 0 })
        .sum();
    here + inside
}

/// The trait at a path with its module, as in a symbol.
pub(crate) fn trait_with_module(path: &str) -> String {
    match module_and_names(path) {
        (Some(module), names) => format!("{module}::{names}"),
        (None, names) => names,
    }
}

/// The last module of a path with arguments, and the last names of the rest.
fn module_and_names(path: &str) -> (Option<String>, String) {
    let head = path.split('<').next().unwrap_or_default();
    let module = head.rsplit("::").nth(1).map(|module| module.trim().to_owned());
    (module, last_names(path))
}

/// A type or a trait with each path in it cut to its last name, and without spaces.
pub(crate) fn last_names(text: &str) -> String {
    let mut names = String::new();
    let mut word = String::new();
    for character in text.chars().filter(|character| !character.is_whitespace()) {
        match character {
            ':' => word.clear(),
            '<' | '>' | ',' | '[' | ']' | ';' | '(' | ')' | '&' => {
                names += &word;
                word.clear();
                names.push(character);
            }
            _ => word.push(character),
        }
    }
    names + &word
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::sources::module_of;
    use std::path::{Path, PathBuf};

    pub(crate) const SHA: &str = r#"
        use crate::compression::{self_test, Kernel};
        static BACKENDS: Backends<dyn Kernel<Sha>> =
            backends!("sha", passes, dyn Kernel<Sha>: x86_64 [Avx2 from 3, ShaNi] aarch64 [Neon] Portable);
        impl Kernel<Sha> for Portable { fn one(&self) { self.run(f) } }
        #[cfg(target_arch = "x86_64")]
        mod x86_64 {
            impl Kernel<Sha> for ShaNi {
                fn one(&self) { self.run(#[inline(always)] |isa| one(isa)); }
                fn many(&self) { if x { self.run(f); } else { for _ in 0..2 { self.run(g); } } }
            }
            impl crate::compression::Kernel<crate::sha::Sha> for Avx2 {
                fn one(&self) { Portable.one() }
                fn many(&self) { groups(|m| { self.run(|isa| many(isa, m)); }); }
            }
        }
        #[cfg(target_arch = "aarch64")]
        mod aarch64;
    "#;

    pub(crate) fn sources(files: &[(&str, &str)]) -> Vec<Source> {
        let source = |(path, text): &(&str, &str)| Source {
            path: PathBuf::from(path),
            module: module_of(Path::new(path)),
            text: (*text).to_owned(),
        };
        files.iter().map(source).collect()
    }

    pub(crate) fn kernel(isa: &str, of: &str, method: &str) -> Kernel {
        Kernel { isa: isa.to_owned(), of: of.to_owned(), method: method.to_owned() }
    }

    #[test]
    fn every_run_of_the_architecture_is_found() {
        let kernels = find(&sources(&[("lib.rs", "mod sha;"), ("sha.rs", SHA)]), "x86_64").unwrap();
        let expected = [
            (kernel("Avx2", "compression::Kernel<Sha>", "many"), 1),
            (kernel("ShaNi", "compression::Kernel<Sha>", "many"), 2),
            (kernel("ShaNi", "compression::Kernel<Sha>", "one"), 1),
        ];
        assert_eq!(kernels.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_listed_set_without_a_kernel_fails() {
        let files = [("lib.rs", "mod sha;"), ("sha.rs", SHA), ("sha/aarch64.rs", "")];
        let error = find(&sources(&files), "aarch64").unwrap_err();
        assert!(error.to_string().starts_with("Neon is listed for compression::Kernel<Sha>"), "{error}");
        let arm = "impl Kernel<Sha> for Neon { fn one(&self) { self.run(f) } }";
        let files = [("lib.rs", "mod sha;"), ("sha.rs", SHA), ("sha/aarch64.rs", arm)];
        assert_eq!(find(&sources(&files), "aarch64").unwrap().len(), 1);
    }

    #[test]
    fn traits_of_one_name_are_told_apart() {
        let cipher = "static LIST: L = backends!(\"c\", f, dyn Kernel: x86_64 [AesNi] aarch64 [] Portable);
                      trait Kernel {} mod x86_64 { use super::*; impl Kernel for AesNi { fn one(&self) { X } } }";
        let with = |x: &str| cipher.replace('X', x);
        let find = |first: &str, second: &str| {
            let files =
                [("lib.rs", "mod ctr; mod gcm;"), ("ctr.rs", &with(first)), ("gcm.rs", &with(second))];
            find(&sources(&files), "x86_64")
        };
        let kernels = find("self.run(f)", "self.run(f); self.run(g)").unwrap();
        let expected =
            [(kernel("AesNi", "ctr::Kernel", "one"), 1), (kernel("AesNi", "gcm::Kernel", "one"), 2)];
        assert_eq!(kernels.into_iter().collect::<Vec<_>>(), expected);
        let error = find("self.run(f)", "").unwrap_err();
        assert!(error.to_string().starts_with("AesNi is listed for gcm::Kernel"), "{error}");
    }

    #[test]
    fn a_trait_from_nowhere_fails() {
        let text = "impl Kernel for Avx2 { fn one(&self) { self.run(f) } }";
        let error = find(&sources(&[("lib.rs", text)]), "x86_64").unwrap_err();
        assert!(error.to_string().starts_with("where the trait Kernel is from"), "{error}");
        let known = |before: &str| find(&sources(&[("lib.rs", &format!("{before} {text}"))]), "x86_64");
        assert!(known("use crate::a::*;").is_err());
        // Found, but on no list.
        assert!(known("use crate::a::Kernel;").unwrap_err().to_string().starts_with("no list"));
    }

    #[test]
    fn a_crate_without_lists_fails() {
        assert!(find(&sources(&[("lib.rs", "")]), "x86_64").is_err());
    }

    #[test]
    fn paths_are_cut_to_their_last_names() {
        assert_eq!(last_names("crate :: a :: Kernel < b::C, [d::E; 4] >"), "Kernel<C,[E;4]>");
        assert_eq!(trait_with_module("crate :: a :: Kernel < b::C, [d::E; 4] >"), "a::Kernel<C,[E;4]>");
    }
}
