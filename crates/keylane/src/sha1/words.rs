//! SHA-1 by the CPU's instructions.

use super::lanes::Sha1Core;
use crate::hash::compression::words::{InWords, each_stream};
use crate::unroll::each;
use keylane_cpu::lanes::Sha1Words;

impl<W: Sha1Words> InWords<W> for Sha1Core {
    type Variables = W::State;

    #[inline(always)]
    fn load_state(isa: W::Isa, state: &[u32; 5]) -> W::State {
        W::state(isa, state)
    }

    #[inline(always)]
    fn store_state(variables: W::State, state: &mut [u32; 5]) {
        *state = W::state_words(variables);
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
        [w0, w1, w2, w3 | W::words(isa, [0, 0, (length >> 29) as u32, (length << 3) as u32])]
    }

    #[inline(always)]
    fn digest_block(isa: W::Isa, digest: W::State) -> [W; 4] {
        let [w0, w1] = W::state_as_message(digest);
        let one_bit = W::words(isa, [0, 0x8000_0000, 0, 0]);
        [w0, w1 | one_bit, W::words(isa, [0; 4]), W::words(isa, [0, 0, 0, 8 * (64 + 20)])]
    }

    #[inline(always)]
    fn xor_variables(a: W::State, b: W::State) -> W::State {
        W::xor_state(a, b)
    }

    #[inline(always)]
    fn rounds<const N: usize>(_: W::Isa, before: [W::State; N], mut w: [[W; 4]; N]) -> [W::State; N] {
        let mut state = before;
        // Four rounds of every stream at a time, and the schedule's next four words, stream after stream.
        each!(T in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19] {
            each_stream!(s < N {
                let w = &mut w[s];
                state[s] = W::four_rounds::<{ T as i32 / 5 }>(state[s], w[T % 4]);
                if T < 16 {
                    w[T % 4] = w[T % 4].schedule(w[(T + 1) % 4], w[(T + 2) % 4], w[(T + 3) % 4]);
                }
            });
        });
        for s in 0..N {
            state[s] = W::add_state(state[s], before[s]);
        }
        state
    }
}
