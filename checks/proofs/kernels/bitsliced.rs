//! Bitsliced AES over recorded words. Everything except the S-box is linear. The S-box is a circuit on the
//! bits in one place of eight words: wherever a kernel's record contains the circuit's record, it is replaced
//! by the S-box. The circuit is compared with the S-box for all bytes.

use super::bytes::SUB_BYTES;
use super::prove::{Domain, Fault, prove_trace};
use super::record::{Byte, Node, Op, Trace, input, node, output, record};
use super::symbols::{Memory, Symbol};
use crate::aes::portable::sbox::{CONSTANT, invert_sub_bytes, sub_bytes};
use crate::aes::portable::{self, Word};
use crate::aes::{self, KeyBytes, RoundKeys};
use crate::aes_ctr;
use crate::backend::Shape;
use core::marker::PhantomData;
use core::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};
use keylane_cpu::Portable;
use keylane_cpu::wipe::Wipe;

/// A word of bitsliced AES that records.
pub(crate) type Recording = Symbol<u64>;

macro_rules! words {
    ($($W:ident $blocks:literal),+) => { $(
        words!(@operator $W, BitOr bitor Or Self, |other| other.node());
        words!(@operator $W, Shl shl ShiftLeft usize, |bits| bits as u32);
        words!(@operator $W, Shr shr ShiftRight usize, |bits| bits as u32);

        impl Word for Symbol<$W> {
            const ZERO: Self = Self::Known(0);
            const BLOCKS: usize = $blocks;

            fn new(number: u128) -> Self {
                (number as $W).into()
            }

            fn number(self) -> u128 {
                $W::from(self).into()
            }

            #[inline(never)]
            fn rotate_right(self, bits: u32) -> Self {
                if bits == 0 { self } else { Self::Node(node(Op::RotateRight(self.node(), bits), size_of::<$W>())) }
            }
        }
    )+ };
    (@operator $W:ident, $Trait:ident $name:ident $Op:ident $Other:ty, |$other:ident| $operand:expr) => {
        impl $Trait<$Other> for Symbol<$W> {
            type Output = Self;

            #[inline(never)]
            fn $name(self, $other: $Other) -> Self {
                Self::Node(node(Op::$Op(self.node(), $operand), size_of::<$W>()))
            }
        }
    };
}
words!(u64 4, u32 2);

/// 128 bits that record, as two halves: eight blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide([Recording; 2]);

macro_rules! wide {
    ($($Trait:ident $name:ident $Other:ty, |$other:ident, $i:ident| $operand:expr);+) => { $(
        impl $Trait<$Other> for Wide {
            type Output = Self;

            fn $name(self, $other: $Other) -> Self {
                Self(std::array::from_fn(|$i| self.0[$i].$name($operand)))
            }
        }
    )+ };
}
wide! {
    BitXor bitxor Self, |other, i| other.0[i];
    BitAnd bitand Self, |other, i| other.0[i];
    BitOr bitor Self, |other, i| other.0[i];
    Shl shl usize, |bits, _i| bits;
    Shr shr usize, |bits, _i| bits
}

impl Not for Wide {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0.map(Not::not))
    }
}

impl Wipe for Wide {
    fn set_zero(&mut self) {
        *self = Self::ZERO;
    }
}

impl Word for Wide {
    const ZERO: Self = Self([Recording::ZERO; 2]);
    const BLOCKS: usize = 8;

    fn new(number: u128) -> Self {
        Self([number, number >> 64].map(Recording::new))
    }

    fn number(self) -> u128 {
        self.0[0].number() | self.0[1].number() << 64
    }

    fn rotate_right(self, _: u32) -> Self {
        unreachable!("eight blocks")
    }

    fn shuffle(self, order: &[u8; 16]) -> Self {
        let halves = self.0.map(Memory::node);
        let byte = |from: u8| Byte::Of(halves[usize::from(from / 8)], from % 8);
        let half = |i: usize| node(Op::Bytes(std::array::from_fn(|j| byte(order[8 * i + j]))), 8);
        Self([half(0), half(1)].map(Recording::of))
    }

    fn spread(self, bit: usize) -> Self {
        let one = self >> bit & Self::new(u128::MAX / 255);
        [1, 2, 4].into_iter().fold(one, |bits, more| bits | bits << more)
    }

    fn turn(self, rows: u32, columns: u32) -> Self {
        let from = |i: u8| 4 * ((i / 4 + rows as u8) % 4) + (i + columns as u8) % 4;
        self.shuffle(&std::array::from_fn(|i| from(i as u8)))
    }
}

/// The kernels of [`Portable`], with recording words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bitsliced<W>(PhantomData<fn() -> W>);

impl<W: Word + 'static> Shape for Bitsliced<W> {
    type Isa = Portable;
    const KERNEL: &'static Self = &Self(PhantomData);
}

impl<W: Word + 'static> aes::Kernel for Bitsliced<W> {
    fn expand(&self, key: KeyBytes<'_>) -> RoundKeys {
        let mut keys = RoundKeys::EMPTY;
        portable::expand::<W>(key, &mut keys);
        keys
    }

    fn encrypt_blocks(&self, keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
        portable::encrypt_blocks::<W>(keys, blocks);
    }

    fn decrypt_blocks(&self, keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
        portable::decrypt_blocks::<W>(keys, blocks);
    }
}

