//! Records what a kernel computes, with vectors that compute nothing.
//!
//! A recording vector holds numbers of *nodes* in place of words, and every operation adds a node to the
//! trace. So the trace is what the kernel computes, for all inputs.
//!
//! Between operations, words pass through memory, which has numbers. There, each byte of a node has a random
//! *name* of [`RUNS`] bytes. The kernel runs as many times, and each run sees another byte of the name. When
//! it loads a byte, the values of all runs say what the byte is: if they are equal, it is a constant; if they
//! are a name, it is that byte of that node; if they are the XOR of a name and a constant, as HMAC pads its
//! key, or of two names, one of them of an input, as texts are encrypted in memory, it is the XOR of those
//! bytes. Any other value was computed outside of the vectors, and there is no proof.
//!
//! A proof holds if each output is found to be what the standard says. A byte that is something else has the
//! one name, or the one XOR of names, that the proof needs with a probability of 2^-62: for that it does not
//! matter how many names there are. Code that moves a byte or XORs it is seen with eight values of the byte;
//! that [`InOut::xor`] is right for all of them is a test below.
//!
//! [`InOut::xor`]: keylane_cpu::in_out::InOut::xor

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

/// The number of a node.
pub type Node = u32;

/// How many times a kernel runs: the length of a name. 2^-62 is the probability that a value which is not a
/// name looks like a given one.
const RUNS: usize = 8;

/// What a node is. All operations are on words of [`Step::len`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A part of the kernel's input, which are numbered in the order of their making.
    Input(u32),
    /// Bytes that were read from memory, the least significant first. While a kernel runs, they are numbers.
    Load([Byte; 8]),
    Add(Node, Node),
    Xor(Node, Node),
    And(Node, Node),
    Or(Node, Node),
    RotateRight(Node, u32),
    ShiftRight(Node, u32),
    ShiftLeft(Node, u32),
    /// The product of the lower 32 bits of both.
    Multiply32(Node, Node),
    /// The lower 52 bits of the product of the lower 52 bits of both, and the upper 52.
    Low52(Node, Node),
    High52(Node, Node),
    /// Bytes of other nodes, as [`Load`](Self::Load), that did not pass through memory.
    Bytes([Byte; 8]),
    /// Adds both words of 32 bits.
    Add32(Node, Node),
    /// The lower and the upper 64 bits of the product of two polynomials over GF(2).
    CarrylessLow(Node, Node),
    CarrylessHigh(Node, Node),
    /// The parts of AES's rounds (FIPS 197 §5.1 and §5.3) on two columns.
    SubBytes(Node),
    MixColumns(Node),
    InvSubBytes(Node),
    InvMixColumns(Node),
    /// A bit of SubBytes without its constant, or of its inverse, of bytes of which each word has a bit.
    SlicedSubBytes {
        inputs: [Node; 8],
        bit: u8,
        inverse: bool,
    },
    /// A function of which nothing is known.
    Call(Node, Node),
}

/// A byte in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Byte {
    Known(u8),
    /// A byte of a node, 0 the least significant.
    Of(Node, u8),
    /// The XOR of such a byte and a constant.
    Flipped(Node, u8, u8),
    /// Such a byte whose top bit is replaced: by 0 or by 0x80.
    Topped(Node, u8, u8),
    /// The XOR of two bytes of nodes.
    Xor([(Node, u8); 2]),
}

/// A node, and its length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub op: Op,
    pub len: usize,
}

/// What a kernel computes. An operand comes before the operation.
#[derive(Clone)]
pub struct Trace {
    pub steps: Vec<Step>,
    pub outputs: Vec<Node>,
    /// The nodes that were in memory.
    pub stored: BTreeSet<Node>,
}

