//! Words in normal form: equal terms have the same number.
//!
//! Sums are multisets of terms and a constant. Bitwise functions are polynomials over GF(2): an exclusive or
//! of products, each with the mask of the bits in which it occurs; the empty product's mask is a constant. A
//! rotation is applied to the factors, and a shift is a rotation and a mask. Functions that can be computed
//! in many ways, such as the majority of three bits, therefore have one form.

use super::bytes::FastMap;
use super::prove::Domain;
use super::record::{Byte, Node, Op, Step, Trace};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

/// The number of a term.
pub type Word = usize;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Term {
    Known(u64),
    Input(u32),
    /// Bytes of other terms, the least significant first.
    Bytes(Vec<Piece>),
    /// A constant, and terms with their multiplicity.
    Sum(u64, Vec<(Word, u64)>),
    /// Products of different terms, with masks.
    Bitwise(Vec<(Vec<Word>, u64)>),
    /// A rotation to the right of a term that is not bitwise.
    Rotated(Word, u32),
    /// A function of which nothing is known.
    Call(Word, Word),
}

/// A polynomial: products and their masks.
type Polynomial = BTreeMap<Vec<Word>, u64>;

/// A byte of a term that has several.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Piece {
    Known(u8),
    Of(Word, u8),
}

/// Terms of words of one length.
#[derive(Clone)]
pub struct Words {
    len: usize,
    terms: Vec<Term>,
    numbers: FastMap<Term, Word>,
    /// Sums that are terms of other sums, not parts of them; and exclusive ors that are factors.
    sealed: HashSet<Word>,
    sums: Sums,
}

/// Values of terms, linear in what sums consist of, and the first term with each value.
#[derive(Clone, Default)]
struct Sums {
    random: [RandomState; 2],
    /// A constant, modulo the words' length, and the value of the rest.
    values: Vec<(u64, u128)>,
    first: HashMap<(u64, u128), Word>,
}

impl Words {
    pub fn new(len: usize) -> Self {
        let (numbers, sums) = (FastMap::default(), Sums::default());
        Self { len, terms: Vec::new(), numbers, sealed: HashSet::new(), sums }
    }

    /// Returns the length of a word in bytes.
    pub fn word_len(&self) -> usize {
        self.len
    }

    fn term(&mut self, term: Term) -> Word {
        *self.numbers.entry(term).or_insert_with_key(|term| {
            self.terms.push(term.clone());
            self.terms.len() - 1
        })
    }

    fn bits(&self) -> u32 {
        8 * self.len as u32
    }

