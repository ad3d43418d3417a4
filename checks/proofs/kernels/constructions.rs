//! Proves that HMAC, HKDF, PBKDF2, and hashes of one message or many, in pieces or at once, compute what the
//! standards say, for any compression function and any kernels.
//!
//! The compression function here is *free*: the only thing known about a value is from which inputs it was
//! computed. What is proved for it also holds for SHA-1's and SHA-2's, whose kernels are proved in
//! [`sha`](super::sha).

use super::lanes::Recorded;
use super::prove::{Fault, prove_in};
use super::record::{Op, input_bytes, load, node, output};
use super::sha::{Inputs, Standard, big_endian, digest, finish};
use super::symbols::{Memory, Symbol};
use super::words::{Piece, Word, Words};
use crate::backend::{Backends, Cost, Entry};
use crate::hash::compression::{Compression, Kernel, Variant, compiled_here};
use crate::hash::{Function, Hasher};
use crate::hkdf::Prk;
use crate::hmac::{Hmac, HmacKey, mac_each};
use crate::pbkdf2::{self, Job};
use core::num::NonZeroU32;

type State = [Symbol<u32>; 8];

const BLOCK_LEN: usize = 64;

const INITIAL: State = {
    let mut state = [Symbol::Known(0); 8];
    let mut i = 0;
    while i < 8 {
        state[i] = Symbol::Known(1 + i as u32);
        i += 1;
    }
    state
};

/// A kernel of the free function.
struct Model;

impl<C: Compression<State = State, Block = [u8; BLOCK_LEN]>> Kernel<C> for Model {
    fn compress(&self, state: &mut State, blocks: &[[u8; BLOCK_LEN]]) {
        for block in blocks {
            let block = block.as_chunks().0.iter().map(|word| load(u32::from_be_bytes(*word).into(), 4));
            let operands = state.map(Memory::node).into_iter().chain(block);
            let all = operands.reduce(|x, y| node(Op::Call(x, y), 4)).expect("operands");
            *state = core::array::from_fn(|i| Memory::of(node(Op::Call(all, load(i as u64, 4)), 4)));
        }
    }

    fn compress_many(&self, states: &mut [State], messages: &[&[[u8; BLOCK_LEN]]]) {
        assert!(states.len() == messages.len());
        for (state, blocks) in states.iter_mut().zip(messages) {
            assert!(!blocks.is_empty() && blocks.len() == messages[0].len());
            Kernel::<C>::compress(self, state, blocks);
        }
    }
}

/// Hashes over the free function. Each has a list of its own, of what its kernels cost.
macro_rules! hashes {
    ($($Core:ident $Hash:ident $len:literal: [$($cost:tt),+];)+) => { $(
        #[derive(Clone, Copy, Debug)]
        struct $Core;

        impl Compression for $Core {
            type Word = Symbol<u32>;
            type Vector = Recorded<u32, 1>;
            type State = State;
            type Block = [u8; BLOCK_LEN];
            const WORD_LEN: usize = 4;
            const STATE_LEN: usize = 32;
            const ZERO_STATE: State = [Symbol::Known(0); 8];
            const ANSWER: State = Self::ZERO_STATE;
            type Chosen = dyn Kernel<Self>;

            fn backends() -> &'static Backends<Self::Chosen> {
                static LIST: Backends<dyn Kernel<$Core>> = Backends::new(
                    "free",
                    &[$(Entry { name: "model", cost: [Cost $cost; 2], usable: || true, kernel: &Model }),+],
                    &[|_| true],
                );
                &LIST
            }

            compiled_here!();
        }

        impl Standard for $Core {
            fn compress(words: &mut Words, state: &[Word], block: &[Word]) -> Vec<Word> {
                let operands = [state, block].concat();
                let all = operands.into_iter().reduce(|x, y| words.call(x, y)).expect("operands");
                (0..8).map(|i| { let i = words.constant(i); words.call(all, i) }).collect()
            }
        }

        #[derive(Clone, Copy)]
        struct $Hash;

        impl Function for $Hash {
            type Output = [u8; $len];
            const NAME: &'static str = "free";
            type Core = $Core;
            const VARIANT: &'static Variant<$Core> = &Variant { initial: INITIAL, digest_len: $len };
            const ID: u8 = 250;
        }

        impl Free for $Hash {}
    )+ };
}
hashes! {
    // As the portable kernel, the CPU's instructions, and lanes for many messages beside either.
    Alone AloneHash 32: [{ alone: 100, together: 100, lanes: 1 }];
    Instructions InstructionsHash 32: [{ alone: 300, together: 400, lanes: 2 }];
    Lanes LanesHash 32: [{ alone: 1500, together: 1500, lanes: 4 }, { alone: 700, together: 700, lanes: 1 }];
    Both BothHash 32: [{ alone: 520, together: 520, lanes: 16 }, { alone: 127, together: 220, lanes: 2 }];
    Truncated TruncatedHash 28: [{ alone: 1500, together: 1500, lanes: 4 }, { alone: 700, together: 700, lanes: 1 }];
}

