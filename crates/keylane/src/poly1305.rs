//! Poly1305 (RFC 8439 §2.5): a tag for one message under a key that is used only once.
//!
//! The message's blocks of 16 bytes are the coefficients of a polynomial, evaluated at the secret r modulo 2^130 - 5;
//! the secret s is added to the value. Blocks N apart meet again N steps later, so N lanes hash N blocks at a time, each
//! step multiplying by r^N.

mod limbs32;
mod limbs64;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod parallel;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod radix26;
#[cfg(target_arch = "x86_64")]
mod radix44;
mod self_test;

use crate::backend::{Backends, token_backends};
use crate::error::Error;
use core::fmt;
use keylane_cpu::constant_time::{declassify, equal};
use keylane_cpu::lanes::gather;
use keylane_cpu::wipe::wipe;
use keylane_cpu::{Portable, Portable32};

/// A number modulo 2^130 - 5, not quite reduced: limbs of 64 bits, the lowest first, the uppermost at most 4.
pub(crate) type Accumulator = [u64; 3];

/// The two halves of a key, and of the powers of r those that a message needed so far.
#[derive(Clone)]
pub(crate) struct Key {
    /// r, r^2 … r^8, then r^16. Zeros where a power is not known yet.
    powers: [Accumulator; 9],
    /// Which powers are known beside r: a bit for each of [`Key::TWO`] and so on.
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        allow(dead_code, reason = "no lanes")
    )]
    known: u64,
    s: [u64; 2],
}

impl Key {
    #[inline(always)]
    fn new(key: &[u8; 32]) -> Self {
        let (&[r0, r1, s0, s1], []) = key.as_chunks::<8>() else { unreachable!("four words") };
        let mut powers = [[0; 3]; 9];
        // RFC 8439 §2.5: "clamped".
        powers[0] = [
            u64::from_le_bytes(r0) & 0x0fff_fffc_0fff_ffff,
            u64::from_le_bytes(r1) & 0x0fff_fffc_0fff_fffc,
            0,
        ];
        Self { powers, known: 0, s: [u64::from_le_bytes(s0), u64::from_le_bytes(s1)] }
    }

    #[inline(always)]
    const fn r(&self) -> [u64; 2] {
        [self.powers[0][0], self.powers[0][1]]
    }
}

/// The powers that lanes multiply by.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Key {
    /// r^2.
    const TWO: u64 = 1;
    /// r^3 and r^4.
    const FOUR: u64 = 2;
    /// r^8.
    const EIGHT: u64 = 4;
    /// r^5, r^6 and r^7.
    const BELOW_EIGHT: u64 = 8;
    /// r^16.
    const SIXTEEN: u64 = 16;

    /// Whether lanes are worth it for so many blocks: from `alone` on where the powers must be computed first, from
    /// `known` on where an earlier piece of the message has left them.
    #[inline(always)]
    const fn worth_lanes(&self, blocks: &[[u8; 16]], alone: usize, known: usize) -> bool {
        blocks.len() >= if self.known == 0 { alone } else { known }
    }

    /// r^n, which must be known.
    #[inline(always)]
    const fn power(&self, n: usize) -> &Accumulator {
        &self.powers[if n == 16 { 8 } else { n - 1 }]
    }

    /// Computes the powers up to r^N, unless they are known.
    #[inline(always)]
    fn extend<const N: usize>(&mut self) {
        const { assert!(N == 2 || N == 4 || N == 8) }
        self.know(match N {
            2 => Self::TWO,
            4 => Self::TWO | Self::FOUR,
            _ => Self::TWO | Self::FOUR | Self::EIGHT | Self::BELOW_EIGHT,
        });
    }

    /// Computes r^2N, unless it is known; those up to r^N are.
    #[inline(always)]
    fn extend_twice<const N: usize>(&mut self) {
        self.know(match N {
            2 => Self::FOUR,
            4 => Self::EIGHT,
            _ => Self::SIXTEEN,
        });
    }

    #[inline(always)]
    fn know(&mut self, wanted: u64) {
        let missing = wanted & !self.known;
        if missing == 0 {
            return;
        }
        self.known |= wanted;
        let (r, p) = (self.r(), &mut self.powers);
        if missing & Self::TWO != 0 {
            p[1] = limbs64::multiply(p[0], r);
        }
        if missing & Self::FOUR != 0 {
            p[2] = limbs64::multiply(p[1], r);
            p[3] = limbs64::multiply_full(p[1], p[1]);
        }
        if missing & Self::EIGHT != 0 {
            p[7] = limbs64::multiply_full(p[3], p[3]);
        }
        if missing & Self::BELOW_EIGHT != 0 {
            p[4] = limbs64::multiply(p[3], r);
            p[5] = limbs64::multiply_full(p[3], p[1]);
            p[6] = limbs64::multiply_full(p[3], p[2]);
        }
        if missing & Self::SIXTEEN != 0 {
            p[8] = limbs64::multiply_full(p[7], p[7]);
        }
    }
}

