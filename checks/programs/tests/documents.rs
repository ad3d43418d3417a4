//! Checks that the lines of docs/migrating.md for these programs are lines of these tests.

use std::fs;

#[test]
fn lines_are_of_tests() {
    let page = fs::read_to_string("../../docs/migrating.md").unwrap();
    let (_, section) = page.split_once("\n## Programs\n").unwrap();
    let tests = fs::read_dir("tests").unwrap().map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let tests: Vec<String> = tests.collect();
    let blocks = section.split("```rust,ignore\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut count = 0;
    for block in blocks {
        assert!(tests.iter().any(|test| test.contains(block)), "no test has these lines:\n{block}");
        count += 1;
    }
    assert!(count > 5, "{count} blocks");
}
