//! Every combination of the choices, for each vector that this CPU has.

use crate::{
    BITS,
    kernel::{self, Chosen, Counters, Data, RoundKeys},
};
use keylane_cpu::{InstructionSet, in_out::InOut, lanes::AesBlocks};
use std::fmt;

/// As many round keys as AES-256 has.
pub(crate) type RoundKeyBytes = [[u8; 16]; 15];
/// Encrypts in place, from this counter on.
pub(crate) type Encrypt = fn(&RoundKeyBytes, &[u8; 16], &mut [u8]);

/// One way to do it.
pub(crate) struct Variant {
    pub(crate) instruction_set: &'static str,
    pub(crate) vector_bits: usize,
    /// How many are in flight.
    pub(crate) vectors: usize,
    pub(crate) counters: Counters,
    pub(crate) data: Data,
    pub(crate) round_keys: RoundKeys,
    /// By key size.
    pub(crate) encrypt: [Encrypt; BITS.len()],
    /// Cycles per byte, by column.
    pub(crate) figures: Vec<f64>,
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} × {} bits, counters {}, data {}, round keys {}",
            self.vectors,
            self.vector_bits,
            self.counters.name(),
            self.data.name(),
            self.round_keys.name()
        )
    }
}

/// All that this CPU can run.
pub(crate) fn here() -> Vec<Variant> {
    let mut list = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        use keylane_cpu::{
            lanes::x86_64::{Blocks1, Blocks2, Blocks4},
            x86_64::AesNi,
        };
        every_counter::<Blocks1<AesNi>, 1, 2, 4, 8, 12, 16>(&mut list);
        every_counter::<Blocks2, 2, 4, 8, 16, 24, 32>(&mut list);
        every_counter::<Blocks4, 4, 8, 16, 32, 48, 64>(&mut list);
    }
    list
}

// Of the numbers after `V`, N is the blocks of a vector; the others are those of 2, 4, 8, 12 and 16 vectors.

fn every_counter<
    V: AesBlocks<N>,
    const N: usize,
    const B2: usize,
    const B4: usize,
    const B8: usize,
    const B12: usize,
    const B16: usize,
>(
    list: &mut Vec<Variant>,
) {
    if V::Isa::detect().is_some() {
        every_data::<0, V, N, B2, B4, B8, B12, B16>(list);
        every_data::<1, V, N, B2, B4, B8, B12, B16>(list);
        every_data::<2, V, N, B2, B4, B8, B12, B16>(list);
        every_data::<3, V, N, B2, B4, B8, B12, B16>(list);
    }
}

fn every_data<
    const C: usize,
    V: AesBlocks<N>,
    const N: usize,
    const B2: usize,
    const B4: usize,
    const B8: usize,
    const B12: usize,
    const B16: usize,
>(
    list: &mut Vec<Variant>,
) {
    every_number::<C, 0, 0, V, N, B2, B4, B8, B12, B16>(list);
    every_number::<C, 0, 1, V, N, B2, B4, B8, B12, B16>(list);
    every_number::<C, 1, 0, V, N, B2, B4, B8, B12, B16>(list);
    every_number::<C, 1, 1, V, N, B2, B4, B8, B12, B16>(list);
    every_number::<C, 2, 0, V, N, B2, B4, B8, B12, B16>(list);
    every_number::<C, 2, 1, V, N, B2, B4, B8, B12, B16>(list);
}

fn every_number<
    const C: usize,
    const D: usize,
    const K: usize,
    V: AesBlocks<N>,
    const N: usize,
    const B2: usize,
    const B4: usize,
    const B8: usize,
    const B12: usize,
    const B16: usize,
>(
    list: &mut Vec<Variant>,
) {
    list.extend([
        variant::<C, D, K, V, N, 2, B2, B4>(),
        variant::<C, D, K, V, N, 4, B4, B4>(),
        variant::<C, D, K, V, N, 8, B8, B4>(),
        variant::<C, D, K, V, N, 12, B12, B4>(),
        variant::<C, D, K, V, N, 16, B16, B4>(),
    ]);
}

fn variant<
    const C: usize,
    const D: usize,
    const K: usize,
    V: AesBlocks<N>,
    const N: usize,
    const VECTORS: usize,
    const BLOCKS: usize,
    const FOUR: usize,
>() -> Variant {
    Variant {
        instruction_set: V::Isa::NAME,
        vector_bits: 128 * N,
        vectors: VECTORS,
        counters: Counters::ALL[C],
        data: Data::ALL[D],
        round_keys: RoundKeys::ALL[K],
        encrypt: [
            encrypt::<C, D, K, V, N, VECTORS, BLOCKS, FOUR, 11>,
            encrypt::<C, D, K, V, N, VECTORS, BLOCKS, FOUR, 15>,
        ],
        figures: vec![],
    }
}

fn encrypt<
    const C: usize,
    const D: usize,
    const K: usize,
    V: AesBlocks<N>,
    const N: usize,
    const VECTORS: usize,
    const BLOCKS: usize,
    const FOUR: usize,
    const KEYS: usize,
>(
    round_keys: &RoundKeyBytes,
    start: &[u8; 16],
    data: &mut [u8],
) {
    let round_keys = round_keys.first_chunk::<KEYS>().expect("AES-256 has the most round keys");
    let isa = *V::Isa::detect().expect("variants are listed where they can run");
    isa.run(|isa| {
        kernel::xor_keystream::<Chosen<C, D, K>, V, N, VECTORS, BLOCKS, FOUR, KEYS>(
            isa,
            round_keys,
            start,
            InOut::in_place(data),
        );
    });
}
