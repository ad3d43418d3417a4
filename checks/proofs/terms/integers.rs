//! Words as integers: linear combinations, with the least and the greatest value of each.
//!
//! A sum must not wrap, and a factor must fit into its instruction: the bounds show that. Where bits are cut
//! off, x = 2^k * q + r, and q is a new *atom*: x >> k is q, and x & (2^k - 1) is x - 2^k * q. So what a
//! reduction keeps, and what it moves elsewhere, cancels.

use super::record::{Byte, Node, Op, Trace};
use num_bigint::BigInt;
use std::collections::{BTreeMap, HashMap};

/// Products of atoms, which are sorted, and their factors.
pub type Form = BTreeMap<Vec<usize>, BigInt>;

/// An integer and its bounds.
#[derive(Clone, Debug)]
pub struct Integer {
    pub form: Form,
    pub least: BigInt,
    pub greatest: BigInt,
}

/// The atoms, with their bounds.
#[derive(Clone, Default)]
pub struct Integers {
    atoms: Vec<(BigInt, BigInt)>,
    /// The atom that a form shifted right is, without what cancels.
    shifted: HashMap<(Form, u32), usize>,
    /// What is known of forms beyond their atoms' bounds.
    known: HashMap<Form, (BigInt, BigInt)>,
    /// For an atom that is another one shifted right: that one and the number of bits.
    roots: HashMap<usize, (usize, u32)>,
    /// Whether a number that may be negative was shifted.
    pub negative: bool,
}

pub fn power(bits: u32) -> BigInt {
    BigInt::from(1) << bits
}

impl Integers {
    /// Returns a new atom of at most `greatest`.
    pub fn atom(&mut self, greatest: BigInt) -> Integer {
        self.atoms.push((BigInt::ZERO, greatest));
        self.of(Form::from([(vec![self.atoms.len() - 1], 1.into())]))
    }

    pub fn constant(&self, x: impl Into<BigInt>) -> Integer {
        let x = x.into();
        let form = if x == BigInt::ZERO { Form::new() } else { Form::from([(Vec::new(), x.clone())]) };
        Integer { form, least: x.clone(), greatest: x }
    }

    /// Returns a form with its bounds.
    fn of(&self, form: Form) -> Integer {
        if let Some((least, greatest)) = self.known.get(&form) {
            return Integer { least: least.clone(), greatest: greatest.clone(), form };
        }
        let (mut least, mut greatest) = (BigInt::ZERO, BigInt::ZERO);
        for (atoms, factor) in &form {
            // Atoms are not negative.
            let bound = |pick: fn(&(BigInt, BigInt)) -> &BigInt| -> BigInt {
                atoms.iter().map(|&atom| pick(&self.atoms[atom])).product()
            };
            let (low, high) = (factor * bound(|bounds| &bounds.0), factor * bound(|bounds| &bounds.1));
            least += (&low).min(&high);
            greatest += (&low).max(&high);
        }
        Integer { form, least, greatest }
    }

    /// Returns a * x + y.
    pub fn multiply_add(&self, a: &BigInt, x: &Integer, y: &Integer) -> Integer {
        let mut form = y.form.clone();
        for (atoms, factor) in &x.form {
            *form.entry(atoms.clone()).or_default() += a * factor;
        }
        form.retain(|_, factor| *factor != BigInt::ZERO);
        let (low, high) = (a * &x.least, a * &x.greatest);
        let (low, high) = if low < high { (low, high) } else { (high, low) };
        let mut sum = self.of(form);
        sum.least = sum.least.max(low + &y.least);
        sum.greatest = sum.greatest.min(high + &y.greatest);
        sum
    }

    pub fn multiply(&self, x: &Integer, y: &Integer) -> Integer {
        let mut form = Form::new();
        for (first, a) in &x.form {
            for (second, b) in &y.form {
                let mut atoms = [first.as_slice(), second].concat();
                atoms.sort_unstable();
                *form.entry(atoms).or_default() += a * b;
            }
        }
        form.retain(|_, factor| *factor != BigInt::ZERO);
        assert!(x.least >= BigInt::ZERO && y.least >= BigInt::ZERO);
        Integer { form, least: &x.least * &y.least, greatest: &x.greatest * &y.greatest }
    }

