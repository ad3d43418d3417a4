//! ChaCha20-Poly1305: every kernel computes RFC 8439 §2.8, one message or many, sealed or opened.
//!
//! The cipher is recorded: each byte of the output is the standard's, whatever the key, the nonce and the
//! text.
//!
//! The hash computes with numbers, by the list's shapes over the portable model of vectors. In each of the
//! runs, the tag must be Poly1305 ([`tag`], over integers of any length) of the numbers that the
//! additional data and the ciphertext have in that run, under the one-time key: the names of nodes that are
//! block 0 of the key stream. All these bytes are random and differ from run to run. A kernel that hashes
//! other bytes, in another order, or with another key has the right tag with a probability of about 2^-100
//! in each run, since Poly1305 is a polynomial in the key. What names cannot show is a carry that is lost
//! for few inputs; that no carry is lost in the hash's kernels is proved in `poly1305`.

use super::chacha20::{Portable, Streams};
use super::horner::rfc_8439;
use super::memory::{input_array, output_bytes, processed};
use super::prove::{Domain, Fault, refute};
use super::record::{Node, Trace, input_bytes, name, record};
use super::vectors::{Sse2, Ssse3, U32x4, U32x8, U32x16};
use super::words::{Word, Words};
use crate::aead::{self, Batch, Direction, Tag};
use crate::backend::Shape;
use crate::chacha20poly1305::by_words::crypt_by_words;
use crate::chacha20poly1305::fused::Fused;
use crate::chacha20poly1305::kernel::{Kernel, Part, Progress, lengths, one_by_one};
use crate::chacha20poly1305::sequential::Sequential;
use crate::chacha20poly1305::tile::Tiles;
use crate::poly1305;
use keylane_contracts::Random;
use std::cell::RefCell;

use hash::U64x8;

/// The hashes' shapes, named as in the list.
mod hash {
    use crate::poly1305::parallel::Parallel;
    use crate::poly1305::radix26::Radix26;
    use crate::poly1305::shapes;
    use keylane_cpu::lanes::portable::U64s;

    pub(super) type U64x8 = U64s<8>;
    pub(super) type Avx512 = shapes::Avx512<U64x8>;
    pub(super) type Avx2 = shapes::Avx2<U64s<4>>;
    pub(super) type Sse2 = shapes::Sse2<U64s<2>>;
    /// On x86 there is no such shape to name.
    pub(super) type Neon = Parallel<Radix26<U64s<2>>, 2, 32, 16>;
}

impl Kernel for Portable {
    fn crypt(&self, part: &mut Part<'_, '_>) {
        crypt_by_words(self, part);
    }

    fn crypt_many(&self, key: &[u8; 32], batch: &mut Batch<'_, '_>) {
        one_by_one(self, key, batch);
    }
}

/// Returns the tag of §2.8 under a one-time key.
fn tag(key: &[u8], aad: &[u8], ciphertext: &[u8]) -> Tag {
    let lengths = [aad.len() as u64, ciphertext.len() as u64].map(u64::to_le_bytes);
    let padded = |part: &[u8]| {
        let mut part = part.to_vec();
        part.resize(part.len().next_multiple_of(16), 0);
        part
    };
    let message = [padded(aad), padded(ciphertext), lengths.concat()].concat();
    rfc_8439(key.first_chunk().expect("32 bytes"), &message)
}

/// A message as it is in a run, and its ciphertext.
struct Owned {
    nonce: [u8; 12],
    aad: Vec<u8>,
    text: Vec<u8>,
    tag: Tag,
    ciphertext: Vec<u8>,
}

