//! The machine's values: bytes that are known, or bytes of terms in normal form.

use keylane_terms::bytes::{Bytes, Form, MIX};
use keylane_terms::field::{Field, Half};
use keylane_terms::words::{Piece, Word, Words};
use std::fmt::Debug;

/// An operation on lanes of one to eight bytes, the least significant byte first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "names of operations")]
pub enum Op {
    Add,
    Sub,
    And,
    Or,
    Xor,
}

/// A shift or a rotation of a lane by a number of bits that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "names of operations")]
pub enum Shift {
    Left,
    Right,
    RotateRight,
    /// To the right, where the most significant bit comes in.
    Arithmetic,
}

/// A normal form, as bytes.
pub trait Values {
    /// A byte.
    type Byte: Copy + PartialEq + Debug;
    /// Whether general registers have terms that matter: changes of instructions on them are to be noticed.
    const OF_64_BITS: bool = false;

    /// Returns a byte that is known.
    fn constant(&mut self, x: u8) -> Self::Byte;
    /// Returns an input.
    fn input(&mut self, number: u32) -> Self::Byte;
    /// Returns the value of a byte if it is known.
    fn known(&self, byte: Self::Byte) -> Option<u8>;
    /// Computes a lane. Not all of its bytes are known.
    fn binary(&mut self, op: Op, a: &[Self::Byte], b: &[Self::Byte]) -> Vec<Self::Byte>;
    /// Shifts or rotates a lane. Not all of its bytes are known.
    fn shift(&mut self, shift: Shift, lane: &[Self::Byte], by: u32) -> Vec<Self::Byte>;
    /// Adds or subtracts with a carry that comes in, and returns the carry that goes out too, if it can be a
    /// term.
    fn sum(
        &mut self,
        _: Op,
        _: &[Self::Byte],
        _: &[Self::Byte],
        _carry: Self::Byte,
    ) -> Option<(Vec<Self::Byte>, Self::Byte)> {
        None
    }
    /// The product of eight bytes and eight bytes.
    fn multiply(&mut self, _: &[Self::Byte], _: &[Self::Byte]) -> Vec<Self::Byte> {
        panic!("a product")
    }
    /// SubBytes of AES.
    fn sub_byte(&mut self, _: Self::Byte) -> Self::Byte {
        panic!("SubBytes")
    }
    /// MixColumns of AES, of whole columns.
    fn mix_columns(&mut self, _: &[Self::Byte]) -> Vec<Self::Byte> {
        panic!("MixColumns")
    }
    /// The carry-less product of eight bytes and eight bytes.
    fn carryless(&mut self, _: &[Self::Byte], _: &[Self::Byte]) -> Vec<Self::Byte> {
        panic!("a carry-less product")
    }
}

/// Returns the word of as many bytes.
fn word(words: &mut Words, lane: &[Piece]) -> Word {
    // Bytes of one word in another order are a rotation if the order is cyclic.
    if let Piece::Of(of, first) = lane[0] {
        let rotated = |i: usize| Piece::Of(of, (i as u8 + first) % lane.len() as u8);
        if first != 0 && (0..lane.len()).all(|i| lane[i] == rotated(i)) {
            return words.rotate_right(of, 8 * u32::from(first));
        }
    }
    words.bytes(lane.to_vec())
}

fn pieces(words: &Words, x: Word) -> impl Iterator<Item = Piece> {
    (0..words.word_len()).map(move |i| words.byte(x, i))
}

/// Words of four bytes or of eight.
impl Values for Words {
    type Byte = Piece;

    fn constant(&mut self, x: u8) -> Piece {
        Piece::Known(x)
    }

    fn input(&mut self, number: u32) -> Piece {
        Piece::Of(Self::input(self, number), 0)
    }

    fn known(&self, byte: Piece) -> Option<u8> {
        if let Piece::Known(x) = byte { Some(x) } else { None }
    }

