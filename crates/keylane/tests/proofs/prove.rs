//! A proof: a kernel's outputs are the standard's terms, and those of the kernel with a fault are not.

use super::record::{Byte, Node, Op, Trace, record};
use super::words::{Word, Words};

/// Proves that a kernel over words of `len` bytes computes what the standard says, for all inputs.
pub(crate) fn prove(len: usize, kernel: impl Fn(), standard: impl FnOnce(&mut Words) -> Vec<Word>) {
    prove_and_plant(len, &[Fault::Rotation, Fault::Carry, Fault::Operand], kernel, standard);
}

/// As [`prove`], without faults: for one more length, say, of a kernel whose proof has them.
pub(crate) fn prove_again(len: usize, kernel: impl Fn(), standard: impl FnOnce(&mut Words) -> Vec<Word>) {
    prove_and_plant(len, &[], kernel, standard);
}

/// As [`prove`], with other faults.
pub(crate) fn prove_and_plant(
    len: usize,
    faults: &[Fault],
    kernel: impl Fn(),
    standard: impl FnOnce(&mut Words) -> Vec<Word>,
) {
    let trace = record(kernel);
    let mut words = Words::new(len);
    let expected = standard(&mut words);
    let values = words.values(&trace);
    let outputs =
        |values: &[Word]| -> Vec<Word> { trace.outputs.iter().map(|&node| values[node as usize]).collect() };
    assert!(outputs(&values) == expected, "not what the standard says");
    for fault in faults {
        let faulty = fault.planted(&trace, &mut words, &values);
        let values = words.values(&faulty);
        assert!(outputs(&values) != expected, "the proof does not notice the fault {fault:?}");
    }
}

/// What a vector could do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Rotates by another number of bits.
    Rotation,
    /// Adds without carries.
    Carry,
    /// Takes an operand from another lane, or from before.
    Operand,
    /// Exchanges two bytes.
    Byte,
    /// Forgets a constant that is added to a byte.
    Constant,
}

impl Fault {
    /// Returns the trace of vectors that have this fault in one operation, about the middle of those whose
    /// result it changes.
    fn planted(self, trace: &Trace, words: &mut Words, values: &[Word]) -> Trace {
        let with_fault = |op: Op| match (self, op) {
            (Self::Rotation, Op::RotateRight(x, by)) => Some(Op::RotateRight(x, by + 1)),
            (Self::Carry, Op::Add(x, y)) => Some(Op::Xor(x, y)),
            (Self::Operand, Op::Add(x, y) | Op::Call(x, y)) => {
                let other = |z: &Node| ![Word::MAX, values[y as usize]].contains(&values[*z as usize]);
                let z = (0..y).rev().find(other)?;
                Some(if let Op::Add(..) = op { Op::Add(x, z) } else { Op::Call(x, z) })
            }
            (Self::Byte, Op::Load([a, b, rest @ ..])) => {
                let [c, d, e, f, g, h] = rest;
                Some(Op::Load([b, a, c, d, e, f, g, h]))
            }
            (Self::Constant, Op::Load(bytes)) => Some(Op::Load(bytes.map(|byte| match byte {
                Byte::Flipped(node, at, _) => Byte::Of(node, at),
                byte => byte,
            }))),
            _ => None,
        };
        let candidates: Vec<(Node, Op)> = trace
            .live()
            .into_iter()
            .filter_map(|node| Some((node, with_fault(trace.steps[node as usize].op)?)))
            .collect();
        let changes = |&&(node, op): &&(Node, Op)| words.value(op, values) != values[node as usize];
        let (before, after) = candidates.split_at(candidates.len() / 2);
        let (node, op) = after.iter().chain(before).find(changes).expect("an operation");
        let mut faulty = trace.clone();
        faulty.steps[*node as usize].op = *op;
        faulty
    }
}
