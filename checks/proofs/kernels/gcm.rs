//! AES-GCM: every kernel computes SP 800-38D §7.1 and §7.2.

use super::aes::{Block, Inputs, input_keys};
use super::bitsliced::prove_in;
use super::blocks;
use super::bytes::Bytes;
use super::field::Field;
use super::memory::{GUARD, input_array, output_bytes, processed, unguarded};
use super::prove::Fault;
use super::record::{Node, Op, input, input_bytes, load, name_as, new_input, node, output, run};
use super::vectors::{AesNi, Blocks1, Blocks2, Blocks4, NeonAesSha3};
use crate::aead::{self, Batch, Direction};
use crate::aes::KeyBytes;
use crate::aes_gcm::fused::Fused;
use crate::aes_gcm::kernel::{self, Kernel, Key, Part, Progress, first_block};
use crate::aes_gcm::portable;
use crate::backend::Shape;
use crate::ghash::four_powers::{FourPowers, Summed};
use crate::ghash::multiply::{Factor, multiply};
use crate::ghash::powers::{ZEROS, compute, grow};
use crate::ghash::{GrowingPowers, HashKey};
use keylane_contracts::Random;
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::{AesBlocks, Blocks, CarrylessBlocks};
use keylane_cpu::wipe::Secret;
use std::cell::Cell;
use std::marker::PhantomData;

/// Returns a new prepared key. p_1, which a key computes of H in memory, is the last two inputs.
fn key(rounds: usize) -> Key {
    let (keys, h) = (input_keys(rounds), input_array());
    let number = u128::from_be_bytes(h);
    // RFC 8452 appendix A: the byte-reversed H times x, in POLYVAL's field.
    let carry = if number >> 127 == 1 { 1 << 127 | 1 << 126 | 1 << 121 | 1 } else { 0 };
    let p1 = number << 1 ^ carry;
    name_as(new_input(8), p1 as u64);
    name_as(new_input(8), (p1 >> 64) as u64);
    Key { hash: HashKey::new(h), rounds: Secret::new(keys) }
}

/// The forms of [`key`]'s round keys.
fn round_keys(inputs: &mut Inputs, field: &mut Field, rounds: usize) -> Vec<Block> {
    let keys = inputs.keys(&mut field.bytes, rounds);
    inputs.bytes(&mut field.bytes, 18);
    keys
}

fn field(rounds: usize) -> Field {
    let first = 16 * (rounds as u32 + 2);
    Field::with_key([first, first + 1])
}

/// Returns the number that stands for a counter in memory, and so do its sums with `more` for theirs.
pub(crate) fn named_counter(counter: Node, more: &[u32]) -> u32 {
    // In one run for each sum, all bytes change from the sum before it on. So no two sums have a byte with
    // the same values in all runs.
    let random = (run() as u32 + 1).wrapping_mul(0x9e37_79b9);
    let number = match more.get(run()) {
        Some(&first) => (random & 0xff00_0000).wrapping_sub(first),
        None => random,
    };
    for &more in more {
        name_as(node(Op::Add(counter, load(more.into(), 4)), 4), number.wrapping_add(more).into());
    }
    number
}

/// How a message begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// With a nonce of 12 bytes.
    Nonce,
    /// With any J0, after a nonce that was hashed.
    Hashed,
    /// As after so many blocks of text, with any hash so far.
    Later(u32),
}

/// A message, given by what a kernel may see of it.
#[derive(Clone, Copy)]
struct Case<'a> {
    rounds: usize,
    seal: bool,
    start: Start,
    /// How many powers of H were known before.
    known: usize,
    aad: usize,
    /// The lengths of the text's parts.
    parts: &'a [usize],
    /// Whether the output is in other memory than the input.
    apart: bool,
    /// What the kernel adds to the counter of J0 before it is in vectors, modulo 2^32, in order.
    counters: &'a [u32],
}

const CASE: Case<'_> = Case {
    rounds: 10,
    seal: true,
    start: Start::Nonce,
    known: 0,
    aad: 0,
    parts: &[0],
    apart: false,
    counters: &[],
};

