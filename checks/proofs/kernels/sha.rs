//! SHA-1, SHA-256 and SHA-512: every kernel computes FIPS 180-4 §6, RFC 2104 and RFC 8018.

use super::constructions::outputs;
use super::lanes::Recorded;
use super::prove::{Fault, prove_in};
use super::record::{input_bytes, new_input, output, stored};
use super::sha2::{add, ch, maj, primes, root, sha256, sha512};
use super::symbols::{Memory, Symbolic};
use super::vectors::{
    Sha2Words, ShaWords, Ssse3, U32x4, U32x8, U32x16, U64x2, U64x4, U64x4Vl, U64x8, WordQuad,
};
use super::words::{Piece, Word, Words as Terms};
use crate::backend::Shape;
use crate::byte_array::ByteArray as _;
use crate::hash::Hash;
use crate::hash::compression::chain::Chain;
use crate::hash::compression::lanes::Lanes;
use crate::hash::compression::two_blocks::TwoBlocks;
use crate::hash::compression::words::Words;
use crate::hash::compression::{Compression, Kernel, MAX_LANES, Outer};
use crate::sha1::{Sha1, Sha1Core};
use crate::sha2::lanes::tests::SMALL;
use crate::sha2::{Sha224, Sha256, Sha256Core, Sha384, Sha512, Sha512_256, Sha512Core};
use keylane_cpu::Portable;
use std::collections::BTreeSet;

/// A hash's compression function as its standard has it, over terms.
pub(super) trait Standard: Compression<Word: Memory> {
    /// The number of words of a state.
    const STATE: usize = Self::STATE_LEN / Self::WORD_LEN;
    /// Whether sums of words in memory are recorded.
    const RECORDED: bool = false;
    fn compress(words: &mut Terms, state: &[Word], block: &[Word]) -> Vec<Word>;
}

macro_rules! standard_of_sha2 {
    ($Core:ident: $function:ident) => {
        impl Standard for $Core {
            fn compress(words: &mut Terms, state: &[Word], block: &[Word]) -> Vec<Word> {
                $function(words, state, block)
            }
        }
    };
}
standard_of_sha2!(Sha256Core: sha256);
standard_of_sha2!(Sha512Core: sha512);

/// §5.3: bytes that count, or roots. SHA-512/256's is the digest of its name after another initial value.
#[test]
fn initial_values() {
    let bytes = (0..8).map(|i| 0x22 * i + 1).chain((0..8).map(|i| 0xfe - 0x22 * i));
    let bytes: Vec<u8> = bytes.chain((0..4).map(|i| 0xf0 - 0xf * i)).collect();
    assert_eq!(
        Sha1::VARIANT.initial[..],
        *bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<_>>()
    );
    let roots: Vec<u64> = primes(16).map(|prime| root(prime, 2)).collect();
    let [first, ninth] = *roots.as_chunks::<8>().0 else { panic!("sixteen roots") };
    assert_eq!(Sha512::VARIANT.initial, first);
    assert_eq!(Sha384::VARIANT.initial, ninth);
    assert_eq!(Sha256::VARIANT.initial, first.map(|root| (root >> 32) as u32));
    assert_eq!(Sha224::VARIANT.initial, ninth.map(|root| root as u32));
    let mut state = first.map(|word| word ^ 0xa5a5_a5a5_a5a5_a5a5);
    Kernel::<Sha512Core>::finish(&Portable, &mut state, b"SHA-512/256", 11, None);
    assert_eq!(Sha512_256::VARIANT.initial, state);
}

impl Standard for Sha1Core {
    /// §6.1.2.
    fn compress(words: &mut Terms, state: &[Word], block: &[Word]) -> Vec<Word> {
        let mut w = block.to_vec();
        for t in 16..80 {
            let next = [w[t - 3], w[t - 8], w[t - 14], w[t - 16]].into_iter().reduce(|x, y| words.xor(x, y));
            w.push(words.rotate_right(next.expect("four words"), 31));
        }
        let [mut a, mut b, mut c, mut d, mut e] = *state else { panic!("five words") };
        for t in 0..80 {
            let parity = words.xor(b, c);
            let (f, k) = match t / 20 {
                0 => (ch(words, b, c, d), 0x5a82_7999),
                2 => (maj(words, b, c, d), 0x8f1b_bcdc),
                1 => (words.xor(parity, d), 0x6ed9_eba1),
                _ => (words.xor(parity, d), 0xca62_c1d6),
            };
            let (rotated, k) = (words.rotate_right(a, 27), words.constant(k));
            let t = add(words, &[rotated, f, e, k, w[t]]);
            (e, d, c, b, a) = (d, c, words.rotate_right(b, 2), a, words.seal(t));
        }
        [a, b, c, d, e].iter().zip(state).map(|(&x, &y)| words.add(x, y)).collect()
    }
}

