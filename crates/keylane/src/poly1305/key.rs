//! A key, and the powers of r that lanes multiply by.

use super::limbs64::{self, Accumulator};

/// The two halves of a key, and of the powers of r those that a message needed so far.
#[derive(Clone)]
pub(crate) struct Key {
    /// r, r^2 … r^8, then r^16. Zeros where a power is not known yet.
    pub(super) powers: [Accumulator; 9],
    /// Which powers are known beside r: a bit for each of [`Key::TWO`] and so on.
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        allow(dead_code, reason = "no lanes")
    )]
    pub(super) known: u64,
    pub(super) s: [u64; 2],
}

impl Key {
    #[inline(always)]
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let (&[r0, r1, s0, s1], []) = key.as_chunks::<8>() else { unreachable!("four words") };
        let mut powers = [[0; 3]; 9];
        // RFC 8439 §2.5: "clamped".
        powers[0] = [
            u64::from_le_bytes(r0) & 0x0fff_fffc_0fff_ffff,
            u64::from_le_bytes(r1) & 0x0fff_fffc_0fff_fffc,
            0,
        ];
        Self { powers, known: 0, s: [u64::from_le_bytes(s0), u64::from_le_bytes(s1)] }
    }

    #[inline(always)]
    pub(super) const fn r(&self) -> [u64; 2] {
        [self.powers[0][0], self.powers[0][1]]
    }
}

/// The powers that lanes multiply by.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Key {
    /// r^2.
    const TWO: u64 = 1;
    /// r^3 and r^4.
    const FOUR: u64 = 2;
    /// r^8.
    const EIGHT: u64 = 4;
    /// r^5, r^6 and r^7.
    const BELOW_EIGHT: u64 = 8;
    /// r^16.
    const SIXTEEN: u64 = 16;

    /// r^n, which must be known.
    #[inline(always)]
    pub(super) const fn power(&self, n: usize) -> &Accumulator {
        &self.powers[if n == 16 { 8 } else { n - 1 }]
    }

    /// Computes the powers up to r^N, unless they are known.
    #[inline(always)]
    pub(super) fn extend<const N: usize>(&mut self) {
        const { assert!(N == 2 || N == 4 || N == 8) }
        self.compute_powers(match N {
            2 => Self::TWO,
            4 => Self::TWO | Self::FOUR,
            _ => Self::TWO | Self::FOUR | Self::EIGHT | Self::BELOW_EIGHT,
        });
    }

    /// Computes r^2N, unless it is known; those up to r^N are.
    #[inline(always)]
    pub(super) fn extend_twice<const N: usize>(&mut self) {
        self.compute_powers(match N {
            2 => Self::FOUR,
            4 => Self::EIGHT,
            _ => Self::SIXTEEN,
        });
    }

    /// Computes the powers that are wanted and not known.
    #[inline(always)]
    fn compute_powers(&mut self, wanted: u64) {
        let missing = wanted & !self.known;
        if missing != 0 {
            self.compute_missing(missing);
        }
    }

    #[inline(never)]
    fn compute_missing(&mut self, missing: u64) {
        self.known |= missing;
        let (r, p) = (self.r(), &mut self.powers);
        if missing & Self::TWO != 0 {
            p[1] = limbs64::multiply(p[0], r);
        }
        if missing & Self::FOUR != 0 {
            p[2] = limbs64::multiply(p[1], r);
            p[3] = limbs64::multiply_full(p[1], p[1]);
        }
        if missing & Self::EIGHT != 0 {
            p[7] = limbs64::multiply_full(p[3], p[3]);
        }
        if missing & Self::BELOW_EIGHT != 0 {
            p[4] = limbs64::multiply(p[3], r);
            p[5] = limbs64::multiply_full(p[3], p[1]);
            p[6] = limbs64::multiply_full(p[3], p[2]);
        }
        if missing & Self::SIXTEEN != 0 {
            p[8] = limbs64::multiply_full(p[7], p[7]);
        }
    }
}
