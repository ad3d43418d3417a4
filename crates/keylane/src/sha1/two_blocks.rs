//! SHA-1 of one message, with the schedule of two blocks at once in vectors, four words of each at a time.

use super::lanes::{K, Sha1Core};
use crate::hash::compression::two_blocks::{InTwoBlocks, Schedule};
use keylane_cpu::lanes::BlockWords;
use keylane_cpu::pin::Scalar;

/// Repeats `$step` for five rounds, after which the working variables are back in their places.
macro_rules! five_times {
    ($step:ident from $first:literal; $a:ident $b:ident $c:ident $d:ident $e:ident) => {
        $step!($first => $a $b $c $d $e);
        $step!($first + 1 => $e $a $b $c $d);
        $step!($first + 2 => $d $e $a $b $c);
        $step!($first + 3 => $c $d $e $a $b);
        $step!($first + 4 => $b $c $d $e $a);
    };
}

/// The values that a round leaves for the next: the working variables, with c rotated already and W + K added
/// to e, and the function of b, c and d.
type Working<W> = ([W; 5], W);

/// Does a round. STAGE is that of the next round, whose W + K is `next_wk`. Returns the next round's c, e, a
/// and function.
///
/// The order is kept: a and c are ready last, and what needs them comes as late as can be.
#[inline(always)]
fn round<W: Scalar, const STAGE: usize>(next_wk: W, ([a, b, c, d, e], f): Working<W>) -> (W, W, W, W) {
    let e = e.add(f).pin_here();
    let rotated = a.rotate_right(27).pin_here();
    let (x, y) = match STAGE {
        0 => ((!a & c).pin_here(), (a & b).pin_here()),
        2 => (((a ^ b).pin_here() & c).pin_here(), (a & b).pin_here()),
        _ => ((a ^ b).pin_here(), c),
    };
    let next_a = e.add(rotated).pin_here();
    let f = (x ^ y).pin_here();
    (a.rotate_right(2).pin_here(), d.add(next_wk).pin_here(), next_a, f)
}

/// Computes the four words of quad `q` of the schedule.
#[inline(always)]
fn next_words<V: BlockWords<W>, W: Scalar>(isa: V::Isa, w: &[V; 8], q: usize) -> V {
    let before = |quads: usize| w[(q + 8 - quads) % 8];
    let last_six = before(2).straddle::<8>(before(1));
    if q < 8 {
        // FIPS 180-4 §6.1.2. The fourth word needs the first, which is added rotated once more.
        let zero = V::repeat(isa, &[W::from_low(0); 4]);
        let x = before(4) ^ before(4).straddle::<8>(before(3)) ^ before(2) ^ before(1).straddle::<4>(zero);
        x.rotate_right::<31>() ^ zero.straddle::<4>(x).rotate_right::<30>()
    } else {
        // The same, twice.
        (before(8) ^ before(7) ^ before(4) ^ last_six).rotate_right::<30>()
    }
}

/// Does the twenty rounds of a stage: of block 0, with the schedule of both, or of block 1.
#[inline(always)]
fn twenty_rounds<V: BlockWords<W>, W: Scalar, const STAGE: usize, const NEXT: usize>(
    isa: V::Isa,
    ([mut a, mut b, mut c, mut d, mut e], mut f): Working<W>,
    w: &mut [V; 8],
    wk: &mut Schedule<W>,
    block: usize,
) -> Working<W> {
    macro_rules! step {
        ($t:expr => $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            let t = 20 * STAGE + $t;
            let next_wk = wk[place(t + 1, block)];
            let working = ([$a, $b, $c, $d, $e], f);
            ($a, $d, $e, f) = if const { $t < 19 } {
                round::<W, STAGE>(next_wk, working)
            } else {
                round::<W, NEXT>(next_wk, working)
            };
            if const { $t % 4 == 3 && 20 * STAGE + $t < 64 } && (V::BLOCKS == 1 || block == 0) {
                let q = t / 4 + 4;
                w[q % 8] = next_words(isa, w, q);
                store(isa, w, wk, q);
            }
        };
    }
    five_times!(step from 0; a b c d e);
    five_times!(step from 5; a b c d e);
    five_times!(step from 10; a b c d e);
    five_times!(step from 15; a b c d e);
    ([a, b, c, d, e], f)
}

/// The method of [`InTwoBlocks`], for words of any type.
#[inline(always)]
pub(crate) fn rounds<V: BlockWords<W>, W: Scalar>(
    isa: V::Isa,
    state: &mut [W; 5],
    w: &mut [V; 8],
    wk: &mut Schedule<W>,
    block: usize,
) {
    if V::BLOCKS == 1 || block == 0 {
        for q in 0..4 {
            store(isa, w, wk, q);
        }
        [wk[place(80, 0)], wk[place(80, 1)]] = [W::from_low(0); 2];
    }
    let [a, b, c, d, e] = *state;
    let e = e.add(wk[place(0, block)]);
    let mut working = ([a, b.rotate_right(2), c, d, e], (b & c) ^ (!b & d));
    working = twenty_rounds::<V, W, 0, 1>(isa, working, w, wk, block);
    working = twenty_rounds::<V, W, 1, 2>(isa, working, w, wk, block);
    working = twenty_rounds::<V, W, 2, 3>(isa, working, w, wk, block);
    working = twenty_rounds::<V, W, 3, 3>(isa, working, w, wk, block);
    let ([a, b, c, d, e], _) = working;
    for (before, after) in state.iter_mut().zip([a, b.rotate_right(30), c, d, e]) {
        // Pinned, or it would be done in a vector, for which the next block would wait.
        *before = before.add(after).pin_here();
    }
}

/// Returns the place of W + K of round `t` of a block. After the last there are zeros.
#[inline(always)]
const fn place(t: usize, block: usize) -> usize {
    8 * (t / 4) + 4 * (block & 1) + t % 4
}

/// Stores W + K of a quad of the schedule.
#[inline(always)]
fn store<V: BlockWords<W>, W: Scalar>(isa: V::Isa, w: &[V; 8], wk: &mut Schedule<W>, q: usize) {
    (w[q % 8] + k::<V, W>(isa, q)).store(&mut wk[8 * q..8 * q + 4 * V::BLOCKS]);
}

/// Returns the constant of a quad's rounds.
#[inline(always)]
fn k<V: BlockWords<W>, W: Scalar>(isa: V::Isa, quad: usize) -> V {
    V::repeat(isa, &[W::from_low(K[quad / 5].into()); 4])
}

impl<V: BlockWords<u32>> InTwoBlocks<V> for Sha1Core {
    #[inline(always)]
    fn rounds(isa: V::Isa, state: &mut [u32; 5], w: &mut [V; 8], wk: &mut Schedule<u32>, block: usize) {
        rounds(isa, state, w, wk, block);
    }
}
