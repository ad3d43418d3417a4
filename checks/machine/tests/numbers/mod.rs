//! Words of four bytes, and numbers of eight with bounds, whose bytes are made of them: what Poly1305
//! computes.

use keylane_machine::{Op, Shift, Values, moved};
use keylane_terms::integers::{Form, Integer, Integers, power};
use keylane_terms::words::{Piece, Words};
use num_bigint::BigInt;
use std::collections::{BTreeSet, HashMap};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Piece(Piece),
    /// The byte of a number in this place.
    Of(usize, u8),
}

/// The normal form of a byte.
type Byte = BTreeSet<Piece>;

#[derive(Clone)]
pub(crate) struct Numbers {
    pub(crate) words: Words,
    integers: Integers,
    numbers: Vec<Integer>,
    /// The unknowns that stand for bytes under a mask, by these.
    atoms: HashMap<(Vec<Byte>, u64), Integer>,
    /// For what a number is multiplied by: a bit, or its complement.
    selected: HashMap<usize, (Form, bool)>,
    /// Numbers, by how many bits they were shifted to the right, and the bits that are the results.
    bits: Vec<(Integer, u32, Integer)>,
}

impl Numbers {
    pub(crate) fn new(words: Words) -> Self {
        let integers = Integers::default();
        let (atoms, selected) = (HashMap::new(), HashMap::new());
        Self { words, integers, numbers: Vec::new(), atoms, selected, bits: Vec::new() }
    }

    fn number(&self, x: impl Into<BigInt>) -> Integer {
        self.integers.constant(x)
    }

    /// Returns a * x + y.
    fn multiply_add(&self, a: impl Into<BigInt>, x: &Integer, y: &Integer) -> Integer {
        self.integers.multiply_add(&a.into(), x, y)
    }

    /// Returns an unknown that stands for bytes under a mask.
    fn atom(&mut self, lane: &[Part], mask: u64) -> Integer {
        let form = |part: &Part| match part {
            Part::Piece(piece) => self.words.xor_of_bytes(&[*piece]),
            Part::Of(..) => panic!("a mask of numbers"),
        };
        let (key, zeros) = ((lane.iter().map(form).collect(), mask), mask.trailing_zeros());
        let atom =
            self.atoms.entry(key).or_insert_with(|| self.integers.atom((mask >> zeros).into())).clone();
        self.multiply_add(power(zeros), &atom, &self.number(0))
    }

    /// Returns the lowest bits and the others. What has no others stays as it is.
    fn split(&mut self, x: &Integer, bits: u32) -> (Integer, Integer) {
        if x.least >= 0.into() && x.greatest < power(bits) {
            return (x.clone(), self.number(0));
        }
        let (mut low, high) = (self.integers.low_bits(x, bits), self.integers.shift_right(x, bits));
        low.form = self.multiply_add(-power(bits), &high, x).form;
        (low, high)
    }

    /// Returns the number of these bytes.
    fn integer(&mut self, lane: &[Part]) -> Integer {
        if let Part::Of(number, 0) = lane[0] {
            let len = (0..lane.len()).take_while(|&at| lane[at] == Part::Of(number, at as u8)).count();
            if lane[len..].iter().all(|&part| self.known(part) == Some(0)) {
                let number = self.numbers[number].clone();
                return self.split(&number, 8 * len as u32).0;
            }
        }
        let mut sum = self.number(0);
        for (at, part) in lane.iter().enumerate() {
            let byte = match *part {
                Part::Piece(Piece::Known(x)) => self.number(x),
                Part::Piece(_) => self.atom(&[*part], 0xff),
                Part::Of(number, at) => {
                    let number = self.numbers[number].clone();
                    let shifted = self.integers.shift_right(&number, 8 * u32::from(at));
                    self.integers.low_bits(&shifted, 8)
                }
            };
            sum = self.multiply_add(power(8 * at as u32), &byte, &sum);
        }
        sum
    }

