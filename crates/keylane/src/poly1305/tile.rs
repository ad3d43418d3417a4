//! Poly1305 of sixteen messages side by side, a message a lane: no powers of r, and nothing to add up at the
//! end.

use super::limbs64::finish;
use super::parallel::Limbs;
use super::radix44::{self, Radix44};
use keylane_cpu::lanes::{Product52Lanes, U64Lanes};
use keylane_cpu::wipe::wipe;

/// The number of messages.
pub(crate) const LANES: usize = 16;

/// The limbs of eight lanes' hashes, and those of the others.
pub(crate) type Sums = [[[u64; 8]; 3]; 2];

/// Eight numbers, of a message each.
pub(crate) trait Tiled: Limbs<8, Vector: Product52Lanes<8>> {
    fn zero(isa: Self::Isa) -> Self;
    /// Returns these numbers where the mask has ones, and the `other` ones where it has zeros.
    fn where_ones(self, mask: Self::Vector, other: Self) -> Self;
    /// Returns the limbs of 44 bits of reduced numbers.
    fn limbs(self) -> [[u64; 8]; 3];
}

impl<V: Product52Lanes<8>> Tiled for Radix44<V> {
    #[inline(always)]
    fn zero(isa: V::Ifma) -> Self {
        Self([V::splat(V::lanes(isa), 0); 3])
    }

    #[inline(always)]
    fn where_ones(self, mask: V, other: Self) -> Self {
        Self([
            mask.choose(self.0[0], other.0[0]),
            mask.choose(self.0[1], other.0[1]),
            mask.choose(self.0[2], other.0[2]),
        ])
    }

    #[inline(always)]
    fn limbs(self) -> [[u64; 8]; 3] {
        let mut limbs = [[0; 8]; 3];
        for limb in 0..3 {
            self.0[limb].store(&mut limbs[limb]);
        }
        limbs
    }
}

/// The number of pieces of each message. A piece is whole blocks.
pub(crate) const PIECES: usize = 4;

/// Returns the hashes of sixteen messages. A lane whose piece is shorter than the longest one waits for that.
#[inline(always)]
pub(crate) fn sums<L: Tiled>(
    isa: L::Isa,
    keys: &[&[u8; 32]; LANES],
    messages: &[[&[[u8; 16]]; LANES]; PIECES],
) -> Sums {
    let lanes = L::lanes(isa);
    let (first, second) = keys.split_at(8);
    let factors = [key::<L>(isa, first).factor(isa), key::<L>(isa, second).factor(isa)];
    let mut sums = [L::zero(isa); 2];
    for pieces in messages {
        let (mut rows, mut common) = (0, usize::MAX);
        let mut lens = [0; LANES];
        for (len, piece) in lens.iter_mut().zip(pieces) {
            *len = piece.len() as u64;
            (rows, common) = (rows.max(piece.len()), common.min(piece.len()));
        }
        let (lens, _) = lens.as_chunks();
        for row in 0..rows {
            for half in 0..2 {
                let block = blocks::<L>(isa, pieces, half, row);
                let next = L::reduce(isa, sums[half].plus(block).times(isa, &factors[half]));
                sums[half] = if row < common {
                    next
                } else {
                    // The uppermost bit is one where the piece has no such row.
                    let left = L::Vector::load(lanes, &lens[half]) + L::Vector::splat(lanes, !(row as u64));
                    next.where_ones(left.shift_right::<63>() + L::Vector::splat(lanes, u64::MAX), sums[half])
                };
            }
        }
    }
    [sums[0].limbs(), sums[1].limbs()]
}

/// Writes the tags of the first messages, whose hashes have these limbs, and wipes the limbs.
pub(crate) fn finish_tags(limbs: &mut Sums, keys: &[&[u8; 32]; LANES], tags: &mut [[u8; 16]]) {
    for (lane, tag) in tags.iter_mut().enumerate() {
        let [a, b, c] = &limbs[lane / 8];
        let (_, s) = keys[lane].as_chunks::<8>().0.split_at(2);
        let accumulator = radix44::number([a[lane % 8], b[lane % 8], c[lane % 8]]);
        *tag = finish(accumulator, [u64::from_le_bytes(s[0]), u64::from_le_bytes(s[1])]);
    }
    wipe(limbs);
}

/// Returns the numbers r of eight keys (RFC 8439 §2.5: "clamped").
#[inline(always)]
fn key<L: Tiled>(isa: L::Isa, keys: &[&[u8; 32]]) -> L {
    let lanes = L::lanes(isa);
    let mut blocks = [&[0; 16]; 8];
    for (block, key) in blocks.iter_mut().zip(keys) {
        *block = key.first_chunk().expect("16 of 32");
    }
    let (low, high) = L::Vector::gather(lanes, blocks);
    let low = low & L::Vector::splat(lanes, 0x0fff_fffc_0fff_ffff);
    let high = high & L::Vector::splat(lanes, 0x0fff_fffc_0fff_fffc);
    L::new(isa, [low, high, L::Vector::splat(lanes, 0)])
}

/// Returns a row's blocks in half of the lanes.
#[inline(always)]
fn blocks<L: Tiled>(isa: L::Isa, pieces: &[&[[u8; 16]]; LANES], half: usize, row: usize) -> L {
    let lanes = L::lanes(isa);
    let mut blocks = [&[0; 16]; 8];
    for lane in 0..8 {
        blocks[lane] = pieces[8 * half + lane].get(row).unwrap_or(&[0; 16]);
    }
    let (low, high) = L::Vector::gather(lanes, blocks);
    L::new(isa, [low, high, L::Vector::splat(lanes, 1)])
}
