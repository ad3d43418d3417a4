//! Poly1305 above its limbs: the lanes, sixteen messages side by side, padding and pieces.
//!
//! [`poly1305`](super::poly1305) proves that limbs and scalar code compute modulo p, for all inputs within
//! their bounds. Here the kernels' own code runs with limbs that are polynomials in r and the blocks, and it
//! is checked that these are the standard's, and that limbs are used within their bounds.
//!
//! Scalar code runs on numbers beside that: r, the blocks and the hash so far are random, and a number that
//! comes from there is a block, a power of r or the hash of the first blocks if it has the value of one. What
//! scalar code computes is a polynomial, as is proved there; two different ones of degree n have the same
//! value at a random point with a probability of n / 2^106.

use super::poly1305::p;
use super::vectors::U64x2;
use crate::backend::Shape;
use crate::poly1305::limbs64::Accumulator;
use crate::poly1305::parallel::{Limbs, Parallel};
use crate::poly1305::radix26::Radix26;
use crate::poly1305::radix44::Radix44;
use crate::poly1305::tile::{self, LANES, PIECES, Tiled};
use crate::poly1305::{Hash, Kernel, Poly1305};
use crate::poly1305::{limbs8, limbs13, limbs32, limbs64};
use core::ops::{Add, BitAnd, BitOr, BitXor};
use keylane_contracts::Random;
use keylane_cpu::lanes::portable::U64s;
use keylane_cpu::lanes::{Lanes, Product52Lanes, ProductLanes, U64Lanes};
use keylane_cpu::{Portable, Portable8, Portable32};
use num_bigint::{BigInt, Sign};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

fn from_bytes(bytes: &[u8]) -> BigInt {
    BigInt::from_bytes_le(Sign::Plus, bytes)
}

fn from_words(words: &[u64]) -> BigInt {
    from_bytes(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
}

/// RFC 8439 §2.5.1.
pub(crate) fn rfc_8439(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let ((r, s), p) = (key.split_at(16), p());
    let r = from_bytes(r) & BigInt::from(0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff_u128);
    let hash = message.chunks(16).fold(BigInt::ZERO, |hash, block| {
        let block = from_bytes(&[block, &[1]].concat());
        (hash + block) * &r % &p
    });
    let mut tag = (hash + from_bytes(s)).to_bytes_le().1;
    tag.resize(16, 0);
    tag.try_into().expect("16 bytes")
}

/// What limbs are, and so what their bounds are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// From two words and a top of at most 1.
    Block,
    /// From two words and a top of at most 4.
    Folded,
    Reduced,
    /// A block and one of the others.
    Sum,
}

/// What a kernel could do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// Puts words into other lanes than blocks.
    Lane,
    /// Does not add a block.
    Block,
    /// Multiplies one lane by another lane's factor.
    Factor,
    /// Leaves a lane out of the total.
    Total,
}

/// Products of atoms with their exponents, sorted, and the products' factors.
#[derive(Clone, Default, PartialEq)]
struct Polynomial(BTreeMap<Vec<(usize, u32)>, BigInt>);

impl Polynomial {
    fn of(product: Vec<(usize, u32)>, factor: BigInt) -> Self {
        Self([(product, factor)].into())
    }

    fn plus(mut self, other: &Self) -> Self {
        for (product, factor) in &other.0 {
            *self.0.entry(product.clone()).or_default() += factor;
        }
        self
    }

    fn times(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for (first, a) in &self.0 {
            for (second, b) in &other.0 {
                let mut exponents: BTreeMap<usize, u32> = first.iter().copied().collect();
                for (atom, exponent) in second {
                    *exponents.entry(*atom).or_default() += exponent;
                }
                *product.0.entry(exponents.into_iter().collect()).or_default() += a * b;
            }
        }
        product
    }
}

/// Polynomials, and their values at a random point.
#[derive(Default)]
struct Polynomials {
    /// The values of the atoms.
    point: Vec<BigInt>,
    all: Vec<Polynomial>,
    /// What a number is, by its value modulo p.
    named: HashMap<BigInt, (usize, Kind)>,
    /// What the kernel has returned.
    results: Vec<usize>,
    fault: Option<Fault>,
}