impl Start {
    /// Begins a message.
    fn progress(self, counters: &[u32]) -> Progress {
        match self {
            Self::Nonce => Progress::new(first_block(&input_array())),
            Self::Hashed => {
                let front: [u8; 12] = input_array();
                let word = new_input(4);
                let counter = named_counter(word, counters);
                let mut block = [0; 16];
                block[..12].copy_from_slice(&front);
                block[12..].copy_from_slice(&counter.to_be_bytes());
                Progress { from_one: false, ..Progress::new(u128::from_le_bytes(block)) }
            }
            Self::Later(blocks) => Progress { hash: input_array(), blocks, ..Self::Nonce.progress(counters) },
        }
    }

    fn j0(self, field: &mut Field, inputs: &mut Inputs) -> Block {
        match self {
            Self::Nonce | Self::Later(_) => {
                [inputs.bytes(&mut field.bytes, 12), field.constants(&[0, 0, 0, 1])].concat()
            }
            Self::Hashed => {
                let front = inputs.bytes(&mut field.bytes, 12);
                let counter = inputs.word(&mut field.bytes, 4);
                [front, counter.into_iter().rev().collect()].concat()
            }
        }
    }
}

fn crypts<K: Shape + Kernel>(case: Case<'_>, faults: &[Fault]) {
    let Case { rounds, seal, start, known, aad, parts, apart, counters } = case;
    let len: usize = parts.iter().sum();
    prove_in(
        &mut field(rounds),
        faults,
        || {
            let key = key(rounds);
            assert!(known == 0 || grow::<Blocks1, 1>(&key.hash, known));
            let mut progress = start.progress(counters);
            let (aad, text) = (input_bytes(aad), input_bytes(len));
            let lengths = ((8 * aad.len() as u128) << 64) | (8 * len as u128);
            let (mut aad, mut tag) = (aad.as_slice(), [0; 16]);
            output_bytes(&processed(&text, apart, |mut text| {
                for (i, part) in parts.iter().enumerate() {
                    let (kernel, text): (&dyn Kernel, _) = (K::KERNEL, text.take_front(*part));
                    let lengths = (i + 1 == parts.len()).then_some(&lengths);
                    tag = if seal || lengths.is_none() {
                        kernel::seal(kernel, &key, &mut progress, aad, text, lengths)
                    } else {
                        let (direction, key, progress) = (Direction::Open(()), &key, &mut progress);
                        kernel.crypt(&mut Part { direction, key, progress, aad, text, lengths })
                    };
                    aad = &[];
                }
            }));
            output_bytes(&tag);
        },
        |field| {
            let mut inputs = Inputs::default();
            let keys = round_keys(&mut inputs, field, rounds);
            // Kernels have the hash with its bytes reversed.
            let (before, mut hash) = match start {
                Start::Later(blocks) => (blocks, inputs.bytes(&mut field.bytes, 16)),
                _ => (0, field.constants(&[0; 16])),
            };
            hash.reverse();
            let j0 = start.j0(field, &mut inputs);
            let [aad, text] = [aad, len].map(|len| inputs.bytes(&mut field.bytes, len));
            let expected = field.gcm(seal, &keys, &j0, (before, &hash), [&aad, &text]);
            field.outputs(&expected)
        },
    );
}

/// Proves messages that are processed together, of these lengths of additional data and text.
fn crypts_many<K: Shape + Kernel>(alike: bool, seal: bool, rounds: usize, lens: &[[usize; 2]]) {
    prove_in(
        &mut field(rounds),
        &[],
        || {
            let key = key(rounds);
            let inputs: Vec<([u8; 12], _, _)> = lens
                .iter()
                .map(|&[aad, text]| (input_array(), input_bytes(aad), input_bytes(text)))
                .collect();
            let mut texts: Vec<_> =
                inputs.iter().map(|(_, _, text)| [&GUARD[..], text, &GUARD].concat()).collect();
            let (mut received, mut tags) = (vec![[1; 16]; lens.len()], vec![[0; 16]; lens.len()]);
            let parts = inputs.iter().zip(&mut texts).zip(&mut received);
            let mut messages: Vec<_> = parts
                .map(|(((nonce, aad, input), text), tag)| {
                    let text = &mut text[GUARD.len()..][..input.len()];
                    aead::Message { nonce, aad, text, tag }
                })
                .collect();
            let direction = if seal { Direction::Seal } else { Direction::Open(()) };
            let batch = &mut Batch { direction, messages: &mut messages, tags: &mut tags };
            let count = K::KERNEL.crypt_many(alike, &key, batch);
            assert_eq!(count, lens.len());
            for (text, tag) in texts.iter().zip(&tags) {
                output_bytes(unguarded(text));
                output_bytes(tag);
            }
        },
        |field| {
            let mut inputs = Inputs::default();
            let keys = round_keys(&mut inputs, field, rounds);
            let mut expected = Vec::new();
            let parts: Vec<_> = lens
                .iter()
                .map(|&[aad, text]| {
                    let j0 = Start::Nonce.j0(field, &mut inputs);
                    (j0, [aad, text].map(|len| inputs.bytes(&mut field.bytes, len)))
                })
                .collect();
            let zeros = field.constants(&[0; 16]);
            for (j0, [aad, text]) in parts {
                expected.extend(field.gcm(seal, &keys, &j0, (0, &zeros), [&aad, &text]));
            }
            field.outputs(&expected)
        },
    );
}

