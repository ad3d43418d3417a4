//! Checks that the recording vectors agree with the model: each operation's record is evaluated on numbers
//! and compared with the model of `keylane-cpu`'s tests, with which the CPU's vectors are also compared. The
//! proofs are therefore about the kernels that run.

#[path = "../../../crates/keylane-cpu/tests/vectors/operations/mod.rs"]
#[allow(dead_code, unreachable_pub)]
mod table;

use super::blocks;
use super::evaluate::evaluate;
use super::instructions::{Arm, Four, X86};
use super::lanes::Recorded;
use super::record::{input_bytes, output, record};
use keylane_cpu::Portable;
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
