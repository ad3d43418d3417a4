//! AES rounds over vectors of blocks (FIPS 197 §5.1, §5.3.5): W vectors at a time, so that the latency of one round is
//! hidden by the others'.

use super::RoundKeys;
use crate::unroll::each;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::{AesBlocks, AesWords, Blocks};

/// Pins vectors of up to 256 bits: with their sixteen registers LLVM would keep round keys there and states on the stack,
/// and the order of AES beside other instructions is worth 8 % (Zen 3). With 512 bits and thirty-two registers LLVM's own
/// order is 5 % better (Zen 5).
#[inline(always)]
pub(crate) fn in_order<V: Blocks<N>, const N: usize>(vector: V) -> V {
    if N < 4 { vector.pin() } else { vector }
}

/// All rounds but the last on W vectors; R is the number of rounds.
#[inline(always)]
pub(crate) fn encrypt<V: AesBlocks<N>, const R: usize, const N: usize, const W: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    states: &mut [V; W],
) {
    let key = V::broadcast(isa, &keys.keys[0]);
    each!(J in [0 1 2 3 4 5 6 7] { if J < W {
        states[J] = states[J] ^ key;
    } });
    each!(I in [1 2 3 4 5 6 7 8 9 10 11 12 13] { if I < R {
        let key = V::broadcast(isa, &keys.keys[I]);
        each!(J in [0 1 2 3 4 5 6 7] { if J < W {
            states[J] = in_order(states[J].encrypt_round(key));
        } });
    } });
}

/// As many rounds as the key has, for a constant that the kernels are compiled for.
macro_rules! for_rounds {
    ($rounds:expr, $R:ident => $body:expr) => {
        match $rounds {
            10 => {
                const $R: usize = 10;
                $body
            }
            12 => {
                const $R: usize = 12;
                $body
            }
            _ => {
                const $R: usize = 14;
                $body
            }
        }
    };
}
pub(crate) use for_rounds;

/// Encrypts every block: G = 8 × N at a time, then the rest.
#[inline(always)]
pub(crate) fn encrypt_blocks<V: AesBlocks<N>, const N: usize, const G: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    blocks: &mut [[u8; 16]],
) {
    for_rounds!(keys.rounds, R => all::<V, true, R, N, G>(isa, keys, blocks));
}

/// Every block through the cipher or, with the keys of the equivalent inverse cipher, back.
#[inline(always)]
fn all<V: AesBlocks<N>, const ENCRYPT: bool, const R: usize, const N: usize, const G: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    blocks: &mut [[u8; 16]],
) {
    let mut text = InOut::in_place(blocks.as_flattened_mut());
    while let Some(mut group) = text.take::<G>() {
        let mut states = [V::zero(isa); 8];
        for j in 0..8 {
            states[j] = group.load(isa, N * j);
        }
        cipher::<V, ENCRYPT, R, N, 8>(isa, keys, &mut states);
        for j in 0..8 {
            group.store(N * j, states[j]);
        }
    }
    while !text.is_empty() {
        let mut state = [text.load_front(isa)];
        cipher::<V, ENCRYPT, R, N, 1>(isa, keys, &mut state);
        text.store_front(state[0]);
    }
}

/// All rounds, the last one, too.
#[inline(always)]
fn cipher<V: AesBlocks<N>, const ENCRYPT: bool, const R: usize, const N: usize, const W: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    states: &mut [V; W],
) {
    let last_key = V::broadcast(isa, &keys.keys[R]);
    if ENCRYPT {
        encrypt::<V, R, N, W>(isa, keys, states);
    } else {
        decrypt::<V, R, N, W>(isa, keys, states);
    }
    for j in 0..W {
        states[j] = if ENCRYPT {
            states[j].encrypt_last_round(last_key)
        } else {
            states[j].decrypt_last_round(last_key)
        };
    }
}

/// Decrypts every block: G = 8 × N at a time, then the rest.
#[inline(always)]
pub(crate) fn decrypt_blocks<V: AesBlocks<N, One: AesWords>, const N: usize, const G: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    blocks: &mut [[u8; 16]],
) {
    for_rounds!(keys.rounds, R => all::<V, false, R, N, G>(isa, &inverse::<V::One, R>(isa, keys), blocks));
}

/// The round keys of the equivalent inverse cipher (FIPS 197 §5.3.5), last round first.
#[inline(always)]
fn inverse<V: AesWords, const R: usize>(isa: V::Isa, keys: &RoundKeys) -> RoundKeys {
    let mut inverse = RoundKeys::EMPTY;
    inverse.rounds = R;
    inverse.keys[0] = keys.keys[R];
    for i in 1..R {
        let key = V::broadcast(isa, &keys.keys[R - i]).inverse_mix_columns();
        key.store(core::array::from_mut(&mut inverse.keys[i]));
    }
    inverse.keys[R] = keys.keys[0];
    inverse
}

/// All rounds but the last of the equivalent inverse cipher.
#[inline(always)]
fn decrypt<V: AesBlocks<N>, const R: usize, const N: usize, const W: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    states: &mut [V; W],
) {
    let key = V::broadcast(isa, &keys.keys[0]);
    for j in 0..W {
        states[j] = states[j] ^ key;
    }
    each!(I in [1 2 3 4 5 6 7 8 9 10 11 12 13] { if I < R {
        let key = V::broadcast(isa, &keys.keys[I]);
        for j in 0..W {
            states[j] = states[j].decrypt_round(key);
        }
    } });
}
