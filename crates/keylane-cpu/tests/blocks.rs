//! Tests that every operation of every vector of blocks agrees with the standard's formula or plain
//! arithmetic.
#![allow(dead_code, reason = "each architecture uses its part")]

use keylane_contracts::{Random, require};
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::{AesBlocks, AesWords, Blocks, CarrylessBlocks};

type Block = [u8; 16];

/// How often each operation is tried, each time with other blocks.
const ROUNDS: usize = 100;

// ---- The model

/// FIPS 197 §4.2: the product of bytes.
fn product(mut a: u8, mut b: u8) -> u8 {
    let mut sum = 0;
    while b != 0 {
        sum ^= if b & 1 == 1 { a } else { 0 };
        a = a << 1 ^ if a >> 7 == 1 { 0x1b } else { 0 };
        b >>= 1;
    }
    sum
}

/// FIPS 197 §5.1.1: SBOX.
fn substitute(x: u8) -> u8 {
    let inverse = (0..=255).find(|y| product(x, *y) == 1).unwrap_or(0);
    [1, 2, 3, 4].iter().fold(inverse ^ 0x63, |sum, turn| sum ^ inverse.rotate_left(*turn))
}

struct Model {
    sbox: [u8; 256],
    inverse_sbox: [u8; 256],
}

impl Model {
    fn new() -> Self {
        let sbox: [u8; 256] = core::array::from_fn(|x| substitute(x as u8));
        let mut inverse_sbox = [0; 256];
        for (x, y) in sbox.iter().enumerate() {
            inverse_sbox[usize::from(*y)] = x as u8;
        }
        Self { sbox, inverse_sbox }
    }

    /// FIPS 197 §5.1.1 and §5.1.2.
    fn encrypt_last_round(&self, s: Block, key: Block) -> Block {
        core::array::from_fn(|i| self.sbox[usize::from(s[(i + 4 * (i % 4)) % 16])] ^ key[i])
    }

    /// FIPS 197 §5.3.1 and §5.3.2.
    fn decrypt_last_round(&self, s: Block, key: Block) -> Block {
        core::array::from_fn(|i| self.inverse_sbox[usize::from(s[(i + 12 * (i % 4)) % 16])] ^ key[i])
    }

    fn encrypt_round(&self, s: Block, key: Block) -> Block {
        xor(mix_columns(self.encrypt_last_round(s, [0; 16]), [2, 3, 1, 1]), key)
    }

    fn decrypt_round(&self, s: Block, key: Block) -> Block {
        xor(mix_columns(self.decrypt_last_round(s, [0; 16]), INVERSE_MIX), key)
    }
}

/// FIPS 197 §5.3.3.
const INVERSE_MIX: [u8; 4] = [14, 11, 13, 9];

/// FIPS 197 §5.1.3, with the first row of the matrix.
fn mix_columns(s: Block, row: [u8; 4]) -> Block {
    core::array::from_fn(|i| {
        (0..4).fold(0, |sum, j| sum ^ product(row[(j + 4 - i % 4) % 4], s[i / 4 * 4 + j]))
    })
}

fn xor(a: Block, b: Block) -> Block {
    (u128::from_le_bytes(a) ^ u128::from_le_bytes(b)).to_le_bytes()
}

/// The product of two polynomials over GF(2).
fn carryless(a: u64, b: u64) -> u128 {
    (0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ u128::from(a) << i)
}

/// The low and the high half.
fn halves(a: Block) -> [u64; 2] {
    let a = u128::from_le_bytes(a);
    [a as u64, (a >> 64) as u64]
}

fn words(a: Block) -> [u32; 4] {
    core::array::from_fn(|i| (u128::from_le_bytes(a) >> (32 * i)) as u32)
}

// ---- The tests