thread_local!(static POLYNOMIALS: RefCell<Polynomials> = RefCell::default());

fn polynomials<R>(f: impl FnOnce(&mut Polynomials) -> R) -> R {
    POLYNOMIALS.with_borrow_mut(f)
}

fn has_fault(fault: Fault) -> bool {
    polynomials(|all| all.fault == Some(fault))
}

impl Polynomials {
    /// Begins anew.
    fn reset(fault: Option<Fault>) {
        POLYNOMIALS.set(Self { fault, ..Self::default() });
        polynomials(|all| all.named(Polynomial::default(), Kind::Folded));
    }

    fn add(&mut self, polynomial: Polynomial) -> usize {
        self.all.push(polynomial);
        self.all.len() - 1
    }

    /// Returns a new atom of this value.
    fn atom(&mut self, value: BigInt) -> Polynomial {
        self.point.push(value % p());
        Polynomial::of(vec![(self.point.len() - 1, 1)], 1.into())
    }

    /// Expects this polynomial among the numbers that limbs are made of.
    fn named(&mut self, polynomial: Polynomial, kind: Kind) {
        let value = self.value(&polynomial);
        let at = self.add(polynomial);
        self.named.insert(value, (at, kind));
    }

    /// Returns the value at the point.
    fn value(&self, polynomial: &Polynomial) -> BigInt {
        let terms = polynomial.0.iter().map(|(product, factor)| {
            let power = |&(atom, exponent): &(usize, u32)| self.point[atom].modpow(&exponent.into(), &p());
            product.iter().map(power).fold(factor.clone(), |product, power| product * power % p())
        });
        terms.sum::<BigInt>() % p()
    }

    fn sum(&mut self, x: usize, y: usize) -> usize {
        let sum = self.all[x].clone().plus(&self.all[y]);
        self.add(sum)
    }

    fn product(&mut self, x: usize, y: usize) -> usize {
        let product = self.all[x].times(&self.all[y]);
        self.add(product)
    }

    /// Names the powers of a key's r up to r^16, and returns r.
    fn key(&mut self, r: [u64; 2]) -> Polynomial {
        let r = self.atom(from_words(&r));
        let mut power = r.clone();
        for _ in 1..=16 {
            self.named(power.clone(), Kind::Folded);
            power = power.times(&r);
        }
        r
    }

    /// Returns the hashes of no block, the first one, and so on, and names these blocks.
    fn hashes(&mut self, r: &Polynomial, accumulator: Polynomial, blocks: &[[u8; 16]]) -> Vec<Polynomial> {
        let mut hashes = vec![accumulator];
        for block in blocks {
            let block = self.atom(from_bytes(&[block.as_slice(), &[1]].concat()));
            self.named(block.clone(), Kind::Block);
            hashes.push(block.plus(&hashes[hashes.len() - 1]).times(r));
        }
        hashes
    }
}

/// Lanes of numbers that are polynomials.
#[derive(Clone, Copy)]
struct Formal<const N: usize> {
    lanes: [usize; N],
    kind: Kind,
}

/// Sums of so many products.
#[derive(Clone, Copy)]
struct Products<const N: usize> {
    lanes: [usize; N],
    products: usize,
}

impl<const N: usize> Limbs<N> for Formal<N> {
    type Isa = Portable;
    type Vector = Shuffled<N>;
    type Factor = Self;
    type Sums = Products<N>;

    fn lanes(isa: Portable) -> Portable {
        isa
    }

    fn new(_: Portable, words: [Shuffled<N>; 3]) -> Self {
        let [low, high, top] = words.map(|words| words.0.0);
        let numbers: [(usize, Kind); N] = core::array::from_fn(|i| {
            let number = from_words(&[low[i], high[i], top[i]]) % p();
            assert!(top[i] <= 4, "not folded");
            *polynomials(|all| all.named.get(&number).copied())
                .as_ref()
                .expect("neither a block, nor a power of r, nor the hash of the first blocks")
        });
        let kind = numbers[0].1;
        assert!(numbers.iter().all(|number| number.1 == kind), "blocks and others");
        Self { lanes: numbers.map(|(number, _)| number), kind }
    }

