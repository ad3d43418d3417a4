//! SHA-2 over lanes: the same word of N messages in a vector, N = 1 being the portable implementation.
//!
//! FIPS 180-4 §6.2.2 and §6.4.2; the names are the standard's. The schedule is kept as a window of sixteen words, each
//! replaced by the word sixteen rounds later in the round that used it.

use super::constants::{K32, K64};
use super::sha256::Compression256;
use super::sha512::Compression512;
use crate::compression::Compression;
use crate::compression::chain::Chain;
use keylane_cpu::lanes::{Lanes, U32Lanes, U64Lanes};
use keylane_cpu::wipe::wipe;

/// What SHA-256 and SHA-512 differ in: the functions of §4.1.2 and §4.1.3, the constants, the shape of a block.
pub(super) trait Sha2Lanes<C: Compression, const N: usize>: Lanes {
    const ROUNDS: usize;

    /// The low bits of `x` in every lane.
    fn splat_word(isa: Self::Isa, x: u64) -> Self;
    /// The constant of round t.
    fn k(isa: Self::Isa, t: usize) -> Self;
    /// Σ0.
    fn big_sigma0(self) -> Self;
    /// Σ1.
    fn big_sigma1(self) -> Self;
    /// σ0.
    fn small_sigma0(self) -> Self;
    /// σ1.
    fn small_sigma1(self) -> Self;
    /// One block of each message.
    fn load_blocks(isa: Self::Isa, blocks: [&C::Block; N]) -> [Self; 16];
    /// One state of each message.
    fn load_states(isa: Self::Isa, states: &[C::State; N]) -> [Self; 8];
    /// The inverse of `load_states`.
    fn store_states(words: [Self; 8], states: &mut [C::State; N]);
}

impl<V: U32Lanes<N>, const N: usize> Sha2Lanes<Compression256, N> for V {
    const ROUNDS: usize = 64;

    #[inline(always)]
    fn splat_word(isa: V::Isa, x: u64) -> V {
        V::splat(isa, x as u32)
    }

    #[inline(always)]
    fn k(isa: V::Isa, t: usize) -> V {
        V::splat(isa, K32[t])
    }

    #[inline(always)]
    fn big_sigma0(self) -> V {
        self.rotate_right::<2>().xor3(self.rotate_right::<13>(), self.rotate_right::<22>())
    }

    #[inline(always)]
    fn big_sigma1(self) -> V {
        self.rotate_right::<6>().xor3(self.rotate_right::<11>(), self.rotate_right::<25>())
    }

    #[inline(always)]
    fn small_sigma0(self) -> V {
        self.rotate_right::<7>().xor3(self.rotate_right::<18>(), self.shift_right::<3>())
    }

    #[inline(always)]
    fn small_sigma1(self) -> V {
        self.rotate_right::<17>().xor3(self.rotate_right::<19>(), self.shift_right::<10>())
    }

    #[inline(always)]
    fn load_blocks(isa: V::Isa, blocks: [&[u8; 64]; N]) -> [V; 16] {
        let mut w = [V::splat(isa, 0); 16];
        for part in 0..2 {
            let mut rows: [&[u8; 32]; N] = [&[0; 32]; N];
            for i in 0..N {
                rows[i] = &blocks[i].as_chunks().0[part];
            }
            let words = V::from_rows_be(isa, rows);
            for i in 0..8 {
                w[8 * part + i] = words[i];
            }
        }
        w
    }

    #[inline(always)]
    fn load_states(isa: V::Isa, states: &[[u32; 8]; N]) -> [V; 8] {
        V::from_rows(isa, states)
    }

    #[inline(always)]
    fn store_states(words: [V; 8], states: &mut [[u32; 8]; N]) {
        V::to_rows(words, states);
    }
}

impl<V: U64Lanes<N>, const N: usize> Sha2Lanes<Compression512, N> for V {
    const ROUNDS: usize = 80;

    #[inline(always)]
    fn splat_word(isa: V::Isa, x: u64) -> V {
        V::splat(isa, x)
    }

