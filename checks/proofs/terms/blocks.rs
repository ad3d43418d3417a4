//! Recording vectors for the traits of 16-byte blocks. A block is two halves, each a node of eight bytes.

use super::record::{Byte, Node, Op, Vector, load, loaded, node, stored};
use core::ops::BitXor;
use keylane_cpu::Portable;
use keylane_cpu::lanes::{AesBlocks, AesWords, Blocks, CarrylessBlocks};

/// N blocks: the lower and the upper half of each. XOR3 says whether [`Blocks::xor3`] is one instruction.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<const N: usize, const XOR3: bool = false>(Vector);

/// Where bytes 0 to 15 of a block come from: from a byte of the block, or they are zeros.
type Moved = [Option<usize>; 16];

/// FIPS 197 §5.1.2: byte r + 4c of a state is in row r of column c, and row r moves by r columns.
fn shift_rows(inverse: bool) -> Moved {
    core::array::from_fn(|i| {
        let row = i % 4;
        Some((i + 4 * if inverse { 4 - row } else { row }) % 16)
    })
}

impl<const N: usize, const XOR3: bool> Recorded<N, XOR3> {
    fn of(halves: [[Node; 2]; N]) -> Self {
        Self(Vector::of(halves.as_flattened()))
    }

    /// Returns the nodes of both halves of each block.
    pub fn nodes(self) -> [[Node; 2]; N] {
        core::array::from_fn(|i| self.0.nodes(2 * i))
    }

    #[inline(never)]
    fn from_memory(blocks: [[u8; 16]; N]) -> Self {
        Self::of(blocks.map(|block| {
            let number = u128::from_le_bytes(block);
            [load(number as u64, 8), load((number >> 64) as u64, 8)]
        }))
    }

    #[inline(never)]
    fn map(self, op: impl Fn(Node) -> Op) -> Self {
        Self(self.0.map(2 * N, 8, &op))
    }

    #[inline(never)]
    fn zip(self, other: Self, op: impl Fn(Node, Node) -> Op) -> Self {
        Self(self.0.zip(other.0, 2 * N, 8, &op))
    }

    /// Moves bytes within each block.
    #[inline(never)]
    fn moved(self, from: &Moved) -> Self {
        Self::of(self.nodes().map(|block| {
            let byte = |i: usize| match from[i] {
                Some(from) => Byte::Of(block[from / 8], (from % 8) as u8),
                None => Byte::Known(0),
            };
            [0, 8].map(|half| node(Op::Bytes(core::array::from_fn(|i| byte(half + i))), 8))
        }))
    }

    /// Multiplies a half of each block, number `half`, by that of another.
    #[inline(never)]
    fn product(self, other: Self, half: usize) -> Self {
        let (a, b) = (self.nodes(), other.nodes());
        Self::of(core::array::from_fn(|i| {
            let (a, b) = (a[i][half], b[i][half]);
            [node(Op::CarrylessLow(a, b), 8), node(Op::CarrylessHigh(a, b), 8)]
        }))
    }

    /// Stores all blocks.
    #[inline(never)]
    fn bytes(self) -> [[u8; 16]; N] {
        self.nodes()
            .map(|[low, high]| (u128::from(stored(low)) | u128::from(stored(high)) << 64).to_le_bytes())
    }
}

impl<const N: usize, const XOR3: bool> BitXor for Recorded<N, XOR3> {
    type Output = Self;

    #[inline(never)]
    fn bitxor(self, other: Self) -> Self {
        self.zip(other, Op::Xor)
    }
}

impl<const N: usize, const XOR3: bool> Blocks<N> for Recorded<N, XOR3> {
    type Isa = Portable;
    type One = Recorded<1, XOR3>;
    const XOR3: bool = XOR3;

    #[inline(never)]
    fn zero(_: Portable) -> Self {
        Self::from_memory([[0; 16]; N])
    }

    #[inline(never)]
    fn load(_: Portable, blocks: &[[u8; 16]; N]) -> Self {
        Self::from_memory(*blocks)
    }

    #[inline(never)]
    fn store(self, blocks: &mut [[u8; 16]; N]) {
        *blocks = self.bytes();
    }

    #[inline(never)]
    fn broadcast(_: Portable, block: &[u8; 16]) -> Self {
        Self::from_memory([*block; N])
    }

    #[inline(never)]
    fn splat(_: Portable, number: u128) -> Self {
        Self::from_memory([number.to_le_bytes(); N])
    }

