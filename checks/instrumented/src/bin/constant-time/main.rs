//! Looks for branches and addresses that depend on secrets: `cargo xtask constant-time`.
//!
//! Secrets are marked, and a tool follows them through every subject on every implementation that the tool
//! and this CPU support. Branches and addresses may depend only on public values: lengths, and values that
//! went through `keylane_cpu::constant_time::declassify`. What neither tool sees is in
//! `docs/decisions/0020-constant-time-by-two-tools.md`.

mod planted;
mod tool;
mod watch;

use keylane_contracts::every_implementation;
use watch::Watch;

fn main() {
    assert!(tool::is_there(), "nothing follows the secrets: run this by `cargo xtask constant-time`");
    let mut planted = planted::LEAKS.len();
    for (name, leak) in planted::LEAKS {
        assert!(planted::is_reported(leak), "the tool does not report {name}");
    }
    for primitive in keylane::primitives() {
        planted += every_implementation(primitive.name(), |_| {
            assert!(planted::is_reported(|| planted::output(primitive)), "the tool does not report a leak");
        });
    }
    // What was reported so far was planted.
    eprintln!("-- end");
    let (mut all, mut seen, mut cases, mut faults) = (0, 0, 0, 0);
    for primitive in keylane::primitives() {
        all += primitive.implementations().count();
        seen += every_implementation(primitive.name(), |name| {
            let mut watch = Watch::default();
            for subject in keylane_secrets::all().filter(|subject| subject.primitive == primitive.name()) {
                watch.subject(subject, name);
            }
            assert!(watch.cases > 0, "no case");
            cases += watch.cases;
            faults += watch.faults;
        });
    }
    assert_eq!(faults, 0, "see the reports above");
    println!("{cases} cases, {seen} of {all} implementations, {planted} planted leaks");
}
