//! SHA-512 of one message: the rounds in scalar registers, the schedule of two blocks at once in vectors.
//!
//! A vector holds words 2i and 2i + 1 of the first block in its low half and of the second in its high half, so eight
//! vectors are the window of both. The schedule of sixteen rounds later runs between the rounds of the first block and
//! stores W + K; the second block then finds all of them in memory. A lone block is its own second.
//!
//! The round is written in the order that keeps e's chain, which is the longest, first; `pin_here` holds it there
//! (without: 40 % slower). Σ0 of a round is added to a at the start of the next, where its latency is hidden.

use super::constants::K64;
use super::sha512::Compression512;
use crate::compression::chain::Chain;
use keylane_cpu::lanes::U64Pairs;
use keylane_cpu::pin::pin_here;
use keylane_cpu::wipe::wipe;

type State = [u64; 8];
type Block = [u8; 128];

/// W + K of both blocks: pair i of the first, pair i of the second. Aligned, so that no access crosses a cache line.
#[repr(align(64))]
struct Schedule([[u64; 4]; 40]);

impl Schedule {
    const EMPTY: Self = Self([[0; 4]; 40]);
}

#[inline(always)]
fn k<V: U64Pairs>(isa: V::Isa, pair: usize) -> V {
    V::splat(isa, [K64[2 * pair], K64[2 * pair + 1]])
}

/// One round on W + K. `$bc` is b ^ c, kept from the round before; `$sigma0` is Σ0, to be added to `$a`.
macro_rules! round {
    ($wk:expr, $bc:ident, $sigma0:ident: $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
        let e14 = pin_here($e.rotate_right(14));
        let e18 = pin_here($e.rotate_right(18));
        let t = pin_here($h.wrapping_add($wk));
        let ef = pin_here($e & $f);
        let sigma1 = pin_here(e14 ^ e18);
        let e41 = pin_here($e.rotate_right(41));
        let eg = pin_here(!$e & $g);
        let t = pin_here(t.wrapping_add(ef));
        let sigma1 = pin_here(sigma1 ^ e41);
        let t = pin_here(t.wrapping_add(eg));
        let t = pin_here(t.wrapping_add(sigma1));
        $d = pin_here($d.wrapping_add(t));
        $a = pin_here($a.wrapping_add($sigma0));
        let ab = pin_here($a ^ $b);
        let a39 = pin_here($a.rotate_right(39));
        let majority = pin_here(ab & $bc);
        $bc = ab;
        let a34 = pin_here($a.rotate_right(34));
        let majority = pin_here(majority ^ $b);
        let a34 = pin_here(a39 ^ a34);
        let a28 = pin_here($a.rotate_right(28));
        $h = pin_here(t.wrapping_add(majority));
        $sigma0 = pin_here(a34 ^ a28);
    };
}

/// The first half of the schedule's step for pair i: everything that does not wait for the pair just made.
#[inline(always)]
fn schedule_begin<V: U64Pairs>(w: &mut [V; 8], i: usize) {
    let x = w[i].straddle(w[(i + 1) % 8]);
    let sigma0 = x.rotate_right::<1>() ^ x.rotate_right::<8>() ^ x.shift_right::<7>();
    w[i] = (w[i] + sigma0) + w[(i + 4) % 8].straddle(w[(i + 5) % 8]);
}

/// The second half.
#[inline(always)]
fn schedule_end<V: U64Pairs>(w: &mut [V; 8], i: usize) -> V {
    let y = w[(i + 7) % 8];
    w[i] = w[i] + (y.rotate_right::<19>() ^ y.rotate_right::<61>() ^ y.shift_right::<6>());
    w[i]
}

/// Between the rounds of group `$group`: the schedule of the next sixteen.
macro_rules! schedule_beside {
    ($t:literal, $group:expr; $V:ident, $isa:ident, $w:ident, $wk:ident) => {
        if $t % 2 == 0 {
            schedule_begin($w, $t / 2);
        } else {
            let pair = 8 * $group + 8 + $t / 2;
            (schedule_end($w, $t / 2) + k::<$V>($isa, pair)).store(&mut $wk.0[pair]);
        }
    };
}

/// The rounds of the first block, from group `first` on, with the schedule of both; W + K so far are in `wk`.
/// With `first` = 1 the caller has run the first sixteen.
#[inline(always)]
fn first_block<V: U64Pairs>(
    isa: V::Isa,
    first: usize,
    working: &mut Working,
    w: &mut [V; 8],
    wk: &mut Schedule,
) {
    let ([mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h], mut bc, mut sigma0) =
        (working.state, working.bc, working.sigma0);
    let mut group = first;
    while group < 4 {
        macro_rules! step {
            ($t:literal: $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
                round!(wk.0[8 * group + $t / 2][$t % 2], bc, sigma0: $a $b $c $d $e $f $g $h);
                schedule_beside!($t, group; V, isa, w, wk);
            };
        }
        super::sixteen_times!(step a b c d e f g h);
        group += 1;
    }
    *working = Working { state: [a, b, c, d, e, f, g, h], bc, sigma0 };
    working.rounds_from_memory(4, 0, wk);
}

/// The working variables, and what the rounds keep beside them.
struct Working {
    state: State,
    bc: u64,
    sigma0: u64,
}