    fn plus(self, other: Self) -> Self {
        let kinds = [self.kind, other.kind];
        assert!(kinds.contains(&Kind::Block) && kinds != [Kind::Block; 2] && !kinds.contains(&Kind::Sum));
        if has_fault(Fault::Block) {
            return Self { kind: Kind::Sum, ..self };
        }
        let lanes = core::array::from_fn(|i| polynomials(|all| all.sum(self.lanes[i], other.lanes[i])));
        Self { lanes, kind: Kind::Sum }
    }

    fn factor(self, _: Portable) -> Self {
        assert!(self.kind == Kind::Folded);
        self
    }

    fn times(self, _: Portable, factor: &Self) -> Products<N> {
        let mut factors = factor.lanes;
        if has_fault(Fault::Factor) {
            factors[N - 1] = factors[0];
        }
        let lanes = core::array::from_fn(|i| polynomials(|all| all.product(self.lanes[i], factors[i])));
        Products { lanes, products: 1 }
    }

    fn add_times(self, isa: Portable, factor: &Self, sums: Products<N>) -> Products<N> {
        assert!(sums.products == 1);
        let product = self.times(isa, factor);
        let lanes = core::array::from_fn(|i| polynomials(|all| all.sum(sums.lanes[i], product.lanes[i])));
        Products { lanes, products: 2 }
    }

    fn reduce(_: Portable, sums: Products<N>) -> Self {
        Self { lanes: sums.lanes, kind: Kind::Reduced }
    }

    fn total(sums: Products<N>) -> Accumulator {
        assert!(sums.products == 1);
        let lanes = &sums.lanes[usize::from(has_fault(Fault::Total))..];
        polynomials(|all| {
            let total = lanes.iter().copied().reduce(|x, y| all.sum(x, y)).expect("a lane");
            all.results.push(total);
            let mut words = all.value(&all.all[total]).to_u64_digits().1;
            words.resize(3, 0);
            words.try_into().expect("three words")
        })
    }
}

impl Tiled for Formal<8> {
    fn zero(_: Portable) -> Self {
        let (zero, _) = polynomials(|all| all.named[&BigInt::ZERO]);
        Self { lanes: [zero; 8], kind: Kind::Reduced }
    }

    fn where_ones(self, mask: Shuffled<8>, other: Self) -> Self {
        assert!(self.kind == Kind::Reduced && other.kind == Kind::Reduced);
        let lanes = core::array::from_fn(|i| match mask.0.0[i] {
            u64::MAX => self.lanes[i],
            0 => other.lanes[i],
            _ => panic!("no mask"),
        });
        Self { lanes, kind: Kind::Reduced }
    }

    fn limbs(self) -> [[u64; 8]; 3] {
        assert!(self.kind == Kind::Reduced);
        polynomials(|all| {
            all.results.extend(self.lanes);
            let values = self.lanes.map(|lane| all.value(&all.all[lane]));
            [0, 44, 88].map(|at| {
                values.each_ref().map(|value| {
                    let limb: BigInt = (value >> at) & ((BigInt::from(1) << 44) - 1);
                    limb.try_into().expect("44 bits")
                })
            })
        })
    }
}

/// Numbers in lanes. Block i is in lane i + 1, and the last in lane 0.
#[derive(Clone, Copy, Debug)]
struct Shuffled<const N: usize>(U64s<N>);

impl<const N: usize> Shuffled<N> {
    fn shuffle(mut lanes: [u64; N]) -> Self {
        lanes.rotate_right(1);
        Self(U64s(lanes))
    }
}

macro_rules! operators {
    ($($Trait:ident $name:ident),+) => { $(
        impl<const N: usize> $Trait for Shuffled<N> {
            type Output = Self;

            fn $name(self, other: Self) -> Self {
                Self(self.0.$name(other.0))
            }
        }
    )+ };
}
operators!(Add add, BitXor bitxor, BitAnd bitand, BitOr bitor);

