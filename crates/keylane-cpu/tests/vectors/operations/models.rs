//! Models of operations that no vector has without the CPU's instructions: the standards' formulas.

use super::{Data, Io, lanes};
use keylane_cpu::lanes::portable::{U32s, U64s};
use keylane_cpu::lanes::{U32Lanes, U64Lanes};

pub(super) fn unused(name: &str) -> ! {
    unreachable!("no check of `{name}`")
}

/// Calls `f` with messages of 0 to 40 bytes and places in and after them.
#[inline(always)]
pub(super) fn each_message(io: &mut Io<'_>, mut f: impl FnMut(&[u8], usize, &mut Io<'_>)) {
    let bytes: [u8; 40] = io.read();
    for len in 0..=bytes.len() {
        for at in (0..=48).step_by(8) {
            f(&bytes[..len], at, io);
        }
    }
}

/// FIPS 180-4 §5.1: the bytes from `at` on of a message and what follows it.
fn padded<const LEN: usize>(message: &[u8], at: usize) -> [u8; LEN] {
    core::array::from_fn(|i| match message.get(at + i) {
        Some(byte) => *byte,
        None => {
            if at + i == message.len() {
                0x80
            } else {
                0
            }
        }
    })
}

// ---- FIPS 180-4

macro_rules! big_endian {
    ($name:ident, $W:ident) => {
        fn $name<const N: usize>(bytes: &[u8]) -> [$W; N] {
            let (words, _) = bytes.as_chunks();
            core::array::from_fn(|i| $W::from_be_bytes(words[i]))
        }
    };
}
big_endian!(big_endian_32, u32);
big_endian!(big_endian_64, u64);

/// §6.1.2, step 1.
fn schedule1(w: [[u32; 4]; 4]) -> [u32; 4] {
    let mut w = w.as_flattened().to_vec();
    for t in 16..20 {
        w.push((w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1));
    }
    [w[16], w[17], w[18], w[19]]
}

/// §6.1.2, step 3, four times.
fn rounds1(stage: usize, [mut a, mut b, mut c, mut d, mut e]: [u32; 5], w: [u32; 4]) -> [u32; 5] {
    for w in w {
        let (f, k) = match stage {
            0 => ((b & c) ^ (!b & d), 0x5a82_7999_u32),
            1 => (b ^ c ^ d, 0x6ed9_eba1),
            2 => ((b & c) ^ (b & d) ^ (c & d), 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6),
        };
        let t = a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(k).wrapping_add(w);
        (a, b, c, d, e) = (t, a, b.rotate_left(30), c, d);
    }
    [a, b, c, d, e]
}

pub(super) fn sha1(name: &str, io: &mut Io<'_>) {
    let show = |w: [u32; 4], io: &mut Io<'_>| rounds1(1, [0; 5], w).write(io);
    match name {
        "words" => show(io.read(), io),
        "load_be" => show(big_endian_32(&io.read::<[u8; 16]>()), io),
        "load_padded" => each_message(io, |message, at, io| {
            show(big_endian_32(&padded::<16>(message, at)), io);
        }),
        "state" | "state_words" => io.read::<[u32; 5]>().write(io),
        "schedule" => show(schedule1(io.read()), io),
        "four_rounds" => {
            let (state, w) = (io.read(), io.read());
            (0..4).for_each(|stage| rounds1(stage, state, w).write(io));
        }
        _ => {
            let (a, b, w): ([u32; 5], [u32; 5], _) = (io.read(), io.read(), io.read());
            for a in [a, rounds1(3, a, w)] {
                for b in [b, rounds1(2, b, w)] {
                    let both =
                        |f: fn(u32, u32) -> u32| -> [u32; 5] { core::array::from_fn(|i| f(a[i], b[i])) };
                    match name {
                        "add_state" => both(u32::wrapping_add).write(io),
                        "xor_state" => both(|a, b| a ^ b).write(io),
                        "state_as_message" => {
                            show([a[0], a[1], a[2], a[3]], io);
                            show([a[4], 0, 0, 0], io);
                        }
                        _ => unused(name),
                    }
                }
            }
        }
    }
}

