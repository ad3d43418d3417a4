//! Halves of blocks in normal form, for GHASH and POLYVAL: bytes, products, and elements of GF(2^128).
//!
//! A *half* is 64 bits: the exclusive or of bytes in normal form and of *atoms*. The product of two halves is
//! distributed over their bytes and atoms, so it is one form however it is computed, by Karatsuba's method
//! or not, and in whatever order products are added. The lower and the upper 64 bits of a product of two
//! atoms are atoms again, and so are those of its products with the reduction's polynomial.
//!
//! Let a∘b = a·b·x^-128, the product that [`reduce`] makes. A half of the sum of some ∘p_k's, where p_k is
//! the k-th power of the hash key, has a form which tells all blocks and powers in it. If the form is exactly
//! what [`reduce`] makes of these blocks and powers, it becomes one atom: a half of an *element*, a sum of
//! bytes in places 0 to 15 of a block, each ∘p_k. An element is multiplied by a power by adding the
//! exponents. So a hash is a polynomial in the key, however many blocks are reduced at once, and at any
//! length.

use super::bytes::{Atom as ByteAtom, Bytes, FastMap, Form};
use super::prove::Domain;
use super::record::{Byte, Node, Op, Step};
use std::collections::BTreeMap;

/// The numbers of a half, of an atom and of an element.
pub type Half = u32;
type AtomNumber = u32;
pub type Element = u32;

/// A byte, in a place of a block, times a power.
type Term = (Form, usize, usize);

/// In the place of a byte: p_k itself.
const UNIT: Form = Form::MAX;

/// x^63 + x^62 + x^57, which the reduction multiplies by.
const POLYNOMIAL: u64 = 0xc2 << 56;

/// Bytes of atoms are inputs with numbers from here on.
const ATOM_BYTES: u32 = 1 << 31;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Atom {
    /// A byte of one term, in a place of a half: only a factor.
    Byte(Form, usize),
    /// The lower or the upper half of an element.
    Half(Element, bool),
    /// Only a factor.
    Polynomial,
    /// A half under a name of its own: as a factor, or where it has too many atoms.
    Whole(Half),
    /// The lower or the upper 64 bits of a product.
    Product(AtomNumber, AtomNumber, bool),
}

/// A half: its bytes, and different atoms in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Sum {
    bytes: [Form; 8],
    atoms: Vec<AtomNumber>,
}

/// Values by number.
#[derive(Clone)]
struct Numbers<T>(Vec<T>, FastMap<T, u32>);

impl<T: Clone + Eq + std::hash::Hash> Numbers<T> {
    fn number(&mut self, value: T) -> u32 {
        let Self(values, numbers) = self;
        *numbers.entry(value).or_insert_with_key(|value| {
            values.push(value.clone());
            u32::try_from(values.len() - 1).expect("fewer than 2^32")
        })
    }
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self(Vec::new(), FastMap::default())
    }
}

#[derive(Clone, Default)]
pub struct Field {
    pub bytes: Bytes,
    halves: Numbers<Sum>,
    atoms: Numbers<Atom>,
    elements: Numbers<Vec<Term>>,
    products: FastMap<(Half, Half), [Half; 2]>,
    /// The results of [`bytes_of`](Self::bytes_of).
    of_halves: FastMap<Half, [Form; 8]>,
    /// The inputs that are the halves of p_1.
    key: Option<[u32; 2]>,
    /// Or the bytes that are its halves, if it is derived.
    derived: Option<[[Form; 8]; 2]>,
}

/// Returns the values that occur an odd number of times, in order.
fn odd<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort();
    let mut kept: Vec<T> = Vec::with_capacity(values.len());
    for value in values {
        if kept.last() == Some(&value) {
            kept.pop();
        } else {
            kept.push(value);
        }
    }
    kept
}

/// Reduces lo + mid·x^64 + hi·x^128, each a lower and an upper half: returns that times x^-128, modulo
/// x^128 + x^127 + x^126 + x^121 + 1. Halves are sums; `fold` multiplies by [`POLYNOMIAL`].
fn reduce<H>(
    add: impl Fn(&[&H]) -> H,
    mut fold: impl FnMut(&H) -> [H; 2],
    [lo, mid, hi]: [&[H; 2]; 3],
) -> [H; 2] {
    let folded = fold(&lo[0]);
    let mid = [add(&[&mid[0], &lo[1], &folded[0]]), add(&[&mid[1], &lo[0], &folded[1]])];
    let folded = fold(&mid[0]);
    [add(&[&hi[0], &mid[1], &folded[0]]), add(&[&hi[1], &mid[0], &folded[1]])]
}