    fn binary(&mut self, op: Op, a: &[Piece], b: &[Piece]) -> Vec<Piece> {
        let carries = matches!(op, Op::Add | Op::Sub);
        let len = self.word_len();
        assert!(!carries || a.len() == len, "a sum of {} bytes of terms", a.len());
        let mut result = Vec::new();
        for (a, b) in a.chunks(len).zip(b.chunks(len)) {
            let wide = |lane: &[Piece]| [lane, &[Piece::Known(0); 7]].concat()[..len].to_vec();
            let (x, y) = (word(self, &wide(a)), word(self, &wide(b)));
            let z = match op {
                Op::Add => {
                    let sum = self.add(x, y);
                    self.first_sum(sum)
                }
                Op::And => self.and(x, y),
                Op::Or => self.or(x, y),
                Op::Xor => {
                    let sum = self.xor(x, y);
                    self.unrotated(sum)
                }
                Op::Sub => panic!("a difference of terms"),
            };
            let z = self.seal_if_long(z);
            result.extend(pieces(self, z).take(a.len()));
        }
        result
    }

    fn shift(&mut self, shift: Shift, lane: &[Piece], by: u32) -> Vec<Piece> {
        if by.is_multiple_of(8) {
            return moved(shift, lane, by as usize / 8, Piece::Known(0));
        }
        let len = self.word_len();
        if lane.len() == 2 * len {
            let [low, high] = [&lane[..4], &lane[4..]];
            let (from, to) = if shift == Shift::Left { (low, high) } else { (high, low) };
            assert!(shift != Shift::RotateRight && by < 32, "a shift of eight bytes of terms by {by} bits");
            // What leaves one half enters the other.
            let back = if shift == Shift::Left { Shift::Right } else { Shift::Left };
            let [moved, kept] = [Values::shift(self, shift, to, by), Values::shift(self, shift, from, by)];
            let entered = Values::shift(self, back, from, 32 - by);
            let entered = self.binary(Op::Or, &moved, &entered);
            return if shift == Shift::Left { [kept, entered] } else { [entered, kept] }.concat();
        }
        assert!(lane.len() == len, "a shift of {} bytes of terms by {by} bits", lane.len());
        let x = word(self, lane);
        let z = match shift {
            Shift::RotateRight => self.rotate_right(x, by),
            Shift::Right => self.shift_right(x, by),
            Shift::Left => {
                let (rotated, mask) =
                    (self.rotate_right(x, 8 * len as u32 - by), self.constant(u64::MAX << by));
                self.and(rotated, mask)
            }
            Shift::Arithmetic => panic!("a sign of terms"),
        };
        pieces(self, z).collect()
    }
}

/// Shifts or rotates whole bytes.
pub fn moved<B: Copy>(shift: Shift, lane: &[B], by: usize, zero: B) -> Vec<B> {
    let at = |i: usize| match shift {
        Shift::RotateRight => Some((i + by) % lane.len()),
        Shift::Arithmetic => panic!("a sign of terms"),
        Shift::Right => Some(i + by),
        Shift::Left => i.checked_sub(by),
    };
    (0..lane.len()).map(|i| at(i).and_then(|i| lane.get(i)).map_or(zero, |&byte| byte)).collect()
}

/// Bytes that are affine over GF(2).
impl Values for Bytes {
    type Byte = Form;

    fn constant(&mut self, x: u8) -> Form {
        Self::constant(self, x)
    }

    fn input(&mut self, number: u32) -> Form {
        Self::input(self, number, 0)
    }

    fn known(&self, byte: Form) -> Option<u8> {
        Self::known(self, byte)
    }