    #[inline(always)]
    fn k(isa: V::Isa, t: usize) -> V {
        V::splat(isa, K64[t])
    }

    #[inline(always)]
    fn big_sigma0(self) -> V {
        self.rotate_right::<28>().xor3(self.rotate_right::<34>(), self.rotate_right::<39>())
    }

    #[inline(always)]
    fn big_sigma1(self) -> V {
        self.rotate_right::<14>().xor3(self.rotate_right::<18>(), self.rotate_right::<41>())
    }

    #[inline(always)]
    fn small_sigma0(self) -> V {
        self.rotate_right::<1>().xor3(self.rotate_right::<8>(), self.shift_right::<7>())
    }

    #[inline(always)]
    fn small_sigma1(self) -> V {
        self.rotate_right::<19>().xor3(self.rotate_right::<61>(), self.shift_right::<6>())
    }

    #[inline(always)]
    fn load_blocks(isa: V::Isa, blocks: [&[u8; 128]; N]) -> [V; 16] {
        let mut w = [V::splat(isa, 0); 16];
        for part in 0..4 {
            let mut rows: [&[u8; 32]; N] = [&[0; 32]; N];
            for i in 0..N {
                rows[i] = &blocks[i].as_chunks().0[part];
            }
            let words = V::from_rows_be(isa, rows);
            for i in 0..4 {
                w[4 * part + i] = words[i];
            }
        }
        w
    }

