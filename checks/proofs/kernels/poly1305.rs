//! Proves for Poly1305's limbs that every operation preserves the value modulo p = 2^130 - 5, no sum wraps,
//! no factor is too long, and the bounds stated in the files hold.

use super::integers::{Integer, Integers};
use super::lanes::Recorded;
use super::record::{Op, Trace, input, output, record};
use super::scalars::{self, Claims, Register};
use crate::poly1305::limbs8;
use crate::poly1305::limbs13;
use crate::poly1305::limbs32::{add_multiply, join, split, words};
use crate::poly1305::limbs64::{absorb_words, add_reduced, fold, multiply, multiply_full, with_upper};
use crate::poly1305::parallel::Limbs;
use crate::poly1305::radix26::{self, Radix26};
use crate::poly1305::radix44::{self, Radix44, Sums};
use crate::poly1305::word::Unsigned;
use keylane_cpu::Portable;
use keylane_cpu::lanes::U64Lanes;
use num_bigint::BigInt;

type V = Recorded<u64, 2>;

/// Limbs whose vectors can be seen.
trait Seen: Limbs<2, Isa = Portable, Vector = V> {
    /// Where the limbs begin.
    const AT: &'static [u32];
    /// Where the sums of products begin.
    const SUMS_AT: &'static [u32];
    /// The greatest limbs of a number from [`Limbs::new`], given the greatest top.
    fn new_limbs(top: u32) -> Vec<BigInt>;
    /// The greatest limbs of a reduced number.
    fn reduced_limbs() -> Vec<BigInt>;
    /// The greatest sums of products of up to two numbers.
    fn greatest_sums() -> Vec<BigInt>;
    fn of(limbs: &[V]) -> Self;
    fn limbs(self) -> Vec<V>;
    fn sums(sums: Self::Sums) -> Vec<V>;
    /// As [`Limbs::total`], of the sums of all lanes.
    fn number(sums: &[W]) -> [W; 3];
}

fn below(bits: u32) -> BigInt {
    (BigInt::from(1) << bits) - 1
}

impl Seen for Radix26<V> {
    const AT: &'static [u32] = &[0, 26, 52, 78, 104];
    const SUMS_AT: &'static [u32] = Self::AT;

    fn new_limbs(top: u32) -> Vec<BigInt> {
        let last = (BigInt::from(top + 1) << 24) - 1;
        vec![below(26), below(26), below(26), below(26), last]
    }

    fn reduced_limbs() -> Vec<BigInt> {
        vec![below(26), below(26) + (1 << 7), below(26), below(26), below(26) + (1 << 6)]
    }

    fn greatest_sums() -> Vec<BigInt> {
        vec![below(59); 5]
    }

    fn of(limbs: &[V]) -> Self {
        Self(limbs.try_into().expect("five"))
    }

    fn limbs(self) -> Vec<V> {
        self.0.into()
    }

    fn sums(sums: [V; 5]) -> Vec<V> {
        sums.into()
    }

    fn number(sums: &[W]) -> [W; 3] {
        radix26::number::<W>(sums.try_into().expect("five"))
    }
}

impl Seen for Radix44<V> {
    const AT: &'static [u32] = &[0, 44, 88];
    const SUMS_AT: &'static [u32] = &[0, 44, 88, 52, 96, 140];

    fn new_limbs(top: u32) -> Vec<BigInt> {
        vec![below(44), below(44), (BigInt::from(top + 1) << 40) - 1]
    }

    fn reduced_limbs() -> Vec<BigInt> {
        vec![below(44), below(44) + (1 << 7), below(42)]
    }

    fn greatest_sums() -> Vec<BigInt> {
        [BigInt::from(6) << 52, below(42)].into_iter().flat_map(|bound| vec![bound; 3]).collect()
    }

    fn of(limbs: &[V]) -> Self {
        Self(limbs.try_into().expect("three"))
    }

    fn limbs(self) -> Vec<V> {
        self.0.into()
    }

    fn sums(Sums(low, high): Sums<V>) -> Vec<V> {
        [low, high].concat()
    }

    fn number(sums: &[W]) -> [W; 3] {
        let (low, high) = sums.split_at(3);
        radix44::number_of_halves::<W>(low.try_into().expect("three"), high.try_into().expect("three"))
    }
}