    fn binary(&mut self, op: Op, a: &[Form], b: &[Form]) -> Vec<Form> {
        let and_or = |bytes: &mut Self, x: Form, y: Form, identity: u8| {
            let (x, mask) = if let Some(mask) = bytes.known(y) { (x, mask) } else { (y, bytes.known(x)?) };
            match (mask, identity) {
                (0xff, 0xff) | (0, 0) => Some(x),
                (mask, 0xff) => Some(bytes.and(x, mask)),
                (mask, _) => {
                    let (kept, set) = (bytes.and(x, !mask), bytes.constant(mask));
                    Some(bytes.xor(kept, set))
                }
            }
        };
        let pairs = a.iter().zip(b);
        match op {
            Op::Xor => pairs.map(|(&x, &y)| self.xor(x, y)).collect(),
            Op::And => pairs.map(|(&x, &y)| and_or(self, x, y, 0xff).expect("a mask")).collect(),
            Op::Or => pairs.map(|(&x, &y)| and_or(self, x, y, 0).unwrap_or_else(|| self.or(x, y))).collect(),
            // Twice a number, as a compiler shifts by one bit.
            Op::Add if a == b => Values::shift(self, Shift::Left, a, 1),
            Op::Add => self.add_either(a, b),
            // A mask of all bits, so 0 or -1: a number that is even becomes odd, or stays.
            Op::Sub => {
                let mask = Values::shift(self, Shift::Arithmetic, b, 8 * b.len() as u32 - 1);
                let even = self.and(a[0], 1) == Self::constant(self, 0);
                assert!(mask == b && even, "a difference of terms");
                let one = self.and(b[0], 1);
                [&[self.xor(a[0], one)], &a[1..]].concat()
            }
        }
    }

    fn shift(&mut self, shift: Shift, lane: &[Form], by: u32) -> Vec<Form> {
        let bits = 8 * lane.len() as u32;
        let (right, kept) = match shift {
            Shift::Left => (bits - by, u64::MAX << by),
            Shift::RotateRight => (by, u64::MAX),
            Shift::Right | Shift::Arithmetic => (by, u64::MAX >> (64 - bits) >> by),
        };
        let rotated = self.rotate_right(lane, right);
        let mut shifted = self.masked(&rotated, kept);
        if shift == Shift::Arithmetic {
            for (byte, kept) in shifted.iter_mut().zip(kept.to_le_bytes()) {
                let sign = self.spread(lane[lane.len() - 1], !kept);
                *byte = self.xor(*byte, sign);
            }
        }
        shifted
    }

    fn sub_byte(&mut self, byte: Form) -> Form {
        Self::sub_byte(self, byte)
    }

    fn mix_columns(&mut self, columns: &[Form]) -> Vec<Form> {
        Self::mix_columns(self, MIX, columns)
    }
}

/// A byte of a form, or of a half of a block that is a sum of products.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// A byte.
    Byte(Form),
    /// The byte of a half in this place.
    Of(Half, usize),
}

impl Part {
    /// Returns its form.
    pub fn byte(self, field: &mut Field) -> Form {
        match self {
            Self::Byte(byte) => byte,
            Self::Of(half, at) => field.bytes_of(half)[at],
        }
    }
}

fn forms(field: &mut Field, parts: &[Part]) -> Vec<Form> {
    parts.iter().map(|part| part.byte(field)).collect()
}

/// Returns the half that eight bytes are.
fn half(field: &mut Field, lane: &[Part]) -> Half {
    match lane[0] {
        Part::Of(half, 0) if (0..8).all(|at| lane[at] == Part::Of(half, at)) => half,
        _ => {
            let bytes = forms(field, lane);
            field.half_of(bytes.try_into().expect("eight bytes"))
        }
    }
}

fn parts(field: &Field, half: Half) -> [Part; 8] {
    match field.only_bytes(half) {
        Some(bytes) => bytes.map(Part::Byte),
        None => std::array::from_fn(|at| Part::Of(half, at)),
    }
}

/// Eight bytes may have become a half of the hash key or of an element.
fn recognised(field: &mut Field, bytes: Vec<Form>) -> Vec<Part> {
    match bytes.first_chunk() {
        Some(&bytes) => {
            let half = field.half_of(bytes);
            parts(field, half).to_vec()
        }
        None => bytes.into_iter().map(Part::Byte).collect(),
    }
}

/// Bytes, and halves of blocks that are sums of products.
impl Values for Field {
    type Byte = Part;

    fn constant(&mut self, x: u8) -> Part {
        Part::Byte(self.bytes.constant(x))
    }