/// What differs by CPU.
pub(crate) trait Kernel: Sync {
    /// Takes in whole blocks: for each, the accumulator becomes (accumulator + block + 2^128) * r. Adds to the key the
    /// powers that it needs.
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]);
}

pub(crate) static BACKENDS: Backends<dyn Kernel> = token_backends!(
    "poly1305", self_test::passes, dyn Kernel:
    x86_64 [Avx512Ifma, Avx512, Avx2, Sse2]
    aarch64 [Neon]
    Portable, Portable32
);

/// Messages and pieces of fewer blocks are hashed by scalar code whatever the CPU: no lanes pay below. Every
/// implementation's self-test runs that code, too.
const FEWEST_FOR_LANES: usize = 8;

/// A message being hashed, in whole blocks.
#[derive(Clone)]
pub(crate) struct Hash {
    key: Key,
    accumulator: Accumulator,
}

impl Hash {
    #[inline(always)]
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self { key: Key::new(key), accumulator: [0; 3] }
    }

    /// Takes in whole blocks.
    #[inline(always)]
    pub(crate) fn absorb<K: Kernel + ?Sized>(&mut self, kernel: &K, blocks: &[[u8; 16]]) {
        if blocks.len() < FEWEST_FOR_LANES {
            self.absorb_scalar(blocks);
        } else {
            kernel.absorb(&mut self.key, &mut self.accumulator, blocks);
        }
    }

    /// Takes in whole blocks, one after the other.
    #[inline(always)]
    pub(crate) fn absorb_scalar(&mut self, blocks: &[[u8; 16]]) {
        self.accumulator = scalar::absorb(self.key.r(), self.accumulator, blocks);
    }

    /// Takes in bytes, and zeros up to the end of the last block: what the AEADs hash (RFC 8439 §2.8).
    #[inline(always)]
    pub(crate) fn absorb_padded<K: Kernel + ?Sized>(&mut self, kernel: &K, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks();
        self.absorb(kernel, blocks);
        if !rest.is_empty() {
            self.absorb_block(gather(rest), 1);
        }
    }

    /// Takes in a message's last bytes, fewer than a block: a one stands behind them, and none above the block.
    #[inline(always)]
    fn absorb_last(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            let [low, high] = gather(bytes);
            let one = 1_u128 << (8 * bytes.len());
            self.absorb_block([low | one as u64, high | (one >> 64) as u64], 0);
        }
    }

    /// Takes in one block, given as words, with `top` above it.
    #[inline(always)]
    pub(crate) fn absorb_block(&mut self, block: [u64; 2], top: u64) {
        self.accumulator = scalar::absorb_block(self.key.r(), self.accumulator, block, top);
    }

    /// The tag.
    #[inline(always)]
    pub(crate) fn tag(&self) -> [u8; 16] {
        limbs64::finish(self.accumulator, self.key.s)
    }
}

impl Drop for Hash {
    #[inline(always)]
    fn drop(&mut self) {
        // Short messages know r only.
        wipe(&mut self.key.powers[0]);
        if self.key.known != 0 {
            wipe(&mut self.key.powers);
        }
        wipe(&mut self.key.s);
        // The hash of a known message gives r away.
        wipe(&mut self.accumulator);
    }
}

