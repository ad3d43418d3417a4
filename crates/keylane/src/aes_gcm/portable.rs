//! AES-GCM in two passes of portable code over a few blocks at a time: bitsliced AES, and GHASH by integer
//! multiplication, whose products are reduced at once, so that no powers of H are needed. With WebAssembly's
//! vectors, products are looked up by shuffles, and long messages compute four powers.

use super::kernel::{Kernel, Key, Part};
use crate::aead::Direction;
use crate::aes::portable::{GROUP, Register, SlicedKeys, encrypt_blocks, expand};
use crate::aes::{KeyBytes, RoundKeys};
use crate::ghash::HashKey;
use crate::ghash::PortableFactor;
use crate::ghash::multiply::{Factor, times_x};
use keylane_cpu::Portable;
use keylane_cpu::lanes::portable::PlainBlocks;
use keylane_cpu::lanes::{Blocks, CarrylessBlocks};
use keylane_cpu::wipe::{Secret, wipe};

impl Kernel for Portable {
    fn prepare(&self, key: KeyBytes<'_>) -> Key {
        let mut h = Secret::new([[0; 16]]);
        // Built where it is returned.
        let mut prepared = Key { hash: HashKey::new(h[0]), rounds: Secret::new(RoundKeys::EMPTY) };
        expand::<Register>(key, &mut prepared.rounds);
        encrypt_blocks::<Register>(&prepared.rounds, &mut *h);
        prepared.hash = HashKey::new(h[0]);
        prepared
    }

    fn crypt(&self, message: &mut Part<'_>) -> [u8; 16] {
        let mut rounds = SlicedKeys::<Register>::EMPTY;
        rounds.set(&message.key.rounds);
        crypt::<PlainBlocks<GROUP>, PortableFactor, GROUP>(message, |blocks| rounds.encrypt(blocks))
    }
}

/// Encrypts or decrypts a message, given AES with its key.
pub(crate) fn crypt<V, F, const N: usize>(
    message: &mut Part<'_>,
    encrypt: impl Fn(&mut [[u8; 16]]),
) -> [u8; 16]
where
    V: CarrylessBlocks<N, Isa = Portable, One: CarrylessBlocks<1>>,
    F: Factor<V::One>,
{
    let Part { direction, key, ref progress, aad, ref mut text, lengths } = *message;
    // H·x, and the hash.
    let mut h = Secret::new(F::empty(Portable));
    let first_power = V::One::splat(Portable, times_x(u128::from_be_bytes(*key.hash.h())));
    h.set(Portable, first_power, (aad.len() + text.len()) / 16);
    let mut hash = Secret::new(V::One::broadcast(Portable, &progress.hash));
    for chunk in aad.chunks(16 * N) {
        absorb(&*h, &mut hash, V::load_front(Portable, chunk), chunk.len().div_ceil(16));
    }
    let first = progress.first.swap_bytes();
    // The number of the last counter block used. It wraps, as the lowest 32 bits of the block do.
    let mut blocks = progress.blocks;
    // The tag's mask is encrypted beside the end of the text.
    let mut mask = Secret::new([0; 16]);
    loop {
        let mut stream = [[0; 16]; N];
        let len = text.len().min(16 * N);
        let count = len.div_ceil(16);
        for block in &mut stream[..count] {
            blocks = blocks.wrapping_add(1);
            let counter = u128::from((first as u32).wrapping_add(blocks));
            *block = (first & !u128::from(u32::MAX) | counter).to_be_bytes();
        }
        if count < N && lengths.is_some() {
            stream[count] = progress.first.to_le_bytes();
        }
        encrypt(&mut stream[..N.min(count + usize::from(lengths.is_some()))]);
        if count < N {
            *mask = stream[count];
        }
        let input: V = text.load_front(Portable);
        let output = input ^ V::load(Portable, &stream);
        text.store_front(output);
        let sealed = if direction == Direction::Seal { output.keep_front(len) } else { input };
        absorb(&*h, &mut hash, sealed, count);
        wipe(&mut stream);
        if count < N {
            break;
        }
    }
    let Some(&lengths) = lengths else { return hash.number().to_le_bytes() };
    absorb(&*h, &mut hash, V::first(V::One::splat(Portable, lengths).reverse_bytes()), 1);
    (hash.reverse_bytes() ^ V::One::broadcast(Portable, &mask)).number().to_le_bytes()
}

/// Hashes the first blocks of a vector.
fn absorb<V, const N: usize>(h: &impl Factor<V::One>, hash: &mut Secret<V::One>, vector: V, blocks: usize)
where
    V: CarrylessBlocks<N, Isa = Portable, One: CarrylessBlocks<1>>,
{
    **hash = h.absorb(Portable, **hash, &vector.reverse_bytes().split()[..blocks]);
}
