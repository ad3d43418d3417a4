//! Poly1305 over N lanes: lane i has every N-th block, and all lanes are multiplied by r^N at a time. At the
//! end lane i is multiplied by r^(N - i), and the lanes are summed.
//!
//! ```text
//! blocks   0 1 | 2 3 4 5 | 6 7 8 9      N = 4: scalar code hashes the first 2 blocks, which fill no group
//! lane 0           2         6          * r^4
//! lane 1           3         7          * r^3
//! lane 2           4         8          * r^2
//! lane 3           5         9          * r
//! ```
//!
//! Two groups are absorbed with one reduction: (sums so far) * r^2N + (first group) * r^N + (second group).

use super::key::Key;
use super::limbs64::{self, Accumulator};
use super::portable::Kernel;
use crate::backend::Shape;
use crate::unroll::each;
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::{Lanes, ProductLanes, U64Lanes};
use keylane_cpu::pin::align_frame;

/// N numbers modulo 2^130 - 5, in limbs short enough for products and their sums.
pub(crate) trait Limbs<const N: usize>: Copy {
    type Isa: InstructionSet;
    type Vector: ProductLanes<N>;
    /// A number to multiply by.
    type Factor: Copy;
    /// Sums of up to ten products per limb.
    type Sums: Copy;

    fn lanes(isa: Self::Isa) -> <Self::Vector as Lanes>::Isa;
    /// Splits numbers into limbs: two words of 64 bits, and a third that is at most 4.
    fn new(isa: Self::Isa, words: [Self::Vector; 3]) -> Self;
    /// Adds limb by limb. One of the numbers comes from [`new`](Self::new).
    fn plus(self, other: Self) -> Self;
    fn factor(self, isa: Self::Isa) -> Self::Factor;
    fn times(self, isa: Self::Isa, factor: &Self::Factor) -> Self::Sums;
    /// Adds the products of [`times`](Self::times) to `sums`.
    fn add_times(self, isa: Self::Isa, factor: &Self::Factor, sums: Self::Sums) -> Self::Sums;
    /// Reduces sums to limbs that can be added and multiplied.
    fn reduce(isa: Self::Isa, sums: Self::Sums) -> Self;
    /// Returns the sum of all lanes.
    fn total(sums: Self::Sums) -> Accumulator;
}

/// N lanes of limbs L. Scalar code hashes fewer than ALONE blocks if the powers of r are not computed yet,
/// and fewer than KNOWN if an earlier piece of the message has computed them.
pub(crate) struct Parallel<L, const N: usize, const ALONE: usize, const KNOWN: usize>(PhantomData<fn() -> L>);

impl<L: Limbs<N> + 'static, const N: usize, const ALONE: usize, const KNOWN: usize> Shape
    for Parallel<L, N, ALONE, KNOWN>
{
    type Isa = L::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

impl<L: Limbs<N> + 'static, const N: usize, const ALONE: usize, const KNOWN: usize> Kernel
    for Parallel<L, N, ALONE, KNOWN>
{
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
        if blocks.len() < if key.powers.is_none() { ALONE } else { KNOWN } {
            *accumulator = limbs64::absorb(key.r, *accumulator, blocks);
            return;
        }
        L::Isa::enter(
            #[inline(always)]
            move |isa| absorb::<L, N>(isa, key, accumulator, blocks),
        );
    }
}

/// Absorbs N blocks or more.
#[inline(always)]
fn absorb<L: Limbs<N>, const N: usize>(
    isa: L::Isa,
    key: &mut Key,
    accumulator: &mut Accumulator,
    blocks: &[[u8; 16]],
) {
    align_frame();
    let lanes = L::lanes(isa);
    let one = L::Vector::splat(lanes, 1);
    // The rest comes first: it does not need the powers, which are computed meanwhile.
    let (head, rest) = blocks.split_at(blocks.len() % N);
    let before = limbs64::fold(limbs64::absorb(key.r, *accumulator, head));
    let (first, mut groups) = rest.as_chunks::<N>().0.split_first().expect("N blocks or more");

    let mut lane_0 = [0; N];
    lane_0[0] = u64::MAX;
    let mask = L::Vector::from_words(lanes, lane_0);
    let before = splat::<L::Vector, N>(lanes, &before);
    let before = L::new(isa, [before[0] & mask, before[1] & mask, before[2] & mask]);
    let mut sums = load::<L, N>(isa, first, one).plus(before);

    let (r, powers) = ([key.r[0], key.r[1], 0], key.powers::<N>(groups.len() >= 2));
    let power = |n: usize| if n == 1 { &r } else { &powers[if n == 16 { 7 } else { n - 2 }] };
    if !groups.is_empty() {
        let step = L::new(isa, splat::<L::Vector, N>(lanes, power(N))).factor(isa);
        if groups.len() >= 2 {
            let double_step = L::new(isa, splat::<L::Vector, N>(lanes, power(2 * N))).factor(isa);
            let (pairs, last) = groups.as_chunks::<2>();
            for [first, second] in pairs {
                let products = load::<L, N>(isa, first, one).times(isa, &step);
                let products = sums.add_times(isa, &double_step, products);
                sums = L::reduce(isa, products).plus(load::<L, N>(isa, second, one));
            }
            groups = last;
        }
        for group in groups {
            sums = L::reduce(isa, sums.times(isa, &step)).plus(load::<L, N>(isa, group, one));
        }
    }

    let mut words = [[0; N]; 3];
    each!(I in [0 1 2 3 4 5 6 7] { if const { I < N } {
        [words[0][I], words[1][I], words[2][I]] = *power(N - I);
    } });
    let [low, high, top] = words;
    let (low, high) = (L::Vector::from_words(lanes, low), L::Vector::from_words(lanes, high));
    let powers = L::new(isa, [low, high, L::Vector::from_words(lanes, top)]).factor(isa);
    *accumulator = L::total(sums.times(isa, &powers));
}

/// Loads blocks, with a one above each.
#[inline(always)]
fn load<L: Limbs<N>, const N: usize>(isa: L::Isa, blocks: &[[u8; 16]; N], one: L::Vector) -> L {
    let (low, high) = L::Vector::from_blocks(L::lanes(isa), blocks);
    L::new(isa, [low, high, one])
}

/// Returns a number's words in every lane.
#[inline(always)]
fn splat<V: ProductLanes<N>, const N: usize>(isa: V::Isa, words: &Accumulator) -> [V; 3] {
    [V::splat(isa, words[0]), V::splat(isa, words[1]), V::splat(isa, words[2])]
}