/// What hashes a few blocks: the products that the machine has.
#[cfg(target_pointer_width = "64")]
mod scalar {
    pub(super) use super::limbs64::{absorb, absorb_words as absorb_block};
}
#[cfg(not(target_pointer_width = "64"))]
mod scalar {
    pub(super) use super::limbs32::{absorb, absorb_words as absorb_block};
}

/// Poly1305 of a message that arrives in pieces. Wiped when dropped.
///
/// # Security
/// A key must authenticate one message only: with the tags of two messages under one key, anyone can forge.
/// Use a new key per message, as [`chacha20poly1305`](crate::chacha20poly1305) does, or
/// [`hmac`](crate::hmac), whose key lasts.
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::poly1305::Poly1305;
///
/// let key = [7; 32]; // for this message and no other
/// let tag = Poly1305::mac(&key, b"attack at dawn");
///
/// let mut running = Poly1305::new(&key);
/// running.update(b"attack ");
/// running.update(b"at dawn");
/// running.verify(&tag)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Poly1305 {
    hash: Hash,
    /// The bytes that do not fill a block yet.
    buffer: [u8; 16],
    buffered: u8,
    /// Whether lanes are worth their preparation.
    lanes: bool,
}

impl Poly1305 {
    /// The length of a key: r, of which 22 bits are not used, and s.
    pub const KEY_LEN: usize = 32;
    /// The length of a tag.
    pub const TAG_LEN: usize = 16;

    /// Starts with a key. What parallel lanes need for a long message is computed only once the message turns
    /// out to be long.
    #[inline]
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self::with_hint(key, usize::MAX)
    }

    /// As [`new`](Self::new), for a message of about `bytes_hint` bytes: a short one is hashed without
    /// parallel lanes, in whatever pieces it arrives. A message may be longer than the hint, and is then only
    /// slower.
    #[inline]
    #[must_use]
    pub fn with_hint(key: &[u8; 32], bytes_hint: usize) -> Self {
        BACKENDS.ensure_tested();
        Self {
            hash: Hash::new(key),
            buffer: [0; 16],
            buffered: 0,
            lanes: bytes_hint >= 16 * FEWEST_FOR_LANES,
        }
    }

    /// Absorbs the next bytes.
    pub fn update(&mut self, mut data: &[u8]) {
        let buffered = usize::from(self.buffered);
        if buffered != 0 {
            let (head, rest) = data.split_at(data.len().min(16 - buffered));
            self.buffer[buffered..buffered + head.len()].copy_from_slice(head);
            self.buffered += head.len() as u8;
            data = rest;
            if self.buffered < 16 {
                return;
            }
            self.hash.absorb_scalar(&[self.buffer]);
        }
        let (blocks, rest) = data.as_chunks();
        if self.lanes && blocks.len() >= FEWEST_FOR_LANES {
            self.hash.absorb(BACKENDS.chosen(), blocks);
        } else {
            self.hash.absorb_scalar(blocks);
        }
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.buffered = rest.len() as u8;
    }

    /// Pads a partial last block with zeros, as AEADs do between additional data and text (RFC 8439 §2.8).
    pub fn pad_to_block(&mut self) {
        let buffered = usize::from(self.buffered);
        if buffered != 0 {
            self.buffer[buffered..].fill(0);
            self.hash.absorb_scalar(&[self.buffer]);
            self.buffered = 0;
        }
    }

    /// The tag.
    #[must_use]
    pub fn finalize(mut self) -> [u8; 16] {
        self.hash.absorb_last(&self.buffer[..usize::from(self.buffered)]);
        self.hash.tag()
    }

    /// Accepts the message if `tag` is its tag. The comparison takes constant time.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`] if it is not.
    pub fn verify(self, tag: &[u8; 16]) -> Result<(), Error> {
        let mut expected = self.finalize();
        let authentic = declassify(equal(&expected, tag));
        wipe(&mut expected);
        if authentic { Ok(()) } else { Err(Error::AuthenticationFailed) }
    }

    /// Returns the tag of a message in one slice.
    #[inline]
    #[must_use]
    pub fn mac(key: &[u8; 32], data: &[u8]) -> [u8; 16] {
        let mut hash = Hash::new(key);
        let (blocks, rest) = data.as_chunks();
        if blocks.len() < FEWEST_FOR_LANES {
            BACKENDS.ensure_tested();
            hash.absorb_scalar(blocks);
        } else {
            hash.absorb(BACKENDS.chosen(), blocks);
        }
        hash.absorb_last(rest);
        hash.tag()
    }
}

