//! SHA-2 by the CPU's instructions.

use super::{K32, K64, Sha256Core, Sha512Core};
use crate::hash::compression::Compression as _;
use crate::hash::compression::words::{InWords, each_stream};
use crate::unroll::each;
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::{Sha256Words, Sha512Words};
use keylane_cpu::pin::pin;
use keylane_cpu::wipe::wipe;

/// The round constants of SHA-256 in fours.
static K: [[u32; 4]; 16] = {
    let mut k = [[0; 4]; 16];
    let mut t = 0;
    while t < 64 {
        k[t / 4][t % 4] = K32[t];
        t += 1;
    }
    k
};

/// After 64 zeros, a byte of 1; and two bytes of 0x80.
static MARKS: [[u8; 128]; 2] = {
    let mut marks = [[0; 128]; 2];
    (marks[0][64], marks[1][64], marks[1][65]) = (1, 0x80, 0x80);
    marks
};

impl<W: Sha256Words> InWords<W> for Sha256Core {
    type Variables = [W; 2];

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
    fn load_block(isa: W::Isa, block: &[u8; 64]) -> [W; 4] {
        let [w0, w1, w2, w3] = block.as_chunks().0 else { unreachable!("four times 16 bytes") };
        [W::load_be(isa, w0), W::load_be(isa, w1), W::load_be(isa, w2), W::load_be(isa, w3)]
    }

    #[inline(always)]
    fn load_end(isa: W::Isa, message: &[u8], at: usize) -> [W; 4] {
        let mut w = [W::load_padded(isa, message, at); 4];
        for i in 1..4 {
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

    fn expand([inner, outer]: [&[u32; 8]; 2], info: &[u8], out: &mut [u8]) -> bool {
        let len = info.len() + 1;
        if len + if out.len() > 32 { 32 } else { 0 } > 55 {
            return false;
        }
        W::Isa::enter(
            #[inline(always)]
            move |isa| {
                // The information, a byte for the block's number, and a one bit: not built in memory, as in
                // `load_end`.
                let mark = |mark: &[u8; 128]| -> [W; 4] {
                    Self::load_block(isa, mark[65 - len..].first_chunk().expect("64 bytes and more"))
                };
                let (one, bits) = (mark(&MARKS[0]), mark(&MARKS[1]));
                let mut end: [W; 4] = Self::load_end(isa, info, 0);
                for i in 0..4 {
                    end[i] = end[i] ^ bits[i];
                }
                let (mut state, mut digest) = (Self::load_state(isa, inner), [0; 8]);
                let (blocks, rest) = out.as_chunks_mut::<32>();
                for at in 0..2 * (blocks.len() + usize::from(!rest.is_empty())) {
                    let (mut window, mut before): ([W; 4], _) = (Self::digest_block(isa, state), outer);
                    if at % 2 == 0 {
                        for i in 0..4 {
                            end[i] = end[i] + one[i];
                        }
                        let (filled, message) =
                            if at == 0 { (0, end) } else { (32, [window[0], window[1], end[0], end[1]]) };
                        window = Self::with_length(isa, message, (64 + filled + len) as u64);
                        before = inner;
                    }
                    [state] = Self::rounds(isa, [Self::load_state(isa, before)], [window]);
                    if at % 2 == 1 {
                        Self::store_state(state, &mut digest);
                        if let Some(block) = blocks.get_mut(at / 2) {
                            Self::store(&digest, block);
                        }
                    }
                }
                Self::store(&digest, rest);
                wipe(&mut digest);
            },
        );
        true
    }

    #[inline(always)]
    fn rounds<const N: usize>(isa: W::Isa, before: [[W; 2]; N], mut w: [[W; 4]; N]) -> [[W; 2]; N] {
        // For each four rounds: W + K of every stream, the first halves, the schedule stream by stream, the
        // second halves.
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

/// Runs sixteen rounds of N messages with these constants. With `MORE`, the window then holds the next
/// sixteen words.
#[inline(always)]
fn sixteen_rounds<W: Sha512Words, const N: usize, const MORE: bool>(
    isa: W::Isa,
    k: &[[u64; 4]; 4],
    mut state: [[W; 2]; N],
    w: &mut [[W; 4]; N],
) -> [[W; 2]; N] {
    for i in 0..4 {
        for s in 0..N {
            state[s] = W::four_rounds(state[s], w[s][i] + W::words(isa, &k[i]));
            if MORE {
                w[s][i] = w[s][i].schedule(w[s][(i + 1) % 4], w[s][(i + 2) % 4], w[s][(i + 3) % 4]);
            }
        }
    }
    state
}

impl<W: Sha512Words> InWords<W> for Sha512Core {
    type Variables = [W; 2];

    #[inline(always)]
    fn load_state(isa: W::Isa, state: &[u64; 8]) -> [W; 2] {
        let halves = state.as_chunks().0;
        W::reorder([W::words(isa, &halves[0]), W::words(isa, &halves[1])])
    }

    #[inline(always)]
    fn store_state(variables: [W; 2], state: &mut [u64; 8]) {
        let (halves, [abcd, efgh]) = (state.as_chunks_mut().0, W::reorder(variables));
        abcd.store(&mut halves[0]);
        efgh.store(&mut halves[1]);
    }

    #[inline(always)]
    fn load_block(isa: W::Isa, block: &[u8; 128]) -> [W; 4] {
        <Self as InWords<W>>::load_end(isa, block, 0)
    }

    #[inline(always)]
    fn load_end(isa: W::Isa, message: &[u8], at: usize) -> [W; 4] {
        let mut w = [W::load_padded(isa, message, at); 4];
        for i in 1..4 {
            w[i] = W::load_padded(isa, message, at + 32 * i);
        }
        w
    }

    #[inline(always)]
    fn with_length(isa: W::Isa, [w0, w1, w2, w3]: [W; 4], length: u64) -> [W; 4] {
        [w0, w1, w2, w3 | W::words(isa, &[0, 0, length >> 61, length << 3])]
    }

    #[inline(always)]
    fn digest_block(isa: W::Isa, digest: [W; 2]) -> [W; 4] {
        let [w0, w1] = W::reorder(digest);
        [w0, w1, W::words(isa, &[1 << 63, 0, 0, 0]), W::words(isa, &[0, 0, 0, 8 * (128 + 64)])]
    }

    #[inline(always)]
    fn xor_variables(a: [W; 2], b: [W; 2]) -> [W; 2] {
        [a[0] ^ b[0], a[1] ^ b[1]]
    }

    #[inline(always)]
    fn rounds<const N: usize>(isa: W::Isa, before: [[W; 2]; N], mut w: [[W; 4]; N]) -> [[W; 2]; N] {
        let (all, mut state) = (K64.as_chunks().0.as_chunks().0, before);
        let mut i = 0;
        while i < 4 {
            state = sixteen_rounds::<W, N, true>(isa, &all[i], state, &mut w);
            // Pinned, so that the loop is not unrolled: the latency of the rounds hides its cost.
            i = pin(i as u64 + 1) as usize;
        }
        state = sixteen_rounds::<W, N, false>(isa, &all[4], state, &mut w);
        for s in 0..N {
            state[s] = [state[s][0] + before[s][0], state[s][1] + before[s][1]];
        }
        state
    }
}