    fn lane_of(&mut self, x: Integer, len: usize) -> Vec<Part> {
        let mut lane = vec![Part::Piece(Piece::Known(0)); len];
        if x.least == x.greatest {
            let bytes = u64::try_from(&x.least).expect("a word").to_le_bytes();
            return bytes[..len].iter().map(|&x| Part::Piece(Piece::Known(x))).collect();
        }
        for at in 0..(x.greatest.bits() as usize).div_ceil(8) {
            lane[at] = Part::Of(self.numbers.len(), at as u8);
        }
        self.numbers.push(x);
        lane
    }

    fn pieces(&mut self, op: Op, a: &[Part], b: &[Part]) -> Option<Vec<Part>> {
        let [a, b] = [a, b].map(all_pieces);
        Some(self.words.binary(op, &a?, &b?).into_iter().map(Part::Piece).collect())
    }

    fn mask(&mut self, a: &[Part], mask: u64) -> Vec<Part> {
        let (len, bytes) = (a.len(), mask.to_le_bytes());
        if bytes[..len].iter().all(|byte| [0, 0xff].contains(byte)) {
            let zero = Part::Piece(Piece::Known(0));
            return a.iter().zip(bytes).map(|(&part, byte)| if byte == 0 { zero } else { part }).collect();
        }
        let masked = if all_pieces(a).is_some() {
            self.atom(a, mask)
        } else {
            // The lowest bits, or the others.
            let (x, is_low) = (self.integer(a), mask & 1 == 1);
            let bits = if is_low { mask } else { !mask }.trailing_ones();
            let others = u64::MAX >> (64 - 8 * len) >> bits;
            assert!(mask >> bits == if is_low { 0 } else { others }, "a mask of bits in the middle");
            let low = self.split(&x, bits).0;
            let mut high = self.multiply_add(-1, &low, &x);
            high.least = 0.into();
            if bits == 2 {
                // Five times the others, whose bound is then known whatever the order of the sums.
                let others = self.split(&x, 2).1;
                let five = self.multiply_add(5, &others, &self.number(0));
                self.integers.low_bits(&five, 64);
            }
            if is_low { low } else { high }
        };
        self.lane_of(masked, len)
    }

    /// Multiplies a number by the bit, or its complement, that a mask is made of.
    fn select(&mut self, a: &[Part], b: &[Part]) -> Option<Vec<Part>> {
        let (x, mask) = (self.integer(a), self.integer(b));
        let ones = power(8 * a.len() as u32) - 1;
        let (bit, is_bit) = match (mask.form.get(&Vec::new()), mask.form.iter().next_back()?) {
            (None, (bit, factor)) if *factor == ones => (bit, true),
            (Some(one), (bit, factor)) if *one == ones && *factor == -&ones => (bit, false),
            _ => return None,
        };
        if mask.form.len() != 1 + usize::from(!is_bit) {
            return None;
        }
        let form = Form::from([(bit.clone(), 1.into())]);
        let bit = Integer { form: form.clone(), least: 0.into(), greatest: 1.into() };
        let mut product = self.integers.multiply(&x, &bit);
        if !is_bit {
            product = self.multiply_add(-1, &product, &x);
        }
        (product.least, product.greatest) = (0.into(), x.greatest);
        self.selected.insert(self.numbers.len(), (form, is_bit));
        Some(self.lane_of(product, a.len()))
    }

    /// Returns the polynomial of Poly1305 (RFC 8439 §2.5), where each block ends with what is added to it.
    pub(crate) fn polynomial(&mut self, key: &[Part], blocks: &[Vec<Part>]) -> Integer {
        let [low, high] = [(0, 0x0fff_fffc_0fff_ffff), (8, 0x0fff_fffc_0fff_fffc)]
            .map(|(at, mask)| self.atom(&key[at..at + 8], mask));
        let (r, mut sum) = (self.multiply_add(power(64), &high, &low), self.number(0));
        for block in blocks {
            let number = self.integer(block);
            sum = self.integers.multiply(&self.multiply_add(1, &sum, &number), &r);
        }
        sum
    }

    /// Whether bytes have the same normal forms.
    pub(crate) fn are_pieces(&self, bytes: &[Part], pieces: &[Piece]) -> bool {
        let form = |&piece: &Piece| self.words.xor_of_bytes(&[piece]);
        all_pieces(bytes).is_some_and(|bytes| bytes.iter().map(form).eq(pieces.iter().map(form)))
    }