impl<const N: usize> Lanes for Shuffled<N> {
    type Isa = Portable;
}

impl<const N: usize> U64Lanes<N> for Shuffled<N> {
    fn splat(isa: Portable, x: u64) -> Self {
        Self(U64s::splat(isa, x))
    }

    fn load(isa: Portable, lanes: &[u64; N]) -> Self {
        Self(U64s::load(isa, lanes))
    }

    fn shift_right<const R: u32>(self) -> Self {
        Self(self.0.shift_right::<R>())
    }

    fn store(self, _: &mut [u64; N]) {
        unreachable!("an operation of limbs")
    }

    fn rotate_right<const R: u32>(self) -> Self {
        unreachable!("an operation of hashes")
    }

    fn from_rows(_: Portable, _: &[[u64; 4]; N]) -> [Self; 4] {
        unreachable!("an operation of hashes")
    }

    fn from_rows_be(_: Portable, _: [&[u8; 32]; N]) -> [Self; 4] {
        unreachable!("an operation of hashes")
    }

    fn to_rows(_: [Self; 4], _: &mut [[u64; 4]; N]) {
        unreachable!("an operation of hashes")
    }
}

impl<const N: usize> ProductLanes<N> for Shuffled<N> {
    fn from_blocks(isa: Portable, blocks: &[[u8; 16]; N]) -> (Self, Self) {
        let (low, high) = U64s::from_blocks(isa, blocks);
        (Self::shuffle(low.0), Self::shuffle(high.0))
    }

    fn from_words(_: Portable, words: [u64; N]) -> Self {
        if has_fault(Fault::Lane) { Self(U64s(words)) } else { Self::shuffle(words) }
    }

    fn shift_left<const L: u32>(self) -> Self {
        unreachable!("an operation of limbs")
    }

    fn multiply_32(self, _: Self) -> Self {
        unreachable!("an operation of limbs")
    }

    fn sum(self) -> u64 {
        unreachable!("an operation of limbs")
    }
}

impl<const N: usize> Product52Lanes<N> for Shuffled<N> {
    type Ifma = Portable;

    fn lanes(isa: Portable) -> Portable {
        isa
    }

    fn gather(isa: Portable, blocks: [&[u8; 16]; N]) -> (Self, Self) {
        let (low, high) = U64s::gather(isa, blocks);
        (Self(low), Self(high))
    }

    fn add_low_product(self, _: Portable, _: Self, _: Self) -> Self {
        unreachable!("an operation of limbs")
    }

    fn add_high_product(self, _: Portable, _: Self, _: Self) -> Self {
        unreachable!("an operation of limbs")
    }
}

/// A kernel whose limbs are replaced by others.
trait OverLimbs {
    type Formal: Shape + Kernel;
    /// The least number of blocks that are hashed by lanes, with no powers known, and with some.
    const LANES_FROM: [usize; 2];
}

impl<L, const N: usize, const ALONE: usize, const KNOWN: usize> OverLimbs for Parallel<L, N, ALONE, KNOWN> {
    type Formal = Parallel<Formal<N>, N, ALONE, KNOWN>;
    const LANES_FROM: [usize; 2] = [ALONE, KNOWN];
}

/// What is known of the powers of r: the first is nothing.
const PREPARATIONS: [fn(&mut Hash); 7] = [
    |_| (),
    |hash| hash.key.wipe_powers(),
    |hash| _ = hash.key.powers::<2>(false),
    |hash| _ = hash.key.powers::<2>(true),
    |hash| _ = hash.key.powers::<4>(true),
    |hash| _ = hash.key.powers::<8>(false),
    |hash| _ = hash.key.powers::<8>(true),
];