/// Every operation on vectors, in order.
#[inline(always)]
fn operations<V: AesBlocks<N> + CarrylessBlocks<N>, const N: usize>(
    isa: V::Isa,
    [x, y, z]: [V; 3],
    results: &mut Vec<[Block; N]>,
) {
    macro_rules! store {
        ($($vector:expr;)+) => { $(
            let mut blocks = [[0; 16]; N];
            $vector.store(&mut blocks);
            results.push(blocks);
        )+ };
    }
    let mut one = [[0; 16]];
    x.sum().store(&mut one);
    store! {
        x; x.pin(); x ^ y; x.xor3(y, z); x.add32(y); x.add64(y); x.reverse_bytes(); x.swap_halves();
        V::zero(isa); V::broadcast(isa, &one[0]); V::first(x.sum());
        V::splat(isa, y.number()); V::first(z.front()); V::every(z.front());
        x.push(y.front()); x.split().into_iter().fold(y, V::push);
        x.encrypt_round(y); x.encrypt_last_round(y); x.decrypt_round(y); x.decrypt_last_round(y);
        // Rounds in sequence, and operations on their result.
        x.encrypt_round(y).encrypt_round(z).encrypt_last_round(x);
        x.decrypt_round(y).pin().decrypt_round(z).pin().decrypt_last_round(x).pin();
        x.multiply_low(y); x.multiply_high(y);
    }
}

/// Their results by the model.
fn expected<const N: usize>(model: &Model, [x, y, z]: [[Block; N]; 3]) -> Vec<(&'static str, [Block; N])> {
    let each = |f: &dyn Fn(Block, Block, Block) -> Block| core::array::from_fn(|i| f(x[i], y[i], z[i]));
    let halves =
        |f: &dyn Fn([u64; 2], [u64; 2]) -> u128| each(&|x, y, _| f(halves(x), halves(y)).to_le_bytes());
    let sum = x.into_iter().fold([0; 16], xor);
    let mut first = [[0; 16]; N];
    first[0] = sum;
    vec![
        ("load and store", x),
        ("pin", x),
        ("xor", each(&|x, y, _| xor(x, y))),
        ("xor3", each(&|x, y, z| xor(xor(x, y), z))),
        (
            "add32",
            each(&|x, y, _| {
                let sums: [_; 4] =
                    core::array::from_fn(|i| words(x)[i].wrapping_add(words(y)[i]).to_le_bytes());
                sums.concat().try_into().unwrap()
            }),
        ),
        (
            "add64",
            halves(&|x, y| u128::from(x[0].wrapping_add(y[0])) | u128::from(x[1].wrapping_add(y[1])) << 64),
        ),
        (
            "reverse_bytes",
            each(&|mut x, _, _| {
                x.reverse();
                x
            }),
        ),
        (
            "swap_halves",
            each(&|mut x, _, _| {
                x.rotate_left(8);
                x
            }),
        ),
        ("zero", [[0; 16]; N]),
        ("sum and broadcast", [sum; N]),
        ("sum and first", first),
        ("number and splat", [y[0]; N]),
        ("front and first", core::array::from_fn(|i| if i == 0 { z[0] } else { [0; 16] })),
        ("front and every", [z[0]; N]),
        ("push", core::array::from_fn(|i| if i == N - 1 { y[0] } else { x[i + 1] })),
        ("split and push", x),
        ("encrypt_round", each(&|x, y, _| model.encrypt_round(x, y))),
        ("encrypt_last_round", each(&|x, y, _| model.encrypt_last_round(x, y))),
        ("decrypt_round", each(&|x, y, _| model.decrypt_round(x, y))),
        ("decrypt_last_round", each(&|x, y, _| model.decrypt_last_round(x, y))),
        (
            "three rounds of encryption",
            each(&|x, y, z| model.encrypt_last_round(model.encrypt_round(model.encrypt_round(x, y), z), x)),
        ),
        (
            "three rounds of decryption, pinned",
            each(&|x, y, z| model.decrypt_last_round(model.decrypt_round(model.decrypt_round(x, y), z), x)),
        ),
        ("multiply_low", halves(&|x, y| carryless(x[0], y[0]))),
        ("multiply_high", halves(&|x, y| carryless(x[1], y[1]))),
    ]
}

fn blocks<const N: usize>(random: &mut Random) -> [Block; N] {
    core::array::from_fn(|_| match random.below(8) {
        0 => [0; 16],
        1 => [0xff; 16],
        _ => random.array(),
    })
}

