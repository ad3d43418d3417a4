//! Tests that every operation of every vector type agrees with the model, `lanes::portable`, or with the
//! standard's formula.
#![allow(dead_code, reason = "each architecture uses its part")]

use keylane_contracts::{Random, require};
use keylane_cpu::lanes::portable::{U32s, U32x1, U64s, U64x1};
#[cfg(target_arch = "x86_64")]
use keylane_cpu::lanes::{BlockWords, Sha256Schedule};
use keylane_cpu::lanes::{Sha1Words, Sha256Words, Sha512Words, U32Lanes, U64Lanes};
use keylane_cpu::{InstructionSet, Portable};

/// How often each operation is tried, each time with other numbers.
const ROUNDS: usize = 200;

/// Returns the token, if this CPU has the instructions.
fn token<I: InstructionSet>() -> Option<I> {
    let token = I::detect().copied();
    if token.is_none() {
        require(I::NAME);
    }
    token
}

/// Returns a random number, or now and then one that tests carries and signs.
fn number(random: &mut Random) -> u64 {
    match random.below(8) {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << random.below(64),
        _ => random.next(),
    }
}

/// The tests of a kind of lanes. Everything that uses a vector is inside `run`, and returns plain arrays.
macro_rules! lanes {
    ($check:ident, $Lanes:ident, $Model:ident, $Word:ident, $row:literal, rotate [$($r:literal)*]) => {
        fn $check<V: $Lanes<N>, const N: usize>(name: &str) {
            /// Every operation, in order.
            #[inline(always)]
            fn operations<V: $Lanes<N>, const N: usize>(
                isa: V::Isa,
                a: &[$Word; N],
                b: &[$Word; N],
                c: &[$Word; N],
                results: &mut Vec<[$Word; N]>,
            ) {
                let [x, y, z] = [V::load(isa, a), V::load(isa, b), V::load(isa, c)];
                macro_rules! store {
                    ($vector:expr) => {{
                        let mut lanes = [0; N];
                        $vector.store(&mut lanes);
                        results.push(lanes);
                    }};
                }
                store!(x);
                store!(V::splat(isa, b[0]));
                store!(x + y);
                store!(x ^ y);
                store!(x & y);
                store!(x | y);
                store!(x.xor3(y, z));
                store!(x.choose(y, z));
                store!(x.majority(y, z));
                store!((x + y).pin());
                $(
                    store!(x.rotate_right::<$r>());
                    store!(x.shift_right::<$r>());
                )*
            }
            /// Every transposition between rows and lanes.
            #[inline(always)]
            fn rows<V: $Lanes<N>, const N: usize>(
                isa: V::Isa,
                rows: &[[$Word; $row]; N],
                bytes: &[[u8; 32]; N],
            ) -> ([[$Word; N]; $row], [[$Word; N]; $row], [[$Word; $row]; N]) {
                let mut slices = [&bytes[0]; N];
                for i in 0..N {
                    slices[i] = &bytes[i];
                }
                let (mut native, mut from_be, mut back) = ([[0; N]; $row], [[0; N]; $row], [[0; $row]; N]);
                let words = V::from_rows(isa, rows);
                let words_be = V::from_rows_be(isa, slices);
                for i in 0..$row {
                    words[i].store(&mut native[i]);
                    words_be[i].store(&mut from_be[i]);
                }
                V::to_rows(words, &mut back);
                (native, from_be, back)
            }

            let Some(isa) = token::<V::Isa>() else { return };
            let mut random = Random::new(N as u64);
            for round in 0..ROUNDS {
                let [a, b, c] =
                    core::array::from_fn(|_| core::array::from_fn(|_| number(&mut random) as $Word));
                let (mut got, mut expected) = (Vec::with_capacity(200), Vec::new());
                isa.run(
                    #[inline(always)]
                    |isa| operations::<V, N>(isa, &a, &b, &c, &mut got),
                );
                operations::<$Model<N>, N>(Portable, &a, &b, &c, &mut expected);
                for (operation, (got, expected)) in got.iter().zip(&expected).enumerate() {
                    assert_eq!(got, expected, "{name}, round {round}, operation {operation} of the test");
                }
                assert_eq!(got.len(), expected.len());

                let words = core::array::from_fn(|_| core::array::from_fn(|_| number(&mut random) as $Word));
                let bytes: [[u8; 32]; N] = core::array::from_fn(|_| random.array());
                let got = isa.run(
                    #[inline(always)]
                    |isa| rows::<V, N>(isa, &words, &bytes),
                );
                let expected = rows::<$Model<N>, N>(Portable, &words, &bytes);
                assert_eq!(got, expected, "{name}, round {round}, rows");
                assert_eq!(got.2, words, "{name}, round {round}, there and back");
            }
        }
    };
}

