//! Products in GF(2^128) by carry-less multiplication (SP 800-38D §6.3) and Karatsuba, summed before they are
//! reduced.
//!
//! With a = a1·x^64 + a0 and likewise b: lo = a0·b0, hi = a1·b1, mid = (a0 + a1)(b0 + b1) + lo + hi. The
//! reduction modulo x^128 + x^127 + x^126 + x^121 + 1 folds the lowest 64 bits upwards, twice.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::Powers;
use keylane_cpu::lanes::CarrylessBlocks;

/// Sums of products, not reduced. `mid` does not include `lo` and `hi` yet.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[derive(Clone, Copy)]
pub(crate) struct Sums<V, const N: usize> {
    pub(crate) lo: V,
    pub(crate) mid: V,
    pub(crate) hi: V,
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl<V: CarrylessBlocks<N>, const N: usize> Sums<V, N> {
    #[inline(always)]
    pub(crate) fn zero(isa: V::Isa) -> Self {
        let zero = V::zero(isa);
        Self { lo: zero, mid: zero, hi: zero }
    }

    /// Adds the products of N blocks and N powers, beginning with `power`.
    #[inline(always)]
    pub(crate) fn add(&mut self, isa: V::Isa, blocks: V, powers: Powers<'_>, power: usize) {
        let [[powers], [folded]] = powers.last(power);
        self.add_products(blocks, V::load(isa, powers), V::load(isa, folded));
    }

    /// Adds the products of N blocks and N powers, given the sums of the powers' halves as well.
    #[inline(always)]
    pub(crate) fn add_products(&mut self, blocks: V, powers: V, folded: V) {
        self.lo = self.lo ^ blocks.multiply_low(powers);
        self.mid = self.mid ^ (blocks ^ blocks.swap_halves()).multiply_low(folded);
        self.hi = self.hi ^ blocks.multiply_high(powers);
    }

    #[inline(always)]
    pub(crate) fn reduce(self, isa: V::Isa) -> V {
        let Self { lo, mid, hi } = self;
        reduce(isa, lo, mid.xor3(lo, hi), hi)
    }
}

/// x^63 + x^62 + x^57, by which the reduction folds the lowest 64 bits upwards.
pub(crate) const POLYNOMIAL: [u8; 16] = (0xc2_u128 << 56 | 0xc2_u128 << 120).to_le_bytes();

/// Reduces lo + mid·x^64 + hi·x^128, in every lane.
#[inline(always)]
pub(crate) fn reduce<V: CarrylessBlocks<N>, const N: usize>(isa: V::Isa, lo: V, mid: V, hi: V) -> V {
    let polynomial = V::broadcast(isa, &POLYNOMIAL);
    let mid = mid.xor3(lo.swap_halves(), lo.reduce_low(polynomial));
    hi.xor3(mid.swap_halves(), mid.reduce_low(polynomial))
}

/// Multiplies by Karatsuba, in every lane.
#[inline(always)]
pub(crate) fn multiply<V: CarrylessBlocks<N>, const N: usize>(isa: V::Isa, a: V, b: V) -> V {
    let (lo, hi) = (a.multiply_low(b), a.multiply_high(b));
    let mid = (a ^ a.swap_halves()).multiply_low(b ^ b.swap_halves());
    reduce(isa, lo, mid.xor3(lo, hi), hi)
}

/// Returns H·x, byte-reversed, in constant time.
#[inline(always)]
pub(crate) fn times_x(h: u128) -> u128 {
    let carry = (h >> 127).wrapping_neg();
    (h << 1) ^ (carry & (0xc2 << 120 | 1))
}

/// POLYVAL's key, of which a message computes what it needs.
pub(crate) trait Factor<V: CarrylessBlocks<1>>: Sized {
    fn empty(isa: V::Isa) -> Self;
    /// Prepares a key for the given number of blocks. In place, since a move may leave a copy on the stack.
    fn set(&mut self, isa: V::Isa, key: V, blocks: usize);
    /// Returns the hash of blocks after blocks with a given hash.
    fn absorb(&self, isa: V::Isa, hash: V, blocks: &[V]) -> V;

    /// Absorbs bytes, padded with zeros to whole blocks.
    #[inline(always)]
    fn absorb_bytes(&self, isa: V::Isa, mut hash: V, bytes: &[u8]) -> V {
        for block in bytes.chunks(16) {
            hash = self.absorb(isa, hash, &[V::load_front(isa, block)]);
        }
        hash
    }
}

/// The key alone: one product and one reduction a block.
impl<V: CarrylessBlocks<1>> Factor<V> for V {
    #[inline(always)]
    fn empty(isa: V::Isa) -> Self {
        V::zero(isa)
    }

    #[inline(always)]
    fn set(&mut self, _: V::Isa, key: V, _: usize) {
        *self = key;
    }

    #[inline(always)]
    fn absorb(&self, isa: V::Isa, mut hash: V, blocks: &[V]) -> V {
        for block in blocks {
            hash = multiply(isa, hash ^ *block, *self);
        }
        hash
    }
}