/// Returns the token, if this CPU has the instructions.
fn token<I: InstructionSet>() -> Option<I> {
    let token = I::detect().copied();
    if token.is_none() {
        require(I::NAME);
    }
    token
}

fn check<V: AesBlocks<N> + CarrylessBlocks<N>, const N: usize>() {
    let Some(isa) = token::<V::Isa>() else { return };
    let name = format!("{N} blocks of {}", V::Isa::NAME);
    let model = Model::new();
    let mut random = Random::new(N as u64);
    for _ in 0..ROUNDS {
        let [a, b, c]: [[Block; N]; 3] = core::array::from_fn(|_| blocks(&mut random));
        let (mut fresh, mut after_rounds) = (Vec::with_capacity(30), Vec::with_capacity(30));
        isa.run(
            #[inline(always)]
            |isa| {
                let [x, y, z] = [V::load(isa, &a), V::load(isa, &b), V::load(isa, &c)];
                operations::<V, N>(isa, [x, y, z], &mut fresh);
                // The result of rounds may be stored in another form.
                let rounds = [x.encrypt_round(y), y.decrypt_last_round(z), z.encrypt_last_round(x).pin()];
                operations::<V, N>(isa, rounds, &mut after_rounds);
            },
        );
        let rounds = [
            core::array::from_fn(|i| model.encrypt_round(a[i], b[i])),
            core::array::from_fn(|i| model.decrypt_last_round(b[i], c[i])),
            core::array::from_fn(|i| model.encrypt_last_round(c[i], a[i])),
        ];
        for (form, got, operands) in [("fresh", fresh, [a, b, c]), ("after rounds", after_rounds, rounds)] {
            let expected = expected(&model, operands);
            assert_eq!(got.len(), expected.len());
            for (got, (operation, expected)) in got.iter().zip(&expected) {
                assert_eq!(got, expected, "{name}, {form}: {operation}");
            }
        }
    }
    fronts::<V, N>(isa, &name);
}

/// Loads and stores pieces of any length. The bytes around them must not change.
fn fronts<V: AesBlocks<N>, const N: usize>(isa: V::Isa, name: &str) {
    let mut random = Random::new(0);
    for len in 0..=16 * N {
        let [a, b]: [[Block; N]; 2] = core::array::from_fn(|_| core::array::from_fn(|_| random.array()));
        let front = |blocks: [Block; N]| -> Vec<u8> {
            blocks
                .as_flattened()
                .iter()
                .enumerate()
                .map(|(i, byte)| if i < len { *byte } else { 0 })
                .collect()
        };
        let (mut kept, mut loaded, mut kept_later) = ([[0; 16]; N], [[0; 16]; N], [[0; 16]; N]);
        let (mut stored, mut stored_later) = (vec![0xa5; len + 2], vec![0xa5; len + 2]);
        isa.run(
            #[inline(always)]
            |isa| {
                let x = V::load(isa, &a);
                x.keep_front(len).store(&mut kept);
                x.store_front(&mut stored[1..len + 1]);
                V::load_front(isa, &a.as_flattened()[..len]).store(&mut loaded);
                let later = x.encrypt_last_round(V::load(isa, &b));
                later.keep_front(len).store(&mut kept_later);
                later.store_front(&mut stored_later[1..len + 1]);
            },
        );
        let model = Model::new();
        let later = core::array::from_fn(|i| model.encrypt_last_round(a[i], b[i]));
        assert_eq!(loaded.as_flattened(), front(a), "{name}, load_front of {len}");
        for (blocks, kept, stored) in [(a, kept, stored), (later, kept_later, stored_later)] {
            assert_eq!(kept.as_flattened(), front(blocks), "{name}, keep_front of {len}");
            assert_eq!(stored[1..=len], front(blocks)[..len], "{name}, store_front of {len}");
            assert_eq!((stored[0], stored[len + 1]), (0xa5, 0xa5), "{name}, beside store_front of {len}");
        }
    }
}

