//! Scalar code over integers ([`integers`](super::integers)): every operation is computed at once, and the
//! result must fit into its word.

use super::integers::{Integer, Integers, power};
use crate::poly1305::word::{Unsigned, Word};
use core::ops::{Add, BitAnd, BitOr, Mul, Not, Shl, Shr};
use num_bigint::BigInt;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// An integer in a register of so many bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Register<const BITS: u32>(usize);

/// What an operation could do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    /// Shifts by one bit less.
    Shift,
    /// Keeps the bits that should be cut off.
    Mask,
    /// Drops a carry.
    Carry,
    /// Adds an operand to itself, in place of another.
    Operand,
}

/// What is computed.
#[derive(Default)]
struct Run {
    integers: Integers,
    registers: Vec<Integer>,
    /// What the bit is that a mask is made of, and the bits that were assumed to be it.
    bit: bool,
    bits: Vec<Integer>,
    /// The greatest integer in a register of so many bits.
    greatest: BTreeMap<u32, BigInt>,
    /// The operations of each kind that a fault changes, and the one that has it.
    operations: BTreeMap<Fault, usize>,
    faulty: Option<(Fault, usize)>,
    /// Whether the proof computes, and not the code.
    aside: bool,
    /// What is wrong.
    wrong: Option<String>,
}

thread_local!(static RUN: RefCell<Run> = RefCell::default());

fn one() -> BigInt {
    BigInt::from(1)
}

/// Computes a register, or zero if something is wrong already.
fn register<const BITS: u32>(compute: impl FnOnce(&mut Run) -> Result<Integer, String>) -> Register<BITS> {
    RUN.with_borrow_mut(|run| {
        let zero = run.integers.constant(0);
        let mut value = match run.wrong {
            None => compute(run),
            Some(_) => Ok(zero.clone()),
        };
        if let Ok(x) = &value
            && (run.integers.negative || x.least < BigInt::ZERO || x.greatest >= power(BITS))
        {
            value = Err(format!("a sum, a product or a half may not fit into {BITS} bits: {:x}", x.greatest));
        }
        let value = value.unwrap_or_else(|wrong| {
            run.wrong = Some(wrong);
            zero
        });
        let greatest = run.greatest.entry(BITS).or_default();
        *greatest = greatest.clone().max(value.greatest.clone());
        run.registers.push(value);
        Register(run.registers.len() - 1)
    })
}

impl Run {
    /// Returns the result, or the one with a fault if this operation has it. Where both are equal there is no
    /// fault.
    fn or_fault(&mut self, fault: Fault, right: Integer, wrong: Integer) -> Integer {
        if right.form == wrong.form || self.aside {
            return right;
        }
        let count = self.operations.entry(fault).or_default();
        *count += 1;
        if self.faulty == Some((fault, *count)) { wrong } else { right }
    }

    fn sum<const BITS: u32>(&mut self, x: Register<BITS>, y: Register<BITS>) -> Integer {
        let (x, y) = (&self.registers[x.0], &self.registers[y.0]);
        let (sum, twice) =
            (self.integers.multiply_add(&one(), x, y), self.integers.multiply_add(&one(), x, x));
        self.or_fault(Fault::Operand, sum, twice)
    }

    fn low_bits(&mut self, x: &Integer, count: u32) -> Integer {
        let low = self.integers.low_bits(x, count);
        self.or_fault(Fault::Mask, low, x.clone())
    }

    fn shift_right(&mut self, x: &Integer, by: u32) -> Integer {
        let (right, wrong) = (self.integers.shift_right(x, by), self.integers.shift_right(x, by - 1));
        self.or_fault(Fault::Shift, right, wrong)
    }
}

impl<const BITS: u32> From<u32> for Register<BITS> {
    fn from(x: u32) -> Self {
        register(|run| Ok(run.integers.constant(x)))
    }
}

macro_rules! operators {
    ($($Trait:ident $name:ident($other:ty): $compute:expr;)+) => { $(
        impl<const BITS: u32> $Trait<$other> for Register<BITS> {
            type Output = Self;

            #[inline(never)]
            fn $name(self, other: $other) -> Self {
                let compute: fn(&mut Run, Self, $other) -> Result<Integer, String> = $compute;
                register(|run| compute(run, self, other))
            }
        }
    )+ };
}
operators! {
    Add add(Self): |run, x, y| Ok(run.sum(x, y));
    Mul mul(Self): |run, x, y| Ok(run.integers.multiply(&run.registers[x.0], &run.registers[y.0]));
    BitOr bitor(Self): |run, x, y| run.integers.or(&run.registers[x.0], &run.registers[y.0]);
    // With ones everywhere or zeros.
    BitAnd bitand(Self): |run, x, y| {
        let (x, y) = (run.registers[x.0].clone(), &run.registers[y.0]);
        match y.least == y.greatest {
            true if y.least == BigInt::ZERO => Ok(run.integers.constant(0)),
            true if y.least == power(BITS) - 1 => Ok(x),
            _ => Err("a mask that is neither all ones nor zero".into()),
        }
    };
    Shl shl(u32): |run, x, by| {
        let kept = run.registers[x.0].clone();
        let kept = run.low_bits(&kept, BITS - by);
        Ok(run.integers.multiply_add(&power(by), &kept, &run.integers.constant(0)))
    };
    Shr shr(u32): |run, x, by| {
        let x = run.registers[x.0].clone();
        Ok(run.shift_right(&x, by))
    };
}

