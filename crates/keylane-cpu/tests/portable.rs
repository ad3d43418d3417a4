//! Does what every CPU has do what vectors do?

use keylane_cpu::lanes::Blocks;
use keylane_cpu::lanes::portable::PlainBlocks;
use keylane_cpu::{InstructionSet, Portable, Portable32};

#[test]
fn tokens_are_always_there_and_run() {
    assert_eq!(Portable::detect().map(|isa| isa.run(|_| 64)), Some(64));
    assert_eq!(Portable32::detect().map(|isa| isa.run(|_| 32)), Some(32));
}

#[test]
fn single_blocks_go_in_and_come_out() {
    let blocks = PlainBlocks([3, 5, 9]);
    let one = PlainBlocks([7]);
    assert_eq!(blocks.front(), PlainBlocks([3]));
    assert_eq!(blocks.sum(), PlainBlocks([3 ^ 5 ^ 9]));
    assert_eq!(PlainBlocks::<3>::first(one), PlainBlocks([7, 0, 0]));
    assert_eq!(PlainBlocks::<3>::every(one), PlainBlocks([7, 7, 7]));
}