impl Op {
    /// Returns the nodes that the operation depends on.
    pub fn operands(self) -> impl Iterator<Item = Node> {
        let operands = match self {
            Self::Input(_) => Vec::new(),
            Self::Load(bytes) | Self::Bytes(bytes) => bytes
                .into_iter()
                .flat_map(|byte| match byte {
                    Byte::Known(_) => Vec::new(),
                    Byte::Of(node, _) | Byte::Flipped(node, ..) | Byte::Topped(node, ..) => vec![node],
                    Byte::Xor([(a, _), (b, _)]) => vec![a, b],
                })
                .collect(),
            Self::Add(a, b)
            | Self::Xor(a, b)
            | Self::And(a, b)
            | Self::Or(a, b)
            | Self::Multiply32(a, b)
            | Self::Low52(a, b)
            | Self::High52(a, b)
            | Self::Add32(a, b)
            | Self::CarrylessLow(a, b)
            | Self::CarrylessHigh(a, b)
            | Self::Call(a, b) => vec![a, b],
            Self::RotateRight(a, _)
            | Self::ShiftRight(a, _)
            | Self::ShiftLeft(a, _)
            | Self::SubBytes(a)
            | Self::MixColumns(a)
            | Self::InvSubBytes(a)
            | Self::InvMixColumns(a) => vec![a],
            Self::SlicedSubBytes { inputs, .. } => inputs.to_vec(),
        };
        operands.into_iter()
    }
}

/// A run of the kernel.
#[derive(Default)]
struct Run {
    number: usize,
    inputs: u32,
    trace: Vec<Step>,
    outputs: Vec<Node>,
    /// The lanes of all vectors.
    lanes: Vec<Node>,
    /// The nodes that are in memory.
    stored: BTreeSet<Node>,
    /// What else stands for nodes in memory.
    named: Vec<(Node, u64)>,
}

thread_local!(static RUN: RefCell<Run> = RefCell::default());

/// Returns the byte's name: its value in each run. (SplitMix64's output function.) The top bits of the first
/// two values differ, so a byte whose top bit is replaced looks neither like the byte nor like its flipped
/// one.
pub fn name(node: Node, byte: usize) -> [u8; RUNS] {
    let mut x = (u64::from(node) << 8 | byte as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ x >> 31) & !0x80 | 0x8000).to_le_bytes()
}

/// Adds a node.
#[inline(never)]
pub fn node(op: Op, len: usize) -> Node {
    RUN.with_borrow_mut(|run| {
        run.trace.push(Step { op, len });
        Node::try_from(run.trace.len() - 1).expect("fewer than 2^32 nodes")
    })
}

/// A vector of nodes.
///
/// It is a number and not the nodes, since the compiler would move these, and take four times as long.
#[derive(Clone, Copy, Debug)]
pub struct Vector(u32);

impl Vector {
    #[inline(never)]
    pub fn of(nodes: &[Node]) -> Self {
        RUN.with_borrow_mut(|run| {
            run.lanes.extend(nodes);
            Self(u32::try_from(run.lanes.len() - nodes.len()).expect("fewer than 2^32 lanes"))
        })
    }

    /// Returns the N lanes from `at` on.
    #[inline(never)]
    pub fn nodes<const N: usize>(self, at: usize) -> [Node; N] {
        RUN.with_borrow(|run| *run.lanes[self.0 as usize + at..].first_chunk().expect("N lanes"))
    }

    /// Adds an operation on each of `lanes` words of `len` bytes.
    #[inline(never)]
    pub fn map(self, lanes: usize, len: usize, op: &dyn Fn(Node) -> Op) -> Self {
        self.zip(self, lanes, len, &|x, _| op(x))
    }

    /// Adds an operation on each of `lanes` words of `len` bytes, and those of another vector.
    #[inline(never)]
    pub fn zip(self, other: Self, lanes: usize, len: usize, op: &dyn Fn(Node, Node) -> Op) -> Self {
        RUN.with_borrow_mut(|run| {
            let first = run.lanes.len();
            for i in 0..lanes {
                let op = op(run.lanes[self.0 as usize + i], run.lanes[other.0 as usize + i]);
                run.trace.push(Step { op, len });
                run.lanes.push(Node::try_from(run.trace.len() - 1).expect("fewer than 2^32 nodes"));
            }
            Self(u32::try_from(first).expect("fewer than 2^32 lanes"))
        })
    }
}