    fn ones(&self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    pub fn constant(&mut self, x: u64) -> Word {
        self.term(Term::Known(x & self.ones()))
    }

    pub fn input(&mut self, number: u32) -> Word {
        self.term(Term::Input(number))
    }

    /// Returns byte `at` of a word, 0 the least significant.
    pub fn byte(&self, x: Word, at: usize) -> Piece {
        match &self.terms[x] {
            Term::Bytes(pieces) => pieces[at],
            Term::Known(constant) => Piece::Known(constant.to_le_bytes()[at]),
            _ => Piece::Of(x, at as u8),
        }
    }

    /// Returns the word of these bytes, the least significant first.
    pub fn bytes(&mut self, pieces: Vec<Piece>) -> Word {
        assert!(pieces.len() == self.len);
        let known: Option<Vec<u8>> =
            pieces.iter().map(|piece| if let Piece::Known(x) = piece { Some(*x) } else { None }).collect();
        if let Some(mut known) = known {
            known.resize(8, 0);
            return self.constant(u64::from_le_bytes(known.try_into().expect("eight bytes")));
        }
        match pieces[0] {
            Piece::Of(word, 0) if (0..self.len).all(|i| pieces[i] == Piece::Of(word, i as u8)) => word,
            _ => self.term(Term::Bytes(pieces)),
        }
    }

    /// Returns the normal form of an exclusive or of bytes: bytes that are no such, each once, and a constant
    /// unless it is zero.
    pub fn xor_of_bytes(&self, pieces: &[Piece]) -> BTreeSet<Piece> {
        let (mut constant, mut sum, mut left) = (0, BTreeSet::new(), pieces.to_vec());
        while let Some(piece) = left.pop() {
            match piece {
                Piece::Known(x) => constant ^= x,
                Piece::Of(word, at) => match self.byte(word, at.into()) {
                    Piece::Of(same, _) if same == word => match self.parts_of_byte(word, at) {
                        Some(parts) => left.extend(parts),
                        None if sum.remove(&piece) => {}
                        None => drop(sum.insert(piece)),
                    },
                    other => left.push(other),
                },
            }
        }
        if constant != 0 {
            sum.insert(Piece::Known(constant));
        }
        sum
    }

    /// Returns the bytes whose exclusive or a byte is, if it is one without masks inside the byte.
    fn parts_of_byte(&self, word: Word, at: u8) -> Option<Vec<Piece>> {
        let Term::Bitwise(products) = &self.terms[word] else { return None };
        let part = |(factors, mask): &(Vec<Word>, u64)| match (factors[..].split_first(), mask >> (8 * at)) {
            (None, mask) => Some(Piece::Known(mask as u8)),
            (Some((&factor, [])), mask) if mask as u8 == 0xff => Some(Piece::Of(factor, at)),
            (_, mask) if mask as u8 == 0 => Some(Piece::Known(0)),
            _ => None,
        };
        products.iter().map(part).collect()
    }

    pub fn add(&mut self, a: Word, b: Word) -> Word {
        let (mut constant, mut terms) = (0_u64, BTreeMap::new());
        for x in [a, b] {
            match &self.terms[x] {
                Term::Known(c) => constant = constant.wrapping_add(*c),
                Term::Sum(c, more) if !self.sealed.contains(&x) => {
                    constant = constant.wrapping_add(*c);
                    for (term, times) in more {
                        *terms.entry(*term).or_insert(0) += times;
                    }
                }
                _ => *terms.entry(x).or_insert(0) += 1,
            }
        }
        constant &= self.ones();
        self.merge_choices(&mut terms);
        match (constant, terms.len(), terms.first_key_value()) {
            (_, 0, _) => self.constant(constant),
            (0, 1, Some((&term, 1))) => term,
            _ => self.term(Term::Sum(constant, terms.into_iter().collect())),
        }
    }

    /// Keeps a sum or an exclusive or together in those that are made from now on, which otherwise would have
    /// hundreds of terms. A standard seals the values that every kernel has at some time.
    pub fn seal(&mut self, x: Word) -> Word {
        self.sealed.insert(x);
        x
    }

    /// Returns the same term, as a rotation of a sealed one by whole bytes if it is that: compilers rotate
    /// what an exclusive or is taken of, and not the result.
    pub fn unrotated(&mut self, x: Word) -> Word {
        for by in (8..self.bits()).step_by(8) {
            let rotated = self.rotate_right(x, by);
            if self.sealed.contains(&rotated) && !self.sealed.contains(&x) {
                return self.rotate_right(rotated, self.bits() - by);
            }
        }
        x
    }

    /// Returns the first term that is the same sum, whatever is sealed: compilers add in another order. Sums
    /// are compared by random values of 128 bits, which are linear in their terms.
    pub fn first_sum(&mut self, x: Word) -> Word {
        let ones = self.ones();
        let Sums { random, values, first } = &mut self.sums;
        for (number, term) in self.terms.iter().enumerate().skip(values.len()) {
            let mut value = match term {
                Term::Known(constant) | Term::Sum(constant, _) => (*constant, 0),
                _ => (
                    0,
                    random.iter().fold(0, |value, random| value << 64 | u128::from(random.hash_one(number))),
                ),
            };
            if let Term::Sum(_, terms) = term {
                for &(term, times) in terms {
                    let (constant, rest): (u64, u128) = values[term];
                    value.0 = value.0.wrapping_add(constant.wrapping_mul(times)) & ones;
                    value.1 = value.1.wrapping_add(rest.wrapping_mul(times.into()));
                }
            }
            values.push(value);
            first.entry(value).or_insert(number);
        }
        first[&values[x]]
    }

    /// Seals a term of many products or summands: where no standard seals, as in a wrong program, terms would
    /// grow without end.
    pub fn seal_if_long(&mut self, x: Word) -> Word {
        let len = match &self.terms[x] {
            Term::Bitwise(products) => products.len(),
            Term::Sum(_, terms) => terms.len(),
            _ => 0,
        };
        if len > 32 { self.seal(x) } else { x }
    }

    /// Replaces x·y + (z ^ x·z), whose bits are never both one, by the exclusive or: SHA-2's Ch is computed
    /// in either way.
    fn merge_choices(&mut self, terms: &mut BTreeMap<Word, u64>) {
        let halves = |words: &Self, len: usize| -> Vec<Word> {
            let of_len =
                |x: &&Word| matches!(&words.terms[**x], Term::Bitwise(products) if products.len() == len);
            terms.keys().filter(of_len).copied().collect()
        };
        let (first, second) = (halves(self, 1), halves(self, 2));
        let pair = first.iter().flat_map(|&x| second.iter().map(move |&y| (x, y))).find(|&(x, y)| {
            let product = self.and(x, y);
            product == self.constant(0) && terms[&x] == 1 && terms[&y] == 1
        });
        if let Some((x, y)) = pair {
            terms.remove(&x);
            terms.remove(&y);
            *terms.entry(self.xor(x, y)).or_insert(0) += 1;
        }
    }

    fn polynomial(&self, x: Word) -> Polynomial {
        match &self.terms[x] {
            Term::Known(0) => Polynomial::new(),
            Term::Known(constant) => [(Vec::new(), *constant)].into(),
            Term::Bitwise(products) if !self.sealed.contains(&x) => products.iter().cloned().collect(),
            _ => [(vec![x], self.ones())].into(),
        }
    }

    fn bitwise(&mut self, mut polynomial: Polynomial) -> Word {
        polynomial.retain(|_, mask| *mask != 0);
        match (polynomial.len(), polynomial.first_key_value()) {
            (0, _) => self.constant(0),
            (1, Some((factors, &mask))) if factors.is_empty() => self.constant(mask),
            (1, Some((factors, &mask))) if factors.len() == 1 && mask == self.ones() => factors[0],
            _ => self.term(Term::Bitwise(polynomial.into_iter().collect())),
        }
    }

    pub fn xor(&mut self, a: Word, b: Word) -> Word {
        let mut sum = self.polynomial(a);
        for (factors, mask) in self.polynomial(b) {
            *sum.entry(factors).or_insert(0) ^= mask;
        }
        self.bitwise(sum)
    }

    pub fn and(&mut self, a: Word, b: Word) -> Word {
        let (first, second) = (self.polynomial(a), self.polynomial(b));
        let mut product = Polynomial::new();
        for (factors, mask) in &first {
            for (more, other) in &second {
                let mut factors = [factors.as_slice(), more].concat();
                factors.sort_unstable();
                factors.dedup();
                *product.entry(factors).or_insert(0) ^= mask & other;
            }
        }
        self.bitwise(product)
    }

    /// Where each byte is zero in one of the words, or the same, the result has the other's.
    pub fn or(&mut self, a: Word, b: Word) -> Word {
        let bytes = (0..self.len).map(|i| match (self.byte(a, i), self.byte(b, i)) {
            (byte, Piece::Known(0)) | (Piece::Known(0), byte) => Some(byte),
            (byte, same) if byte == same => Some(byte),
            _ => None,
        });
        if let Some(bytes) = bytes.collect() {
            return self.bytes(bytes);
        }
        let (sum, product) = (self.xor(a, b), self.and(a, b));
        self.xor(sum, product)
    }

    /// Returns a rotation of what is not bitwise. Bytes are put in another order, and their word is rotated
    /// by less than a byte: so rotations that add up have one form.
    fn rotated(&mut self, x: Word, by: u32) -> Word {
        let (moved, rest) = match &self.terms[x] {
            Term::Bytes(pieces) => {
                let mut pieces = pieces.clone();
                pieces.rotate_left(by as usize / 8);
                (self.bytes(pieces), by % 8)
            }
            _ => (x, by),
        };
        if rest == 0 { moved } else { self.term(Term::Rotated(moved, rest)) }
    }

    pub fn rotate_right(&mut self, x: Word, by: u32) -> Word {
        let bits = self.bits();
        let rotate = |x: u64| (x >> by | x << (bits - by)) & (u64::MAX >> (64 - bits));
        let mut rotated = Polynomial::new();
        for (factors, mask) in self.polynomial(x) {
            let mut factors: Vec<Word> = factors
                .into_iter()
                .map(|factor| match self.terms[factor] {
                    Term::Rotated(x, before) => self.rotated(x, (before + by) % bits),
                    _ => self.rotated(factor, by),
                })
                .collect();
            factors.sort_unstable();
            rotated.insert(factors, rotate(mask));
        }
        self.bitwise(rotated)
    }

    pub fn shift_right(&mut self, x: Word, by: u32) -> Word {
        let (rotated, mask) = (self.rotate_right(x, by), self.constant(self.ones() >> by));
        self.and(rotated, mask)
    }

    /// Returns the word of these bytes. If constants were added to bytes in memory, they are added to the
    /// word.
    fn load(&mut self, bytes: &[Byte; 8], of: impl Fn(Node) -> Word) -> Word {
        let flipped = bytes.iter().any(|byte| matches!(byte, Byte::Flipped(..)));
        let mut constant = [0; 8];
        let mut pieces = Vec::new();
        for (byte, constant) in bytes[..self.len].iter().zip(&mut constant) {
            pieces.push(match *byte {
                Byte::Known(x) if !flipped => Piece::Known(x),
                Byte::Known(x) => {
                    *constant = x;
                    Piece::Known(0)
                }
                Byte::Of(node, at) => self.byte(of(node), usize::from(at)),
                Byte::Flipped(node, at, x) => {
                    *constant = x;
                    self.byte(of(node), usize::from(at))
                }
                Byte::Xor(_) | Byte::Topped(..) => unreachable!("only outputs are XORed in memory"),
            });
        }
        let (word, constant) = (self.bytes(pieces), self.constant(u64::from_le_bytes(constant)));
        self.xor(word, constant)
    }

    /// Returns a function's value, of which nothing is known.
    pub fn call(&mut self, a: Word, b: Word) -> Word {
        self.term(Term::Call(a, b))
    }

    /// Returns the normal forms of a trace's outputs, which have one byte each, given the terms of its nodes.
    pub fn output_bytes(&self, trace: &Trace, values: &[Word]) -> Vec<BTreeSet<Piece>> {
        let piece = |(node, at): (Node, u8)| Piece::Of(values[node as usize], at);
        let outputs = trace.outputs.iter().map(|&node| match trace.steps[node as usize].op {
            Op::Load([Byte::Known(x), ..]) => self.xor_of_bytes(&[Piece::Known(x)]),
            Op::Load([Byte::Of(node, at), ..]) => self.xor_of_bytes(&[piece((node, at))]),
            Op::Load([Byte::Xor(bytes), ..]) => self.xor_of_bytes(&bytes.map(piece)),
            op => unreachable!("{op:?} is no output"),
        });
        outputs.collect()
    }
}

impl Domain for Words {
    type Value = Word;
    const UNUSED: Word = usize::MAX;