trait Free: Function<Core: Standard> {}

/// FIPS 180-4 §6: the digest of a message.
fn hashed<F: Free>(words: &mut Words, message: &[Piece]) -> Vec<Piece> {
    let initial = (1..=8).map(|i| words.constant(i)).collect();
    let state = finish::<F::Core>(words, initial, message.to_vec(), message.len() as u64);
    digest::<F::Core>(words, &state, Hasher::<F>::OUTPUT_LEN)
}

/// Returns the bytes of big-endian words.
fn bytes_of(words: &Words, big_endian: &[Word]) -> Vec<Piece> {
    big_endian.iter().flat_map(|&word| (0..4).rev().map(move |i| words.byte(word, i))).collect()
}

/// RFC 2104 §2.
fn hmac<F: Free>(words: &mut Words, key: &[Piece], message: &[Piece]) -> Vec<Piece> {
    let mut key = if key.len() > BLOCK_LEN { hashed::<F>(words, key) } else { key.to_vec() };
    key.resize(BLOCK_LEN, Piece::Known(0));
    let key = big_endian::<F::Core>(words, &key);
    let [inner, outer] = [0x3636_3636, 0x5c5c_5c5c].map(|pad| {
        let pad = words.constant(pad);
        let padded: Vec<Word> = key.iter().map(|&word| words.xor(word, pad)).collect();
        bytes_of(words, &padded)
    });
    let inner = hashed::<F>(words, &[&inner, message].concat());
    hashed::<F>(words, &[outer, inner].concat())
}

/// RFC 8018 §5.2.
fn pbkdf2<F: Free>(
    words: &mut Words,
    password: &[Piece],
    salt: &[Piece],
    iterations: u32,
    len: usize,
) -> Vec<Piece> {
    let mut key = Vec::new();
    for block in 1..=len.div_ceil(Hasher::<F>::OUTPUT_LEN) as u32 {
        let number = block.to_be_bytes().map(Piece::Known);
        let mut u = hmac::<F>(words, password, &[salt, &number].concat());
        let mut sum = big_endian::<F::Core>(words, &u);
        for _ in 1..iterations {
            u = hmac::<F>(words, password, &u);
            let u = big_endian::<F::Core>(words, &u);
            sum = sum.iter().zip(u).map(|(&x, y)| words.xor(x, y)).collect();
        }
        key.extend(bytes_of(words, &sum));
    }
    key.truncate(len);
    key
}

/// RFC 5869 §2.3.
fn hkdf_expand<F: Free>(words: &mut Words, prk: &[Piece], info: &[Piece], len: usize) -> Vec<Piece> {
    let (mut out, mut block) = (Vec::new(), Vec::new());
    for number in 1..=len.div_ceil(Hasher::<F>::OUTPUT_LEN) as u8 {
        block = hmac::<F>(words, prk, &[&block, info, &[Piece::Known(number)]].concat());
        out.extend(&block);
    }
    out.truncate(len);
    out
}

/// Returns a piece of memory as words of the output.
pub(super) fn outputs(bytes: &[u8]) {
    for chunk in bytes.chunks(4) {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        output(u32::from_be_bytes(word).into(), 4);
    }
}

/// Proves what is made of inputs of these lengths, and that the proof notices `faults`.
fn prove(
    faults: &[Fault],
    lens: &[usize],
    kernel: impl Fn(&[Vec<u8>]) -> Vec<u8>,
    standard: impl FnOnce(&mut Words, &[Vec<Piece>]) -> Vec<Piece>,
) {
    prove_in(
        &mut Words::new(4),
        faults,
        || outputs(&kernel(&lens.iter().map(|&len| input_bytes(len)).collect::<Vec<_>>())),
        |words| {
            let mut inputs = Inputs(0);
            let inputs: Vec<_> = lens.iter().map(|&len| inputs.bytes(words, len)).collect();
            let mut expected = standard(words, &inputs);
            expected.resize(expected.len().next_multiple_of(4), Piece::Known(0));
            big_endian::<Alone>(words, &expected)
        },
    );
}