/// Reads a number of `len` bytes from memory.
#[inline(never)]
pub fn load(number: u64, len: usize) -> Node {
    node(Op::Load(number.to_le_bytes().map(Byte::Known)), len)
}

/// Returns the bytes that this run has read from memory as a node, if it was.
pub fn loaded(node: Node) -> Option<[u8; 8]> {
    RUN.with_borrow(|run| match run.trace[node as usize].op {
        Op::Load(bytes) => Some(bytes.map(|byte| match byte {
            Byte::Known(value) => value,
            _ => unreachable!("runs load numbers"),
        })),
        _ => None,
    })
}

/// Returns the number that stands for a node in memory.
#[inline(never)]
pub fn stored(node: Node) -> u64 {
    RUN.with_borrow_mut(|run| {
        run.stored.insert(node);
        let mut bytes = [0; 8];
        for i in 0..run.trace[node as usize].len {
            bytes[i] = name(node, i)[run.number];
        }
        u64::from_le_bytes(bytes)
    })
}

/// Lets a number in memory stand for a node from here on: what a kernel computes of inputs in memory, outside
/// of the vectors, where another proof shows it.
pub fn name_as(node: Node, number: u64) {
    RUN.with_borrow_mut(|run| run.named.push((node, number)));
}

/// Returns the number of this run, of [`RUNS`].
pub fn run() -> usize {
    RUN.with_borrow(|run| run.number)
}

/// Returns a new input of `len` bytes.
pub fn new_input(len: usize) -> Node {
    let number = RUN.with_borrow_mut(|run| {
        run.inputs += 1;
        run.inputs - 1
    });
    node(Op::Input(number), len)
}

/// Returns a new input of `len` bytes, as it is in memory.
pub fn input(len: usize) -> u64 {
    stored(new_input(len))
}

/// Returns new inputs of one byte each.
pub fn input_bytes(len: usize) -> Vec<u8> {
    (0..len).map(|_| input(1) as u8).collect()
}

/// Declares a number of `len` bytes in memory to be an output of the kernel.
pub fn output(number: u64, len: usize) {
    let node = load(number, len);
    RUN.with_borrow_mut(|run| run.outputs.push(node));
}

/// Runs a kernel and returns what it computes.
pub fn record(kernel: &dyn Fn()) -> Trace {
    let runs: Vec<Run> = (0..RUNS)
        .map(|number| {
            RUN.set(Run { number, ..Run::default() });
            kernel();
            RUN.take()
        })
        .collect();
    let first = &runs[0];
    let mut names = Names::new(&runs);
    let mut steps = first.trace.clone();
    for (at, step) in steps.iter_mut().enumerate() {
        let others = runs.iter().map(|run| run.trace.get(at));
        let Op::Load(bytes) = &mut step.op else {
            assert!(others.eq([Some(&*step); RUNS]), "the operations depend on the input");
            continue;
        };
        let loads: Vec<[Byte; 8]> = others
            .map(|other| match other {
                Some(&Step { op: Op::Load(bytes), len }) if len == step.len => bytes,
                _ => panic!("the operations depend on the input"),
            })
            .collect();
        for i in 0..step.len {
            let values: [u8; RUNS] = std::array::from_fn(|run| match loads[run][i] {
                Byte::Known(value) => value,
                _ => unreachable!("runs load numbers"),
            });
            bytes[i] = match names.byte(values) {
                Some(byte) => byte,
                None => panic!("node {at} was computed outside of the vectors"),
            };
        }
    }
    assert!(runs.iter().all(|run| run.trace.len() == steps.len() && run.outputs == first.outputs));
    Trace { steps, outputs: first.outputs.clone(), stored: first.stored.clone() }
}

