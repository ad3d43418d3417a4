//! AES-GCM-SIV (RFC 8452): authenticated encryption whose nonces may repeat. Two messages under one nonce
//! reveal only whether they are equal.
//!
//! Each message has its own keys, derived from the key and the nonce. The tag is computed from the text and
//! becomes the first counter block, so sealing takes two passes over the text. On x86-64 and aarch64, opening
//! a long text takes one.

pub(crate) mod kernel;
mod self_test;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod shape;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod short;
#[cfg(all(test, target_pointer_width = "64"))]
mod tests;

use crate::aead::{self, Aead, Algorithm, Batch, Cipher, Crypt, Direction, Tag};
use crate::aes::{KeyBytes, RoundKeys};
use crate::backend::backends;
use crate::error::Error;
use crate::ghash::GrowingPowers;
use kernel::{Kernel, Message, MessageKeys};
use keylane_cpu::Portable;
use keylane_cpu::constant_time::{declassify, equal};
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::{Secret, wipe};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use shape::InTurns;

backends! {
    pub(crate) static BACKENDS: Backends<Chosen>;
    "aes-gcm-siv", self_test::passes, dyn Kernel:
    x86_64 [InTurns<Blocks4, 4>, InTurns<Blocks2, 2>, InTurns<Blocks1<AesNi>, 1>]
    aarch64 [InTurns<Blocks1, 1>]
    wasm32 [Portable]
    portable [Portable]
}

const NONCE_LEN: usize = 12;
/// The maximum length of texts and of additional data in bytes (RFC 8452 §6).
const MAX_LEN: u64 = 1 << 36;

/// The number of bytes that are decrypted before they are hashed: they stay in the level-1 cache.
const PIECE: usize = 16 * 1024;

/// The number of bytes of text and additional data up to which one kernel processes all, which is faster.
const SHORT: usize = 384;

/// Expands a key in the caller's place: inlined, this would copy the round keys.
#[inline(never)]
fn expand(kernel: &Chosen, key: KeyBytes<'_>) -> Secret<RoundKeys> {
    Secret::new(Kernel::expand(kernel, key))
}

/// Seals or opens a message. Returns its tag.
#[inline(always)]
pub(crate) fn run(
    kernel: &Chosen,
    key: &RoundKeys,
    nonce: &[u8; NONCE_LEN],
    aad: &[u8],
    text: InOut<'_>,
    direction: Direction<&Tag>,
) -> Tag {
    let (mut hash, mut rounds) = (Secret::new([0; 16]), Secret::new(RoundKeys::EMPTY));
    let mut keys = MessageKeys { hash: &mut hash, rounds: &mut rounds };
    run_with(kernel, Some(key), &mut keys, nonce, aad, text, direction)
}

/// Seals or opens like [`run`], with the message's keys in the caller's memory. Without a key, they are there
/// already.
#[inline(always)]
pub(crate) fn run_with(
    kernel: &Chosen,
    key: Option<&RoundKeys>,
    keys: &mut MessageKeys<'_>,
    nonce: &[u8; NONCE_LEN],
    aad: &[u8],
    mut text: InOut<'_>,
    direction: Direction<&Tag>,
) -> Tag {
    let lengths = lengths(aad.len(), text.len());
    let short = aad.len() + text.len() <= SHORT;
    let mut message = Message { direction, aad, text: &mut text, lengths, hash: [0; 16] };
    kernel.begin(key, nonce, keys, if short { Some(&mut message) } else { None });
    if !short {
        in_turns(kernel, keys, nonce, &mut message);
    }
    let tag = message.hash;
    wipe(&mut message.hash);
    tag
}

/// Returns POLYVAL's last block (RFC 8452 §4).
#[inline(always)]
fn lengths(aad_len: usize, text_len: usize) -> u128 {
    (8 * aad_len as u128) | (8 * text_len as u128) << 64
}