/// Proves that a nonce is hashed (§7.1, step 2): J0 is the exclusive or of these two tags.
fn hashes_nonces<K: Shape + Kernel>(len: usize) {
    prove_in(
        &mut field(10),
        &[],
        || {
            let (key, nonce) = (key(10), input_bytes(len));
            for (data, lengths) in [(nonce.as_slice(), 8 * len as u128), (&[], 0)] {
                let kernel: &dyn Kernel = K::KERNEL;
                let (progress, nothing) = (&mut Progress::new(0), InOut::in_place(&mut []));
                output_bytes(&kernel::seal(kernel, &key, progress, data, nothing, Some(&lengths)));
            }
        },
        |field| {
            let mut inputs = Inputs::default();
            let keys = round_keys(&mut inputs, field, 10);
            let mut blocks = inputs.bytes(&mut field.bytes, len);
            let zero = field.bytes.constant(0);
            blocks.resize(len.next_multiple_of(16), zero);
            blocks.extend(field.constants(&(8 * len as u128).to_be_bytes()));
            let j0 = field.hash(&blocks, true);
            let mask = field.bytes.encrypt(&keys, &[zero; 16]);
            let expected = [field.bytes.xor_all(&j0, &mask), mask].concat();
            field.outputs(&expected)
        },
    );
}

/// Proves the preparation of a key: the round keys, and H.
fn prepares<K: Shape + Kernel>(key_len: usize) {
    prove_in(
        &mut Bytes::default(),
        &[],
        || {
            let key = K::KERNEL.prepare(KeyBytes::from_slice(&input_bytes(key_len)).expect("a length"));
            assert!(key.rounds.rounds == key_len / 4 + 6 && key.hash.powers.get().len() == 0);
            output_bytes(key.rounds.all().as_flattened());
            output_bytes(key.hash.h());
        },
        |bytes| {
            let key = Inputs::default().bytes(bytes, key_len);
            let keys = bytes.key_expansion(&key);
            let zeros = [bytes.constant(0); 16];
            let h = bytes.encrypt(&keys, &zeros);
            let expected = [keys.concat(), h].concat();
            bytes.outputs(&expected)
        },
    );
}

/// Proves the powers of H: `count` and more, after `known` of another kernel.
fn powers<V, const N: usize>(known: usize, count: usize, faults: &[Fault])
where
    V: CarrylessBlocks<N, One: CarrylessBlocks<1>>,
{
    let len = Cell::new(0);
    prove_in(
        &mut Field::with_key([0, 1]),
        faults,
        || {
            let first = u128::from(input(8)) | u128::from(input(8)) << 64;
            let mut powers = GrowingPowers::new();
            powers.grow_alone(|adder| {
                if known > 0 {
                    compute::<Blocks1, 1>(adder, first, known);
                }
                compute::<V, N>(adder, first, count);
            });
            let powers = powers.get();
            assert!(powers.len() >= count);
            len.set(powers.len());
            let all = (1..=powers.len()).flat_map(|k| powers.last::<1, 1>(k));
            all.for_each(|block| output_halves(block.as_flattened()));
            powers.last::<{ 1 + ZEROS }, 1>(1).into_iter().for_each(|row| output_halves(&row[0][1..]));
        },
        |field| {
            let mut expected = Vec::new();
            for k in 1..=len.get() {
                let power = field.power(k);
                let [low, high] = field.halves_of(power);
                expected.extend([low, high, field.xor(low, high), field.xor(low, high)]);
            }
            let zero = [field.bytes.constant(0); 8];
            expected.extend([field.half_of(zero); 4 * ZEROS]);
            expected
        },
    );
}

