//! Running a check on every implementation of a primitive.

use keylane::{Primitive, primitives};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held while an implementation is selected: the selection is the whole process's.
static SELECTION: Mutex<()> = Mutex::new(());

/// The names in the environment variable `KEYLANE_REQUIRE_BACKENDS`, separated by commas: instruction sets
/// that the machine under test is known to have. There, one that cannot run is a failure and not a skip.
#[must_use]
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

/// The primitive, with nothing selected on it; free again when dropped, also in a panic.
struct Exclusive {
    primitive: &'static Primitive,
    _lock: MutexGuard<'static, ()>,
}

impl Exclusive {
    fn new(name: &str) -> Self {
        // A test that panicked has released its selection: see `drop`.
        let lock = SELECTION.lock().unwrap_or_else(PoisonError::into_inner);
        let primitive = primitives().iter().find(|primitive| primitive.name() == name);
        let primitive = primitive.unwrap_or_else(|| panic!("no primitive is named {name}"));
        Self { primitive, _lock: lock }
    }
}

impl Drop for Exclusive {
    fn drop(&mut self) {
        self.primitive.reset();
    }
}

/// Runs `test` while no other test in this process selects an implementation; undoes what it selects.
pub fn exclusively<R>(primitive: &str, test: impl FnOnce(&'static Primitive) -> R) -> R {
    let exclusive = Exclusive::new(primitive);
    test(exclusive.primitive)
}

/// Runs `test` with each usable implementation of the primitive in turn, best first, and says how many there
/// were. `test` is given the implementation's name.
///
/// # Panics
/// With the implementation's name, if `test` panics; if an implementation fails its self-test; if an
/// implementation on the list is [`required`] and cannot run.
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
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| test(name))) {
                panic!("{primitive} on {name}: {}", message(&*payload));
            }
            ran += 1;
        }
        ran
    })
}

fn message(payload: &(dyn Any + Send)) -> &str {
    if let Some(message) = payload.downcast_ref::<String>() {
        message
    } else if let Some(message) = payload.downcast_ref::<&str>() {
        message
    } else {
        "a panic without a message"
    }
}

/// The names of the implementations that can run here.
pub fn usable(primitive: &Primitive) -> Vec<&'static str> {
    primitive.implementations().filter(|it| it.usable && it.passes_self_test).map(|it| it.name).collect()
}