/// The bytes that were in memory, by their names.
struct Names {
    bytes: HashMap<u64, (Node, u8)>,
    /// The same without the top bits.
    topless: HashMap<u64, (Node, u8)>,
    inputs: Vec<u64>,
    /// The input after the one that was found last in an XOR: most likely the next.
    next: usize,
}

impl Names {
    fn new(runs: &[Run]) -> Self {
        let (mut bytes, mut inputs, first) = (HashMap::new(), Vec::new(), &runs[0]);
        for &node in &first.stored {
            let step = first.trace[node as usize];
            for i in 0..step.len {
                let name = u64::from_le_bytes(name(node, i));
                assert!(bytes.insert(name, (node, i as u8)).is_none(), "two bytes with one name");
                if matches!(step.op, Op::Input(_)) {
                    inputs.push(name);
                }
            }
        }
        for (i, &(node, _)) in first.named.iter().enumerate() {
            for at in 0..first.trace[node as usize].len {
                let values: [u8; RUNS] = std::array::from_fn(|run| runs[run].named[i].1.to_le_bytes()[at]);
                assert!(values != [values[0]; RUNS], "a name that looks like a constant");
                let before = bytes.insert(u64::from_le_bytes(values), (node, at as u8));
                assert!(before.is_none(), "two bytes with one name");
            }
        }
        Self { bytes, topless: HashMap::new(), inputs, next: 0 }
    }

    /// Returns the byte that has these values in the runs.
    fn byte(&mut self, values: [u8; RUNS]) -> Option<Byte> {
        let name = u64::from_le_bytes(values);
        if let Some(&(node, at)) = self.bytes.get(&name) {
            return Some(Byte::Of(node, at));
        }
        if values == [values[0]; RUNS] {
            return Some(Byte::Known(values[0]));
        }
        let flipped = (1..=u8::MAX).find_map(|constant| {
            let &(node, at) = self.bytes.get(&(name ^ u64::from_le_bytes([constant; RUNS])))?;
            Some(Byte::Flipped(node, at, constant))
        });
        if flipped.is_some() {
            return flipped;
        }
        self.topped(values).or_else(|| self.xored(name))
    }

    fn topped(&mut self, values: [u8; RUNS]) -> Option<Byte> {
        const REST: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let top = values[0] & 0x80;
        if values.iter().any(|value| value & 0x80 != top) {
            return None;
        }
        if self.topless.is_empty() {
            for (name, byte) in &self.bytes {
                assert!(self.topless.insert(name & REST, *byte).is_none(), "two bytes with one name");
            }
        }
        let &(node, at) = self.topless.get(&(u64::from_le_bytes(values) & REST))?;
        Some(Byte::Topped(node, at, top))
    }

    fn xored(&mut self, name: u64) -> Option<Byte> {
        (self.next..self.inputs.len()).chain(0..self.next).find_map(|i| {
            let other = *self.bytes.get(&(name ^ self.inputs[i]))?;
            self.next = i + 1;
            Some(Byte::Xor([self.bytes[&self.inputs[i]], other]))
        })
    }
}

