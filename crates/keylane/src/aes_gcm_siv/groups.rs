//! The whole groups of a long message that is opened: one group is decrypted while the one before is hashed.

use crate::aes::RoundKeys;
use crate::aes::rounds::{add, encrypt_rolled};
use crate::aes_ctr::lanes::tables;
use crate::aes_gcm::fused::groups::{Keys, Mode, W, interleave, last_round};
use crate::ghash::Powers;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::{AesBlocks, Blocks, CarrylessBlocks};

/// Counts in the first 32 bits of a block, which wrap (RFC 8452 §4).
struct Counter<'a, V> {
    /// The next block, in every lane.
    block: V,
    first_key: &'a [u8; 16],
}

impl<V: AesBlocks<N>, const N: usize> Mode<V, N> for Counter<'_, V> {
    const REVERSED: bool = false;

    #[inline(always)]
    fn next(&mut self, isa: V::Isa) -> [V; W] {
        let (ahead, first_key) = (&tables()[0].0, V::broadcast(isa, self.first_key));
        let mut blocks = [self.block; W];
        for j in 0..W {
            blocks[j] = self.block.add32(V::load(isa, &ahead[j])) ^ first_key;
        }
        self.block = self.block.add32(V::broadcast(isa, &ahead[W][0]));
        blocks
    }
}

/// Decrypts all whole groups, and hashes all but the last of them.
#[inline(always)]
pub(super) fn open<V, const N: usize, const G: usize>(
    isa: V::Isa,
    keys: &RoundKeys,
    powers: Powers<'_>,
    hash: &mut [u8; 16],
    counter: u128,
    text: &mut InOut<'_>,
) where
    V: AesBlocks<N> + CarrylessBlocks<N, One: AesBlocks<1> + CarrylessBlocks<1>>,
{
    const { assert!(G == W * N) }
    let Some(mut group) = text.take::<G>() else { return };
    let first_key = &keys.all()[0];
    let mut counter = Counter { block: V::splat(isa, counter), first_key };
    let mut states = counter.next(isa);
    // `encrypt_rolled` adds it again.
    add(V::broadcast(isa, first_key), &mut states);
    encrypt_rolled(isa, keys, &mut states);
    let last_key = V::broadcast(isa, &keys.keys[14]);
    for j in 0..W {
        last_round(isa, last_key, states[j], &mut group, j);
    }
    let mut sum = V::One::broadcast(isa, hash);
    let (rows, keys) = (powers.last(G), Keys::<V>::new(isa, keys));
    interleave(isa, &keys, rows, &mut counter, &mut sum, true, group.written(), text);
    sum.store(core::array::from_mut(hash));
}
