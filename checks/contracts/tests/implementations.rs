//! Does a check run on every implementation, one at a time, and does a failure leave the choice free?

use keylane::{Implementation, primitives};
use keylane_contracts::{every_implementation, exclusively};
use std::panic::catch_unwind;

fn chosen() -> Vec<Implementation> {
    primitives()[1].implementations().filter(|implementation| implementation.chosen).collect()
}

#[test]
fn every_usable_implementation_runs_alone_and_once() {
    let free = exclusively("sha256", |_| chosen());
    let mut names = Vec::new();
    let ran = every_implementation("sha256", |name| {
        assert_eq!(chosen().iter().map(|i| i.name).collect::<Vec<_>>(), [name]);
        names.push(name.to_owned());
    });
    let usable: Vec<_> =
        primitives()[1].implementations().filter(|i| i.usable).map(|i| i.name.to_owned()).collect();
    assert_eq!(names, usable);
    assert_eq!(ran, usable.len());
    assert_eq!(exclusively("sha256", |_| chosen()), free);
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
