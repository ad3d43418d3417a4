//! A proof: a kernel's outputs are the standard's terms, and those of the kernel with a fault are not.

use super::record::{Byte, Node, Op, Step, Trace, record};

/// Terms in normal form: equal values are equal functions of the inputs.
pub trait Domain {
    type Value: Copy + PartialEq;
    /// In the place of a node that no output depends on.
    const UNUSED: Self::Value;

    /// Returns what an operation computes, given the values of its operands.
    fn value(&mut self, step: Step, values: &[Self::Value]) -> Self::Value;

    /// Returns the values of a trace's nodes, of those that an output depends on.
    fn values(&mut self, trace: &Trace) -> Vec<Self::Value> {
        let mut values = vec![Self::UNUSED; trace.steps.len()];
        for node in trace.live() {
            values[node as usize] = self.value(trace.steps[node as usize], &values);
        }
        values
    }
}

/// Proves that a kernel computes what the standard says, for all inputs, and that it does not with any of the
/// faults.
pub fn prove_in<D: Domain>(
    domain: &mut D,
    faults: &[Fault],
    kernel: impl Fn(),
    standard: impl FnOnce(&mut D) -> Vec<D::Value>,
) {
    prove_trace(domain, faults, &record(&kernel), standard);
}

/// Does [`prove_in`] with what a kernel has recorded.
pub fn prove_trace<D: Domain>(
    domain: &mut D,
    faults: &[Fault],
    trace: &Trace,
    standard: impl FnOnce(&mut D) -> Vec<D::Value>,
) {
    let expected = standard(domain);
    compare(trace, domain, faults, &expected);
}

/// Fails unless a trace's outputs are as expected, and unless they are not with any of the faults.
pub fn compare<D: Domain>(trace: &Trace, domain: &mut D, faults: &[Fault], expected: &[D::Value]) {
    check(trace, domain, faults, |_, values| {
        trace.outputs.iter().map(|&node| values[node as usize]).eq(expected.iter().copied())
    });
}

/// Fails unless a statement holds for the values of a trace's nodes, and for none of the trace's with a fault.
pub fn check<D: Domain>(
    trace: &Trace,
    domain: &mut D,
    faults: &[Fault],
    holds: impl Fn(&D, &[D::Value]) -> bool,
) {
    let values = domain.values(trace);
    assert!(holds(domain, &values), "not what the standard says");
    refute(trace, domain, &values, faults, holds);
}

/// Fails if a statement that holds for a trace's values holds for those of the trace with a fault.
pub fn refute<D: Domain>(
    trace: &Trace,
    domain: &mut D,
    values: &[D::Value],
    faults: &[Fault],
    holds: impl Fn(&D, &[D::Value]) -> bool,
) {
    for fault in faults {
        let faulty = fault.planted(trace, domain, values);
        let values = domain.values(&faulty);
        assert!(!holds(domain, &values), "the proof does not notice the fault {fault:?}");
    }
}

/// What a vector could do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Rotates by another number of bits.
    Rotation,
    /// Adds without carries.
    Carry,
    /// Takes an operand of a sum from another lane, or from before.
    Operand,
    /// Takes one of an exclusive or likewise.
    Xored,
    /// Moves bytes to other places.
    Move,
    /// Forgets a constant that is added to a byte.
    Constant,
    /// Has the other half of a product.
    Product,
    /// Has the inverse of the S-box in place of the S-box, or the other way round.
    Inverse,
}

impl Fault {
    pub const ALL: [Self; 3] = [Self::Rotation, Self::Carry, Self::Operand];

    /// Returns the trace of vectors that have this fault in one operation, about the middle of those whose
    /// result it changes.
    fn planted<D: Domain>(self, trace: &Trace, domain: &mut D, values: &[D::Value]) -> Trace {
        let other = |y: Node| {
            let is_other = |z: &Node| ![D::UNUSED, values[y as usize]].contains(&values[*z as usize]);
            (0..y).rev().find(is_other)
        };
        let with_fault = |op: Op| match (self, op) {
            (Self::Rotation, Op::RotateRight(x, by)) => Some(Op::RotateRight(x, by + 1)),
            (Self::Carry, Op::Add(x, y) | Op::Add32(x, y)) => Some(Op::Xor(x, y)),
            (Self::Operand, Op::Add(x, y)) => Some(Op::Add(x, other(y)?)),
            (Self::Operand, Op::Call(x, y)) => Some(Op::Call(x, other(y)?)),
            (Self::Xored, Op::Xor(x, y)) => Some(Op::Xor(x, other(y)?)),
            (Self::Move, Op::Bytes(mut bytes)) => {
                bytes.rotate_left(1);
                Some(Op::Bytes(bytes))
            }
            (Self::Move, Op::Load([a, b, rest @ ..])) => {
                let [c, d, e, f, g, h] = rest;
                Some(Op::Load([b, a, c, d, e, f, g, h]))
            }
            (Self::Constant, Op::Load(bytes)) => Some(Op::Load(bytes.map(|byte| match byte {
                Byte::Flipped(node, at, _) => Byte::Of(node, at),
                byte => byte,
            }))),
            (Self::Product, Op::CarrylessLow(x, y)) => Some(Op::CarrylessHigh(x, y)),
            (Self::Product, Op::CarrylessHigh(x, y)) => Some(Op::CarrylessLow(x, y)),
            (Self::Inverse, Op::SubBytes(x)) => Some(Op::InvSubBytes(x)),
            (Self::Inverse, Op::InvSubBytes(x)) => Some(Op::SubBytes(x)),
            (Self::Inverse, Op::SlicedSubBytes { inputs, bit, inverse }) => {
                Some(Op::SlicedSubBytes { inputs, bit, inverse: !inverse })
            }
            _ => None,
        };
        let candidates: Vec<(Node, Op)> = trace
            .live()
            .into_iter()
            .filter_map(|node| Some((node, with_fault(trace.steps[node as usize].op)?)))
            .collect();
        let changes = |&&(node, op): &&(Node, Op)| {
            let step = Step { op, ..trace.steps[node as usize] };
            domain.value(step, values) != values[node as usize]
        };
        let (before, after) = candidates.split_at(candidates.len() / 2);
        let (node, op) = after.iter().chain(before).find(changes).expect("an operation");
        let mut faulty = trace.clone();
        faulty.steps[*node as usize].op = *op;
        faulty
    }
}
