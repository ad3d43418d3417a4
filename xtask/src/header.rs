//! `cargo xtask header`: has cbindgen print `keylane.h` from the exported functions of `keylane-ffi`.
//!
//! Their arguments have the types of `keylane-boundary`, which cbindgen does not know. Each becomes the
//! pointer that it is in C, and what the type says beyond that an attribute: pointers that are never null,
//! lengths of arrays. Functions that macros make are read from the macros' text.

use crate::command::{root, target};
use anyhow::{Context, Result, bail, ensure};
use cbindgen::{Builder, Config};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident};
use std::collections::HashMap;
use std::fs;
use syn::{
    Attribute, Block, Expr, ExprBlock, FnArg, Ident, Item, ItemFn, ItemMacro, Pat, PathArguments, ReturnType,
    Stmt, Type, parse_quote,
};

const CRATE: &str = "crates/keylane-ffi";
const HEADER: &str = "crates/keylane-ffi/include/keylane.h";
/// What the header begins with. The other modules of `lib.rs` follow.
const FIRST: [&str; 9] = [
    "library",
    "../../keylane-boundary/src/error",
    "error",
    "algorithm",
    "../../keylane-boundary/src/lib",
    "hash",
    "hmac",
    "pbkdf2",
    "hkdf",
];

/// Writes the header, or with `check` fails if it is not what the sources say.
pub(crate) fn run(check: bool) -> Result<()> {
    let header = generate()?;
    if !check {
        return fs::write(root().join(HEADER), header).context(HEADER);
    }
    let current = fs::read_to_string(root().join(HEADER)).context(HEADER)?;
    ensure!(current == header, "{HEADER} is not what the sources say: run `cargo xtask header`");
    Ok(())
}

fn generate() -> Result<String> {
    let mut declarations = String::new();
    let read = |name: &str| {
        let path = root().join(CRATE).join("src").join(name).with_extension("rs");
        fs::read_to_string(&path).with_context(|| path.display().to_string())
    };
    let lib = read("lib")?;
    let mut macros = HashMap::new();
    let modules = lib.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    for name in FIRST.into_iter().chain(modules.filter(|module| !FIRST.contains(module))) {
        let text = read(name)?;
        for item in syn::parse_file(&text).with_context(|| name.to_owned())?.items {
            let items = match item {
                Item::Macro(ItemMacro { ident: Some(ident), mac, .. }) => {
                    macros.insert(ident.to_string(), mac.tokens.to_string());
                    vec![]
                }
                Item::Macro(ItemMacro { mac, .. }) => {
                    let called = mac.path.segments.last().context("a macro's name")?.ident.to_string();
                    macros.get(&called).map_or(Ok(vec![]), |text| expand(text, mac.tokens))?
                }
                item => vec![item],
            };
            for item in items {
                declarations += &(declaration(item)? + "\n");
            }
        }
    }
    let source = target().join("header.rs");
    fs::write(&source, declarations)?;
    let config = root().join(CRATE).join("cbindgen.toml");
    let config = Config::from_file(config).map_err(|error| anyhow::anyhow!("cbindgen.toml: {error}"))?;
    let mut header = Vec::new();
    Builder::new().with_src(source).with_config(config).generate()?.write(&mut header);
    // A macro's negative number belongs in parentheses.
    let line = |line: &str| match line.split_once(" -") {
        Some((define, number)) if define.starts_with("#define ") => format!("{define} (-{number})\n"),
        _ => format!("{line}\n"),
    };
    Ok(String::from_utf8(header)?.lines().map(line).collect())
}

