//! Reads the memory of every type of Keylane that holds a secret, after the value was dropped. `cargo xtask
//! wiping` runs it, and checks that no public type is missing.
//!
//! Prints a line for each type and implementation, with tabs between: `seen`, type, with what,
//! implementation, bytes that depended on the secret while it lived, bytes that still did afterwards, bytes
//! between fields that did. The last but one must be 0, and must not for what was planted.

mod libraries;
mod memory;
mod planted;
mod watch;

use keylane_subjects::{Key, every_implementation};
use std::process::ExitCode;
use watch::{Case, Seen, watch};

/// Of each type that a case shows: less than a key would say that the case does not hold what it says.
const MIN_ALIVE: usize = 16;

fn main() -> ExitCode {
    memory::start();
    let mut faults = 0;
    for Case { types, with, run, boxes, .. } in planted::planted() {
        let seen = watch(run, boxes);
        faults += usize::from(seen.left.is_empty() || seen.alive < MIN_ALIVE);
        println!("planted\t{}\t{with}\t{}\t{}", types[0], seen.alive, seen.left.len());
    }
    for subject in keylane_secrets::all() {
        every_implementation(subject.primitive, |implementation| {
            let seen = watch(|secret| secret.subject(subject), watch::boxes_of(subject));
            let holds = if subject.holds.is_empty() { &["nothing between calls"] } else { subject.holds };
            let alive = if subject.holds.is_empty() && subject.key == Key::None { 0 } else { MIN_ALIVE };
            faults += usize::from(!report(holds, &subject.name, implementation, alive, &seen));
        });
    }
    for Case { types, with, primitive, boxes, run } in libraries::cases() {
        let mut look = |implementation: &str| {
            let seen = watch(run, boxes);
            faults += usize::from(!report(types, with, implementation, MIN_ALIVE, &seen));
        };
        match primitive {
            Some(primitive) => _ = every_implementation(primitive, look),
            None => look("-"),
        }
    }
    if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints what was seen, and says whether it is as it should be.
fn report(types: &[&str], with: &str, implementation: &str, alive: usize, seen: &Seen) -> bool {
    for name in types {
        let Seen { alive, left, padding } = seen;
        println!("seen\t{name}\t{with}\t{implementation}\t{alive}\t{}\t{padding}", left.len());
    }
    let too_few = seen.alive < alive * types.len();
    if too_few {
        eprintln!("{types:?} with {with}, {implementation}: {} bytes alive", seen.alive);
    }
    if !seen.left.is_empty() {
        eprintln!("{types:?} with {with}, {implementation}: left at {:?}", seen.left);
    }
    !too_few && seen.left.is_empty()
}
