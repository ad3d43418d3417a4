//! Records what a kernel computes, with vectors that compute nothing.
//!
//! A recording vector holds numbers of *nodes* in place of words, and every operation adds a node to the
//! trace. So the trace is what the kernel computes, for all inputs.
//!
//! Between operations, words pass through memory, which has numbers. There, each byte of a node has a random
//! *name* of [`RUNS`] bytes. The kernel runs as many times, and each run sees another byte of the name. When
//! it loads a byte, the values of all runs say what the byte is: if they are equal, it is a constant; if they
//! are a name, it is that byte of that node; if each differs from a name by the same constant, it is the
//! exclusive or of both. Any other value was computed outside of the vectors, and there is no proof.

use std::cell::RefCell;
use std::collections::HashMap;

/// The number of a node.
pub(crate) type Node = u32;

/// How many times a kernel runs: the length of a name. 2^-56 is the probability that another value looks like
/// a given name, or like its exclusive or with some constant.
const RUNS: usize = 8;

/// What a node is. All operations are on words of [`Step::len`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
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
    /// A function of which nothing is known.
    Call(Node, Node),
}

/// A byte in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Byte {
    Known(u8),
    /// A byte of a node, 0 the least significant.
    Of(Node, u8),
    /// The exclusive or of a byte of a node and a constant.
    Flipped(Node, u8, u8),
}

/// A node, and its length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) op: Op,
    pub(crate) len: usize,
}

/// What a kernel computes. An operand comes before the operation.
#[derive(Clone)]
pub(crate) struct Trace {
    pub(crate) steps: Vec<Step>,
    pub(crate) outputs: Vec<Node>,
}

impl Op {
    /// Returns the nodes that the operation depends on.
    fn operands(self) -> impl Iterator<Item = Node> {
        let operands = match self {
            Self::Input(_) => Vec::new(),
            Self::Load(bytes) | Self::Bytes(bytes) => bytes
                .into_iter()
                .filter_map(|byte| match byte {
                    Byte::Known(_) => None,
                    Byte::Of(node, _) | Byte::Flipped(node, ..) => Some(node),
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
    /// The nodes that are in memory.
    stored: Vec<Node>,
}

thread_local!(static RUN: RefCell<Run> = RefCell::default());

/// Returns the byte's name. (SplitMix64's output function.)
fn name(node: Node, byte: usize) -> [u8; RUNS] {
    let mut x = (u64::from(node) << 8 | byte as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ x >> 31).to_le_bytes()
}

/// Returns what a constant does not change.
fn differences(bytes: [u8; RUNS]) -> [u8; RUNS] {
    bytes.map(|byte| byte ^ bytes[0])
}

/// Adds a node.
#[inline(never)]
pub(crate) fn node(op: Op, len: usize) -> Node {
    RUN.with_borrow_mut(|run| {
        run.trace.push(Step { op, len });
        Node::try_from(run.trace.len() - 1).expect("fewer than 2^32 nodes")
    })
}

/// Reads a number of `len` bytes from memory.
#[inline(never)]
pub(crate) fn load(number: u64, len: usize) -> Node {
    node(Op::Load(number.to_le_bytes().map(Byte::Known)), len)
}

/// Returns the bytes that this run has read from memory as a node, if it was.
pub(crate) fn loaded(node: Node) -> Option<[u8; 8]> {
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
pub(crate) fn stored(node: Node) -> u64 {
    RUN.with_borrow_mut(|run| {
        run.stored.push(node);
        let mut bytes = [0; 8];
        for i in 0..run.trace[node as usize].len {
            bytes[i] = name(node, i)[run.number];
        }
        u64::from_le_bytes(bytes)
    })
}

/// Returns a new input of `len` bytes, as it is in memory.
pub(crate) fn input(len: usize) -> u64 {
    let number = RUN.with_borrow_mut(|run| {
        run.inputs += 1;
        run.inputs - 1
    });
    stored(node(Op::Input(number), len))
}

/// Returns new inputs of one byte each.
pub(crate) fn input_bytes(len: usize) -> Vec<u8> {
    (0..len).map(|_| input(1) as u8).collect()
}

/// Declares a number of `len` bytes in memory to be an output of the kernel.
pub(crate) fn output(number: u64, len: usize) {
    let node = load(number, len);
    RUN.with_borrow_mut(|run| run.outputs.push(node));
}

/// Runs a kernel and returns what it computes.
pub(crate) fn record(kernel: impl Fn()) -> Trace {
    let runs: Vec<Run> = (0..RUNS)
        .map(|number| {
            RUN.set(Run { number, ..Run::default() });
            kernel();
            RUN.take()
        })
        .collect();
    let first = &runs[0];
    // By the differences of a name's bytes, which a constant does not change.
    let mut named = HashMap::new();
    for &node in &first.stored {
        for i in 0..first.trace[node as usize].len {
            let name = name(node, i);
            named.insert(differences(name), (node, i as u8, name[0]));
        }
    }
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
            bytes[i] = match named.get(&differences(values)) {
                Some(&(node, at, byte)) if byte == values[0] => Byte::Of(node, at),
                Some(&(node, at, byte)) => Byte::Flipped(node, at, byte ^ values[0]),
                None if values == [values[0]; RUNS] => Byte::Known(values[0]),
                None => panic!("node {at} was computed outside of the vectors"),
            };
        }
    }
    assert!(runs.iter().all(|run| run.trace.len() == steps.len() && run.outputs == first.outputs));
    Trace { steps, outputs: first.outputs.clone() }
}

impl Trace {
    /// Returns the nodes that an output depends on, in order.
    pub(crate) fn live(&self) -> Vec<Node> {
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

    /// Returns the bytes of the one output.
    fn output_bytes(kernel: impl Fn()) -> [Byte; 8] {
        let trace = record(kernel);
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
    #[should_panic(expected = "computed outside of the vectors")]
    fn what_is_computed_in_memory_is_refused() {
        record(|| output(input(4).wrapping_add(1) & 0xffff_ffff, 4));
    }

    #[test]
    #[should_panic(expected = "the operations depend on the input")]
    fn operations_that_depend_on_the_input_are_refused() {
        record(|| {
            if input(1).is_multiple_of(2) {
                output(input(1), 1);
            }
            output(0, 1);
        });
    }
}
