//! The fuzzer: the environment variable KEYLANE_FUZZ names the target. One program for all of them is
//! compiled and linked once.
#![no_main]

use keylane_fuzz::{TARGETS, Target};
use libfuzzer_sys::fuzz_target;
use std::env;
use std::hint::black_box;
use std::sync::OnceLock;

/// The planted fault if there is none.
static TARGET: OnceLock<Option<Target>> = OnceLock::new();

fuzz_target!(|input: &[u8]| match TARGET.get_or_init(named) {
    Some(target) => target.run(input),
    None => planted(input),
});

fn named() -> Option<Target> {
    let name = env::var("KEYLANE_FUZZ").expect("KEYLANE_FUZZ names a target");
    let target = TARGETS.into_iter().find(|target| target.name == name);
    assert!(target.is_some() || name == "planted", "no target is named {name}");
    target
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