/// Returns whether a kernel absorbs so many blocks as the standard says, and checks whether lanes do.
fn absorbs(kernel: &dyn Kernel, blocks: usize, known: usize, lanes: bool, fault: Option<Fault>) -> bool {
    let mut random = Random::new((blocks * PREPARATIONS.len() + known) as u64);
    let blocks: Vec<[u8; 16]> = (0..blocks).map(|_| random.array()).collect();
    let hash = &mut Hash::new(&random.array());
    hash.accumulator = [random.next(), random.next(), random.next() >> 1];
    Polynomials::reset(fault);
    let expected = polynomials(|all| {
        let r = all.key(hash.key.r);
        let accumulator = all.atom(from_words(&hash.accumulator));
        let hashes = all.hashes(&r, accumulator, &blocks);
        for hash in hashes.iter().take(8) {
            all.named(hash.clone(), Kind::Folded);
        }
        hashes[blocks.len()].clone()
    });
    PREPARATIONS[known](hash);
    kernel.absorb(&mut hash.key, &mut hash.accumulator, &blocks);
    polynomials(|all| {
        assert!(all.results.len() == usize::from(lanes), "by lanes or not");
        hash.accumulator[2] < 1 << 63
            && from_words(&hash.accumulator) % p() == all.value(&expected)
            && all.results.iter().all(|&result| all.all[result] == expected)
    })
}

/// Proves lanes for these numbers of blocks, after these preparations.
fn lanes<K: OverLimbs>(counts: impl Iterator<Item = usize>, preparations: &[usize]) {
    let kernel = K::Formal::KERNEL;
    for blocks in counts {
        for &known in preparations {
            let lanes = blocks >= K::LANES_FROM[usize::from(known > 0)];
            assert!(absorbs(kernel, blocks, known, lanes, None), "{blocks} blocks, preparation {known}");
        }
    }
    // Lanes, with a rest, and with one group after pairs of them.
    for fault in [Fault::Lane, Fault::Block, Fault::Factor, Fault::Total] {
        assert!(!absorbs(kernel, 79, 0, true, Some(fault)), "the proof does not notice the fault {fault:?}");
    }
}

mod shapes {
    use super::{Parallel, Radix26, U64x2};
    pub(super) use crate::poly1305::shapes::*;

    macro_rules! neon {
        ($shape:ty) => {
            pub(super) type Neon = $shape;

            /// The shape is as in the source, which is not compiled here.
            #[test]
            fn as_in_the_source() {
                let source = include_str!("../../../crates/keylane/src/poly1305/shapes.rs");
                assert!(source.contains(concat!("type Neon = ", stringify!($shape), ";")));
            }
        };
    }
    neon!(Parallel<Radix26<U64x2>, 2, 32, 16>);
}

macro_rules! proofs {
    ($($name:ident $all:ident: $Kernel:ty)+) => {
        pub(crate) const PROVED: (&str, &[&str]) =
            ("poly1305", &[$(stringify!($Kernel),)+ "Scalar", "keylane_cpu::Portable32", "keylane_cpu::Portable8"]);
        $(
            #[test]
            fn $name() {
                let [alone, known] = <$Kernel>::LANES_FROM;
                lanes::<$Kernel>((known - 1..known + 16).chain([alone - 1, alone]), &[0, 3, 6]);
            }

            #[test]
            #[ignore = "long"]
            fn $all() {
                lanes::<$Kernel>(0..=128, &[0, 1, 2, 3, 4, 5, 6]);
            }
        )+
    };
}
proofs! {
    avx512_ifma avx512_ifma_long: shapes::Avx512Ifma
    avx512 avx512_long: shapes::Avx512
    avx2 avx2_long: shapes::Avx2
    sse2 sse2_long: shapes::Sse2
    neon neon_long: shapes::Neon
}

/// Without lanes, and with limbs as they are: what [`Limbs::total`] does with the sums.
#[test]
fn numbers() {
    for blocks in (1..=20).chain([31, 32, 33, 64]) {
        for known in [0, 6] {
            let absorbs = |kernel| assert!(absorbs(kernel, blocks, known, false, None), "{blocks} blocks");
            absorbs(&Portable);
            absorbs(&Portable32);
            absorbs(&Portable8);
            if blocks >= 8 {
                absorbs(Parallel::<Radix26<U64s<2>>, 2, 8, 8>::KERNEL);
                absorbs(Parallel::<Radix26<U64s<4>>, 4, 8, 8>::KERNEL);
                absorbs(Parallel::<Radix26<U64s<8>>, 8, 8, 8>::KERNEL);
                absorbs(Parallel::<Radix44<U64s<8>>, 8, 8, 8>::KERNEL);
            }
        }
    }
}

