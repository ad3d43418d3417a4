//! The recording vectors do what the model does: each operation's record, evaluated on numbers, against the
//! model of `keylane-cpu`'s tests, which compare the CPU's vectors with it. So the kernels that the proofs
//! are about are the kernels that run.

#[path = "../../../keylane-cpu/tests/vectors/operations/mod.rs"]
#[allow(dead_code, unreachable_pub)]
mod table;

use super::blocks;
use super::instructions::{Arm, Four, X86};
use super::lanes::Recorded;
use super::record::{Byte, Node, Op, Trace, input_bytes, output, record};
use keylane_cpu::Portable;
use table::models::{BOXES, INVERSE_MIX, MIX, mix_columns};
use table::{Checker, Io, Table};

/// How many random words an operation is compared on, beside the inputs of its kind.
const WORDS: usize = 500;

struct Recording;

impl Checker<Portable> for Recording {
    fn check(
        &mut self,
        table: &Table,
        operation: impl Fn(&'static str, Portable, &mut Io<'_>),
        model: &dyn Fn(&'static str, &mut Io<'_>),
    ) {
        for (kind, names) in table.operations {
            for name in *names {
                let model = |io: &mut Io<'_>| model(name, io);
                let trace = record(&|| {
                    let (input, mut results) = (input_bytes(table::length(&model)), Vec::new());
                    operation(name, Portable, &mut Io { input: &input, output: &mut results });
                    results.iter().for_each(|&byte| output(byte.into(), 1));
                });
                let mut values = Vec::new();
                table::compare(
                    name,
                    *kind,
                    WORDS,
                    &mut |input, output| {
                        evaluate(&trace, input, &mut values);
                        output.extend(trace.outputs.iter().map(|&node| values[node as usize] as u8));
                    },
                    &model,
                );
            }
        }
    }
}

/// Computes the value of every node.
fn evaluate(trace: &Trace, input: &[u8], values: &mut Vec<u64>) {
    values.clear();
    for step in &trace.steps {
        let bits = 8 * step.len as u32;
        let ones = u64::MAX >> (64 - bits);
        let of = |node: Node| values[node as usize];
        let byte_of = |node: Node, at: u8| of(node).to_le_bytes()[usize::from(at)];
        let bytes = |node: Node, f: &dyn Fn(u8) -> u8| u64::from_le_bytes(of(node).to_le_bytes().map(f));
        let columns = |node: Node, row| {
            let state = u128::from(of(node)).to_le_bytes();
            u128::from_le_bytes(mix_columns(state, row)) as u64
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
            Op::SubBytes(a) => bytes(a, &|x| BOXES[0][usize::from(x)]),
            Op::InvSubBytes(a) => bytes(a, &|x| BOXES[1][usize::from(x)]),
            Op::MixColumns(a) => columns(a, MIX),
            Op::InvMixColumns(a) => columns(a, INVERSE_MIX),
            Op::SlicedSubBytes { .. } | Op::Call(..) => unreachable!("no operation of a vector"),
        };
        values.push(value & ones);
    }
}

#[test]
fn lanes() {
    table::u32_lanes::<Recorded<u32, 4>, 4>(&mut Recording);
    table::u64_lanes::<Recorded<u64, 2>, 2>(&mut Recording);
    table::product_lanes::<Recorded<u64, 2>, 2, false>(&mut Recording);
    table::product_52_lanes::<Recorded<u64, 8>, 8>(&mut Recording);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn words_of_blocks() {
    table::block_words_u32::<Recorded<u32, 8>, 8>(&mut Recording);
    table::block_words_u64::<Recorded<u64, 4>, 4>(&mut Recording);
    table::sha256_schedule::<Recorded<u32, 8>, 8>(&mut Recording);
}

#[test]
fn words_of_hashes() {
    table::sha1_words::<Four<u32, X86>>(&mut Recording);
    table::sha256_words::<Four<u32, X86>>(&mut Recording);
    table::sha256_words::<Four<u32, Arm>>(&mut Recording);
    table::sha512_words::<Four<u64, X86>>(&mut Recording);
}

#[test]
fn blocks_of_one_message() {
    table::blocks::<blocks::Recorded<2>, 2>(&mut Recording);
    table::aes_words::<blocks::Recorded<1>>(&mut Recording);
}