impl<const BITS: u32> Not for Register<BITS> {
    type Output = Self;

    fn not(self) -> Self {
        register(|run| {
            let ones = run.integers.constant(power(BITS) - 1);
            Ok(run.integers.multiply_add(&-one(), &run.registers[self.0], &ones))
        })
    }
}

impl<const BITS: u32> Unsigned for Register<BITS> {
    #[inline(never)]
    fn byte_product(self, other: Self) -> Self {
        register(|run| {
            let [x, y] = [&run.registers[self.0], &run.registers[other.0]];
            if x.greatest >= power(8) || y.greatest >= power(8) {
                return Err("a factor of more than a byte".into());
            }
            Ok(run.integers.multiply(x, y))
        })
    }

    #[inline(never)]
    fn carrying_add(self, other: Self) -> (Self, Self) {
        let whole = RUN.with_borrow_mut(|run| run.sum(self, other));
        // Without the carry's fault: a sum without the bits above is right.
        let low = register(|run| Ok(run.integers.low_bits(&whole, BITS)));
        let carry = register(|run| {
            let carry = run.integers.shift_right(&whole, BITS);
            let zero = run.integers.constant(0);
            Ok(run.or_fault(Fault::Carry, carry, zero))
        });
        (low, carry)
    }

    #[inline(never)]
    fn low_bits(self, count: u32) -> Self {
        register(|run| {
            let x = run.registers[self.0].clone();
            Ok(run.low_bits(&x, count))
        })
    }
}

macro_rules! words {
    ($($bits:literal $wide:literal),+) => { $(
        impl Word for Register<$bits> {
            type Wide = Register<$wide>;

            fn wide(self) -> Register<$wide> {
                Register(self.0)
            }

            #[inline(never)]
            fn low(x: Register<$wide>) -> Self {
                register(|run| {
                    let x = run.registers[x.0].clone();
                    Ok(run.integers.low_bits(&x, $bits))
                })
            }

            #[inline(never)]
            fn high(x: Register<$wide>) -> Self {
                register(|run| {
                    let x = run.registers[x.0].clone();
                    Ok(run.shift_right(&x, $bits))
                })
            }

            /// The bit is known in each of two runs.
            fn mask(bit: Self) -> Self {
                register(|run| {
                    let x = run.registers[bit.0].clone();
                    if x.greatest > one() {
                        return Err("a mask of more than a bit".into());
                    }
                    run.bits.push(x);
                    Ok(run.integers.constant(if run.bit { power($bits) - 1 } else { BigInt::ZERO }))
                })
            }

            fn pin(self) -> Self {
                self
            }
        }
    )+ };
}
words!(32 64, 64 128);

/// Returns a new input from 0 to `greatest`, times a constant.
pub(crate) fn input<const BITS: u32>(greatest: impl Into<BigInt>, times: u32) -> Register<BITS> {
    let greatest = greatest.into();
    register(|run| {
        if greatest == BigInt::ZERO {
            return Ok(run.integers.constant(0));
        }
        let atom = run.integers.atom(greatest / times);
        Ok(run.integers.multiply_add(&times.into(), &atom, &run.integers.constant(0)))
    })
}

/// What a proof says of integers.
pub(crate) struct Claims;

impl Claims {
    /// Returns the number that has these digits, the lowest first.
    pub(crate) fn number<const BITS: u32>(&self, digits: &[Register<BITS>], bits: u32) -> Integer {
        RUN.with_borrow(|run| {
            digits.iter().enumerate().fold(run.integers.constant(0), |sum, (i, digit)| {
                run.integers.multiply_add(&power(bits * i as u32), &run.registers[digit.0], &sum)
            })
        })
    }

    pub(crate) fn constant(&self, x: impl Into<BigInt>) -> Integer {
        RUN.with_borrow(|run| run.integers.constant(x))
    }

    /// Computes something for a claim: without faults.
    pub(crate) fn aside(&self, claim: impl FnOnce()) {
        RUN.with_borrow_mut(|run| run.aside = true);
        claim();
        RUN.with_borrow_mut(|run| run.aside = false);
    }

    /// Returns x + y and x * y.
    pub(crate) fn sum(&self, x: &Integer, y: &Integer) -> Integer {
        RUN.with_borrow(|run| run.integers.multiply_add(&one(), x, y))
    }

    pub(crate) fn product(&self, x: &Integer, y: &Integer) -> Integer {
        RUN.with_borrow(|run| run.integers.multiply(x, y))
    }