    /// Whether a tag is `sum` modulo p = 2^130 - 5, plus s, modulo 2^128. It is found by how it was computed:
    /// from a number F below 2p that is congruent to the sum, and a bit that is the carry of F + 5 out of
    /// 2^130.
    pub(crate) fn is_tag(&mut self, tag: &[Part], sum: &Integer, s: &[Part]) -> bool {
        let halves = [&tag[..8], &tag[8..], &s[..8], &s[8..]].map(|lane| self.integer(lane));
        let [low, high, s_low, s_high] = halves;
        let limbs =
            |[a, b, c]: [&Integer; 3]| self.multiply_add(power(128), c, &self.multiply_add(power(64), b, a));
        let p = power(130) - 5;
        let (zero, fits) =
            (self.number(0), |x: &Integer, bits| x.least >= 0.into() && x.greatest < power(bits));
        let is_multiple = |x: &Integer, of: &BigInt| x.form.values().all(|factor| factor % of == 0.into());
        for (at, (top, _, bit)) in self.bits.iter().enumerate().filter(|(_, (_, by, _))| *by == 2) {
            let before = &self.bits[at.saturating_sub(6)..at];
            let pairs = before.iter().flat_map(|second| before.iter().map(move |first| (first, second)));
            for ((bottom, _, first), (middle, _, second)) in pairs {
                let h = [
                    self.multiply_add(-5, &self.number(1), bottom),
                    self.multiply_add(-1, first, middle),
                    self.multiply_add(-1, second, top),
                ];
                let f = limbs([&h[0], &h[1], &h[2]]);
                let difference = self.multiply_add(-1, sum, &f);
                if !fits(&h[0], 64) || !fits(&h[1], 64) || !is_multiple(&difference, &p) {
                    continue;
                }
                assert!(h[2].least >= 0.into() && h[2].greatest < 7.into(), "2p or more");
                let expected = limbs([&h[0], &self.multiply_add(1, &s_high, &h[1]), &zero]);
                let expected = self.multiply_add(1, &s_low, &self.multiply_add(5, bit, &expected));
                let difference = self.multiply_add(-1, &expected, &limbs([&low, &high, &zero]));
                return is_multiple(&difference, &power(128));
            }
        }
        false
    }
}

/// Returns a block that zeros fill up, and the one after it.
pub(crate) fn padded(bytes: &[Piece]) -> Vec<Part> {
    let zeros = (bytes.len()..16).map(|_| &Piece::Known(0));
    bytes.iter().chain(zeros).chain(&[Piece::Known(1)]).map(|&piece| Part::Piece(piece)).collect()
}

fn all_pieces(lane: &[Part]) -> Option<Vec<Piece>> {
    lane.iter().map(|part| if let Part::Piece(piece) = part { Some(*piece) } else { None }).collect()
}

impl Values for Numbers {
    type Byte = Part;
    const OF_64_BITS: bool = true;

    fn constant(&mut self, x: u8) -> Part {
        Part::Piece(Piece::Known(x))
    }

    fn input(&mut self, number: u32) -> Part {
        Part::Piece(Values::input(&mut self.words, number))
    }

    fn known(&self, byte: Part) -> Option<u8> {
        if let Part::Piece(piece) = byte { self.words.known(piece) } else { None }
    }