impl Field {
    /// Returns forms in which these two inputs of eight bytes are p_1.
    pub fn with_key(key: [u32; 2]) -> Self {
        Self { key: Some(key), ..Self::default() }
    }

    /// Lets p_1 stand for these bytes from here on.
    pub fn derive_key(&mut self, bytes: &[Form]) {
        self.derived = bytes.as_chunks().0.first_chunk().copied();
        assert!(self.derived.is_some());
    }

    /// Returns p_k.
    pub fn power(&mut self, k: usize) -> Element {
        self.elements.number(vec![(UNIT, 0, k)])
    }

    /// Returns the halves of an element.
    pub fn halves_of(&mut self, element: Element) -> [Half; 2] {
        let zero = [self.bytes.constant(0); 8];
        [false, true].map(|upper| {
            let half = self.atoms.number(Atom::Half(element, upper));
            self.half(zero, vec![half])
        })
    }

    /// Returns the bytes of an element.
    pub fn bytes_of_element(&mut self, element: Element) -> Vec<Form> {
        self.halves_of(element).map(|half| self.bytes_of(half)).concat()
    }

    /// Returns the half of these bytes.
    pub fn half_of(&mut self, mut bytes: [Form; 8]) -> Half {
        // Atoms all of whose bytes are in their places.
        let mut atoms = Vec::new();
        for part in self.bytes.parts(bytes[0]) {
            let Some(&ByteAtom::Input(number @ ATOM_BYTES.., 0)) = self.bytes.only_atom(part) else {
                continue;
            };
            let places: [Form; 8] = std::array::from_fn(|at| self.bytes.input(number, at));
            if (0..8).all(|i| self.bytes.parts(bytes[i]).contains(&places[i])) {
                atoms.push(number - ATOM_BYTES);
                bytes = std::array::from_fn(|i| self.bytes.xor(bytes[i], places[i]));
            }
        }
        self.half(bytes, odd(atoms))
    }

    /// Returns the bytes of a half.
    pub fn bytes_of(&mut self, half: Half) -> [Form; 8] {
        if let Some(&bytes) = self.of_halves.get(&half) {
            return bytes;
        }
        let Sum { mut bytes, mut atoms } = self.halves.0[half as usize].clone();
        if atoms.len() > 1 << 10 {
            // A sum of a hash before it is reduced, which no kernel takes apart.
            bytes = [self.bytes.constant(0); 8];
            atoms = vec![self.atoms.number(Atom::Whole(half))];
        }
        for (i, byte) in bytes.iter_mut().enumerate() {
            for atom in &atoms {
                let of_atom = self.bytes.input(ATOM_BYTES + atom, i);
                *byte = self.bytes.xor(*byte, of_atom);
            }
        }
        self.of_halves.insert(half, bytes);
        bytes
    }

    /// Returns the bytes of a half that has nothing else.
    pub fn only_bytes(&self, half: Half) -> Option<[Form; 8]> {
        let Sum { bytes, atoms } = &self.halves.0[half as usize];
        atoms.is_empty().then_some(*bytes)
    }

    fn half(&mut self, bytes: [Form; 8], atoms: Vec<AtomNumber>) -> Half {
        if let Some(halves) = self.derived.filter(|_| atoms.is_empty())
            && let Some(place) = halves.iter().position(|half| *half == bytes)
        {
            let first = self.power(1);
            return self.halves_of(first)[place];
        }
        let atoms = self.with_elements_added(atoms);
        let atoms = self.with_reduced_products(atoms);
        self.halves.number(Sum { bytes, atoms })
    }

    pub fn xor(&mut self, a: Half, b: Half) -> Half {
        let [a, b] = [a, b].map(|x| self.halves.0[x as usize].clone());
        let bytes = std::array::from_fn(|i| self.bytes.xor(a.bytes[i], b.bytes[i]));
        self.half(bytes, odd([a.atoms, b.atoms].concat()))
    }

