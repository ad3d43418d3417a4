//! `cargo xtask header`: writes `keylane.h` from the exported functions of `keylane-ffi`, and from `keylane.h` its
//! reference, a page of Markdown and one for man.
//!
//! Their arguments are of the types of `keylane-boundary`. Here each becomes the pointer that it is in C, and what the
//! type says beyond that becomes an attribute: which pointers are never null, which arrays have which length.
//! cbindgen prints the rest.

mod man;
mod markdown;
mod reference;

use anyhow::{Context, Result, bail};
use cbindgen::{Builder, Config, DocumentationStyle, Language, SortKey, Style};
use quote::ToTokens;
use reference::{Names, Reference};
use std::fs;
use std::path::{Path, PathBuf};
use syn::{
    Attribute, FnArg, GenericArgument, Ident, Item, ItemFn, Pat, PathArguments, ReturnType, Type, parse_quote,
};

/// The files, in the header's order, with the titles of their sections in the reference. Files of one title follow each
/// other. A function in another file would be exported without a declaration, which `cargo xtask c` finds.
const FILES: [(&str, &str); 15] = [
    ("library", "The library"),
    ("../../keylane-boundary/src/error", "Errors"),
    ("error", "Errors"),
    ("algorithm", "The names of hashes"),
    ("../../keylane-boundary/src/lib", "Lists of byte strings"),
    ("hash", "Hashes"),
    ("hmac", "HMAC"),
    ("pbkdf2", "PBKDF2"),
    ("hkdf", "HKDF"),
    ("aes", "AES, the block cipher"),
    ("aes_gcm", "AES-GCM"),
    ("chacha20poly1305", "ChaCha20-Poly1305 and XChaCha20-Poly1305"),
    ("aes_ctr", "AES-CTR"),
    ("chacha20", "ChaCha20 and XChaCha20"),
    ("poly1305", "Poly1305"),
];

const HEADER: &str = "crates/keylane-ffi/include/keylane.h";
const PAGE: &str = "docs/c-reference.md";
const MANUAL: &str = "crates/keylane-ffi/man/keylane.3";

/// Writes the header and its reference, or with `check` fails if those that are there are others.
pub(crate) fn run(root: &Path, check: bool) -> Result<()> {
    let (header, sections) = generate(root)?;
    let reference = Reference::new(&header, &sections)?;
    let (page, manual) = (markdown::page(&reference), man::page(&reference, env!("CARGO_PKG_VERSION")));
    for (name, text) in [(HEADER, header), (PAGE, page), (MANUAL, manual)] {
        let path = root.join(name);
        if !check {
            fs::write(&path, text).with_context(|| format!("cannot write {name}"))?;
        } else if fs::read_to_string(&path).with_context(|| format!("cannot read {name}"))? != text {
            bail!("{name} is not what the sources say: run `cargo xtask header`");
        }
    }
    if check {
        println!("header: {HEADER}, {PAGE} and {MANUAL} are current");
    }
    Ok(())
}

/// The header, and the names that it declares by the titles of their sections.
fn generate(root: &Path) -> Result<(String, Vec<Names<'static>>)> {
    let mut declarations = String::new();
    let mut sections: Vec<Names<'static>> = Vec::new();
    for (name, title) in FILES {
        let path = root.join("crates/keylane-ffi/src").join(name).with_extension("rs");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let file = syn::parse_file(&text).with_context(|| format!("cannot parse {}", path.display()))?;
        if sections.last().is_none_or(|(last, _)| *last != title) {
            sections.push((title, Vec::new()));
        }
        let (_, names) = sections.last_mut().expect("a section");
        for item in file.items {
            names.extend(declared(&item).map(ToString::to_string));
            declarations += &declaration(item)?;
        }
    }
    // cbindgen reads files only.
    let source = TemporaryFile::new(&declarations)?;
    let bindings = Builder::new().with_src(&source.0).with_config(config()).generate()?;
    let mut header = Vec::new();
    bindings.write(&mut header);
    let header = String::from_utf8(header)?;
    Ok((header.lines().map(|line| parenthesised(line) + "\n").collect(), sections))
}

/// A macro's negative number is one operand wherever it stands.
fn parenthesised(line: &str) -> String {
    match line.split_once(" -") {
        Some((define, number)) if define.starts_with("#define ") => format!("{define} (-{number})"),
        _ => line.to_owned(),
    }
}

/// The name of an item that C sees.
fn declared(item: &Item) -> Option<&Ident> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        _ => return None,
    };
    name.to_string().to_lowercase().starts_with("keylane_").then_some(name)
}

