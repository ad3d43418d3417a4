//! Reads the declarations in keylane.h, and writes a table of its functions: what each takes, and how to call
//! it. What is called is thus what C programs call, and none is forgotten.

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
    let structs = regex(r"(?s)typedef struct (?:KEYLANE_ALIGNED\(\d+\) )?(\w+) \{\s*uint8_t opaque\[(\d+)\]");
    let structs: HashMap<_, _> =
        structs.captures_iter(&header).map(|found| found.extract::<2>().1.into()).collect();
    let (mut declarations, mut rows, mut errors) = (String::new(), String::new(), String::new());
    for found in regex(r"#define KEYLANE_ERROR_(\w+) \((-\d+)\)").captures_iter(&header) {
        let (_, [name, code]) = found.extract();
        writeln!(errors, "#[allow(dead_code)] const {name}: c_int = {code};").expect("a string grows");
    }
    let parameter = regex(r"(const )?(?:struct )?(\w+) (\*?(?:const \*)?)(\w+)(?:\[(\d+)\])?(?:,|$)");
    let prototype =
        r"(?m)^(?:KEYLANE_WARN_UNUSED_RESULT )?(int|void|size_t|const char \*)\s*(keylane_\w+)\(([^)]*)\)";
    for found in regex(prototype).captures_iter(&header) {
        let (_, [result, name, parameters]) = found.extract();
        let (mut types, mut kinds, mut arguments) = (Vec::new(), Vec::new(), Vec::new());
        for (place, found) in parameter.captures_iter(parameters).enumerate() {
            let (kind, number) = kind(&found, &structs);
            types.push(number.unwrap_or("*mut c_void"));
            let field = number.map_or_else(|| "pointer".to_owned(), |number| format!("number as {number}"));
            arguments.push(format!("words[{place}].{field}"));
            kinds.push(format!("(\"{}\", Kind::{kind})", &found[4]));
        }
        // What returns no code is looked at where it is called.
        let (rust, code) = match result {
            "int" => ("c_int", "code"),
            "void" => ("()", "nothing"),
            "size_t" => ("usize", "length"),
            _ => ("*const c_char", "text"),
        };
        let (types, kinds, arguments) = (types.join(", _: "), kinds.join(", "), arguments.join(", "));
        let types = if types.is_empty() { types } else { format!("_: {types}") };
        writeln!(declarations, "fn {name}({types}) -> {rust};").expect("a string grows");
        // SAFETY of the generated blocks: the table's reader calls with what the kinds ask for.
        let call = format!("|words| {code}(unsafe {{ {name}({arguments}) }})");
        let fails = result == "int";
        writeln!(
            rows,
            "Function {{ name: \"{name}\", parameters: &[{kinds}], fails: {fails}, call: {call} }},"
        )
        .expect("a string grows");
    }
    let declared = regex(r"(?m)^\w.*\bkeylane_\w+\(").find_iter(&header).count();
    assert_eq!(rows.lines().count(), declared, "a declaration that is not understood");
    let table = format!(
        "{errors}
        unsafe extern \"C\" {{ {declarations} }}
        #[allow(unused_variables, clippy::unnecessary_cast, clippy::unit_arg)]
        #[allow(clippy::undocumented_unsafe_blocks)]
        static FUNCTIONS: &[Function] = &[{rows}];",
    );
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
            let kind = if name == "count" || name.ends_with("_len") { "Length" } else { "Number" };
            let types = [("int", "c_int"), ("uint32_t", "u32"), ("uint64_t", "u64"), ("size_t", "usize")];
            return (kind.to_owned(), types.iter().find(|(c, _)| *c == of).map(|(_, rust)| *rust));
        }
        (_, Some(len)) => format!("Bytes({access}, Some({}))", len.as_str()),
        ("uint8_t", _) => format!("Bytes({access}, None)"),
        ("uint64_t", _) => format!("Bytes({access}, Some(8))"),
        ("char", _) => "Name".to_owned(),
        ("keylane_bytes", _) => "List".to_owned(),
        ("keylane_message", _) => "Messages".to_owned(),
        _ if &found[3] == "*const *" => format!("Structs(\"{of}\", {})", structs[of]),
        _ => format!("Struct({access}, \"{of}\", {})", structs[of]),
    };
    (kind, None)
}