    /// Adds the elements of lower halves, and those of upper halves.
    fn with_elements_added(&mut self, mut atoms: Vec<AtomNumber>) -> Vec<AtomNumber> {
        for upper in [false, true] {
            let element = |atom: &AtomNumber| match self.atoms.0[*atom as usize] {
                Atom::Half(element, of) if of == upper => Some(element),
                _ => None,
            };
            let elements: Vec<Element> = atoms.iter().filter_map(element).collect();
            if let [_, _, ..] = elements[..] {
                atoms.retain(|atom| element(atom).is_none());
                let sum = self.add_elements(elements);
                atoms.extend((!self.elements.0[sum as usize].is_empty()).then(|| self.half_atom(sum, upper)));
                atoms.sort_unstable();
            }
        }
        atoms
    }

    fn half_atom(&mut self, element: Element, upper: bool) -> AtomNumber {
        self.atoms.number(Atom::Half(element, upper))
    }

    pub fn add_elements(&mut self, elements: impl IntoIterator<Item = Element>) -> Element {
        let terms = elements.into_iter().flat_map(|element| self.elements.0[element as usize].clone());
        self.elements.number(odd(terms.collect()))
    }

    /// Returns a∘b, of which one is a sum of powers.
    fn multiply_elements(&mut self, a: Element, b: Element) -> Option<Element> {
        let [a, b] = [a, b].map(|element| &self.elements.0[element as usize]);
        let (terms, powers) = if b.iter().all(|(byte, ..)| *byte == UNIT) { (a, b) } else { (b, a) };
        if powers.iter().any(|(byte, ..)| *byte != UNIT) {
            return None;
        }
        let product = |&(_, _, more): &Term| terms.iter().map(move |&(byte, at, k)| (byte, at, k + more));
        Some(self.elements.number(odd(powers.iter().flat_map(product).collect())))
    }

    /// Returns the bytes, each of one term, and the atoms of a half.
    fn factors(&mut self, half: Half) -> Vec<AtomNumber> {
        let Sum { bytes, atoms } = self.halves.0[half as usize].clone();
        let mut factors = atoms;
        for (at, byte) in bytes.into_iter().enumerate() {
            let parts = self.bytes.parts(byte);
            factors.extend(parts.into_iter().map(|part| self.atoms.number(Atom::Byte(part, at))));
        }
        factors
    }

    fn constant(&self, half: Half) -> Option<u64> {
        let Sum { bytes, atoms } = &self.halves.0[half as usize];
        let bytes =
            bytes.iter().rev().try_fold(0, |sum, &byte| Some(sum << 8 | u64::from(self.bytes.known(byte)?)));
        bytes.filter(|_| atoms.is_empty())
    }

    /// Returns the lower and the upper half of the product of sums of atoms.
    fn distribute(&mut self, a: &[AtomNumber], b: &[AtomNumber]) -> [Vec<AtomNumber>; 2] {
        let pairs = a.iter().flat_map(|&x| b.iter().map(move |&y| (x.min(y), x.max(y))));
        let pairs = odd(pairs.collect());
        [false, true].map(|upper| {
            let atoms = pairs.iter().map(|&(x, y)| self.atoms.number(Atom::Product(x, y, upper)));
            odd(atoms.collect())
        })
    }

    /// Returns the lower and the upper half of a product.
    pub fn product(&mut self, a: Half, b: Half) -> [Half; 2] {
        if let Some(product) = self.products.get(&(a, b)) {
            return *product;
        }
        let constants = [a, b].map(|half| self.constant(half));
        let product = if let [Some(x), Some(y)] = constants {
            let product = carryless(x, y);
            [product as u64, (product >> 64) as u64].map(|half| {
                let bytes = half.to_le_bytes().map(|byte| self.bytes.constant(byte));
                self.half_of(bytes)
            })
        } else {
            let mut factors = [(a, constants[0]), (b, constants[1])].map(|(half, constant)| match constant {
                Some(POLYNOMIAL) => vec![self.atoms.number(Atom::Polynomial)],
                _ => self.factors(half),
            });
            // Neither is a power of the key, as after a change in a kernel: both get a name.
            let lens = factors.each_ref().map(|factor| factor.len());
            if lens.iter().all(|len| *len > 2) || lens[0] * lens[1] > 1 << 15 {
                factors = [a, b].map(|half| vec![self.atoms.number(Atom::Whole(half))]);
            }
            let zero = [self.bytes.constant(0); 8];
            let product = self.distribute(&factors[0], &factors[1]);
            product.map(|atoms| {
                let atoms = atoms.into_iter().flat_map(|atom| self.shifted(atom)).collect();
                self.half(zero, odd(atoms))
            })
        };
        self.products.insert((a, b), product);
        product
    }

