//! The powers of H over vectors, computed when a message needs them.

use super::HashKey;
use super::multiply::{multiply, reduce, times_x};
use keylane_cpu::InstructionSet;
use keylane_cpu::growing::{Adder, Growing, Rows};
use keylane_cpu::lanes::{Blocks, CarrylessBlocks};

/// The maximum number of powers of H in a key, which is the number of blocks per reduction.
pub(crate) const MAX_POWERS: usize = 32;
/// Returns the maximum number of powers that messages use with vectors of `lanes` blocks: the blocks of eight
/// vectors, and at least 16.
pub(crate) const fn powers_at_once(lanes: usize) -> usize {
    if lanes == 4 { MAX_POWERS } else { MAX_POWERS / 2 }
}

/// The zeros after the last power, so that a whole vector can be read from any power on.
pub(crate) const ZEROS: usize = 4;

/// The powers of H·x that were needed so far and the sums of their halves. As numbers, powers of POLYVAL's
/// key are the same.
pub(crate) type GrowingPowers = Growing<MAX_POWERS, ZEROS>;
/// Some powers of H·x and the sums of their halves.
pub(crate) type Powers<'a> = Rows<'a, MAX_POWERS, ZEROS>;

const _: () = assert!(size_of::<HashKey>() == 32 * (MAX_POWERS + ZEROS) + 64);

/// Computes more powers of H, at least `count` in all. Returns `false` if another thread is computing powers
/// of this key.
#[inline(always)]
pub(crate) fn grow<V, const N: usize>(key: &HashKey, count: usize) -> bool
where
    V: CarrylessBlocks<N, One: CarrylessBlocks<1>>,
{
    // H·x, byte-reversed.
    let first = times_x(u128::from_be_bytes(*key.h()));
    key.powers.grow(|powers| compute::<V, N>(powers, first, count))
}

/// Computes more powers of `first`, at least `count` in all. Compiled once for each vector.
#[inline(never)]
pub(crate) fn compute<V, const N: usize>(powers: &mut Adder<'_, MAX_POWERS, ZEROS>, first: u128, count: usize)
where
    V: CarrylessBlocks<N, One: CarrylessBlocks<1>>,
{
    const { assert!(N == 1 || N == 2 || N == 4) }
    V::Isa::enter(
        #[inline(always)]
        |isa| {
            // Another implementation, with a larger N, may go on from there.
            let count = count.next_multiple_of(4);
            if powers.get().len() == 0 {
                first_four::<V, N>(isa, V::One::splat(isa, first), powers);
            }
            let mut len = powers.get().len();
            let mut highest = V::One::load(isa, &powers.get().last::<1, 1>(len)[0][0]);
            while len < count {
                // H^known times the first powers are the next ones.
                let (known, factor) = (len, V::every(highest));
                // Not loaded: it would wait for the last product of this turn.
                highest = square(isa, highest);
                while len < count.min(2 * known) {
                    len += N;
                    let before = V::load(isa, &powers.get().last::<N, 1>(len - known)[0][0]);
                    add(powers, multiply(isa, before, factor));
                }
            }
        },
    );
}

#[inline(always)]
fn first_four<V, const N: usize>(isa: V::Isa, h1: V::One, powers: &mut Adder<'_, MAX_POWERS, ZEROS>)
where
    V: CarrylessBlocks<N, One: CarrylessBlocks<1>>,
{
    let h2 = square(isa, h1);
    let all = [square(isa, h2), multiply(isa, h2, h1), h2, h1];
    for i in (0..4).step_by(N).rev() {
        // Put together in a register: a load of several stores would wait for them.
        let mut vector = V::every(all[i + N - 1]);
        for j in (1..N).rev() {
            vector = vector ^ V::every(all[i + j - 1] ^ all[i + j]).keep_front(16 * j);
        }
        add(powers, vector);
    }
}

/// Adds N powers and the sums of their halves.
#[inline(always)]
fn add<V: Blocks<N>, const N: usize>(powers: &mut Adder<'_, MAX_POWERS, ZEROS>, vector: V) {
    let mut rows = [[[0; 16]; N]; 2];
    vector.store(&mut rows[0]);
    (vector ^ vector.swap_halves()).store(&mut rows[1]);
    powers.add(rows);
}

/// Squares: the middle part of the product is zero.
#[inline(always)]
pub(crate) fn square<V: CarrylessBlocks<N>, const N: usize>(isa: V::Isa, a: V) -> V {
    reduce(isa, a.multiply_low(a), V::zero(isa), a.multiply_high(a))
}
