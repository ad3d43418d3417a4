//! Recording vectors for the traits of lanes.

#![allow(unreachable_pub, reason = "types of a trait that is public")]

use super::record::{Node, Op, Vector, load, node, stored};
use core::marker::PhantomData;
use core::ops::{Add, BitAnd, BitOr, BitXor};
use keylane_cpu::Portable;
use keylane_cpu::lanes::portable::U32s;
use keylane_cpu::lanes::{Lanes, Product52Lanes, ProductLanes, RowLanes, U32Lanes, U64Lanes};

/// N lanes of words W.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<W, const N: usize>(Vector, PhantomData<W>);

/// A word as it is in memory.
pub trait Word: Copy {
    const LEN: usize = size_of::<Self>();
    fn number(self) -> u64;
}

macro_rules! words {
    ($($W:ident $Lanes:ident $row:literal),+) => { $(
        impl Word for $W {
            fn number(self) -> u64 {
                self.into()
            }
        }

        impl<const N: usize> $Lanes<N> for Recorded<$W, N> {
            #[inline(never)]
            fn splat(_: Portable, x: $W) -> Self {
                Self::from_memory([x; N])
            }

            #[inline(never)]
            fn load(_: Portable, lanes: &[$W; N]) -> Self {
                Self::from_memory(*lanes)
            }

            #[inline(never)]
            fn store(self, lanes: &mut [$W; N]) {
                *lanes = self.nodes().map(|x| stored(x) as $W);
            }

            #[inline(never)]
            fn rotate_right<const R: u32>(self) -> Self {
                self.map(|x| Op::RotateRight(x, R))
            }

            #[inline(never)]
            fn shift_right<const R: u32>(self) -> Self {
                self.map(|x| Op::ShiftRight(x, R))
            }

            #[inline(never)]
            fn from_rows(_: Portable, rows: &[[$W; $row]; N]) -> [Self; $row] {
                core::array::from_fn(|j| Self::from_memory(rows.map(|row| row[j])))
            }

            #[inline(never)]
            fn from_rows_be(_: Portable, rows: [&[u8; 32]; N]) -> [Self; $row] {
                core::array::from_fn(|j| {
                    Self::from_memory(rows.map(|row| {
                        let bytes = &row[$W::LEN * j..];
                        $W::from_be_bytes(*bytes.first_chunk().expect("a word"))
                    }))
                })
            }

            #[inline(never)]
            fn to_rows(words: [Self; $row], rows: &mut [[$W; $row]; N]) {
                let words = words.map(Self::nodes);
                for (i, row) in rows.iter_mut().enumerate() {
                    *row = words.map(|word| stored(word[i]) as $W);
                }
            }
        }
    )+ };
}
words!(u32 U32Lanes 8, u64 U64Lanes 4);

impl<W: Word, const N: usize> From<[Node; N]> for Recorded<W, N> {
    fn from(nodes: [Node; N]) -> Self {
        Self(Vector::of(&nodes), PhantomData)
    }
}

impl<W: Word, const N: usize> Recorded<W, N> {
    pub(crate) fn nodes(self) -> [Node; N] {
        self.0.nodes(0)
    }

    #[inline(never)]
    fn from_memory(lanes: [W; N]) -> Self {
        lanes.map(|x| load(x.number(), W::LEN)).into()
    }

    #[inline(never)]
    pub(crate) fn map(self, op: impl Fn(Node) -> Op) -> Self {
        Self(self.0.map(N, W::LEN, &op), PhantomData)
    }

    #[inline(never)]
    fn zip(self, other: Self, op: impl Fn(Node, Node) -> Op) -> Self {
        Self(self.0.zip(other.0, N, W::LEN, &op), PhantomData)
    }
}

macro_rules! operators {
    ($($Trait:ident $name:ident),+) => { $(
        impl<W: Word, const N: usize> $Trait for Recorded<W, N> {
            type Output = Self;

            fn $name(self, other: Self) -> Self {
                self.zip(other, operators!(@ $Trait))
            }
        }
    )+ };
    (@ Add) => { Op::Add };
    (@ BitXor) => { Op::Xor };
    (@ BitAnd) => { Op::And };
    (@ BitOr) => { Op::Or };
}
operators!(Add add, BitXor bitxor, BitAnd bitand, BitOr bitor);

impl<W: Word, const N: usize> Lanes for Recorded<W, N> {
    type Isa = Portable;
}

/// What moves words is done by the model.
impl<const N: usize, const B: usize> RowLanes<N, B> for Recorded<u32, N> {
    #[inline(never)]
    fn every(isa: Portable, row: [u32; 4]) -> Self {
        Self::from_memory(<U32s<N> as RowLanes<N, B>>::every(isa, row).0)
    }

    #[inline(never)]
    fn load_bytes(isa: Portable, bytes: &[[u8; 16]; B]) -> Self {
        Self::from_memory(U32s::load_bytes(isa, bytes).0)
    }

    #[inline(never)]
    fn store_bytes(self, bytes: &mut [[u8; 16]; B]) {
        U32s(self.nodes().map(|x| stored(x) as u32)).store_bytes(bytes);
    }

    #[inline(never)]
    fn turn<const K: i32>(self) -> Self {
        <U32s<N> as RowLanes<N, B>>::turn::<K>(U32s(self.nodes())).0.into()
    }

    #[inline(never)]
    fn transpose(square: [Self; N]) -> [Self; N] {
        <U32s<N> as RowLanes<N, B>>::transpose(square.map(|x| U32s(x.nodes()))).map(|x| x.0.into())
    }

    #[inline(never)]
    fn states_from_rows(rows: [Self; 4]) -> [Self; 4] {
        <U32s<N> as RowLanes<N, B>>::states_from_rows(rows.map(|x| U32s(x.nodes()))).map(|x| x.0.into())
    }
}

impl<const N: usize> ProductLanes<N> for Recorded<u64, N> {
    #[inline(never)]
    fn shift_left<const L: u32>(self) -> Self {
        self.map(|x| Op::ShiftLeft(x, L))
    }

    #[inline(never)]
    fn multiply_32(self, other: Self) -> Self {
        self.zip(other, Op::Multiply32)
    }

    #[inline(never)]
    fn from_blocks(_: Portable, blocks: &[[u8; 16]; N]) -> (Self, Self) {
        let words = blocks.map(|block| {
            let number = u128::from_le_bytes(block);
            [number as u64, (number >> 64) as u64]
        });
        (Self::from_memory(words.map(|[low, _]| low)), Self::from_memory(words.map(|[_, high]| high)))
    }

    #[inline(never)]
    fn from_words(_: Portable, words: [u64; N]) -> Self {
        Self::from_memory(words)
    }

    #[inline(never)]
    fn sum(self) -> u64 {
        stored(self.nodes().into_iter().reduce(|x, y| node(Op::Add(x, y), 8)).expect("lanes"))
    }
}

impl<const N: usize> Product52Lanes<N> for Recorded<u64, N> {
    type Ifma = Portable;

    fn lanes(isa: Portable) -> Portable {
        isa
    }

    #[inline(never)]
    fn gather(isa: Portable, blocks: [&[u8; 16]; N]) -> (Self, Self) {
        Self::from_blocks(isa, &blocks.map(|block| *block))
    }

    #[inline(never)]
    fn add_low_product(self, _: Portable, a: Self, b: Self) -> Self {
        self + a.zip(b, Op::Low52)
    }

    #[inline(never)]
    fn add_high_product(self, _: Portable, a: Self, b: Self) -> Self {
        self + a.zip(b, Op::High52)
    }
}