    /// Returns the atoms whose sum an atom is. The reduction folds the lowest 64 bits twice. If a block has
    /// no upper half, what the first folding returns is an element: that of the block with its halves
    /// swapped. The second folding multiplies its lower half by the polynomial, and makes it the element of
    /// the block.
    fn shifted(&mut self, atom: AtomNumber) -> Vec<AtomNumber> {
        if let Atom::Product(x, y, upper) = self.atoms.0[atom as usize]
            && let [Atom::Polynomial, Atom::Half(element, false)]
            | [Atom::Half(element, false), Atom::Polynomial] = [x, y].map(|x| self.atoms.0[x as usize])
        {
            let terms = self.elements.0[element as usize].iter();
            let lower = terms.map(|&(byte, at, k)| Some((byte, at.checked_sub(8)?, k)));
            if let Some(lower) = lower.collect::<Option<Vec<_>>>() {
                let lower = self.elements.number(odd(lower));
                return vec![self.half_atom(element, !upper), self.half_atom(lower, upper)];
            }
        }
        vec![atom]
    }

    /// Returns the factors that are the innermost of a product of whose lower half [`POLYNOMIAL`] is
    /// multiplied, of that again, and so on; and how many times; 0 times for the upper half as well.
    fn innermost(&self, atom: AtomNumber) -> Option<(usize, [Atom; 2])> {
        let Atom::Product(x, y, _) = self.atoms.0[atom as usize] else { return None };
        let factors = [x, y].map(|factor| self.atoms.0[factor as usize]);
        let inner = match factors {
            [Atom::Polynomial, Atom::Product(..)] => y,
            [Atom::Product(..), Atom::Polynomial] => x,
            _ => return Some((0, factors)),
        };
        let Atom::Product(_, _, upper) = self.atoms.0[inner as usize] else { unreachable!("see above") };
        let (times, factors) = self.innermost(inner)?;
        (!upper).then_some((times + 1, factors))
    }

    /// If the products are all those of a complete reduction, replaces them by a half of an element.
    fn with_reduced_products(&mut self, atoms: Vec<AtomNumber>) -> Vec<AtomNumber> {
        // Those that are multiplied by the polynomial once or twice, by `upper`.
        let mut folded = [const { Vec::new() }; 2];
        for &atom in &atoms {
            if let Atom::Product(_, _, upper) = self.atoms.0[atom as usize]
                && let Some((times @ 1.., factors)) = self.innermost(atom)
            {
                folded[usize::from(upper)].push((times, factors));
            }
        }
        // In a lower half all that is multiplied twice is lower.
        let twice = |half: &Vec<(usize, [Atom; 2])>| half.iter().any(|(times, _)| *times == 2);
        let upper = match [&folded[0], &folded[1]] {
            [lower, upper] if twice(lower) != twice(upper) => twice(upper),
            [lower, upper] if lower.is_empty() != upper.is_empty() => lower.is_empty(),
            _ => return atoms,
        };
        // What is multiplied by each power: bytes of the lower and of the upper half.
        let mut blocks: BTreeMap<Element, [Vec<AtomNumber>; 2]> = BTreeMap::new();
        let mut pairs = Vec::new();
        for (times, factors) in std::mem::take(&mut folded[usize::from(upper)]) {
            match (times, factors) {
                (2, [Atom::Half(a, false), Atom::Half(b, false)]) => pairs.push((a, b)),
                // The middle part of a product has each half of the block times the other of the power.
                (1, [byte @ Atom::Byte(..), Atom::Half(power, of)])
                | (1, [Atom::Half(power, of), byte @ Atom::Byte(..)]) => {
                    let byte = self.atoms.number(byte);
                    blocks.entry(power).or_default()[usize::from(!of)].push(byte);
                }
                _ => {}
            }
        }
        let (reduced, element) = match self.reduced(&blocks, &pairs) {
            Some((halves, element)) => (halves[usize::from(upper)].clone(), element),
            None => return atoms,
        };
        let half = self.half_atom(element, upper);
        let replaced = odd([atoms.as_slice(), &reduced, &[half]].concat());
        let is_product = |atom: &AtomNumber| matches!(self.atoms.0[*atom as usize], Atom::Product(..));
        if replaced.iter().any(is_product) { atoms } else { self.with_elements_added(replaced) }
    }

