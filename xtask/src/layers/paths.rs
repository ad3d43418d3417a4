//! The paths that a file names from its crate's root, found in its tokens: in `use` trees, in code and inside macros
//! alike. Comments, documentation and strings do not count.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path, and where it stands.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) line: usize,
    pub(crate) what: Named,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// `crate::x`, or what `super::` comes down to: a name in the crate's root.
    InRoot(String),
    /// `core::arch` or `std::arch`.
    Intrinsics,
}

/// What the file names and declares.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) references: Vec<Reference>,
    /// Modules in files of their own: `mod m;`.
    pub(crate) declared: Vec<Vec<String>>,
    /// Those of them under `#[cfg(test)]`.
    pub(crate) test_modules: Vec<Vec<String>>,
}

/// Scans a file that is the module `module`. Modules under `#[cfg(test)]` are passed over: tests may look anywhere.
pub(crate) fn scan(tokens: TokenStream, module: &[String]) -> Found {
    let mut found = Found::default();
    walk(&tokens.into_iter().collect::<Vec<_>>(), module, &mut found);
    found
}

fn walk(tokens: &[TokenTree], module: &[String], found: &mut Found) {
    let mut at = 0;
    let mut in_test = false;
    while at < tokens.len() {
        let line = tokens[at].span().start().line;
        match &tokens[at] {
            TokenTree::Group(group) => {
                if group.delimiter() == Delimiter::Bracket && is_cfg_test(group.stream()) {
                    in_test = true;
                }
                if group.delimiter() == Delimiter::Brace {
                    in_test = false;
                }
                walk(&group.stream().into_iter().collect::<Vec<_>>(), module, found);
            }
            TokenTree::Ident(ident) if ident == "mod" => {
                if let Some((name, body)) = module_item(&tokens[at + 1..]) {
                    let mut inside = module.to_vec();
                    inside.push(name);
                    match body {
                        Some(body) if !in_test => {
                            walk(&body.into_iter().collect::<Vec<_>>(), &inside, found);
                        }
                        Some(_) => {}
                        None => {
                            if in_test {
                                found.test_modules.push(inside.clone());
                            }
                            found.declared.push(inside);
                        }
                    }
                    // The name and the body or the semicolon.
                    at += 2;
                }
                in_test = false;
            }
            TokenTree::Ident(ident) if ident == "crate" => {
                if let Some(rest) = after_colons(&tokens[at + 1..]) {
                    names(rest, line, found);
                }
            }
            TokenTree::Ident(ident) if ident == "super" && !follows_colons(tokens, at) => {
                let mut rest = after_colons(&tokens[at + 1..]);
                let mut up = 1;
                while let Some([TokenTree::Ident(next), tail @ ..]) = rest
                    && next == "super"
                {
                    up += 1;
                    rest = after_colons(tail);
                }
                // Inside the own top module everything is allowed; one level above it is the crate's root.
                if let Some(rest) = rest
                    && up >= module.len()
                {
                    names(rest, line, found);
                }
            }
            TokenTree::Ident(ident) if ident == "core" || ident == "std" => {
                if let Some(rest) = after_colons(&tokens[at + 1..])
                    && firsts(rest).iter().any(|(name, _)| name == "arch")
                {
                    found.references.push(Reference { line, what: Named::Intrinsics });
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => in_test = false,
            _ => {}
        }
        at += 1;
    }
}

/// The name of a module and, if it is not a file of its own, its body.
fn module_item(tokens: &[TokenTree]) -> Option<(String, Option<TokenStream>)> {
    match tokens {
        [TokenTree::Ident(name), TokenTree::Group(body), ..] if body.delimiter() == Delimiter::Brace => {
            Some((name.to_string(), Some(body.stream())))
        }
        [TokenTree::Ident(name), TokenTree::Punct(end), ..] if end.as_char() == ';' => {
            Some((name.to_string(), None))
        }
        _ => None,
    }
}

/// `cfg(test)`, or `cfg(all(test, …))`.
fn is_cfg_test(attribute: TokenStream) -> bool {
    let text = attribute.to_string().replace(' ', "");
    text == "cfg(test)" || text.starts_with("cfg(all(test,")
}

/// What follows `::`.
fn after_colons(tokens: &[TokenTree]) -> Option<&[TokenTree]> {
    match tokens {
        [TokenTree::Punct(a), TokenTree::Punct(b), rest @ ..] if a.as_char() == ':' && b.as_char() == ':' => {
            Some(rest)
        }
        _ => None,
    }
}

fn follows_colons(tokens: &[TokenTree], at: usize) -> bool {
    at >= 2 && after_colons(&tokens[at - 2..at]).is_some()
}

fn names(rest: &[TokenTree], line: usize, found: &mut Found) {
    for (name, inner_line) in firsts(rest) {
        let line = inner_line.unwrap_or(line);
        found.references.push(Reference { line, what: Named::InRoot(name) });
    }
}

/// The first names of what may follow `::` : a name, `*`, or a group of them; with their lines.
fn firsts(rest: &[TokenTree]) -> Vec<(String, Option<usize>)> {
    match rest.first() {
        Some(TokenTree::Ident(name)) => vec![(name.to_string(), Some(name.span().start().line))],
        Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => vec![("*".to_owned(), None)],
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let tokens: Vec<_> = group.stream().into_iter().collect();
            tokens
                .split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','))
                .flat_map(firsts)
                .collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(module: &[&str], text: &str) -> Vec<(usize, String)> {
        let module: Vec<_> = module.iter().map(|part| (*part).to_owned()).collect();
        let found = scan(text.parse().unwrap(), &module);
        let what = |named| match named {
            Named::InRoot(name) => name,
            Named::Intrinsics => "INTRINSICS".to_owned(),
        };
        found.references.into_iter().map(|reference| (reference.line, what(reference.what))).collect()
    }

    #[test]
    fn use_trees_and_paths_and_macros_are_seen() {
        let text = "use crate::a::X;\nuse crate::{b, c::{Y, Z},\n d as e};\nfn f() { crate::g::h() }\n\
                    macro_rules! m { () => { $crate::i::j!($crate::k) } }\nuse crate::*;";
        let names: Vec<_> = scanned(&["x"], text);
        let expected = [(1, "a"), (2, "b"), (2, "c"), (3, "d"), (4, "g"), (5, "i"), (5, "k"), (6, "*")];
        assert_eq!(names, expected.map(|(line, name)| (line, name.to_owned())));
    }

    #[test]
    fn super_is_followed_to_the_root() {
        assert_eq!(scanned(&["x"], "use super::a;"), [(1, "a".to_owned())]);
        assert_eq!(scanned(&["x", "y"], "use super::a; mod z { use super::super::b; }"), []);
        assert_eq!(scanned(&["x", "y"], "use super::super::a;"), [(1, "a".to_owned())]);
        assert_eq!(scanned(&["x"], "mod y { use super::b; use super::super::{c}; }"), [(1, "c".to_owned())]);
    }

    #[test]
    fn comments_documentation_strings_and_tests_do_not_count() {
        let text = "//! crate::a\n/// [crate::b] super::c\nconst T: &str = \"crate::d\"; pub(crate) fn f() {}\n\
                    #[cfg(test)]\nmod tests { use crate::e; }\n#[cfg(test)] use x::y; mod z { use crate::g; }";
        assert_eq!(scanned(&["x"], text), [(6, "g".to_owned())]);
        let found =
            scan("#[cfg(all(test, feature = \"std\"))]\nmod tests;".parse().unwrap(), &["x".to_owned()]);
        assert_eq!(found.test_modules, [["x", "tests"]]);
    }

    #[test]
    fn intrinsics_are_seen() {
        for text in
            ["use core::arch::x86_64::*;", "use std::{fmt, arch};", "fn f() { core::arch::asm!(\"\") }"]
        {
            assert_eq!(scanned(&["x"], text), [(1, "INTRINSICS".to_owned())], "{text}");
        }
        assert_eq!(scanned(&["x"], "use core::fmt; // core::arch\n"), []);
    }
}