/// Returns the items in the `const _` that a macro makes of `arguments`. A function gets the name that it is
/// exported with: the first argument and its own. Parameters are replaced in comments as well.
fn expand(text: &str, arguments: TokenStream) -> Result<Vec<Item>> {
    let (parameters, body) = text.split_once("=>").context("a macro without rules")?;
    let parameters = parameters.split('$').skip(1).filter_map(|parameter| parameter.split(':').next());
    let arguments = arguments.into_iter().map(|argument| argument.to_string());
    let arguments: Vec<_> = arguments.filter(|argument| argument != ",").collect();
    let mut body = body.trim_end_matches([' ', ';']).replace("$ ", "$");
    for (parameter, argument) in parameters.zip(&arguments) {
        body = body.replace(&format!("${}", parameter.trim()), argument.trim_matches('"'));
    }
    let mut statements = syn::parse_str::<Block>(&body)?.stmts;
    let Some(Stmt::Item(Item::Const(block))) = statements.pop() else { bail!("no const _: {body}") };
    let Expr::Block(ExprBlock { block, .. }) = *block.expr else { bail!("no block: {body}") };
    let item = |statement| match statement {
        Stmt::Item(Item::Fn(mut item)) => {
            item.sig.ident = format_ident!("{}_{}", arguments[0], item.sig.ident);
            item.attrs.retain(|attribute| attribute.path().is_ident("doc"));
            item.attrs.push(parse_quote!(#[unsafe(no_mangle)]));
            Some(Item::Fn(item))
        }
        _ => None,
    };
    Ok(block.stmts.into_iter().filter_map(item).collect())
}

/// Returns what C sees of an item: of most, nothing.
fn declaration(item: Item) -> Result<String> {
    let exported = |name: &Ident| name.to_string().to_lowercase().starts_with("keylane_");
    let only = |attributes: &mut Vec<Attribute>, kept: &[&str]| {
        attributes.retain(|attribute| kept.iter().any(|kept| attribute.path().is_ident(kept)));
    };
    Ok(match item {
        Item::Const(mut item) if exported(&item.ident) => {
            only(&mut item.attrs, &["doc"]);
            item.vis = parse_quote!(pub);
            item.to_token_stream().to_string()
        }
        Item::Struct(mut item) if exported(&item.ident) => {
            only(&mut item.attrs, &["doc", "repr"]);
            item.vis = parse_quote!(pub);
            item.to_token_stream().to_string()
        }
        Item::Fn(item) if exported(&item.sig.ident) => function(item)?.to_token_stream().to_string(),
        _ => String::new(),
    })
}

fn function(mut item: ItemFn) -> Result<ItemFn> {
    let name = item.sig.ident.to_string();
    let (mut arrays, mut never_null) = (Vec::new(), Vec::new());
    for (i, argument) in item.sig.inputs.iter_mut().enumerate() {
        let FnArg::Typed(argument) = argument else { bail!("{name} takes self") };
        let Pat::Ident(argument_name) = &*argument.pat else { bail!("{name}: an argument without a name") };
        let Some((pointer, len, may_be_null)) = pointer(&argument.ty) else { continue };
        arrays.extend(len.map(|len| format!("[{};{len}]", argument_name.ident)));
        // A null pointer may be wiped.
        if !may_be_null && !name.ends_with("_wipe") {
            never_null.push((i + 1).to_string());
        }
        *argument.ty = pointer;
    }
    let mut annotate = |text: String| item.attrs.push(parse_quote!(#[doc = #text]));
    if !arrays.is_empty() {
        annotate(format!("cbindgen:ptrs-as-arrays=[{}]", arrays.join(",")));
    }
    if !never_null.is_empty() {
        annotate(format!("cbindgen:postfix=KEYLANE_NONNULL({})", never_null.join(", ")));
    }
    if matches!(&item.sig.output, ReturnType::Type(_, ty) if ty.to_token_stream().to_string() == "c_int") {
        item.attrs.push(parse_quote!(#[must_use]));
    }
    item.vis = parse_quote!(pub);
    *item.block = parse_quote!({});
    Ok(item)
}

/// Returns the pointer that a type of `keylane-boundary` is in C, the length if it is an array's, and whether it
/// may be null.
fn pointer(ty: &Type) -> Option<(Type, Option<String>, bool)> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let parameter = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.first().map(ToTokens::to_token_stream),
        _ => None,
    };
    let name = last.ident.to_string();
    let (pointer, may_be_null) = match &*name {
        "Input" => (parse_quote!(*const u8), true),
        "Name" => (parse_quote!(*const c_char), true),
        "Output" => (parse_quote!(*mut u8), true),
        "List" => (parse_quote!(*const keylane_bytes), true),
        "MessageList" => (parse_quote!(*const keylane_message), true),
        "RefList" => (parse_quote!(*const *const #parameter), true),
        "Array" => (parse_quote!(*const u8), false),
        "OutArray" => (parse_quote!(*mut u8), false),
        "Ref" => (parse_quote!(*const #parameter), false),
        "Mut" => (parse_quote!(*mut #parameter), false),
        _ => return None,
    };
    let len = parameter.filter(|_| name.ends_with("Array")).map(|len| len.to_string());
    Some((pointer, len, may_be_null))
}
