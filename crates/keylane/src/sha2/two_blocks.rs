//! SHA-2 of one message, with the schedule of two blocks at once in vectors.
//!
//! A vector holds 16 bytes of words of the first block in its low half and of the second in its high half.
//! The rounds of the first block are interleaved with the schedule of the rounds sixteen later, which stores
//! W + K. The second block then loads all of W + K from memory. A single block is also used as the second.

use super::{K32, K64, Sha256Core, Sha512Core, eight_times};
use crate::hash::compression::two_blocks::{InTwoBlocks, Schedule, len};
use keylane_cpu::lanes::{BlockWords, Sha256Schedule};
use keylane_cpu::pin::{Scalar, pin};

/// Computes a quarter of the step that replaces vector i of SHA-256's window by the words sixteen later.
#[inline(always)]
pub(crate) fn next_words_256<V: Sha256Schedule>(w: &mut [V; 8], i: usize, quarter: usize) {
    let (x, middle, last) = (w[i].straddle::<4>(w[(i + 1) % 4]), w[(i + 2) % 4], w[(i + 3) % 4]);
    let more = match quarter {
        0 => x.rotate_right::<7>() ^ x.rotate_right::<18>() ^ x.shift_right::<3>(),
        1 => middle.straddle::<4>(last),
        2 => last.sigma1_of_upper(),
        _ => w[i].sigma1_of_lower(),
    };
    w[i] = w[i] + more;
}

/// Computes half of the step that replaces vector i of SHA-512's window by the words sixteen later.
#[inline(always)]
pub(crate) fn next_words_512<V: BlockWords<u64>>(w: &mut [V; 8], i: usize, half: usize) {
    let (x, last) = (w[i].straddle::<8>(w[(i + 1) % 8]), w[(i + 7) % 8]);
    if half == 0 {
        w[i] = w[i] + (x.rotate_right::<1>() ^ x.rotate_right::<8>() ^ x.shift_right::<7>());
    } else {
        let sigma1 = last.rotate_right::<19>() ^ last.rotate_right::<61>() ^ last.shift_right::<6>();
        w[i] = (w[i] + w[(i + 4) % 8].straddle::<8>(w[(i + 5) % 8])) + sigma1;
    }
}

/// Repeats each four or two of the round constants, for the second block.
const fn doubled<W: Copy, const ROUNDS: usize, const TWICE: usize>(k: &[W; ROUNDS]) -> [W; TWICE] {
    let (len, mut doubled, mut i) = (16 / size_of::<W>(), [k[0]; TWICE], 0);
    while i < TWICE {
        doubled[i] = k[i / (2 * len) * len + i % len];
        i += 1;
    }
    doubled
}
pub(crate) static DOUBLED32: [u32; 128] = doubled(&K32);
pub(crate) static DOUBLED64: [u64; 160] = doubled(&K64);

/// Returns the rotations of Σ0 and of Σ1 (§4.1.2 and §4.1.3).
const fn sigma<W: Scalar>() -> [[u32; 3]; 2] {
    if size_of::<W::Bytes>() == 4 { [[2, 13, 22], [6, 11, 25]] } else { [[28, 34, 39], [14, 18, 41]] }
}

