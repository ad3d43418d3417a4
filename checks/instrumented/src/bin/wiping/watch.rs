//! Runs a case with two secrets; memory that differs depends on the secret.

use crate::memory::{self, Image};
use keylane_contracts::{Call, Key, Random, Subject, clean_stack};

/// What a case is given: bytes that are others in each run, and the same in none.
pub(crate) struct Secret {
    random: Random,
    alive: Option<Image>,
}

impl Secret {
    fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), alive: None }
    }

    /// Other bytes with each call. They lie on the stack.
    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        self.random.array()
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

/// A type at work.
pub(crate) struct Case {
    /// The types that it shows, as the documentation names them, or the crate or module whose own values they
    /// are.
    pub(crate) types: &'static [&'static str],
    /// With what: `"aes-256-gcm"`.
    pub(crate) with: String,
    /// The primitive of whose implementations each is to be seen; none for what has no choice.
    pub(crate) primitive: Option<&'static str>,
    /// Whether a library puts values on the heap, and not [`boxed`](keylane_contracts::boxed). What lies
    /// between a value's fields is then copied from the stack: fewer bytes in a row than [`PADDING`], which
    /// no key is as short as, and no more than [`MAX_PADDING`] in all.
    pub(crate) has_padding: bool,
    /// How many bytes depend on the secret while it lives, at least.
    pub(crate) min_alive: usize,
    /// What is done. All that is secret comes from the [`Secret`], which is told at the end that it lives.
    /// What depends on the secret and is public, as sealed texts do, belongs on the stack, which is not
    /// compared.
    pub(crate) run: Box<dyn Fn(&mut Secret)>,
}

/// Less than a key would say that a type does not hold what its case says.
const MIN_ALIVE: usize = 16;

impl Case {
    /// A type that boxes its values itself.
    pub(crate) fn new(
        types: &'static [&'static str],
        with: impl Into<String>,
        primitive: Option<&'static str>,
        run: impl Fn(&mut Secret) + 'static,
    ) -> Self {
        let (with, min_alive, run) = (with.into(), MIN_ALIVE * types.len(), Box::new(run));
        Self { types, with, primitive, has_padding: true, min_alive, run }
    }

    pub(crate) fn of(subject: &'static Subject) -> Self {
        let types = if subject.holds.is_empty() { &["nothing between calls"] } else { subject.holds };
        let case =
            Self::new(types, &*subject.name, Some(subject.primitive), |secret| secret.subject(subject));
        // The operation's box is ours, and what a crate above `keylane` boxes is its own.
        let has_padding = !subject.holds.iter().all(|name| name.starts_with("keylane::"));
        let holds_nothing = subject.holds.is_empty() && subject.key == Key::None;
        Self { has_padding, min_alive: if holds_nothing { 0 } else { case.min_alive }, ..case }
    }
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
pub(crate) fn watch(case: &Case) -> Seen {
    // What stays for good, as pools and lists that are made once, is allocated here. It is compared as well.
    memory::watched(|| (case.run)(&mut Secret::new(1)));
    let mark = memory::mark();
    let [(alive, left), (other_alive, other_left)] = [2, 3].map(|seed| {
        let mut secret = Secret::new(seed);
        memory::watched(|| (case.run)(&mut secret));
        let images = (secret.alive.take().expect("a case says when its secret lives"), Image::take());
        // SAFETY: the case has dropped what it allocated, but for what it allocates once, which lies before
        // the mark.
        unsafe { memory::forget(mark) };
        images
    });
    let (alive, differences) = (alive.differences(&other_alive).len(), left.differences(&other_left));
    let all = differences.len();
    let runs = differences.chunk_by(|a, b| a + 1 == *b);
    let long: Vec<_> = runs.filter(|run| run.len() >= PADDING).flatten().copied().collect();
    let left = if case.has_padding && all - long.len() <= MAX_PADDING { long } else { differences };
    Seen { alive, padding: all - left.len(), left }
}

#[inline(never)]
fn make_box(subject: &Subject, key: &[u8]) -> keylane_contracts::Operation {
    (subject.make)(key)
}
