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
            let (kind, rust) = described(&found, &structs);
            kinds.push(format!("(\"{}\", Kind::{kind})", &found[4]));
            if ["Length", "Number"].contains(&&*kind) {
                arguments.push(format!("words[{place}].number as {rust}"));
                types.push(format!("_: {rust}"));
            } else {
                arguments.push(format!("words[{place}].pointer"));
                types.push("_: *mut c_void".to_owned());
            }
            ours.push(rust);
        }
        assert!(parameters == "void" || understood == parameters.len(), "{name}: {parameters}");
        let (kinds, arguments) = (kinds.join(", "), arguments.join(", "));
        write(format!("const _: extern \"C\" fn({}) -> {rust} = keylane_c::{name};", ours.join(", ")));
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

/// Returns what a parameter is, as `Kind` has it, and its type in Rust: a number's, or one of `boundary.rs`.
fn described(found: &Captures<'_>, structs: &HashMap<&str, &str>) -> (String, String) {
    let (read, of, name) = (found.get(1).is_some(), &found[2], &found[4]);
    let numbers = [("int", "c_int"), ("uint32_t", "u32"), ("uint64_t", "u64"), ("size_t", "usize")];
    if found[3].is_empty()
        && let Some((_, rust)) = numbers.iter().find(|(c, _)| *c == of)
    {
        // A hint is a number like any other.
        let is_length = name == "len" || name.ends_with("count") || name.ends_with("_len");
        return (if is_length { "Length" } else { "Number" }.to_owned(), (*rust).to_owned());
    }
    let (access, out) = if read { ("Access::Read", "") } else { ("Access::Write", "Out") };
    let bytes = |len: &str| format!("Bytes({access}, {len})");
    let (kind, rust) = match (of, found.get(5).map(|len| len.as_str())) {
        ("uint8_t", Some(len)) => (bytes(&format!("Some({len})")), format!("{out}Array<{len}>")),
        ("uint8_t", None) => (bytes("None"), if read { "Input" } else { "Output" }.to_owned()),
        ("size_t", None) if read => ("Numbers".to_owned(), "Numbers".to_owned()),
        ("char", None) if read => ("Name".to_owned(), "Name".to_owned()),
        ("size_t", None) => (bytes("Some(8)"), "Mut<usize>".to_owned()),
        ("uint64_t", None) if !read => (bytes("Some(8)"), "Mut<u64>".to_owned()),
        (_, None) => {
            let rust = format!("{}<keylane_c::{of}>", if read { "Ref" } else { "Mut" });
            (format!("Struct({access}, \"{of}\", {})", structs[of]), rust)
        }
        _ => panic!("a parameter that is not understood: {}", &found[0]),
    };
    (kind, format!("boundary::{rust}"))
}
