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

/// Fails unless a statement holds for the values of a trace's nodes, and for none of the trace's with a
/// fault.
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
        let (at, op) = fault.planted(trace, domain, values);
        let (mut values, mut changed) = (values.to_vec(), vec![false; values.len()]);
        for (node, &step) in trace.steps.iter().enumerate().skip(at) {
            let step = if node == at { Step { op, ..step } } else { step };
            let depends = || step.op.operands().any(|operand| changed[operand as usize]);
            if values[node] != D::UNUSED && (node == at || depends()) {
                let value = domain.value(step, &values);
                changed[node] = value != values[node];
                values[node] = value;
            }
        }
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

    /// Returns an operation of a trace, about the middle of those whose result this fault changes, and what
    /// it is with the fault.
    fn planted<D: Domain>(self, trace: &Trace, domain: &mut D, values: &[D::Value]) -> (usize, Op) {
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
        let &(node, op) = after.iter().chain(before).find(changes).expect("an operation");
        (node as usize, op)
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::{new_input, node, output, stored};
    use super::super::words::Words;
    use super::*;

    /// A rotation, and what is computed of it.
    fn trace() -> Trace {
        record(&|| {
            let x = new_input(4);
            let rotated = node(Op::RotateRight(x, 3), 4);
            let sum = node(Op::Add(rotated, x), 4);
            output(stored(node(Op::Xor(sum, rotated), 4)), 4);
        })
    }

    #[test]
    fn a_fault_reaches_all_that_depends_on_it() {
        let (trace, words) = (trace(), &mut Words::new(4));
        let x = words.input(0);
        let rotated = words.rotate_right(x, 4);
        let sum = words.add(rotated, x);
        let with_fault = words.xor(sum, rotated);
        let values = words.values(&trace);
        let output = trace.outputs[0] as usize;
        assert!(values[output] != with_fault);
        // It fails if this holds.
        refute(&trace, words, &values, &[Fault::Rotation], |_, values| values[output] != with_fault);
    }

    #[test]
    #[should_panic(expected = "the proof does not notice the fault Rotation")]
    fn a_statement_that_does_not_depend_on_the_fault_is_refused() {
        check(&trace(), &mut Words::new(4), &[Fault::Rotation], |_, _| true);
    }
}