    /// Returns what the bit of the one mask is, and the bit as it was computed.
    pub(crate) fn bit(&self) -> (bool, Integer) {
        RUN.with_borrow(|run| match run.bits.as_slice() {
            [bit] => (run.bit, bit.clone()),
            // After something went wrong.
            _ => (run.bit, run.integers.constant(0)),
        })
    }

    /// Claims that two numbers are equal modulo another one.
    pub(crate) fn equal(&self, x: &Integer, y: &Integer, modulus: &BigInt) {
        RUN.with_borrow_mut(|run| {
            let difference = run.integers.multiply_add(&-one(), y, x);
            let lost = difference.form.iter().find(|(_, factor)| *factor % modulus != BigInt::ZERO);
            run.wrong = run.wrong.take().or_else(|| lost.map(|lost| format!("{lost:x?} is lost")));
        });
    }

    /// Claims that a register never has more.
    pub(crate) fn at_most<const BITS: u32>(&self, x: Register<BITS>, bound: impl Into<BigInt>) {
        let greatest = RUN.with_borrow(|run| run.registers[x.0].greatest.clone());
        self.holds(greatest <= bound.into(), &format!("not {greatest:x}"));
    }

    /// Claims that no register of so many bits ever has more.
    pub(crate) fn all_at_most(&self, bits: u32, bound: impl Into<BigInt>) {
        let greatest = RUN.with_borrow(|run| run.greatest[&bits].clone());
        self.holds(greatest <= bound.into(), &format!("not {greatest:x}"));
    }

    pub(crate) fn holds(&self, claim: bool, wrong: &str) {
        RUN.with_borrow_mut(|run| {
            if !claim {
                run.wrong.get_or_insert_with(|| wrong.to_owned());
            }
        });
    }
}

/// Runs a proof, for either value of the bit that a mask is made of.
fn run(faulty: Option<(Fault, usize)>, proof: &impl Fn(&Claims)) -> Result<BTreeMap<Fault, usize>, String> {
    let mut operations = BTreeMap::new();
    for bit in [false, true] {
        RUN.set(Run { bit, faulty, ..Run::default() });
        proof(&Claims);
        let run = RUN.take();
        if let Some(wrong) = run.wrong {
            return Err(wrong);
        }
        operations = run.operations;
    }
    Ok(operations)
}

/// Proves what the closure claims of the code that it calls. With a fault of any kind in any one operation,
/// the claims do not hold.
pub(crate) fn prove(proof: impl Fn(&Claims)) {
    let operations = run(None, &proof).expect("a proof");
    assert!(!operations.is_empty(), "faults");
    for (fault, count) in operations {
        for at in 1..=count {
            let unnoticed = run(Some((fault, at)), &proof).is_ok();
            assert!(!unnoticed, "the proof does not notice the fault {fault:?} in operation {at} of {count}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type W = Register<64>;

    /// Adds two numbers of two words.
    fn add<X: Word>(x: [X; 2], y: [X; 2]) -> [X; 2] {
        let (low, carry) = x[0].carrying_add(y[0]);
        [low, X::low(x[1].wide() + y[1].wide() + carry.wide())]
    }

    fn two() -> [W; 2] {
        [(); 2].map(|()| input(u64::MAX, 1))
    }

    #[test]
    fn a_sum_of_two_words() {
        prove(|claims| {
            let (x, y) = (two(), two());
            let sum = claims.number(&add(x, y), 64);
            let expected = claims.sum(&claims.number(&x, 64), &claims.number(&y, 64));
            claims.equal(&sum, &expected, &power(128));
        });
        assert_eq!(add([u64::MAX, 1], [1, 2]), [0, 4]);
    }

    #[test]
    fn what_is_not_so_is_refused() {
        let refused = |proof: fn(&Claims)| assert!(run(None, &proof).is_err());
        // The carry out is lost.
        refused(|claims| {
            let (x, y) = (two(), two());
            let expected = claims.sum(&claims.number(&x, 64), &claims.number(&y, 64));
            claims.equal(&claims.number(&add(x, y), 64), &expected, &power(129));
        });
        // Sums and products that may not fit.
        refused(|_| _ = two()[0] + two()[0]);
        refused(|_| _ = input::<64>(power(33), 1) * input(power(31), 1));
        refused(|_| _ = two()[0].product(two()[0]) + two()[0].product(two()[0]) + two()[0].product(two()[0]));
        // Bits in both operands.
        refused(|_| _ = two()[0] | two()[0] << 63);
        refused(|claims| claims.at_most(two()[0] >> 3, power(61) - 2));
        // A mask of a bit that may be two.
        refused(|_| _ = two()[0] & W::mask(two()[0].low_bits(2)));
        // For one of the bit's values, this is wrong.
        refused(|claims| {
            let (x, [bit, _]) = (two()[0], two());
            let chosen = x & W::mask(bit.low_bits(1));
            claims.equal(&claims.number(&[chosen], 64), &claims.number(&[x], 64), &power(64));
        });
    }
}
