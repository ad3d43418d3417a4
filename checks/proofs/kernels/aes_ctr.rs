//! AES-CTR by instructions: the proofs of the list.
//!
//! The counter is public and determines how kernels count, so some of its bytes are known. Three cases cover
//! all counters of a text of one group at most. No block's last byte carries: all other bytes are unknown.
//! It carries, but not to the upper half: that the lower half is not among the last numbers is assumed, and
//! its other bytes are unknown. It does carry: the lower half is one of the last numbers, each of which is
//! tried. Groups after the first begin at a counter that is computed in memory, where it must be known.

use super::aes::{Block, FAULTS, Inputs, input_keys};
use super::bitsliced::{Bitsliced, Wide, prove_in};
use super::bytes::{Bytes, Form};
use super::memory::{input_array, output_bytes, processed};
use super::prove::Fault;
use super::record::input_bytes;
use super::symbols::Symbol;
use super::vectors::{AesNi, Blocks1, Blocks2, Blocks4};
use crate::aes::Order;
use crate::aes_ctr::lanes::Lanes;
use crate::aes_ctr::{Kernel, Part};
use crate::backend::Shape;

/// Returns the blocks of a key stream (SP 800-38A §6.5 and §B.1; RFC 8452 §4). A counter's bytes are the
/// least significant first.
pub(crate) fn key_stream(
    bytes: &mut Bytes,
    keys: &[Block],
    order: Order,
    counter: &[Form],
    blocks: usize,
) -> Vec<Block> {
    let stream = (0..blocks as u128).map(|i| {
        let (lower, upper) = counter.split_at(match order {
            Order::Little => 4,
            // A carry is assumed not to leave the lower half, unless it is known.
            Order::Big if counter[..8].iter().all(|&byte| bytes.known(byte).is_some()) => 16,
            Order::Big => 8,
        });
        let mut block = [bytes.add(lower, i), upper.to_vec()].concat();
        if order == Order::Big {
            block.reverse();
        }
        bytes.encrypt(keys, &block)
    });
    stream.collect()
}

/// A counter's bytes, the least significant first, where they are known.
type Counter = [Option<u8>; 16];

/// Returns a counter of which the lower bytes are known.
fn counter(known: usize, number: u128) -> Counter {
    let bytes = number.to_le_bytes();
    std::array::from_fn(|i| (i < known).then_some(bytes[i]))
}

/// Proves that a text of `len` bytes is encrypted, and that nothing else is written.
fn encrypts<K: Shape + Kernel>(
    order: Order,
    rounds: usize,
    counter: Counter,
    len: usize,
    apart: bool,
    faults: &[Fault],
) {
    prove_in(
        &mut Bytes::default(),
        faults,
        || {
            let keys = input_keys(rounds);
            let unknown: [u8; 16] = input_array();
            let counter = u128::from_le_bytes(std::array::from_fn(|i| counter[i].unwrap_or(unknown[i])));
            let (input, mut last) = (input_bytes(len), input_array());
            output_bytes(&processed(&input, apart, |text| {
                K::KERNEL.xor_keystream(&mut Part { keys: &keys, order, counter, text, last: &mut last });
            }));
            output_bytes(&last);
        },
        |bytes| {
            let mut inputs = Inputs::default();
            let keys = inputs.keys(bytes, rounds);
            let mut number = inputs.bytes(bytes, 16);
            for (byte, known) in number.iter_mut().zip(counter) {
                *byte = known.map_or(*byte, |known| bytes.constant(known));
            }
            let [input, mut last] = [len, 16].map(|len| inputs.bytes(bytes, len));
            let stream = key_stream(bytes, &keys, order, &number, len.div_ceil(16));
            if !len.is_multiple_of(16) {
                last.clone_from(&stream[len / 16]);
            }
            let output = bytes.xor_all(&input, &stream.concat());
            bytes.outputs(&[output, last].concat())
        },
    );
}

/// Proves a text of one group at most, with every way to count.
fn encrypts_a_group<K: Shape + Kernel>(len: usize, rounds: usize) {
    let (blocks, apart) = (len.div_ceil(16) as u64, len % 2 == 1);
    let prove = |order, counter| encrypts::<K>(order, rounds, counter, len, apart, &[]);
    prove(Order::Little, [None; 16]);
    // The greatest last byte with which no block carries, and the next; then the lower half, which does.
    prove(Order::Big, counter(1, (0x100 - blocks).into()));
    if blocks > 1 {
        prove(Order::Big, counter(1, (0x101 - blocks).into()));
        prove(Order::Big, counter(8, u64::MAX.into()));
    }
}