    fn binary(&mut self, op: Op, a: &[Part], b: &[Part]) -> Vec<Part> {
        let zero = Part::Piece(Piece::Known(0));
        let masks = [a, b].map(|lane| {
            let mut bytes = lane.iter().rev().map(|&part| self.known(part));
            bytes.try_fold(0, |sum, byte| Some(sum << 8 | u64::from(byte?)))
        });
        match (op, masks[0], masks[1]) {
            (Op::Add | Op::Sub, ..) if a.len() == 8 => return self.sum(op, a, b, zero).expect("a sum").0,
            (Op::Xor, ..) if a == b => return vec![zero; a.len()],
            (Op::And, Some(mask), _) if a.len() == 8 => return self.mask(b, mask),
            (Op::And, _, Some(mask)) if a.len() == 8 => return self.mask(a, mask),
            _ => {}
        }
        if let Some(result) = self.pieces(op, a, b) {
            return result;
        }
        match (op, a[0], b[0]) {
            (Op::Add | Op::Sub, ..) => self.sum(op, a, b, zero).expect("a sum").0,
            (Op::And, ..) => match masks {
                [Some(mask), _] => self.mask(b, mask),
                [_, Some(mask)] => self.mask(a, mask),
                _ => match self.select(a, b) {
                    Some(product) => product,
                    None => self.select(b, a).expect("a mask of one bit"),
                },
            },
            // Of two numbers, one is zero.
            (Op::Or, Part::Of(x, 0), Part::Of(y, 0)) => {
                let [first, second] = [x, y].map(|number| self.selected.get(&number).expect("a mask"));
                assert!(first.0 == second.0 && first.1 != second.1, "no choice");
                let mut sum = self.multiply_add(1, &self.numbers[x], &self.numbers[y]);
                sum.greatest = (&self.numbers[x].greatest).max(&self.numbers[y].greatest).clone();
                self.lane_of(sum, a.len())
            }
            _ => panic!("{op:?} of numbers"),
        }
    }

    fn shift(&mut self, shift: Shift, lane: &[Part], by: u32) -> Vec<Part> {
        if let Some(pieces) = all_pieces(lane) {
            return Values::shift(&mut self.words, shift, &pieces, by).into_iter().map(Part::Piece).collect();
        }
        if by.is_multiple_of(8) {
            return moved(shift, lane, by as usize / 8, Part::Piece(Piece::Known(0)));
        }
        assert!(shift == Shift::Right, "{shift:?} of numbers");
        let x = self.integer(lane);
        let mut shifted = self.split(&x, by).1;
        if shifted.greatest == 1.into() {
            // It has a name of its own, since it may become a factor.
            let bit = self.integers.atom(1.into());
            shifted = bit.clone();
            self.bits.push((x, by, bit));
        }
        self.lane_of(shifted, lane.len())
    }

    fn sum(&mut self, op: Op, a: &[Part], b: &[Part], carry: Part) -> Option<(Vec<Part>, Part)> {
        let bits = 8 * a.len() as u32;
        if a.len() == 4 && self.known(carry) == Some(0) && all_pieces(a).is_some() && all_pieces(b).is_some()
        {
            return None;
        }
        let [x, y, carry] = [a, b, &[carry]].map(|lane| self.integer(lane));
        let sign = if op == Op::Add { 1 } else { -1 };
        let mut total = self.multiply_add(sign, &carry, &self.multiply_add(sign, &y, &x));
        // A mask: all bits are ones, or none.
        let less = if op == Op::Add { power(bits) } else { 0.into() };
        let negative = self.multiply_add(-1, &total, &self.number(less));
        if negative.least >= 0.into() && negative.greatest == 1.into() {
            let mask = self.multiply_add(power(bits) - 1, &negative, &self.number(0));
            let carry =
                if op == Op::Sub { negative } else { self.multiply_add(-1, &negative, &self.number(1)) };
            return Some((self.lane_of(mask, a.len()), self.lane_of(carry, 1)[0]));
        }
        if op == Op::Sub && total.least < 0.into() {
            total = self.multiply_add(1, &total, &self.number(power(bits)));
        }
        let (sum, mut carry) =
            (self.integers.low_bits(&total, bits), self.integers.shift_right(&total, bits));
        self.bits.push((total, bits, carry.clone()));
        if op == Op::Sub {
            carry = self.multiply_add(-1, &carry, &self.number(1));
        }
        Some((self.lane_of(sum, a.len()), self.lane_of(carry, 1)[0]))
    }

    fn multiply(&mut self, a: &[Part], b: &[Part]) -> Vec<Part> {
        let [x, y] = [a, b].map(|lane| self.integer(lane));
        let product = self.integers.multiply(&x, &y);
        let (low, high) = self.split(&product, 64);
        [self.lane_of(low, 8), self.lane_of(high, 8)].concat()
    }
}
