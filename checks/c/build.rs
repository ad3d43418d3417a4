//! Reads keylane.h, and writes for the tests
//! - the declarations of its functions, so that the tests call what C programs call;
//! - a table of the functions, with their parameters and how to call them;
//! - every prototype, constant and struct as `keylane-ffi` has it: rustc refuses differences.

use regex_lite::{Captures, Regex};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

const HEADER: &str = "../../crates/keylane-ffi/include/keylane.h";

fn main() {
    println!("cargo::rerun-if-changed={HEADER}");
    let header = fs::read_to_string(HEADER).expect(HEADER);
    let regex = |text| Regex::new(text).expect("a regular expression");
    let mut table = String::from("#[allow(unused_imports)] use keylane_c::boundary;\n");
    let mut write = |text: String| writeln!(table, "{text}").expect("a string grows");

    let algorithms = regex(r"^KEYLANE_(AES_\d|SHA\d|XAES|X?CHACHA20_POLY)");
    for found in regex(r"(?m)^#define (KEYLANE_\w+) \(?(-?\d+)\)?(?: |$)").captures_iter(&header) {
        let (_, [name, value]) = found.extract();
        // A test of keylane-ffi compares the numbers of algorithms with those of `keylane::any`.
        if algorithms.is_match(name) {
            continue;
        }
        write(format!("const _: () = assert!(keylane_c::{name} as i64 == {value});"));
        if let Some(name) = name.strip_prefix("KEYLANE_ERROR_") {
            write(format!("#[allow(dead_code)] const {name}: c_int = {value};"));
        }
    }
    let mut structs = HashMap::new();
    let pattern = r"typedef struct KEYLANE_ALIGNED\((\d+)\) (\w+) \{\s*uint8_t opaque\[(\d+)\];\s*\} (\w+);";
    for found in regex(pattern).captures_iter(&header) {
        let (_, [align, name, len, alias]) = found.extract();
        assert_eq!(name, alias);
        write(format!(
            "const _: () = assert!(size_of::<keylane_c::{name}>() == {len});
            const _: () = assert!(align_of::<keylane_c::{name}>() == {align});"
        ));
        structs.insert(name, len);
    }
    assert_eq!(structs.len(), header.matches("typedef struct").count(), "a struct that is not understood");

    let (mut declarations, mut rows) = (String::new(), String::new());
    let parameter = regex(r"(const )?(\w+) (\*?)(\w+)(?:\[(\d+)\])?\s*(?:,\s*|$)");
    let prototype = "(?m)^(KEYLANE_WARN_UNUSED_RESULT\n)?(int|void|size_t|const char \\*) ?(keylane_\\w+)\
        \\(([^)]*)\\)[^;]*;";
    for found in regex(prototype).captures_iter(&header) {
        let (result, name, parameters) = (&found[2], &found[3], &found[4]);
        // What returns no code is looked at where it is called.
        let (rust, code) = match result {
            "int" => ("c_int", "code"),
            "void" => ("()", "nothing"),
            "size_t" => ("usize", "length"),
            _ => ("*const c_char", "text"),
        };
        let fails = result == "int";
        assert_eq!(fails, found.get(1).is_some(), "{name}: a result that may be ignored");
        let (mut types, mut kinds, mut arguments, mut ours) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut understood = 0;
        for (place, found) in parameter.captures_iter(parameters).enumerate() {
            understood += found[0].len();
            if &found[0] == "void" {
                continue;
            }
            let (kind, number) = kind(&found, &structs);
            ours.push(number.map_or_else(|| pointer(&found), str::to_owned));
            types.push(number.unwrap_or("*mut c_void"));
            let field = number.map_or_else(|| "pointer".to_owned(), |number| format!("number as {number}"));
            arguments.push(format!("words[{place}].{field}"));
            kinds.push(format!("(\"{}\", Kind::{kind})", &found[4]));
        }
        assert!(parameters == "void" || understood == parameters.len(), "{name}: {parameters}");
        let (kinds, arguments) = (kinds.join(", "), arguments.join(", "));
        write(format!("const _: extern \"C\" fn({}) -> {rust} = keylane_c::{name};", ours.join(", ")));
        let types: Vec<_> = types.iter().map(|of| format!("_: {of}")).collect();
        writeln!(declarations, "fn {name}({}) -> {rust};", types.join(", ")).expect("a string grows");
        // SAFETY of the generated blocks: the table's reader calls with what the kinds ask for.
        let call = format!("|words| {code}(unsafe {{ {name}({arguments}) }})");
        writeln!(
            rows,
            "Function {{ name: \"{name}\", parameters: &[{kinds}], fails: {fails}, call: {call} }},"
        )
        .expect("a string grows");
    }
    let declared = regex(r"(?m)^\w.*\bkeylane_\w+\(").find_iter(&header).count();
    assert_eq!(rows.lines().count(), declared, "a declaration that is not understood");
    write(format!(
        "unsafe extern \"C\" {{ {declarations} }}
        #[allow(unused_variables, clippy::unnecessary_cast, clippy::unit_arg)]
        #[allow(clippy::undocumented_unsafe_blocks)]
        static FUNCTIONS: &[Function] = &[{rows}];",
    ));
    let folder = env::var_os("OUT_DIR").expect("cargo says where");
    fs::write(Path::new(&folder).join("functions.rs"), table).expect("the table is written");
}

