//! Bytes in normal form: equal terms have the same form and its number.
//!
//! A form is affine over GF(2): an exclusive or of *atoms*, which are unknown bytes, each under a linear map
//! of its eight bits, and a constant. Linear computations, such as MixColumns and masks, therefore have one
//! form, however they are computed. Other computations make new atoms: SubBytes of a form, and a byte of a
//! sum.

use super::prove::Domain;
use super::record::{Byte, Node, Op, Step};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The number of a form.
pub type Form = u32;

/// A node's bytes, the least significant first, then zeros.
pub type Half = [Form; 8];

/// A linear map of a byte's bits: byte i, the least significant first, is what it makes of bit i.
type Map = u64;

/// The first rows of the matrices of MixColumns and of InvMixColumns (FIPS 197 §5.1.3 and §5.3.3).
pub const MIX: [u8; 4] = [2, 3, 1, 1];
pub const INV_MIX: [u8; 4] = [14, 11, 13, 9];

const IDENTITY: Map = 0x8040_2010_0804_0201;
const EVERY_BYTE: u64 = 0x0101_0101_0101_0101;

/// A byte of which nothing else is known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// A byte of an input.
    Input(u32, usize),
    /// The S-box of a byte that is not known, and its inverse (FIPS 197 §5.1.1 and §5.3.2).
    SubBytes(Form),
    InvSubBytes(Form),
    /// The most significant byte of a number plus a constant. The least significant byte of the number is not
    /// known, and that of the constant is not zero.
    Sum(Vec<Form>, u128),
    /// The inclusive or of bytes that may have a one in the same place.
    Or(Form, Form),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Affine {
    constant: u8,
    /// Different atoms, by number, and their maps, which are not zero.
    terms: Vec<(u32, Map)>,
}

/// Forms and atoms by number.
#[derive(Clone, Default)]
pub struct Bytes {
    forms: Vec<Affine>,
    numbers: FastMap<Affine, Form>,
    atoms: Vec<Atom>,
    atom_forms: FastMap<Atom, Form>,
    /// The last sum, whose memory the next one uses.
    sum: Affine,
    /// What [`sliced`](Self::sliced) has returned.
    sliced: FastMap<([Form; 8], bool), [Form; 8]>,
}

/// Multiplies in AES's field (FIPS 197 §4.2).
pub const fn multiply(a: u8, b: u8) -> u8 {
    let (mut product, mut i) = (0, 8);
    while i > 0 {
        i -= 1;
        product =
            (product << 1) ^ if product >= 0x80 { 0x1b } else { 0 } ^ if b >> i & 1 == 1 { a } else { 0 };
    }
    product
}

/// FIPS 197 §5.1.1: the S-box.
pub const SUB_BYTES: [u8; 256] = {
    let (mut table, mut x) = ([0; 256], 0);
    while x < 256 {
        // The inverse in the field is the 254th power.
        let (mut inverse, mut i) = (1, 0);
        while i < 254 {
            inverse = multiply(inverse, x as u8);
            i += 1;
        }
        let b = inverse;
        table[x] = b ^ b.rotate_left(1) ^ b.rotate_left(2) ^ b.rotate_left(3) ^ b.rotate_left(4) ^ 0x63;
        x += 1;
    }
    table
};

fn map(image: impl Fn(u8) -> u8) -> Map {
    Map::from_le_bytes(std::array::from_fn(|i| image(1 << i)))
}

fn apply(map: Map, x: u8) -> u8 {
    compose(map, x.into()) as u8
}

/// Returns the map that does what `first` does, then `map`.
fn compose(map: Map, first: Map) -> Map {
    if map == IDENTITY {
        return first;
    }
    // Where an image has bit i, what `map` makes of that bit.
    (0..8).fold(0, |sum, i| sum ^ ((first >> i & EVERY_BYTE) * (map >> (8 * i) & 0xff)))
}

/// Forms are many, and their hash need not be safe: this one is faster than that of the standard library.
#[derive(Default)]
pub struct FastHasher(u64);

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|word| self.write_u64(u64::from_ne_bytes(*word)));
        rest.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A map from values in normal form.
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

impl Bytes {
    fn form(&mut self, affine: &Affine) -> Form {
        if let Some(&form) = self.numbers.get(affine) {
            return form;
        }
        let form = Form::try_from(self.forms.len()).expect("fewer than 2^32 forms");
        self.forms.push(affine.clone());
        self.numbers.insert(affine.clone(), form);
        form
    }