impl Drop for Poly1305 {
    fn drop(&mut self) {
        wipe(&mut self.buffer);
    }
}

impl zeroize::ZeroizeOnDrop for Poly1305 {}

impl fmt::Debug for Poly1305 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poly1305").finish_non_exhaustive()
    }
}

/// The portable implementation for this machine's registers.
#[cfg(target_pointer_width = "64")]
pub(crate) const PORTABLE: Portable = Portable;
/// The portable implementation for this machine's registers.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) const PORTABLE: Portable32 = Portable32;

impl Kernel for Portable {
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
        *accumulator = limbs64::absorb(key.r(), *accumulator, blocks);
    }
}

impl Kernel for Portable32 {
    fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
        *accumulator = limbs32::absorb(key.r(), *accumulator, blocks);
    }
}

/// From how many blocks on lanes are worth it was measured on an Intel Emerald Rapids, against the scalar code on the same
/// CPU (docs/notes/poly1305.md).
#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::parallel::absorb;
    use super::radix26::Radix26;
    use super::radix44::{Ifma, Radix44};
    use super::*;
    use keylane_cpu::InstructionSet;
    use keylane_cpu::lanes::x86_64::{U64x2, U64x4, U64x8};
    use keylane_cpu::x86_64::{Avx2, Avx512, Avx512Ifma, Sse2};

    impl Kernel for Sse2 {
        fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
            if !key.worth_lanes(blocks, 44, 15) {
                *accumulator = limbs64::absorb(key.r(), *accumulator, blocks);
                return;
            }
            self.run(
                #[inline(always)]
                |isa| absorb::<Radix26<U64x2<Self>>, 2>(isa, key, accumulator, blocks),
            );
        }
    }

    impl Kernel for Avx2 {
        fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
            if !key.worth_lanes(blocks, 18, 8) {
                *accumulator = limbs64::absorb(key.r(), *accumulator, blocks);
                return;
            }
            self.run(
                #[inline(always)]
                |isa| absorb::<Radix26<U64x4>, 4>(isa, key, accumulator, blocks),
            );
        }
    }

    impl Kernel for Avx512 {
        fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
            if !key.worth_lanes(blocks, 16, 8) {
                *accumulator = limbs64::absorb(key.r(), *accumulator, blocks);
                return;
            }
            self.run(
                #[inline(always)]
                |isa| absorb::<Radix26<U64x8>, 8>(isa, key, accumulator, blocks),
            );
        }
    }

    impl Ifma<U64x8> for Avx512Ifma {
        #[inline(always)]
        fn lanes(self) -> Avx512 {
            self.avx512()
        }
    }

    impl Kernel for Avx512Ifma {
        fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
            if !key.worth_lanes(blocks, 16, 8) {
                *accumulator = limbs64::absorb(key.r(), *accumulator, blocks);
                return;
            }
            self.run(
                #[inline(always)]
                |isa| absorb::<Radix44<U64x8>, 8>(isa, key, accumulator, blocks),
            );
        }
    }
}

/// From how many blocks on lanes are worth it is a guess: no such CPU was at hand to measure on.
#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use super::parallel::absorb;
    use super::radix26::Radix26;
    use super::*;
    use keylane_cpu::InstructionSet;
    use keylane_cpu::aarch64::Neon;
    use keylane_cpu::lanes::aarch64::U64x2;

    impl Kernel for Neon {
        fn absorb(&self, key: &mut Key, accumulator: &mut Accumulator, blocks: &[[u8; 16]]) {
            if !key.worth_lanes(blocks, 32, 16) {
                *accumulator = limbs64::absorb(key.r(), *accumulator, blocks);
                return;
            }
            self.run(
                #[inline(always)]
                |isa| absorb::<Radix26<U64x2>, 2>(isa, key, accumulator, blocks),
            );
        }
    }
}
