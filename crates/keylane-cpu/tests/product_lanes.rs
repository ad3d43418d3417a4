//! Tests that every operation of Poly1305's vectors agrees with the model, `lanes::portable`, and the model
//! with `u128`. `lanes.rs` tests what they share with the hashes' vectors.

use keylane_contracts::{Random, require};
use keylane_cpu::lanes::portable::U64s;
use keylane_cpu::lanes::{Product52Lanes, ProductLanes};
use keylane_cpu::{InstructionSet, Portable};

/// How often each operation is tried, each time with other numbers.
const ROUNDS: usize = 500;

/// Returns a number of 26, 32, 52 or 64 bits: the widths of limbs and of the instructions' factors.
fn number(random: &mut Random) -> u64 {
    let edge = |bits: u32| u64::MAX >> (64 - bits);
    match random.below(12) {
        0 => 0,
        1 => edge(64),
        2 => edge(52),
        3 => edge(52) + 1,
        4 => edge(32),
        5 => edge(32) + 1,
        6 => edge(26),
        7 => 1 << random.below(64),
        _ => random.next(),
    }
}

fn numbers<const N: usize>(random: &mut Random) -> [u64; N] {
    core::array::from_fn(|_| number(random))
}

fn token<I: InstructionSet>() -> Option<I> {
    let token = I::detect().copied();
    if token.is_none() {
        require(I::NAME);
    }
    token
}

/// The results of the operations, as plain arrays.
#[derive(Debug, PartialEq, Eq)]
struct Results<const N: usize> {
    /// To the left, by 1, 2, 24, 26, 40, 44, 52 and 63.
    shifted: [[u64; N]; 8],
    product: [u64; N],
    /// A sum of products, as in the kernels, for which the optimiser may choose another instruction.
    sum_of_products: [u64; N],
    sum: u64,
}

#[inline(always)]
fn operations<V: ProductLanes<N>, const N: usize>(
    isa: V::Isa,
    a: &[u64; N],
    b: &[u64; N],
    results: &mut Results<N>,
) {
    let (x, y) = (V::load(isa, a), V::load(isa, b));
    x.shift_left::<1>().store(&mut results.shifted[0]);
    x.shift_left::<2>().store(&mut results.shifted[1]);
    x.shift_left::<24>().store(&mut results.shifted[2]);
    x.shift_left::<26>().store(&mut results.shifted[3]);
    x.shift_left::<40>().store(&mut results.shifted[4]);
    x.shift_left::<44>().store(&mut results.shifted[5]);
    x.shift_left::<52>().store(&mut results.shifted[6]);
    x.shift_left::<63>().store(&mut results.shifted[7]);
    x.multiply_32(y).store(&mut results.product);
    (x.multiply_32(y) + y.multiply_32(y) + x).store(&mut results.sum_of_products);
    results.sum = x.sum();
}

fn run<V: ProductLanes<N>, const N: usize>(isa: V::Isa, a: &[u64; N], b: &[u64; N]) -> Results<N> {
    let mut results = Results { shifted: [[0; N]; 8], product: [0; N], sum_of_products: [0; N], sum: 0 };
    isa.run(
        #[inline(always)]
        |isa| operations::<V, N>(isa, a, b, &mut results),
    );
    results
}

/// Returns the lower and the upper words of blocks, loaded from bytes and from words.
fn split<V: ProductLanes<N>, const N: usize>(
    isa: V::Isa,
    blocks: &[[u8; 16]; N],
    pairs: &[[u64; 2]; N],
) -> [[[u64; N]; 2]; 2] {
    let mut results = [[[0; N]; 2]; 2];
    isa.run(
        #[inline(always)]
        |isa| {
            let (low, high) = V::from_blocks(isa, blocks);
            low.store(&mut results[0][0]);
            high.store(&mut results[0][1]);
            for half in 0..2 {
                let mut words = [0; N];
                for i in 0..N {
                    words[i] = pairs[i][half];
                }
                V::from_words(isa, words).store(&mut results[1][half]);
            }
        },
    );
    results
}