/// Seals or opens a message of any length by the kernel's methods in turns.
#[inline(never)]
fn in_turns(kernel: &Chosen, keys: &MessageKeys<'_>, nonce: &[u8; NONCE_LEN], message: &mut Message<'_, '_>) {
    let Message { direction, mut aad, ref mut text, lengths, ref mut hash } = *message;
    let lengths = &lengths.to_le_bytes();
    GrowingPowers::with(|powers| {
        let Direction::Open(tag) = direction else {
            kernel.hash(keys, powers, hash, &[aad, text.input(), lengths], Some(nonce));
            return crypt(kernel, keys, hash, 0, text.reborrow());
        };
        let mut text = text.reborrow();
        // Whole groups are decrypted, and all but the last of them hashed.
        let mut rest = text.reborrow();
        let mut at = kernel.open_groups(keys, powers, hash, aad, first_counter(tag), &mut rest);
        let left = rest.len();
        if at > 0 {
            aad = &[];
        }
        let _ = text.take_front(at);
        let ahead = text.len() - left;
        while text.len() > PIECE {
            let mut piece = text.take_front(PIECE);
            crypt(kernel, keys, tag, at, piece.reborrow());
            kernel.hash(keys, powers, hash, &[core::mem::take(&mut aad), piece.written()], None);
            at += PIECE;
        }
        let mut rest = text.reborrow();
        let _ = rest.take_front(ahead);
        crypt(kernel, keys, tag, at + ahead, rest);
        kernel.hash(keys, powers, hash, &[aad, text.written(), lengths], Some(nonce));
    });
}

/// Returns the first counter block of a text, as a little-endian number.
#[inline(always)]
fn first_counter(tag: &Tag) -> u128 {
    // The tag is public, and so is where the counter wraps.
    u128::from_le_bytes(declassify(*tag)) | 1 << 127
}

/// Encrypts or decrypts the bytes at `at`, which are whole blocks unless the text ends.
#[inline(always)]
fn crypt(kernel: &Chosen, keys: &MessageKeys<'_>, tag: &Tag, at: usize, mut text: InOut<'_>) {
    let first = first_counter(tag);
    let counter = (first as u32).wrapping_add((at / 16) as u32);
    let first = first >> 32 << 32;
    let until_zero = 16 * ((1 << 32) - u64::from(counter));
    let mut counter = first | u128::from(counter);
    if text.len() as u64 > until_zero {
        kernel.xor_keystream(keys.rounds, counter, &mut text.take_front(until_zero as usize));
        counter = first;
    }
    kernel.xor_keystream(keys.rounds, counter, &mut text);
}

/// AES-GCM-SIV with a key whose length is chosen at run time. Wiped when dropped.
pub type AesGcmSiv = Aead<GcmSiv<0>>;

/// AES-GCM-SIV with keys of N bytes: 16 or 32; with 0, the length is chosen at run time.
#[derive(Clone)]
pub struct GcmSiv<const N: usize>(Secret<RoundKeys>);

impl<const N: usize> aead::RandomNonces for GcmSiv<N> {}

impl AesGcmSiv {
    /// Prepares a key of 16 or 32 bytes, which selects AES-128 or AES-256.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for any other length.
    pub fn from_slice(key: &[u8]) -> Result<Self, Error> {
        match KeyBytes::from_slice(key) {
            Ok(key @ (KeyBytes::Aes128(_) | KeyBytes::Aes256(_))) => {
                Ok(Self(GcmSiv(expand(BACKENDS.chosen(), key))))
            }
            _ => {
                let what = "length of the key in bytes (16 or 32)";
                Err(Error::WrongLength { what, min: 16, max: 32, actual: key.len() })
            }
        }
    }

    pub(crate) fn key_len(&self) -> usize {
        self.0.0.key_len()
    }
}

impl<const N: usize> Cipher for GcmSiv<N> {
    type Nonce = [u8; NONCE_LEN];
    const NAME: &'static str = match N {
        16 => "aes-128-gcm-siv",
        32 => "aes-256-gcm-siv",
        _ => "aes-gcm-siv",
    };
    const MAX_TEXT_LEN: u64 = MAX_LEN;
    const MAX_AAD_LEN: u64 = MAX_LEN;
}

impl<const N: usize> Crypt<[u8; NONCE_LEN]> for GcmSiv<N> {
    fn crypt(&self, direction: Direction<&Tag>, nonce: &[u8; NONCE_LEN], aad: &[u8], text: InOut<'_>) -> Tag {
        run(BACKENDS.chosen(), &self.0, nonce, aad, text, direction)
    }