/// Every way to hash one message, of all lengths to three blocks and at some splits.
fn one_message<F: Free>() {
    for len in 0..=3 * BLOCK_LEN {
        let faults: &[Fault] = if len == 100 { &[Fault::Operand, Fault::Move] } else { &[] };
        prove(faults, &[len], |m| Hasher::<F>::digest(&m[0]).as_ref().into(), |w, m| hashed::<F>(w, &m[0]));
        prove(
            &[],
            &[len],
            |m| {
                let mut hash = Hasher::<F>::new();
                let (first, rest) = m[0].split_at(len / 3);
                hash.update(first);
                rest.chunks(50).for_each(|piece| hash.update(piece));
                hash.finalize().as_ref().into()
            },
            |w, m| hashed::<F>(w, &m[0]),
        );
    }
}

/// Computes a tag, of a key and a message.
type Mac<'a, F> = &'a dyn Fn(&[u8], &[u8]) -> <F as Function>::Output;

/// Every way to compute one tag.
fn one_tag<F: Free>() {
    for key in [0, 1, 32, BLOCK_LEN - 1, BLOCK_LEN, BLOCK_LEN + 1, 3 * BLOCK_LEN] {
        for len in [0, 1, 20, 55, 56, 63, 64, 65, 119, 120, 128, 200] {
            let all: &[Fault] = &[Fault::Operand, Fault::Move, Fault::Constant];
            let faults = if (key, len) == (32, 20) { all } else { &[] };
            let standard = |w: &mut Words, m: &[Vec<Piece>]| hmac::<F>(w, &m[0], &m[1]);
            let prove = |faults: &[Fault], kernel: Mac<'_, F>| {
                prove(faults, &[key, len], |m| kernel(&m[0], &m[1]).as_ref().into(), standard);
            };
            prove(faults, &|key, message| HmacKey::<Hasher<F>>::new(key).mac(message));
            prove(&[], &|key, message| {
                let mut mac = Hmac::<Hasher<F>>::new(key);
                message.chunks(30).for_each(|piece| mac.update(piece));
                mac.finalize()
            });
            prove(&[], &|key, message| {
                let (first, rest) = message.split_at(len / 2);
                HmacKey::<Hasher<F>>::new(key).mac_parts(&[first, &[], rest])
            });
            prove(&[], &|key, message| {
                let key = HmacKey::<Hasher<F>>::new(key).export();
                HmacKey::<Hasher<F>>::import(&key).expect("a key").mac(message)
            });
        }
    }
}

/// The lengths of `count` messages.
fn mixed(count: usize) -> Vec<usize> {
    const LENS: [usize; 11] = [20, 300, 0, 64, 55, 56, 130, 1, 119, 640, 64];
    (0..count).map(|i| LENS[i % LENS.len()]).collect()
}