/// The operations of the key schedule.
fn check_words<V: AesWords>() {
    let Some(isa) = token::<V::Isa>() else { return };
    let name = V::Isa::NAME;
    let model = Model::new();
    let mut random = Random::new(1);
    for _ in 0..ROUNDS {
        let [a, b]: [[Block; 1]; 2] = core::array::from_fn(|_| blocks(&mut random));
        let order: Block = core::array::from_fn(|_| random.below(16) as u8);
        let mut got = Vec::with_capacity(40);
        isa.run(
            #[inline(always)]
            |isa| {
                let x = V::load(isa, &a);
                for x in [x, x.encrypt_round(V::load(isa, &b))] {
                    macro_rules! store {
                        ($vector:expr) => {{
                            let mut block = [[0; 16]];
                            $vector.store(&mut block);
                            got.push(block[0]);
                        }};
                    }
                    store!(x.inverse_mix_columns());
                    store!(x.shuffle_bytes(V::load(isa, &[order])));
                    macro_rules! shift {
                        ($($bytes:literal)+) => { $( store!(x.shift_up::<$bytes>()); )+ };
                    }
                    shift!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
                    store!(x.keep(V::load(isa, &[order])));
                }
            },
        );
        let mut got = got.into_iter();
        for x in [a[0], model.encrypt_round(a[0], b[0])] {
            assert_eq!(got.next(), Some(mix_columns(x, INVERSE_MIX)), "{name}, inverse_mix_columns");
            let shuffled = order.map(|place| x[usize::from(place)]);
            assert_eq!(got.next(), Some(shuffled), "{name}, shuffle_bytes");
            for bytes in 0..=16 {
                let shifted = u128::from_le_bytes(x).checked_shl(8 * bytes).unwrap_or(0).to_le_bytes();
                assert_eq!(got.next(), Some(shifted), "{name}, shift_up by {bytes}");
            }
            let kept = core::array::from_fn(|i| x[i] & order[i]);
            assert_eq!(got.next(), Some(kept), "{name}, keep");
        }
        assert_eq!(got.next(), None);
    }
}

/// Checks the model with the first round of FIPS 197, appendix B.
#[test]
fn the_model() {
    let block = |digits: &str| -> Block { keylane_contracts::hex(digits).try_into().unwrap() };
    let model = Model::new();
    let start = block("193de3bea0f4e22b9ac68d2ae9f84808");
    let key = block("a0fafe1788542cb123a339392a6c7605");
    let after = block("a49c7ff2689f352b6b5bea43026a5049");
    assert_eq!(model.encrypt_round(start, key), after);
    let substituted = model.encrypt_last_round(start, [0; 16]);
    assert_eq!(substituted, block("d4bf5d30e0b452aeb84111f11e2798e5"));
    assert_eq!(mix_columns(xor(after, key), INVERSE_MIX), substituted);
    assert_eq!(model.decrypt_last_round(substituted, key), xor(start, key));
    assert_eq!(model.decrypt_round(substituted, key), xor(mix_columns(start, INVERSE_MIX), key));
    assert_eq!(carryless(0b11, 0b101), 0b1111);
    assert_eq!(carryless(u64::MAX, 1 << 63), u128::from(u64::MAX) << 63);
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::*;
    use keylane_cpu::lanes::x86_64::{Blocks1, Blocks2, Blocks4};
    use keylane_cpu::x86_64::{AesNi, VaesAvx2, VaesAvx512};

    #[test]
    fn blocks1() {
        check::<Blocks1<AesNi>, 1>();
        check_words::<Blocks1<AesNi>>();
    }

    #[test]
    fn blocks1_beside_wider_ones() {
        check::<Blocks1<VaesAvx2>, 1>();
        check_words::<Blocks1<VaesAvx2>>();
        check::<Blocks1<VaesAvx512>, 1>();
        check_words::<Blocks1<VaesAvx512>>();
    }

    #[test]
    fn blocks2() {
        check::<Blocks2, 2>();
    }

    #[test]
    fn blocks4() {
        check::<Blocks4, 4>();
    }
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use super::*;
    use keylane_cpu::lanes::aarch64::Blocks1;

    #[test]
    fn blocks1() {
        check::<Blocks1, 1>();
        check_words::<Blocks1>();
    }
}
