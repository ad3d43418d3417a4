//! Five limbs of 26 bits, with products of 32 bits by 32.
//!
//! Bounds, which `checks/proofs` proves: a number from two words and a top has limbs below 2^26,
//! the last below 5 * 2^24. A reduced one has limbs below 2^26 + 2^7, so a sum of both is below 2^27.1. Five
//! times a factor's limb is below 2^28.7, and a sum of ten products below 2^59.
//!
//! Factors are pinned: if LLVM can prove that their upper halves are zeros, it chooses slower products of 64
//! bits.

use super::limbs64::{self, Accumulator};
use super::parallel::Limbs;
use super::word::{Unsigned, Word};
use keylane_cpu::lanes::ProductLanes;

const MASK: u64 = (1 << 26) - 1;

#[derive(Clone, Copy)]
pub(crate) struct Radix26<V>(pub(crate) [V; 5]);

/// A number's limbs, and five times its limbs.
#[derive(Clone, Copy)]
pub(crate) struct Factor<V>(pub(crate) [V; 5], pub(crate) [V; 5]);

impl<V: ProductLanes<N>, const N: usize> Limbs<N> for Radix26<V> {
    type Isa = V::Isa;
    type Vector = V;
    type Factor = Factor<V>;
    type Sums = [V; 5];

    #[inline(always)]
    fn lanes(isa: V::Isa) -> V::Isa {
        isa
    }

    #[inline(always)]
    fn new(isa: V::Isa, [low, high, top]: [V; 3]) -> Self {
        let mask = V::splat(isa, MASK);
        Self([
            low & mask,
            low.shift_right::<26>() & mask,
            (low.shift_right::<52>() | high.shift_left::<12>()) & mask,
            high.shift_right::<14>() & mask,
            high.shift_right::<40>() | top.shift_left::<24>(),
        ])
    }

    #[inline(always)]
    fn plus(mut self, other: Self) -> Self {
        for i in 0..5 {
            self.0[i] = (self.0[i] + other.0[i]).pin_factor();
        }
        self
    }

    #[inline(always)]
    fn factor(self, _: V::Isa) -> Factor<V> {
        let (mut once, mut five) = (self.0, self.0);
        for i in 0..5 {
            once[i] = once[i].pin_factor();
            five[i] = times_five(five[i]).pin_factor();
        }
        Factor(once, five)
    }

    #[inline(always)]
    fn times(self, isa: V::Isa, factor: &Factor<V>) -> [V; 5] {
        self.add_times(isa, factor, [V::splat(isa, 0); 5])
    }

    #[inline(always)]
    fn add_times(self, _: V::Isa, Factor(once, five): &Factor<V>, mut sums: [V; 5]) -> [V; 5] {
        for j in 0..5 {
            for i in 0..5 {
                // Limb i + j. From limb 5 on, it is added five times to the limb five places below.
                let limb = if j <= i { once[i - j] } else { five[5 + i - j] };
                sums[i] = sums[i] + self.0[j].multiply_32(limb);
            }
        }
        sums
    }

    /// Two independent chains of carries.
    #[inline(always)]
    fn reduce(isa: V::Isa, mut d: [V; 5]) -> Self {
        let mask = V::splat(isa, MASK);
        d[4] = d[4] + d[3].shift_right::<26>();
        d[3] = d[3] & mask;
        d[1] = d[1] + d[0].shift_right::<26>();
        d[0] = d[0] & mask;
        d[0] = d[0] + times_five(d[4].shift_right::<26>());
        d[4] = d[4] & mask;
        d[2] = d[2] + d[1].shift_right::<26>();
        d[1] = d[1] & mask;
        d[1] = d[1] + d[0].shift_right::<26>();
        d[0] = d[0] & mask;
        d[3] = d[3] + d[2].shift_right::<26>();
        d[2] = d[2] & mask;
        d[4] = d[4] + d[3].shift_right::<26>();
        d[3] = d[3] & mask;
        Self(d)
    }

    #[inline(always)]
    fn total(sums: [V; 5]) -> Accumulator {
        number([sums[0].sum(), sums[1].sum(), sums[2].sum(), sums[3].sum(), sums[4].sum()])
    }
}

/// Returns the number of these sums of products.
#[inline(always)]
pub(crate) fn number<W: Word>(sums: [W; 5]) -> Accumulator<W> {
    let t = sums.map(W::wide);
    let a = t[0] + (t[1] << 26);
    let b = (a >> 52) + t[2] + (t[3] << 26);
    let c = (b >> 52) + t[4];
    limbs64::with_upper::<W, 104>(a.low_bits(52) | b.low_bits(52) << 52, c)
}

#[inline(always)]
fn times_five<V: ProductLanes<N>, const N: usize>(x: V) -> V {
    x + x.shift_left::<2>()
}