/// Returns a vector of two inputs.
fn vector() -> V {
    V::load(Portable, &[(); 2].map(|()| input(8)))
}

/// Declares both lanes to be outputs.
fn outputs(vectors: impl IntoIterator<Item = V>) {
    for vector in vectors {
        let mut lanes = [0; 2];
        vector.store(&mut lanes);
        lanes.into_iter().for_each(|lane| output(lane, 8));
    }
}

/// Proves of both lanes: whatever the inputs up to `greatest`, the outputs are at most `bounds`, and their
/// value is that of `expected` modulo p. With a fault of any kind they are not.
fn prove(
    at: &[u32],
    greatest: &[BigInt],
    bounds: &[BigInt],
    kernel: impl Fn(),
    expected: impl Fn(&Integers, &[Integer]) -> Integer,
) {
    let trace = record(&kernel);
    let check = |trace: &Trace| holds(trace, at, greatest, bounds, &expected);
    check(&trace).expect("a proof");
    for fault in [Fault::Shift, Fault::Mask, Fault::Operand, Fault::Half] {
        if let Some(faulty) = fault.planted(&trace) {
            assert!(check(&faulty).is_err(), "the proof does not notice the fault {fault:?}");
        }
    }
}

fn holds(
    trace: &Trace,
    at: &[u32],
    greatest: &[BigInt],
    bounds: &[BigInt],
    expected: impl Fn(&Integers, &[Integer]) -> Integer,
) -> Result<(), String> {
    let mut integers = Integers::default();
    // Each vector of inputs has two lanes.
    let inputs: Vec<Integer> =
        greatest.iter().flat_map(|x| [x, x]).map(|x| integers.atom(x.clone())).collect();
    let values = integers.values(trace, &inputs)?;
    let outputs: Vec<Integer> = trace.outputs.iter().map(|&node| values[node as usize].clone()).collect();
    let modulus = p();
    for lane in 0..2 {
        let of_lane = |all: &[Integer]| all.iter().skip(lane).step_by(2).cloned().collect::<Vec<_>>();
        let limbs = of_lane(&outputs);
        assert!(limbs.len() == bounds.len());
        for (i, (limb, bound)) in limbs.iter().zip(bounds).enumerate() {
            if limb.greatest > *bound {
                return Err(format!("limb {i} may be {:x}, over {bound:x}", limb.greatest));
            }
        }
        let (value, expected) = (number(&integers, at, &limbs), expected(&integers, &of_lane(&inputs)));
        let difference = integers.multiply_add(&BigInt::from(-1), &expected, &value);
        if let Some((atoms, factor)) =
            difference.form.iter().find(|(_, factor)| *factor % &modulus != BigInt::ZERO)
        {
            return Err(format!("{factor:x} times {atoms:?} is lost"));
        }
    }
    Ok(())
}

/// What a vector could do wrong, in one operation in the middle.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// Shifts by one bit less.
    Shift,
    /// Keeps the bits that a mask should clear.
    Mask,
    /// Adds an operand to itself, in place of another.
    Operand,
    /// Takes the other half of a product.
    Half,
}

impl Fault {
    fn planted(self, trace: &Trace) -> Option<Trace> {
        let with_fault = |op: Op| match (self, op) {
            (Self::Shift, Op::ShiftRight(x, by)) => Some(Op::ShiftRight(x, by - 1)),
            // A shift by no bits: the value as it is.
            (Self::Mask, Op::And(x, _)) => Some(Op::ShiftRight(x, 0)),
            (Self::Operand, Op::Add(x, _) | Op::Or(x, _)) => Some(Op::Add(x, x)),
            (Self::Half, Op::Low52(x, y)) => Some(Op::High52(x, y)),
            (Self::Half, Op::Multiply32(x, y)) => Some(Op::High52(x, y)),
            _ => None,
        };
        let faults: Vec<(usize, Op)> = trace
            .live()
            .into_iter()
            .filter_map(|node| Some((node as usize, with_fault(trace.steps[node as usize].op)?)))
            .collect();
        let &(node, op) = faults.get(faults.len() / 2)?;
        let mut faulty = trace.clone();
        faulty.steps[node].op = op;
        Some(faulty)
    }
}