/// Does a round with W + K. Returns the new a, d and h, `bc`, which is the next round's b ^ c, and `sigma0`,
/// Σ0, which is still to be added to the h that is the next round's a.
///
/// The order is kept: the operations on e, whose dependency chain is the longest, come first. (Left to the
/// optimiser, SHA-512 takes 1.4 times as long, SHA-256 1.1 times.)
#[inline(always)]
fn round<V: BlockWords<W>, W: Scalar>(
    wk: W,
    bc: W,
    sigma0: W,
    [a, b, _, d, e, f, g, h]: [W; 8],
) -> (W, W, W, W, W) {
    let [[a_low, a_middle, a_high], [e_low, e_middle, e_high]] = const { sigma::<W>() };
    let t = h.add(wk).pin_here();
    let high = e.rotate_right(e_high).pin_here();
    let middle = e.rotate_right(e_middle).pin_here();
    let a = a.add_here(sigma0);
    // CPUs for one block, and WebAssembly's scalars, have no ANDN: in place of a complement and a second sum,
    // one more XOR.
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

/// Runs eight rounds, whose W + K are the first of `words`, and `beside` after each. Returns the result of
/// [`round`].
#[inline(always)]
fn eight_rounds<V: BlockWords<W>, W: Scalar>(
    [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h]: [W; 8],
    (mut bc, mut sigma0): (W, W),
    words: &mut [W],
    mut beside: impl FnMut(&mut [W], usize),
) -> ([W; 8], (W, W)) {
    let len = len::<W>();
    macro_rules! step {
        ($t:expr => $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
            let word = words[2 * len * ($t / len) + $t % len];
            ($a, $d, $h, bc, sigma0) = round::<V, W>(word, bc, sigma0, [$a, $b, $c, $d, $e, $f, $g, $h]);
            beside(words, $t);
        };
    }
    eight_times!(step from 0; a b c d e f g h);
    ([a, b, c, d, e, f, g, h], (bc, sigma0))
}

/// Stores W + K, vector i of these.
#[inline(always)]
fn store_sum<V: BlockWords<W>, W: Scalar>(isa: V::Isa, w: V, i: usize, k: &[W], wk: &mut [W]) {
    let len = 2 * len::<W>();
    (w + V::load(isa, &k[len * i..len * (i + 1)])).store(&mut wk[len * i..len * (i + 1)]);
}

/// The method of [`InTwoBlocks`]. `next_words` computes the schedule, a vector in as many parts as it has
/// rounds, and `k` are the round constants as its words lie in memory.
#[inline(always)]
pub(crate) fn rounds<V: BlockWords<W>, W: Scalar, const N: usize>(
    isa: V::Isa,
    k: &[W; N],
    next_words: impl Fn(&mut [V; 8], usize, usize),
    before: &mut [W; 8],
    w: &mut [V; 8],
    wk: &mut Schedule<W>,
    block: usize,
) {
    let wk = wk.first_chunk_mut::<N>().expect("SHA-1 has more");
    let (mut state, mut ahead) = (*before, (before[1] ^ before[2], W::from_low(0)));
    let (len, half, end) = (len::<W>(), 8 / len::<W>(), N);
    let first = V::BLOCKS == 1 || block == 0;
    // Pinned, or a register would be filled with each vector of constants, once, before the first block.
    let first_k = k.get(pin(0) as usize..).and_then(|k| k.first_chunk::<32>());
    if let (true, Some(k)) = (first, first_k) {
        for i in 0..2 * half {
            store_sum(isa, w[i], i, k, wk);
        }
    }
    // How many words are to be computed. Pinned, so that a round trip costs one comparison.
    let rows = pin(if first { end as u64 } else { 0 }) as usize;
    let mut at = if first { 0 } else { len };
    while at <= end - 16 + len {
        // A part of the schedule after each round: after eight, it would be too long for a CPU to look beyond
        // it.
        if let Some(words) = wk[..rows.min(end)].get_mut(at..at + 48) {
            let k = &k[at + 32..at + 48];
            (state, ahead) = eight_rounds::<V, W>(
                state,
                ahead,
                words,
                #[inline(always)]
                |words, t| {
                    let (i, part) = (t / len, t % len);
                    next_words(w, i, part);
                    if part == len - 1 {
                        store_sum(isa, w[i], i, k, &mut words[32..]);
                    }
                },
            );
            for i in 0..half {
                w.swap(i, i + half);
            }
        } else {
            let words = &mut wk[at..][..16 - len];
            (state, ahead) = eight_rounds::<V, W>(state, ahead, words, |_, _| {});
        }
        at += 16;
    }
    state[0] = state[0].add(ahead.1);
    for (before, after) in before.iter_mut().zip(state) {
        // Pinned, or it would be done in a vector, for which the next block would wait.
        *before = before.add(after).pin_here();
    }
}

impl<V: Sha256Schedule> InTwoBlocks<V> for Sha256Core {
    #[inline(always)]
    fn rounds(isa: V::Isa, state: &mut [u32; 8], w: &mut [V; 8], wk: &mut Schedule<u32>, block: usize) {
        // A function that is called through `Fn` is not inlined where a profile asks for small code.
        rounds(
            isa,
            &DOUBLED32,
            #[inline(always)]
            |w, i, part| next_words_256(w, i, part),
            state,
            w,
            wk,
            block,
        );
    }
}

impl<V: BlockWords<u64>> InTwoBlocks<V> for Sha512Core {
    #[inline(always)]
    fn rounds(isa: V::Isa, state: &mut [u64; 8], w: &mut [V; 8], wk: &mut Schedule<u64>, block: usize) {
        // A function that is called through `Fn` is not inlined where a profile asks for small code.
        rounds(
            isa,
            &DOUBLED64,
            #[inline(always)]
            |w, i, part| next_words_512(w, i, part),
            state,
            w,
            wk,
            block,
        );
    }
}