lanes! {
    check32, U32Lanes, U32s, u32, 8,
    rotate [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31]
}
lanes! {
    check64, U64Lanes, U64s, u64, 4,
    rotate [
        1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
        33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
    ]
}

/// Checks the model against Rust's integers.
#[test]
fn the_model() {
    macro_rules! model {
        ($Model:ident, $Lanes:ident, $Word:ident, $row:literal, $turn:literal) => {{
            let mut random = Random::new(0);
            for _ in 0..ROUNDS {
                let [a, b, c]: [[$Word; 4]; 3] =
                    core::array::from_fn(|_| core::array::from_fn(|_| number(&mut random) as $Word));
                let [x, y, z] = [a, b, c].map($Model);
                let each = |f: &dyn Fn($Word, $Word, $Word) -> $Word| {
                    $Model::<4>(core::array::from_fn(|i| f(a[i], b[i], c[i])))
                };
                use keylane_cpu::lanes::Lanes;
                assert_eq!(x + y, each(&|a, b, _| a.wrapping_add(b)));
                assert_eq!(x ^ y, each(&|a, b, _| a ^ b));
                assert_eq!(x & y, each(&|a, b, _| a & b));
                assert_eq!(x | y, each(&|a, b, _| a | b));
                assert_eq!(x.xor3(y, z), each(&|a, b, c| a ^ b ^ c));
                assert_eq!(x.choose(y, z), each(&|a, b, c| (a & b) ^ (!a & c)));
                assert_eq!(x.majority(y, z), each(&|a, b, c| (a & b) ^ (a & c) ^ (b & c)));
                assert_eq!(x.rotate_right::<$turn>(), each(&|a, _, _| a.rotate_right($turn)));
                assert_eq!(x.shift_right::<$turn>(), each(&|a, _, _| a >> $turn));
                assert_eq!(<$Model<4> as $Lanes<4>>::splat(Portable, a[0]), $Model([a[0]; 4]));

                let rows: [[$Word; $row]; 4] =
                    core::array::from_fn(|_| core::array::from_fn(|_| number(&mut random) as $Word));
                let bytes: [Vec<u8>; 4] =
                    core::array::from_fn(|i| rows[i].iter().flat_map(|word| word.to_be_bytes()).collect());
                let words = $Model::<4>::from_rows(Portable, &rows);
                for (i, word) in words.iter().enumerate() {
                    assert_eq!(word.0, core::array::from_fn(|lane| rows[lane][i]));
                }
                let slices = core::array::from_fn(|i| <&[u8; 32]>::try_from(&bytes[i][..]).unwrap());
                assert_eq!($Model::<4>::from_rows_be(Portable, slices), words);
                let mut back = [[0; $row]; 4];
                $Model::<4>::to_rows(words, &mut back);
                assert_eq!(back, rows);
            }
        }};
    }
    model!(U32s, U32Lanes, u32, 8, 7);
    model!(U64s, U64Lanes, u64, 4, 41);
    check32::<U32x1, 1>("U32x1");
    check64::<U64x1, 1>("U64x1");
}

// ---- Words of one message

fn big_endian<const N: usize>(words: &[u32]) -> [u8; N] {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    bytes.try_into().unwrap()
}

/// FIPS 180-4 §6.1.2: the four words of the schedule that follow sixteen.
fn schedule1(w: &[u32; 16]) -> [u32; 4] {
    let mut w = w.to_vec();
    for t in 16..20 {
        w.push((w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1));
    }
    [w[16], w[17], w[18], w[19]]
}

