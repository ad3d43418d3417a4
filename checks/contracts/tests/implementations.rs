//! Checks that a check runs on every implementation, one at a time, and that a failure resets the choice.

use keylane::{Implementation, primitives};
use keylane_contracts::{every_implementation, exclusively};
use std::panic::catch_unwind;

fn chosen() -> Vec<Implementation> {
    primitives()[1].implementations().filter(|implementation| implementation.chosen).collect()
}

#[test]
fn a_panic_names_the_implementation_and_frees_the_choice() {
    let free = exclusively("sha256", |_| chosen());
    let panic = catch_unwind(|| {
        every_implementation("sha256", |name| assert!(name != "portable", "two is not three"));
    })
    .unwrap_err();
    assert_eq!(panic.downcast_ref::<String>().unwrap(), "sha256 on portable: see the panic above");
    assert_eq!(exclusively("sha256", |_| chosen()), free);
}

#[test]
fn an_unknown_primitive_is_no_empty_list() {
    assert!(catch_unwind(|| every_implementation("sha265", |_| ())).is_err());
}