/// What C sees of an item; nothing of most.
fn declaration(item: Item) -> Result<String> {
    if declared(&item).is_none() {
        return Ok("\n".to_owned());
    }
    Ok(match item {
        Item::Const(mut item) => {
            item.attrs.retain(|attribute| attribute.path().is_ident("doc"));
            item.vis = parse_quote!(pub);
            item.to_token_stream().to_string()
        }
        Item::Struct(mut item) => {
            let kept = ["doc", "repr"];
            item.attrs.retain(|attribute| kept.iter().any(|kept| attribute.path().is_ident(kept)));
            item.vis = parse_quote!(pub);
            item.to_token_stream().to_string()
        }
        Item::Fn(item) => function(item)?.to_token_stream().to_string(),
        _ => String::new(),
    } + "\n")
}

fn function(mut item: ItemFn) -> Result<ItemFn> {
    let name = item.sig.ident.to_string();
    let (mut arrays, mut never_null) = (Vec::new(), Vec::new());
    for (i, argument) in item.sig.inputs.iter_mut().enumerate() {
        let FnArg::Typed(argument) = argument else { bail!("{name} takes self") };
        let Pat::Ident(argument_name) = &*argument.pat else { bail!("{name}: an argument without a name") };
        let Some(pointer) = Pointer::of(&argument.ty) else { continue };
        if let Some(len) = pointer.array_len {
            arrays.push(format!("[{};{len}]", argument_name.ident));
        }
        // Wiping what is not there is no mistake.
        if pointer.never_null && !name.ends_with("_wipe") {
            never_null.push((i + 1).to_string());
        }
        *argument.ty = pointer.in_c;
    }
    let mut notes: Vec<Attribute> = Vec::new();
    let mut note = |text: String| notes.push(parse_quote!(#[doc = #text]));
    if !arrays.is_empty() {
        note(format!("cbindgen:ptrs-as-arrays=[{}]", arrays.join(",")));
    }
    if !never_null.is_empty() {
        note(format!("cbindgen:postfix=KEYLANE_NONNULL({})", never_null.join(", ")));
    }
    if matches!(&item.sig.output, ReturnType::Type(_, ty) if ty.to_token_stream().to_string() == "c_int") {
        notes.push(parse_quote!(#[must_use]));
    }
    item.attrs.extend(notes);
    item.vis = parse_quote!(pub);
    *item.block = parse_quote!({});
    Ok(item)
}

/// A pointer type of `keylane-boundary`.
struct Pointer {
    in_c: Type,
    /// A number or the name of a constant.
    array_len: Option<String>,
    never_null: bool,
}

impl Pointer {
    fn of(ty: &Type) -> Option<Self> {
        let Type::Path(path) = ty else { return None };
        let last = path.path.segments.last()?;
        let parameter = match &last.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.first(),
            _ => None,
        };
        let parameter = parameter.map(GenericArgument::to_token_stream);
        let array_len = parameter.as_ref().map(ToString::to_string);
        let plain = |in_c| Some(Self { in_c, array_len: None, never_null: false });
        let array = |in_c| Some(Self { in_c, array_len: array_len.clone(), never_null: true });
        let object = |in_c| Some(Self { in_c, array_len: None, never_null: true });
        match last.ident.to_string().as_str() {
            "Input" => plain(parse_quote!(*const u8)),
            "Name" => plain(parse_quote!(*const c_char)),
            "Output" => plain(parse_quote!(*mut u8)),
            "List" => plain(parse_quote!(*const keylane_bytes)),
            "Array" => array(parse_quote!(*const u8)),
            "OutArray" => array(parse_quote!(*mut u8)),
            "Ref" => object(parse_quote!(*const #parameter)),
            "Mut" => object(parse_quote!(*mut #parameter)),
            _ => None,
        }
    }
}

fn config() -> Config {
    let mut config = Config {
        language: Language::C,
        cpp_compat: true,
        style: Style::Both,
        usize_is_size_t: true,
        no_includes: true,
        sys_includes: vec!["stddef.h".to_owned(), "stdint.h".to_owned()],
        include_guard: Some("KEYLANE_H".to_owned()),
        header: Some(ABOUT.to_owned()),
        after_includes: Some(ATTRIBUTES.to_owned()),
        documentation_style: DocumentationStyle::Doxy,
        line_length: 110,
        tab_width: 4,
        sort_by: SortKey::None,
        ..Config::default()
    };
    config.function.must_use = Some("KEYLANE_WARN_UNUSED_RESULT".to_owned());
    config.function.sort_by = Some(SortKey::None);
    config.constant.sort_by = Some(SortKey::None);
    config.layout.aligned_n = Some("KEYLANE_ALIGNED".to_owned());
    config
}

/// What holds for every function.
const ABOUT: &str = "\
/* Keylane for C. Made by `cargo xtask header` from crates/keylane-ffi/src: do not edit.
 *
 * Every function that can fail returns 0 or one of the negative KEYLANE_ERROR_*, named below without that prefix.
 * A call that fails has written nothing, unless its comment says otherwise. Besides the errors that its comment names,
 * every function can return
 *   NULL        for a null pointer to a struct, or to bytes whose length is not 0 (with length 0, null is allowed),
 *   OVERLAP     if an output overlaps another argument. Input and output may be the same buffer (begin at the same
 *               address) where a comment says so; a digest or tag may begin where any input begins,
 *   INPUT_TOO_LONG  for lengths that no object in memory has,
 *   SELF_TEST   if no implementation of the primitive passes its self-test on this CPU,
 *   INTERNAL    if the library has a defect.
 *
 * The header needs C99 or C++11, or a later standard of either.
 *
 * Lengths are in bytes. The structs belong to the caller: their size is fixed, they hold no pointers to other memory,
 * nothing is allocated, nothing has to be freed. Structs that hold secrets have to be wiped. A struct must be
 * initialised by its _init function, or by another that says so, before any other function uses it: UNINITIALISED is
 * returned for one that was zeroed, wiped or finalized. Structs work at any address, and fastest at their alignment.
 *
 * A call takes less than 32 KiB of stack. The first use of a primitive, and keylane_startup, test implementations and
 * take less than 64 KiB. (Measured on x86-64, with every kind of implementation.)
 *
 * Any thread may call any function. Several may use the same struct at once only in calls that take it as const.
 * No function exits the process or unwinds. How long a function takes depends on lengths, not on secrets.
 */";

/// For compilers that have them. Defined before, they stay as they are.
const ATTRIBUTES: &str = "
#if defined(__GNUC__) || defined(__clang__)
#ifndef KEYLANE_WARN_UNUSED_RESULT
#define KEYLANE_WARN_UNUSED_RESULT __attribute__((warn_unused_result))
#endif
#ifndef KEYLANE_NONNULL
#define KEYLANE_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
#endif
#ifndef KEYLANE_ALIGNED
#define KEYLANE_ALIGNED(n) __attribute__((aligned(n)))
#endif
#elif defined(_MSC_VER)
#ifndef KEYLANE_ALIGNED
#define KEYLANE_ALIGNED(n) __declspec(align(n))
#endif
#endif
#ifndef KEYLANE_WARN_UNUSED_RESULT
#define KEYLANE_WARN_UNUSED_RESULT
#endif
#ifndef KEYLANE_NONNULL
#define KEYLANE_NONNULL(...)
#endif
#ifndef KEYLANE_ALIGNED
#define KEYLANE_ALIGNED(n)
#endif
";

/// A file that is gone when nobody needs it.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(text: &str) -> Result<Self> {
        let path = std::env::temp_dir().join(format!("keylane-header-{}.rs", std::process::id()));
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // What is left of it lies in a folder for such things.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let file = syn::parse_file(text).unwrap();
        let source: String = file.items.into_iter().map(|item| declaration(item).unwrap()).collect();
        source.replace(' ', "")
    }

    #[test]
    fn types_become_pointers_and_attributes() {
        let found = written(
            "extern \"C\" fn keylane_x(a: Mut<keylane_y>, b: Input, n: usize, t: OutArray<16>) -> c_int { call() }",
        );
        for part in [
            "a:*mutkeylane_y",
            "b:*constu8",
            "n:usize",
            "t:*mutu8",
            "ptrs-as-arrays=[[t;16]]",
            "KEYLANE_NONNULL(1,4)",
            "#[must_use]",
            "{}",
        ] {
            assert!(found.contains(part), "{part} in {found}");
        }
    }

    #[test]
    fn null_may_be_wiped_and_the_rest_is_not_declared() {
        assert!(!written("extern \"C\" fn keylane_y_wipe(a: Mut<keylane_y>) {}").contains("NONNULL"));
        assert_eq!(
            written("fn helper(a: Input) {} pub(crate) enum AnyKey { A } const GROUP: usize = 1;"),
            "\n\n\n"
        );
    }

    /// What is in the repository is what the sources say.
    #[test]
    fn the_header_and_its_reference_are_current() {
        run(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap(), true).unwrap();
    }
}
