//! The fuzzer's bytes as choices; zeros and nothings after the last one.

use arbitrary::{Arbitrary, Unstructured};

/// Text longer than this is the same code again.
const LONGEST: usize = 4500;

pub(crate) struct Choices<'a>(Unstructured<'a>);

impl<'a> Choices<'a> {
    pub(crate) fn new(input: &'a [u8]) -> Self {
        Self(Unstructured::new(input))
    }

    /// A number, a flag, an array of bytes.
    pub(crate) fn any<T: Arbitrary<'a> + Default>(&mut self) -> T {
        self.0.arbitrary().unwrap_or_default()
    }

    /// From 0 to `limit`.
    pub(crate) fn up_to(&mut self, limit: usize) -> usize {
        self.0.int_in_range(0..=limit).unwrap_or(0)
    }

    /// Once in so many times; for more than one, not when there are no choices left.
    pub(crate) fn one_in(&mut self, times: u16) -> bool {
        (self.any::<u16>() as u32 + 1).is_multiple_of(u32::from(times))
    }

    /// At most `limit` bytes, as they come.
    pub(crate) fn bytes(&mut self, limit: usize) -> Vec<u8> {
        let len = self.up_to(limit).min(self.0.len());
        self.0.bytes(len).expect("as many as there are").to_vec()
    }

    /// Bytes as they come, and often enough of one kind behind them to reach the lengths that matter.
    pub(crate) fn text(&mut self) -> Vec<u8> {
        let (kind, fill) = (self.any::<u8>(), self.any::<u8>());
        let len = match kind % 4 {
            0 => self.up_to(LONGEST),
            // Whole blocks, a little more, a little less.
            1 => (64 * self.up_to(LONGEST / 64) + self.up_to(16)).saturating_sub(8),
            _ => 0,
        };
        let mut text = self.bytes(300);
        if len > text.len() {
            text.resize(len, fill);
        }
        text
    }

    /// Where something so long is cut, in ascending order.
    pub(crate) fn cuts(&mut self, most: usize, len: usize) -> Vec<usize> {
        let mut cuts: Vec<_> = (0..self.up_to(most)).map(|_| self.up_to(len)).collect();
        cuts.sort_unstable();
        cuts
    }

    /// The same in pieces, some of them empty.
    pub(crate) fn pieces<'b>(&mut self, text: &'b [u8]) -> Vec<&'b [u8]> {
        let cuts = self.cuts(12, text.len());
        let starts = [0].into_iter().chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain([text.len()]);
        starts.zip(ends).map(|(start, end)| &text[start..end]).collect()
    }

    /// Changes one bit. Nothing has none.
    pub(crate) fn flip(&mut self, bytes: &mut [u8]) {
        if let Some(last) = bytes.len().checked_sub(1) {
            bytes[self.up_to(last)] ^= 1 << (self.any::<u8>() % 8);
        }
    }
}