    #[inline(never)]
    fn number(self) -> u128 {
        u128::from_le_bytes(self.bytes()[0])
    }

    #[inline(never)]
    fn load_front(_: Portable, bytes: &[u8]) -> Self {
        let mut blocks = [[0; 16]; N];
        blocks.as_flattened_mut().iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
        Self::from_memory(blocks)
    }

    #[inline(never)]
    fn store_front(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.bytes().as_flattened()[..bytes.len()]);
    }

    #[inline(never)]
    fn keep_front(self, len: usize) -> Self {
        let blocks = self.split();
        Self::of(core::array::from_fn(|i| {
            let kept = core::array::from_fn(|byte| (16 * i + byte < len).then_some(byte));
            blocks[i].moved(&kept).nodes()[0]
        }))
    }

    #[inline(never)]
    fn every(one: Recorded<1, XOR3>) -> Self {
        Self::of([one.nodes()[0]; N])
    }

    #[inline(never)]
    fn first(one: Recorded<1, XOR3>) -> Self {
        let mut blocks = Self::zero(Portable).nodes();
        blocks[0] = one.nodes()[0];
        Self::of(blocks)
    }

    #[inline(never)]
    fn front(self) -> Recorded<1, XOR3> {
        self.split()[0]
    }

    #[inline(never)]
    fn push(self, last: Recorded<1, XOR3>) -> Self {
        let mut blocks = self.nodes();
        blocks.rotate_left(1);
        blocks[N - 1] = last.nodes()[0];
        Self::of(blocks)
    }

    #[inline(never)]
    fn split(self) -> [Recorded<1, XOR3>; N] {
        self.nodes().map(|block| Recorded::of([block]))
    }

    #[inline(never)]
    fn sum(self) -> Recorded<1, XOR3> {
        self.split().into_iter().reduce(|x, y| x ^ y).expect("blocks")
    }

    fn pin(self) -> Self {
        self
    }

    #[inline(never)]
    fn add32(self, other: Self) -> Self {
        self.zip(other, Op::Add32)
    }

    #[inline(never)]
    fn add64(self, other: Self) -> Self {
        self.zip(other, Op::Add)
    }

    #[inline(never)]
    fn reverse_bytes(self) -> Self {
        self.moved(&core::array::from_fn(|i| Some(15 - i)))
    }

    #[inline(never)]
    fn swap_halves(self) -> Self {
        Self::of(self.nodes().map(|[low, high]| [high, low]))
    }
}

/// A round is recorded as its parts (FIPS 197 §5.1 and §5.3).
impl<const N: usize, const XOR3: bool> AesBlocks<N> for Recorded<N, XOR3> {
    type Words = Recorded<1>;

    #[inline(never)]
    fn encrypt_round(self, round_key: Self) -> Self {
        self.map(Op::SubBytes).moved(&shift_rows(false)).map(Op::MixColumns) ^ round_key
    }

    #[inline(never)]
    fn encrypt_last_round(self, round_key: Self) -> Self {
        self.map(Op::SubBytes).moved(&shift_rows(false)) ^ round_key
    }

    #[inline(never)]
    fn decrypt_round(self, round_key: Self) -> Self {
        self.map(Op::InvSubBytes).moved(&shift_rows(true)).map(Op::InvMixColumns) ^ round_key
    }

    #[inline(never)]
    fn decrypt_last_round(self, round_key: Self) -> Self {
        self.map(Op::InvSubBytes).moved(&shift_rows(true)) ^ round_key
    }
}

impl<const XOR3: bool> AesWords for Recorded<1, XOR3> {
    #[inline(never)]
    fn inverse_mix_columns(self) -> Self {
        self.map(Op::InvMixColumns)
    }

    /// The order must be a constant: with others the runs' operations differ.
    #[inline(never)]
    fn shuffle_bytes(self, order: Self) -> Self {
        let order = order.nodes()[0].map(|half| loaded(half).expect("an order that is in memory"));
        let order: &[u8; 16] = order.as_flattened().first_chunk().expect("two halves");
        self.moved(&order.map(|from| match from {
            0..16 => Some(from.into()),
            0x80.. => None,
            _ => panic!("CPUs differ in what this index selects"),
        }))
    }

    #[inline(never)]
    fn shift_up<const BYTES: i32>(self) -> Self {
        self.moved(&core::array::from_fn(|i| i.checked_sub(BYTES as usize)))
    }

    #[inline(never)]
    fn keep(self, mask: Self) -> Self {
        self.zip(mask, Op::And)
    }
}