impl Working {
    #[inline(always)]
    fn start(state: &State) -> Self {
        Self { state: *state, bc: state[1] ^ state[2], sigma0: 0 }
    }

    /// Rounds from group `first` to the end, of the block whose pairs begin at `column`.
    #[inline(always)]
    fn rounds_from_memory(&mut self, first: usize, column: usize, wk: &Schedule) {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = self.state;
        let (mut bc, mut sigma0) = (self.bc, self.sigma0);
        let mut group = first;
        while group < 5 {
            macro_rules! step {
                ($t:literal: $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
                    round!(wk.0[8 * group + $t / 2][column + $t % 2], bc, sigma0: $a $b $c $d $e $f $g $h);
                };
            }
            super::sixteen_times!(step a b c d e f g h);
            group += 1;
        }
        *self = Self { state: [a, b, c, d, e, f, g, h], bc, sigma0 };
    }

    #[inline(always)]
    fn finish(mut self, before: &State) -> State {
        self.state[0] = self.state[0].wrapping_add(self.sigma0);
        for i in 0..8 {
            self.state[i] = self.state[i].wrapping_add(before[i]);
        }
        self.state
    }
}

/// Absorbs two blocks, or only the first.
#[inline(always)]
fn absorb<V: U64Pairs>(isa: V::Isa, state: &mut State, blocks: [&Block; 2], both: bool, wk: &mut Schedule) {
    let mut w = [V::splat(isa, [0; 2]); 8];
    let (first, second) = (blocks[0].as_chunks::<16>().0, blocks[1].as_chunks::<16>().0);
    for i in 0..8 {
        w[i] = V::load_be(isa, &first[i], &second[i]);
        (w[i] + k::<V>(isa, i)).store(&mut wk.0[i]);
    }
    let mut working = Working::start(state);
    first_block(isa, 0, &mut working, &mut w, wk);
    *state = working.finish(state);
    if both {
        let mut working = Working::start(state);
        working.rounds_from_memory(0, 2, wk);
        *state = working.finish(state);
    }
}

/// Absorbs whole blocks.
#[inline(always)]
pub(super) fn compress<V: U64Pairs>(isa: V::Isa, state: &mut State, blocks: &[Block]) {
    let mut wk = Schedule::EMPTY;
    let (pairs, last) = blocks.as_chunks::<2>();
    for [first, second] in pairs {
        absorb::<V>(isa, state, [first, second], true, &mut wk);
    }
    if let [block] = last {
        absorb::<V>(isa, state, [block, block], false, &mut wk);
    }
}

/// The padding of a 64-byte message after one block: words 8 to 15.
const PADDING: [u64; 8] = [1 << 63, 0, 0, 0, 0, 0, 0, 1536];

/// The compression of a block of sixteen words, the second eight of which are `padding`. The words go from the scalar
/// registers to the rounds and to the vectors side by side: through memory, each load would wait for two narrower stores.
#[inline(always)]
fn compress_words<V: U64Pairs>(
    isa: V::Isa,
    middle: &State,
    words: &[u64; 8],
    padding: &[u64; 8],
    wk: &mut Schedule,
) -> State {
    let mut w = [V::splat(isa, [0; 2]); 8];
    for i in 0..4 {
        w[i] = V::splat(isa, [words[2 * i], words[2 * i + 1]]);
        w[i + 4] = V::splat(isa, [padding[2 * i], padding[2 * i + 1]]);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *middle;
    let (mut bc, mut sigma0) = (b ^ c, 0);
    {
        let w = &mut w;
        macro_rules! step {
            ($t:literal: $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
                let word = if $t < 8 { words[$t % 8] } else { padding[$t % 8] };
                round!(word.wrapping_add(K64[$t]), bc, sigma0: $a $b $c $d $e $f $g $h);
                schedule_beside!($t, 0; V, isa, w, wk);
            };
        }
        super::sixteen_times!(step a b c d e f g h);
    }
    let mut working = Working { state: [a, b, c, d, e, f, g, h], bc, sigma0 };
    first_block(isa, 1, &mut working, &mut w, wk);
    working.finish(middle)
}

/// PBKDF2 iterations of one chain; digests have `digest_len` bytes.
#[inline(always)]
pub(super) fn iterate<V: U64Pairs>(
    isa: V::Isa,
    chain: &mut Chain<Compression512>,
    digest_len: usize,
    iterations: u32,
) {
    let mut wk = Schedule::EMPTY;
    let (mut u, mut sum) = (chain.u, chain.sum);
    let digest_words = digest_len / 8;
    for _ in 0..iterations {
        for middle in [&chain.inner, &chain.outer] {
            if digest_words == 8 {
                // The padding is constant here, and so are W + K of half the first rounds.
                u = compress_words::<V>(isa, middle, &u, &PADDING, &mut wk);
            } else {
                u[digest_words..].fill(0);
                u[digest_words] = 1 << 63;
                let length = 8 * (128 + digest_len) as u64;
                u = compress_words::<V>(isa, middle, &u, &[0, 0, 0, 0, 0, 0, 0, length], &mut wk);
            }
        }
        for i in 0..8 {
            sum[i] ^= u[i];
        }
    }
    (chain.u, chain.sum) = (u, sum);
    wipe(&mut wk.0);
}
