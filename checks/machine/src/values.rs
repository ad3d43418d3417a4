//! What the machine computes with: bytes that are known, or of terms in a normal form.

use keylane_terms::bytes::{Bytes, Form, MIX};
use keylane_terms::words::{Piece, Word, Words};
use std::fmt::Debug;

/// An operation on lanes of one to eight bytes, the least significant byte first.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Add,
    Sub,
    And,
    Or,
    Xor,
}

/// A shift or a rotation of a lane by a number of bits that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shift {
    Left,
    Right,
    RotateRight,
}

/// A normal form, as bytes.
pub trait Values {
    /// A byte.
    type Byte: Copy + PartialEq + Debug;

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
    /// SubBytes of AES.
    fn sub_byte(&mut self, byte: Self::Byte) -> Self::Byte;
    /// MixColumns of AES, of whole columns.
    fn mix_columns(&mut self, columns: &[Self::Byte]) -> Vec<Self::Byte>;
}

/// Returns the word of four bytes.
fn word(words: &mut Words, lane: &[Piece]) -> Word {
    // Bytes of one word in another order are a rotation if the order is cyclic.
    if let Piece::Of(of, first) = lane[0] {
        let rotated = |i: usize| Piece::Of(of, (i as u8 + first) % 4);
        if first != 0 && (0..4).all(|i| lane[i] == rotated(i)) {
            return words.rotate_right(of, 8 * u32::from(first));
        }
    }
    words.bytes(lane.to_vec())
}

fn pieces(words: &Words, x: Word) -> impl Iterator<Item = Piece> {
    (0..4).map(move |i| words.byte(x, i))
}

/// Words of four bytes.
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
        assert!(!carries || a.len() == 4, "a sum of {} bytes of terms", a.len());
        let mut result = Vec::new();
        for (a, b) in a.chunks(4).zip(b.chunks(4)) {
            let wide = |lane: &[Piece]| [lane, &[Piece::Known(0); 3]].concat()[..4].to_vec();
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
        if lane.len() == 8 {
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
        assert!(lane.len() == 4, "a shift of {} bytes of terms by {by} bits", lane.len());
        let x = word(self, lane);
        let z = match shift {
            Shift::RotateRight => self.rotate_right(x, by),
            Shift::Right => self.shift_right(x, by),
            Shift::Left => {
                let (rotated, mask) = (self.rotate_right(x, 32 - by), self.constant(u64::MAX << by));
                self.and(rotated, mask)
            }
        };
        pieces(self, z).collect()
    }

    fn sub_byte(&mut self, _: Piece) -> Piece {
        panic!("AES over words")
    }

    fn mix_columns(&mut self, _: &[Piece]) -> Vec<Piece> {
        panic!("AES over words")
    }
}

/// Shifts or rotates whole bytes.
pub(crate) fn moved<B: Copy>(shift: Shift, lane: &[B], by: usize, zero: B) -> Vec<B> {
    let at = |i: usize| match shift {
        Shift::RotateRight => Some((i + by) % lane.len()),
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
            Op::Or => pairs.map(|(&x, &y)| and_or(self, x, y, 0).expect("a constant")).collect(),
            Op::Add | Op::Sub => panic!("a sum of terms"),
        }
    }

    fn shift(&mut self, shift: Shift, lane: &[Form], by: u32) -> Vec<Form> {
        assert!(by.is_multiple_of(8), "a shift of a term by {by} bits");
        let zero = Self::constant(self, 0);
        moved(shift, lane, by as usize / 8, zero)
    }

    fn sub_byte(&mut self, byte: Form) -> Form {
        Self::sub_byte(self, byte)
    }

    fn mix_columns(&mut self, columns: &[Form]) -> Vec<Form> {
        Self::mix_columns(self, MIX, columns)
    }
}
