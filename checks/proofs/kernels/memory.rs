//! Bytes in memory that stand for inputs and outputs.

use super::record::{input_bytes, output};
use keylane_cpu::in_out::InOut;

/// The bytes around an output.
pub(crate) const GUARD: [u8; 64] = [0x5a; 64];

/// Returns new inputs of one byte each.
pub(crate) fn input_array<const LEN: usize>() -> [u8; LEN] {
    input_bytes(LEN).try_into().expect("as many")
}

/// Declares bytes to be outputs.
pub(crate) fn output_bytes(bytes: &[u8]) {
    bytes.iter().for_each(|&byte| output(byte.into(), 1));
}

/// Runs a kernel on a text, in place or apart from its output, and returns the output. Fails if anything else
/// is written.
pub(crate) fn processed(text: &[u8], apart: bool, kernel: impl FnOnce(InOut<'_>)) -> Vec<u8> {
    let mut memory = [&GUARD[..], text, &GUARD].concat();
    let output = &mut memory[GUARD.len()..][..text.len()];
    if apart {
        output.fill(0);
        kernel(InOut::apart(text, output));
    } else {
        kernel(InOut::in_place(output));
    }
    unguarded(&memory).to_vec()
}

/// Returns what lies between guards, which must be as they were.
pub(crate) fn unguarded(memory: &[u8]) -> &[u8] {
    memory
        .strip_prefix(&GUARD)
        .and_then(|rest| rest.strip_suffix(&GUARD))
        .expect("only the output is written")
}