/// Returns the number whose limbs begin at these bits.
fn number(integers: &Integers, at: &[u32], limbs: &[Integer]) -> Integer {
    assert!(at.len() == limbs.len());
    limbs.iter().zip(at).fold(integers.constant(0), |sum, (limb, at)| {
        integers.multiply_add(&(BigInt::from(1) << *at), limb, &sum)
    })
}

fn limbs<L: Seen>() {
    // Two words and a top.
    for top in [1, 4] {
        let new = || L::new(Portable, [vector(), vector(), vector()]);
        prove(
            L::AT,
            &[below(64), below(64), top.into()],
            &L::new_limbs(top),
            || outputs(new().limbs()),
            |integers, words| number(integers, &[0, 64, 128], words),
        );
    }

    // A block is added to a reduced number or to a folded one, and the sum is multiplied by a folded one.
    let (block, folded) = (L::new_limbs(1), L::new_limbs(4));
    let either: Vec<BigInt> = L::reduced_limbs().iter().zip(&folded).map(|(x, y)| x.max(y).clone()).collect();
    let input = || L::of(&L::AT.iter().map(|_| vector()).collect::<Vec<_>>());
    let greatest = [&either, &block, &folded].map(Vec::as_slice).concat();
    let product = |products: Option<L::Sums>| {
        let [a, b, f] = [(); 3].map(|()| input());
        let (sum, factor) = (a.plus(b), f.factor(Portable));
        match products {
            None => sum.times(Portable, &factor),
            Some(products) => sum.add_times(Portable, &factor, products),
        }
    };
    let expected = |integers: &Integers, limbs: &[Integer]| {
        let numbers: Vec<_> = limbs.chunks(L::AT.len()).map(|limbs| number(integers, L::AT, limbs)).collect();
        numbers.chunks(3).fold(integers.constant(0), |sum, abf| {
            let one = BigInt::from(1);
            let product = integers.multiply(&integers.multiply_add(&one, &abf[0], &abf[1]), &abf[2]);
            integers.multiply_add(&one, &product, &sum)
        })
    };
    let two = [greatest.as_slice(), &greatest].concat();
    let products = || product(Some(product(None)));
    prove(L::SUMS_AT, &two, &L::greatest_sums(), || outputs(L::sums(products())), expected);
    let reduced = || outputs(L::reduce(Portable, products()).limbs());
    prove(L::AT, &two, &L::reduced_limbs(), reduced, expected);

    // The sums of one product in up to eight lanes.
    let one = || outputs(L::sums(product(None)));
    prove(L::SUMS_AT, &greatest, &L::greatest_sums(), one, expected);
    scalars::prove(|claims| {
        let sums: Vec<W> = L::greatest_sums().iter().map(|sum| scalars::input(8 * sum, 1)).collect();
        let number = sums.iter().zip(L::SUMS_AT).fold(claims.constant(0), |number, (&sum, &at)| {
            let weighted =
                claims.product(&claims.constant(BigInt::from(1) << at), &claims.number(&[sum], 64));
            claims.sum(&number, &weighted)
        });
        let total = L::number(&sums);
        claims.equal(&claims.number(&total, 64), &number, &p());
        claims.at_most(total[2], 4);
    });
}

/// The numbers of single lanes, as sixteen messages have them.
#[test]
fn reduced_limbs_of_44_bits() {
    scalars::prove(|claims| {
        let limbs = Radix44::<V>::reduced_limbs();
        let limbs: [W; 3] = core::array::from_fn(|i| scalars::input(limbs[i].clone(), 1));
        let number = radix44::number(limbs);
        claims.equal(&claims.number(&number, 64), &claims.number(&limbs, 44), &p());
        claims.at_most(number[2], 4);
    });
}

#[test]
fn radix_26() {
    limbs::<Radix26<V>>();
}

#[test]
fn radix_44() {
    limbs::<Radix44<V>>();
}

type W = Register<64>;

pub(crate) fn p() -> BigInt {
    (BigInt::from(1) << 130) - 5
}

