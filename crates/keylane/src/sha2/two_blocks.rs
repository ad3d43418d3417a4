//! SHA-512 of one message, with the schedule of two blocks at once in vectors.
//!
//! A vector holds words 2i and 2i + 1 of the first block in its low half and of the second in its high half,
//! so eight vectors are the window of both. The rounds of the first block are interleaved with the schedule
//! of the rounds sixteen later, which stores W + K. The second block then loads all of W + K from memory. A
//! single block is also used as the second.
//!
//! In each round the operations on e, whose dependency chain is the longest, come first. `pin_here` keeps
//! that order (without it: 40 % slower). Σ0 of a round is added to a at the start of the next, which hides
//! its latency.

use super::cores::{K64, Sha512Core, eight_times};
use crate::compression::two_blocks::InTwoBlocks;
use keylane_cpu::lanes::U64Pairs;
use keylane_cpu::pin::pin_here;
use keylane_cpu::wipe::Wipe;

/// W + K of both blocks: pair i of the first, then pair i of the second. Aligned, so that no access crosses a
/// cache line.
#[repr(align(64))]
pub(crate) struct Schedule([[u64; 4]; 40]);

impl Wipe for Schedule {
    fn set_zero(&mut self) {
        self.0.set_zero();
    }
}

#[inline(always)]
fn k<V: U64Pairs>(isa: V::Isa, pair: usize) -> V {
    V::splat(isa, [K64[2 * pair], K64[2 * pair + 1]])
}

/// Does a round with W + K. `$bc` is b ^ c of the round before; `$sigma0` is Σ0, which is still to be added
/// to `$a`.
macro_rules! round {
    (
        $wk:expr, $bc:ident, $sigma0:ident:
        $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident
    ) => {
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

/// Does the first half of the schedule's step for pair i: everything that does not depend on the last pair.
#[inline(always)]
fn schedule_begin<V: U64Pairs>(w: &mut [V; 8], i: usize) {
    let x = w[i].straddle(w[(i + 1) % 8]);
    let sigma0 = x.rotate_right::<1>() ^ x.rotate_right::<8>() ^ x.shift_right::<7>();
    w[i] = (w[i] + sigma0) + w[(i + 4) % 8].straddle(w[(i + 5) % 8]);
}

/// Does the second half.
#[inline(always)]
fn schedule_end<V: U64Pairs>(w: &mut [V; 8], i: usize) -> V {
    let y = w[(i + 7) % 8];
    w[i] = w[i] + (y.rotate_right::<19>() ^ y.rotate_right::<61>() ^ y.shift_right::<6>());
    w[i]
}

/// Interleaves the rounds of group `$group` with the schedule of the rounds sixteen later.
macro_rules! schedule_beside {
    ($t:expr, $group:expr; $V:ident, $isa:ident, $w:ident, $wk:ident) => {
        if $t & 1 == 0 {
            schedule_begin($w, $t >> 1);
        } else {
            let pair = 8 * $group + 8 + ($t >> 1);
            (schedule_end($w, $t >> 1) + k::<$V>($isa, pair)).store(&mut $wk.0[pair]);
        }
    };
}

/// The working variables, and intermediate values that a round leaves for the next.
struct Working {
    state: [u64; 8],
    bc: u64,
    sigma0: u64,
}

impl Working {
    #[inline(always)]
    fn start(state: &[u64; 8]) -> Self {
        Self { state: *state, bc: state[1] ^ state[2], sigma0: 0 }
    }

    /// Does the first 64 rounds of the first block, and computes the schedule of both.
    #[inline(always)]
    fn rounds_beside_schedule<V: U64Pairs>(&mut self, isa: V::Isa, w: &mut [V; 8], wk: &mut Schedule) {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = self.state;
        let (mut bc, mut sigma0) = (self.bc, self.sigma0);
        let mut group = 0;
        while group < 4 {
            macro_rules! step {
                ($t:expr => $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
                    round!(wk.0[8 * group + ($t >> 1)][$t & 1], bc, sigma0: $a $b $c $d $e $f $g $h);
                    schedule_beside!($t, group; V, isa, w, wk);
                };
            }
            eight_times!(step from 0; a b c d e f g h);
            eight_times!(step from 8; a b c d e f g h);
            group += 1;
        }
        *self = Self { state: [a, b, c, d, e, f, g, h], bc, sigma0 };
    }

    /// Does the rounds from group `first` to the end, of the block whose pairs begin at `column`.
    #[inline(always)]
    fn rounds_from_memory(&mut self, first: usize, column: usize, wk: &Schedule) {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = self.state;
        let (mut bc, mut sigma0) = (self.bc, self.sigma0);
        let mut group = first;
        while group < 5 {
            macro_rules! step {
                ($t:expr => $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
                    round!(
                        wk.0[8 * group + ($t >> 1)][column + ($t & 1)], bc, sigma0: $a $b $c $d $e $f $g $h
                    );
                };
            }
            eight_times!(step from 0; a b c d e f g h);
            eight_times!(step from 8; a b c d e f g h);
            group += 1;
        }
        *self = Self { state: [a, b, c, d, e, f, g, h], bc, sigma0 };
    }

    #[inline(always)]
    fn finish(mut self, before: &mut [u64; 8]) {
        self.state[0] = self.state[0].wrapping_add(self.sigma0);
        for i in 0..8 {
            before[i] = before[i].wrapping_add(self.state[i]);
        }
    }
}

impl<V: U64Pairs> InTwoBlocks<V> for Sha512Core {
    type Window = [V; 8];
    type Schedule = Schedule;
    const EMPTY_SCHEDULE: Schedule = Schedule([[0; 4]; 40]);

    #[inline(always)]
    fn load_blocks(isa: V::Isa, [first, second]: [&[u8; 128]; 2], wk: &mut Schedule) -> [V; 8] {
        let mut w = [V::splat(isa, [0; 2]); 8];
        for i in 0..8 {
            w[i] = V::load_be(isa, &first.as_chunks().0[i], &second.as_chunks().0[i]);
            (w[i] + k::<V>(isa, i)).store(&mut wk.0[i]);
        }
        w
    }

    #[inline(always)]
    fn load_words(isa: V::Isa, words: &[u64; 16], wk: &mut Schedule) -> [V; 8] {
        let mut w = [V::splat(isa, [0; 2]); 8];
        for i in 0..8 {
            w[i] = V::splat(isa, [words[2 * i], words[2 * i + 1]]);
            for j in 0..2 {
                wk.0[i][j] = words[2 * i + j].wrapping_add(K64[2 * i + j]);
            }
        }
        w
    }

    #[inline(always)]
    fn absorb(isa: V::Isa, state: &mut [u64; 8], w: &mut [V; 8], wk: &mut Schedule, both: bool) {
        let mut working = Working::start(state);
        working.rounds_beside_schedule(isa, w, wk);
        working.rounds_from_memory(4, 0, wk);
        working.finish(state);
        if both {
            let mut working = Working::start(state);
            working.rounds_from_memory(0, 2, wk);
            working.finish(state);
        }
    }
}