/// FIPS 180-4 §6.1.2, step 3, four times.
fn rounds1(stage: i32, [mut a, mut b, mut c, mut d, mut e]: [u32; 5], w: &[u32; 4]) -> [u32; 5] {
    for w in w {
        let (f, k) = match stage {
            0 => ((b & c) ^ (!b & d), 0x5a82_7999u32),
            1 => (b ^ c ^ d, 0x6ed9_eba1),
            2 => ((b & c) ^ (b & d) ^ (c & d), 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6),
        };
        let t = a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(k).wrapping_add(*w);
        (a, b, c, d, e) = (t, a, b.rotate_left(30), c, d);
    }
    [a, b, c, d, e]
}

/// The trait cannot store a vector, so the results of `or` and `schedule` are compared by four rounds with
/// them.
fn check_sha1<W: Sha1Words>(name: &str) {
    #[inline(always)]
    fn rounds<W: Sha1Words>(isa: W::Isa, stage: usize, state: &[u32; 5], w: W) -> [u32; 5] {
        let state = W::state(isa, state);
        W::state_words(match stage {
            0 => W::four_rounds::<0>(state, w),
            1 => W::four_rounds::<1>(state, w),
            2 => W::four_rounds::<2>(state, w),
            _ => W::four_rounds::<3>(state, w),
        })
    }
    let Some(isa) = token::<W::Isa>() else { return };
    let mut random = Random::new(1);
    for round in 0..ROUNDS {
        let [state, other]: [[u32; 5]; 2] =
            core::array::from_fn(|_| core::array::from_fn(|_| number(&mut random) as u32));
        let w: [u32; 16] = core::array::from_fn(|_| number(&mut random) as u32);
        let quarters: [[u32; 4]; 4] = core::array::from_fn(|i| core::array::from_fn(|j| w[4 * i + j]));
        let bytes: [u8; 16] = big_endian(&quarters[0]);
        let stage = round % 4;
        let (message, next, or, words, plain, sum, later, difference, round_trip) = isa.run(
            #[inline(always)]
            |isa| {
                let [w0, w1, w2, w3] = [
                    W::words(isa, quarters[0]),
                    W::words(isa, quarters[1]),
                    W::words(isa, quarters[2]),
                    W::words(isa, quarters[3]),
                ];
                let [first, second] = W::state_as_message(W::state(isa, &state));
                // The result of rounds may be stored in another form than a fresh state.
                let after = W::four_rounds::<1>(W::state(isa, &state), w0);
                let [third, fourth] = W::state_as_message(after);
                (
                    [
                        rounds::<W>(isa, stage, &other, first),
                        rounds::<W>(isa, stage, &other, second),
                        rounds::<W>(isa, stage, &other, third),
                        rounds::<W>(isa, stage, &other, fourth),
                    ],
                    rounds::<W>(isa, stage, &other, w0.schedule(w1, w2, w3)),
                    rounds::<W>(isa, stage, &other, w0 | w1),
                    rounds::<W>(isa, stage, &other, W::load_be(isa, &bytes)),
                    rounds::<W>(isa, stage, &other, w0),
                    W::state_words(W::add_state(after, W::state(isa, &other))),
                    W::state_words(W::add_state(
                        W::four_rounds::<3>(W::add_state(after, W::state(isa, &other)), w1),
                        after,
                    )),
                    W::state_words(W::xor_state(after, W::state(isa, &other))),
                    W::state_words(W::state(isa, &state)),
                )
            },
        );
        let expected = |w: &[u32; 4]| rounds1(stage as i32, other, w);
        let after = rounds1(1, state, &quarters[0]);
        let [a, b, c, d, e] = state;
        let [aa, ab, ac, ad, ae] = after;
        let message_words = [[a, b, c, d], [e, 0, 0, 0], [aa, ab, ac, ad], [ae, 0, 0, 0]];
        assert_eq!(message, message_words.each_ref().map(expected), "{name}, state_as_message");
        assert_eq!(next, expected(&schedule1(&w)), "{name}, schedule");
        let ored = core::array::from_fn(|i| quarters[0][i] | quarters[1][i]);
        assert_eq!(or, expected(&ored), "{name}, or");
        assert_eq!(words, expected(&quarters[0]), "{name}, load_be");
        assert_eq!(plain, expected(&quarters[0]), "{name}, words and four_rounds::<{stage}>");
        let summed: [u32; 5] = core::array::from_fn(|i| after[i].wrapping_add(other[i]));
        assert_eq!(sum, summed, "{name}, add_state");
        let twice = rounds1(3, summed, &quarters[1]);
        assert_eq!(
            later,
            core::array::from_fn(|i| twice[i].wrapping_add(after[i])),
            "{name}, add_state twice"
        );
        assert_eq!(difference, core::array::from_fn(|i| after[i] ^ other[i]), "{name}, xor_state");
        assert_eq!(round_trip, state, "{name}, state and back");
    }
}