/// Proves messages with these lengths of additional data and text. After so many bytes of a text follows the
/// block of this number.
fn prove(
    streams: &mut Streams,
    direction: Direction,
    (lens, (first, later)): (&[(usize, usize)], (usize, u32)),
    faults: &[Fault],
    crypt: impl Fn(&[u8; 32], &mut [Owned]),
) {
    let runs = RefCell::new(Vec::new());
    let trace = record(&|| {
        let key = input_array();
        let new = |&(aad, text): &(usize, usize)| {
            let (nonce, aad, text) = (input_array(), input_bytes(aad), input_bytes(text));
            Owned { nonce, aad, ciphertext: text.clone(), text, tag: [0; 16] }
        };
        let mut messages: Vec<Owned> = lens.iter().map(new).collect();
        crypt(&key, &mut messages);
        for message in &mut messages {
            output_bytes(&message.text);
            if direction == Direction::Seal {
                message.ciphertext.clone_from(&message.text);
            }
        }
        runs.borrow_mut().push(messages);
    });

    let (mut expected, mut keys, mut at) = (Vec::new(), Vec::new(), 32);
    for &(aad, text) in lens {
        let (nonce, zero) = (at, streams.words.constant(0));
        keys.extend_from_slice(&streams.block(zero, nonce)[..8]);
        let pieces = streams.text(nonce + (12 + aad) as u32, text);
        let (first, rest) = pieces.split_at(first);
        expected.extend(streams.xor(1, nonce, first.iter().copied()));
        expected.extend(streams.xor(later, nonce, rest.iter().copied()));
        at += (12 + aad + text) as u32;
    }
    // Outputs are bytes of nodes that were in memory, and so are the one-time keys.
    let in_memory = Trace { outputs: trace.stored.iter().copied().collect(), ..trace.clone() };
    let values = streams.words.values(&in_memory);
    let node = |word: &Word| {
        let mut stored = trace.stored.iter().copied();
        stored.find(|&node| values[node as usize] == *word).expect("the one-time key")
    };
    let nodes: Vec<Node> = keys.iter().map(node).collect();
    let holds = |words: &Words, values: &[Word]| {
        words.output_bytes(&trace, values) == expected
            && nodes.iter().map(|&node| values[node as usize]).eq(keys.iter().copied())
    };
    assert!(holds(&streams.words, &values), "not what the standard says");
    let with_keys = Trace { outputs: [&trace.outputs[..], &nodes].concat(), ..trace.clone() };
    refute(&with_keys, &mut streams.words, &values, faults, holds);

    for (run, messages) in runs.into_inner().iter().enumerate() {
        for (message, nodes) in messages.iter().zip(nodes.chunks(8)) {
            let key: Vec<u8> =
                nodes.iter().flat_map(|&node| (0..4).map(move |i| name(node, i)[run])).collect();
            let Owned { aad, ciphertext, .. } = message;
            assert!(message.tag == tag(&key, aad, ciphertext), "the tag is not what the standard says");
            if !faults.is_empty() && run == 0 {
                refutes_other_tags(&key, message);
            }
        }
    }
}

/// Fails if a tag is that of a message with two blocks swapped, with another byte in a block, with other
/// lengths, or with another key.
fn refutes_other_tags(key: &[u8], message: &Owned) {
    let Owned { aad, ciphertext, .. } = message;
    let refute = |key: &[u8], aad: &[u8], text: &[u8]| assert!(message.tag != tag(key, aad, text));
    for at in (16..ciphertext.len() / 16 * 16).step_by(16) {
        let mut swapped = ciphertext.clone();
        swapped[at - 16..at + 16].rotate_left(16);
        refute(key, aad, &swapped);
    }
    let mut changed = [&aad[..], ciphertext].concat();
    for at in (0..changed.len()).step_by(15) {
        changed[at] ^= 1;
        refute(key, &changed[..aad.len()], &changed[aad.len()..]);
        changed[at] ^= 1;
    }
    changed.push(0);
    refute(key, aad, &changed[aad.len()..]);
    refute(key, &changed, &[]);
    let mut other = key.to_vec();
    // Of an empty message, the lowest bits of r are not in the tag.
    other[1] ^= 4;
    refute(&other, aad, ciphertext);
}