impl Trace {
    /// Returns the nodes that an output depends on, in order.
    pub fn live(&self) -> Vec<Node> {
        let mut live = vec![false; self.steps.len()];
        for &node in &self.outputs {
            live[node as usize] = true;
        }
        for at in (0..self.steps.len()).rev() {
            if live[at] {
                self.steps[at].op.operands().for_each(|operand| live[operand as usize] = true);
            }
        }
        (0..self.steps.len()).filter(|&at| live[at]).map(|at| at as Node).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keylane_cpu::in_out::InOut;

    /// Returns the bytes of the one output.
    fn output_bytes(kernel: impl Fn()) -> [Byte; 8] {
        let trace = record(&kernel);
        let Op::Load(bytes) = trace.steps[trace.outputs[0] as usize].op else { panic!("a load") };
        bytes
    }

    #[test]
    fn bytes_keep_their_names_wherever_they_move() {
        let bytes = output_bytes(|| {
            let word = input(4) as u32;
            output((u64::from(word.swap_bytes()) << 16 | 0x1234) & 0xffff_ffff, 4);
        });
        // The input is node 0.
        assert_eq!(bytes[..4], [Byte::Known(0x34), Byte::Known(0x12), Byte::Of(0, 3), Byte::Of(0, 2)]);
    }

    #[test]
    fn an_input_may_be_xored_in_memory() {
        let bytes = output_bytes(|| {
            let (mut text, word) = (input_bytes(2), stored(load(0x1234, 4)) as u32);
            InOut::in_place(&mut text).xor(&word.to_le_bytes()[2..]);
            output(u16::from_le_bytes([text[1], text[0]]).into(), 2);
        });
        // The text is nodes 0 and 1, the word is node 2.
        assert_eq!(bytes[..2], [Byte::Xor([(1, 0), (2, 3)]), Byte::Xor([(0, 0), (2, 2)])]);
    }

    /// Whatever two bytes, at each place of the pieces that the XOR is made of.
    #[test]
    fn an_xor_in_memory_is_right_for_all_bytes() {
        let stream: [u8; 127] = core::array::from_fn(|i| (7 * i) as u8);
        for x in 0..=u16::MAX {
            let [a, b] = x.to_le_bytes();
            let (mut text, stream) = ([a; 127], stream.map(|y| y ^ b));
            InOut::in_place(&mut text).xor(&stream);
            assert!(text.iter().zip(stream).all(|(&text, y)| text == a ^ y));
        }
    }

    #[test]
    fn the_top_bit_of_a_byte_may_be_replaced() {
        let bytes = output_bytes(|| {
            let [a, b, c] = [(); 3].map(|()| input(1));
            output((a & 0x7f) | (b | 0x80) << 8 | (c ^ 0x80) << 16, 3);
        });
        assert_eq!(bytes[..3], [Byte::Topped(0, 0, 0), Byte::Topped(1, 0, 0x80), Byte::Flipped(2, 0, 0x80)]);
    }

    /// Whatever its name.
    #[test]
    fn a_replaced_bit_is_neither_kept_nor_flipped() {
        for top in [0, 0x80] {
            let trace = record(&|| (0..1000).for_each(|_| output(input(1) & 0x7f | top, 1)));
            for (i, &node) in trace.outputs.iter().enumerate() {
                let Op::Load(bytes) = trace.steps[node as usize].op else { panic!("a load") };
                assert_eq!(bytes[0], Byte::Topped(2 * i as Node, 0, top as u8));
            }
        }
    }

    #[test]
    #[should_panic(expected = "computed outside of the vectors")]
    fn other_bits_of_a_byte_may_not_be_replaced() {
        record(&|| output(input(1) & 0xbf, 1));
    }

    #[test]
    #[should_panic(expected = "computed outside of the vectors")]
    fn what_is_computed_of_an_xor_is_refused() {
        record(&|| output((input(1) ^ input(1) ^ input(1)) & 0xff, 1));
    }

    #[test]
    #[should_panic(expected = "computed outside of the vectors")]
    fn an_xor_of_other_values_is_refused() {
        record(&|| output(stored(load(1, 1)) ^ stored(load(2, 1)), 1));
    }

    #[test]
    #[should_panic(expected = "computed outside of the vectors")]
    fn what_is_computed_in_memory_is_refused() {
        record(&|| output(input(4).wrapping_add(1) & 0xffff_ffff, 4));
    }

    #[test]
    #[should_panic(expected = "the operations depend on the input")]
    fn operations_that_depend_on_the_input_are_refused() {
        record(&|| {
            if input(1).is_multiple_of(2) {
                output(input(1), 1);
            }
            output(0, 1);
        });
    }
}