    /// Returns what [`reduce`] makes of the sum of blocks, each times a power, and of pairs of elements; and
    /// the element that this is.
    #[allow(clippy::type_complexity, reason = "two halves, and the element")]
    fn reduced(
        &mut self,
        blocks: &BTreeMap<Element, [Vec<AtomNumber>; 2]>,
        pairs: &[(Element, Element)],
    ) -> Option<([Vec<AtomNumber>; 2], Element)> {
        let mut sums = [const { [const { Vec::new() }; 2] }; 3];
        let mut elements = Vec::new();
        let mut products = Vec::new();
        for (&power, halves) in blocks {
            let mut terms = Vec::new();
            for (upper, bytes) in halves.iter().enumerate() {
                for &byte in bytes {
                    let Atom::Byte(byte, at) = self.atoms.0[byte as usize] else { unreachable!("a byte") };
                    terms.push((byte, 8 * upper + at, 0));
                }
            }
            let block = self.elements.number(odd(terms));
            elements.push(self.multiply_elements(block, power)?);
            products.push((halves.clone(), power));
        }
        for &(a, b) in pairs {
            elements.push(self.multiply_elements(a, b)?);
            products.push(([false, true].map(|upper| vec![self.half_atom(a, upper)]), b));
        }
        for ([low, high], power) in products {
            let [power_low, power_high] = [false, true].map(|upper| [self.half_atom(power, upper)]);
            for (part, x, y) in [
                (0, &low, &power_low),
                (1, &low, &power_high),
                (1, &high, &power_low),
                (2, &high, &power_high),
            ] {
                let product = self.distribute(x, y);
                sums[part].iter_mut().zip(product).for_each(|(sum, more)| sum.extend(more));
            }
        }
        let sums = sums.map(|sum| sum.map(odd));
        let polynomial = [self.atoms.number(Atom::Polynomial)];
        let add = |sums: &[&Vec<AtomNumber>]| odd(sums.iter().copied().flatten().copied().collect());
        let fold = |half: &Vec<AtomNumber>| self.distribute(half, &polynomial);
        let halves = reduce(add, fold, sums.each_ref());
        Some((halves, self.add_elements(elements)))
    }

    /// Returns the hash of blocks: Σ block ∘ p_k, where k is 1 for the last. GHASH's blocks are `reversed`,
    /// and so is the result.
    pub fn hash(&mut self, blocks: &[Form], reversed: bool) -> Vec<Form> {
        let mut terms = Vec::new();
        let count = blocks.len() / 16;
        for (i, block) in blocks.chunks(16).enumerate() {
            for (at, &byte) in block.iter().enumerate() {
                let at = if reversed { 15 - at } else { at };
                terms.extend(self.bytes.parts(byte).into_iter().map(|part| (part, at, count - i)));
            }
        }
        let terms = odd(terms);
        if terms.is_empty() {
            return vec![self.bytes.constant(0); 16];
        }
        let element = self.elements.number(terms);
        let mut hash = self.bytes_of_element(element);
        if reversed {
            hash.reverse();
        }
        hash
    }
}

/// Multiplies polynomials over GF(2).
fn carryless(a: u64, b: u64) -> u128 {
    (0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ u128::from(a) << i)
}

impl Domain for Field {
    type Value = Half;
    const UNUSED: Half = Half::MAX;

    fn value(&mut self, step: Step, values: &[Half]) -> Half {
        let of = |node: Node| values[node as usize];
        match step.op {
            Op::Input(number) if self.key.is_some_and(|key| key.contains(&number)) => {
                let first = self.power(1);
                self.halves_of(first)[usize::from(self.key != Some([number, number + 1]))]
            }
            Op::Xor(a, b) => self.xor(of(a), of(b)),
            Op::CarrylessLow(a, b) => self.product(of(a), of(b))[0],
            Op::CarrylessHigh(a, b) => self.product(of(a), of(b))[1],
            Op::Load(bytes) | Op::Bytes(bytes) if whole(&bytes).is_some() => {
                of(whole(&bytes).expect("see above"))
            }
            op => {
                let operands: Vec<(Node, [Form; 8])> =
                    op.operands().map(|node| (node, self.bytes_of(of(node)))).collect();
                let of = |node| operands.iter().find(|(operand, _)| *operand == node).expect("an operand").1;
                let bytes = self.bytes.operation(step, of);
                self.half_of(bytes)
            }
        }
    }
}

