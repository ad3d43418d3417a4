//! Operations on 128 bits against those on numbers.

use super::*;
use crate::lanes::portable::PlainBlocks;
use crate::lanes::{Blocks, CarrylessBlocks};

/// Some numbers, the first random.
fn numbers() -> impl Iterator<Item = u128> {
    let random = (1_u128..50)
        .map(|i| (i * i).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).rotate_right(31));
    random.chain((0..128).map(|i| 1 << i)).chain([0, u128::MAX])
}

#[test]
fn bits() {
    let halves =
        |x: u128, f: &dyn Fn(u64) -> u64| u128::from(f(x as u64)) | u128::from(f((x >> 64) as u64)) << 64;
    for x in numbers() {
        let (bits, bytes) = (Bits::new(x), x.to_le_bytes());
        for y in numbers() {
            let other = Bits::new(y);
            let results = [bits ^ other, bits & other, bits | other, !bits].map(Bits::number);
            assert_eq!(results, [x ^ y, x & y, x | y, !x]);
        }
        for by in 0..64 {
            assert_eq!((bits << by).number(), halves(x, &|half| half << by));
            assert_eq!((bits >> by).number(), halves(x, &|half| half >> by));
        }
        for bit in 0..8 {
            let spread = bytes.map(|byte| if byte >> bit & 1 == 1 { 0xff } else { 0 });
            assert_eq!(bits.spread(bit).number().to_le_bytes(), spread);
        }
        for (rows, columns) in [1, 2].into_iter().flat_map(|rows| (0..4).map(move |columns| (rows, columns)))
        {
            let turned = core::array::from_fn(|i| bytes[(i / 4 + rows) % 4 * 4 + (i + columns) % 4]);
            assert_eq!(bits.turn(rows as u32, columns as u32).number().to_le_bytes(), turned);
            let order = core::array::from_fn(|i| (5 * i as u8 + rows as u8 + 7 * columns as u8) % 16);
            let shuffled = order.map(|from| bytes[usize::from(from)]);
            assert_eq!(bits.shuffle(&order).number().to_le_bytes(), shuffled);
        }
    }
}

/// The lookups are bilinear, since each bit of a factor is in one of its parts: bits determine them, and the
/// others show that they are.
#[test]
fn products() {
    let product = |x: u128, y: u128| {
        let (low, high) = (PlainBlocks([x]), PlainBlocks([y]));
        let (middle, swapped) = (low.multiply_low(high.swap_halves()), low.swap_halves().multiply_low(high));
        let middle = (middle ^ swapped).0[0];
        [low.multiply_low(high).0[0] ^ middle << 64, low.multiply_high(high).0[0] ^ middle >> 64]
    };
    // Not reduced, a multiple has 131 bits.
    let key = |x: u128| {
        let mut key = Multiples::ZERO;
        key.set([x, x << 1, x << 2, x << 3]);
        key
    };
    for x in numbers().map(|x| x >> 3) {
        for y in numbers() {
            assert_eq!(Multiples::sum_of_products(&[key(x)], [y]), product(x, y));
        }
        let [[a, b], [c, d]] = [product(x, !x), product(5, x)];
        assert_eq!(Multiples::sum_of_products(&[key(x), key(5)], [!x, x]), [a ^ c, b ^ d]);
    }
}
