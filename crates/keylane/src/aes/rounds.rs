//! AES rounds over vectors of blocks (FIPS 197 §5.1, §5.3.5), W vectors at a time to hide the latency of the
//! rounds.

use super::{Kernel, KeyBytes, RoundKeys, key_schedule};
use crate::backend::Shape;
use crate::unroll::each;
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;
use keylane_cpu::in_out::{Group, InOut};
use keylane_cpu::lanes::{AesBlocks, AesWords, Blocks};
use keylane_cpu::wipe::Secret;

/// Rounds over vectors of N blocks, H = 4 × N or G = 8 × N blocks at a time.
pub(crate) struct Rounds<V, const N: usize, const H: usize, const G: usize>(PhantomData<fn() -> V>);

impl<V, const N: usize, const H: usize, const G: usize> Shape for Rounds<V, N, H, G>
where
    V: AesBlocks<N> + 'static,
{
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

impl<V, const N: usize, const H: usize, const G: usize> Kernel for Rounds<V, N, H, G>
where
    V: AesBlocks<N, One: AesWords> + 'static,
{
    fn expand(&self, key: KeyBytes<'_>, keys: &mut RoundKeys) {
        V::Isa::enter(
            #[inline(always)]
            |isa| {
                key_schedule::expand::<V::One>(isa, key, keys);
            },
        );
    }

    fn encrypt_blocks(&self, keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
        V::Isa::enter(
            #[inline(always)]
            |isa| encrypt_blocks::<V, N, G>(isa, keys, blocks),
        );
    }

    fn decrypt_blocks(&self, keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
        V::Isa::enter(
            #[inline(always)]
            |isa| decrypt_blocks::<V, N, H, G>(isa, keys, blocks),
        );
    }
}

/// Pins vectors of up to 256 bits. Otherwise LLVM keeps round keys in their sixteen registers and states on
/// the stack, and the order of AES among other instructions is worth 8 % (Zen 3). With 512 bits and
/// thirty-two registers LLVM's own order is 5 % better (Zen 5; 1 % on Zen 4).
#[inline(always)]
pub(crate) fn in_order<V: Blocks<N>, const N: usize>(vector: V) -> V {
    if const { N < 4 } { vector.pin() } else { vector }
}

/// Does all rounds but the last.
#[inline(always)]
pub(crate) fn encrypt<V: AesBlocks<N>, const N: usize, const W: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    states: &mut [V; W],
) {
    encrypt_both(isa, keys, states, &mut []);
}

/// Does all rounds but the last on two sets of vectors, interleaved.
#[inline(always)]
pub(crate) fn encrypt_both<V: AesBlocks<N>, const N: usize, const W: usize, const W2: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    states: &mut [V; W],
    others: &mut [V; W2],
) {
    let all = &keys.keys;
    macro_rules! both {
        ($step:ident $i:expr) => {{
            let key = V::broadcast(isa, &all[$i]);
            $step(key, states);
            $step(key, others);
        }};
    }
    // The CPU predicts this branch; it would not predict the address of the first key.
    if keys.rounds == 10 {
        both!(add 4);
    } else {
        if keys.rounds == 12 {
            both!(add 2);
        } else {
            both!(add 0);
            both!(round 1);
            both!(round 2);
        }
        both!(round 3);
        both!(round 4);
    }
    each!(I in [5 6 7 8 9 10 11 12 13] {
        both!(round I);
    });
}

/// As [`encrypt`], with ten rounds.
#[inline(always)]
pub(crate) fn encrypt_ten<V: AesBlocks<N>, const N: usize, const W: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    states: &mut [V; W],
) {
    add(V::broadcast(isa, &keys.keys[4]), states);
    each!(I in [5 6 7 8 9 10 11 12 13] {
        round(V::broadcast(isa, &keys.keys[I]), states);
    });
}

#[inline(always)]
pub(crate) fn add<V: Blocks<N>, const N: usize, const W: usize>(key: V, states: &mut [V; W]) {
    for j in 0..W {
        states[j] = states[j] ^ key;
    }
}

#[inline(always)]
pub(crate) fn round<V: AesBlocks<N>, const N: usize, const W: usize>(key: V, states: &mut [V; W]) {
    for j in 0..W {
        states[j] = in_order(states[j].encrypt_round(key));
    }
}