fn output_halves(blocks: &[[u8; 16]]) {
    for half in blocks.as_flattened().as_chunks().0 {
        output(u64::from_le_bytes(*half), 8);
    }
}

/// The portable kernel, over blocks that are recorded, with FIPS 197 in place of bitsliced AES.
struct TwoPasses<F>(PhantomData<fn() -> F>);

impl<F: 'static> Shape for TwoPasses<F> {
    type Isa = Portable;
    const KERNEL: &'static Self = &Self(PhantomData);
}

/// A block in the place of what WebAssembly looks products up in.
impl<const XOR3: bool> Summed<Self> for blocks::Recorded<1, XOR3> {
    fn empty(isa: Portable) -> Self {
        Self::zero(isa)
    }

    fn set(&mut self, factor: Self) {
        *self = factor;
    }

    fn sum<const N: usize>(isa: Portable, factors: &[Self; N], blocks: [Self; N]) -> Self {
        let products = factors.iter().zip(blocks).map(|(factor, block)| multiply(isa, block, *factor));
        products.reduce(|sum, product| sum ^ product).expect("a product")
    }
}

impl<F: Factor<Blocks1<NeonAesSha3>> + 'static> Kernel for TwoPasses<F> {
    fn prepare(&self, _: KeyBytes<'_>) -> Key {
        unreachable!("a key is prepared by AES alone")
    }

    fn crypt(&self, message: &mut Part<'_>) -> [u8; 16] {
        let key = message.key;
        portable::crypt::<Blocks4, F, 4>(message, |blocks| {
            let [first, rounds @ .., last] = key.rounds.all() else { panic!("round keys") };
            let [first, last] = [first, last].map(|key| Blocks4::broadcast(Portable, key));
            let mut four = [[0; 16]; 4];
            four[..blocks.len()].copy_from_slice(blocks);
            let state = rounds.iter().fold(Blocks4::load(Portable, &four) ^ first, |state, key| {
                state.encrypt_round(Blocks4::broadcast(Portable, key))
            });
            state.encrypt_last_round(last).store(&mut four);
            blocks.copy_from_slice(&four[..blocks.len()]);
        })
    }
}

#[test]
fn two_passes() {
    two_passes_by::<Blocks1<NeonAesSha3>>();
    two_passes_by::<FourPowers<Blocks1<NeonAesSha3>>>();
}

/// Its groups are of four blocks, and all counters are computed in memory.
fn two_passes_by<F: Factor<Blocks1<NeonAesSha3>> + 'static>() {
    crypts::<TwoPasses<F>>(Case { aad: 16, ..CASE }, &[Fault::Xored, Fault::Product]);
    crypts::<TwoPasses<F>>(Case { parts: &[10], ..CASE }, &[Fault::Move, Fault::Inverse]);
    for (i, len) in (0..200).step_by(7).chain([15, 16, 48, 64, 128, 300]).enumerate() {
        let case = Case { rounds: [10, 12, 14][i % 3], aad: len * 3 % 140, apart: i % 2 == 0, ..CASE };
        for seal in [true, false] {
            crypts::<TwoPasses<F>>(Case { seal, parts: &[len], ..case }, &[]);
        }
        crypts::<TwoPasses<F>>(Case { parts: &[len / 16 * 16, len], ..case }, &[]);
    }
    let counters = [0, 1, 2, 3, 4];
    for len in [1, 33, 64] {
        crypts::<TwoPasses<F>>(
            Case { parts: &[len], start: Start::Hashed, counters: &counters, ..CASE },
            &[],
        );
    }
    crypts::<TwoPasses<F>>(Case { parts: &[100], start: Start::Later(u32::MAX - 3), ..CASE }, &[]);
    [1, 16, 21, 80].into_iter().for_each(hashes_nonces::<TwoPasses<F>>);
}

/// The lengths of one kernel's group and vector.
#[derive(Clone, Copy)]
struct Size {
    vector: usize,
    group: usize,
    /// The shortest text that is processed by groups.
    long: usize,
}

impl Size {
    const fn new(n: usize) -> Self {
        let group = 128 * n;
        Self { vector: 16 * n, group, long: if n == 4 { 4 * group } else { 2 * group } }
    }