    /// The whole text is hashed before any of it is encrypted, so the slices are first copied.
    fn seal_slices(&self, nonce: &[u8; NONCE_LEN], aad: &[u8], slices: &[&[u8]], text: &mut [u8]) -> Tag {
        aead::copy_slices(slices, text);
        run(BACKENDS.chosen(), &self.0, nonce, aad, InOut::in_place(text), Direction::Seal)
    }

    /// Keys are derived once for successive messages under one nonce, such as the cells of a column: if the
    /// first two have the same.
    fn gain(&self, messages: &[aead::Message<'_>], _: usize) -> bool {
        // Nonces are public.
        let nonce = |i: usize| declassify(*aead::checked::<[u8; NONCE_LEN]>(messages[i].nonce));
        messages.len() > 1 && nonce(0) == nonce(1)
    }

    fn crypt_many(&self, Batch { direction, messages, tags }: &mut Batch<'_, '_>) {
        let (mut hash, mut rounds) = (Secret::new([0; 16]), Secret::new(RoundKeys::EMPTY));
        let mut keys = MessageKeys { hash: &mut hash, rounds: &mut rounds };
        let mut before: Option<&[u8; NONCE_LEN]> = None;
        for (aead::Message { nonce, aad, text, tag: given }, tag) in messages.iter_mut().zip(&mut **tags) {
            let nonce = aead::checked::<[u8; NONCE_LEN]>(nonce);
            // Nonces are public.
            let derived = before.is_some_and(|before| declassify(equal(before, nonce)));
            let key = if derived { None } else { Some(&*self.0) };
            let (text, direction) = (InOut::in_place(text), direction.with_tag(given));
            *tag = run_with(BACKENDS.chosen(), key, &mut keys, nonce, aad, text, direction);
            before = Some(nonce);
        }
    }
}

impl Algorithm for GcmSiv<16> {
    type Key = [u8; 16];

    fn prepare(key: &[u8; 16]) -> Self {
        Self(expand(BACKENDS.chosen(), KeyBytes::Aes128(key)))
    }
}

impl Algorithm for GcmSiv<32> {
    type Key = [u8; 32];

    fn prepare(key: &[u8; 32]) -> Self {
        Self(expand(BACKENDS.chosen(), KeyBytes::Aes256(key)))
    }
}

/// AES-128-GCM-SIV (RFC 8452), with keys of 16 bytes, nonces of 12 and tags of 16. Wiped when dropped.
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::aes_gcm_siv::Aes128GcmSiv;
///
/// let key = Aes128GcmSiv::new(&[7; 16]);
/// let mut data = *b"attack at dawn";
/// let tag = key.seal(&[0; 12], b"", &mut data)?;
///
/// let mut again = *b"attack at dawn";
/// assert_eq!(key.seal(&[0; 12], b"", &mut again)?, tag); // nothing but this is revealed
/// # Ok(())
/// # }
/// ```
///
/// # Security
/// Two messages under one key and one nonce reveal only whether they are equal. With random nonces, seal at
/// most 2^32 messages of at most 2^30 bytes under one key (RFC 8452 §9 has more limits). Opening decrypts
/// before it can check the tag: a text whose tag is wrong is wiped.
pub type Aes128GcmSiv = Aead<GcmSiv<16>>;

/// AES-256-GCM-SIV (RFC 8452), with keys of 32 bytes, nonces of 12 and tags of 16. Wiped when dropped.
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::aes_gcm_siv::Aes256GcmSiv;
///
/// // Equal cells of a column have equal ciphertexts, which a database can look up.
/// let key = Aes256GcmSiv::new(&[7; 32]);
/// let mut cell = [0; 14 + Aes256GcmSiv::TAG_LEN];
/// key.seal_to(&[0; 12], b"column 3", &[b"attack at dawn"], &mut cell)?;
///
/// let mut text = [0; 14];
/// key.open_to(&[0; 12], b"column 3", &cell, &mut text)?;
/// assert_eq!(&text, b"attack at dawn");
/// # Ok(())
/// # }
/// ```
///
/// # Security
/// Two messages under one key and one nonce reveal only whether they are equal. With random nonces, seal at
/// most 2^32 messages of at most 2^30 bytes under one key (RFC 8452 §9 has more limits). Opening decrypts
/// before it can check the tag: a text whose tag is wrong is wiped.
pub type Aes256GcmSiv = Aead<GcmSiv<32>>;
