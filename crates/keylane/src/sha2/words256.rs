//! SHA-256 by the CPU's instructions. For each four rounds: W + K of every stream, the first halves, the
//! schedule stream by stream, the second halves.

use super::cores::{K32, Sha256Core};
use crate::hash::compression::words::{InWords, each_stream};
use crate::unroll::each;
use keylane_cpu::lanes::Sha256Words;

/// The round constants in fours.
static K: [[u32; 4]; 16] = {
    let mut k = [[0; 4]; 16];
    let mut t = 0;
    while t < 64 {
        k[t / 4][t % 4] = K32[t];
        t += 1;
    }
    k
};

impl<W: Sha256Words> InWords<W> for Sha256Core {
    type Variables = [W; 2];
    type Window = [W; 4];

    #[inline(always)]
    fn load_state(isa: W::Isa, state: &[u32; 8]) -> [W; 2] {
        let halves = state.as_chunks().0;
        W::reorder([W::words(isa, &halves[0]).pin(), W::words(isa, &halves[1]).pin()])
    }

    #[inline(always)]
    fn store_state(variables: [W; 2], state: &mut [u32; 8]) {
        let (halves, [abcd, efgh]) = (state.as_chunks_mut().0, W::reorder(variables));
        abcd.pin().store(&mut halves[0]);
        efgh.pin().store(&mut halves[1]);
    }

    #[inline(always)]
    fn zero_window(isa: W::Isa) -> [W; 4] {
        [W::words(isa, &[0; 4]); 4]
    }

    #[inline(always)]
    fn load_block(isa: W::Isa, block: &[u8; 64]) -> [W; 4] {
        let [w0, w1, w2, w3] = block.as_chunks().0 else { unreachable!("four times 16 bytes") };
        [W::load_be(isa, w0), W::load_be(isa, w1), W::load_be(isa, w2), W::load_be(isa, w3)]
    }

    #[inline(always)]
    fn load_end(isa: W::Isa, message: &[u8], at: usize) -> [W; 4] {
        let mut w = Self::zero_window(isa);
        for i in 0..4 {
            w[i] = W::load_padded(isa, message, at + 16 * i);
        }
        w
    }

    #[inline(always)]
    fn with_length(isa: W::Isa, [w0, w1, w2, w3]: [W; 4], length: u64) -> [W; 4] {
        [w0, w1, w2, w3 | W::words(isa, &[0, 0, (length >> 29) as u32, (length << 3) as u32])]
    }

    #[inline(always)]
    fn digest_block(isa: W::Isa, digest: [W; 2]) -> [W; 4] {
        // Pinned: otherwise LLVM for aarch64 gives the digest the state's registers, and moves both in each
        // block.
        let [w0, w1] = W::reorder(digest);
        let end = [W::words(isa, &[0x8000_0000, 0, 0, 0]), W::words(isa, &[0, 0, 0, 8 * (64 + 32)])];
        [w0.pin(), w1.pin(), end[0], end[1]]
    }

    #[inline(always)]
    fn xor_variables(a: [W; 2], b: [W; 2]) -> [W; 2] {
        [a[0] ^ b[0], a[1] ^ b[1]]
    }

    #[inline(always)]
    fn absorb<const N: usize>(isa: W::Isa, before: [[W; 2]; N], mut w: [[W; 4]; N]) -> [[W; 2]; N] {
        let mut state = before;
        let mut wk = [w[0][0]; N];
        each!(T in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] {
            each_stream!(s < N {
                wk[s] = w[s][T % 4] + W::words(isa, &K[T]);
            });
            let before = state;
            each_stream!(s < N {
                state[s] = W::rounds_begin(state[s], wk[s]);
            });
            if T < 12 {
                each_stream!(s < N {
                    let w = &mut w[s];
                    w[T % 4] = w[T % 4].schedule(w[(T + 1) % 4], w[(T + 2) % 4], w[(T + 3) % 4]);
                });
            }
            each_stream!(s < N {
                state[s] = W::rounds_end(state[s], before[s], wk[s]);
            });
        });
        for s in 0..N {
            state[s] = [state[s][0] + before[s][0], state[s][1] + before[s][1]];
        }
        state
    }
}