    /// Every number of blocks of a group, with rests unless they fill vectors, and groups before them.
    fn texts(self) -> Vec<usize> {
        let Self { vector, group, long } = self;
        let fill = |blocks: usize| blocks.is_multiple_of((vector / 16).max(2));
        let rest = |blocks: usize| if fill(blocks) { 0 } else { 1 + blocks * 7 % 15 };
        let mut lens: Vec<usize> =
            (0..=group.max(256) / 16).map(|blocks| 16 * blocks + rest(blocks)).collect();
        lens.extend([group + 1, group + vector + 5, long - 1, long, long + 17, long + group + 1]);
        lens
    }
}

/// Proves a kernel over vectors of N blocks.
fn gcm<K: Shape + Kernel>(n: usize) {
    let Size { vector, group, long } = Size::new(n);
    for key_len in [16, 24, 32] {
        prepares::<K>(key_len);
    }
    // Faults in the hash of additional data, in the key stream, and in the counters.
    let two_vectors = [vector + 1];
    for (case, faults) in [
        (Case { aad: 16, ..CASE }, [Fault::Xored, Fault::Product].as_slice()),
        (Case { parts: &[40], ..CASE }, &[Fault::Move, Fault::Xored, Fault::Inverse]),
        (
            Case { parts: &two_vectors, start: Start::Hashed, counters: &[u32::MAX, 0], ..CASE },
            &[Fault::Carry],
        ),
    ] {
        crypts::<K>(case, faults);
    }
    for (i, len) in Size::new(n).texts().into_iter().enumerate() {
        let [rounds, aad] = [[10, 12, 14][i % 3], [0, i * 7 % 16, 16, i * 11 % 100][i % 4]];
        let start = if i % 5 == 2 { Start::Later(i as u32 * 0x0123_4567) } else { Start::Nonce };
        let known = [0, 32][i / 5 % 2];
        let case = Case { rounds, start, known, aad, parts: &[len], apart: i % 2 == 0, ..CASE };
        // Short ones in turns.
        for seal in [true, false].into_iter().filter(|&seal| len > group || seal == (i / 2 % 2 == 0)) {
            crypts::<K>(Case { seal, ..case }, &[]);
        }
    }
    let mut random = Random::of_this_run();
    let [aad, len, at] = [80, group + 100, 1 << 32].map(|end| random.below(end));
    let case = Case { rounds: 10 + 2 * random.below(3), aad, start: Start::Later(at as u32), ..CASE };
    for seal in [true, false] {
        crypts::<K>(Case { seal, parts: &[len], ..case }, &[]);
    }
    // More additional data than there are powers, and messages in parts.
    let of_parts: [(usize, &[usize]); 6] = [
        (600, &[20]),
        (300, &[long + 1]),
        (40, &[0, 20]),
        (3, &[16, 5]),
        (0, &[48, long + 16, 0]),
        (17, &[long, 16, group + vector + 1]),
    ];
    for (i, (aad, parts)) in of_parts.into_iter().enumerate() {
        crypts::<K>(Case { rounds: [14, 12, 10][i % 3], aad, parts, ..CASE }, &[]);
    }
    // After hashed nonces. Counts begin one block before the message's first.
    let after = [group, long].map(|len| [u32::MAX, 0, len as u32 / 16 - 1]);
    let of_parts: [(&[u32], &[usize]); 3] =
        [(&[u32::MAX, 0], &[group - 1]), (&after[1], &[long + 5]), (&after[0], &[group, 7])];
    for (counters, parts) in of_parts {
        for rounds in [10, 12, 14] {
            crypts::<K>(Case { rounds, parts, start: Start::Hashed, counters, ..CASE }, &[]);
        }
    }
    // Later parts: counters are aligned to groups or not, carry, and wrap.
    for (blocks, len) in
        [(0xffff, long + 5), (0x0100_0000 - group as u32 / 8, group + 5), (u32::MAX - 3, long + 5)]
    {
        crypts::<K>(Case { parts: &[len], start: Start::Later(blocks), ..CASE }, &[]);
    }
    [1, 8, 16, 21, 60].into_iter().for_each(hashes_nonces::<K>);
}