/// Three limbs of 64 bits, the last up to `top`.
fn number_up_to(top: BigInt) -> [W; 3] {
    [scalars::input(u64::MAX, 1), scalars::input(u64::MAX, 1), scalars::input(top, 1)]
}

/// An accumulator.
fn any() -> [W; 3] {
    number_up_to(below(63))
}

fn folded() -> [W; 3] {
    number_up_to(4.into())
}

fn two_words() -> [W; 2] {
    [scalars::input(u64::MAX, 1), scalars::input(u64::MAX, 1)]
}

/// The number r, whose words have other bits as well as these, but no more, and whose upper word is a
/// multiple of four.
fn clamped() -> [W; 2] {
    [scalars::input(0x0fff_fffc_0fff_ffff_u64, 1), scalars::input(0x0fff_fffc_0fff_fffc_u64, 4)]
}

/// Claims that limbs of 64 bits are the product modulo p, and that the last is at most `top`.
fn is_product(claims: &Claims, limbs: [W; 3], x: &Integer, y: &Integer, top: impl Into<BigInt>) {
    claims.equal(&claims.number(&limbs, 64), &claims.product(x, y), &p());
    claims.at_most(limbs[2], top);
}

#[test]
fn limbs_of_64_bits() {
    for top in [0, 1] {
        scalars::prove(|claims| {
            let (r, acc, words) = (clamped(), any(), two_words());
            let above = [words[0], words[1], W::from(top)];
            let sum = claims.sum(&claims.number(&acc, 64), &claims.number(&above, 64));
            let result = absorb_words(r, acc, words, W::from(top));
            is_product(claims, result, &sum, &claims.number(&r, 64), below(63));
        });
    }
    scalars::prove(|claims| {
        let h = any();
        let result = fold(h);
        claims.equal(&claims.number(&result, 64), &claims.number(&h, 64), &p());
        claims.at_most(result[2], 4);
    });
    scalars::prove(|claims| {
        let (h, r) = (number_up_to(8.into()), clamped());
        is_product(claims, multiply(h, r), &claims.number(&h, 64), &claims.number(&r, 64), 4);
    });
    scalars::prove(|claims| {
        let (g, h) = (folded(), folded());
        is_product(claims, multiply_full(g, h), &claims.number(&g, 64), &claims.number(&h, 64), 4);
    });
}

#[test]
fn bits_above_others() {
    fn with_bits_from<const AT: u32>() {
        scalars::prove(|claims| {
            let (lower, upper) = (scalars::input(below(AT), 1), scalars::input(below(190 - AT), 1));
            let result = with_upper::<W, AT>(lower, upper);
            claims.equal(&claims.number(&result, 64), &claims.number(&[lower, upper], AT), &p());
            claims.at_most(result[2], 4);
        });
    }
    with_bits_from::<88>();
    with_bits_from::<104>();
}

/// The tag is the accumulator modulo p, plus s, modulo 2^128.
#[test]
fn reduced_fully() {
    let exact = BigInt::from(1) << 512;
    scalars::prove(|claims| {
        let (h, s) = (any(), two_words());
        let result = claims.number(&add_reduced(h, s), 64);
        let (bit, computed) = claims.bit();
        claims.aside(|| {
            let folded = fold(h);
            let number = claims.number(&folded, 64);
            // number + 5 is three digits below 2^64, 2^64 and 4, and q times 2^130.
            let (low, carry) = folded[0].carrying_add(W::from(5));
            let (middle, carry) = folded[1].carrying_add(carry);
            let top = folded[2] + carry;
            let (high, q) = (top.low_bits(2), top >> 2);
            let plus_5 = claims.sum(&number, &claims.constant(5));
            claims.equal(&claims.number(&[low, middle, high + (q << 2)], 64), &plus_5, &exact);
            // The bit is q: it is 0 where the number is below p = 2^130 - 5, and 1 where it is not.
            claims.equal(&computed, &claims.number(&[q], 64), &exact);
            // The number is below 2p.
            let [h0, h1, h2] = h;
            let over = claims.product(&claims.constant(5), &claims.number(&[h2 >> 2], 64));
            let parts = claims.sum(&claims.number(&[h0, h1, h2.low_bits(2)], 64), &over);
            claims.equal(&parts, &number, &exact);
            claims.holds(parts.greatest < 2 * p(), "2p or more");
            // So this is the number modulo p.
            let reduced = claims.sum(&number, &claims.constant(-p() * u32::from(bit)));
            let expected = claims.sum(&reduced, &claims.number(&s, 64));
            claims.equal(&result, &expected, &(BigInt::from(1) << 128));
        });
    });
}