    /// Returns x >> k.
    pub fn shift_right(&mut self, x: &Integer, k: u32) -> Integer {
        if k == 0 {
            return x.clone();
        }
        // Multiples of 2^k keep their value; the rest is shifted alone.
        let (whole, rest): (Form, Form) =
            x.form.clone().into_iter().partition(|(_, factor)| factor % power(k) == BigInt::ZERO);
        let whole: Form = whole.into_iter().map(|(atoms, factor)| (atoms, factor / power(k))).collect();
        let rest = if whole.is_empty() { Integer { form: rest, ..x.clone() } } else { self.of(rest) };
        let mut q = self.shift_rest(&rest, k);
        q = self.multiply_add(&1.into(), &self.of(whole), &q);
        q.least = q.least.max(&x.least >> k);
        q.greatest = q.greatest.min(&x.greatest >> k);
        self.known.insert(q.form.clone(), (q.least.clone(), q.greatest.clone()));
        q
    }

    fn shift_rest(&mut self, x: &Integer, k: u32) -> Integer {
        if x.least >= BigInt::ZERO && x.greatest < power(k) {
            return self.constant(0);
        }
        // Low terms that cannot carry into the others: those are multiples of 2^s, and these below 2^s.
        for s in (1..k).rev() {
            let (others, low): (Form, Form) =
                x.form.clone().into_iter().partition(|(_, factor)| factor % power(s) == BigInt::ZERO);
            let low = self.of(low);
            if !others.is_empty()
                && !low.form.is_empty()
                && low.least >= BigInt::ZERO
                && low.greatest < power(s)
            {
                let others: Form =
                    others.into_iter().map(|(atoms, factor)| (atoms, factor / power(s))).collect();
                let mut others = self.of(others);
                others.least = others.least.max(&x.least >> s);
                others.greatest = others.greatest.min(&x.greatest >> s);
                return self.shift_right(&others, k - s);
            }
        }
        // A common power of two is shifted out.
        let common = (1..=k).rev().find(|&s| x.form.values().all(|factor| factor % power(s) == BigInt::ZERO));
        if let Some(s) = common {
            let form: Form =
                x.form.iter().map(|(atoms, factor)| (atoms.clone(), factor / power(s))).collect();
            let x = Integer { form, least: &x.least >> s, greatest: &x.greatest >> s };
            return self.shift_right(&x, k - s);
        }
        let mut key = (x.form.clone(), k);
        // A quotient of a quotient is a quotient.
        if let Some(atom) = single(&x.form) {
            let (root, before) = self.roots.get(&atom).copied().unwrap_or((atom, 0));
            key = (Form::from([(vec![root], 1.into())]), before + k);
        }
        if let Some(&atom) = self.shifted.get(&key) {
            return self.of(Form::from([(vec![atom], 1.into())]));
        }
        self.negative |= x.least < BigInt::ZERO;
        self.atoms.push((&x.least >> k, &x.greatest >> k));
        let atom = self.atoms.len() - 1;
        if let Some(root) = single(&key.0) {
            self.roots.insert(atom, (root, key.1));
        }
        self.shifted.insert(key, atom);
        self.of(Form::from([(vec![atom], 1.into())]))
    }

    /// Returns x & (2^k - 1).
    pub fn low_bits(&mut self, x: &Integer, k: u32) -> Integer {
        let q = self.shift_right(x, k);
        let mut r = self.multiply_add(&-power(k), &q, x);
        r.least = r.least.max(BigInt::ZERO);
        r.greatest = r.greatest.min(power(k) - 1);
        self.known.insert(r.form.clone(), (r.least.clone(), r.greatest.clone()));
        r
    }

    /// Returns x | y, which is x + y. Fails if a bit may be in both.
    pub fn or(&self, x: &Integer, y: &Integer) -> Result<Integer, String> {
        let (low, high) = if x.greatest < y.greatest { (x, y) } else { (y, x) };
        let bits = low.greatest.bits() as u32;
        let multiple = high.form.values().all(|factor| factor % power(bits) == BigInt::ZERO);
        if !multiple || low.least < BigInt::ZERO {
            return Err("bits in both operands".into());
        }
        Ok(self.multiply_add(&BigInt::from(1), low, high))
    }