/// Batches of any number of messages, of equal and of mixed lengths.
fn batches<F: Free>() {
    for count in [0, 1, 2, 3, 5, 6, 7, 15, 16, 17, 18, 40] {
        for lens in [vec![20; count], vec![256; count], mixed(count)] {
            let faults: &[Fault] = if count == 17 { &[Fault::Operand, Fault::Move] } else { &[] };
            let out = vec![Hasher::<F>::digest(&[]); count];
            let flat = |out: &[F::Output]| out.iter().flat_map(|out| out.as_ref().to_vec()).collect();
            prove(
                faults,
                &lens,
                |m| {
                    let mut out = out.clone();
                    Hasher::<F>::digest_many(m, &mut out).expect("equal numbers");
                    flat(&out)
                },
                |w, m| m.iter().flat_map(|m| hashed::<F>(w, m)).collect(),
            );
            for prefix in [1, 63, 64, 70] {
                prove(
                    &[],
                    &[&[prefix], lens.as_slice()].concat(),
                    |m| {
                        let (mut out, mut hash) = (out.clone(), Hasher::<F>::new());
                        hash.update(&m[0]);
                        hash.finalize_many(&m[1..], &mut out).expect("equal numbers");
                        flat(&out)
                    },
                    |w, m| {
                        m[1..]
                            .iter()
                            .flat_map(|suffix| hashed::<F>(w, &[&m[0][..], suffix].concat()))
                            .collect()
                    },
                );
            }
            prove(
                &[],
                &lens,
                |m| {
                    let mut hashes = vec![Hasher::<F>::new(); count];
                    for (i, hash) in hashes.iter_mut().enumerate() {
                        hash.update(&m[i][..m[i].len() / 3 * (i % 2)]);
                    }
                    let rest: Vec<_> =
                        m.iter().enumerate().map(|(i, m)| &m[m.len() / 3 * (i % 2)..]).collect();
                    Hasher::<F>::update_many(&mut hashes, &rest).expect("equal numbers");
                    hashes.into_iter().flat_map(|hash| hash.finalize().as_ref().to_vec()).collect()
                },
                |w, m| m.iter().flat_map(|m| hashed::<F>(w, m)).collect(),
            );
            // Message i has the key before it, of 32 bytes.
            let pairs: Vec<usize> = lens.iter().flat_map(|&len| [32, len]).collect();
            prove(
                faults,
                &pairs,
                |m| {
                    let (mut out, pairs) = (out.clone(), m.as_chunks::<2>().0);
                    let keys: Vec<_> = pairs.iter().map(|[key, _]| HmacKey::<Hasher<F>>::new(key)).collect();
                    let jobs: Vec<_> = keys.iter().zip(pairs).map(|(key, [_, m])| (key, &m[..])).collect();
                    mac_each(&jobs, &mut out).expect("equal numbers");
                    flat(&out)
                },
                |w, m| m.as_chunks().0.iter().flat_map(|[key, m]| hmac::<F>(w, key, m)).collect(),
            );
        }
    }
}

/// PBKDF2 of jobs whose keys have different lengths, and HKDF.
fn derived<F: Free>() {
    let lens = [Hasher::<F>::OUTPUT_LEN, 5, 3 * Hasher::<F>::OUTPUT_LEN + 1, 0, 20 * Hasher::<F>::OUTPUT_LEN];
    for jobs in 1..=lens.len() {
        for iterations in 1..=3 {
            // A password and a salt for each job.
            let inputs: Vec<usize> = (0..jobs).flat_map(|job| [10 + 30 * job, 16 + 20 * job]).collect();
            let faults: &[Fault] = if iterations == 2 { &[Fault::Operand, Fault::Move] } else { &[] };
            prove(
                faults,
                &inputs,
                |m| {
                    let mut keys: Vec<Vec<u8>> = lens[..jobs].iter().map(|&len| vec![0; len]).collect();
                    let pairs = m.as_chunks::<2>().0.iter().zip(&mut keys);
                    let mut jobs: Vec<Job<'_>> =
                        pairs.map(|([password, salt], out)| Job { password, salt, out }).collect();
                    let iterations = NonZeroU32::new(iterations).expect("some");
                    pbkdf2::derive_many::<Hasher<F>>(&mut jobs, iterations).expect("short keys");
                    keys.concat()
                },
                |w, m| {
                    let pairs = m.as_chunks::<2>().0.iter().zip(lens);
                    pairs.flat_map(|([p, s], len)| pbkdf2::<F>(w, p, s, iterations, len)).collect()
                },
            );
        }
    }
    for (info, len) in [
        (0, Hasher::<F>::OUTPUT_LEN),
        (10, 1),
        (10, 3 * Hasher::<F>::OUTPUT_LEN - 1),
        (200, 100),
        (3, 255 * 28),
    ] {
        prove(
            &[Fault::Operand, Fault::Move],
            &[13, 80, info],
            |m| {
                let mut out = vec![0; len];
                let (first, rest) = m[2].split_at(info / 2);
                Prk::<Hasher<F>>::extract(&m[0], &m[1])
                    .expand(&[first, rest], &mut out)
                    .expect("a short key");
                out
            },
            |w, m| {
                let prk = hmac::<F>(w, &m[0], &m[1]);
                hkdf_expand::<F>(w, &prk, &m[2], len)
            },
        );
    }
}

macro_rules! proofs {
    ($($name:ident: $Hash:ident;)+) => { $(
        #[test]
        fn $name() {
            one_message::<$Hash>();
            one_tag::<$Hash>();
            batches::<$Hash>();
            derived::<$Hash>();
        }
    )+ };
}
proofs! {
    one_at_a_time: AloneHash;
    by_instructions: InstructionsHash;
    in_lanes: LanesHash;
    by_instructions_and_in_lanes: BothHash;
    truncated: TruncatedHash;
}
