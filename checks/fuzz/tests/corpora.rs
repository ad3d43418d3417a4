//! Runs the fuzzers' targets on any toolchain, with the inputs found so far and as many random ones.

use keylane_contracts::Random;
use keylane_fuzz::TARGETS;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;
use std::{env, fs};

/// Held by each test that runs targets. They select implementations, and a key that C has prepared for one is
/// written to by another that needs more powers.
static TARGETS_RUN: Mutex<()> = Mutex::new(());

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
    let _alone = TARGETS_RUN.lock();
    for target in TARGETS {
        let name = target.name;
        let mut inputs = 0;
        for entry in fs::read_dir(corpora().join(name)).unwrap() {
            let path = entry.unwrap().path();
            println!("{}", path.display());
            target.run(&fs::read(&path).unwrap());
            inputs += 1;
        }
        assert!((1..=400).contains(&inputs), "{name} has {inputs} inputs");
    }
}

/// For as many seconds as `KEYLANE_FUZZ_SECONDS` says, with other inputs in each run. Those of a run come
/// again with the seed that it prints, in `KEYLANE_FUZZ_SEED`.
#[test]
fn random_inputs() {
    let _alone = TARGETS_RUN.lock();
    let variable = |name| env::var(name).ok().map(|value| value.parse::<u64>().unwrap());
    let seconds = variable("KEYLANE_FUZZ_SECONDS");
    let any_seed = || seconds.map(|_| RandomState::new().build_hasher().finish());
    let seed = variable("KEYLANE_FUZZ_SEED").or_else(any_seed).unwrap_or(20);
    let (mut random, start, mut number) = (Random::new(seed), Instant::now(), 0);
    while number < 120 || seconds.is_some_and(|seconds| start.elapsed().as_secs() < seconds) {
        for target in TARGETS {
            let len = random.below([20, 300, 800][number % 3]);
            let input = random.bytes(len);
            let passed = catch_unwind(AssertUnwindSafe(|| target.run(&input)));
            assert!(
                passed.is_ok(),
                "{}, KEYLANE_FUZZ_SEED={seed}, input {number}: {input:02x?}",
                target.name
            );
        }
        number += 1;
    }
    println!("KEYLANE_FUZZ_SEED={seed}: {number} inputs for each target");
}
