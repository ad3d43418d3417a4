//! Inputs: lengths at which mistakes are likely, bytes that reveal their position, pseudorandom numbers.

use std::time::SystemTime;

/// 0 to 17, and one less, as much and one more than: every power of two up to 4096, and a group of every
/// kernel, which is a block (64 or 128 bytes) for each of its lanes (1, 2, 3, 4, 6, 8 or 16); and around
/// where the padding of a group's last block begins to need another one.
pub const LENGTHS: &[usize] = &[
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 33, 55, 56, 63, 64, 65, 111, 112,
    119, 120, 127, 128, 129, 183, 184, 191, 192, 193, 239, 240, 247, 248, 255, 256, 257, 367, 368, 375, 376,
    383, 384, 385, 495, 496, 503, 504, 511, 512, 513, 751, 752, 767, 768, 769, 1007, 1008, 1015, 1016, 1023,
    1024, 1025, 2031, 2032, 2047, 2048, 2049, 4095, 4096, 4097,
];

/// `len` bytes with period 251: a prime, so no block or vector sees the same bytes as its neighbour.
pub fn painted(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

/// The bytes that `digits` spell; white space is skipped.
///
/// # Panics
/// If something else than hexadecimal digits is there, or half a byte.
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
    pub const fn new(seed: u64) -> Self {
        // Zero would stay zero: the odd constant keeps it away.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A sequence of this run alone. Its seed is printed, which a test that fails shows. The environment
    /// variable `KEYLANE_SEED` sets it.
    ///
    /// # Panics
    /// If the variable is no number.
    pub fn of_this_run() -> Self {
        let now = || SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos() as u64);
        let seed =
            std::env::var("KEYLANE_SEED").map_or_else(|_| now(), |seed| seed.parse().expect("a number"));
        println!("KEYLANE_SEED={seed}");
        Self::new(seed)
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
}