/// Returns what a parameter is, as `Kind` has it, and its type if it is a number.
fn kind(found: &Captures<'_>, structs: &HashMap<&str, &str>) -> (String, Option<&'static str>) {
    let access = if found.get(1).is_some() { "Access::Read" } else { "Access::Write" };
    let (of, pointer, name) = (&found[2], !found[3].is_empty(), &found[4]);
    let kind = match (of, found.get(5)) {
        ("int" | "uint32_t" | "uint64_t" | "size_t", _) if !pointer => {
            // A hint is a number like any other.
            let is_length = name == "len" || name.ends_with("count") || name.ends_with("_len");
            let kind = if is_length { "Length" } else { "Number" };
            let types = [("int", "c_int"), ("uint32_t", "u32"), ("uint64_t", "u64"), ("size_t", "usize")];
            return (kind.to_owned(), types.iter().find(|(c, _)| *c == of).map(|(_, rust)| *rust));
        }
        (_, Some(len)) => format!("Bytes({access}, Some({}))", len.as_str()),
        ("uint8_t", _) => format!("Bytes({access}, None)"),
        ("size_t", _) if found.get(1).is_some() => "Numbers".to_owned(),
        ("uint64_t" | "size_t", _) => format!("Bytes({access}, Some(8))"),
        ("char", _) => "Name".to_owned(),
        _ => format!("Struct({access}, \"{of}\", {})", structs[of]),
    };
    (kind, None)
}

/// Returns the type of `boundary.rs` that a pointer is in Rust.
fn pointer(found: &Captures<'_>) -> String {
    let (read, of) = (found.get(1).is_some(), &found[2]);
    match (of, found.get(5).map(|len| len.as_str())) {
        ("uint8_t", Some(len)) if read => format!("boundary::Array<{len}>"),
        ("uint8_t", Some(len)) => format!("boundary::OutArray<{len}>"),
        ("uint8_t", None) if read => "boundary::Input".to_owned(),
        ("uint8_t", None) => "boundary::Output".to_owned(),
        ("size_t", None) if read => "boundary::Numbers".to_owned(),
        ("char", None) if read => "boundary::Name".to_owned(),
        ("size_t", None) => "boundary::Mut<usize>".to_owned(),
        ("uint64_t", None) if !read => "boundary::Mut<u64>".to_owned(),
        (_, None) if read => format!("boundary::Ref<keylane_c::{of}>"),
        (_, None) => format!("boundary::Mut<keylane_c::{of}>"),
        _ => panic!("a parameter that is not understood: {}", &found[0]),
    }
}