    #[inline(always)]
    fn load_states(isa: V::Isa, states: &[[u64; 8]; N]) -> [V; 8] {
        let (mut low, mut high) = ([[0; 4]; N], [[0; 4]; N]);
        for i in 0..N {
            let [a, b, c, d, e, f, g, h] = states[i];
            (low[i], high[i]) = ([a, b, c, d], [e, f, g, h]);
        }
        let ([a, b, c, d], [e, f, g, h]) = (V::from_rows(isa, &low), V::from_rows(isa, &high));
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn store_states([a, b, c, d, e, f, g, h]: [V; 8], states: &mut [[u64; 8]; N]) {
        let (mut low, mut high) = ([[0; 4]; N], [[0; 4]; N]);
        V::to_rows([a, b, c, d], &mut low);
        V::to_rows([e, f, g, h], &mut high);
        for i in 0..N {
            states[i][..4].copy_from_slice(&low[i]);
            states[i][4..].copy_from_slice(&high[i]);
        }
    }
}

/// Sixteen rounds. With `MORE`, the window becomes the next sixteen words of the schedule.
#[inline(always)]
fn sixteen_rounds<C: Compression, V: Sha2Lanes<C, N>, const N: usize, const MORE: bool>(
    isa: V::Isa,
    first: usize,
    state: [V; 8],
    w: &mut [V; 16],
) -> [V; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
    macro_rules! round {
        ($t:literal: $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
            let u = ($h + (w[$t] + V::k(isa, first + $t))).pin();
            let (choice, sigma1) = ($e.choose($f, $g), $e.big_sigma1());
            let (majority, sigma0) = ($a.majority($b, $c), $a.big_sigma0());
            if MORE {
                let new = (w[$t] + w[($t + 1) % 16].small_sigma0())
                    + (w[($t + 9) % 16] + w[($t + 14) % 16].small_sigma1());
                w[$t] = if N == 1 { new.pin() } else { new };
            }
            if N == 1 {
                // In scalar registers additions are what there are too many of.
                let t1 = (u + choice + sigma1).pin();
                $d = ($d + t1).pin();
                $h = (t1 + (sigma0 + majority)).pin();
            } else {
                // Vector operations take two cycles on Zen 5, and what limits a round is the chain from e to the next
                // e: pinned like this it is Σ1 and one addition. Left alone, the optimiser shares Σ1 + Ch between the
                // two sums, which saves an addition and puts another into the chain.
                let to_d = ((u + $d).pin() + choice).pin();
                let to_h = (u + choice).pin();
                $d = to_d + sigma1;
                $h = ((to_h + sigma1).pin() + majority).pin() + sigma0;
            }
        };
    }
    super::sixteen_times!(round a b c d e f g h);
    [a, b, c, d, e, f, g, h]
}

/// The compression function on the block in `w`.
#[inline(always)]
fn compress_words<C: Compression, V: Sha2Lanes<C, N>, const N: usize>(
    isa: V::Isa,
    state: &mut [V; 8],
    mut w: [V; 16],
) {
    let mut after = *state;
    let mut first = 0;
    while first < V::ROUNDS - 16 {
        after = sixteen_rounds::<C, V, N, true>(isa, first, after, &mut w);
        first += 16;
    }
    after = sixteen_rounds::<C, V, N, false>(isa, first, after, &mut w);
    for i in 0..8 {
        state[i] = state[i] + after[i];
    }
}

/// Absorbs whole blocks of up to N messages. Lanes without a message repeat the first one's and are thrown away.
#[inline(always)]
pub(super) fn compress<C: Compression, V: Sha2Lanes<C, N>, const N: usize>(
    isa: V::Isa,
    states: &mut [C::State],
    messages: &[&[C::Block]],
) {
    assert!(states.len() == messages.len() && states.len() <= N);
    let Some(&first) = messages.first() else { return };
    let mut rows = [C::ZERO_STATE; N];
    let mut slices = [first; N];
    for i in 0..states.len() {
        rows[i] = states[i];
        slices[i] = messages[i];
    }
    for slice in &mut slices {
        *slice = &slice[..first.len()];
    }
    let mut state = V::load_states(isa, &rows);
    for at in 0..first.len() {
        let mut blocks = [&first[0]; N];
        for i in 0..N {
            blocks[i] = &slices[i][at];
        }
        compress_words::<C, V, N>(isa, &mut state, V::load_blocks(isa, blocks));
    }
    V::store_states(state, &mut rows);
    states.copy_from_slice(&rows[..states.len()]);
    wipe(&mut rows);
}

/// PBKDF2 iterations of up to N chains: the digest goes from one compression to the next in vectors.
#[inline(always)]
pub(super) fn iterate<C: Compression, V: Sha2Lanes<C, N>, const N: usize>(
    isa: V::Isa,
    chains: &mut [Chain<C>],
    digest_len: usize,
    iterations: u32,
) {
    assert!(chains.len() <= N);
    let mut rows = [[C::ZERO_STATE; N]; 4];
    for (i, chain) in chains.iter().enumerate() {
        rows[0][i] = chain.inner;
        rows[1][i] = chain.outer;
        rows[2][i] = chain.u;
        rows[3][i] = chain.sum;
    }
    let middle = [V::load_states(isa, &rows[0]), V::load_states(isa, &rows[1])];
    let mut u = V::load_states(isa, &rows[2]);
    let mut sum = V::load_states(isa, &rows[3]);
    let zero = V::splat_word(isa, 0);
    let one_bit = V::splat_word(isa, 0x80 << (8 * (C::WORD_LEN - 1)));
    let length = V::splat_word(isa, 8 * (C::BLOCK_LEN + digest_len) as u64);
    // The words after a truncated digest are padding; a branch in the loop would cost more than these.
    let digest_words = digest_len / C::WORD_LEN;
    let (mut kept, mut padding) = ([V::splat_word(isa, u64::MAX); 8], [zero; 9]);
    for i in digest_words..8 {
        kept[i] = zero;
    }
    padding[digest_words] = one_bit;
    for _ in 0..iterations {
        for middle in &middle {
            let mut w = [zero; 16];
            for i in 0..8 {
                w[i] = kept[i].choose(u[i], padding[i]);
            }
            w[8] = padding[8];
            w[15] = length;
            u = *middle;
            compress_words::<C, V, N>(isa, &mut u, w);
        }
        for i in 0..8 {
            sum[i] = sum[i] ^ u[i];
        }
    }
    V::store_states(u, &mut rows[2]);
    V::store_states(sum, &mut rows[3]);
    for (i, chain) in chains.iter_mut().enumerate() {
        chain.u = rows[2][i];
        chain.sum = rows[3][i];
    }
    wipe(&mut rows);
}
