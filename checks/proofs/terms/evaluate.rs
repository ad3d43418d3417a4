//! Evaluates traces on numbers.

use super::bytes::{INV_MIX, MIX, SUB_BYTES, multiply};
use super::record::{Byte, Node, Op, Trace};

/// FIPS 197 §5.3.2: the inverse of the S-box.
const INV_SUB_BYTES: [u8; 256] = {
    let (mut table, mut x) = ([0; 256], 0);
    while x < 256 {
        table[SUB_BYTES[x] as usize] = x as u8;
        x += 1;
    }
    table
};

/// Computes the value of every node.
pub fn evaluate(trace: &Trace, input: &[u8], values: &mut Vec<u64>) {
    values.clear();
    for step in &trace.steps {
        let bits = 8 * step.len as u32;
        let ones = u64::MAX >> (64 - bits);
        let of = |node: Node| values[node as usize];
        let byte_of = |node: Node, at: u8| of(node).to_le_bytes()[usize::from(at)];
        let bytes = |node: Node, f: &dyn Fn(u8) -> u8| u64::from_le_bytes(of(node).to_le_bytes().map(f));
        let columns = |node: Node, row: [u8; 4]| {
            let state = of(node).to_le_bytes();
            let place = |i: usize, j: usize| state[i / 4 * 4 + (i + j) % 4];
            let mixed = |i| (0..4).fold(0, |sum, j| sum ^ multiply(row[j], place(i, j)));
            u64::from_le_bytes(std::array::from_fn(mixed))
        };
        let carryless = |a, b| {
            let bits = (0..64).filter(|i| of(b) >> i & 1 == 1);
            bits.fold(0, |sum, i| sum ^ u128::from(of(a)) << i)
        };
        let low_52 = |node: Node| u128::from(of(node) % (1 << 52));
        let value = match step.op {
            Op::Input(number) => input[number as usize].into(),
            Op::Load(bytes) | Op::Bytes(bytes) => u64::from_le_bytes(bytes.map(|byte| match byte {
                Byte::Known(x) => x,
                Byte::Of(node, at) => byte_of(node, at),
                Byte::Flipped(node, at, constant) => byte_of(node, at) ^ constant,
                Byte::Xor([a, b]) => byte_of(a.0, a.1) ^ byte_of(b.0, b.1),
                Byte::Topped(..) => unreachable!("no operation changes bytes in memory"),
            })),
            Op::Add(a, b) => of(a).wrapping_add(of(b)),
            Op::Xor(a, b) => of(a) ^ of(b),
            Op::And(a, b) => of(a) & of(b),
            Op::Or(a, b) => of(a) | of(b),
            Op::RotateRight(a, by) => of(a) >> by | of(a) << (bits - by),
            Op::ShiftRight(a, by) => of(a) >> by,
            Op::ShiftLeft(a, by) => of(a) << by,
            Op::Multiply32(a, b) => u64::from(of(a) as u32) * u64::from(of(b) as u32),
            Op::Low52(a, b) => (low_52(a) * low_52(b) % (1 << 52)) as u64,
            Op::High52(a, b) => ((low_52(a) * low_52(b)) >> 52) as u64,
            Op::Add32(a, b) => {
                let upper = u64::MAX << 32;
                of(a).wrapping_add(of(b)) & !upper | (of(a) & upper).wrapping_add(of(b) & upper)
            }
            Op::CarrylessLow(a, b) => carryless(a, b) as u64,
            Op::CarrylessHigh(a, b) => (carryless(a, b) >> 64) as u64,
            Op::SubBytes(a) => bytes(a, &|x| SUB_BYTES[usize::from(x)]),
            Op::InvSubBytes(a) => bytes(a, &|x| INV_SUB_BYTES[usize::from(x)]),
            Op::MixColumns(a) => columns(a, MIX),
            Op::InvMixColumns(a) => columns(a, INV_MIX),
            Op::SlicedSubBytes { .. } | Op::Call(..) => unreachable!("no operation of a vector"),
        };
        values.push(value & ones);
    }
}