macro_rules! standard_of_symbolic {
    ($($Core:ident),+) => { $(
        impl Standard for Symbolic<$Core> {
            const RECORDED: bool = true;

            fn compress(words: &mut Terms, state: &[Word], block: &[Word]) -> Vec<Word> {
                $Core::compress(words, state, block)
            }
        }
    )+ };
}
standard_of_symbolic!(Sha1Core, Sha256Core, Sha512Core);

/// Returns a new state.
fn new_state<C: Standard>() -> C::State {
    let mut state = C::ZERO_STATE;
    state.as_mut().fill_with(|| C::Word::of(new_input(C::WORD_LEN)));
    state
}

fn output_words<C: Standard>(words: &[C::Word]) {
    words.iter().for_each(|word| output(stored(word.node()), C::WORD_LEN));
}

/// Reads big-endian words.
pub(super) fn big_endian<C: Standard>(words: &mut Terms, bytes: &[Piece]) -> Vec<Word> {
    bytes.chunks(C::WORD_LEN).map(|word| words.bytes(word.iter().rev().copied().collect())).collect()
}

/// The terms of inputs that were made in the same order as these.
pub(super) struct Inputs(pub(super) u32);

impl Inputs {
    pub(super) fn words(&mut self, words: &mut Terms, count: usize) -> Vec<Word> {
        self.0 += count as u32;
        (self.0 - count as u32..self.0).map(|node| words.input(node)).collect()
    }

    pub(super) fn bytes(&mut self, words: &mut Terms, count: usize) -> Vec<Piece> {
        self.words(words, count).into_iter().map(|input| Piece::Of(input, 0)).collect()
    }
}

/// What §5.1 appends to a message.
fn padding<C: Compression>(len: u64) -> Vec<u8> {
    let block = C::BLOCK_LEN as u64;
    let zeros = (block - (len + 1 + C::LENGTH_LEN as u64) % block) % block;
    let mut padding = vec![0; 1 + zeros as usize + C::LENGTH_LEN];
    padding[0] = 0x80;
    let bits = (8 * u128::from(len)).to_be_bytes();
    padding[1 + zeros as usize..].copy_from_slice(&bits[16 - C::LENGTH_LEN..]);
    padding
}

/// Absorbs whole blocks.
pub(super) fn absorb<C: Standard>(words: &mut Terms, mut state: Vec<Word>, bytes: &[Piece]) -> Vec<Word> {
    for block in bytes.chunks(C::BLOCK_LEN) {
        let block = big_endian::<C>(words, block);
        state = C::compress(words, &state, &block);
    }
    state
}

/// Absorbs the end of a message of `len` bytes and its padding.
pub(super) fn finish<C: Standard>(
    words: &mut Terms,
    state: Vec<Word>,
    mut end: Vec<Piece>,
    len: u64,
) -> Vec<Word> {
    end.extend(padding::<C>(len).into_iter().map(Piece::Known));
    absorb::<C>(words, state, &end)
}

/// Returns the first bytes of a state.
pub(super) fn digest<C: Standard>(words: &Terms, state: &[Word], len: usize) -> Vec<Piece> {
    (0..len).map(|i| words.byte(state[i / C::WORD_LEN], C::WORD_LEN - 1 - i % C::WORD_LEN)).collect()
}

