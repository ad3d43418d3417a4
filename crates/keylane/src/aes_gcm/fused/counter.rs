//! The counter blocks of groups (NIST SP 800-38D §6.2, inc32).

use crate::aes::Order;
use crate::aes_ctr::lanes::begin;
use crate::aes_gcm::kernel::Progress;
use crate::unroll::each;
use keylane_cpu::lanes::AesBlocks;

/// The next N counter blocks, byte-reversed.
#[derive(Clone, Copy)]
pub(super) struct Counters<V, const N: usize>(V);

impl<V: AesBlocks<N>, const N: usize> Counters<V, N> {
    /// Begins where a message is.
    #[inline(always)]
    pub(super) fn new(isa: V::Isa, progress: &Progress) -> Self {
        let before = V::splat(isa, progress.counter(1_u32.wrapping_sub(FIRST)));
        Self(before.add32(V::load(isa, &const { numbers(0) })))
    }

    /// Returns those of the next four vectors.
    #[inline(always)]
    pub(super) fn next(&mut self, isa: V::Isa) -> [V; 4] {
        let mut blocks = [self.0; 4];
        for block in &mut blocks {
            *block = self.0.reverse_bytes();
            self.0 = self.0.add32(V::broadcast(isa, &const { little_endian(N) }));
        }
        blocks
    }
}

/// [`GroupCounter`] is faster where the counter of a group's first block is this modulo the G blocks of a
/// group. It is so after a nonce of 12 bytes, unless a part of the message ended within a group.
const FIRST: u32 = 2;

/// The counter blocks of groups of W vectors, with the first round key added.
#[derive(Clone, Copy)]
pub(crate) struct GroupCounter<'a, V, const N: usize, const W: usize> {
    /// The counter of the next group's first block minus FIRST, in the lowest 32 bits, in every lane; of
    /// [`little_endian`](Self::little_endian), the next blocks.
    counter: V,
    /// The low bits of `counter`. If the nonce was hashed, they are secret, and this is an odd number
    /// instead, which no multiple of G equals.
    public: u32,
    /// In memory: with AES-NI and AVX2, one more register would spill a state.
    first_key: &'a [u8; 16],
}

impl<'a, V: AesBlocks<N>, const N: usize, const W: usize> GroupCounter<'a, V, N, W> {
    /// Begins where a message is.
    #[inline(always)]
    pub(super) fn new(isa: V::Isa, progress: &Progress, first_key: &'a [u8; 16]) -> Self {
        let blocks = progress.blocks.wrapping_add(1).wrapping_sub(FIRST);
        let public = if progress.from_one { blocks.wrapping_add(1) } else { 1 };
        Self { counter: V::splat(isa, progress.counter(1_u32.wrapping_sub(FIRST))), public, first_key }
    }

    /// Begins before the block `first` of AES-GCM-SIV, which counts in its lowest 32 bits.
    #[inline(always)]
    pub(crate) fn little_endian(isa: V::Isa, first: u128, first_key: &'a [u8; 16]) -> Self {
        Self { counter: begin(isa, Order::Little, first).0, public: 0, first_key }
    }

    /// Returns the next group's after [`little_endian`](Self::little_endian).
    #[inline(always)]
    pub(crate) fn next_little_endian(&mut self, isa: V::Isa) -> [V; W] {
        let first_key = V::broadcast(isa, self.first_key);
        let mut blocks = [first_key; W];
        for block in &mut blocks {
            *block = self.counter ^ first_key;
            self.counter = self.counter.add32(V::broadcast(isa, &const { little_endian(N) }));
        }
        blocks
    }

    /// Returns the next group's, whatever the counter is.
    #[inline(always)]
    fn any(&mut self, isa: V::Isa) -> [V; W] {
        let first_key = V::broadcast(isa, self.first_key);
        let mut blocks = [first_key; W];
        each!(J in [0 1 2 3 4 5 6 7] { if const { J < W } {
            let counter = self.counter.add32(V::load(isa, &const { numbers(J) }));
            blocks[J] = counter.reverse_bytes() ^ first_key;
        } });
        self.skip(isa);
        blocks
    }

    /// Returns the next group's, faster if the counter is as FIRST says.
    #[inline(always)]
    pub(super) fn next(&mut self, isa: V::Isa) -> [V; W] {
        if !self.public.is_multiple_of((W * N) as u32) {
            return self.any(isa);
        }
        // Up to the next multiple of G, all blocks are equal except for their last bytes, and so are those
        // after it.
        let first_key = V::broadcast(isa, self.first_key);
        let here = self.counter.reverse_bytes() ^ first_key;
        let next =
            self.counter.add32(V::load(isa, &const { next_multiple::<N>(W - 1, W * N) })).reverse_bytes()
                ^ first_key;
        let mut blocks = [here; W];
        each!(J in [0 1 2 3 4 5 6 7] { if const { J < W } {
            let multiple = if const { FIRST as usize + (J + 1) * N > W * N } { next } else { here };
            blocks[J] = multiple ^ V::load(isa, &const { last_bytes::<N>(J, W * N) });
        } });
        self.skip(isa);
        blocks
    }

    /// Moves past a group.
    #[inline(always)]
    pub(super) fn skip(&mut self, isa: V::Isa) {
        self.public = self.public.wrapping_add((W * N) as u32);
        self.counter = self.counter.add32(V::broadcast(isa, &const { little_endian(W * N) }));
    }
}

/// Returns what vector `j` of a group adds to the group's first counter minus FIRST.
const fn numbers<const N: usize>(j: usize) -> [[u8; 16]; N] {
    let mut blocks = [[0; 16]; N];
    let mut lane = 0;
    while lane < N {
        blocks[lane] = little_endian(FIRST as usize + j * N + lane);
        lane += 1;
    }
    blocks
}

/// Returns G in the lanes of a group's vector `j` whose counters are after the next multiple of G.
const fn next_multiple<const N: usize>(j: usize, g: usize) -> [[u8; 16]; N] {
    let mut blocks = numbers(j);
    let mut lane = 0;
    while lane < N {
        blocks[lane][0] -= blocks[lane][0] % g as u8;
        lane += 1;
    }
    blocks
}

/// Returns the last bytes of the counters of a group's vector `j`, modulo G.
const fn last_bytes<const N: usize>(j: usize, g: usize) -> [[u8; 16]; N] {
    let numbers = numbers::<N>(j);
    let mut blocks = [[0; 16]; N];
    let mut lane = 0;
    while lane < N {
        blocks[lane][15] = numbers[lane][0] % g as u8;
        lane += 1;
    }
    blocks
}

const fn little_endian(x: usize) -> [u8; 16] {
    (x as u128).to_le_bytes()
}
