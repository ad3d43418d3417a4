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

use keylane_contracts::every_implementation;
use std::process::ExitCode;
use watch::{Case, watch};

/// Does nothing: `constant-time`, with which this program shares one build of the library, has its own.
#[cfg(keylane_constant_time)]
#[unsafe(no_mangle)]
fn keylane_declassify(_: *mut u8, _: usize) {}

fn main() -> ExitCode {
    memory::start();
    let mut good = true;
    for case in planted::planted() {
        let seen = watch(&case);
        good &= !seen.left.is_empty() && seen.alive >= case.min_alive;
        println!("planted\t{}\t{}\t{}\t{}", case.types[0], case.with, seen.alive, seen.left.len());
    }
    for case in keylane_secrets::all().map(Case::of).chain(libraries::cases()) {
        let mut look = |implementation: &str| good &= is_wiped(&case, implementation);
        match case.primitive {
            Some(primitive) => _ = every_implementation(primitive, look),
            None => look("-"),
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints what is seen of a case, and returns whether it is as it should be.
fn is_wiped(case: &Case, implementation: &str) -> bool {
    let (seen, Case { types, with, .. }) = (watch(case), case);
    for name in *types {
        let (alive, left, padding) = (seen.alive, seen.left.len(), seen.padding);
        println!("seen\t{name}\t{with}\t{implementation}\t{alive}\t{left}\t{padding}");
    }
    let is_wiped = seen.alive >= case.min_alive && seen.left.is_empty();
    if !is_wiped {
        let (alive, left) = (seen.alive, seen.left);
        eprintln!("{types:?} with {with}, {implementation}: {alive} bytes alive, left at {left:?}");
    }
    is_wiped
}
