//! The keys of a message and, if it is short, all of it in one kernel over single blocks. While the key is
//! expanded, POLYVAL runs: only the tag and the text need the round keys.

use super::NONCE_LEN;
use super::kernel::{Message, MessageKeys, blocks_in};
use crate::aead::Direction;
use crate::aes::RoundKeys;
use crate::aes::key_schedule::{expand_128, expand_256};
use crate::aes::rounds::{encrypt, encrypt_rolled};
use crate::ghash::multiply::Sums;
use crate::ghash::number;
use crate::ghash::powers::square;
use crate::unroll::each;
use core::mem::take;
use keylane_cpu::InstructionSet;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::{AesWords, CarrylessBlocks};

/// The top bit of a block. What is encrypted to the tag has a zero there, and a counter a one (RFC 8452 §4).
const TOP: [u8; 16] = (1_u128 << 127).to_le_bytes();
const NOT_TOP: [u8; 16] = (u128::MAX >> 1).to_le_bytes();

/// See [`Kernel::begin`](super::kernel::Kernel::begin). Compiled once for each architecture.
pub(super) fn begin<V: AesWords>(
    key: Option<&RoundKeys>,
    nonce: &[u8; NONCE_LEN],
    keys: &mut MessageKeys<'_>,
    message: Option<&mut Message<'_, '_>>,
) {
    V::Isa::enter(
        #[inline(always)]
        |isa| {
            let nonce = V::splat(isa, number(nonce));
            let hash = match key {
                None => V::broadcast(isa, keys.hash),
                Some(key) => {
                    let [hash, first, second] = derive(isa, key, nonce.shift_up::<4>());
                    hash.store(core::array::from_mut(&mut *keys.hash));
                    if key.rounds == 10 {
                        expand_128::<V, true>(isa, first, keys.rounds);
                    } else {
                        expand_256::<V, true>(isa, first, second, keys.rounds);
                    }
                    hash
                }
            };
            if let Some(message) = message {
                run(isa, keys.rounds, hash, nonce, message);
            }
        },
    )
}

/// Derives the key of POLYVAL and that of AES. AES-128 takes one block less, but six blocks take no longer
/// than four.
#[inline(always)]
fn derive<V: AesWords>(isa: V::Isa, key: &RoundKeys, zeroth: V) -> [V; 3] {
    let mut states = [zeroth; 6];
    each!(I in [1 2 3 4 5] {
        states[I] = zeroth ^ V::broadcast(isa, &const { (I as u128).to_le_bytes() });
    });
    encrypt_rolled(isa, key, &mut states);
    let last = V::broadcast(isa, &key.keys[14]);
    let mut derived = [zeroth; 3];
    each!(I in [0 1 2] {
        // The first half of each block.
        let low = states[2 * I].encrypt_last_round(last).keep_front(8);
        derived[I] = low ^ states[2 * I + 1].encrypt_last_round(last).shift_up::<8>();
    });
    derived
}

/// Seals or opens the message, and computes its tag.
#[inline(always)]
fn run<V: AesWords>(isa: V::Isa, keys: &RoundKeys, hash_key: V, nonce: V, message: &mut Message<'_, '_>) {
    let Message { direction, aad, text, lengths, hash: place } = message;
    let mut known = match *direction {
        Direction::Seal => None,
        Direction::Open(tag) => Some(V::broadcast(isa, tag)),
    };
    // To seal, the text is hashed and then encrypted; to open, the other way round. Each is compiled once.
    for _ in 0..2 {
        if let Some(tag) = known.take() {
            crypt(isa, keys, tag, text.reborrow());
            continue;
        }
        let plaintext = if let Direction::Seal = direction { text.input() } else { text.written() };
        let hash = polyval(isa, hash_key, &[aad, plaintext], V::splat(isa, *lengths));
        let mut state = [(hash ^ nonce).keep(V::broadcast(isa, &NOT_TOP))];
        encrypt(isa, keys, &mut state);
        let tag = state[0].encrypt_last_round(V::broadcast(isa, &keys.keys[14]));
        tag.store(core::array::from_mut(place));
        known = Some(tag);
    }
}

/// Hashes the parts, each padded with zeros to whole blocks, two blocks a reduction.
#[inline(always)]
fn polyval<V: CarrylessBlocks<1>>(isa: V::Isa, key: V, parts: &[&[u8]; 2], lengths: V) -> V {
    let squared = square(isa, key);
    let blocks = blocks_in(parts);
    let (folded, folded_squared) = (key ^ key.swap_halves(), squared ^ squared.swap_halves());
    let (mut hash, mut before) = (V::zero(isa), V::zero(isa));
    let [mut rest, mut next] = *parts;
    for left in (0..=blocks).rev() {
        if rest.is_empty() {
            rest = take(&mut next);
        }
        let mut block = lengths;
        if left > 0 {
            let (front, after) = rest.split_at(rest.len().min(16));
            block = V::load_front(isa, front);
            rest = after;
        }
        if left % 2 == 0 {
            let mut sums = Sums::zero(isa);
            sums.add_products(block, key, folded);
            sums.add_products(before ^ hash, squared, folded_squared);
            hash = sums.reduce(isa);
        }
        before = block;
    }
    hash
}

/// Encrypts or decrypts, four blocks at a time. The counter is the tag with the top bit set.
#[inline(always)]
fn crypt<V: AesWords>(isa: V::Isa, keys: &RoundKeys, tag: V, mut text: InOut<'_>) {
    let mut counter = tag.keep(V::broadcast(isa, &NOT_TOP)) ^ V::broadcast(isa, &TOP);
    let last = V::broadcast(isa, &keys.keys[14]);
    'groups: while !text.is_empty() {
        let mut states = [counter; 4];
        each!(I in [1 2 3] {
            states[I] = counter.add32(V::broadcast(isa, &const { (I as u128).to_le_bytes() }));
        });
        counter = counter.add32(V::broadcast(isa, &const { 4_u128.to_le_bytes() }));
        encrypt_rolled(isa, keys, &mut states);
        let rest = 'blocks: {
            for state in states {
                let Some(mut block) = text.take::<1, 1>() else { break 'blocks state };
                block.store(0, state.encrypt_last_round(block.load::<V>(isa, 0) ^ last));
            }
            continue 'groups;
        };
        if !text.is_empty() {
            text.store_front(text.load_front::<V, 1>(isa) ^ rest.encrypt_last_round(last));
        }
    }
}
