//! Products without carries.

use super::*;

/// A proof for all factors. Each bit of an integer product is the parity of the ones in its column if no
/// carry reaches it: the columns are four places apart, and have fewer than sixteen ones even if all bits
/// of the factors are ones. So the products are bilinear, and equal to the polynomials' if they are so
/// for each pair of bits.
#[test]
fn the_products_have_no_carries() {
    let bits = |x: u64| (0..64).filter(move |i| x >> i & 1 == 1);
    for [a, b] in [[u64::MAX >> 4, u64::MAX], [u32::MAX.into(); 2]] {
        for (i, j) in (0..16).map(|both| (both / 4, both % 4)) {
            let mut columns = [0; 128];
            for x in bits(a & fourths(i) as u64) {
                bits(b & fourths(j) as u64).for_each(|y| columns[x + y] += 1);
            }
            for (place, ones) in columns.into_iter().enumerate() {
                assert!(ones == 0 || ones < 16 && place % 4 == (i + j) % 4);
            }
        }
    }
    for (i, j) in (0..64 * 64).map(|both| (both / 64, both % 64)) {
        assert_eq!(product_by_64(1 << i, 1 << j), 1 << (i + j));
        assert_eq!(by_halves(1 << i, 1 << j, long_product), 1 << (i + j));
        assert_eq!(by_halves(1 << i, 1 << j, short_product), 1 << (i + j));
    }
    let ones = (0..64).fold(0, |sum, i| sum ^ u128::from(u64::MAX) << i);
    assert_eq!(product_by_64(u64::MAX, u64::MAX), ones);
    for product in [long_product as fn(_, _) -> _, short_product] {
        assert_eq!(by_halves(u64::MAX, u64::MAX, product), ones);
    }
}

/// Checks that the products are bilinear, which the proof takes from the code.
#[test]
fn products_are_sums_of_shifted_factors() {
    let mut state = 0x0123_4567_89ab_cdef_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state ^ state >> 32
    };
    for _ in 0..1000 {
        let (a, b) = (next(), next());
        let shifted = (0..64).filter(|i| a >> i & 1 == 1).map(|i| u128::from(b) << i);
        let sum = shifted.fold(0, |sum, x| sum ^ x);
        assert_eq!(product_by_64(a, b), sum);
        assert_eq!(by_halves(a, b, long_product), sum);
        assert_eq!(by_halves(a, b, short_product), sum);
    }
}