impl<W: Word + 'static> aes_ctr::Kernel for Bitsliced<W> {
    fn xor_keystream(&self, aes_ctr::Part { keys, order, counter, text, last }: &mut aes_ctr::Part<'_>) {
        match W::BLOCKS {
            8 => portable::xor_keystream::<W, 8>(keys, *order, *counter, text, last),
            _ => portable::xor_keystream::<W, 4>(keys, *order, *counter, text, last),
        }
    }
}

/// The record of a circuit of XORs and ANDs. Operands 0 to 7 are the inputs, and those that follow are the
/// results.
struct Circuit {
    steps: Vec<Op>,
    outputs: [usize; 8],
}

impl Circuit {
    fn of(circuit: fn(&mut [Recording; 8])) -> Self {
        let trace = record(&|| {
            let mut state = [(); 8].map(|()| Recording::from(input(8)));
            circuit(&mut state);
            state.into_iter().for_each(|word| output(word.into(), 8));
        });
        let whole = |node: Node| match trace.steps[node as usize].op {
            Op::Load([Byte::Of(word, 0), ..]) => word,
            op => panic!("{op:?} loads no word"),
        };
        let is_load = |op: &Op| matches!(op, Op::Input(_) | Op::Load(_));
        let ops: Vec<Op> = trace.steps.iter().map(|step| step.op).filter(|op| !is_load(op)).collect();
        // Each input is a node, and is then loaded.
        let number = |node: Node| if node < 16 { node / 2 } else { node - 8 };
        let steps: Vec<Op> = ops
            .into_iter()
            .map(|op| match op {
                Op::Xor(a, b) => Op::Xor(number(a), number(b)),
                Op::And(a, b) => Op::And(number(a), number(b)),
                op => panic!("{op:?} may join bits of different places"),
            })
            .collect();
        let outputs = std::array::from_fn(|bit| number(whole(trace.outputs[bit])) as usize);
        Self { steps, outputs }
    }

    /// Computes the circuit in one place.
    fn byte(&self, x: u8) -> u8 {
        let mut bits: Vec<u8> = (0..8).map(|bit| x >> bit & 1).collect();
        for step in &self.steps {
            bits.push(match *step {
                Op::Xor(a, b) => bits[a as usize] ^ bits[b as usize],
                Op::And(a, b) => bits[a as usize] & bits[b as usize],
                _ => unreachable!(),
            });
        }
        self.outputs.iter().enumerate().fold(0, |y, (bit, &place)| y | bits[place] << bit)
    }

    /// Returns the inputs of the circuit, if the trace has it in each `stride`-th node from node `at` on.
    fn inputs(&self, trace: &Trace, at: usize, stride: usize) -> Option<[Node; 8]> {
        let mut inputs = [None; 8];
        for (i, step) in self.steps.iter().enumerate() {
            let ((Op::Xor(a, b), Op::Xor(c, d)) | (Op::And(a, b), Op::And(c, d))) =
                (*step, trace.steps.get(at + stride * i)?.op)
            else {
                return None;
            };
            for (operand, node) in [(a as usize, c), (b as usize, d)] {
                let expected = match operand {
                    0..8 => *inputs[operand].get_or_insert(node),
                    result => (at + stride * (result - 8)) as Node,
                };
                if expected != node || (operand < 8) != ((node as usize) < at) {
                    return None;
                }
            }
        }
        let inputs: Option<Vec<Node>> = inputs.into_iter().collect();
        inputs?.try_into().ok()
    }
}

/// Does `prove_in` of the module `prove` with the S-box in the place of its circuit.
pub(crate) fn prove_in<D: Domain>(
    domain: &mut D,
    faults: &[Fault],
    kernel: impl Fn(),
    standard: impl FnOnce(&mut D) -> Vec<D::Value>,
) {
    prove_trace(domain, faults, &with_s_boxes(record(&kernel)), standard);
}

/// Replaces each record of an S-box's circuit by the S-box.
fn with_s_boxes(mut trace: Trace) -> Trace {
    let circuits = [(Circuit::of(invert_sub_bytes), true), (Circuit::of(sub_bytes), false)];
    // The halves of 128 bits are in turns.
    let circuits =
        circuits.iter().flat_map(|(circuit, inverse)| [(circuit, *inverse, 1), (circuit, *inverse, 2)]);
    let mut at = 0;
    while at < trace.steps.len() {
        let found = circuits.clone().find_map(|(circuit, inverse, stride)| {
            Some((circuit, inverse, stride, circuit.inputs(&trace, at, stride)?))
        });
        let Some((circuit, inverse, stride, inputs)) = found else {
            at += 1;
            continue;
        };
        for (bit, place) in circuit.outputs.into_iter().enumerate() {
            trace.steps[at + stride * (place - 8)].op =
                Op::SlicedSubBytes { inputs, bit: bit as u8, inverse };
        }
        at += if stride == 1 { circuit.steps.len() } else { 1 };
    }
    trace
}

/// The circuits omit the constant of SubBytes, which is added to the round keys.
#[test]
fn the_circuits_are_the_s_box() {
    let constant = CONSTANT.iter().fold(0, |sum, bit| sum | 1 << bit);
    assert_eq!(constant, 0x63);
    let (circuit, inverse) = (Circuit::of(sub_bytes), Circuit::of(invert_sub_bytes));
    for x in 0..=255 {
        let y = SUB_BYTES[usize::from(x)] ^ constant;
        assert_eq!((circuit.byte(x), inverse.byte(y)), (y, x));
    }
}