fn sigma(x: u32, [a, b, c]: [u32; 3]) -> u32 {
    x.rotate_right(a) ^ x.rotate_right(b) ^ x.rotate_right(c)
}

/// FIPS 180-4 §6.2.2: the four words of the schedule that follow sixteen.
fn schedule256(w: &[u32; 16]) -> [u32; 4] {
    let mut w = w.to_vec();
    for t in 16..20 {
        let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ w[t - 15] >> 3;
        let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ w[t - 2] >> 10;
        w.push(w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1));
    }
    [w[16], w[17], w[18], w[19]]
}

/// FIPS 180-4 §6.2.2, step 3, four times; `wk` is message words plus constants.
fn rounds256(state: [u32; 8], wk: &[u32; 4]) -> [u32; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
    for wk in wk {
        let choice = (e & f) ^ (!e & g);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let t1 = h.wrapping_add(sigma(e, [6, 11, 25])).wrapping_add(choice).wrapping_add(*wk);
        let t2 = sigma(a, [2, 13, 22]).wrapping_add(majority);
        (a, b, c, d, e, f, g, h) = (t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g);
    }
    [a, b, c, d, e, f, g, h]
}

fn check_sha256<W: Sha256Words>(name: &str) {
    #[inline(always)]
    fn rounds<W: Sha256Words>(isa: W::Isa, state: &[u32; 8], wk: W) -> [u32; 8] {
        let before = state256::<W>(isa, state);
        let half = W::rounds_begin(before, wk);
        stored256::<W>(W::reorder(W::rounds_end(half, before, wk)))
    }
    let Some(isa) = token::<W::Isa>() else { return };
    let mut random = Random::new(2);
    for _ in 0..ROUNDS {
        let [state, other]: [[u32; 8]; 2] =
            core::array::from_fn(|_| core::array::from_fn(|_| number(&mut random) as u32));
        let w: [u32; 16] = core::array::from_fn(|_| number(&mut random) as u32);
        let quarters: [[u32; 4]; 4] = core::array::from_fn(|i| core::array::from_fn(|j| w[4 * i + j]));
        let bytes: [u8; 16] = big_endian(&quarters[0]);
        let (plain, loaded, sum, next, message, combined, round_trip) = isa.run(
            #[inline(always)]
            |isa| {
                let [w0, w1, w2, w3] = [
                    W::words(isa, &quarters[0]),
                    W::words(isa, &quarters[1]),
                    W::words(isa, &quarters[2]),
                    W::words(isa, &quarters[3]),
                ];
                let [first, second] = W::reorder(state256::<W>(isa, &state));
                (
                    rounds::<W>(isa, &state, w0),
                    rounds::<W>(isa, &state, W::load_be(isa, &bytes)),
                    rounds::<W>(isa, &state, w0 + w1),
                    rounds::<W>(isa, &state, w0.schedule(w1, w2, w3)),
                    [rounds::<W>(isa, &other, first), rounds::<W>(isa, &other, second)],
                    stored256::<W>([w0 ^ w1, w0 | w1]),
                    stored256::<W>([first, second]),
                )
            },
        );
        assert_eq!(plain, rounds256(state, &quarters[0]), "{name}, words and rounds");
        assert_eq!(loaded, plain, "{name}, load_be");
        let sums = core::array::from_fn(|i| quarters[0][i].wrapping_add(quarters[1][i]));
        assert_eq!(sum, rounds256(state, &sums), "{name}, +");
        assert_eq!(next, rounds256(state, &schedule256(&w)), "{name}, schedule");
        let [a, b, c, d, e, f, g, h] = state;
        let halves = [[a, b, c, d], [e, f, g, h]];
        assert_eq!(message, halves.each_ref().map(|half| rounds256(other, half)), "{name}, reorder");
        let both = |f: fn(u32, u32) -> u32| w[..4].iter().zip(&w[4..8]).map(move |(a, b)| f(*a, *b));
        assert!(combined.into_iter().eq(both(|a, b| a ^ b).chain(both(|a, b| a | b))), "{name}, ^ and |");
        assert_eq!(round_trip, state, "{name}, state and back");
    }
}

