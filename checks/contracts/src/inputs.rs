//! Inputs: lengths where mistakes live, bytes that show which they are, numbers that look random.

/// 0 to 17, and one less, as much and one more than: every power of two up to 4096, and a group of every
/// kernel, which is a block (64 or 128 bytes) for each of its lanes (1, 2, 3, 4, 6, 8 or 16).
pub const LENGTHS: &[usize] = LENGTHS_AND_COUNT.0.split_at(LENGTHS_AND_COUNT.1).0;

const LENGTHS_AND_COUNT: ([usize; 128], usize) = {
    let mut near = [false; 4098];
    let mut i = 0;
    while i <= 17 {
        near[i] = true;
        i += 1;
    }
    let mut power = 1;
    while power <= 4096 {
        (near[power - 1], near[power], near[power + 1]) = (true, true, true);
        power *= 2;
    }
    let lanes = [1, 2, 3, 4, 6, 8, 16];
    let mut i = 0;
    while i < lanes.len() {
        let mut block = 64;
        while block <= 128 {
            let group = block * lanes[i];
            (near[group - 1], near[group], near[group + 1]) = (true, true, true);
            // Where the padding begins to need another block.
            let padding = group - block / 8;
            (near[padding - 1], near[padding]) = (true, true);
            block *= 2;
        }
        i += 1;
    }
    let (mut lengths, mut count) = ([0; 128], 0);
    let mut length = 0;
    while length < near.len() {
        if near[length] {
            lengths[count] = length;
            count += 1;
        }
        length += 1;
    }
    (lengths, count)
};

/// `len` bytes with period 251: a prime, so no block or vector sees the same bytes as its neighbour.
#[must_use]
pub fn painted(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

/// The bytes that `digits` spell; white space is skipped.
///
/// # Panics
/// If something else than hexadecimal digits is there, or half a byte.
#[must_use]
pub fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).unwrap_or_else(|| panic!("{c:?} is no hexadecimal digit")) as u8)
        .collect();
    let (pairs, rest) = digits.as_chunks::<2>();
    assert!(rest.is_empty(), "an odd number of hexadecimal digits");
    pairs.iter().map(|[high, low]| high << 4 | low).collect()
}

/// Numbers that look random and are the same in every run: xorshift64* (Vigna 2016). Not for secrets.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence of its own for each seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        // Zero would stay zero: the odd constant keeps it away.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number.
    pub const fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`.
    ///
    /// # Panics
    /// If `end` is 0.
    pub const fn below(&mut self, end: usize) -> usize {
        ((self.next() >> 16) % end as u64) as usize
    }

    /// `len` bytes.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| (self.next() >> 56) as u8).collect()
    }

    /// An array of `N` bytes.
    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        core::array::from_fn(|_| (self.next() >> 56) as u8)
    }

    /// A length: mostly short or near a block's edge, now and then anything up to `most`.
    ///
    /// # Panics
    /// If `most` is `usize::MAX`.
    pub fn length(&mut self, most: usize) -> usize {
        let length = match self.below(4) {
            0 => self.below(most + 1),
            1 => LENGTHS[self.below(LENGTHS.len())],
            2 => self.below(300),
            _ => self.below(20),
        };
        length.min(most)
    }

    /// Cuts `data` into `pieces` pieces, some of them empty.
    ///
    /// # Panics
    /// If `pieces` is 0.
    pub fn split<'a>(&mut self, data: &'a [u8], pieces: usize) -> Vec<&'a [u8]> {
        let mut cuts: Vec<usize> = (1..pieces).map(|_| self.below(data.len() + 1)).collect();
        cuts.sort_unstable();
        cuts.push(data.len());
        let mut from = 0;
        cuts.into_iter().map(|cut| &data[core::mem::replace(&mut from, cut)..cut]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lengths_are_those_promised() {
        assert!(LENGTHS.is_sorted_by(|a, b| a < b));
        for length in [0, 1, 16, 17, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 383, 384, 385, 1023, 1025] {
            assert!(LENGTHS.contains(&length), "{length}");
        }
        for length in [2047, 2048, 2049, 4095, 4096, 4097] {
            assert!(LENGTHS.contains(&length), "{length}");
        }
        assert!(!LENGTHS.contains(&3000));
    }

    #[test]
    fn paint_has_period_251() {
        let bytes = painted(600);
        assert_eq!(bytes[..251], bytes[251..502]);
        assert!((1..251).all(|period| bytes[0] != bytes[period]));
    }

    #[test]
    fn hex_reads_digits_only() {
        assert_eq!(hex("00 fF\n7a"), [0, 0xff, 0x7a]);
        assert!(std::panic::catch_unwind(|| hex("0g")).is_err());
        assert!(std::panic::catch_unwind(|| hex("123")).is_err());
    }

    #[test]
    fn a_seed_gives_one_sequence() {
        let (mut a, mut b, mut c) = (Random::new(7), Random::new(7), Random::new(8));
        assert_eq!(a.bytes(100), b.bytes(100));
        assert_ne!(a.bytes(100), c.bytes(100));
        let mut seen = [false; 10];
        for _ in 0..1000 {
            seen[a.below(10)] = true;
        }
        assert_eq!(seen, [true; 10]);
    }

    #[test]
    fn the_pieces_of_a_split_are_the_whole() {
        let (mut random, data) = (Random::new(1), painted(1000));
        for pieces in 1..30 {
            let split = random.split(&data, pieces);
            assert_eq!(split.len(), pieces);
            assert_eq!(split.concat(), data);
        }
    }
}
