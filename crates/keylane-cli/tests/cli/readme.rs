//! The shell commands of README.md, in order, in one folder.

#![cfg(unix)]

use super::workplace::Workplace;
use std::path::Path;

/// How lines begin that are not run, and why.
const NOT_RUN: [(&str, &str); 2] = [
    ("cargo run --release -- bench", "bench.rs runs `keylane bench`, without a release build"),
    ("cargo test --workspace", "it runs this test"),
];

#[test]
fn every_command_runs() {
    let text = include_str!("../../../../README.md");
    let place = Workplace::with(&[("a.log", b"one".as_slice()), ("b.log", b"another")]);
    std::fs::create_dir(place.path("photos")).unwrap();
    place.write("photos/sea", b"blue");
    let folder = Path::new(env!("CARGO_BIN_EXE_keylane")).parent().unwrap().display();
    let (mut left_out, mut run) = (Vec::new(), 0);
    for block in text.split("```sh\n").skip(1) {
        for line in block.split("```").next().unwrap().lines() {
            if let Some((start, _)) = NOT_RUN.iter().find(|(start, _)| line.starts_with(start)) {
                left_out.push(*start);
                continue;
            }
            let script = format!("PATH={folder}:$PATH; {line}");
            place.tool("sh", &["-e", "-c", &script]).expect("a shell").done();
            run += 1;
        }
    }
    assert!(run >= 6, "{run} commands");
    left_out.dedup();
    assert!(left_out.iter().eq(NOT_RUN.iter().map(|(start, _)| start)), "{left_out:?}");
    place.tool("tar", &["df", "photos.tar"]).expect("tar").done();
}
