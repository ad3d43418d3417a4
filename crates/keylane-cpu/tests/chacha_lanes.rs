//! Tests that every operation of ChaCha20's vectors agrees with the model, `lanes::portable`, and the model
//! with the trait's documentation. `lanes.rs` tests what they share with the hashes' vectors.
#![allow(dead_code, reason = "without vectors, only the model is checked")]

use keylane_contracts::{Random, require};
use keylane_cpu::lanes::RowLanes;
use keylane_cpu::lanes::portable::U32s;
use keylane_cpu::{InstructionSet, Portable};

/// How often each operation is tried, each time with other numbers.
const ROUNDS: usize = 200;

/// The results of the operations, as plain arrays.
#[derive(Debug, PartialEq, Eq)]
struct Results<const N: usize, const B: usize> {
    every: [u32; N],
    loaded: [u32; N],
    stored: [[u8; 16]; B],
    turned: [[u32; N]; 3],
    /// To the left, by the standard's counts: 16, 12, 8 and 7.
    rotated: [[u32; N]; 4],
    from_words: [[u32; N]; 16],
    from_rows: [[u32; N]; 4],
}

#[inline(always)]
fn operations<V: RowLanes<N, B>, const N: usize, const B: usize>(
    isa: V::Isa,
    words: &[[u32; N]; 16],
    bytes: &[[u8; 16]; B],
    results: &mut Results<N, B>,
) {
    let x = V::load(isa, &words[0]);
    V::every(isa, [words[0][0], words[0][1], words[0][2], words[0][3]]).store(&mut results.every);
    V::load_bytes(isa, bytes).store(&mut results.loaded);
    x.store_bytes(&mut results.stored);
    x.turn::<1>().store(&mut results.turned[0]);
    x.turn::<2>().store(&mut results.turned[1]);
    x.turn::<3>().store(&mut results.turned[2]);
    x.rotate_right::<16>().store(&mut results.rotated[0]);
    x.rotate_right::<20>().store(&mut results.rotated[1]);
    x.rotate_right::<24>().store(&mut results.rotated[2]);
    x.rotate_right::<25>().store(&mut results.rotated[3]);
    let mut vectors = [x; 16];
    for i in 0..16 {
        vectors[i] = V::load(isa, &words[i]);
    }
    let from_rows = V::states_from_rows([vectors[0], vectors[1], vectors[2], vectors[3]]);
    for i in 0..4 {
        from_rows[i].store(&mut results.from_rows[i]);
    }
    let from_words = V::states_from_words(vectors);
    for i in 0..16 {
        from_words[i].store(&mut results.from_words[i]);
    }
}

/// Returns random words and bytes. Now and then, a word is 0, the greatest, or has a single bit.
fn inputs<const N: usize, const B: usize>(random: &mut Random) -> ([[u32; N]; 16], [[u8; 16]; B]) {
    let mut number = || match random.below(8) {
        0 => 0,
        1 => u32::MAX,
        2 => 1 << random.below(32),
        _ => random.next() as u32,
    };
    let words = core::array::from_fn(|_| core::array::from_fn(|_| number()));
    (words, core::array::from_fn(|_| random.array()))
}

fn run<V: RowLanes<N, B>, const N: usize, const B: usize>(
    isa: V::Isa,
    words: &[[u32; N]; 16],
    bytes: &[[u8; 16]; B],
) -> Results<N, B> {
    let mut results = Results {
        every: [0; N],
        loaded: [0; N],
        stored: [[0; 16]; B],
        turned: [[0; N]; 3],
        rotated: [[0; N]; 4],
        from_words: [[0; N]; 16],
        from_rows: [[0; N]; 4],
    };
    isa.run(
        #[inline(always)]
        |isa| operations::<V, N, B>(isa, words, bytes, &mut results),
    );
    results
}

fn check<V: RowLanes<N, B>, const N: usize, const B: usize>(name: &str) {
    let Some(isa) = V::Isa::detect().copied() else { return require(V::Isa::NAME) };
    let mut random = Random::new(N as u64);
    for round in 0..ROUNDS {
        let (words, bytes) = inputs(&mut random);
        let expected = run::<U32s<N>, N, B>(Portable, &words, &bytes);
        assert_eq!(run::<V, N, B>(isa, &words, &bytes), expected, "{name}, round {round}");
    }
}

/// Checks the model against the trait's documentation.
fn check_model<const N: usize, const B: usize>() {
    let mut random = Random::new(N as u64);
    for _ in 0..ROUNDS {
        let (words, bytes) = inputs::<N, B>(&mut random);
        let found = run::<U32s<N>, N, B>(Portable, &words, &bytes);
        let flat: Vec<u8> = bytes.concat();
        let stored: Vec<u8> = found.stored.concat();
        for i in 0..N {
            let word = words[0][i];
            assert_eq!(found.every[i], words[0][i % 4]);
            assert_eq!(found.loaded[i].to_le_bytes(), flat[4 * i..4 * i + 4]);
            assert_eq!(stored[4 * i..4 * i + 4], word.to_le_bytes());
            for (turned, k) in found.turned.iter().zip(1..) {
                assert_eq!(turned[i], words[0][i - i % 4 + (i + k) % 4]);
            }
            let rotated = [16, 12, 8, 7].map(|left| word.rotate_left(left));
            assert_eq!(found.rotated.map(|lanes| lanes[i]), rotated);
        }
        // Word i of state s, by both transpositions.
        let (from_words, from_rows) = (found.from_words.concat(), found.from_rows.concat());
        for i in 0..16 {
            for s in 0..N {
                assert_eq!(from_words[16 * s + i], words[i][s]);
            }
            for s in 0..B {
                assert_eq!(from_rows[16 * s + i], words[i / 4][4 * s + i % 4]);
            }
        }
    }
}

#[test]
fn the_model() {
    check_model::<4, 1>();
    check_model::<8, 2>();
    check_model::<16, 4>();
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::check;
    use keylane_cpu::lanes::x86_64::{U32x4, U32x8, U32x16};
    use keylane_cpu::x86_64::{Sse2, Ssse3};

    #[test]
    fn u32x4_sse2() {
        check::<U32x4<Sse2>, 4, 1>("U32x4<Sse2>");
    }

    #[test]
    fn u32x4_ssse3() {
        check::<U32x4<Ssse3>, 4, 1>("U32x4<Ssse3>");
    }

    #[test]
    fn u32x8() {
        check::<U32x8, 8, 2>("U32x8");
    }

    #[test]
    fn u32x16() {
        check::<U32x16, 16, 4>("U32x16");
    }
}

#[cfg(target_arch = "aarch64")]
#[test]
fn u32x4() {
    check::<keylane_cpu::lanes::aarch64::U32x4, 4, 1>("U32x4");
}