#[test]
fn limbs_of_26_bits_in_words_of_32() {
    let limb = || below(26);
    let last = |top: u32| (BigInt::from(top + 1) << 24) - 1;
    in_words_of_32(
        26,
        |top| [limb(), limb(), limb(), limb(), last(top)],
        [limb(), limb() + (1 << 7), limb(), limb(), last(4)],
        [limb(), limb(), limb(), limb(), below(20)],
        (split, add_multiply, join),
        |claims| claims.all_at_most(64, below(58)),
    );
}

#[test]
#[ignore = "takes seconds"]
fn limbs_of_8_bits() {
    let all = |last: u32| core::array::from_fn(|i| if i < 16 { below(8) } else { last.into() });
    in_words_of_32(8, all, all(4), all(0), (limbs8::split, limbs8::add_multiply, limbs8::join), |claims| {
        claims.all_at_most(32, below(29))
    });
}

#[test]
fn limbs_of_13_bits() {
    let limb = || below(13);
    let all = |last: BigInt| core::array::from_fn(|i| if i < 9 { limb() } else { last.clone() });
    let last = |top: u32| (BigInt::from(top + 1) << 11) - 1;
    let mut acc = all(last(4));
    acc[2] += 1;
    in_words_of_32(
        13,
        |top| all(last(top)),
        acc,
        all(below(7)),
        (limbs13::split, limbs13::add_multiply, limbs13::join),
        |claims| claims.all_at_most(32, below(31)),
    );
}

type Narrow = Register<32>;
/// `split`, `add_multiply` and `join`.
type Functions<const N: usize> = (
    fn([Narrow; 5]) -> [Narrow; N],
    fn([Narrow; N], [Narrow; N], [Narrow; N]) -> [Narrow; N],
    fn([Narrow; N]) -> [W; 3],
);

/// Proves limbs of so many bits, given the greatest limbs of a number with a top, of an accumulator and of r.
fn in_words_of_32<const N: usize>(
    bits: u32,
    new: impl Fn(u32) -> [BigInt; N],
    acc: [BigInt; N],
    r: [BigInt; N],
    (split, add_multiply, join): Functions<N>,
    bounds: impl Fn(&Claims),
) {
    let limbs = |greatest: &[BigInt; N]| greatest.clone().map(|limb| scalars::input::<32>(limb, 1));
    let number = |claims: &Claims, limbs: [Narrow; N]| claims.number(&limbs, bits);
    for top in [1, 4] {
        scalars::prove(|claims| {
            let word = || scalars::input(u32::MAX, 1);
            let five = [word(), word(), word(), word(), scalars::input(top, 1)];
            let limbs = split(five);
            claims.equal(&number(claims, limbs), &claims.number(&five, 32), &(BigInt::from(1) << 192));
            for (limb, greatest) in limbs.into_iter().zip(new(top)) {
                claims.at_most(limb, greatest);
            }
            let wide = number_up_to(top.into());
            let words = words::<Narrow>(wide);
            claims.equal(&claims.number(&words, 32), &claims.number(&wide, 64), &(BigInt::from(1) << 192));
        });
    }
    scalars::prove(|claims| {
        let (h, block, r) = (limbs(&acc), limbs(&new(1)), limbs(&r));
        let sum = claims.sum(&number(claims, h), &number(claims, block));
        let result = add_multiply(h, block, r);
        claims.equal(&number(claims, result), &claims.product(&sum, &number(claims, r)), &p());
        for (limb, greatest) in result.into_iter().zip(&acc) {
            claims.at_most(limb, greatest.clone());
        }
        bounds(claims);
    });
    scalars::prove(|claims| {
        let h = limbs(&acc);
        let result = join(h);
        claims.equal(&claims.number(&result, 64), &number(claims, h), &(BigInt::from(1) << 192));
        claims.at_most(result[2], below(63));
    });
}
