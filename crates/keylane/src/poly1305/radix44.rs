//! Limbs of 44, 44 and 42 bits, with sums of products of 52 bits (AVX-512 IFMA).
//!
//! A product's lower 52 bits belong to its limb; its upper bits begin 52 bits higher, which is bit 8 of the
//! next limb. Limb 3 would begin at bit 132 = 130 + 2, so it is added 4 * 5 times at the bottom.
//!
//! Bounds, which `checks/proofs` proves: a number from two words and a top has limbs below 2^44; a
//! reduced one below 2^44 + 2^7, so a sum of both is below 2^45.1. Twenty times a factor's limb is below
//! 2^48.4. A sum of six lower halves is below 2^54.6, one of six upper halves below 2^42.

use super::limbs64::{self, Accumulator};
use super::parallel::Limbs;
use super::word::{Unsigned, Word};
use keylane_cpu::lanes::Product52Lanes;

const MASK_44: u64 = (1 << 44) - 1;
const MASK_42: u64 = (1 << 42) - 1;

#[derive(Clone, Copy)]
pub(crate) struct Radix44<V>(pub(crate) [V; 3]);

/// A number's limbs, and twenty times its limbs.
#[derive(Clone, Copy)]
pub(crate) struct Factor<V>([V; 3], [V; 3]);

/// Sums of lower halves, and of upper halves.
#[derive(Clone, Copy)]
pub(crate) struct Sums<V>(pub(crate) [V; 3], pub(crate) [V; 3]);

/// Returns the number of reduced limbs.
#[inline(always)]
pub(crate) fn number<W: Word>([a, b, c]: [W; 3]) -> Accumulator<W> {
    let b = b + (a >> 44);
    let lower = a.low_bits(44).wide() | b.low_bits(44).wide() << 44;
    limbs64::with_upper::<W, 88>(lower, (c + (b >> 44)).wide())
}

/// Returns the number of sums of lower halves and of upper halves.
#[inline(always)]
pub(crate) fn number_of_halves<W: Word>(low: [W; 3], high: [W; 3]) -> Accumulator<W> {
    let (low, high) = (low.map(W::wide), high.map(W::wide));
    let a = low[0];
    let b = (a >> 44) + low[1] + (high[0] << 8);
    let c = (b >> 44) + low[2] + (high[1] << 8) + (high[2] << 52);
    limbs64::with_upper::<W, 88>(a.low_bits(44) | b.low_bits(44) << 44, c)
}

impl<V: Product52Lanes<N>, const N: usize> Limbs<N> for Radix44<V> {
    type Isa = V::Ifma;
    type Vector = V;
    type Factor = Factor<V>;
    type Sums = Sums<V>;

    #[inline(always)]
    fn lanes(isa: V::Ifma) -> V::Isa {
        V::lanes(isa)
    }

    #[inline(always)]
    fn new(isa: V::Ifma, [low, high, top]: [V; 3]) -> Self {
        let mask = V::splat(V::lanes(isa), MASK_44);
        Self([
            low & mask,
            (low.shift_right::<44>() | high.shift_left::<20>()) & mask,
            high.shift_right::<24>() | top.shift_left::<40>(),
        ])
    }

    #[inline(always)]
    fn plus(mut self, other: Self) -> Self {
        for i in 0..3 {
            self.0[i] = self.0[i] + other.0[i];
        }
        self
    }

    /// Pinned, since LLVM would make a product of 64 bits of the two shifts, with three times the latency.
    #[inline(always)]
    fn factor(self, _: V::Ifma) -> Factor<V> {
        let mut twenty = self.0;
        for i in 0..3 {
            twenty[i] = self.0[i].shift_left::<4>().pin_factor() + self.0[i].shift_left::<2>();
        }
        Factor(self.0, twenty)
    }

    #[inline(always)]
    fn times(self, isa: V::Ifma, factor: &Factor<V>) -> Sums<V> {
        let zeros = [V::splat(V::lanes(isa), 0); 3];
        self.add_times(isa, factor, Sums(zeros, zeros))
    }

    #[inline(always)]
    fn add_times(self, isa: V::Ifma, Factor(once, twenty): &Factor<V>, sums: Sums<V>) -> Sums<V> {
        let Sums(mut low, mut high) = sums;
        for j in 0..3 {
            for i in 0..3 {
                let limb = if j <= i { once[i - j] } else { twenty[3 + i - j] };
                low[i] = low[i].add_low_product(isa, self.0[j], limb);
                high[i] = high[i].add_high_product(isa, self.0[j], limb);
            }
        }
        Sums(low, high)
    }

    #[inline(always)]
    fn reduce(isa: V::Ifma, Sums([d0, d1, d2], [e0, e1, e2]): Sums<V>) -> Self {
        let mask_44 = V::splat(V::lanes(isa), MASK_44);
        let mask_42 = V::splat(V::lanes(isa), MASK_42);
        let d1 = d1 + d0.shift_right::<44>() + e0.shift_left::<8>();
        let d2 = d2 + d1.shift_right::<44>() + e1.shift_left::<8>();
        // The bits from 130 on.
        let over = d2.shift_right::<42>() + e2.shift_left::<10>();
        let d0 = (d0 & mask_44) + over + over.shift_left::<2>();
        let d1 = (d1 & mask_44) + d0.shift_right::<44>();
        Self([d0 & mask_44, d1, d2 & mask_42])
    }

    #[inline(always)]
    fn total(Sums(low, high): Sums<V>) -> Accumulator {
        let low = [low[0].sum(), low[1].sum(), low[2].sum()];
        number_of_halves(low, [high[0].sum(), high[1].sum(), high[2].sum()])
    }
}
