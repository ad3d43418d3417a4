//! AES's key expansion (FIPS 197 §5.2) with the instruction for the last round. On four equal columns
//! ShiftRows does nothing, so the instruction computes SubWord, and its round key is Rcon.

use super::{KeyBytes, RoundKeys};
use crate::unroll::each;
use keylane_cpu::lanes::AesWords;

/// Shuffle: RotWord of the last column, in every column.
const ROTATED: [u8; 16] = [13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12];
/// Shuffle: the last column, in every column.
const LAST: [u8; 16] = [12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15];

/// Returns a round constant in every column.
const fn rcon(i: usize) -> [u8; 16] {
    const RCON: [u8; 11] = [0, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];
    let x = RCON[i];
    [x, 0, 0, 0, x, 0, 0, 0, x, 0, 0, 0, x, 0, 0, 0]
}

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

/// Expands a key and returns the encryption of zero, GHASH's key, whose rounds are interleaved with the
/// expansion.
#[inline(always)]
pub(crate) fn expand<V: AesWords>(isa: V::Isa, key: KeyBytes<'_>, keys: &mut RoundKeys) -> V {
    match key {
        KeyBytes::Aes128(key) => expand_128(isa, key, keys),
        KeyBytes::Aes192(key) => expand_192(isa, key, keys),
        KeyBytes::Aes256(key) => expand_256(isa, key, keys),
    }
}

#[inline(always)]
fn expand_128<V: AesWords>(isa: V::Isa, key: &[u8; 16], keys: &mut RoundKeys) -> V {
    let keys = keys.set_rounds(10);
    keys[0] = *key;
    let mut k = V::broadcast(isa, key);
    let mut zero = k;
    each!(I in [1 2 3 4 5 6 7 8 9 10] {
        k = columns(k, sub_word(isa, k, &ROTATED, &const { rcon(I) }));
        k.store(core::array::from_mut(&mut keys[I]));
        zero = if I < 10 { zero.encrypt_round(k) } else { zero.encrypt_last_round(k) };
    });
    zero
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
    // Six columns: four, then two, which have no meaning above. Round keys of four columns are put together
    // before they are stored: loads of two stores would wait.
    let (mut k, mut k2) = (V::load_front(isa, first), V::load_front(isa, last));
    let mut zero = k;
    k.store(core::array::from_mut(&mut keys[0]));
    each!(I in [1 2 3 4 5 6 7] {
        const FIRST: usize = 3 * (I / 2);
        k = columns(k, sub_word(isa, k2, &ROTATED, &const { rcon(I) }));
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
    k = columns(k, sub_word(isa, k2, &ROTATED, &const { rcon(8) }));
    k.store(core::array::from_mut(&mut keys[12]));
    zero.encrypt_last_round(k)
}

#[inline(always)]
fn expand_256<V: AesWords>(isa: V::Isa, key: &[u8; 32], keys: &mut RoundKeys) -> V {
    let keys = keys.set_rounds(14);
    let (first, second) = key.split_at(16);
    let (mut even, mut odd) = (V::load_front(isa, first), V::load_front(isa, second));
    even.store(core::array::from_mut(&mut keys[0]));
    odd.store(core::array::from_mut(&mut keys[1]));
    let mut zero = even.encrypt_round(odd);
    each!(I in [1 2 3 4 5 6] {
        even = columns(even, sub_word(isa, odd, &ROTATED, &const { rcon(I) }));
        even.store(core::array::from_mut(&mut keys[2 * I]));
        odd = columns(odd, sub_word(isa, even, &LAST, &[0; 16]));
        odd.store(core::array::from_mut(&mut keys[2 * I + 1]));
        zero = zero.encrypt_round(even).encrypt_round(odd);
    });
    even = columns(even, sub_word(isa, odd, &ROTATED, &const { rcon(7) }));
    even.store(core::array::from_mut(&mut keys[14]));
    zero.encrypt_last_round(even)
}
