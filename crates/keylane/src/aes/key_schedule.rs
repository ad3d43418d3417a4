//! AES's key expansion (FIPS 197 §5.2) with the instruction for the last round. ShiftRows does not change
//! four equal columns, so the instruction computes SubWord and adds its round key, Rcon.

use super::{KeyBytes, RoundKeys};
use crate::unroll::each;
use keylane_cpu::lanes::AesWords;
use keylane_cpu::pin::pin;

/// Shuffle: RotWord of the last column, in every column.
const ROTATED: [u8; 16] = [13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12];
/// Shuffle: the last column, in every column.
const LAST: [u8; 16] = [12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15];

/// Rcon, in every column.
static RCON: [[u8; 16]; 10] = {
    let (mut all, mut i) = ([[0; 16]; 10], 0);
    while i < 40 {
        all[i / 4][4 * (i % 4)] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36][i / 4];
        i += 1;
    }
    all
};

/// Returns the XOR of each column, all columns before it, and `word`.
#[inline(always)]
fn columns<V: AesWords>(before: V, word: V) -> V {
    let pairs = before ^ before.shift_up::<4>();
    pairs ^ pairs.shift_up::<8>() ^ word
}

/// Returns SubWord of the column that `order` selects and perhaps rotates, XOR Rcon, in every column.
#[inline(always)]
fn sub_word<V: AesWords>(isa: V::Isa, before: V, order: &[u8; 16], rcon: &[u8; 16]) -> V {
    before.shuffle_bytes(V::broadcast(isa, order)).encrypt_last_round(V::broadcast(isa, rcon))
}

/// Returns the number of a loop's next turn, hidden from the compiler if the loop is to stay `ROLLED`: a
/// rolled loop has a third of the code, and a new AES-GCM key takes up to 8 % more time.
#[inline(always)]
fn next<const ROLLED: bool>(i: usize) -> usize {
    if ROLLED { pin(i as u64 + 1) as usize } else { i + 1 }
}

/// Expands a key and returns the encryption of zero, GHASH's key, whose rounds are interleaved with the
/// expansion.
#[inline(always)]
pub(crate) fn expand<V: AesWords, const ROLLED: bool>(
    isa: V::Isa,
    key: KeyBytes<'_>,
    keys: &mut RoundKeys,
) -> V {
    match key {
        KeyBytes::Aes128(key) => expand_128::<V, ROLLED>(isa, V::broadcast(isa, key), keys),
        KeyBytes::Aes192(key) => expand_192(isa, key, keys),
        KeyBytes::Aes256(key) => {
            let (first, second) = key.split_at(16);
            expand_256::<V, ROLLED>(isa, V::load_front(isa, first), V::load_front(isa, second), keys)
        }
    }
}

#[inline(always)]
pub(crate) fn expand_128<V: AesWords, const ROLLED: bool>(isa: V::Isa, mut k: V, keys: &mut RoundKeys) -> V {
    let keys = keys.set_rounds(10);
    let mut zero = k;
    k.store(core::array::from_mut(&mut keys[0]));
    let mut i = 0;
    while let (Some(place), Some(rcon)) = (keys[1..10].get_mut(i), RCON.get(i)) {
        k = columns(k, sub_word(isa, k, &ROTATED, rcon));
        k.store(core::array::from_mut(place));
        zero = zero.encrypt_round(k);
        i = next::<ROLLED>(i);
    }
    k = columns(k, sub_word(isa, k, &ROTATED, &RCON[9]));
    k.store(core::array::from_mut(&mut keys[10]));
    zero.encrypt_last_round(k)
}

#[inline(always)]
fn expand_192<V: AesWords>(isa: V::Isa, key: &[u8; 24], keys: &mut RoundKeys) -> V {
    /// Shuffle: RotWord of the second column, in every column.
    const ROTATED: [u8; 16] = [5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4];
    let keys = keys.set_rounds(12);
    let (first, last) = key.split_at(16);
    /// The lower half, and the upper one in its place; zeros above.
    const LOWER: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 255, 255, 255, 255, 255, 255, 255, 255];
    const UPPER: [u8; 16] = [8, 9, 10, 11, 12, 13, 14, 15, 255, 255, 255, 255, 255, 255, 255, 255];
    // Six columns: four, then two, followed by unspecified ones. Round keys of four columns are assembled
    // before they are stored: a load from two stores would stall.
    let (mut k, mut k2) = (V::load_front(isa, first), V::load_front(isa, last));
    let mut zero = k;
    k.store(core::array::from_mut(&mut keys[0]));
    each!(I in [1 2 3 4 5 6 7] {
        const FIRST: usize = 3 * (I / 2);
        k = columns(k, sub_word(isa, k2, &ROTATED, &RCON[I - 1]));
        let next = k2 ^ k2.shift_up::<4>() ^ k.shuffle_bytes(V::broadcast(isa, &LAST));
        if I.is_multiple_of(2) {
            k.store(core::array::from_mut(&mut keys[FIRST]));
            zero = zero.encrypt_round(k);
        } else {
            let second = k2.shuffle_bytes(V::broadcast(isa, &LOWER)) ^ k.shift_up::<8>();
            let third = k.shuffle_bytes(V::broadcast(isa, &UPPER)) ^ next.shift_up::<8>();
            second.store(core::array::from_mut(&mut keys[FIRST + 1]));
            third.store(core::array::from_mut(&mut keys[FIRST + 2]));
            zero = zero.encrypt_round(second).encrypt_round(third);
        }
        k2 = next;
    });
    k = columns(k, sub_word(isa, k2, &ROTATED, &RCON[7]));
    k.store(core::array::from_mut(&mut keys[12]));
    zero.encrypt_last_round(k)
}

#[inline(always)]
pub(crate) fn expand_256<V: AesWords, const ROLLED: bool>(
    isa: V::Isa,
    mut even: V,
    mut odd: V,
    keys: &mut RoundKeys,
) -> V {
    let keys = keys.set_rounds(14);
    even.store(core::array::from_mut(&mut keys[0]));
    odd.store(core::array::from_mut(&mut keys[1]));
    let mut zero = even.encrypt_round(odd);
    let mut i = 0;
    while let (Some(places), Some(rcon)) = (keys[2..].as_chunks_mut::<2>().0.get_mut(i), RCON.get(i)) {
        even = columns(even, sub_word(isa, odd, &ROTATED, rcon));
        odd = columns(odd, sub_word(isa, even, &LAST, &[0; 16]));
        even.store(core::array::from_mut(&mut places[0]));
        odd.store(core::array::from_mut(&mut places[1]));
        zero = zero.encrypt_round(even).encrypt_round(odd);
        i = next::<ROLLED>(i);
    }
    even = columns(even, sub_word(isa, odd, &ROTATED, &RCON[6]));
    even.store(core::array::from_mut(&mut keys[14]));
    zero.encrypt_last_round(even)
}