impl<const N: usize, const XOR3: bool> CarrylessBlocks<N> for Recorded<N, XOR3> {
    #[inline(never)]
    fn multiply_low(self, other: Self) -> Self {
        self.product(other, 0)
    }

    #[inline(never)]
    fn multiply_high(self, other: Self) -> Self {
        self.product(other, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::{Trace, input_bytes, output, record};
    use super::*;
    use keylane_cpu::lanes::portable::PlainBlocks;

    /// Returns what every operation makes of blocks that only moves bytes.
    fn moves<V: Blocks<N, Isa = Portable>, const N: usize>(blocks: &[u8]) -> Vec<u8> {
        let bytes = |vector: V| {
            let mut blocks = [[0; 16]; N];
            vector.store(&mut blocks);
            blocks.as_flattened().to_vec()
        };
        let vector = V::load(Portable, blocks.as_chunks().0.first_chunk().expect("N blocks"));
        let [one, last] = [vector.front(), vector.split()[N - 1]];
        let mut moved = [
            vector.reverse_bytes(),
            vector.swap_halves(),
            vector.push(one),
            V::every(last),
            V::first(last),
            V::zero(Portable),
            V::broadcast(Portable, blocks[..16].try_into().expect("a block")),
            V::splat(Portable, vector.number()),
        ]
        .map(bytes)
        .concat();
        for len in 0..=16 * N {
            moved.extend(bytes(vector.keep_front(len)));
            moved.extend(bytes(V::load_front(Portable, &blocks[..len])));
            let mut front = vec![0xff; len];
            vector.store_front(&mut front);
            moved.extend(front);
        }
        moved.extend(bytes(V::load_front(Portable, &[blocks, blocks].concat())));
        moved
    }

    /// Follows a byte to the input that it comes from. Input i stands for i + 1.
    fn origin(trace: &Trace, node: Node, at: u8) -> u8 {
        match trace.steps[node as usize].op {
            Op::Input(number) => number as u8 + 1,
            Op::Load(bytes) | Op::Bytes(bytes) => match bytes[usize::from(at)] {
                Byte::Known(byte) => byte,
                Byte::Of(node, at) => origin(trace, node, at),
                Byte::Flipped(..) | Byte::Topped(..) | Byte::Xor(_) => panic!("a byte is changed"),
            },
            op => panic!("{op:?} moves no bytes"),
        }
    }

    /// Returns where each byte of the outputs comes from.
    fn origins(kernel: impl Fn()) -> Vec<u8> {
        let trace = record(&kernel);
        trace.outputs.iter().map(|&node| origin(&trace, node, 0)).collect()
    }

    fn moves_as_the_model<const N: usize>() {
        let labels: Vec<u8> = (1..=16 * N as u8).collect();
        let kernel = || {
            let outputs = moves::<Recorded<N>, N>(&input_bytes(16 * N));
            outputs.into_iter().for_each(|byte| output(byte.into(), 1));
        };
        assert_eq!(origins(kernel), moves::<PlainBlocks<N>, N>(&labels));
    }

    #[test]
    fn bytes_move_as_in_the_model() {
        moves_as_the_model::<1>();
        moves_as_the_model::<2>();
        moves_as_the_model::<4>();
    }

    #[test]
    fn bytes_move_as_fips_197_says() {
        let kernel = |moved: fn(Recorded<1>) -> Recorded<1>| {
            origins(|| {
                let block = <Recorded<1>>::load_front(Portable, &input_bytes(16));
                moved(block).bytes()[0].into_iter().for_each(|byte| output(byte.into(), 1));
            })
        };
        // Figures 8 and 13, by columns.
        let shifted = [1, 6, 11, 16, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12];
        assert_eq!(kernel(|block| block.moved(&shift_rows(false))), shifted);
        let back: Vec<u8> = (1..=16).collect();
        assert_eq!(kernel(|block| block.moved(&shift_rows(false)).moved(&shift_rows(true))), back);
        assert_eq!(kernel(|block| block.shift_up::<4>())[..6], [0, 0, 0, 0, 1, 2]);
        const ORDER: [u8; 16] = [15, 255, 0, 0, 7, 7, 7, 7, 8, 8, 8, 8, 128, 128, 128, 128];
        let shuffled = kernel(|block| block.shuffle_bytes(Recorded::broadcast(Portable, &ORDER)));
        assert_eq!(shuffled, [[16, 0, 1, 1], [8; 4], [9; 4], [0; 4]].concat());
    }
}