/// Proves that messages are absorbed side by side as alone.
fn compress_many<C: Standard, K: Shape + Kernel<C>>(messages: usize, blocks: usize) {
    prove_in(
        &mut Terms::new(C::WORD_LEN),
        if blocks < 3 { &Fault::ALL } else { &[] },
        || {
            let mut states: Vec<C::State> = (0..messages).map(|_| new_state::<C>()).collect();
            let data: Vec<_> = (0..messages).map(|_| input_bytes(blocks * C::BLOCK_LEN)).collect();
            let data: Vec<_> = data.iter().map(|data| C::Block::split(data).0).collect();
            K::KERNEL.compress_many(&mut states, &data);
            states.iter().for_each(|state| output_words::<C>(state.as_ref()));
        },
        |words| {
            let mut inputs = Inputs(0);
            let states: Vec<_> = (0..messages).map(|_| inputs.words(words, C::STATE)).collect();
            let absorbed = states.into_iter().map(|state| {
                let bytes = inputs.bytes(words, blocks * C::BLOCK_LEN);
                absorb::<C>(words, state, &bytes)
            });
            absorbed.collect::<Vec<_>>().concat()
        },
    );
}

/// Proves the end of messages, and HMAC's end (RFC 2104 §2).
fn finishes<C: Standard, K: Shape + Kernel<C>>(end: usize) {
    // A length in bits that fills more than 32 bits.
    let len = (C::BLOCK_LEN as u64) << 40 | end as u64;
    prove_in(
        &mut Terms::new(C::WORD_LEN),
        &[],
        || {
            let (mut state, end) = (new_state::<C>(), input_bytes(end));
            K::KERNEL.finish(&mut state, &end, len, None);
            output_words::<C>(state.as_ref());
        },
        |words| {
            let mut inputs = Inputs(0);
            let (state, end) = (inputs.words(words, C::STATE), inputs.bytes(words, end));
            finish::<C>(words, state, end, len)
        },
    );
}

fn hmac_finishes<C: Standard, K: Shape + Kernel<C>>(end: usize, digest_len: usize) {
    let len = (C::BLOCK_LEN as u64) << 40 | end as u64;
    prove_in(
        &mut Terms::new(C::WORD_LEN),
        &Fault::ALL,
        || {
            let (mut inner, outer, end) = (new_state::<C>(), new_state::<C>(), input_bytes(end));
            K::KERNEL.finish(&mut inner, &end, len, Some(&Outer { state: &outer, digest_len }));
            output_words::<C>(inner.as_ref());
        },
        |words| {
            let mut inputs = Inputs(0);
            let [inner, outer] = [(); 2].map(|()| inputs.words(words, C::STATE));
            let end = inputs.bytes(words, end);
            let inner = finish::<C>(words, inner, end, len);
            let digest = digest::<C>(words, &inner, digest_len);
            finish::<C>(words, outer, digest, (C::BLOCK_LEN + digest_len) as u64)
        },
    );
}

/// Proves HKDF's blocks (RFC 5869 §2.3), if the kernel makes them.
fn hkdf_expands<C: Standard, K: Shape + Kernel<C>>(info: usize, len: usize) -> bool {
    if !K::KERNEL.expand([&C::ZERO_STATE; 2], &vec![0; info], &mut vec![0; len]) {
        return false;
    }
    prove_in(
        &mut Terms::new(C::WORD_LEN),
        &Fault::ALL,
        || {
            let ([inner, outer], info) = ([(); 2].map(|()| new_state::<C>()), input_bytes(info));
            let mut out = vec![0; len];
            K::KERNEL.expand([&inner, &outer], &info, &mut out);
            outputs(&out);
        },
        |words| {
            let mut inputs = Inputs(0);
            let [inner, outer] = [(); 2].map(|()| inputs.words(words, C::STATE));
            let info = inputs.bytes(words, info);
            let (mut out, mut block) = (Vec::new(), Vec::new());
            for number in 1..=len.div_ceil(C::STATE_LEN) as u8 {
                let message = [&block[..], &info, &[Piece::Known(number)]].concat();
                let len = (C::BLOCK_LEN + message.len()) as u64;
                let state = finish::<C>(words, inner.clone(), message, len);
                let digest_of_it = digest::<C>(words, &state, C::STATE_LEN);
                let state =
                    finish::<C>(words, outer.clone(), digest_of_it, (C::BLOCK_LEN + C::STATE_LEN) as u64);
                block = digest::<C>(words, &state, C::STATE_LEN);
                out.extend(state);
            }
            out.truncate(len / C::WORD_LEN);
            out
        },
    );
    true
}

