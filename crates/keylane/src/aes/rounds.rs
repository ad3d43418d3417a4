//! AES rounds over vectors of blocks (FIPS 197 §5.1, §5.3.5), W vectors at a time to hide the latency of the
//! rounds.

use super::{Kernel, KeyBytes, RoundKeys, key_schedule};
use crate::backend::Shape;
use crate::unroll::each;
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;
use keylane_cpu::in_out::{Group, InOut};
use keylane_cpu::lanes::{AesBlocks, AesWords, Blocks};
use keylane_cpu::pin::pin;
use keylane_cpu::wipe::Secret;

/// Rounds over vectors of N blocks.
pub(crate) struct Rounds<V, const N: usize>(PhantomData<fn() -> V>);

impl<V: AesBlocks<N> + 'static, const N: usize> Shape for Rounds<V, N> {
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);

    /// The round keys are computed by narrower vectors.
    fn is_usable() -> bool {
        V::Isa::is_usable() && <V::Words as Blocks<1>>::Isa::is_usable()
    }
}

impl<V: AesBlocks<N> + 'static, const N: usize> Kernel for Rounds<V, N> {
    fn expand(&self, key: KeyBytes<'_>) -> RoundKeys {
        expand::<V::Words>(key)
    }

    fn encrypt_blocks(&self, keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
        V::Isa::enter(
            #[inline(always)]
            |isa| encrypt_blocks::<V, N>(isa, keys, blocks),
        );
    }

    fn decrypt_blocks(&self, keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
        let mut inverse = Secret::new(RoundKeys::EMPTY);
        invert::<V::Words>(keys, &mut inverse);
        V::Isa::enter(
            #[inline(always)]
            |isa| decrypt_blocks::<V, N>(isa, &inverse, blocks),
        );
    }
}

/// Expands a key.
fn expand<V: AesWords>(key: KeyBytes<'_>) -> RoundKeys {
    V::Isa::enter(
        #[inline(always)]
        |isa| {
            let mut keys = RoundKeys::EMPTY;
            key_schedule::expand::<V, true>(isa, key, &mut keys);
            keys
        },
    )
}

/// Stores the keys of the equivalent inverse cipher, in the order of the cipher (FIPS 197 §5.3.5).
fn invert<V: AesWords>(keys: &RoundKeys, inverse: &mut RoundKeys) {
    V::Isa::enter(
        #[inline(always)]
        |isa| {
            let keys = keys.all();
            let places = inverse.set_rounds(keys.len() - 1);
            for (key, place) in keys.iter().zip(&mut *places) {
                V::broadcast(isa, key).inverse_mix_columns().store(core::array::from_mut(place));
            }
            places[0] = keys[0];
            places[keys.len() - 1] = keys[keys.len() - 1];
        },
    );
}

/// Pins vectors of up to 256 bits. Otherwise LLVM keeps round keys in the sixteen registers and states on the
/// stack, which costs 8 % (Zen 3). With 512-bit vectors and thirty-two registers, LLVM's own order is 5 %
/// faster (Zen 5; 1 % on Zen 4).
#[inline(always)]
pub(crate) fn in_order<V: Blocks<N>, const N: usize>(vector: V) -> V {
    if const { N < 4 } { vector.pin() } else { vector }
}

/// Returns the key at place `i` of fifteen, in every lane.
#[inline(always)]
pub(crate) fn key<V: Blocks<N>, const N: usize>(isa: V::Isa, keys: &RoundKeys, i: usize) -> V {
    V::broadcast(isa, &keys.keys[i])
}

/// Runs all rounds except the last.
#[inline(always)]
pub(crate) fn encrypt<V: AesBlocks<N>, const N: usize, const W: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    states: &mut [V; W],
) {
    // The CPU predicts this branch; it would not predict the address of the first key.
    if keys.rounds == 10 {
        add(key(isa, keys, 4), states);
    } else {
        if keys.rounds == 12 {
            add(key(isa, keys, 2), states);
        } else {
            add(key(isa, keys, 0), states);
            round(key(isa, keys, 1), states);
            round(key(isa, keys, 2), states);
        }
        round(key(isa, keys, 3), states);
        round(key(isa, keys, 4), states);
    }
    each!(I in [5 6 7 8 9 10 11 12 13] { round(key(isa, keys, I), states); });
}