/// §6.2.2 and §6.4.2 in four steps, with the rotations of Σ0, Σ1, σ0 and σ1, the last of which are shifts.
macro_rules! sha2 {
    (
        $model:ident: $W:ident, $Lanes:ident, $big_endian:ident, $len:literal,
        $big0:expr, $big1:expr, $small0:expr, $small1:expr
    ) => {
        pub(super) fn $model(name: &str, io: &mut Io<'_>) {
            let big = |x: $W, [a, b, c]: [u32; 3]| x.rotate_right(a) ^ x.rotate_right(b) ^ x.rotate_right(c);
            let small = |x: $W, [a, b, c]: [u32; 3]| x.rotate_right(a) ^ x.rotate_right(b) ^ x >> c;
            match name {
                "words" | "store" => io.read::<[$W; 4]>().write(io),
                "load_be" => $big_endian::<4>(&io.read::<[u8; $len]>()).write(io),
                "load_padded" => each_message(io, |message, at, io| {
                    $big_endian::<4>(&padded::<$len>(message, at)).write(io);
                }),
                "reorder" => io.read::<[$W; 8]>().write(io),
                "schedule" => {
                    let mut w = io.read::<[$W; 16]>().to_vec();
                    for t in 16..20 {
                        let sum = small(w[t - 2], $small1).wrapping_add(w[t - 7]);
                        w.push(sum.wrapping_add(small(w[t - 15], $small0)).wrapping_add(w[t - 16]));
                        w[t].write(io);
                    }
                }
                "rounds_begin" | "rounds_end" | "four_rounds" => {
                    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h]: [$W; 8] = io.read();
                    for wk in io.read::<[$W; 4]>() {
                        let (ch, maj) = ((e & f) ^ (!e & g), (a & b) ^ (a & c) ^ (b & c));
                        let t1 = h.wrapping_add(big(e, $big1)).wrapping_add(ch).wrapping_add(wk);
                        let t2 = big(a, $big0).wrapping_add(maj);
                        (h, g, f, e, d, c, b, a) =
                            (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
                    }
                    [a, b, c, d, e, f, g, h].write(io);
                }
                _ => lanes(name, io, |io| $Lanes(io.read::<[$W; 4]>())).0.write(io),
            }
        }
    };
}
sha2!(sha256: u32, U32s, big_endian_32, 16, [2, 13, 22], [6, 11, 25], [7, 18, 3], [17, 19, 10]);
sha2!(sha512: u64, U64s, big_endian_64, 32, [28, 34, 39], [14, 18, 41], [1, 8, 7], [19, 61, 6]);

/// Words of one block or of two, of which each has 16 bytes.
macro_rules! block_words {
    ($model:ident: $W:ident, $Lanes:ident, $Trait:ident, $WORDS:literal, $big_endian:ident, $each:ident) => {
        pub(super) fn $model<const N: usize>(name: &str, io: &mut Io<'_>) {
            let load = |io: &mut Io<'_>| $Lanes($big_endian::<N>(&io.read::<[u8; 32]>()));
            match name {
                "load_be" | "store" => load(io).0.write(io),
                "load" => io.read::<[$W; N]>().write(io),
                "repeat" => {
                    let words: [$W; $WORDS] = io.read();
                    (0..N).for_each(|i| words[i % $WORDS].write(io));
                }
                "straddle" => {
                    let (x, next) = (load(io).0, load(io).0);
                    for by in 1..$WORDS {
                        for block in 0..N / $WORDS {
                            let words = $WORDS * block..$WORDS * (block + 1);
                            let both = [&x[words.clone()], &next[words]].concat();
                            both[by..by + $WORDS].iter().for_each(|word| word.write(io));
                        }
                    }
                }
                "rotate_right" => {
                    let x = load(io);
                    $each!(R => $Trait::rotate_right::<R>(x).0.write(io));
                }
                "shift_right" => {
                    let x = load(io);
                    $each!(R => $Trait::shift_right::<R>(x).0.write(io));
                }
                _ => lanes(name, io, load).0.write(io),
            }
        }
    };
}
block_words!(block_words_32: u32, U32s, U32Lanes, 4, big_endian_32, to_31);
block_words!(block_words_64: u64, U64s, U64Lanes, 2, big_endian_64, to_63);

/// σ1 of two words of each block.
pub(super) fn sha256_schedule<const N: usize>(name: &str, io: &mut Io<'_>) {
    let x: [u32; N] = big_endian_32(&io.read::<[u8; 32]>());
    let sigma = x.map(|x| x.rotate_right(17) ^ x.rotate_right(19) ^ x >> 10);
    for block in sigma.chunks(4) {
        match name {
            "sigma1_of_upper" => [block[2], block[3], 0, 0].write(io),
            "sigma1_of_lower" => [0, 0, block[0], block[1]].write(io),
            _ => unused(name),
        }
    }
}

// ---- FIPS 197

pub(crate) type Block = [u8; 16];