/// Proves a message whose text is passed in parts, in place or not. If a number is given, the second part
/// begins with that block.
fn one(
    kernel: &dyn Kernel,
    streams: &mut Streams,
    direction: Direction,
    (aad, parts, later): (usize, &[usize], Option<u32>),
    apart: bool,
    faults: &[Fault],
) {
    let gap = later.map_or((0, 1), |later| (parts[0], later));
    prove(streams, direction, (&[(aad, parts.iter().sum())], gap), faults, |key, messages| {
        let [Owned { nonce, aad, text, tag, .. }] = messages else { unreachable!("one message") };
        let mut message = Progress::new(key, nonce);
        let (input, lengths) = (text.clone(), lengths(aad.len(), text.len()));
        *text = processed(&input, apart, |mut all| {
            for (i, &part) in parts.iter().enumerate() {
                let aad = if i == 0 { &aad[..] } else { &[] };
                let end = if i == parts.len() - 1 { &lengths[..] } else { &[] };
                let text = all.take_front(part);
                kernel.crypt(&mut Part { direction, message: &mut message, aad, text, end });
                if let (0, Some(later)) = (i, later) {
                    message.counter = later;
                }
            }
        });
        *tag = message.tag();
    });
}

/// Proves messages side by side.
fn many(kernel: &dyn Kernel, streams: &mut Streams, lens: &[(usize, usize)], faults: &[Fault]) {
    for direction in BOTH {
        prove(streams, direction, (lens, (0, 1)), faults, |key, messages| {
            let mut tags = vec![[0; 16]; messages.len()];
            let mut borrowed: Vec<aead::Message<'_>> = messages
                .iter_mut()
                .map(|Owned { nonce, aad, text, tag, .. }| aead::Message { nonce, aad, text, tag })
                .collect();
            kernel.crypt_many(key, &mut Batch { direction, messages: &mut borrowed, tags: &mut tags });
            borrowed.iter_mut().zip(tags).for_each(|(message, tag)| *message.tag = tag);
        });
    }
}

const BOTH: [Direction; 2] = [Direction::Seal, Direction::Open(())];
const AADS: [usize; 7] = [0, 13, 16, 5, 509, 31, 128];

/// Proves one message, where groups have N blocks.
fn one_message(kernel: &dyn Kernel, n: usize) {
    let mut streams = Streams::new();
    // Shapes for few blocks change after an even number of them, so that each is run in both directions.
    for blocks in (0..=n + 2).chain(2 * n + 3 - n.min(4)..=2 * n + 2) {
        let len = 64 * blocks + [0, 1, 63, 16, 15, 40][blocks % 6];
        let apart = blocks % 4 < 2;
        one(kernel, &mut streams, BOTH[blocks % 2], (AADS[blocks % 7], &[len], None), apart, &[]);
    }
    let mut random = Random::of_this_run();
    let [aad, len, later] = [300, 192 * n, 1 << 31].map(|end| random.below(end));
    let parts = (aad, &[64 * (len / 192), len][..], Some(later as u32));
    one(kernel, &mut streams, BOTH[len % 2], parts, aad % 2 == 0, &[]);
    // Counters up to the last.
    let parts = (9, &[64, 64 * n + 128, 40][..], Some(u32::MAX - n as u32 - 2));
    one(kernel, &mut streams, Direction::Open(()), parts, false, &[]);
    for direction in BOTH {
        let mut one = |aad, parts: &[usize], apart, faults: &[Fault]| {
            one(kernel, &mut streams, direction, (aad, parts, None), apart, faults);
        };
        one(12, &[64 * (3 * n) + 17], false, &Fault::ALL);
        one(12, &[64, 64 * n, 64 * 3, 0], true, &[]);
        one(20, &[0, 64 * (n + 1), 64 * (2 * n), 1], false, &[]);
        one(5, &[64 * 21 - 7], true, &[]);
        // Longer than a piece.
        one(0, &[8 * 1024 + 100], false, &[]);
    }
}

/// Proves texts of all these lengths, and additional data of up to 300 bytes.
fn every_length(kernel: &dyn Kernel) {
    let mut streams = Streams::new();
    for direction in BOTH {
        let mut one = |aad, len, apart| one(kernel, &mut streams, direction, (aad, &[len], None), apart, &[]);
        for len in 0..=1200 {
            one(7 * len % 301, len, len % 2 == 0);
        }
        for aad in 0..=300 {
            one(aad, 3 * aad % 200, aad % 2 == 0);
        }
    }
}

