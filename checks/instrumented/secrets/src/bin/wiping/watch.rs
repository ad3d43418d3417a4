//! A case is run with one secret and with another; what differs in memory came from the secret.

use crate::memory::{self, Image};
use keylane_subjects::{Call, Subject};
use std::hint::black_box;

/// What a case is given: bytes that are others in each run, and the same in none.
pub(crate) struct Secret {
    random: u64,
    alive: Option<Image>,
}

impl Secret {
    fn new(seed: u64) -> Self {
        Self { random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, alive: None }
    }

    /// Other bytes with each call. They lie on the stack.
    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| {
            // Marsaglia's xorshift64.
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            (self.random >> 32) as u8
        })
    }

    /// Makes a subject with a secret key, and runs it on a secret text.
    pub(crate) fn subject(&mut self, subject: &Subject) {
        // Nonces are public.
        let mut key = [9; 61];
        key[..32].copy_from_slice(&self.bytes::<32>());
        let (mut data, mut answer) = (self.bytes::<1331>(), [0; 64]);
        clean_stack();
        let mut run = make_box(subject, &key);
        run(&mut Call { data: &mut data, cuts: &[77, 300, 301, 700], answer: &mut answer });
        self.lives();
    }

    /// Says that what holds the secret lives, and was used.
    pub(crate) fn lives(&mut self) {
        self.alive = Some(Image::take());
    }
}

/// What is done with a type, all that is secret in it coming from the [`Secret`], which is told at the end
/// that it lives. What depends on the secret and is public, as sealed texts do, belongs on the stack, which
/// is not compared.
pub(crate) type Use = fn(&mut Secret);

/// A type at work.
pub(crate) struct Case {
    /// The types that it shows, as the documentation names them, or the crate or module whose own values they
    /// are.
    pub(crate) types: &'static [&'static str],
    /// With what: `"aes-256-gcm"`.
    pub(crate) with: &'static str,
    /// The primitive of whose implementations each is to be seen; none for what has no choice.
    pub(crate) primitive: Option<&'static str>,
    pub(crate) boxes: Boxes,
    pub(crate) run: Use,
}

/// Who puts the values on the heap.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Boxes {
    /// The case, by [`boxed`].
    OfCase,
    /// Functions of a library. What lies between a value's fields is copied from their stack: fewer bytes in
    /// a row than [`PADDING`], which no key is as short as, and no more than [`MAX_PADDING`] in all.
    OfLibrary,
}

/// No field is aligned to more, outside of what the cases box themselves.
const PADDING: usize = 8;

/// Of a case, all values together. A few fields of a few values: a key in pieces, each too short for itself
/// to be seen, would be more.
const MAX_PADDING: usize = 64;

/// What was seen of a case.
pub(crate) struct Seen {
    /// How many bytes depended on the secret as it lived.
    pub(crate) alive: usize,
    /// Which still did when all was dropped, from the arena's start.
    pub(crate) left: Vec<usize>,
    /// How many more did between fields.
    pub(crate) padding: usize,
}

/// Runs a case with two secrets.
pub(crate) fn watch(run: impl Fn(&mut Secret), boxes: Boxes) -> Seen {
    // Allocates what stays, such as pools and lists that are made once. It is compared as well.
    memory::watched(|| run(&mut Secret::new(1)));
    let mark = memory::mark();
    let mut images = [2, 3].map(|seed| {
        let mut secret = Secret::new(seed);
        memory::watched(|| run(&mut secret));
        let images = (secret.alive.take().expect("a case says when its secret lives"), Image::take());
        // SAFETY: the case has dropped what it allocated, but for what it allocates once, which lies before
        // the mark.
        unsafe { memory::forget(mark) };
        images
    });
    let [(alive, left), (other_alive, other_left)] = &mut images;
    let differences = left.differences(other_left);
    let all = differences.len();
    let runs = differences.chunk_by(|a, b| a + 1 == *b);
    let long: Vec<_> = runs.filter(|run| run.len() >= PADDING).flatten().copied().collect();
    let left = if boxes == Boxes::OfLibrary && all - long.len() <= MAX_PADDING { long } else { differences };
    Seen { alive: alive.differences(other_alive).len(), padding: all - left.len(), left }
}

/// Who puts a subject's values on the heap.
pub(crate) fn boxes_of(subject: &Subject) -> Boxes {
    // The operation's box is ours, and what a crate above boxes is its own.
    let is_ours = subject.holds.iter().all(|name| name.starts_with("keylane::"));
    if is_ours { Boxes::OfCase } else { Boxes::OfLibrary }
}

#[inline(never)]
fn make_box(subject: &Subject, key: &[u8]) -> keylane_subjects::Operation {
    (subject.make)(key)
}

/// A value on the heap, made on a stack of zeros: what lies between its fields is copied from there, and
/// would be what other functions left there.
pub(crate) fn boxed<T>(make: impl FnOnce() -> T) -> Box<T> {
    clean_stack();
    new_box(make)
}

#[inline(never)]
fn new_box<T>(make: impl FnOnce() -> T) -> Box<T> {
    Box::new(make())
}

#[inline(never)]
fn clean_stack() {
    black_box([0_u8; 1 << 16]);
}
