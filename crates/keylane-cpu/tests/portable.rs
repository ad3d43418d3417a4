//! Tests the tokens and single blocks that every CPU has.

use keylane_cpu::lanes::Blocks;
use keylane_cpu::lanes::portable::PlainBlocks;
use keylane_cpu::{InstructionSet, Portable, Portable32};

#[test]
fn the_portable_tokens_exist_and_run() {
    assert_eq!(Portable::detect().map(|isa| isa.run(|_| 64)), Some(64));
    assert_eq!(Portable32::detect().map(|isa| isa.run(|_| 32)), Some(32));
}

#[test]
fn blocks_convert_to_and_from_single_blocks() {
    let blocks = PlainBlocks([3, 5, 9]);
    let one = PlainBlocks([7]);
    assert_eq!(blocks.front(), PlainBlocks([3]));
    assert_eq!(blocks.sum(), PlainBlocks([3 ^ 5 ^ 9]));
    assert_eq!(PlainBlocks::<3>::first(one), PlainBlocks([7, 0, 0]));
    assert_eq!(PlainBlocks::<3>::every(one), PlainBlocks([7, 7, 7]));
}
