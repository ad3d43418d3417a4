//! SHA-2 of one message, with the schedule of two blocks at once in vectors.
//!
//! A vector holds 16 bytes of words of the first block in its low half and of the second in its high half.
//! The rounds of the first block are interleaved with the schedule of the rounds sixteen later, which stores
//! W + K. The second block then loads all of W + K from memory. A single block is also used as the second.

use super::cores::{K32, K64, Sha256Core, Sha512Core, eight_times};
use crate::hash::compression::Compression;
use crate::hash::compression::two_blocks::{InTwoBlocks, Schedule};
use keylane_cpu::lanes::{BlockWords, Sha256Schedule};
use keylane_cpu::pin::{Scalar, pin};
use keylane_cpu::wipe::Wipe;

/// The differences between SHA-256 and SHA-512.
pub(crate) trait Sha2<V>: Compression<State = [<Self as Compression>::Word; 8]> {
    /// Words for twice as many rounds.
    type Words: AsRef<[Self::Word]> + AsMut<[Self::Word]> + Wipe + 'static;
    const ZERO_WORDS: Self::Words;
    /// The round constants, as the words lie there.
    const K: &'static Self::Words;
    /// The rotations of Σ0 and of Σ1 (§4.1.2 and §4.1.3).
    const SIGMA: [[u32; 3]; 2];

    /// Replaces vector i of the window by the words that are sixteen later.
    fn schedule(w: &mut [V; 8], i: usize);
}

impl<V: Sha256Schedule> Sha2<V> for Sha256Core {
    type Words = [u32; 128];
    const ZERO_WORDS: [u32; 128] = [0; 128];
    const K: &'static [u32; 128] = &DOUBLED32;
    const SIGMA: [[u32; 3]; 2] = [[2, 13, 22], [6, 11, 25]];

    #[inline(always)]
    fn schedule(w: &mut [V; 8], i: usize) {
        let (next, middle, last) = (w[(i + 1) % 4], w[(i + 2) % 4], w[(i + 3) % 4]);
        let x = w[i].straddle::<4>(next);
        let sum = w[i] + (x.rotate_right::<7>() ^ x.rotate_right::<18>() ^ x.shift_right::<3>());
        let sum = (sum + middle.straddle::<4>(last)) + last.sigma1_of_upper();
        w[i] = sum + sum.sigma1_of_lower();
    }
}

impl<V: BlockWords<u64>> Sha2<V> for Sha512Core {
    type Words = [u64; 160];
    const ZERO_WORDS: [u64; 160] = [0; 160];
    const K: &'static [u64; 160] = &DOUBLED64;
    const SIGMA: [[u32; 3]; 2] = [[28, 34, 39], [14, 18, 41]];

    #[inline(always)]
    fn schedule(w: &mut [V; 8], i: usize) {
        let (x, last) = (w[i].straddle::<8>(w[(i + 1) % 8]), w[(i + 7) % 8]);
        let sigma0 = x.rotate_right::<1>() ^ x.rotate_right::<8>() ^ x.shift_right::<7>();
        let sigma1 = last.rotate_right::<19>() ^ last.rotate_right::<61>() ^ last.shift_right::<6>();
        w[i] = (w[i] + sigma0) + w[(i + 4) % 8].straddle::<8>(w[(i + 5) % 8]) + sigma1;
    }
}

/// Repeats each four or two of the round constants, for the second block.
macro_rules! doubled {
    ($DOUBLED:ident $K:ident $W:ident) => {
        static $DOUBLED: [$W; 2 * $K.len()] = {
            let (len, mut doubled, mut i) = (16 / size_of::<$W>(), [0; 2 * $K.len()], 0);
            while i < doubled.len() {
                doubled[i] = $K[i / (2 * len) * len + i % len];
                i += 1;
            }
            doubled
        };
    };
}
doubled!(DOUBLED32 K32 u32);
doubled!(DOUBLED64 K64 u64);

