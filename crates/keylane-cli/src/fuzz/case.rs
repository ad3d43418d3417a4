//! A case: a key, data and cuts, all drawn from a seed and the case's number.

use keylane_subjects::{Case, MAX_MESSAGES};

const MAX_KEY_LEN: u64 = 300;
const MAX_DATA_LEN: u64 = 8192;

/// The lengths of blocks and of small groups of them.
const BLOCKS: [u64; 4] = [16, 64, 128, 256];

/// So many bytes before the end of a block, the padding begins to take one more block.
const PADDING: u64 = 17;

pub(crate) fn draw(seed: u64, number: u64) -> Case {
    // The number is scrambled, or case 1 of seed 0 would be case 0 of seed 1.
    let mut random = SplitMix64(seed ^ SplitMix64(number).next());
    let key_len = random.length(MAX_KEY_LEN);
    let data_len = random.length(MAX_DATA_LEN);
    let key = random.bytes(key_len);
    let data = random.bytes(data_len);
    let cuts = random.cuts(data_len);
    let offset = random.below(64) as usize;
    Case { key, data, cuts, offset }
}

/// SplitMix64 (Steele, Lea and Flood 2014): fixed for ever, so that a seed means the same everywhere.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to `bound` - 1. The bounds are small: the bias of the remainder is far below anything that
    /// matters.
    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A length up to `most`, mostly near block boundaries.
    fn length(&mut self, most: u64) -> usize {
        let length = match self.below(4) {
            0 => self.below(18),
            1 => {
                let power = self.below(u64::from(most.ilog2()) + 1);
                self.near(1 << power)
            }
            2 => {
                let block = BLOCKS[self.below(BLOCKS.len() as u64) as usize];
                let few = self.below(2) == 0;
                let blocks = self.below(if few { 5 } else { most / block + 1 });
                (blocks * block + self.below(PADDING + 3)).saturating_sub(PADDING)
            }
            _ => self.below(most + 1),
        };
        length.min(most) as usize
    }

    /// `center`, two less, two more, or what is between.
    fn near(&mut self, center: u64) -> u64 {
        (center + self.below(5)).saturating_sub(2)
    }

    /// Mostly random; sometimes all zeros or all ones, where carries are missed.
    fn bytes(&mut self, len: usize) -> Vec<u8> {
        match self.below(16) {
            0 => vec![0; len],
            1 => vec![0xff; len],
            _ => (0..len).map(|_| self.next() as u8).collect(),
        }
    }

    /// Empty messages are welcome: cuts may coincide.
    fn cuts(&mut self, len: usize) -> Vec<usize> {
        let count = match self.below(3) {
            0 => self.below(4),
            1 => {
                let power = self.below(6);
                self.near(1 << power)
            }
            _ => self.below(MAX_MESSAGES as u64),
        };
        let whole_blocks = self.below(4) == 0;
        let mut cuts: Vec<usize> = (0..count.min(MAX_MESSAGES as u64 - 1))
            .map(|_| self.below(len as u64 + 1) as usize)
            .map(|cut| if whole_blocks { cut / 64 * 64 } else { cut })
            .collect();
        cuts.sort_unstable();
        cuts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published first outputs for seed 1234567: the cases of a seed stay the same for ever.
    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = SplitMix64(1234567);
        let first: Vec<_> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
    }

    #[test]
    fn a_case_depends_on_seed_and_number_alone() {
        assert_eq!(draw(7, 3), draw(7, 3));
        assert_ne!(draw(7, 3), draw(7, 4));
        assert_ne!(draw(7, 3), draw(8, 3));
        assert_ne!(draw(0, 1), draw(1, 0));
    }

    #[test]
    fn cases_reach_every_corner_and_keep_their_bounds() {
        let cases: Vec<_> = (0..20_000).map(|number| draw(1, number)).collect();
        for case in &cases {
            assert!(case.key.len() <= 300 && case.data.len() <= 8192 && case.cuts.len() <= 63);
            assert!(case.cuts.is_sorted() && case.cuts.iter().all(|&cut| cut <= case.data.len()));
        }
        let lengths = |length: usize| cases.iter().any(|case| case.data.len() == length);
        assert!(
            (0..=17).chain([55, 56, 63, 64, 65, 111, 112, 119, 120, 127, 128, 4095, 8191, 8192]).all(lengths)
        );
        assert!((0..=300).all(|length| cases.iter().any(|case| case.key.len() == length)));
        assert!((0..=63).all(|count| cases.iter().any(|case| case.cuts.len() == count)));
    }
}
