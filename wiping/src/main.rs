//! Reads the memory of every type of Keylane that holds a secret, after the value was dropped. `cargo xtask wiping` runs it, and checks
//! that no public type is missing.
//!
//! Prints a line for each type and implementation, with tabs between: `seen`, type, with what, implementation, bytes that depended on the
//! secret while it lived, bytes that still did afterwards, bytes between fields that did. The last but one must be 0, and must not for what
//! was planted.

mod cases;
mod memory;
mod watch;

use keylane_testkit::every_backend;
use std::process::ExitCode;
use watch::{Case, watch};

/// Of each type that a case shows: less than a key would say that the case does not hold what it says.
const LEAST_ALIVE: usize = 16;

fn main() -> ExitCode {
    memory::start();
    let mut faults = 0;
    for Case { types, with, run, boxes, .. } in cases::planted() {
        let seen = watch(run, boxes);
        let told = !seen.left.is_empty();
        faults += usize::from(!told || seen.alive < LEAST_ALIVE);
        println!("planted\t{}\t{with}\t{}\t{}", types[0], seen.alive, seen.left.len());
    }
    for case in cases::all() {
        let mut look = |implementation: &str| {
            let seen = watch(case.run, case.boxes);
            let too_few = seen.alive < LEAST_ALIVE * case.types.len();
            faults += usize::from(!seen.left.is_empty() || too_few);
            for name in case.types {
                let (with, left) = (case.with, seen.left.len());
                println!("seen\t{name}\t{with}\t{implementation}\t{}\t{left}\t{}", seen.alive, seen.padding);
            }
            if too_few {
                eprintln!(
                    "{} with {}, {implementation}: {} bytes alive",
                    case.types[0], case.with, seen.alive
                );
            }
            if !seen.left.is_empty() {
                eprintln!("{} with {}, {implementation}: left at {:?}", case.types[0], case.with, seen.left);
            }
        };
        match case.primitive {
            Some(primitive) => {
                every_backend(primitive, look);
            }
            None => look("-"),
        }
    }
    if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