    fn value(&mut self, Step { op, len }: Step, values: &[Word]) -> Word {
        let of = |node: Node| values[node as usize];
        if len != self.len && matches!(op, Op::Load(_)) {
            // An output of one byte.
            return Self::UNUSED;
        }
        assert!(len == self.len || matches!(op, Op::Input(_)));
        match op {
            Op::Input(number) => self.input(number),
            Op::Load(bytes) => self.load(&bytes, of),
            Op::Add(a, b) => self.add(of(a), of(b)),
            Op::Xor(a, b) => self.xor(of(a), of(b)),
            Op::And(a, b) => self.and(of(a), of(b)),
            Op::Or(a, b) => self.or(of(a), of(b)),
            Op::RotateRight(a, by) => self.rotate_right(of(a), by),
            Op::ShiftRight(a, by) => self.shift_right(of(a), by),
            Op::Call(a, b) => self.call(of(a), of(b)),
            _ => unreachable!("an operation of other vectors"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three words, and what functions make of them.
    fn forms(function: impl Fn(&mut Words, [Word; 3]) -> [Word; 2]) -> [Word; 2] {
        let mut words = Words::new(4);
        let inputs = [0, 1, 2].map(|number| words.input(number));
        function(&mut words, inputs)
    }

    #[test]
    fn equal_functions_have_one_form() {
        let equal = |function: fn(&mut Words, [Word; 3]) -> [Word; 2]| {
            let [first, second] = forms(function);
            assert_eq!(first, second);
        };
        // (a + b) + c and c + (b + a).
        equal(|w, [a, b, c]| {
            let (ab, ba) = (w.add(a, b), w.add(b, a));
            [w.add(ab, c), w.add(c, ba)]
        });
        // The majority by ors and ands, and by an exclusive or.
        equal(|w, [a, b, c]| {
            let (or, and) = (w.or(b, c), w.and(b, c));
            let either = w.and(a, or);
            let (ab, bc) = (w.xor(a, b), w.xor(b, c));
            let changed = w.and(ab, bc);
            [w.or(either, and), w.xor(changed, b)]
        });
        // A shift and the rotation without the upper bits.
        equal(|w, [a, b, _]| {
            let ab = w.xor(a, b);
            let (shifted, upper) = (w.shift_right(ab, 5), w.constant(u64::MAX << 27));
            let rotated = w.rotate_right(ab, 5);
            let kept = w.and(rotated, upper);
            [shifted, w.xor(rotated, kept)]
        });
        // Rotations add up, and 32 of them are none.
        equal(|w, [a, ..]| {
            let rotated = w.rotate_right(a, 20);
            [w.rotate_right(rotated, 12), a]
        });
        // Those of bytes add up by way of whole bytes as well.
        equal(|w, [a, b, c]| {
            let x = w.bytes([(a, 3), (b, 0), (a, 1), (c, 2)].map(|(word, at)| w.byte(word, at)).to_vec());
            let whole = w.rotate_right(x, 24);
            [w.rotate_right(whole, 31), w.rotate_right(x, 23)]
        });
        // The choice by an exclusive or and by a sum.
        equal(|w, [a, b, c]| {
            let (ab, ac) = (w.and(a, b), w.and(a, c));
            let not_a_c = w.xor(c, ac);
            [w.xor(ab, not_a_c), w.add(ab, not_a_c)]
        });
        // Bytes in and out of a word, in the other order twice.
        equal(|w, [a, ..]| {
            let reversed = |w: &mut Words, x| {
                let bytes = (0..4).rev().map(|i| w.byte(x, i)).collect();
                w.bytes(bytes)
            };
            let once = reversed(w, a);
            [reversed(w, once), a]
        });
        // What is sealed is one term, whichever way it is made.
        equal(|w, [a, b, c]| {
            let sealed = w.xor(a, b);
            w.seal(sealed);
            let again = w.xor(b, a);
            let (first, second) = (w.xor(sealed, c), w.xor(c, again));
            [w.rotate_right(first, 3), w.rotate_right(second, 3)]
        });
        // A rotation by whole bytes of what is sealed, and of what it is made of.
        equal(|w, [a, b, _]| {
            let ab = w.xor(a, b);
            w.seal(ab);
            let (outside, a, b) = (w.rotate_right(ab, 8), w.rotate_right(a, 8), w.rotate_right(b, 8));
            let inside = w.xor(a, b);
            [outside, w.unrotated(inside)]
        });
        // A sum with a sealed one, and in another order.
        equal(|w, [a, b, c]| {
            let (ab, ac) = (w.add(a, b), w.add(a, c));
            w.seal(ab);
            let (first, second) = (w.add(ab, c), w.add(ac, b));
            [w.first_sum(first), w.first_sum(second)]
        });
        equal(|w, _| {
            let (x, y) = (w.constant(0xffff_ffff), w.constant(7));
            [w.add(x, y), w.constant(6)]
        });
    }

    #[test]
    fn different_functions_have_different_forms() {
        let different = |function: fn(&mut Words, [Word; 3]) -> [Word; 2]| {
            let [first, second] = forms(function);
            assert_ne!(first, second);
        };
        different(|w, [a, b, _]| [w.add(a, b), w.xor(a, b)]);
        different(|w, [a, b, _]| [w.or(a, b), w.xor(a, b)]);
        different(|w, [a, ..]| [w.rotate_right(a, 3), w.rotate_right(a, 4)]);
        different(|w, [a, ..]| [w.rotate_right(a, 3), w.shift_right(a, 3)]);
        different(|w, [a, ..]| [w.add(a, a), a]);
        different(|w, [a, b, c]| {
            let (ab, ac) = (w.and(a, b), w.and(a, c));
            [w.add(ab, ac), w.xor(ab, ac)]
        });
        different(|w, [a, b, _]| {
            let sum = w.add(a, b);
            let (first, second) = (w.add(sum, a), w.add(sum, b));
            [w.first_sum(first), w.first_sum(second)]
        });
        different(|w, [a, b, _]| {
            let sum = w.add(a, b);
            [w.rotate_right(sum, 1), {
                let (a, b) = (w.rotate_right(a, 1), w.rotate_right(b, 1));
                w.add(a, b)
            }]
        });
    }

    #[test]
    fn a_byte_of_an_exclusive_or_is_one_of_bytes() {
        let mut w = Words::new(4);
        let [a, b, mask] = [w.input(0), w.input(1), w.constant(0xff00_0f12)];
        let (sum, masked) = (w.xor(a, b), w.and(a, mask));
        let (flipped, of) = (w.xor(sum, mask), Piece::Of);
        let byte = |pieces: &[Piece]| w.xor_of_bytes(pieces);
        for at in 0..4 {
            assert_eq!(byte(&[of(sum, at)]), byte(&[of(b, at), of(a, at)]));
            assert_eq!(byte(&[of(sum, at), of(a, at)]), [of(b, at)].into());
            assert_ne!(byte(&[of(sum, at)]), byte(&[of(a, at), of(b, 3 - at)]));
        }
        assert_eq!(byte(&[of(flipped, 0)]), byte(&[of(sum, 0), Piece::Known(0x12)]));
        assert_eq!(byte(&[of(flipped, 0), of(sum, 0), Piece::Known(0x12)]), [].into());
        // The bits of a byte that is masked are not known, unless they are all or none.
        let masked = [0, 1, 2, 3].map(|at| byte(&[of(masked, at)]));
        assert_eq!(masked[2..], [[].into(), [of(a, 3)].into()]);
        assert!((0..2).all(|at| masked[at] != [of(a, at as u8)].into() && masked[at] != [].into()));
    }
}