fn small_sigma0(x: u64) -> u64 {
    x.rotate_right(1) ^ x.rotate_right(8) ^ x >> 7
}

fn small_sigma1(x: u64) -> u64 {
    x.rotate_right(19) ^ x.rotate_right(61) ^ x >> 6
}

/// FIPS 180-4 §6.4.2: the four words of the schedule that follow sixteen.
fn schedule512(w: &[u64; 16]) -> [u64; 4] {
    let mut w = w.to_vec();
    for t in 16..20 {
        let sum = w[t - 16].wrapping_add(small_sigma0(w[t - 15])).wrapping_add(w[t - 7]);
        w.push(sum.wrapping_add(small_sigma1(w[t - 2])));
    }
    [w[16], w[17], w[18], w[19]]
}

/// FIPS 180-4 §6.4.2, step 3, four times; `wk` is message words plus constants.
fn rounds512(state: [u64; 8], wk: &[u64]) -> [u64; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
    for wk in wk {
        let choice = (e & f) ^ (!e & g);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let sigma1 = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
        let sigma0 = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
        let t1 = h.wrapping_add(sigma1).wrapping_add(choice).wrapping_add(*wk);
        let t2 = sigma0.wrapping_add(majority);
        (a, b, c, d, e, f, g, h) = (t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g);
    }
    [a, b, c, d, e, f, g, h]
}

fn check_sha512<W: Sha512Words>(name: &str) {
    #[inline(always)]
    fn stored<W: Sha512Words>(vectors: [W; 2]) -> [u64; 8] {
        let mut words = [0; 8];
        for (vector, words) in vectors.into_iter().zip(words.as_chunks_mut().0) {
            vector.store(words);
        }
        words
    }
    let Some(isa) = token::<W::Isa>() else { return };
    let mut random = Random::new(3);
    for _ in 0..ROUNDS {
        let state: [u64; 8] = core::array::from_fn(|_| number(&mut random));
        let w: [u64; 16] = core::array::from_fn(|_| number(&mut random));
        let mut bytes = [0x5a; 37];
        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(w) {
            *bytes = word.to_be_bytes();
        }
        let (loaded, added, others, next, after, round_trip) = isa.run(
            #[inline(always)]
            |isa| {
                let (words, halves) = (w.as_chunks().0, state.as_chunks().0);
                let [w0, w1, w2, w3] = [
                    W::words(isa, &words[0]),
                    W::words(isa, &words[1]),
                    W::words(isa, &words[2]),
                    W::words(isa, &words[3]),
                ];
                let begin = W::reorder([W::words(isa, &halves[0]), W::words(isa, &halves[1])]);
                (
                    stored([W::load_padded(isa, &bytes, 0), W::load_padded(isa, &bytes, 32)]),
                    stored([w0 + w1, w0 ^ w1]),
                    stored([w0 | w1, w0 & w1]),
                    stored([w0.schedule(w1, w2, w3), w0]),
                    stored(W::reorder(W::four_rounds(begin, w0))),
                    stored(W::reorder(begin)),
                )
            },
        );
        let (first, second) = (&w[..4], &w[4..8]);
        assert_eq!(loaded, [first, &[0x5a5a_5a5a_5a80_0000, 0, 0, 0]].concat()[..], "{name}, load_padded");
        let both = |f: fn(u64, u64) -> u64| first.iter().zip(second).map(move |(a, b)| f(*a, *b));
        assert!(added.into_iter().eq(both(u64::wrapping_add).chain(both(|a, b| a ^ b))), "{name}, + and ^");
        assert!(others.into_iter().eq(both(|a, b| a | b).chain(both(|a, b| a & b))), "{name}, | and &");
        assert_eq!(next, [&schedule512(&w), first].concat()[..], "{name}, schedule");
        assert_eq!(after, rounds512(state, first), "{name}, four_rounds");
        assert_eq!(round_trip, state, "{name}, state and back");
    }
}

