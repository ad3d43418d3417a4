//! The powers of H over vectors.

use super::multiply::{multiply, put, reduce, times_x};
use super::{HashKey, MAX_POWERS};
use crate::unroll::each;
use keylane_cpu::lanes::{Blocks, CarrylessBlocks};

/// The powers of H, from H = E(0): `COUNT` of them, 16 or 32, N at a time. All is unrolled.
#[inline(always)]
pub(crate) fn powers<V: CarrylessBlocks<N, One: CarrylessBlocks<1>>, const N: usize, const COUNT: usize>(
    isa: V::Isa,
    h: V::One,
    key: &mut HashKey,
) {
    const { assert!((COUNT == 16 || COUNT == 32) && COUNT <= MAX_POWERS) }
    key.count = COUNT;
    let h1 = V::One::splat(isa, times_x(h.number().swap_bytes()));
    let h2 = square(isa, h1);
    let h3 = multiply(isa, h2, h1);
    let h4 = square(isa, h2);
    put(key, 1, h1);
    put(key, 2, h2);
    put(key, 3, h3);
    put(key, 4, h4);
    // Directly: quicker than to wait for the products that contain them.
    let h8 = square(isa, h4);
    let h16 = square(isa, h8);
    each!(I in [0 1 2] { if const { 4 << I < COUNT } {
        let factor = V::every([h4, h8, h16][I]);
        each!(STEP in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] { if const { STEP * N < 4 << I } {
            let power = (4 << I) - STEP * N;
            let product = multiply(isa, V::load(isa, key.powers(power)), factor);
            put(key, power + (4 << I), product);
        } });
    } });
}

/// Squares: the middle part of the product is zero.
#[inline(always)]
fn square<V: CarrylessBlocks<N>, const N: usize>(isa: V::Isa, a: V) -> V {
    reduce(isa, a.multiply_low(a), V::zero(isa), a.multiply_high(a))
}