/// Proves iterations of PBKDF2 (RFC 8018 §5.2); of one, with a sum of zero before it.
fn iterate<C: Standard, K: Shape + Kernel<C>>(
    faults: &[Fault],
    chains: usize,
    digest_len: usize,
    iterations: u32,
) {
    let meaningful = digest_len / C::WORD_LEN;
    prove_in(
        &mut Terms::new(C::WORD_LEN),
        faults,
        || {
            let mut chains: Vec<Chain<C>> = (0..chains)
                .map(|_| {
                    let [inner, outer, u] = [(); 3].map(|()| new_state::<C>());
                    let sum = if iterations > 1 { new_state::<C>() } else { C::ZERO_STATE };
                    Chain { inner, outer, u, sum }
                })
                .collect();
            K::KERNEL.iterate(&mut chains, digest_len, iterations);
            for chain in chains {
                for state in [chain.u, chain.sum] {
                    output_words::<C>(&state.as_ref()[..meaningful]);
                }
            }
        },
        |words| {
            let mut inputs = Inputs(0);
            let mut result = Vec::new();
            for _ in 0..chains {
                let [inner, outer, mut u] = [(); 3].map(|()| inputs.words(words, C::STATE));
                let mut sum = match iterations {
                    1 => vec![words.constant(0); C::STATE],
                    _ => inputs.words(words, C::STATE),
                };
                for _ in 0..iterations {
                    for midstate in [&inner, &outer] {
                        let digest = digest::<C>(words, &u, digest_len);
                        u = finish::<C>(words, midstate.clone(), digest, (C::BLOCK_LEN + digest_len) as u64);
                    }
                    sum = sum.iter().zip(&u).map(|(&x, &y)| words.xor(x, y)).collect();
                }
                result.extend([&u[..meaningful], &sum[..meaningful]].concat());
            }
            result
        },
    );
}

/// Proves a kernel of up to N messages at a time, for digests of these lengths.
fn hash<C: Standard, K: Shape + Kernel<C>>(n: usize, digest_lens: &[usize]) {
    let counts: BTreeSet<usize> = [1, 2, 3, n / 2 + 1, n - 1, n, n + 1].into();
    for messages in counts.into_iter().filter(|&messages| messages > 0) {
        compress_many::<C, K>(messages, 1);
    }
    compress_many::<C, K>(n, 2);
    // A kernel that has more lanes than messages makes the padding in memory, as the portable one does.
    let few = [0, 1, C::BLOCK_LEN - C::LENGTH_LEN - 1, C::BLOCK_LEN - C::LENGTH_LEN, C::BLOCK_LEN];
    for end in if n < 5 { (0..=C::BLOCK_LEN).collect() } else { few.to_vec() } {
        finishes::<C, K>(end);
    }
    for &digest_len in digest_lens {
        hmac_finishes::<C, K>(5, digest_len);
        hmac_finishes::<C, K>(C::BLOCK_LEN - 1, digest_len);
        let whole = digest_len == C::STATE_LEN;
        // Instructions leave the sums of truncated digests to memory: of more than one, there is no record.
        let iterations = if whole || C::RECORDED { 2 } else { 1 };
        let chains = if whole { BTreeSet::from([1, n / 2, n - 1, n, n + 1]) } else { [n - 1, n].into() };
        for chains in chains.into_iter().filter(|chains| (1..=MAX_LANES).contains(chains)) {
            let faults: &[Fault] = if chains == n { &Fault::ALL } else { &[] };
            iterate::<C, K>(faults, chains, digest_len, iterations);
        }
    }
}

/// Proves a kernel of each shape for a message of so many blocks.
fn each_shape(blocks: usize) {
    compress_many::<Symbolic<Sha1Core>, Portable>(1, blocks);
    compress_many::<Symbolic<Sha1Core>, Lanes<Recorded<u32, 1>, 1, 1>>(1, blocks);
    compress_many::<Symbolic<Sha1Core>, TwoBlocks<U32x4<Ssse3>>>(1, blocks);
    compress_many::<Sha1Core, Words<ShaWords>>(1, blocks);
}