/// Encrypts every block: G = 8 × N at a time, then the rest.
#[inline(always)]
fn encrypt_blocks<V: AesBlocks<N>, const N: usize, const G: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    blocks: &mut [[u8; 16]],
) {
    let mut text = InOut::in_place(blocks.as_flattened_mut());
    while let Some(mut group) = text.take::<G>() {
        let mut states: [V; 8] = load_group(isa, &group);
        encrypt_wholly(isa, keys, &mut states);
        store_group(&mut group, &states);
    }
    while !text.is_empty() {
        let mut state = [text.load_front::<V, N>(isa)];
        encrypt_wholly(isa, keys, &mut state);
        text.store_front(state[0]);
    }
}

/// Does all rounds.
#[inline(always)]
fn encrypt_wholly<V: AesBlocks<N>, const N: usize, const W: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    states: &mut [V; W],
) {
    encrypt(isa, keys, states);
    let key = V::broadcast(isa, &keys.keys[14]);
    for j in 0..W {
        states[j] = states[j].encrypt_last_round(key);
    }
}

/// Decrypts every block: G = 8 × N at a time, then the rest.
#[inline(always)]
fn decrypt_blocks<V, const N: usize, const H: usize, const G: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    blocks: &mut [[u8; 16]],
) where
    V: AesBlocks<N, One: AesWords>,
{
    let mut text = InOut::in_place(blocks.as_flattened_mut());
    let mut inverse = Secret::new(RoundKeys::EMPTY);
    // The first vectors do not wait for the keys to come back from memory.
    let first = |i: usize| {
        let key = V::One::broadcast(isa, &keys.keys[i]).inverse_mix_columns();
        key.store(core::array::from_mut(&mut inverse.keys[i]));
        V::every(key)
    };
    if let Some(mut group) = text.take::<G>() {
        let mut states: [V; 8] = load_group(isa, &group);
        decrypt(isa, keys, first, &mut states);
        store_group(&mut group, &states);
    } else if let Some(mut group) = text.take::<H>() {
        let mut states: [V; 4] = load_group(isa, &group);
        decrypt(isa, keys, first, &mut states);
        store_group(&mut group, &states);
    } else if !text.is_empty() {
        let mut state = [text.load_front::<V, N>(isa)];
        decrypt(isa, keys, first, &mut state);
        text.store_front(state[0]);
    }
    let stored = |i: usize| V::broadcast(isa, &inverse.keys[i]);
    while let Some(mut group) = text.take::<G>() {
        let mut states: [V; 8] = load_group(isa, &group);
        decrypt(isa, keys, stored, &mut states);
        store_group(&mut group, &states);
    }
    while !text.is_empty() {
        let mut state = [text.load_front::<V, N>(isa)];
        decrypt(isa, keys, stored, &mut state);
        text.store_front(state[0]);
    }
}

/// Does all rounds of the equivalent inverse cipher (FIPS 197 §5.3.5). `middle` returns the keys between the
/// first and the last.
#[inline(always)]
fn decrypt<V: AesBlocks<N>, const N: usize, const W: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    mut middle: impl FnMut(usize) -> V,
    states: &mut [V; W],
) {
    add(V::broadcast(isa, &keys.keys[14]), states);
    each!(I in [13 12 11 10 9 8 7 6 5] {
        decrypt_round(middle(I), states);
    });
    if keys.rounds > 10 {
        decrypt_round(middle(4), states);
        decrypt_round(middle(3), states);
    }
    if keys.rounds > 12 {
        decrypt_round(middle(2), states);
        decrypt_round(middle(1), states);
    }
    let first = V::broadcast(isa, &keys.keys[14 - keys.rounds.clamp(10, 14)]);
    for j in 0..W {
        states[j] = states[j].decrypt_last_round(first);
    }
}

#[inline(always)]
fn decrypt_round<V: AesBlocks<N>, const N: usize, const W: usize>(key: V, states: &mut [V; W]) {
    for j in 0..W {
        states[j] = states[j].decrypt_round(key);
    }
}

#[inline(always)]
fn load_group<V: Blocks<N>, const N: usize, const G: usize, const W: usize>(
    isa: V::Isa,
    group: &Group<'_, G>,
) -> [V; W] {
    core::array::from_fn(
        #[inline(always)]
        |j| group.load(isa, N * j),
    )
}

#[inline(always)]
fn store_group<V: Blocks<N>, const N: usize, const G: usize, const W: usize>(
    group: &mut Group<'_, G>,
    states: &[V; W],
) {
    for j in 0..W {
        group.store(N * j, states[j]);
    }
}
