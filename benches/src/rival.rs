//! A library under test, and code that all libraries share: inputs, batches, the parts of HMAC and AEADs.

use crate::case::*;
use std::{borrow::Cow, hint::black_box};

/// An operation that is ready to run: so many times, on the buffer.
pub type Op = Box<dyn FnMut(u64, &mut [u8])>;

type Prepare = Box<dyn Fn(&Case) -> Option<Op>>;

/// One library.
pub struct Rival {
    pub name: &'static str,
    pub version: String,
    /// Returns the operation of a case, with all done that can be done before; `None` where the library does
    /// not offer it.
    pub prepare: Prepare,
    /// Cleans up. Called after `prepare` and after each sample, outside the timing.
    pub leave: Box<dyn Fn()>,
}

impl Rival {
    pub fn new(
        name: &'static str,
        version: impl Into<String>,
        prepare: impl Fn(&Case) -> Option<Op> + 'static,
    ) -> Self {
        Self { name, version: version.into(), prepare: Box::new(prepare), leave: Box::new(|| ()) }
    }
}

/// Wraps an operation on the buffer; the loop is monomorphised.
pub fn op(mut f: impl FnMut(&mut [u8]) + 'static) -> Op {
    Box::new(move |n, out| {
        for _ in 0..n {
            f(black_box(&mut *out));
        }
    })
}

/// Wraps the set-up of a key, say. What is made is dropped inside the timing. It is not moved, which would
/// copy it.
pub fn setup<T>(mut f: impl FnMut() -> T + 'static) -> Op {
    op(move |_| {
        black_box(&f());
    })
}

/// Returns the key, of which the optimiser knows nothing: it must be set up each time.
pub fn new_key() -> &'static [u8; 32] {
    black_box(&KEY)
}

/// Splits text and tag.
pub fn split(out: &mut [u8]) -> (&mut [u8], &mut [u8; 16]) {
    out.split_last_chunk_mut().unwrap()
}

/// Makes what [`Case::aead`] asks for from a function that seals in place: a copy first, if need be.
pub fn copying<K>(
    seal: impl Fn(&K, &mut [u8], &mut [u8; 16]) + 'static,
) -> impl Fn(&K, Option<&[u8]>, &mut [u8]) + 'static {
    move |key, from, out| {
        let (text, tag) = split(out);
        if let Some(from) = from {
            text.copy_from_slice(from);
        }
        seal(key, text, tag)
    }
}

impl Case {
    /// Runs `f(message, out)` on each message.
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

    /// Runs `f(password, out)` on each password.
    pub fn passwords(&self, mut f: impl FnMut(&[u8; 16], &mut [u8]) + 'static) -> Op {
        let len = self.len;
        op(move |out| out.chunks_exact_mut(len).enumerate().for_each(|(i, out)| f(&password(i), out)))
    }

    /// Runs HMAC: `mac(key, message, out)` owns a new key and borrows one that is kept.
    pub fn hmac<K: Clone + 'static>(
        &self,
        new: impl Fn(&[u8; 32]) -> K + 'static,
        mac: impl Fn(Cow<'_, K>, &[u8], &mut [u8]) + 'static,
    ) -> Op {
        match self.operation {
            "keysetup" => setup(move || new(new_key())),
            "newkey" => self.messages(move |m, out| mac(Cow::Owned(new(new_key())), m, out)),
            _ => {
                // A key for each message in the cases whose name says so. All are the same.
                let count = if self.operation.starts_with("each") { self.batch } else { 1 };
                let (keys, mut next): (Vec<K>, _) = ((0..count).map(|_| new(&KEY)).collect(), 0);
                self.messages(move |m, out| {
                    mac(Cow::Borrowed(&keys[next]), m, out);
                    next = (next + 1) % count;
                })
            }
        }
    }

    /// Runs an AEAD: `seal(key, from, out)` encrypts `from`, or else what `out` holds, and appends the tag;
    /// `open(key, out)` decrypts in place. A batch is one by one.
    pub fn aead<K: 'static>(
        &self,
        new: impl Fn(&[u8]) -> K + 'static,
        seal: impl Fn(&K, Option<&[u8]>, &mut [u8]) + 'static,
        open: impl Fn(&K, &mut [u8]) + 'static,
    ) -> Op {
        let (key, bytes, len) = (new(self.key()), self.key(), self.len + 16);
        match self.operation {
            "newkey" => op(move |out| seal(&new(black_box(bytes)), None, out)),
            "seal" => op(move |out| seal(&key, None, out)),
            "seal-to" => self.messages(move |text, out| seal(&key, Some(text), out)),
            "batch64" => op(move |out| out.chunks_exact_mut(len).for_each(|out| seal(&key, None, out))),
            _ => {
                let mut sealed = vec![0; self.out_len()];
                sealed.chunks_exact_mut(len).for_each(|out| seal(&key, Some(&msg(len - 16)), out));
                op(move |out| {
                    out.copy_from_slice(&sealed);
                    out.chunks_exact_mut(len).for_each(|out| open(&key, out))
                })
            }
        }
    }
}