/// Returns the node that these are the bytes of, in order.
fn whole(bytes: &[Byte; 8]) -> Option<Node> {
    match bytes[0] {
        Byte::Of(node, 0) if (0..8).all(|i| bytes[i] == Byte::Of(node, i as u8)) => Some(node),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x^128 modulo POLYVAL's polynomial (RFC 8452 §3).
    const FIELD: u128 = 1 << 127 | 1 << 126 | 1 << 121 | 1;

    /// POLYVAL's dot(a, b) = a·b·x^-128 (RFC 8452 §3), bit by bit.
    fn dot(a: u128, b: u128) -> u128 {
        (0..128).fold(0, |sum, i| {
            let sum = if a >> i & 1 == 1 { sum ^ b } else { sum };
            // Divided by x.
            if sum & 1 == 1 { (sum ^ FIELD) >> 1 | 1 << 127 } else { sum >> 1 }
        })
    }

    /// The product of blocks, whose first bits are the most significant (SP 800-38D §6.3, algorithm 1).
    fn multiply_blocks(x: u128, y: u128) -> u128 {
        let (mut z, mut v) = (0, y);
        for i in 0..128 {
            if x >> (127 - i) & 1 == 1 {
                z ^= v;
            }
            v = if v & 1 == 1 { v >> 1 ^ 0xe1 << 120 } else { v >> 1 };
        }
        z
    }

    fn halves(x: u128) -> [u64; 2] {
        [x as u64, (x >> 64) as u64]
    }

    fn number([low, high]: [u64; 2]) -> u128 {
        u128::from(low) | u128::from(high) << 64
    }

    /// The four products of the halves, reduced: what the recognition of hashes compares with.
    fn multiply_and_reduce(a: u128, b: u128) -> u128 {
        let ([a0, a1], [b0, b1]) = (halves(a), halves(b));
        let sums = [carryless(a0, b0), carryless(a0, b1) ^ carryless(a1, b0), carryless(a1, b1)].map(halves);
        let add = |terms: &[&u64]| terms.iter().fold(0, |sum, term| sum ^ *term);
        number(reduce(add, |half| halves(carryless(*half, POLYNOMIAL)), sums.each_ref()))
    }

    /// Both sides are bilinear, so all pairs of one bit each are a proof for all blocks.
    #[test]
    fn the_reduction_is_that_of_both_standards() {
        for (i, j) in (0..128 * 128).map(|both| (both / 128, both % 128)) {
            let (x, h) = (1_u128 << i, 1_u128 << j);
            assert_eq!(multiply_and_reduce(x, h), dot(x, h));
            // RFC 8452 appendix A: GHASH by POLYVAL, with H times x. A block whose bytes are reversed is the
            // number whose most significant bit is the block's first.
            let times_x = h << 1 ^ if h >> 127 == 1 { FIELD } else { 0 };
            assert_eq!(multiply_and_reduce(x, times_x), multiply_blocks(x, h));
        }
    }

    /// Halves, and their values for some input.
    #[derive(Clone, Copy)]
    struct Valued(Half, u64);

    /// A field, its input bytes, and p_1.
    struct Values(Field, Vec<u8>, u128);

    impl Values {
        fn new() -> Self {
            let bytes = (0..64_u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 13) as u8).collect();
            Self(Field::with_key([100, 101]), bytes, 0x0123_4567_89ab_cdef_1f2e_3d4c_5b6a_7988)
        }

        fn atom(&self, atom: AtomNumber) -> u128 {
            let Self(field, inputs, p1) = self;
            match field.atoms.0[atom as usize] {
                Atom::Byte(byte, at) => u128::from(field.bytes.evaluate(byte, inputs)) << (8 * at),
                Atom::Polynomial => POLYNOMIAL.into(),
                Atom::Whole(half) => self.half(half).into(),
                Atom::Product(x, y, upper) => {
                    let product = carryless(self.atom(x) as u64, self.atom(y) as u64);
                    halves(product)[usize::from(upper)].into()
                }
                Atom::Half(element, upper) => {
                    let value = field.elements.0[element as usize].iter().fold(0, |sum, &(byte, at, k)| {
                        let power = (1..k).fold(*p1, |power, _| dot(power, *p1));
                        sum ^ match byte {
                            UNIT => power,
                            _ => dot(u128::from(field.bytes.evaluate(byte, inputs)) << (8 * at), power),
                        }
                    });
                    halves(value)[usize::from(upper)].into()
                }
            }
        }

        fn half(&self, half: Half) -> u64 {
            let Sum { bytes, atoms } = &self.0.halves.0[half as usize];
            let sum = u64::from_le_bytes(bytes.map(|byte| self.0.bytes.evaluate(byte, &self.1)));
            atoms.iter().fold(sum, |sum, &atom| sum ^ self.atom(atom) as u64)
        }

        /// Checks that a half has its value.
        fn checked(&self, half: Half, value: u64) -> Valued {
            assert_eq!(self.half(half), value);
            Valued(half, value)
        }

        /// Returns block `i` of the inputs, the lower half first.
        fn block(&mut self, i: u32) -> [Valued; 2] {
            [0, 1].map(|half| {
                let inputs: [u32; 8] = std::array::from_fn(|at| 16 * i + 8 * half + at as u32);
                let value = inputs.map(|input| self.1[input as usize]);
                let bytes = inputs.map(|input| self.0.bytes.input(input, 0));
                let half = self.0.half_of(bytes);
                self.checked(half, u64::from_le_bytes(value))
            })
        }

        fn p1(&mut self) -> [Valued; 2] {
            let element = self.0.power(1);
            let ([low, high], [x, y]) = (self.0.halves_of(element), halves(self.2));
            [self.checked(low, x), self.checked(high, y)]
        }

        fn xor(&mut self, x: Valued, y: Valued) -> Valued {
            let half = self.0.xor(x.0, y.0);
            self.checked(half, x.1 ^ y.1)
        }

        fn xor_both(&mut self, x: [Valued; 2], y: [Valued; 2]) -> [Valued; 2] {
            [0, 1].map(|i| self.xor(x[i], y[i]))
        }

        fn product(&mut self, x: Valued, y: Valued) -> [Valued; 2] {
            let ([low, high], [a, b]) = (self.0.product(x.0, y.0), halves(carryless(x.1, y.1)));
            [self.checked(low, a), self.checked(high, b)]
        }

        fn constant(&mut self, x: u64) -> Valued {
            let bytes = x.to_le_bytes().map(|byte| self.0.bytes.constant(byte));
            Valued(self.0.half_of(bytes), x)
        }

        /// Adds Karatsuba's products to sums.
        fn add_product(
            &mut self,
            sums: [[Valued; 2]; 3],
            a: [Valued; 2],
            b: [Valued; 2],
        ) -> [[Valued; 2]; 3] {
            let [a_folded, b_folded] = [a, b].map(|[low, high]| self.xor(low, high));
            let products =
                [self.product(a[0], b[0]), self.product(a_folded, b_folded), self.product(a[1], b[1])];
            [0, 1, 2].map(|i| self.xor_both(sums[i], products[i]))
        }

        fn zeros(&mut self) -> [[Valued; 2]; 3] {
            [[self.constant(0); 2]; 3]
        }

        fn reduce(&mut self, [lo, mid, hi]: [[Valued; 2]; 3]) -> [Valued; 2] {
            let polynomial = self.constant(POLYNOMIAL);
            let mid = self.xor_both(mid, lo);
            let mid = self.xor_both(mid, hi);
            let product = self.product(lo[0], polynomial);
            let mid = self.xor_both(mid, [lo[1], lo[0]]);
            let mid = self.xor_both(mid, product);
            let product = self.product(mid[0], polynomial);
            let hi = self.xor_both(hi, [mid[1], mid[0]]);
            self.xor_both(hi, product)
        }

        fn multiply(&mut self, a: [Valued; 2], b: [Valued; 2]) -> [Valued; 2] {
            let zeros = self.zeros();
            let sums = self.add_product(zeros, a, b);
            let product = self.reduce(sums);
            let value = dot(number(a.map(|half| half.1)), number(b.map(|half| half.1)));
            assert_eq!(number(product.map(|half| half.1)), value);
            product
        }
    }

    fn forms(x: [Valued; 2]) -> [Half; 2] {
        x.map(|half| half.0)
    }

    /// Every form on the way has the value of what it stands for.
    #[test]
    fn equal_hashes_have_one_form() {
        let field = &mut Values::new();
        let p1 = field.p1();
        let p2 = field.multiply(p1, p1);
        let p3 = field.multiply(p2, p1);
        for (k, power) in [(2, p2), (3, p3)] {
            let element = field.0.power(k);
            assert_eq!(forms(power), field.0.halves_of(element));
        }
        let p4 = [field.multiply(p3, p1), field.multiply(p1, p3), field.multiply(p2, p2)].map(forms);
        assert_eq!(p4, [p4[0]; 3]);
        // Three blocks, of which one is known; one lower half is zero. One by one, and reduced once.
        let [a, [b, _], _] = [0, 1, 2].map(|i| field.block(i));
        let blocks = [a, [field.constant(0), b], [field.constant(0x0123_4567), field.constant(0x80 << 56)]];
        let mut one_by_one = [field.constant(0); 2];
        let mut sums = field.zeros();
        for (block, power) in blocks.into_iter().zip([p3, p2, p1]) {
            let sum = field.xor_both(one_by_one, block);
            one_by_one = field.multiply(sum, p1);
            sums = field.add_product(sums, block, power);
        }
        let once = field.reduce(sums);
        assert_eq!(forms(once), forms(one_by_one));
        // A block without an upper half, reduced alone.
        let low = [field.block(2)[0], field.constant(0)];
        let product = field.multiply(low, p2);
        let bytes =
            [forms(low).map(|half| field.0.bytes_of(half)).concat(), vec![field.0.bytes.constant(0); 16]];
        let hash = field.0.hash(&bytes.concat(), false);
        assert_eq!(forms(product).map(|half| field.0.bytes_of(half)).concat(), hash);
        // The standard's.
        let bytes = blocks.map(|block| forms(block).map(|half| field.0.bytes_of(half)).concat()).concat();
        let hash = field.0.hash(&bytes, false);
        assert_eq!(forms(once).map(|half| field.0.bytes_of(half)).concat(), hash);
        let halves = [&hash[..8], &hash[8..]].map(|half| field.0.half_of(half.try_into().expect("eight")));
        assert_eq!(halves, forms(once));
    }

    /// A sum of so many products that its bytes have one name.
    #[test]
    fn a_long_sum_has_its_value() {
        let field = &mut Values::new();
        let p1 = field.p1();
        let (mut power, mut sum) = (p1, field.constant(0));
        for _ in 0..20 {
            for half in [0, 1, 2, 3].map(|i| field.block(i)).concat() {
                let product = field.product(half, power[0]);
                sum = field.xor(sum, product[0]);
            }
            power = field.multiply(power, p1);
        }
        assert!(field.0.halves.0[sum.0 as usize].atoms.len() > 1 << 10);
        let bytes = field.0.bytes_of(sum.0);
        let named = field.0.half_of(bytes);
        assert!(named != sum.0);
        field.checked(named, sum.1);
    }

    #[test]
    fn different_hashes_have_different_forms() {
        let field = &mut Values::new();
        let (p1, a, b, zeros) = (field.p1(), field.block(0), field.block(1), field.zeros());
        let p2 = field.multiply(p1, p1);
        let mut different = vec![p1, p2, a, b, zeros[0], field.xor_both(p1, p2)];
        for (x, y) in [(a, p1), (a, p2), (b, p1), ([a[1], a[0]], p1), (a, b)] {
            let sums = field.add_product(zeros, x, y);
            let [lo, mid, hi] = sums;
            // Parts of products are left out, or are in the place of others.
            for sums in [sums, [hi, mid, lo], [lo, mid, zeros[0]], [lo, hi, mid], [zeros[0], mid, hi]] {
                different.push(field.reduce(sums));
            }
        }
        let sum = field.add_product(zeros, a, p1);
        let sum = field.add_product(sum, b, p2);
        different.push(field.reduce(sum));
        let forms: Vec<[Half; 2]> = different.into_iter().map(forms).collect();
        for (i, x) in forms.iter().enumerate() {
            assert!(!forms[..i].contains(x), "{i}");
        }
    }
}
