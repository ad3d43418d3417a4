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
use clock::{Clock, Stamp};
use std::hint::black_box;

/// Our own name among the rivals.
pub const OURS: &str = "keylane";

/// Whether a column is ours: one of our implementations is named `keylane:` and its name.
pub fn is_ours(rival: &str) -> bool {
    rival.split(':').next() == Some(OURS)
}

/// Runs an operation so many times on the buffer.
pub type Run<T> = Box<dyn FnMut(u64, &mut [u8]) -> T>;

/// An operation that is ready to run.
pub enum Op {
    /// On this thread.
    Here(Run<()>),
    /// In another process, which tells how many nanoseconds of CPU time it took.
    Elsewhere(Run<f64>),
}

/// One library under test. To add one: a module in `rivals/`, and a line in `rivals::all`.
pub trait Rival {
    fn name(&self) -> String;
    fn version(&self) -> String;
    /// The operation for this case with everything preparable already prepared; `None` where the library does not
    /// offer it.
    fn prepare(&self, case: &Case) -> Option<Op>;
    /// Called before [`prepare`](Self::prepare) and before each sample, outside the timing: puts what is the whole
    /// process's as this rival wants it.
    fn enter(&self) {}
}

/// Wraps a single operation into an [`Op`]; the loop is monomorphised.
pub fn op(mut f: impl FnMut(&mut [u8]) + 'static) -> Option<Op> {
    Some(Op::Here(Box::new(move |n, out| {
        for _ in 0..n {
            f(black_box(&mut *out));
        }
    })))
}

impl Op {
    /// Runs the operation `n` times on the buffer.
    pub fn time(&mut self, clock: &mut Clock, n: u64, buffer: &mut [u8]) -> Stamp {
        match self {
            Self::Here(run) => clock.time(|| run(n, buffer)),
            Self::Elsewhere(run) => clock.estimate(|| run(n, buffer)),
        }
    }

    /// Runs it once, for its result.
    pub fn run_once(&mut self, buffer: &mut [u8]) {
        match self {
            Self::Here(run) => run(1, buffer),
            Self::Elsewhere(run) => {
                run(1, buffer);
            }
        }
    }
}
