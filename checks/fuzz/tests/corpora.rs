//! The fuzzers' inputs, again and on any toolchain: those that were found, and as many random ones.

use keylane_contracts::Random;
use keylane_fuzz::TARGETS;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// `cargo xtask fuzz` takes the targets' names from the folders.
#[test]
fn every_target_has_a_corpus() {
    let folders = fs::read_dir(corpora()).unwrap().map(|entry| entry.unwrap().file_name());
    let folders: BTreeSet<_> = folders.map(|name| name.into_string().unwrap()).collect();
    let names: BTreeSet<_> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(folders, names);
}

#[test]
fn what_was_found() {
    for target in TARGETS {
        let name = target.name;
        let mut inputs = 0;
        for entry in fs::read_dir(corpora().join(name)).unwrap() {
            let path = entry.unwrap().path();
            println!("{}", path.display());
            target.run(&fs::read(&path).unwrap());
            inputs += 1;
        }
        assert!((1..=256).contains(&inputs), "{name} has {inputs} inputs");
    }
}

#[test]
fn random_inputs() {
    let mut random = Random::new(20);
    for target in TARGETS {
        let name = target.name;
        for number in 0..120 {
            let len = [20, 300, 800][number % 3];
            let len = random.below(len);
            let input = random.bytes(len);
            println!("{name}, input {number}: {input:02x?}");
            target.run(&input);
        }
    }
}
