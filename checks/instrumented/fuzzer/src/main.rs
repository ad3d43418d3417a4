//! The fuzzer: the environment variable KEYLANE_FUZZ names the target. One program for all of them is
//! compiled and linked once.
#![no_main]

use keylane_fuzz::{Target, targets};
use libfuzzer_sys::fuzz_target;
use std::env;
use std::hint::black_box;
use std::sync::OnceLock;

enum Run {
    Target(Target),
    /// Every target on every input: to count what all corpora reach together.
    All(Vec<Target>),
    Planted,
}

static RUN: OnceLock<Run> = OnceLock::new();

fuzz_target!(init: drop(RUN.set(named())), |input: &[u8]| match RUN.get().expect("init has set it") {
    Run::Target(target) => target.run(input),
    Run::All(targets) => targets.iter().for_each(|target| target.run(input)),
    Run::Planted => planted(input),
});

fn named() -> Run {
    let name = env::var("KEYLANE_FUZZ").expect("KEYLANE_FUZZ names a target");
    match &*name {
        "all" => Run::All(targets().collect()),
        "planted" => Run::Planted,
        name => {
            let found = targets().find(|target| target.name == name);
            Run::Target(found.unwrap_or_else(|| panic!("no target is named {name}")))
        }
    }
}

/// A fault that must be found: a read past a block's end, for inputs that begin in one way out of 2^32. It
/// shows that the fuzzer follows branches, and that AddressSanitizer watches.
fn planted(input: &[u8]) {
    if let [b'l', b'a', b'n', b'e', ..] = input {
        let block = input.to_vec().into_boxed_slice();
        // SAFETY: there is none. AddressSanitizer ends the process here.
        black_box(unsafe { block.as_ptr().add(block.len()).read_volatile() });
    }
}
