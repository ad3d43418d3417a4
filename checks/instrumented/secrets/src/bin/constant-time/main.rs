//! Looks for branches and addresses that depend on secrets: `cargo xtask constant-time`.
//!
//! Secrets are marked, and a tool follows them through every subject on every implementation that the tool
//! and this CPU know. A branch is taken, and an address formed, only on what is public: lengths, and what
//! went through `keylane_cpu::constant_time::declassify`. What neither tool sees is in
//! `docs/notes/constant-time.md`.

mod planted;
mod tool;
mod watch;

use keylane::Primitive;
use std::process::ExitCode;
use watch::Watch;

fn main() -> ExitCode {
    assert!(tool::is_there(), "nothing follows the secrets: run this by `cargo xtask constant-time`");
    let mut bad = false;
    for (name, leak) in planted::LEAKS {
        eprintln!("-- planted: {name}");
        let reported = planted::is_reported(leak);
        eprintln!("-- end");
        println!("planted\t{name}\t{reported}");
        bad |= !reported;
    }
    eprintln!("-- planted after each implementation");
    each_implementation(|primitive, name| {
        let reported = planted::is_reported(|| planted::output(primitive));
        println!("planted\tafter {} by {name}\t{reported}", primitive.name());
        bad |= !reported;
    });
    eprintln!("-- end");
    each_implementation(|primitive, name| {
        let mut watch = Watch::default();
        for subject in keylane_secrets::all().filter(|subject| subject.primitive == primitive.name()) {
            watch.subject(subject, name);
        }
        println!("seen\t{}\t{name}\t{}\t{}", primitive.name(), watch.cases, watch.faults);
        bad |= watch.faults > 0;
    });
    for primitive in keylane::primitives() {
        for implementation in primitive.implementations().filter(|implementation| !implementation.usable) {
            println!("absent\t{}\t{}", primitive.name(), implementation.name);
        }
    }
    ExitCode::from(u8::from(bad))
}

/// Those that the tool and this CPU know, each while it is selected.
fn each_implementation(mut run: impl FnMut(&'static Primitive, &str)) {
    for primitive in keylane::primitives() {
        for implementation in primitive.implementations().filter(|implementation| implementation.usable) {
            primitive.select(implementation.name).expect("it is usable and passes its self-test");
            run(primitive, implementation.name);
            primitive.reset();
        }
    }
}
