//! A library under test, and what all of them share: inputs, batches, copies.

use crate::{case::*, clock::*};
use std::hint::black_box;

/// One library.
pub struct Rival {
    pub name: String,
    pub version: String,
    /// The operation of a case with all done that can be done before; `None` where the library does not offer
    /// it.
    prepare: Prepare,
    enter: Box<dyn Fn()>,
}

type Prepare = Box<dyn Fn(&Case) -> Option<Op>>;

/// Runs an operation so many times on the buffer.
pub type Run<T> = Box<dyn FnMut(u64, &mut [u8]) -> T>;

/// An operation that is ready to run.
pub enum Op {
    /// On this thread.
    Here(Run<()>),
    /// In another process, which tells how many nanoseconds of CPU time it took.
    Elsewhere(Run<f64>),
}

impl Rival {
    pub fn new(
        name: impl Into<String>,
        version: impl Into<String>,
        prepare: impl Fn(&Case) -> Option<Op> + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            prepare: Box::new(prepare),
            enter: Box::new(|| ()),
        }
    }

    /// With what makes the process ready for this library, outside the timing.
    pub fn entered_by(self, enter: impl Fn() + 'static) -> Self {
        Self { enter: Box::new(enter), ..self }
    }

    /// To be called before `prepare` and before each sample.
    pub fn enter(&self) {
        (self.enter)()
    }

    /// The operation of a case. A library that only seals in place seals a copy where another buffer is
    /// wanted.
    pub fn prepare(&self, case: &Case) -> Option<Op> {
        let in_place = || {
            let Work::SealTo(a) = case.work else { return None };
            let mut seal = (self.prepare)(&Case { work: Work::Seal(a), ..*case })?;
            Some(case.seal_to(move |text, out| {
                out[..text.len()].copy_from_slice(text);
                seal.run_once(out)
            }))
        };
        (self.prepare)(case).or_else(in_place)
    }
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
            Self::Elsewhere(run) => drop(run(1, buffer)),
        }
    }
}

/// Wraps an operation on the buffer; the loop is monomorphised.
pub fn op(mut f: impl FnMut(&mut [u8]) + 'static) -> Op {
    Op::Here(Box::new(move |n, out| {
        for _ in 0..n {
            f(black_box(&mut *out));
        }
    }))
}

/// Making a key, say: what is made is dropped inside the timing.
pub fn setup<T>(mut f: impl FnMut() -> T + 'static) -> Op {
    op(move |_| drop(black_box(f())))
}

/// The key, of which the optimiser knows nothing: it must be set up each time.
pub fn new_key() -> &'static [u8; 32] {
    black_box(&KEY)
}

/// Text and tag.
pub fn split(out: &mut [u8]) -> (&mut [u8], &mut [u8; 16]) {
    out.split_last_chunk_mut().unwrap()
}

impl Case {
    /// A function of a message, on each of the batch: `f(message, out)`.
    pub fn messages(&self, mut f: impl FnMut(&[u8], &mut [u8]) + 'static) -> Op {
        let (m, len, batch) = (msg(self.batch * self.len), self.len, self.batch);
        if batch == 1 {
            return op(move |out| f(&m, out));
        }
        op(move |out| {
            let outs = out.chunks_exact_mut(out.len() / batch);
            m.chunks_exact(len).zip(outs).for_each(|(m, out)| f(m, out))
        })
    }

    /// A function of a password, on each of the batch: `f(password, out)`.
    pub fn passwords(&self, mut f: impl FnMut(&[u8; 16], &mut [u8]) + 'static) -> Op {
        let len = self.len;
        op(move |out| out.chunks_exact_mut(len).enumerate().for_each(|(i, out)| f(&password(i), out)))
    }

    /// Sealing into another buffer, text and tag: `f(text, out)`.
    pub fn seal_to(&self, mut f: impl FnMut(&[u8], &mut [u8]) + 'static) -> Op {
        let text = msg(self.len);
        op(move |out| f(&text, out))
    }

    /// Opening in place what the buffer is given first, text and tag.
    pub fn open(&self, a: Aead, mut f: impl FnMut(&mut [u8]) + 'static) -> Op {
        let sealed = sealed(a, self.len);
        op(move |out| {
            out.copy_from_slice(&sealed);
            f(out)
        })
    }
}
