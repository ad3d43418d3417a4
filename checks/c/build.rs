//! Reads the declarations in keylane.h, and writes a table of its functions: what each takes, and how to call
//! it. What is called is so what C programs call, and none is forgotten.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

const HEADER: &str = "../../crates/keylane-ffi/include/keylane.h";

fn main() {
    println!("cargo::rerun-if-changed={HEADER}");
    let header = fs::read_to_string(HEADER).expect(HEADER);
    let structs = structs(&header);
    let prototypes = prototypes(&header);
    let (mut declarations, mut rows) = (String::new(), String::new());
    for Prototype { name, result, parameters } in &prototypes {
        let (mut types, mut kinds, mut arguments) = (Vec::new(), Vec::new(), Vec::new());
        for (place, parameter) in parameters.iter().enumerate() {
            let (kind, number) = kind(parameter, &structs);
            types.push(format!("_: {}", number.unwrap_or("*mut c_void")));
            arguments.push(match number {
                Some(number) => format!("words[{place}].number as {number}"),
                None => format!("words[{place}].pointer"),
            });
            kinds.push(format!("(\"{}\", Kind::{kind})", last_word(parameter)));
        }
        let (rust, wrapped) = match *result {
            "int" => (" -> c_int", "Returned::Code"),
            "void" => ("", "Returned::Nothing"),
            "size_t" => (" -> usize", "Returned::Length"),
            "const char *" => (" -> *const c_char", "Returned::Text"),
            other => panic!("{name} returns {other}"),
        };
        writeln!(declarations, "    fn {name}({}){rust};", types.join(", ")).expect("a string grows");
        let call = format!("{name}({})", arguments.join(", "));
        // SAFETY of the generated blocks: the table's reader calls with what the kinds ask for.
        let call = if rust.is_empty() {
            format!("{{ unsafe {{ {call} }}; {wrapped} }}")
        } else {
            format!("{wrapped}(unsafe {{ {call} }})")
        };
        let kinds = kinds.join(", ");
        let row = format!("Function {{ name: \"{name}\", parameters: &[{kinds}], call: |words| {call} }}");
        writeln!(rows, "    {row},").expect("a string grows");
    }
    let table = format!(
        "unsafe extern \"C\" {{\n{declarations}}}\n\n\
         #[allow(clippy::undocumented_unsafe_blocks, clippy::unnecessary_cast, unused_variables, reason = \"generated\")]\n\
         pub(crate) static FUNCTIONS: &[Function] = &[\n{rows}];\n",
    );
    let folder = env::var_os("OUT_DIR").expect("cargo says where");
    fs::write(Path::new(&folder).join("functions.rs"), table).expect("the table is written");
}

struct Prototype<'a> {
    name: &'a str,
    result: &'a str,
    parameters: Vec<String>,
}

/// In the header's order. Each has a comment before it.
fn prototypes(header: &str) -> Vec<Prototype<'_>> {
    let (_, functions) = header.split_once("extern \"C\" {").expect("functions");
    let mut found = Vec::new();
    for part in functions.split("/**").skip(1) {
        let (_, code) = part.split_once("*/").expect("a comment's end");
        let Some((before, rest)) = code.split_once('(') else { continue };
        let before = before.trim().trim_start_matches("KEYLANE_WARN_UNUSED_RESULT").trim();
        let at = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').expect("a type") + 1;
        let (parameters, _) = rest.split_once(')').expect("parameters");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let parameters = parameters.split(',').map(words).filter(|parameter| parameter != "void");
        found.push(Prototype {
            name: &before[at..],
            result: before[..at].trim(),
            parameters: parameters.collect(),
        });
    }
    found
}

/// The lengths of the structs.
fn structs(header: &str) -> HashMap<&str, usize> {
    let mut found = HashMap::new();
    for part in header.split("typedef struct ").skip(1) {
        let Some((_, length)) = part.split_once("opaque[") else { continue };
        let name = part.split_once(" {").expect("a brace").0;
        let length = length.split_once(']').expect("a bracket").0;
        found.entry(last_word(name)).or_insert_with(|| length.parse().expect("a length"));
    }
    found
}

/// What a parameter is, as `Kind` has it, and its type if it is a number.
fn kind(parameter: &str, structs: &HashMap<&str, usize>) -> (String, Option<&'static str>) {
    let (constant, rest) = parameter.strip_prefix("const ").map_or((false, parameter), |rest| (true, rest));
    for (number, rust) in
        [("int ", "c_int"), ("uint32_t ", "u32"), ("uint64_t ", "u64"), ("size_t ", "usize")]
    {
        if rest.starts_with(number) && !rest.contains('*') {
            // A hint is a number like any other.
            let is_length = last_word(rest) == "count" || rest.ends_with("_len");
            let kind = if is_length { "Length" } else { "Number" };
            return (kind.to_owned(), Some(rust));
        }
    }
    let access = if constant { "Access::Read" } else { "Access::Write" };
    if rest.starts_with("char *") {
        return ("Name".to_owned(), None);
    }
    if let Some((_, length)) = rest.split_once('[') {
        return (format!("Array({access}, {})", length.trim_end_matches(']')), None);
    }
    if rest.starts_with("uint8_t *") {
        return (format!("Bytes({access})"), None);
    }
    if rest.starts_with("uint64_t *") {
        return (format!("Array({access}, 8)"), None);
    }
    let name = rest.strip_prefix("struct ").and_then(|rest| rest.split_once(" *")).expect(parameter).0;
    if name == "keylane_bytes" {
        return ("List".to_owned(), None);
    }
    (format!("Struct({access}, \"{name}\", {})", structs[name]), None)
}

/// `data` of `const uint8_t *data`, `tag` of `uint8_t tag[16]`.
fn last_word(text: &str) -> &str {
    let text = text.split('[').next().unwrap_or(text).trim_end();
    &text[text.rfind([' ', '*']).map_or(0, |at| at + 1)..]
}
