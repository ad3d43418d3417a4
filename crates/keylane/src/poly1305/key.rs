//! A key, and the powers of r that lanes multiply by.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::limbs64::{Accumulator, multiply, multiply_full};
use keylane_cpu::pin::pin;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use keylane_cpu::wipe::wipe;

/// The two halves of a key, and the powers of r that the message has needed so far. Short messages need none,
/// nor does scalar code.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) r: [u64; 2],
    pub(crate) s: [u64; 2],
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(super) powers: Option<Powers>,
}

/// Powers of r, without r.
#[derive(Clone)]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) struct Powers {
    /// r^2 … r^8, then r^16. Zeros for powers that are not computed yet.
    pub(super) values: [Accumulator; 8],
    /// The highest power that is computed, and so are those below it; 0 if none is; or [`FOUR_LANES`].
    known: usize,
}

/// r^2 … r^4, and r^8 as the square of r^4: what four lanes need, half the chain of products up to r^8.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const FOUR_LANES: usize = 5;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Powers {
    const UNKNOWN: Self = Self { values: [[0; 3]; 8], known: 0 };
}

impl Key {
    #[inline(always)]
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let (&[r0, r1, s0, s1], []) = key.as_chunks::<8>() else { unreachable!("four words") };
        // RFC 8439 §2.5: "clamped". Pinned, since LLVM would clamp the upper half in a vector with half of s,
        // which delays the first product.
        let r = [
            pin(u64::from_le_bytes(r0) & 0x0fff_fffc_0fff_ffff),
            pin(u64::from_le_bytes(r1) & 0x0fff_fffc_0fff_fffc),
        ];
        Self {
            r,
            s: [u64::from_le_bytes(s0), u64::from_le_bytes(s1)],
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            powers: None,
        }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl Key {
    /// Does nothing: there are no powers.
    #[inline(always)]
    pub(crate) fn wipe_powers(&mut self) {}

    /// Returns `false`.
    #[inline(always)]
    pub(super) fn has_powers(&self) -> bool {
        false
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Key {
    /// Wipes the powers, or the place where they would be: afterwards none is known. Not inlined, since short
    /// messages have none.
    #[inline(never)]
    pub(crate) fn wipe_powers(&mut self) {
        wipe(&mut self.powers.insert(Powers::UNKNOWN).values);
    }

    /// Whether any power is known.
    #[inline(always)]
    pub(super) fn has_powers(&self) -> bool {
        self.powers.as_ref().is_some_and(|powers| powers.known != 0)
    }

    /// Returns r^2 … r^8 and r^16. Computes those up to r^N, and r^2N if `twice`, unless they are computed
    /// already; others may be zeros.
    #[inline(always)]
    pub(crate) fn powers<const N: usize>(&mut self, twice: bool) -> &[Accumulator; 8] {
        const { assert!(N == 2 || N == 4 || N == 8) }
        let wanted = if const { N == 4 } && twice { FOUR_LANES } else { N << u32::from(twice) };
        let powers = self.powers.get_or_insert(Powers::UNKNOWN);
        if powers.known < wanted {
            powers.compute(self.r, wanted);
        }
        &powers.values
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Powers {
    /// Computes r^2 … r^`wanted`; of those above r^8, r^16 alone. A loop, since it is a chain of products in
    /// any order, and code that does not run twice takes time to load.
    #[inline(always)]
    fn compute(&mut self, r: [u64; 2], wanted: usize) {
        let known = if self.known == FOUR_LANES { 4 } else { self.known };
        let mut power = match known {
            0 => [r[0], r[1], 0],
            known => self.values[(known - 2) % 8],
        };
        let mut i = known.saturating_sub(1);
        let all = if wanted == FOUR_LANES { 4 } else { wanted.min(8) };
        while i < all - 1 {
            power = multiply(power, r);
            self.values[i] = power;
            i = pin(i as u64 + 1) as usize;
        }
        if wanted > all {
            self.values[if all == 4 { 6 } else { 7 }] = multiply_full(power, power);
        }
        self.known = wanted;
    }
}