/// Proves batches: of too few messages for lanes, and of messages some of which are too long. If lanes may
/// take several messages, also batches of messages that are about as long, with others after them or not. If
/// a lane may take a message, also of as many blocks of 13.
fn batches(kernel: &dyn Kernel, n: usize) {
    let mut streams = Streams::new();
    let mut many = |lens: &[usize], faults: &[Fault]| {
        let lens: Vec<_> = lens.iter().enumerate().map(|(i, &len)| (AADS[i % 7], len)).collect();
        many(kernel, &mut streams, &lens, faults);
    };
    many(&[0, 70, 1, 64, 129], &[]);
    many(&[0, 1, 64, 65, 200, 448, 600, 512, 63], &Fault::ALL);
    if n >= 8 {
        many(&core::array::from_fn::<_, 13, _>(|i| 60 + 5 * i), &Fault::ALL);
        many(&core::array::from_fn::<_, 22, _>(|i| if i < 16 { 126 + i % 4 } else { 60 * (i % 4) }), &[]);
        many(&core::array::from_fn::<_, 17, _>(|i| if i == 3 { 1600 } else { 45 * (i % 5) }), &[]);
    }
    if n == 16 {
        let few: Vec<_> = (0..13).map(|i| (1 + 5 * i, 64 - 4 * i)).collect();
        self::many(kernel, &mut streams, &few, &[]);
    }
}

/// Proves every mix of a few lengths, and messages that are about as long.
fn every_mix(kernel: &dyn Kernel) {
    let mut streams = Streams::new();
    for mix in 0..3_usize.pow(6) {
        let lens: Vec<_> = (0..6).map(|i| (AADS[i], [0, 65, 200][mix / 3_usize.pow(i as u32) % 3])).collect();
        many(kernel, &mut streams, &lens, &[]);
    }
    for len in 0..300 {
        let lens: Vec<_> = (0..13 + len % 6).map(|i| (AADS[(i + len) % 7] / 8, len + 11 * i % 64)).collect();
        many(kernel, &mut streams, &lens, &[]);
    }
}

/// Proves the kernels of the list, which are named as there. After the semicolon: the blocks of a group,
/// `every_mix` where messages are not processed one by one, and `ignore` where another kernel with the same
/// rows of blocks stands for this one.
macro_rules! proofs {
    ($($name:ident: $Kernel:ty; $n:literal $(, $every_mix:ident $(, $ignore:ident)?)?)+) => {
        pub(crate) const PROVED: (&str, &[&str]) = ("chacha20-poly1305", &[$(stringify!($Kernel)),+]);
        $(
            mod $name {
                use super::*;

                #[test]
                $($( #[$ignore = "takes seconds"] )?)?
                fn one_message() {
                    super::one_message(<$Kernel>::KERNEL, $n);
                }

                #[test]
                $($( #[$ignore = "takes seconds"] )?)?
                fn batches() {
                    super::batches(<$Kernel>::KERNEL, $n);
                }

                #[test]
                #[ignore = "takes long"]
                fn every_length() {
                    super::every_length(<$Kernel>::KERNEL);
                }

                $(
                    #[test]
                    #[ignore = "takes long"]
                    fn $every_mix() {
                        super::every_mix(<$Kernel>::KERNEL);
                    }
                )?
            }
        )+
    };
}
proofs! {
    sequential_ifma: Tiles<U32x16, U64x8>; 16, every_mix
    sequential_avx512: Sequential<U32x16, hash::Avx512, 16, 4>; 16, every_mix, ignore
    fused_avx2: Fused<U32x8, hash::Avx2, 8, 2, 3>; 8, every_mix
    fused_ssse3: Fused<U32x4<Ssse3>, hash::Sse2, 4, 1, 2>; 4
    sequential_sse2: Sequential<U32x4<Sse2>, hash::Sse2, 4, 1>; 4
    fused_arm: Fused<U32x4, hash::Neon, 4, 1, 2>; 4
    sequential_wasm: Sequential<U32x4, poly1305::Scalar, 4, 1>; 4
    by_words: Portable; 1
}