fn check<V: ProductLanes<N>, const N: usize>(name: &str) {
    let Some(isa) = token::<V::Isa>() else { return };
    let mut random = Random::new(N as u64);
    let mut order = None;
    for round in 0..ROUNDS {
        let (a, b) = (numbers(&mut random), numbers(&mut random));
        let expected = run::<U64s<N>, N>(Portable, &a, &b);
        assert_eq!(run::<V, N>(isa, &a, &b), expected, "{name}, round {round}");

        // All words differ, which shows the block in each lane.
        let pairs: [[u64; 2]; N] =
            core::array::from_fn(|i| [random.next() << 4 | i as u64, random.next() << 4 | i as u64]);
        let blocks = pairs.map(|[low, high]| (u128::from(low) | u128::from(high) << 64).to_le_bytes());
        let [from_blocks, from_words] = split::<V, N>(isa, &blocks, &pairs);
        assert_eq!(from_blocks, from_words, "{name}, round {round}: from_blocks, from_words");
        let lanes = from_blocks[0].map(|word| word as usize & 15);
        for (lane, &block) in lanes.iter().enumerate() {
            assert_eq!([from_blocks[0][lane], from_blocks[1][lane]], pairs[block], "{name}, lane {lane}");
        }
        let mut blocks_of_lanes = lanes;
        blocks_of_lanes.sort_unstable();
        assert_eq!(blocks_of_lanes, core::array::from_fn(|i| i), "{name}: each block has a lane");
        assert_eq!(*order.get_or_insert(lanes), lanes, "{name}: the same order in each call");
    }
}

fn check52<V: Product52Lanes<N>, const N: usize>(name: &str) {
    let (Some(isa), Some(ifma)) = (token::<V::Isa>(), token::<V::Ifma>()) else { return };
    let mut random = Random::new(N as u64);
    for round in 0..ROUNDS {
        let [sum, a, b]: [[u64; N]; 3] = core::array::from_fn(|_| numbers(&mut random));
        let (mut low, mut high) = ([0; N], [0; N]);
        ifma.run(
            #[inline(always)]
            |ifma| {
                let (sum, a, b) = (V::load(isa, &sum), V::load(isa, &a), V::load(isa, &b));
                sum.add_low_product(ifma, a, b).store(&mut low);
                sum.add_high_product(ifma, a, b).store(&mut high);
            },
        );
        for i in 0..N {
            let limb = |x: u64| u128::from(x % (1 << 52));
            let product = limb(a[i]) * limb(b[i]);
            let expected = [product % (1 << 52), product >> 52].map(|part| sum[i].wrapping_add(part as u64));
            assert_eq!([low[i], high[i]], expected, "{name}, round {round}, {sum:x?} {a:x?} {b:x?}");
        }

        let mut blocks = [[0; 16]; N];
        for (block, (low, high)) in blocks.iter_mut().zip(a.iter().zip(&b)) {
            *block = (u128::from(*low) | u128::from(*high) << 64).to_le_bytes();
        }
        isa.run(
            #[inline(always)]
            |isa| {
                let (in_low, in_high) = V::gather(isa, blocks.each_ref());
                in_low.store(&mut low);
                in_high.store(&mut high);
            },
        );
        assert_eq!([low, high], [a, b], "{name}, round {round}: gather");
    }
}

#[test]
fn the_model() {
    let mut random = Random::new(0);
    for _ in 0..ROUNDS {
        let (a, b) = (numbers::<4>(&mut random), numbers::<4>(&mut random));
        let found = run::<U64s<4>, 4>(Portable, &a, &b);
        for i in 0..4 {
            let shifted = [1, 2, 24, 26, 40, 44, 52, 63].map(|left| a[i] << left);
            assert_eq!(found.shifted.map(|lanes| lanes[i]), shifted);
            let product = |x: u64, y: u64| (x % (1 << 32)) * (y % (1 << 32));
            assert_eq!(found.product[i], product(a[i], b[i]));
            let sum = product(a[i], b[i]).wrapping_add(product(b[i], b[i])).wrapping_add(a[i]);
            assert_eq!(found.sum_of_products[i], sum);
        }
        let sum: u128 = a.iter().map(|&x| u128::from(x)).sum();
        assert_eq!(found.sum, sum as u64);
    }
    check::<U64s<1>, 1>("U64s<1>");
    check::<U64s<4>, 4>("U64s<4>");
    check52::<U64s<4>, 4>("U64s<4>");
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::{check, check52};
    use keylane_cpu::lanes::x86_64::{U64x2, U64x4, U64x8};
    use keylane_cpu::x86_64::{Sse2, Ssse3};

    #[test]
    fn u64x2() {
        check::<U64x2<Sse2>, 2>("U64x2<Sse2>");
        check::<U64x2<Ssse3>, 2>("U64x2<Ssse3>");
    }

    #[test]
    fn u64x4() {
        check::<U64x4, 4>("U64x4");
    }

    #[test]
    fn u64x8() {
        check::<U64x8, 8>("U64x8");
    }

    #[test]
    fn u64x8_ifma() {
        check52::<U64x8, 8>("U64x8");
    }
}

#[cfg(target_arch = "aarch64")]
#[test]
fn u64x2() {
    check::<keylane_cpu::lanes::aarch64::U64x2, 2>("U64x2");
}
