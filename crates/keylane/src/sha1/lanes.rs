//! SHA-1 over lanes: the same word of N messages in a vector, N = 1 being the portable implementation.
//!
//! FIPS 180-4 §6.1.2. The schedule is kept as a window of sixteen words; ROTL n is written as ROTR 32 - n.

use super::Compression1;
use crate::compression::chain::Chain;
use keylane_cpu::lanes::U32Lanes;
use keylane_cpu::wipe::wipe;

type State = [u32; 5];
type Block = [u8; 64];

/// The constant of each stage of twenty rounds (§4.2.1).
const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// Twenty rounds: one function, one constant.
#[inline(always)]
fn twenty_rounds<V: U32Lanes<N>, const N: usize, const STAGE: usize>(
    isa: V::Isa,
    [mut a, mut b, mut c, mut d, mut e]: [V; 5],
    w: &mut [V; 16],
) -> [V; 5] {
    let k = V::splat(isa, K[STAGE]);
    macro_rules! rounds {
        ($($i:literal)*) => { $(
            let t = 20 * STAGE + $i;
            if t >= 16 {
                let next = w[(t + 13) % 16].xor3(w[(t + 8) % 16], w[(t + 2) % 16]) ^ w[t % 16];
                w[t % 16] = next.rotate_right::<31>();
            }
            let f = match STAGE {
                0 => b.choose(c, d),
                2 => b.majority(c, d),
                _ => b.xor3(c, d),
            };
            // Only the rotation of a and one addition wait for the round before; pinned, or the sum is rebuilt.
            let next = ((e + (k + w[t % 16])).pin() + f).pin() + a.rotate_right::<27>();
            (a, b, c, d, e) = (next, a, b.rotate_right::<2>(), c, d);
        )* };
    }
    rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
    [a, b, c, d, e]
}

/// The compression function on the block in `w`.
#[inline(always)]
fn compress_words<V: U32Lanes<N>, const N: usize>(isa: V::Isa, state: &mut [V; 5], mut w: [V; 16]) {
    let mut after = *state;
    after = twenty_rounds::<V, N, 0>(isa, after, &mut w);
    after = twenty_rounds::<V, N, 1>(isa, after, &mut w);
    after = twenty_rounds::<V, N, 2>(isa, after, &mut w);
    after = twenty_rounds::<V, N, 3>(isa, after, &mut w);
    for i in 0..5 {
        state[i] = state[i] + after[i];
    }
}

#[inline(always)]
fn load_states<V: U32Lanes<N>, const N: usize>(isa: V::Isa, states: &[State; N]) -> [V; 5] {
    let mut rows = [[0; 8]; N];
    for i in 0..N {
        rows[i][..5].copy_from_slice(&states[i]);
    }
    let [a, b, c, d, e, ..] = V::from_rows(isa, &rows);
    [a, b, c, d, e]
}

#[inline(always)]
fn store_states<V: U32Lanes<N>, const N: usize>(
    isa: V::Isa,
    [a, b, c, d, e]: [V; 5],
    states: &mut [State; N],
) {
    let mut rows = [[0; 8]; N];
    let zero = V::splat(isa, 0);
    V::to_rows([a, b, c, d, e, zero, zero, zero], &mut rows);
    for i in 0..N {
        states[i].copy_from_slice(&rows[i][..5]);
    }
}

/// Absorbs whole blocks of up to N messages. Lanes without a message repeat the first one's and are thrown away.
#[inline(always)]
pub(super) fn compress<V: U32Lanes<N>, const N: usize>(
    isa: V::Isa,
    states: &mut [State],
    messages: &[&[Block]],
) {
    assert!(states.len() == messages.len() && states.len() <= N);
    let Some(&first) = messages.first() else { return };
    let mut rows = [[0; 5]; N];
    let mut slices = [first; N];
    for i in 0..states.len() {
        rows[i] = states[i];
        slices[i] = messages[i];
    }
    for slice in &mut slices {
        *slice = &slice[..first.len()];
    }
    let mut state = load_states::<V, N>(isa, &rows);
    for at in 0..first.len() {
        let mut w = [V::splat(isa, 0); 16];
        for part in 0..2 {
            let mut bytes: [&[u8; 32]; N] = [&[0; 32]; N];
            for i in 0..N {
                bytes[i] = &slices[i][at].as_chunks().0[part];
            }
            let words = V::from_rows_be(isa, bytes);
            for i in 0..8 {
                w[8 * part + i] = words[i];
            }
        }
        compress_words::<V, N>(isa, &mut state, w);
    }
    store_states::<V, N>(isa, state, &mut rows);
    states.copy_from_slice(&rows[..states.len()]);
    wipe(&mut rows);
}

/// PBKDF2 iterations of up to N chains: the digest goes from one compression to the next in vectors.
#[inline(always)]
pub(super) fn iterate<V: U32Lanes<N>, const N: usize>(
    isa: V::Isa,
    chains: &mut [Chain<Compression1>],
    digest_len: usize,
    iterations: u32,
) {
    assert!(chains.len() <= N);
    let mut rows = [[[0; 5]; N]; 4];
    for (i, chain) in chains.iter().enumerate() {
        rows[0][i] = chain.inner;
        rows[1][i] = chain.outer;
        rows[2][i] = chain.u;
        rows[3][i] = chain.sum;
    }
    let middle = [load_states::<V, N>(isa, &rows[0]), load_states::<V, N>(isa, &rows[1])];
    let mut u = load_states::<V, N>(isa, &rows[2]);
    let mut sum = load_states::<V, N>(isa, &rows[3]);
    let digest_words = digest_len / 4;
    let zero = V::splat(isa, 0);
    let one_bit = V::splat(isa, 0x8000_0000);
    let length = V::splat(isa, 8 * (64 + digest_len) as u32);
    for _ in 0..iterations {
        for middle in &middle {
            let mut w = [zero; 16];
            for i in 0..5 {
                w[i] = if i < digest_words { u[i] } else { zero };
            }
            w[digest_words] = one_bit;
            w[15] = length;
            u = *middle;
            compress_words::<V, N>(isa, &mut u, w);
        }
        for i in 0..5 {
            sum[i] = sum[i] ^ u[i];
        }
    }
    store_states::<V, N>(isa, u, &mut rows[2]);
    store_states::<V, N>(isa, sum, &mut rows[3]);
    for (i, chain) in chains.iter_mut().enumerate() {
        chain.u = rows[2][i];
        chain.sum = rows[3][i];
    }
    wipe(&mut rows);
}
