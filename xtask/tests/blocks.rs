//! Checks that a test runs every fenced block of the documents, or that this file names it with the reason
//! why not.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The file that runs, or at least compiles, all blocks of a language, on the pages that it names. Those in
/// TOML are read here.
const RUN_BY: [(&str, &str); 7] = [
    ("rust", "examples/src/lib.rs"),
    ("python", "crates/keylane-python/tests/test_documents.py"),
    ("c", "checks/c/tests/documents.rs"),
    ("cmake", "xtask/src/c.rs"),
    ("js", "ci/npm.sh"),
    ("go", "crates/keylane-ffi/tests/go/run.sh"),
    ("sh", "crates/keylane-cli/tests/cli/readme.rs"),
];

/// A page, the info string of blocks, how many there are, and why they do not run.
const NOT_RUN: [(&str, &str, usize, &str); 4] = [
    ("benches/README.md", "sh", 1, "it installs other packages and measures for minutes"),
    ("docs/migrating.md", "rust,ignore", 6, "they are lines of checks/programs"),
    ("docs/migrating.md", "python,ignore", 3, "they are lines of test_programs.py"),
    (
        "crates/keylane-tls/README.md",
        "rust,no_run",
        2,
        "they are compiled, and would connect to another machine",
    ),
];

#[test]
fn every_block_is_run_or_excused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let list = Command::new("git").args(["ls-files", "*.md"]).current_dir(root).output().unwrap();
    let (mut blocks, mut left_out) = (0, [0; NOT_RUN.len()]);
    for page in String::from_utf8(list.stdout).unwrap().lines() {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let fences: Vec<_> = text.match_indices("```").filter(|(at, _)| starts_line(&text, *at)).collect();
        assert_eq!(fences.len() % 2, 0, "{page}: a block without an end");
        for fence in fences.chunks(2) {
            let (info, code) = text[fence[0].0 + 3..fence[1].0].split_once('\n').unwrap();
            blocks += 1;
            if let Some(place) = NOT_RUN.iter().position(|(at, of, ..)| *at == page && *of == info) {
                left_out[place] += 1;
            } else if info == "toml" {
                let table: toml::Table = code.parse().unwrap_or_else(|error| panic!("{page}: {error}"));
                assert!(table["profile"]["dev"]["package"]["keylane"].is_table(), "{page}: {code}");
            } else {
                let runner = RUN_BY.iter().find(|(language, _)| *language == info);
                let (_, runner) =
                    runner.unwrap_or_else(|| panic!("{page}: nothing runs a block of {info:?}"));
                let names_page = fs::read_to_string(root.join(runner)).unwrap().contains(page);
                assert!(names_page, "{page}: nothing runs its {info}; name it in {runner}");
            }
        }
    }
    assert!(blocks > 50, "{blocks} blocks");
    assert_eq!(left_out, NOT_RUN.map(|(_, _, count, _)| count));
}

/// Returns whether only spaces are before this place in its line.
fn starts_line(text: &str, at: usize) -> bool {
    text[..at].rsplit('\n').next().unwrap().trim().is_empty()
}