/// The last block, with limbs of every width.
#[test]
fn last_blocks() {
    let mut random = Random::new(5);
    for top in [0, 1] {
        let mut words = [(); 7].map(|()| random.next());
        words[2] >>= 1;
        let [a, b, c, low, high, r0, r1] = words;
        let r = [r0 & 0x0fff_fffc_0fff_ffff, r1 & 0x0fff_fffc_0fff_fffc];
        let block = (u128::from(low) | u128::from(high) << 64).to_le_bytes();
        let expected = (from_words(&[a, b, c]) + from_words(&[low, high, top])) * from_words(&r) % p();
        for absorb in [limbs8::absorb, limbs13::absorb, limbs32::absorb] {
            let mut absorbed = [a, b, c];
            absorb(&r, &mut absorbed, &[block], top as u32);
            assert_eq!(from_words(&absorbed) % p(), expected);
        }
        let absorbed = limbs64::absorb_words(r, [a, b, c], [low, high], top);
        assert_eq!(from_words(&absorbed) % p(), expected);
    }
}

/// From whatever powers are known to whatever are needed.
#[test]
fn powers_of_r() {
    let needs: [fn(&mut Hash) -> [Accumulator; 8]; 6] = [
        |hash| *hash.key.powers::<2>(false),
        |hash| *hash.key.powers::<2>(true),
        |hash| *hash.key.powers::<4>(false),
        |hash| *hash.key.powers::<4>(true),
        |hash| *hash.key.powers::<8>(false),
        |hash| *hash.key.powers::<8>(true),
    ];
    let exponents = [2, 3, 4, 5, 6, 7, 8, 16];
    let needed: [&[u32]; 6] = [&[2], &[2, 4], &[2, 3, 4], &[2, 3, 4, 8], &[2, 3, 4, 5, 6, 7, 8], &exponents];
    let mut random = Random::new(1);
    for prepare in PREPARATIONS {
        for (need, needed) in needs.iter().zip(needed) {
            let hash = &mut Hash::new(&random.array());
            prepare(hash);
            let r = from_words(&hash.key.r);
            for (power, exponent) in need(hash).iter().zip(exponents) {
                if needed.contains(&exponent) {
                    assert_eq!(from_words(power) % p(), r.modpow(&exponent.into(), &p()));
                    assert!(power[2] <= 4);
                }
            }
        }
    }
}

/// Proves sixteen messages side by side, whose pieces have these lengths in blocks. Returns whether the tags
/// are the standard's.
fn tiles(len: impl Fn(usize, usize) -> usize, fault: Option<Fault>) -> bool {
    let mut random = Random::new(2);
    let keys: [[u8; 32]; LANES] = [(); LANES].map(|()| random.array());
    let messages: [[Vec<[u8; 16]>; LANES]; PIECES] = core::array::from_fn(|piece| {
        core::array::from_fn(|lane| (0..len(lane, piece)).map(|_| random.array()).collect())
    });
    let of_lane = |lane: usize| -> Vec<[u8; 16]> {
        messages.iter().flat_map(|pieces| pieces[lane].iter().copied()).collect()
    };
    Polynomials::reset(fault);
    let expected = polynomials(|all| {
        // In place of a block, where there is none.
        all.named(Polynomial::of(Vec::new(), BigInt::from(1) << 128), Kind::Block);
        core::array::from_fn::<_, LANES, _>(|lane| {
            let r = all.key(Hash::new(&keys[lane]).key.r);
            all.hashes(&r, Polynomial::default(), &of_lane(lane)).pop().expect("a hash")
        })
    });
    let keys = keys.each_ref();
    let pieces = messages.each_ref().map(|pieces| pieces.each_ref().map(Vec::as_slice));
    let mut sums = tile::sums::<Formal<8>>(Portable, &keys, &pieces);
    let mut tags = [[0; 16]; LANES];
    tile::finish_tags(&mut sums, &keys, &mut tags);
    let forms = polynomials(|all| {
        assert!(all.results.len() == LANES);
        all.results.iter().zip(&expected).all(|(&sum, hash)| all.all[sum] == *hash)
    });
    forms && (0..LANES).all(|lane| tags[lane] == rfc_8439(keys[lane], of_lane(lane).as_flattened()))
}