/// Runs the rounds of [`encrypt`] in a loop of two at a time, which the CPU predicts. The compiler would
/// unroll it.
#[inline(always)]
pub(crate) fn encrypt_rolled<V: AesBlocks<N>, const N: usize, const W: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    states: &mut [V; W],
) {
    let first = 14_usize.wrapping_sub(keys.rounds) % 8;
    let [initial, next] = [0, 1].map(
        #[inline(always)]
        |i| V::broadcast(isa, &keys.keys[first + i]),
    );
    for state in &mut *states {
        *state = in_order((*state ^ initial).encrypt_round(next));
    }
    let bytes = keys.keys.as_flattened();
    let mut at = 16 * (first + 2);
    while at <= 16 * 12 {
        let pair: &[[u8; 16]; 2] = bytes[at..].as_chunks().0.first_chunk().expect("two of fifteen");
        for key in pair {
            let key = V::broadcast(isa, key);
            for state in &mut *states {
                *state = in_order(state.encrypt_round(key));
            }
        }
        at = pin(at as u64 + 32) as usize;
    }
}

/// Runs the rounds of [`encrypt`] for keys with ten rounds.
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

/// Encrypts every block: eight vectors at a time, then the rest.
#[inline(always)]
fn encrypt_blocks<V: AesBlocks<N>, const N: usize>(isa: V::Isa, keys: &RoundKeys, blocks: &mut [[u8; 16]]) {
    let mut text = InOut::in_place(blocks.as_flattened_mut());
    while let Some(mut group) = text.take::<N, 8>() {
        let mut states: [V; 8] = load(isa, &group);
        encrypt_wholly(isa, keys, &mut states);
        store(&mut group, &states);
    }
    while !text.is_empty() {
        let mut state = [text.load_front::<V, N>(isa)];
        encrypt_wholly(isa, keys, &mut state);
        text.store_front(state[0]);
    }
}

/// Runs all rounds.
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

/// Decrypts every block: eight vectors at a time, then four, then the rest.
#[inline(always)]
fn decrypt_blocks<V: AesBlocks<N>, const N: usize>(
    isa: V::Isa,
    inverse: &RoundKeys,
    blocks: &mut [[u8; 16]],
) {
    let mut text = InOut::in_place(blocks.as_flattened_mut());
    while let Some(mut group) = text.take::<N, 8>() {
        let mut states: [V; 8] = load(isa, &group);
        decrypt(isa, inverse, &mut states);
        store(&mut group, &states);
    }
    if let Some(mut group) = text.take::<N, 4>() {
        let mut states: [V; 4] = load(isa, &group);
        decrypt(isa, inverse, &mut states);
        store(&mut group, &states);
    }
    while !text.is_empty() {
        let mut state = [text.load_front::<V, N>(isa)];
        decrypt(isa, inverse, &mut state);
        text.store_front(state[0]);
    }
}

/// Runs all rounds of the equivalent inverse cipher (FIPS 197 §5.3.5), in a loop.
#[inline(always)]
fn decrypt<V: AesBlocks<N>, const N: usize, const W: usize>(
    isa: V::Isa,
    inverse: &RoundKeys,
    states: &mut [V; W],
) {
    add(V::broadcast(isa, &inverse.keys[14]), states);
    let first = 14 - inverse.rounds.clamp(10, 14);
    for round_key in inverse.keys[first + 1..14].iter().rev() {
        let round_key = V::broadcast(isa, round_key);
        for j in 0..W {
            states[j] = states[j].decrypt_round(round_key);
        }
    }
    let last = V::broadcast(isa, &inverse.keys[first]);
    for j in 0..W {
        states[j] = states[j].decrypt_last_round(last);
    }
}

#[inline(always)]
fn load<V: Blocks<N>, const N: usize, const W: usize>(isa: V::Isa, group: &Group<'_, N, W>) -> [V; W] {
    core::array::from_fn(
        #[inline(always)]
        |j| group.load(isa, j),
    )
}

#[inline(always)]
fn store<V: Blocks<N>, const N: usize, const W: usize>(group: &mut Group<'_, N, W>, states: &[V; W]) {
    for j in 0..W {
        group.store(j, states[j]);
    }
}
