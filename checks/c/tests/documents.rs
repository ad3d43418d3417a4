//! Checks that the C code in the documents compiles without warnings. `cargo xtask c` links and runs the
//! program of docs/c.md.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

const PAGES: [&str; 2] = ["README.md", "docs/c.md"];

const INCLUDE: &str = "-I../../crates/keylane-ffi/include";

#[test]
fn every_block_compiles() {
    for page in PAGES {
        let text = fs::read_to_string(format!("../../{page}")).unwrap();
        let blocks: Vec<_> = text.split("```c\n").skip(1).collect();
        assert!(!blocks.is_empty(), "{page}");
        for block in blocks {
            let code = block.split("```").next().unwrap();
            let mut compile = Command::new("cc");
            compile.args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]);
            compile.args([INCLUDE, &format!("{INCLUDE}/poly1305-opt")]);
            let mut compile = compile.args(["-x", "c", "-"]).stdin(Stdio::piped()).spawn().unwrap();
            compile.stdin.take().unwrap().write_all(code.as_bytes()).unwrap();
            assert!(compile.wait().unwrap().success(), "{page}: {code}");
        }
    }
}
