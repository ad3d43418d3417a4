//! A key, and the powers of r that lanes multiply by.

use super::limbs64::Accumulator;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::limbs64::{multiply, multiply_full};
use keylane_cpu::wipe::wipe;

/// The two halves of a key, and the powers of r that the message has needed so far. Short messages need none.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) r: [u64; 2],
    pub(crate) s: [u64; 2],
    pub(super) powers: Option<Powers>,
}

/// Powers of r, without r.
#[derive(Clone)]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code, reason = "no lanes"))]
pub(crate) struct Powers {
    /// r^2 … r^8, then r^16. Zeros for powers that are not computed yet.
    pub(super) values: [Accumulator; 8],
    /// Which powers are computed: the bits [`Key::TWO`] and so on.
    known: u64,
}

impl Powers {
    const UNKNOWN: Self = Self { values: [[0; 3]; 8], known: 0 };
}

impl Key {
    #[inline(always)]
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let (&[r0, r1, s0, s1], []) = key.as_chunks::<8>() else { unreachable!("four words") };
        // RFC 8439 §2.5: "clamped".
        let r =
            [u64::from_le_bytes(r0) & 0x0fff_fffc_0fff_ffff, u64::from_le_bytes(r1) & 0x0fff_fffc_0fff_fffc];
        Self { r, s: [u64::from_le_bytes(s0), u64::from_le_bytes(s1)], powers: None }
    }

    /// Wipes the powers, or the place where they would be: afterwards none is known.
    #[inline(always)]
    pub(crate) fn wipe_powers(&mut self) {
        wipe(&mut self.powers.insert(Powers::UNKNOWN).values);
    }

    /// Whether any power is known.
    #[inline(always)]
    pub(super) fn has_powers(&self) -> bool {
        self.powers.as_ref().is_some_and(|powers| powers.known != 0)
    }
}

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

    /// Returns r^2 … r^8 and r^16. Computes those up to r^N, and r^2N if `twice`, unless they are computed
    /// already; others may be zeros.
    #[inline(always)]
    pub(crate) fn powers<const N: usize>(&mut self, twice: bool) -> &[Accumulator; 8] {
        const { assert!(N == 2 || N == 4 || N == 8) }
        let (upto, two_n) = match N {
            2 => (Self::TWO, Self::FOUR),
            4 => (Self::TWO | Self::FOUR, Self::EIGHT),
            _ => (Self::TWO | Self::FOUR | Self::EIGHT | Self::BELOW_EIGHT, Self::SIXTEEN),
        };
        let wanted = if twice { upto | two_n } else { upto };
        let powers = self.powers.get_or_insert(Powers::UNKNOWN);
        if wanted & !powers.known != 0 {
            powers.compute(self.r, wanted);
        }
        &powers.values
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Powers {
    #[inline(always)]
    fn compute(&mut self, r: [u64; 2], wanted: u64) {
        let missing = wanted & !self.known;
        self.known |= wanted;
        let p = &mut self.values;
        if missing & Key::TWO != 0 {
            p[0] = multiply([r[0], r[1], 0], r);
        }
        if missing & Key::FOUR != 0 {
            p[1] = multiply(p[0], r);
            p[2] = multiply(p[1], r);
        }
        if missing & Key::EIGHT != 0 {
            p[6] = multiply_full(p[2], p[2]);
        }
        if missing & Key::BELOW_EIGHT != 0 {
            p[3] = multiply(p[2], r);
            p[4] = multiply(p[3], r);
            p[5] = multiply(p[4], r);
        }
        if missing & Key::SIXTEEN != 0 {
            p[7] = multiply_full(p[6], p[6]);
        }
    }
}