/// Proves a kernel over vectors of N blocks.
fn aes_ctr<K: Shape + Kernel>(n: usize) {
    let group = 8 * n;
    let faults = [&FAULTS[..], &[Fault::Carry]].concat();
    encrypts::<K>(Order::Big, 10, counter(1, 7), 16 * group, true, &faults);
    // Each number of whole vectors, and what may follow.
    for vectors in 0..8 {
        for more in [0, 1, 8 * n + 5, 16 * n - 1] {
            encrypts_a_group::<K>(16 * n * vectors + more, [10, 12, 14][vectors % 3]);
        }
    }
    let group_len = 16 * group;
    for rounds in [10, 12, 14] {
        encrypts_a_group::<K>(group_len, rounds);
    }
    // The last numbers of the lower half.
    for before in [1, 2, group / 2, group, group + 1] {
        carries::<K>(before, group_len);
    }
    // Several groups, from counters that carry everywhere.
    for (rounds, number) in [(10, u128::MAX - 70), (12, (1 << 64) - 40), (14, (1 << 32) - 9), (10, 0)] {
        encrypts::<K>(Order::Big, rounds, counter(16, number), 2 * group_len + 17, true, &[]);
    }
    encrypts::<K>(
        Order::Little,
        14,
        counter(4, (1 << 32) - 1 - 2 * group as u128),
        2 * group_len + 16,
        false,
        &[],
    );
}

/// Proves a text whose first `before` counters come before a carry into the upper half.
fn carries<K: Shape + Kernel>(before: usize, len: usize) {
    encrypts::<K>(Order::Big, 10, counter(8, (1 << 64) - before as u128), len, false, &[]);
}

/// Proves what [`aes_ctr`] does, for every number of counters before a carry, every length up to a group,
/// every last byte, and every length up to 1,200 bytes.
fn aes_ctr_wholly<K: Shape + Kernel>(n: usize) {
    let group_len = 16 * 8 * n;
    for len in 0..=group_len {
        encrypts_a_group::<K>(len, [10, 12, 14][len % 3]);
    }
    (1..=group_len / 16 + 1).for_each(|before| carries::<K>(before, group_len));
    for low in 0..=0xff {
        encrypts::<K>(Order::Big, 10, counter(1, low), group_len, false, &[]);
    }
    for len in group_len + 1..=1200 {
        let (number, rounds) = ([u128::MAX, u64::MAX.into(), 1 << 90][len % 3], [10, 12, 14][len / 3 % 3]);
        for before in [len / 20, 0x60] {
            encrypts::<K>(Order::Big, rounds, counter(16, number - before as u128), len, false, &[]);
        }
        encrypts::<K>(Order::Little, rounds, counter(4, len as u128 * 0x12_3456), len, true, &[]);
    }
}

macro_rules! proofs {
    ($($name:ident: $Kernel:ty; $n:literal)+) => {
        pub(crate) const PROVED: (&str, &[&str]) = ("aes-ctr", &[$(stringify!($Kernel),)+ "Portable"]);
        $(
        mod $name {
            use super::*;

            #[test]
            fn quick() {
                aes_ctr::<$Kernel>($n);
            }

            #[test]
            #[ignore = "takes minutes"]
            fn long() {
                aes_ctr_wholly::<$Kernel>($n);
            }
        }
        )+
    };
}

/// The kernel of `Portable`, which has groups of four blocks or eight. It counts in memory, so what carries
/// is known.
fn proved<K: Shape + Kernel>() {
    let last = |bits: u32, before: u128| (u128::MAX >> (128 - bits)) - before;
    for (i, len) in [65, 0, 1, 64, 130, 128].into_iter().enumerate() {
        let encrypts = |order, counter, faults| {
            encrypts::<K>(order, [10, 12, 14][i % 3], counter, len, i.is_multiple_of(2), faults);
        };
        encrypts(Order::Big, counter(1, 7), if i == 0 { &FAULTS } else { &[] });
        encrypts(Order::Big, counter(16, last(128, 2)), &[]);
        encrypts(Order::Big, counter(16, last(64, 2)), &[]);
        encrypts(Order::Little, counter(4, last(32, 20)), &[]);
    }
}

#[test]
fn portable() {
    proved::<Bitsliced<Symbol<u64>>>();
}

/// Words of other targets. `aes` always proves their rounds.
#[test]
#[ignore = "takes a minute"]
fn portable_in_words_of_128_and_32() {
    proved::<Bitsliced<Wide>>();
    proved::<Bitsliced<Symbol<u32>>>();
}

proofs! {
    blocks_4: Lanes<Blocks4, 4>; 4
    blocks_2: Lanes<Blocks2, 2>; 2
    blocks_1: Lanes<Blocks1<AesNi>, 1>; 1
    blocks_1_of_arm: Lanes<Blocks1, 1>; 1
}
