//! SHA-512 by the CPU's instructions, one or two messages interleaved.

use super::cores::{K64, Sha512Core};
use crate::compression::words::InWords;
use keylane_cpu::lanes::Sha512Words;

impl<W: Sha512Words> InWords<W> for Sha512Core {
    type Variables = [W; 4];
    type Window = [W; 8];
    const MAX_STREAMS: usize = 2;

    #[inline(always)]
    fn load_state(isa: W::Isa, &[a, b, c, d, e, f, g, h]: &[u64; 8]) -> [W; 4] {
        [[a, b], [c, d], [e, f], [g, h]].map(
            #[inline(always)]
            |pair| W::words(isa, pair),
        )
    }

    #[inline(always)]
    fn store_state(variables: [W; 4], state: &mut [u64; 8]) {
        for i in 0..4 {
            [state[2 * i], state[2 * i + 1]] = variables[i].store();
        }
    }

    #[inline(always)]
    fn zero_window(isa: W::Isa) -> [W; 8] {
        [W::words(isa, [0; 2]); 8]
    }

    #[inline(always)]
    fn load_block(isa: W::Isa, block: &[u8; 128]) -> [W; 8] {
        let mut w = Self::zero_window(isa);
        for i in 0..8 {
            w[i] = W::load_be(isa, &block.as_chunks().0[i]);
        }
        w
    }

    #[inline(always)]
    fn load_end(isa: W::Isa, message: &[u8], at: usize) -> [W; 8] {
        let mut w = Self::zero_window(isa);
        for i in 0..8 {
            w[i] = W::load_padded(isa, message, at + 16 * i);
        }
        w
    }

    #[inline(always)]
    fn with_length(isa: W::Isa, mut w: [W; 8], length: u64) -> [W; 8] {
        w[7] = w[7] | W::words(isa, [length >> 61, length << 3]);
        w
    }

    #[inline(always)]
    fn digest_block(isa: W::Isa, [w0, w1, w2, w3]: [W; 4]) -> [W; 8] {
        let (one_bit, zero) = (W::words(isa, [1 << 63, 0]), W::words(isa, [0; 2]));
        [w0, w1, w2, w3, one_bit, zero, zero, W::words(isa, [0, 8 * (128 + 64)])]
    }

    #[inline(always)]
    fn xor_variables(a: [W; 4], b: [W; 4]) -> [W; 4] {
        [a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]]
    }

    #[inline(always)]
    fn absorb<const N: usize>(isa: W::Isa, before: [[W; 4]; N], mut w: [[W; 8]; N]) -> [[W; 4]; N] {
        let mut state = before;
        macro_rules! two_rounds {
            ($($t:literal)*) => { $( for s in 0..N {
                let wk = w[s][$t % 8] + W::words(isa, [K64[2 * $t], K64[2 * $t + 1]]);
                let [ab, cd, ef, gh] = state[s];
                let (new_ab, new_ef) = W::two_rounds(ab, cd, ef, gh, wk);
                state[s] = [new_ab, ab, new_ef, ef];
                if $t < 32 {
                    let (w4, w5) = (w[s][($t + 4) % 8], w[s][($t + 5) % 8]);
                    w[s][$t % 8] = w[s][$t % 8].schedule(w[s][($t + 1) % 8], w4, w5, w[s][($t + 7) % 8]);
                }
            } )* };
        }
        two_rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
        two_rounds!(20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39);
        for s in 0..N {
            for i in 0..4 {
                state[s][i] = state[s][i] + before[s][i];
            }
        }
        state
    }
}