/// §4.2: the product of bytes.
const fn product(mut a: u8, mut b: u8) -> u8 {
    let mut sum = 0;
    while b != 0 {
        sum ^= if b & 1 == 1 { a } else { 0 };
        a = a << 1 ^ if a >> 7 == 1 { 0x1b } else { 0 };
        b >>= 1;
    }
    sum
}

/// §5.1.1 and §5.3.2: SBOX and INVSBOX.
pub(crate) const BOXES: [[u8; 256]; 2] = {
    let mut boxes = [[0; 256]; 2];
    // 3 and its inverse 0xf6 generate all numbers but 0: x and its inverse go through them together.
    let (mut x, mut inverse) = (1, 1);
    let mut i = 0;
    while i < 256 {
        let (from, y): (u8, u8) = if i == 255 { (0, 0) } else { (x, inverse) };
        let y = y ^ y.rotate_left(1) ^ y.rotate_left(2) ^ y.rotate_left(3) ^ y.rotate_left(4) ^ 0x63;
        boxes[0][from as usize] = y;
        boxes[1][y as usize] = from;
        (x, inverse) = (product(x, 3), product(inverse, 0xf6));
        i += 1;
    }
    boxes
};

/// §5.1.2: the place from which ShiftRows takes byte i; three times, InvShiftRows.
const fn shifted(i: usize, times: usize) -> usize {
    (i + 4 * times * (i % 4)) % 16
}

/// §5.1.3 and §5.3.3: MixColumns with the first row of its matrix.
pub(crate) fn mix_columns(s: Block, row: [u8; 4]) -> Block {
    core::array::from_fn(|i| {
        (0..4).fold(0, |sum, j| sum ^ product(row[(j + 4 - i % 4) % 4], s[i / 4 * 4 + j]))
    })
}
pub(crate) const MIX: [u8; 4] = [2, 3, 1, 1];
pub(crate) const INVERSE_MIX: [u8; 4] = [14, 11, 13, 9];

/// §5.1 and §5.3.5: the steps of a round.
fn round(name: &str, s: Block, key: Block) -> Block {
    let encrypts = name.starts_with("encrypt");
    let (table, times, mix) = if encrypts { (0, 1, MIX) } else { (1, 3, INVERSE_MIX) };
    let moved: Block = core::array::from_fn(|i| BOXES[table][usize::from(s[shifted(i, times)])]);
    let mixed = match name {
        "encrypt_round" | "decrypt_round" => mix_columns(moved, mix),
        "encrypt_last_round" | "decrypt_last_round" => moved,
        _ => unused(name),
    };
    core::array::from_fn(|i| mixed[i] ^ key[i])
}

pub(super) fn aes<const N: usize>(name: &str, io: &mut Io<'_>) {
    let (blocks, keys): ([Block; N], [Block; N]) = (io.read(), io.read());
    (0..N).for_each(|i| round(name, blocks[i], keys[i]).write(io));
}

pub(super) fn aes_words(name: &str, io: &mut Io<'_>) {
    let x: Block = io.read();
    match name {
        "inverse_mix_columns" => mix_columns(x, INVERSE_MIX).write(io),
        "shift_up" => {
            for bytes in 0..=16 {
                let moved: Block = core::array::from_fn(|i| if i < bytes { 0 } else { x[i - bytes] });
                moved.write(io);
            }
        }
        "shuffle_bytes" => {
            for first in 0..16 {
                (0..16).for_each(|i| x[(i + first) % 16].write(io));
            }
        }
        "keep" => {
            let mask: Block = io.read();
            let kept: Block = core::array::from_fn(|i| x[i] & mask[i]);
            kept.write(io);
        }
        _ => unused(name),
    }
}

/// Checks the model with the first round of FIPS 197, appendix B.
#[test]
fn the_rounds_are_those_of_the_standard() {
    let block = |digits: &str| -> Block { keylane_contracts::hex(digits).try_into().unwrap() };
    let start = block("193de3bea0f4e22b9ac68d2ae9f84808");
    let key = block("a0fafe1788542cb123a339392a6c7605");
    let after = block("a49c7ff2689f352b6b5bea43026a5049");
    let substituted = block("d4bf5d30e0b452aeb84111f11e2798e5");
    let xor = |a: Block, b: Block| -> Block { core::array::from_fn(|i| a[i] ^ b[i]) };
    assert_eq!(round("encrypt_round", start, key), after);
    assert_eq!(round("encrypt_last_round", start, [0; 16]), substituted);
    assert_eq!(mix_columns(xor(after, key), INVERSE_MIX), substituted);
    assert_eq!(round("decrypt_last_round", substituted, key), xor(start, key));
    assert_eq!(round("decrypt_round", substituted, key), xor(mix_columns(start, INVERSE_MIX), key));
}