    /// Returns the integers of a trace's nodes, given those of its inputs. Fails if a sum may wrap, or a
    /// factor may be too long.
    pub fn values(&mut self, trace: &Trace, inputs: &[Integer]) -> Result<Vec<Integer>, String> {
        let mut values: Vec<Integer> = Vec::new();
        for step in &trace.steps {
            let of = |node: Node| &values[node as usize];
            let one = BigInt::from(1);
            let value = match step.op {
                Op::Input(number) => inputs[number as usize].clone(),
                Op::Load(bytes) => match (bytes[0], constant(&bytes)) {
                    (_, Some(x)) => self.constant(x),
                    (Byte::Of(node, 0), None) => {
                        let whole = (0..8).all(|i| bytes[i] == Byte::Of(node, i as u8));
                        assert!(whole, "a word of several");
                        of(node).clone()
                    }
                    _ => panic!("a word of several"),
                },
                Op::Add(a, b) => self.multiply_add(&one, of(a), of(b)),
                Op::Or(a, b) | Op::Xor(a, b) => self.or(of(a), of(b))?,
                Op::And(a, b) => {
                    let (x, mask) = match (as_constant(of(a)), as_constant(of(b))) {
                        (_, Some(mask)) => (of(a).clone(), mask),
                        (Some(mask), _) => (of(b).clone(), mask),
                        _ => panic!("a mask that is not constant"),
                    };
                    assert!((mask + 1).is_power_of_two() || mask == u64::MAX || mask == 0, "mask {mask:x}");
                    self.low_bits(&x, mask.count_ones())
                }
                Op::ShiftRight(a, by) => {
                    let x = of(a).clone();
                    self.shift_right(&x, by)
                }
                Op::ShiftLeft(a, by) => {
                    let x = of(a).clone();
                    let kept = self.low_bits(&x, 64 - by);
                    self.multiply_add(&power(by), &kept, &self.constant(0))
                }
                Op::Multiply32(a, b) => {
                    let (a, b) = (of(a), of(b));
                    if a.greatest >= power(32) || b.greatest >= power(32) {
                        return Err("a factor of more than 32 bits".into());
                    }
                    self.multiply(a, b)
                }
                Op::Low52(a, b) | Op::High52(a, b) => {
                    let (a, b) = (of(a), of(b));
                    if a.greatest >= power(52) || b.greatest >= power(52) {
                        return Err("a factor of more than 52 bits".into());
                    }
                    let product = self.multiply(a, b);
                    match step.op {
                        Op::Low52(..) => self.low_bits(&product, 52),
                        _ => self.shift_right(&product, 52),
                    }
                }
                _ => panic!("no operation of integers: {:?}", step.op),
            };
            if self.negative || value.least < BigInt::ZERO || value.greatest >= power(64) {
                return Err(format!("{:?} wraps", step.op));
            }
            values.push(value);
        }
        Ok(values)
    }
}

/// Returns the atom that a form is.
fn single(form: &Form) -> Option<usize> {
    match form.iter().next() {
        Some((atoms, factor)) if form.len() == 1 && atoms.len() == 1 && *factor == BigInt::from(1) => {
            Some(atoms[0])
        }
        _ => None,
    }
}

/// Returns the number if all its bytes are known.
fn constant(bytes: &[Byte; 8]) -> Option<u64> {
    let bytes = bytes.map(|byte| if let Byte::Known(x) = byte { Some(x) } else { None });
    bytes.iter().all(Option::is_some).then(|| u64::from_le_bytes(bytes.map(Option::unwrap_or_default)))
}

fn as_constant(x: &Integer) -> Option<u64> {
    (x.least == x.greatest).then(|| u64::try_from(&x.least).expect("a word"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_that_are_cut_off_and_put_elsewhere_cancel() {
        let mut integers = Integers::default();
        let x = integers.atom(power(64) - 1);
        let (low, high) = (integers.low_bits(&x, 26), integers.shift_right(&x, 26));
        assert_eq!((&low.greatest, &high.greatest), (&(power(26) - 1), &(power(38) - 1)));
        assert_eq!(integers.multiply_add(&power(26), &high, &low).form, x.form);
        // Shifted in two steps, and what a word's upper bits contribute to a limb that begins in the word
        // below.
        assert_eq!(integers.shift_right(&high, 26).form, integers.shift_right(&x, 52).form);
        let y = integers.atom(power(64) - 1);
        let (low, kept) = (integers.shift_right(&x, 52), integers.low_bits(&y, 52));
        let both = integers.multiply_add(&power(12), &kept, &low);
        let (limb, rest) = (integers.low_bits(&both, 26), integers.shift_right(&both, 26));
        let (expected, top) = (integers.shift_right(&y, 14), integers.shift_right(&y, 52));
        assert_eq!(integers.multiply_add(&power(38), &top, &rest).form, expected.form);
        assert!(limb.form != low.form && limb.greatest == power(26) - 1);
    }
}