#[test]
fn sixteen_messages() {
    assert!(tiles(|_, _| 0, None));
    assert!(tiles(|_, piece| piece + 1, None));
    for step in 1..8 {
        assert!(tiles(|lane, piece| (lane * step + piece * 3 + step) % 4, None), "{step}");
    }
    for lane in 0..LANES {
        assert!(tiles(|other, _| usize::from(other == lane), None), "{lane}");
    }
    // As many rows as a tile has, and fewer in some lanes.
    assert!(tiles(|lane, piece| [20 - lane, lane % 2, 124 - 5 * lane, 2][piece], None));
    for fault in [Fault::Block, Fault::Factor] {
        assert!(!tiles(|_, _| 2, Some(fault)), "the proof does not notice the fault {fault:?}");
    }
}

#[test]
fn the_standard_has_its_example() {
    // §2.5.2.
    let key = [
        0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8, 0x01,
        0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b,
    ];
    let tag = rfc_8439(&key, b"Cryptographic Forum Research Group");
    assert_eq!(u128::from_be_bytes(tag), 0xa806_1dc1_3051_36c6_c22b_8baf_0c01_27a9);
}

/// Each bit of a key is where the standard has it, or nowhere.
#[test]
fn clamped() {
    for bit in 0..256 {
        let mut key = [0; 32];
        key[bit / 8] = 1 << (bit % 8);
        let hash = Hash::new(&key);
        let is_cleared = bit < 128 && (0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff_u128 >> bit) & 1 == 0;
        let expected = if is_cleared { BigInt::ZERO } else { from_bytes(&key) };
        assert_eq!(from_words(&[hash.key.r, hash.key.s].concat()), expected);
    }
}

/// The ends of messages, and parts that are padded each.
#[test]
fn ends_and_padding() {
    let mut random = Random::new(3);
    for len in 0..=64 {
        let (key, message) = (random.array(), random.bytes(len));
        let mut hash = Hash::new(&key);
        let (blocks, rest) = message.as_chunks();
        hash.absorb_scalar(blocks);
        hash.absorb_last(rest);
        assert_eq!(hash.tag(), rfc_8439(&key, &message), "{len} bytes");
    }
    let lens = || (0..=33).chain([112, 127, 128, 129, 160]);
    for (first, second) in lens().flat_map(|first| lens().map(move |second| (first, second))) {
        let (key, parts) = (random.array(), [first, second].map(|len| random.bytes(len)));
        let mut hash = Hash::new(&key);
        hash.absorb_all_padded(&Portable, parts.each_ref().map(Vec::as_slice).each_ref());
        let padded = parts.map(|mut part| {
            part.resize(part.len().next_multiple_of(16), 0);
            part
        });
        assert_eq!(hash.tag(), rfc_8439(&key, &padded.concat()), "{first} and {second} bytes");
    }
}

/// A message in any two pieces, in any three if it is short, and as one.
#[test]
fn pieces() {
    let mut random = Random::new(4);
    for len in (0..=66).chain([127, 128, 129, 143, 144, 145, 300]) {
        let (key, message) = (random.array(), random.bytes(len));
        let expected = rfc_8439(&key, &message);
        assert_eq!(Poly1305::mac(&key, &message), expected, "{len} bytes");
        for first in 0..=len {
            for second in if len <= 34 { first..len + 1 } else { len..len + 1 } {
                for hint in [len, usize::MAX] {
                    let mut running = Poly1305::with_hint(&key, hint);
                    running.update(&message[..first]);
                    running.update(&message[first..second]);
                    running.update(&message[second..]);
                    assert_eq!(running.finalize(), expected, "{len} bytes, cut at {first} and {second}");
                }
            }
        }
    }
}