/// Proves messages side by side: as many blocks in each, and others.
fn many<K: Shape + Kernel>(n: usize) {
    for (i, [aad, text]) in [[0, 0], [5, 1], [48, 64], [17, 99], [0, 177]].into_iter().enumerate() {
        // As many blocks, whole and not.
        let message = |j: usize| [aad, text].map(|len: usize| len.next_multiple_of(16).min(len + j));
        let messages: Vec<_> = (0..2 * n).map(message).collect();
        for seal in [true, false] {
            crypts_many::<K>(true, seal, [10, 12, 14][i % 3], &messages);
        }
    }
    let lens = [448, 0, 256, 300, 5, 191, 447, 16, 320];
    let messages: Vec<_> = (0..4 * n + 2).map(|i| [i * 13 % 49, lens[i % lens.len()]]).collect();
    crypts_many::<K>(false, true, 14, &messages);
    crypts_many::<K>(false, false, 10, &messages[..4 * n]);
    crypts_many::<K>(false, true, 12, &messages[..5]);
}

#[test]
fn powers_of_h() {
    for count in [1, 5, 17, 32] {
        powers::<Blocks4, 4>(0, count, &[]);
        powers::<Blocks2, 2>(0, count, &[]);
        powers::<Blocks1, 1>(0, count, &[]);
        for known in [4, 8, 16] {
            powers::<Blocks4, 4>(known, count, &[]);
            powers::<Blocks2, 2>(known, count, &[]);
        }
    }
    let faults = [Fault::Xored, Fault::Product, Fault::Move];
    powers::<Blocks4, 4>(0, 4, &faults);
    powers::<Blocks2, 2>(0, 4, &faults);
    powers::<Blocks1, 1>(0, 4, &faults[..2]);
}

/// Proves kernels, which are named as in the list. Those that differ only in the instruction set are one. One
/// that has a narrower form takes seconds and is ignored.
macro_rules! proofs {
    ($($name:ident: $Kernel:ty $(= $Same:ty)?; $n:literal $(, $many:ident $(, $ignore:ident)?)?)+) => {
        /// `Portable` is the loop that `two_passes` is about, with bitsliced AES, which is proved alone.
        pub(crate) const PROVED: (&str, &[&str]) =
            ("aes-gcm", &[$(stringify!($Kernel), $(stringify!($Same),)?)+ "Portable"]);
        $(
        mod $name {
            use super::*;

            $( const _: fn(&$Same) -> &$Kernel = |same| same; )?

            #[test]
            $($( #[$ignore = "takes seconds"] )?)?
            fn one_by_one() {
                gcm::<$Kernel>($n);
            }

            $(
                #[test]
                $( #[$ignore = "takes seconds"] )?
                fn $many() {
                    many::<$Kernel>($n);
                }
            )?

            #[test]
            #[ignore = "takes minutes"]
            fn every_length() {
                super::every_length::<$Kernel>($n);
            }
        }
        )+
    };
}
proofs! {
    blocks_4: Fused<Blocks4, 4>; 4, side_by_side, ignore
    blocks_2: Fused<Blocks2, 2>; 2, side_by_side
    blocks_1: Fused<Blocks1<AesNi>, 1> = Fused<Blocks1, 1>; 1
    blocks_1_with_xor3: Fused<Blocks1<NeonAesSha3>, 1>; 1
}

/// Texts of 0 to 1,200 bytes, and additional data of 0 to 300.
fn every_length<K: Shape + Kernel>(n: usize) {
    let proves = |i: usize, aad: usize, len: usize| {
        let case =
            Case { rounds: [10, 12, 14][i % 3], aad, parts: &[len], apart: i.is_multiple_of(2), ..CASE };
        for seal in [true, false] {
            crypts::<K>(Case { seal, ..case }, &[]);
        }
    };
    (0..=1200).for_each(|len| proves(len, len * 7 % 301, len));
    for aad in 0..=300 {
        [0, 33, 128 * n + 1].into_iter().enumerate().for_each(|(i, len)| proves(aad + i, aad, len));
    }
    if n > 1 {
        let lens = [0, 1, 16, 40, 192];
        for i in 0..lens.len().pow(4) {
            let message = |j: u32| [[0, 16, 48][j as usize % 3], lens[i / lens.len().pow(j) % lens.len()]];
            let messages: Vec<_> = (0..4).map(message).collect();
            crypts_many::<K>(false, i.is_multiple_of(2), [10, 12, 14][i % 3], &messages);
        }
    }
}