#[test]
fn hkdf_by_instructions() {
    fn prove<K: Shape + Kernel<Sha256Core>>() {
        // Of other lengths, the prover would have to add bytes inside words.
        for (info, len) in [(0, 32), (20, 32), (52, 32), (0, 68), (16, 68), (20, 40)] {
            assert!(hkdf_expands::<Sha256Core, K>(info, len));
        }
        assert!(!hkdf_expands::<Sha256Core, K>(55, 32) && !hkdf_expands::<Sha256Core, K>(23, 33));
    }
    prove::<Words<ShaWords>>();
    prove::<Words<Sha2Words>>();
}

#[test]
fn five_blocks() {
    each_shape(5);
}

/// SHA-2 as it is compiled where there is no operating system.
#[test]
fn small_form() {
    SMALL.set(true);
    compress_many::<Symbolic<Sha256Core>, Portable>(1, 2);
    compress_many::<Symbolic<Sha512Core>, Portable>(1, 2);
    SMALL.set(false);
}

/// More than a byte counts.
#[test]
#[ignore = "takes seconds"]
fn many_blocks() {
    each_shape(260);
}

/// Proves the kernels of a list, which are named as there. After the semicolon: the number of messages that a
/// kernel takes at a time. One that has a narrower form takes seconds and is ignored.
macro_rules! proofs {
    ($list:literal, digests $digests:expr;
        $($name:ident: $Kernel:ty as $Core:ty; $n:literal $(, $ignore:ident)?)+
    ) => {
        pub(crate) const PROVED: (&str, &[&str]) = ($list, &[$(stringify!($Kernel)),+]);
        $(
            #[test]
            $( #[$ignore = "takes seconds"] )?
            fn $name() {
                hash::<$Core, $Kernel>($n, &$digests);
            }
        )+
    };
}

pub(super) mod sha1 {
    use super::*;

    proofs! {
        "sha1", digests [20];
        lanes_16: Lanes<U32x16, 16, 1> as Symbolic<Sha1Core>; 16, ignore
        lanes_8: Lanes<U32x8, 8, 3, TwoBlocks<U32x8>> as Symbolic<Sha1Core>; 8, ignore
        lanes_4: Lanes<U32x4, 4, 3> as Symbolic<Sha1Core>; 4
        one_block: TwoBlocks<U32x4<Ssse3>> as Symbolic<Sha1Core>; 1
        instructions_of_x86: Words<ShaWords> as Sha1Core; 2
        four_by_instructions_of_x86: Words<ShaWords, 4> as Sha1Core; 4
        instructions_of_arm: Words<Sha2Words> as Sha1Core; 2
        portable: Portable as Symbolic<Sha1Core>; 1
    }
}

pub(super) mod sha256 {
    use super::*;

    proofs! {
        "sha256", digests [28, 32];
        lanes_16: Lanes<U32x16, 16, 1> as Symbolic<Sha256Core>; 16, ignore
        lanes_8: Lanes<U32x8, 8, 3, TwoBlocks<U32x8>> as Symbolic<Sha256Core>; 8, ignore
        lanes_4: Lanes<U32x4, 4, 3> as Symbolic<Sha256Core>; 4
        lanes_4_of_wasm: Lanes<U32x4, 4, 3, TwoBlocks<U32x4>> as Symbolic<Sha256Core>; 4
        one_block: TwoBlocks<U32x4<Ssse3>> as Symbolic<Sha256Core>; 1
        instructions_of_x86: Words<ShaWords> as Sha256Core; 2
        four_by_instructions_of_x86: Words<ShaWords, 4> as Sha256Core; 4
        instructions_of_arm: Words<Sha2Words> as Sha256Core; 2
        portable: Portable as Symbolic<Sha256Core>; 1
    }
}

pub(super) mod sha512 {
    use super::*;

    proofs! {
        "sha512", digests [32, 48, 64];
        lanes_8: Lanes<U64x8, 8, 3, TwoBlocks<U64x4Vl>> as Symbolic<Sha512Core>; 8, ignore
        lanes_4: Lanes<U64x4, 4, 3, TwoBlocks<U64x4>> as Symbolic<Sha512Core>; 4
        lanes_2: Lanes<U64x2, 2, 2> as Symbolic<Sha512Core>; 2
        instructions: Words<WordQuad> as Sha512Core; 2
        portable: Portable as Symbolic<Sha512Core>; 1
    }
}
