//! A fuzzer's bytes, or random ones, as choices; after the last byte, choices are zero or empty.

use crate::{Guarded, Random, painted, tells_nothing};
use arbitrary::{Arbitrary, Unstructured};
use keylane::Primitive;
use std::fmt::Debug;

/// Longer text reaches no other code.
const LONGEST: usize = 4500;

/// What a check's inputs are drawn from.
pub struct Choices<'a> {
    bytes: Unstructured<'a>,
    /// The message's length and its first cut, where a test goes through them.
    len: Option<usize>,
    cut: Option<usize>,
    hand_over: Option<(&'static Primitive, Vec<&'static str>)>,
}

impl<'a> Choices<'a> {
    /// Chooses by these bytes.
    pub fn new(input: &'a [u8]) -> Self {
        Self { bytes: Unstructured::new(input), len: None, cut: None, hand_over: None }
    }

    /// Passes on random choices: the same for a seed. The message has this length, if one is given, and is
    /// cut there.
    pub fn random(seed: usize, len: Option<usize>, cut: Option<usize>, check: impl FnOnce(&mut Choices<'_>)) {
        let input = Random::new(seed as u64).bytes(2000);
        check(&mut Choices { len, cut, ..Choices::new(&input) });
    }

    /// Returns the bytes that are left, for what chooses in its own way.
    pub fn rest(&mut self) -> &'a [u8] {
        self.bytes.peek_bytes(self.bytes.len()).expect("as many as there are")
    }

    /// Other implementations of the primitive go on with what one began.
    pub fn hand_over(&mut self, primitive: &'static Primitive, names: Vec<&'static str>) {
        self.hand_over = Some((primitive, names));
    }

    /// Between two calls: another implementation may be selected.
    pub fn step(&mut self) {
        let Some((primitive, names)) = &self.hand_over else { return };
        let name = self.bytes.choose(names).unwrap_or(&names[0]);
        primitive.select(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    }

    /// A number, a flag, an array of bytes.
    pub fn any<T: Arbitrary<'a> + Default>(&mut self) -> T {
        self.bytes.arbitrary().unwrap_or_default()
    }

    /// From 0 to `limit`.
    pub fn up_to(&mut self, limit: usize) -> usize {
        self.bytes.int_in_range(0..=limit).unwrap_or(0)
    }

    /// One of these.
    ///
    /// # Panics
    /// If there is none.
    pub fn one_of<'b, T>(&mut self, all: &'b [T]) -> &'b T {
        &all[usize::from(self.any::<u8>()) % all.len()]
    }

    /// True once in so many times; for more than one, false when there are no choices left.
    pub fn one_in(&mut self, times: u16) -> bool {
        (self.any::<u16>() as u32 + 1).is_multiple_of(u32::from(times))
    }

    /// At most `limit` bytes, as they come.
    pub fn bytes(&mut self, limit: usize) -> Vec<u8> {
        let len = self.up_to(limit).min(self.bytes.len());
        self.bytes.bytes(len).expect("as many as there are").to_vec()
    }

    /// `len` bytes.
    pub fn array(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = self.bytes.bytes(len.min(self.bytes.len())).expect("as many as there are").to_vec();
        bytes.resize(len, 0xff);
        match self.any::<u8>() {
            0xf0..=0xf7 => vec![0; len],
            0xf8.. => vec![0xff; len],
            _ => bytes,
        }
    }

    /// The message.
    pub fn message(&mut self) -> Vec<u8> {
        let Some(len) = self.len else { return self.text() };
        let (from, mut message) = (self.up_to(250), self.array(len.min(64)));
        message.extend_from_slice(&painted(from + len)[from + message.len()..]);
        message
    }

    /// Bytes as they come, and often enough of one kind after them to reach the lengths that matter.
    pub fn text(&mut self) -> Vec<u8> {
        let (kind, fill) = (self.any::<u8>(), self.any::<u8>());
        let longest = if self.len.is_some() { 600 } else { LONGEST };
        let len = match kind % 4 {
            0 => self.up_to(longest),
            // Whole blocks, a little more, a little less.
            1 => (64 * self.up_to(longest / 64) + self.up_to(16)).saturating_sub(8),
            _ => 0,
        };
        let mut text = self.bytes(if self.len.is_some() { 40 } else { 300 });
        if len > text.len() {
            text.resize(len, fill);
        }
        text
    }

    /// The same next to an inaccessible page, or at any alignment.
    pub fn placed(&mut self, bytes: &[u8]) -> Guarded {
        if self.any() { Guarded::at_start(bytes) } else { Guarded::at_end(bytes) }
    }

    /// Where something so long is cut, in ascending order.
    pub fn cuts(&mut self, max: usize, len: usize) -> Vec<usize> {
        let mut cuts: Vec<_> = (0..self.up_to(max)).map(|_| self.up_to(len)).collect();
        if let Some(cut) = self.cut {
            cuts = vec![cut.min(len)];
        }
        cuts.sort_unstable();
        cuts
    }

    /// The same in pieces, some of them empty.
    pub fn pieces<'b>(&mut self, text: &'b [u8]) -> Vec<&'b [u8]> {
        if self.cut.is_none() && self.one_in(8) && !text.is_empty() {
            return text.chunks(1 + self.up_to(130).max(text.len() / 100)).collect();
        }
        let cuts = self.cuts(12, text.len());
        let starts = [0].into_iter().chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain([text.len()]);
        starts.zip(ends).map(|(start, end)| &text[start..end]).collect()
    }

    /// Looks now and then whether a value's text [shows a secret](tells_nothing).
    pub fn shown(&mut self, value: &impl Debug, secret: &[u8]) {
        if self.one_in(16) {
            tells_nothing(value, secret);
        }
    }

    /// Changes one bit. Nothing has none.
    pub fn flip(&mut self, bytes: &mut [u8]) {
        if let Some(last) = bytes.len().checked_sub(1) {
            bytes[self.up_to(last)] ^= 1 << (self.any::<u8>() % 8);
        }
    }
}