/// Compares with plain words, block by block. A block has 16 bytes: N words.
#[cfg(target_arch = "x86_64")]
macro_rules! check_block_words {
    ($check:ident, $W:ident, $N:literal) => {
        fn $check<V: BlockWords<$W>>(name: &str) {
            let Some(isa) = token::<V::Isa>() else { return };
            let mut random = Random::new(4);
            for _ in 0..ROUNDS {
                let [a, b]: [[[$W; $N]; 2]; 2] =
                    core::array::from_fn(|_| [(); 2].map(|()| [(); $N].map(|()| number(&mut random) as $W)));
                let bytes = |block: [$W; $N]| -> [u8; 16] {
                    core::array::from_fn(|i| block[i * $N / 16].to_be_bytes()[i % (16 / $N)])
                };
                let mut got = [[[0; $N]; 2]; 12];
                isa.run(
                    #[inline(always)]
                    |isa| {
                        let x = V::load_be(isa, &bytes(a[0]), &bytes(a[1]));
                        let y = V::load_be(isa, &bytes(b[0]), &bytes(b[1]));
                        let results = [
                            x,
                            V::repeat(isa, &a[0]),
                            x.straddle::<4>(y),
                            x.straddle::<8>(y),
                            x + y,
                            x ^ y,
                            x & y,
                            x | y,
                            x.rotate_right::<1>(),
                            x.rotate_right::<19>(),
                            x.shift_right::<7>(),
                            x.pin(),
                        ];
                        for (words, result) in got.iter_mut().zip(results) {
                            result.store(&mut words.as_flattened_mut()[..$N * V::BLOCKS]);
                        }
                    },
                );
                for block in 0..V::BLOCKS {
                    let (a_bytes, b_bytes) = (a[block].map($W::to_le_bytes), b[block].map($W::to_le_bytes));
                    let both = [a_bytes.as_flattened(), b_bytes.as_flattened()].concat();
                    let (both, _) = both.as_chunks::<{ 16 / $N }>();
                    let from = |byte: usize| -> [$W; $N] {
                        let bytes = &both.as_flattened()[byte..byte + 16];
                        core::array::from_fn(|i| $W::from_le_bytes(bytes.as_chunks().0[i]))
                    };
                    let each = |f: fn($W, $W) -> $W| core::array::from_fn(|i| f(a[block][i], b[block][i]));
                    let expected: [[$W; $N]; 12] = [
                        a[block],
                        a[0],
                        from(4),
                        from(8),
                        each($W::wrapping_add),
                        each(|a, b| a ^ b),
                        each(|a, b| a & b),
                        each(|a, b| a | b),
                        each(|a, _| a.rotate_right(1)),
                        each(|a, _| a.rotate_right(19)),
                        each(|a, _| a >> 7),
                        a[block],
                    ];
                    assert_eq!(got.map(|words| words[block]), expected, "{name}, block {block}");
                }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
check_block_words!(check_block_words_32, u32, 4);
#[cfg(target_arch = "x86_64")]
check_block_words!(check_block_words_64, u64, 2);

#[cfg(target_arch = "x86_64")]
fn check_sha256_schedule<V: Sha256Schedule>(name: &str) {
    let Some(isa) = token::<V::Isa>() else { return };
    let mut random = Random::new(5);
    for _ in 0..ROUNDS {
        let x: [u32; 4] = [(); 4].map(|()| number(&mut random) as u32);
        let (mut upper, mut lower) = ([0; 8], [0; 8]);
        isa.run(
            #[inline(always)]
            |isa| {
                let x = V::repeat(isa, &x);
                x.sigma1_of_upper().store(&mut upper[..4 * V::BLOCKS]);
                x.sigma1_of_lower().store(&mut lower[..4 * V::BLOCKS]);
            },
        );
        let [s0, s1, s2, s3] = x.map(|x| x.rotate_right(17) ^ x.rotate_right(19) ^ x >> 10);
        for block in 0..V::BLOCKS {
            assert_eq!(upper[4 * block..][..4], [s2, s3, 0, 0], "{name}, block {block}");
            assert_eq!(lower[4 * block..][..4], [0, 0, s0, s1], "{name}, block {block}");
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::*;
    use keylane_cpu::lanes::x86_64::{
        ShaWords, U32x4, U32x8, U32x16, U64x2, U64x4, U64x4Vl, U64x8, WordQuad,
    };
    use keylane_cpu::x86_64::{Sse2, Ssse3};

    #[test]
    fn u32x4() {
        check32::<U32x4<Sse2>, 4>("U32x4<Sse2>");
        check32::<U32x4<Ssse3>, 4>("U32x4<Ssse3>");
    }

    #[test]
    fn u64x2() {
        check64::<U64x2<Sse2>, 2>("U64x2<Sse2>");
        check64::<U64x2<Ssse3>, 2>("U64x2<Ssse3>");
    }

    #[test]
    fn u32x8() {
        check32::<U32x8, 8>("U32x8");
    }

    #[test]
    fn u64x4() {
        check64::<U64x4, 4>("U64x4");
    }

    #[test]
    fn block_words() {
        check_block_words_32::<U32x4<Ssse3>>("U32x4<Ssse3>");
        check_block_words_32::<U32x8>("U32x8");
        check_block_words_64::<U64x4>("U64x4");
        check_block_words_64::<U64x4Vl>("U64x4Vl");
    }

    #[test]
    fn sha256_schedules() {
        check_sha256_schedule::<U32x4<Ssse3>>("U32x4<Ssse3>");
        check_sha256_schedule::<U32x8>("U32x8");
    }

    #[test]
    fn u32x16() {
        check32::<U32x16, 16>("U32x16");
    }

    #[test]
    fn u64x8() {
        check64::<U64x8, 8>("U64x8");
    }

    #[test]
    fn sha1_words() {
        check_sha1::<ShaWords>("ShaWords");
    }

    #[test]
    fn sha256_words() {
        check_sha256::<ShaWords>("ShaWords");
    }

    #[test]
    fn sha512_words() {
        check_sha512::<WordQuad>("WordQuad");
    }
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use super::*;
    use keylane_cpu::lanes::aarch64::{Sha2Words, U32x4, U64x2, WordQuad};

    #[test]
    fn u32x4() {
        check32::<U32x4, 4>("U32x4");
    }

    #[test]
    fn u64x2() {
        check64::<U64x2, 2>("U64x2");
    }

    #[test]
    fn sha1_words() {
        check_sha1::<Sha2Words>("Sha2Words");
    }

    #[test]
    fn sha256_words() {
        check_sha256::<Sha2Words>("Sha2Words");
    }

    #[test]
    fn sha512_words() {
        check_sha512::<WordQuad>("WordQuad");
    }
}

/// The state of a to h.
#[inline(always)]
fn state256<W: Sha256Words>(isa: W::Isa, &[a, b, c, d, e, f, g, h]: &[u32; 8]) -> [W; 2] {
    W::reorder([W::words(isa, &[a, b, c, d]), W::words(isa, &[e, f, g, h])])
}

#[inline(always)]
fn stored256<W: Sha256Words>(vectors: [W; 2]) -> [u32; 8] {
    let mut words = [0; 8];
    for (vector, words) in vectors.into_iter().zip(words.as_chunks_mut().0) {
        vector.store(words);
    }
    words
}
