//! Keylane beside other libraries: one case table, interleaved rounds, one clock.
#![allow(missing_docs, reason = "the names say it; this crate is never published")]

pub mod bars;
pub mod case;
pub mod chart;
pub mod clock;
pub mod cpu;
pub mod lock;
pub mod measure;
pub mod report;
pub mod results;
pub mod rivals;

use case::Case;
use std::hint::black_box;

/// Our own name among the rivals.
pub const OURS: &str = "keylane";

/// Runs the operation `n` times on the buffer.
pub type Op = Box<dyn FnMut(u64, &mut [u8])>;

/// One library under test. To add one: a module in `rivals/`, and a line in `rivals::all`.
pub trait Rival {
    fn name(&self) -> String;
    fn version(&self) -> String;
    /// The operation for this case with everything preparable already prepared; `None` where the library does not
    /// offer it.
    fn prepare(&self, case: &Case) -> Option<Op>;
}

/// Wraps a single operation into an [`Op`]; the loop is monomorphised.
pub fn op(mut f: impl FnMut(&mut [u8]) + 'static) -> Option<Op> {
    Some(Box::new(move |n, out| {
        for _ in 0..n {
            f(black_box(&mut *out));
        }
    }))
}
