//! Runs a test on every implementation of a primitive.

use keylane::{Primitive, primitives};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

/// Held while an implementation is selected: the selection is the whole process's.
static SELECTION: Mutex<()> = Mutex::new(());

/// The names in the environment variable `KEYLANE_REQUIRE_BACKENDS`, separated by commas: instruction sets
/// that the machine under test is known to have. There, one that cannot run is a failure and not a skip.
pub fn required() -> Vec<String> {
    let names = std::env::var("KEYLANE_REQUIRE_BACKENDS").unwrap_or_default();
    names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Says that the instruction set `name` is not run here.
///
/// # Panics
/// If it is [`required`].
pub fn require(name: &str) {
    assert!(!required().iter().any(|required| required == name), "{name} is required, and not usable here");
    println!("not run here: {name}");
}

/// Runs `test` while no other test in this process selects an implementation; undoes what it selects, also
/// after a panic.
///
/// # Panics
/// If `test` panics, or if no primitive has the name.
pub fn exclusively<R>(primitive: &str, test: impl FnOnce(&'static Primitive) -> R) -> R {
    // What panicked while it held the lock has undone its selection.
    let _lock = SELECTION.lock().unwrap_or_else(PoisonError::into_inner);
    let found = primitives().iter().find(|found| found.name() == primitive);
    let found = found.unwrap_or_else(|| panic!("no primitive is named {primitive}"));
    let result = catch_unwind(AssertUnwindSafe(|| test(found)));
    found.reset();
    result.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Runs `test` with each usable implementation of the primitive in turn, best first, and says how many there
/// were. `test` is given the implementation's name.
///
/// # Panics
/// With the implementation's name, if `test` panics; if an implementation fails its self-test; if an
/// implementation on the list is [`required`] and cannot run; if none can.
pub fn every_implementation(primitive: &str, mut test: impl FnMut(&str)) -> usize {
    exclusively(primitive, |list| {
        let mut ran = 0;
        for implementation in list.implementations() {
            let name = implementation.name;
            if !implementation.usable {
                require(name);
                continue;
            }
            assert!(implementation.passes_self_test, "{primitive} on {name}: the self-test fails");
            list.select(name).unwrap_or_else(|error| panic!("{primitive} on {name}: {error}"));
            let passed = catch_unwind(AssertUnwindSafe(|| test(name)));
            assert!(passed.is_ok(), "{primitive} on {name}: see the panic above");
            ran += 1;
        }
        assert!(ran > 0, "{primitive}: no implementation ran");
        ran
    })
}

/// The names of the implementations that can run here.
pub fn usable(primitive: &Primitive) -> Vec<&'static str> {
    primitive.implementations().filter(|it| it.usable && it.passes_self_test).map(|it| it.name).collect()
}