    fn input(&mut self, number: u32) -> Part {
        // Numbers from 2^31 on are those of products, and the texts have the first place of each number.
        Part::Byte(self.bytes.input(number & u32::MAX >> 1, 1))
    }

    fn known(&self, byte: Part) -> Option<u8> {
        if let Part::Byte(byte) = byte { self.bytes.known(byte) } else { None }
    }

    fn binary(&mut self, op: Op, a: &[Part], b: &[Part]) -> Vec<Part> {
        if op == Op::Xor && a.len() == 8 {
            let [a, b] = [a, b].map(|lane| half(self, lane));
            let sum = self.xor(a, b);
            return parts(self, sum).to_vec();
        }
        // A mask of whole bytes leaves them in their half.
        let [zeros, ones] = [0, 0xff].map(|byte| self.constant(byte));
        for (a, masks) in [(a, b), (b, a)] {
            if op == Op::And && masks.iter().all(|mask| [zeros, ones].contains(mask)) {
                let masked =
                    a.iter().zip(masks).map(|(&byte, &mask)| if mask == ones { byte } else { zeros });
                return masked.collect();
            }
        }
        let [a, b] = [a, b].map(|lane| forms(self, lane));
        let result = self.bytes.binary(op, &a, &b);
        recognised(self, result)
    }

    fn shift(&mut self, shift: Shift, lane: &[Part], by: u32) -> Vec<Part> {
        let lane = forms(self, lane);
        let result = self.bytes.shift(shift, &lane, by);
        recognised(self, result)
    }

    fn sub_byte(&mut self, part: Part) -> Part {
        let byte = part.byte(self);
        Part::Byte(self.bytes.sub_byte(byte))
    }

    fn mix_columns(&mut self, columns: &[Part]) -> Vec<Part> {
        let columns = forms(self, columns);
        self.bytes.mix_columns(MIX, &columns).into_iter().map(Part::Byte).collect()
    }

    fn carryless(&mut self, a: &[Part], b: &[Part]) -> Vec<Part> {
        let [a, b] = [a, b].map(|lane| half(self, lane));
        self.product(a, b).map(|half| parts(self, half)).concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(bytes: &Bytes, lane: &[Form]) -> u64 {
        lane.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(bytes.known(byte).expect("a constant")))
    }

    /// The rules of bytes are affine, so constants show what they compute.
    #[test]
    fn rules_of_bytes_compute_as_numbers() {
        let bytes = &mut Bytes::default();
        let mut x = 0x9e37_79b9_7f4a_7c15_u64;
        for (len, by) in (0..400).map(|i| ([1, 2, 4, 8][i % 4], i as u32 / 4)) {
            let (bits, ones) = (8 * len as u32, u64::MAX >> (64 - 8 * len));
            let by = 1 + by % (bits - 1);
            x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).rotate_left(9);
            let n = x & ones;
            let signed = (n << (64 - bits)) as i64 >> (64 - bits);
            let lane = |bytes: &mut Bytes, n: u64| -> Vec<Form> {
                n.to_le_bytes()[..len].iter().map(|&byte| bytes.constant(byte)).collect()
            };
            let number = lane(bytes, n);
            for (shift, expected) in [
                (Shift::Left, n << by),
                (Shift::Right, n >> by),
                (Shift::RotateRight, n >> by | n << (bits - by)),
                (Shift::Arithmetic, (signed >> by) as u64),
            ] {
                let shifted = Values::shift(bytes, shift, &number, by);
                assert_eq!(known(bytes, &shifted), expected & ones, "{n:#x}, {len} bytes, {shift:?} {by}");
            }
            let (even, mask) = (n & !1, if by % 2 == 0 { ones } else { 0 });
            let [even_lane, mask_lane] = [even, mask].map(|n| lane(bytes, n));
            let less = bytes.binary(Op::Sub, &even_lane, &mask_lane);
            assert_eq!(known(bytes, &less), even.wrapping_sub(mask) & ones);
            let twice = bytes.binary(Op::Add, &number, &number);
            assert_eq!(known(bytes, &twice), n << 1 & ones);
        }
    }
}