    pub fn constant(&mut self, constant: u8) -> Form {
        self.form(&Affine { constant, terms: Vec::new() })
    }

    /// Returns what a byte always is, if it is a constant.
    pub fn known(&self, x: Form) -> Option<u8> {
        let Affine { constant, terms } = &self.forms[x as usize];
        terms.is_empty().then_some(*constant)
    }

    /// Returns the form that is only this atom.
    pub fn atom(&mut self, atom: Atom) -> Form {
        if let Some(&form) = self.atom_forms.get(&atom) {
            return form;
        }
        let number = u32::try_from(self.atoms.len()).expect("fewer than 2^32 atoms");
        self.atoms.push(atom.clone());
        let form = self.form(&Affine { constant: 0, terms: vec![(number, IDENTITY)] });
        self.atom_forms.insert(atom, form);
        form
    }

    /// Returns the atom that a form is.
    pub fn only_atom(&self, x: Form) -> Option<&Atom> {
        match &self.forms[x as usize] {
            Affine { constant: 0, terms } => match terms[..] {
                [(atom, IDENTITY)] => Some(&self.atoms[atom as usize]),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the parts that a form is the exclusive or of: bits of a constant, and atoms under their maps.
    pub fn parts(&mut self, x: Form) -> Vec<Form> {
        let Affine { constant, terms } = self.forms[x as usize].clone();
        let bits = (0..8).map(|i| 1 << i).filter(|bit| constant & bit != 0);
        let mut parts: Vec<Form> = bits.map(|bit| self.constant(bit)).collect();
        parts.extend(terms.into_iter().map(|term| self.form(&Affine { constant: 0, terms: vec![term] })));
        parts
    }

    pub fn input(&mut self, number: u32, at: usize) -> Form {
        self.atom(Atom::Input(number, at))
    }

    /// Returns the exclusive or of these maps of forms.
    fn sum(&mut self, parts: &[(Map, Form)]) -> Form {
        let mut sum = std::mem::take(&mut self.sum);
        sum.constant = 0;
        sum.terms.clear();
        for &(map, x) in parts {
            let affine = &self.forms[x as usize];
            sum.constant ^= apply(map, affine.constant);
            sum.terms.extend(affine.terms.iter().map(|&(atom, first)| (atom, compose(map, first))));
        }
        sum.terms.sort_unstable_by_key(|&(atom, _)| atom);
        sum.terms.dedup_by(|(atom, map), (before, sum)| {
            let is_same = atom == before;
            *sum ^= if is_same { *map } else { 0 };
            is_same
        });
        sum.terms.retain(|&(_, map)| map != 0);
        let form = self.form(&sum);
        self.sum = sum;
        form
    }

    pub fn xor(&mut self, a: Form, b: Form) -> Form {
        self.sum(&[(IDENTITY, a), (IDENTITY, b)])
    }

    pub fn and(&mut self, x: Form, mask: u8) -> Form {
        self.sum(&[(IDENTITY & (EVERY_BYTE * Map::from(mask)), x)])
    }

    pub fn sub_byte(&mut self, x: Form) -> Form {
        match (self.known(x), self.only_atom(x)) {
            (Some(x), _) => self.constant(SUB_BYTES[usize::from(x)]),
            (_, Some(&Atom::InvSubBytes(x))) => x,
            _ => self.atom(Atom::SubBytes(x)),
        }
    }

    pub fn inv_sub_byte(&mut self, x: Form) -> Form {
        match (self.known(x), self.only_atom(x)) {
            (Some(x), _) => {
                self.constant(SUB_BYTES.iter().position(|image| *image == x).expect("a permutation") as u8)
            }
            (_, Some(&Atom::SubBytes(x))) => x,
            _ => self.atom(Atom::InvSubBytes(x)),
        }
    }

    /// Multiplies columns by a matrix whose first row this is, and whose others are that row rotated.
    pub fn mix_columns(&mut self, row: [u8; 4], columns: &[Form]) -> Vec<Form> {
        let row = row.map(|factor| map(|bit| multiply(factor, bit)));
        let place = |i: usize, j: usize| columns[i / 4 * 4 + (i + j) % 4];
        (0..columns.len())
            .map(|i| self.sum(&std::array::from_fn::<_, 4, _>(|j| (row[j], place(i, j)))))
            .collect()
    }

    /// Where each bit is zero in one of the bytes, the result has the other's.
    pub fn or(&mut self, a: Form, b: Form) -> Form {
        if a == b {
            return a;
        }
        // The bits that may be other than zero.
        let bits = |x: Form| {
            let Affine { constant, terms } = &self.forms[x as usize];
            let images = terms.iter().flat_map(|(_, map)| map.to_le_bytes());
            images.fold(*constant, |bits, image| bits | image)
        };
        match bits(a) & bits(b) == 0 {
            true => self.xor(a, b),
            false => self.atom(Atom::Or(a, b)),
        }
    }

    /// Returns a byte of which each bit in the mask is the most significant bit of another.
    pub fn spread(&mut self, of: Form, mask: u8) -> Form {
        self.sum(&[(Map::from(mask) << 56, of)])
    }

    /// Rotates a number, the least significant byte first.
    pub fn rotate_right(&mut self, number: &[Form], by: u32) -> Vec<Form> {
        let (bytes, bits) = (by as usize / 8, by % 8);
        let byte = |i: usize| number[(i + bytes) % number.len()];
        let upper = map(|bit| bit >> bits);
        let lower = map(|bit| (u16::from(bit) << (8 - bits)) as u8);
        (0..number.len()).map(|i| self.sum(&[(upper, byte(i)), (lower, byte(i + 1))])).collect()
    }

    pub fn masked(&mut self, number: &[Form], mask: u64) -> Vec<Form> {
        number.iter().zip(mask.to_le_bytes()).map(|(&byte, mask)| self.and(byte, mask)).collect()
    }

    /// Exchanges bit i of byte j and bit j of byte i.
    fn transposed(&mut self, bytes: [Form; 8]) -> [Form; 8] {
        std::array::from_fn(|i| self.sum(&std::array::from_fn::<_, 8, _>(|j| (1 << (8 * i + j), bytes[j]))))
    }

    /// Returns SubBytes without its constant, or its inverse, of bytes of which each of these has a bit.
    fn sliced(&mut self, slices: [Form; 8], inverse: bool) -> [Form; 8] {
        if let Some(&known) = self.sliced.get(&(slices, inverse)) {
            return known;
        }
        let omitted = self.constant(SUB_BYTES[0]);
        let substituted = self.transposed(slices).map(|x| {
            if inverse {
                let x = self.xor(x, omitted);
                return self.inv_sub_byte(x);
            }
            let y = self.sub_byte(x);
            self.xor(y, omitted)
        });
        let result = self.transposed(substituted);
        self.sliced.insert((slices, inverse), result);
        result
    }

    /// Adds a constant to a number of as many bytes, the least significant first. The sum wraps.
    pub fn add(&mut self, number: &[Form], mut constant: u128) -> Vec<Form> {
        let mut sum = Vec::with_capacity(number.len());
        for (i, &byte) in number.iter().enumerate() {
            if constant.to_le_bytes()[0] == 0 {
                sum.push(byte);
            } else if let Some(known) = self.known(byte) {
                constant = constant.wrapping_add(known.into());
                sum.push(self.constant(constant as u8));
            } else {
                sum.extend(self.add_to_unknown(&number[i..], constant));
                break;
            }
            constant >>= 8;
        }
        sum
    }

    /// As [`add`](Self::add), where neither a carry nor a zero byte is the beginning.
    fn add_to_unknown(&mut self, number: &[Form], constant: u128) -> Vec<Form> {
        // Upper bytes of a sum with another constant, or such a sum in the upper bytes.
        if let Some(Atom::Sum(base, before)) = number.last().and_then(|&byte| self.only_atom(byte)).cloned() {
            let sum = self.add(&base, before);
            if number.ends_with(&sum) {
                let at = number.len() - base.len();
                let number = [&number[..at], &base].concat();
                return self.add(&number, constant.wrapping_add(before << (8 * at)));
            } else if sum.ends_with(number) {
                let at = base.len() - number.len();
                let sum = self.add(&base, before.wrapping_add(constant << (8 * at)));
                return sum[at..].to_vec();
            }
        }
        // Known bytes are part of the constant.
        let (mut number, mut constant) = (number.to_vec(), constant);
        for (i, byte) in number.iter_mut().enumerate() {
            if let Some(known) = self.known(*byte) {
                constant = constant.wrapping_add(u128::from(known) << (8 * i));
                *byte = self.constant(0);
            }
        }
        let sum = |len: usize| Atom::Sum(number[..len].to_vec(), constant & u128::MAX >> (128 - 8 * len));
        (1..=number.len()).map(|len| self.atom(sum(len))).collect()
    }

    /// Adds numbers, of which one must be a constant.
    pub fn add_either(&mut self, a: &[Form], b: &[Form]) -> Vec<Form> {
        let number = |bytes: &[Form]| {
            bytes.iter().rev().try_fold(0, |sum, &byte| Some(sum << 8 | u128::from(self.known(byte)?)))
        };
        match (number(a), number(b)) {
            (_, Some(constant)) => self.add(a, constant),
            (Some(constant), _) => self.add(b, constant),
            _ => panic!("a sum of two unknown numbers"),
        }
    }

    /// Returns what an operation computes, given its operands.
    pub fn operation(&mut self, step: Step, of: impl Fn(Node) -> Half) -> Half {
        let zero = self.constant(0);
        let bytes: Vec<Form> = match step.op {
            Op::Input(number) => (0..step.len).map(|at| self.input(number, at)).collect(),
            Op::Load(bytes) | Op::Bytes(bytes) => bytes[..step.len]
                .iter()
                .map(|byte| match *byte {
                    Byte::Known(x) => self.constant(x),
                    Byte::Of(node, at) => of(node)[usize::from(at)],
                    Byte::Flipped(node, at, constant) => {
                        let constant = self.constant(constant);
                        self.xor(of(node)[usize::from(at)], constant)
                    }
                    Byte::Topped(node, at, top) => {
                        let (rest, top) = (self.and(of(node)[usize::from(at)], 0x7f), self.constant(top));
                        self.xor(rest, top)
                    }
                    Byte::Xor(bytes) => {
                        let [a, b] = bytes.map(|(node, at)| of(node)[usize::from(at)]);
                        self.xor(a, b)
                    }
                })
                .collect(),
            Op::Xor(a, b) => of(a).into_iter().zip(of(b)).map(|(a, b)| self.xor(a, b)).collect(),
            Op::And(a, b) => of(a)
                .into_iter()
                .zip(of(b))
                .map(|(a, b)| match (self.known(a), self.known(b)) {
                    (_, Some(mask)) => self.and(a, mask),
                    (Some(mask), _) => self.and(b, mask),
                    _ => panic!("a product of two unknown bytes"),
                })
                .collect(),
            Op::Or(a, b) => of(a).into_iter().zip(of(b)).map(|(a, b)| self.or(a, b)).collect(),
            Op::RotateRight(a, by) => self.rotate_right(&of(a)[..step.len], by),
            Op::ShiftRight(a, by) => {
                let rotated = self.rotate_right(&of(a)[..step.len], by);
                self.masked(&rotated, u64::MAX >> (64 - 8 * step.len) >> by)
            }
            Op::ShiftLeft(a, by) => {
                let rotated = self.rotate_right(&of(a)[..step.len], 8 * step.len as u32 - by);
                self.masked(&rotated, u64::MAX << by)
            }
            Op::SlicedSubBytes { inputs, bit, inverse } => {
                let words = inputs.map(of);
                let sliced = |at| self.sliced(words.map(|word| word[at]), inverse)[usize::from(bit)];
                (0..step.len).map(sliced).collect()
            }
            Op::Add(a, b) => self.add_either(&of(a)[..step.len], &of(b)[..step.len]),
            Op::Add32(a, b) => {
                [0..4, 4..8].map(|word| self.add_either(&of(a)[word.clone()], &of(b)[word])).concat()
            }
            Op::SubBytes(a) => of(a).into_iter().map(|x| self.sub_byte(x)).collect(),
            Op::InvSubBytes(a) => of(a).into_iter().map(|x| self.inv_sub_byte(x)).collect(),
            Op::MixColumns(a) => self.mix_columns(MIX, &of(a)),
            Op::InvMixColumns(a) => self.mix_columns(INV_MIX, &of(a)),
            op => unreachable!("{op:?} is no operation of bytes"),
        };
        let mut half = [zero; 8];
        half[..step.len].copy_from_slice(&bytes[..step.len]);
        half
    }
}

impl Domain for Bytes {
    type Value = Half;
    const UNUSED: Half = [Form::MAX; 8];

    fn value(&mut self, step: Step, values: &[Half]) -> Half {
        self.operation(step, |node| values[node as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::Recorded;
    use super::super::record::{output, record};
    use super::*;
    use keylane_cpu::Portable;
    use keylane_cpu::lanes::{AesWords, Blocks, portable::PlainBlocks};

    impl Bytes {
        /// Returns the byte that a form is if input i is this.
        pub fn evaluate(&self, x: Form, inputs: &[u8]) -> u8 {
            let Affine { constant, terms } = &self.forms[x as usize];
            terms.iter().fold(*constant, |sum, (atom, map)| {
                let byte = match &self.atoms[*atom as usize] {
                    Atom::Input(number, at) => inputs[*number as usize + at],
                    Atom::SubBytes(x) => SUB_BYTES[usize::from(self.evaluate(*x, inputs))],
                    Atom::InvSubBytes(x) => {
                        let image = self.evaluate(*x, inputs);
                        SUB_BYTES.iter().position(|x| *x == image).expect("a permutation") as u8
                    }
                    Atom::Or(a, b) => self.evaluate(*a, inputs) | self.evaluate(*b, inputs),
                    Atom::Sum(number, constant) => {
                        let sum = self.number(number, inputs).wrapping_add(*constant);
                        (sum >> (8 * (number.len() - 1))) as u8
                    }
                };
                sum ^ apply(*map, byte)
            })
        }

        fn number(&self, number: &[Form], inputs: &[u8]) -> u128 {
            number.iter().rev().fold(0, |sum, &byte| sum << 8 | u128::from(self.evaluate(byte, inputs)))
        }

        fn inputs<const N: usize>(&mut self) -> [Form; N] {
            std::array::from_fn(|i| self.input(i as u32, 0))
        }
    }

    #[test]
    fn known_answers() {
        // FIPS 197 §4.2, §5.1.1 and §5.1.3; the column is a usual example.
        assert_eq!(multiply(0x57, 0x13), 0xfe);
        assert_eq!([0, 0x53, 0xff].map(|x| SUB_BYTES[x]), [0x63, 0xed, 0x16]);
        let bytes = &mut Bytes::default();
        let column = [0xdb, 0x13, 0x53, 0x45].map(|x| bytes.constant(x));
        let mixed = bytes.mix_columns(MIX, &column);
        assert_eq!(bytes.number(&mixed, &[]).to_le_bytes()[..4], [0x8e, 0x4d, 0xa1, 0xbc]);
    }

    #[test]
    fn equal_functions_have_one_form() {
        let bytes = &mut Bytes::default();
        let [a, b, c, d] = bytes.inputs();
        // The inverse of MixColumns, and a column of sums.
        let mixed = bytes.mix_columns(MIX, &[a, b, c, d]);
        assert_eq!(bytes.mix_columns(INV_MIX, &mixed), [a, b, c, d]);
        let (ab, ba) = (bytes.xor(a, b), bytes.xor(b, a));
        assert_eq!(ab, ba);
        assert_eq!(bytes.xor(ab, b), a);
        // The inverse of the S-box, after and before.
        let (sub, inv) = (bytes.sub_byte(ab), bytes.inv_sub_byte(ab));
        assert_eq!((bytes.inv_sub_byte(sub), bytes.sub_byte(inv)), (ab, ab));
        // Masks are linear.
        let (x, y) = (bytes.and(ab, 0x3c), bytes.and(ab, 0xc3));
        assert_eq!(bytes.xor(x, y), ab);
        let (x, y) = (bytes.and(a, 0x3c), bytes.and(b, 0x3c));
        let separately = bytes.xor(x, y);
        assert_eq!(bytes.and(ab, 0x3c), separately);
    }

    #[test]
    fn different_functions_have_different_forms() {
        let bytes = &mut Bytes::default();
        let [a, b, c, d] = bytes.inputs();
        let ab = bytes.xor(a, b);
        let (sub_a, sub_b) = (bytes.sub_byte(a), bytes.sub_byte(b));
        let (sum, zero) = (bytes.xor(sub_a, sub_b), bytes.constant(0));
        let mut forms =
            vec![a, b, c, d, ab, sub_a, sub_b, sum, zero, bytes.sub_byte(ab), bytes.inv_sub_byte(a)];
        forms.extend([bytes.and(ab, 0x7f), bytes.and(ab, 0x80), bytes.sub_byte(sub_a), bytes.constant(1)]);
        for constant in [1, 2, 0x100, 0x101, 0xffff, 0x1_0000] {
            // Each byte that differs from the number's own.
            forms.extend(bytes.add(&[a, b, c], constant).into_iter().filter(|x| ![a, b, c].contains(x)));
        }
        forms.extend(bytes.mix_columns(MIX, &[a, b, c, d]));
        let mut different = forms.clone();
        different.sort_unstable();
        different.dedup();
        // Some bytes of sums are equal: in those of 1 and 0x101, the lowest, and in those of 0xffff and ff.
        let equal = bytes.add(&[a, b, c], 1)[0] == bytes.add(&[a, b, c], 0x101)[0];
        assert!(equal);
        assert_eq!(different.len(), forms.len() - 1);
    }

    #[test]
    fn masks_and_signs() {
        let mut f = Bytes::default();
        let [x, y] = f.inputs();
        let inputs = [0xa6, 0x35];
        let upper = f.and(x, 0xf0);
        let lower = f.and(y, 0x0f);
        let (either, both) = (f.or(upper, lower), f.or(x, x));
        assert_eq!((f.evaluate(either, &inputs), both), (0xa5, x));
        let signs = [(x, 0x3c), (y, 0xff)].map(|(of, mask)| f.spread(of, mask));
        assert_eq!(signs.map(|sign| f.evaluate(sign, &inputs)), [0x3c, 0]);
    }

    /// Sums of numbers with known and unknown bytes, and of their parts, in several steps: the form does not
    /// depend on the steps, and its value is the sum.
    #[test]
    fn sums() {
        let mut random = 1_u64;
        let mut next = || {
            // Knuth's MMIX generator.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random >> 40
        };
        for _ in 0..2000 {
            let bytes = &mut Bytes::default();
            let inputs: [u8; 16] = std::array::from_fn(|_| next() as u8);
            let len = 1 + next() as usize % 16;
            let number: Vec<Form> = (0..len)
                .map(|i| match next() % 4 {
                    0 => bytes.constant([0, 0xff, next() as u8][next() as usize % 3]),
                    _ => bytes.input(i as u32, 0),
                })
                .collect();
            let (mut sum, mut total) = (number.clone(), 0_u128);
            for _ in 0..4 {
                let at = next() as usize % len;
                let constant = u128::from(next()) << (8 * (next() % 16));
                let upper = bytes.add(&sum[at..], constant);
                sum.splice(at.., upper);
                total = total.wrapping_add(constant << (8 * at));
            }
            let mask = u128::MAX >> (128 - 8 * len);
            let value = bytes.number(&number, &inputs).wrapping_add(total) & mask;
            assert_eq!(bytes.number(&sum, &inputs), value);
            assert_eq!(bytes.add(&number, total), sum, "{total:x} added to {number:?}");
        }
    }

    /// Returns what every operation that computes makes of blocks.
    fn computed<V: Blocks<N, Isa = Portable>, const N: usize>(a: [[u8; 16]; N], b: [[u8; 16]; N]) -> Vec<u8> {
        let (a, b) = (V::load(Portable, &a), V::load(Portable, &b));
        let bytes = |vector: V| {
            let mut blocks = [[0; 16]; N];
            vector.store(&mut blocks);
            blocks.as_flattened().to_vec()
        };
        [a ^ b, a.xor3(b, b), a.pin(), a.add32(b), b.add64(a), V::every(a.sum())].map(bytes).concat()
    }

    #[test]
    fn vectors_compute_as_the_model() {
        // Carries out of bytes, words and halves.
        let a: [[u8; 16]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| [0xff, 0x80, 1][(i + j) % 3]));
        let b: [[u8; 16]; 4] =
            std::array::from_fn(|i| std::array::from_fn(|j| [1, 0xff, 0x7f, 0][(i ^ j) % 4]));
        let trace = record(&|| {
            computed::<Recorded<4>, 4>(a, b).into_iter().for_each(|byte| output(byte.into(), 1));
            let kept = <Recorded<1>>::broadcast(Portable, &a[0]).keep(Recorded::broadcast(Portable, &b[0]));
            output(kept.number() as u64, 8);
        });
        let bytes = &mut Bytes::default();
        let values = bytes.values(&trace);
        let (kept, outputs) = trace.outputs.split_last().expect("an output");
        let known: Vec<u8> =
            outputs.iter().map(|&node| bytes.known(values[node as usize][0]).expect("constants")).collect();
        assert_eq!(known, computed::<PlainBlocks<4>, 4>(a, b));
        let both = u128::from_le_bytes(a[0]) & u128::from_le_bytes(b[0]);
        assert_eq!(bytes.number(&values[*kept as usize], &[]), u128::from(both as u64));
    }
}