/// Does a round with W + K. Returns the new a, d and h, `bc`, which is the next round's b ^ c, and `sigma0`,
/// Σ0, which is still to be added to the h that is the next round's a.
///
/// The order is kept: the operations on e, whose dependency chain is the longest, come first. (Left to the
/// optimiser, SHA-512 takes 1.4 times as long, SHA-256 1.1 times.)
#[inline(always)]
fn round<C: Sha2<V, Word = W>, V: BlockWords<W>, W: Scalar>(
    wk: W,
    bc: W,
    sigma0: W,
    [a, b, _, d, e, f, g, h]: [W; 8],
) -> (W, W, W, W, W) {
    let [[a_low, a_middle, a_high], [e_low, e_middle, e_high]] = C::SIGMA;
    let t = h.add(wk).pin_here();
    let high = e.rotate_right(e_high).pin_here();
    let middle = e.rotate_right(e_middle).pin_here();
    let a = a.add_here(sigma0);
    // CPUs for one block, and WebAssembly's scalars, have no ANDN: in place of a complement and a second sum, one
    // more XOR.
    let one = const { V::BLOCKS == 1 };
    let part = (if one { f ^ g } else { e & f }).pin_here();
    let t = if one { t } else { t.add_here(part) };
    let sigma1 = (high ^ middle).pin_here();
    let low = e.rotate_right(e_low).pin_here();
    let choice = (if one { (part & e).pin_here() ^ g } else { !e & g }).pin_here();
    let t = t.add_here(choice);
    let ab = (a ^ b).pin_here();
    let sigma1 = (sigma1 ^ low).pin_here();
    let high = a.rotate_right(a_high).pin_here();
    let t = t.add_here(sigma1);
    let middle = a.rotate_right(a_middle).pin_here();
    let majority = (ab & bc).pin_here();
    let majority = (majority ^ b).pin_here();
    let low = a.rotate_right(a_low).pin_here();
    let d = d.add_here(t);
    let sigma0 = (high ^ middle).pin_here();
    let h = t.add_here(majority);
    let sigma0 = (sigma0 ^ low).pin_here();
    (a, d, h, ab, sigma0)
}

/// The words of a block in a vector.
const fn len<C: Compression>() -> usize {
    16 / C::WORD_LEN
}

impl<C: Sha2<V>, V: BlockWords<C::Word>> InTwoBlocks<V> for C {
    type Window = [V; 8];
    type Schedule = Schedule<C::Words>;
    const EMPTY_SCHEDULE: Self::Schedule = Schedule(C::ZERO_WORDS);

    #[inline(always)]
    fn load_blocks(isa: V::Isa, [first, second]: [&C::Block; 2]) -> [V; 8] {
        let (first, second) = (first.as_ref().as_chunks().0, second.as_ref().as_chunks().0);
        let mut w = [V::load_be(isa, &first[0], &second[0]); 8];
        for i in 1..16 / len::<C>() {
            w[i] = V::load_be(isa, &first[i], &second[i]);
        }
        w
    }

    #[inline(always)]
    fn load_words(isa: V::Isa, words: &[C::Word; 16]) -> [V; 8] {
        let len = len::<C>();
        let mut w = [V::repeat(isa, &words[..len]); 8];
        for i in 1..16 / len {
            w[i] = V::repeat(isa, &words[len * i..][..len]);
        }
        w
    }

    #[inline(always)]
    fn absorb(isa: V::Isa, before: &mut [C::Word; 8], w: &mut [V; 8], wk: &mut Self::Schedule, block: usize) {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *before;
        let (mut bc, mut sigma0) = (b ^ c, C::Word::from_low(0));
        let (len, half, end) = (len::<C>(), 8 / len::<C>(), C::K.as_ref().len());
        let first = V::BLOCKS == 1 || block == 0;
        // Stores W + K.
        let store = |w: V, i: usize, k: &[C::Word], wk: &mut [C::Word]| {
            let row = 2 * len * i..2 * len * (i + 1);
            (w + V::load(isa, &k[row.clone()])).store(&mut wk[row]);
        };
        // Pinned, or a register would be filled with each vector of constants, once, before the first block.
        let first_k = C::K.as_ref().get(pin(0) as usize..).and_then(|k| k.first_chunk::<32>());
        if let (true, Some(k)) = (first, first_k) {
            for i in 0..2 * half {
                store(w[i], i, k, wk.0.as_mut());
            }
        }
        // How many words are to be computed. Pinned, so that a round trip costs one comparison.
        let rows = pin(if first { end as u64 } else { 0 }) as usize;
        let mut at = if first { 0 } else { len };
        while at <= end - 16 + len {
            let words = &wk.0.as_ref()[at..][..16 - len];
            macro_rules! step {
                ($t:expr => $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
                    let word = words[2 * len * ($t / len) + $t % len];
                    ($a, $d, $h, bc, sigma0) =
                        round::<C, V, C::Word>(word, bc, sigma0, [$a, $b, $c, $d, $e, $f, $g, $h]);
                };
            }
            eight_times!(step from 0; a b c d e f g h);
            if let Some(wk) = wk.0.as_mut()[..rows.min(end)].get_mut(at + 32..at + 48) {
                let k = &C::K.as_ref()[at + 32..at + 48];
                for i in 0..half {
                    C::schedule(w, i);
                    store(w[i], i, k, wk);
                }
                for i in 0..half {
                    w.swap(i, i + half);
                }
            }
            at += 16;
        }
        for (before, after) in before.iter_mut().zip([a.add(sigma0), b, c, d, e, f, g, h]) {
            // Pinned, or it would be done in a vector, for which the next block would wait.
            *before = before.add(after).pin_here();
        }
    }
}
