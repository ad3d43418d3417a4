//! Poly1305's limbs: every operation keeps the value modulo p = 2^130 - 5, no sum wraps, no factor is too
//! long, and the bounds are those that the files state.

use super::integers::{Integer, Integers};
use super::lanes::Recorded;
use super::record::{Op, Trace, input, output, record};
use crate::poly1305::parallel::Limbs;
use crate::poly1305::radix26::Radix26;
use crate::poly1305::radix44::Radix44;
use keylane_cpu::Portable;
use keylane_cpu::lanes::U64Lanes;
use num_bigint::BigInt;

type V = Recorded<u64, 2>;

/// Limbs whose vectors can be seen.
trait Seen: Limbs<2, Isa = Portable, Vector = V> {
    /// Bits of a limb.
    const BITS: u32;
    const LIMBS: usize;
    /// The greatest limbs of a number from [`Limbs::new`].
    fn new_limbs() -> Vec<BigInt>;
    /// The greatest limbs of a reduced number.
    fn reduced_limbs() -> Vec<BigInt>;
    fn of(limbs: &[V]) -> Self;
    fn limbs(self) -> Vec<V>;
}

fn below(bits: u32) -> BigInt {
    (BigInt::from(1) << bits) - 1
}

impl Seen for Radix26<V> {
    const BITS: u32 = 26;
    const LIMBS: usize = 5;

    fn new_limbs() -> Vec<BigInt> {
        [26, 26, 26, 26, 27].map(below).into()
    }

    fn reduced_limbs() -> Vec<BigInt> {
        vec![below(26) + (1 << 10); 5]
    }

    fn of(limbs: &[V]) -> Self {
        Self(limbs.try_into().expect("five"))
    }

    fn limbs(self) -> Vec<V> {
        self.0.into()
    }
}

impl Seen for Radix44<V> {
    const BITS: u32 = 44;
    const LIMBS: usize = 3;

    fn new_limbs() -> Vec<BigInt> {
        vec![below(44); 3]
    }

    fn reduced_limbs() -> Vec<BigInt> {
        vec![below(44) + (1 << 14); 3]
    }

    fn of(limbs: &[V]) -> Self {
        Self(limbs.try_into().expect("three"))
    }

    fn limbs(self) -> Vec<V> {
        self.0.into()
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
/// value is that of `expected` modulo p. With any one of three faults they are not.
fn prove(
    bits: u32,
    greatest: &[BigInt],
    bounds: &[BigInt],
    kernel: impl Fn(),
    expected: impl Fn(&Integers, &[Integer]) -> Integer,
) {
    let trace = record(kernel);
    let check = |trace: &Trace| holds(trace, bits, greatest, bounds, &expected);
    check(&trace).expect("a proof");
    for fault in [Fault::Shift, Fault::Mask, Fault::Operand] {
        assert!(check(&fault.planted(&trace)).is_err(), "the proof does not notice the fault {fault:?}");
    }
}

fn holds(
    trace: &Trace,
    bits: u32,
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
    let modulus = (BigInt::from(1) << 130) - 5;
    for lane in 0..2 {
        let of_lane = |all: &[Integer]| all.iter().skip(lane).step_by(2).cloned().collect::<Vec<_>>();
        let limbs = of_lane(&outputs);
        assert!(limbs.len() == bounds.len());
        for (i, (limb, bound)) in limbs.iter().zip(bounds).enumerate() {
            if limb.greatest > *bound {
                return Err(format!("limb {i} may be {:x}, over {bound:x}", limb.greatest));
            }
        }
        let (value, expected) = (number(&integers, bits, &limbs), expected(&integers, &of_lane(&inputs)));
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
}

impl Fault {
    fn planted(self, trace: &Trace) -> Trace {
        let with_fault = |op: Op| match (self, op) {
            (Self::Shift, Op::ShiftRight(x, by)) => Some(Op::ShiftRight(x, by - 1)),
            // A shift by no bits: the value as it is.
            (Self::Mask, Op::And(x, _)) => Some(Op::ShiftRight(x, 0)),
            (Self::Operand, Op::Add(x, _) | Op::Or(x, _)) => Some(Op::Add(x, x)),
            _ => None,
        };
        let faults: Vec<(usize, Op)> = trace
            .live()
            .into_iter()
            .filter_map(|node| Some((node as usize, with_fault(trace.steps[node as usize].op)?)))
            .collect();
        let (node, op) = faults[faults.len() / 2];
        let mut faulty = trace.clone();
        faulty.steps[node].op = op;
        faulty
    }
}

/// Returns the number that has these limbs.
fn number(integers: &Integers, bits: u32, limbs: &[Integer]) -> Integer {
    limbs.iter().enumerate().fold(integers.constant(0), |sum, (i, limb)| {
        integers.multiply_add(&(BigInt::from(1) << (bits * i as u32)), limb, &sum)
    })
}

fn limbs<L: Seen>() {
    // Two words and a top.
    let words = [below(64), below(64), BigInt::from(4)];
    let new = || L::new(Portable, [vector(), vector(), vector()]);
    prove(
        L::BITS,
        &words,
        &L::new_limbs(),
        || outputs(new().limbs()),
        |integers, words| number(integers, 64, words),
    );

    // What is multiplied: a sum of a reduced number and a new one; by a new one.
    let sum: Vec<BigInt> = L::new_limbs().iter().zip(L::reduced_limbs()).map(|(x, y)| x + y).collect();
    let inputs = || L::of(&(0..L::LIMBS).map(|_| vector()).collect::<Vec<_>>());
    let greatest = [&sum, &L::new_limbs(), &sum, &L::new_limbs()].map(|x| x.as_slice()).concat();
    let kernel = || {
        let [a, f, b, g] = [(); 4].map(|()| inputs());
        let products = a.times(Portable, &f.factor(Portable));
        let products = b.add_times(Portable, &g.factor(Portable), products);
        outputs(L::reduce(Portable, products).limbs());
    };
    prove(L::BITS, &greatest, &L::reduced_limbs(), kernel, |integers, limbs| {
        let [a, f, b, g] =
            [0, 1, 2, 3].map(|i| number(integers, L::BITS, &limbs[L::LIMBS * i..][..L::LIMBS]));
        let products = (integers.multiply(&a, &f), integers.multiply(&b, &g));
        integers.multiply_add(&BigInt::from(1), &products.0, &products.1)
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
