//! Authenticated encryption: [`Aead`], a prepared key of any of the AEADs.
//!
//! All AEADs, such as [`Aes256Gcm`](crate::aes_gcm::Aes256Gcm), are aliases of [`Aead`] and share its
//! methods; `seal_random` needs [`RandomNonces`]. Code for any of them is generic over the [`Algorithm`]. To
//! choose one at run time, use [`AnyAead`](crate::any::AnyAead).
//!
//! ```
//! # fn main() -> Result<(), keylane::Error> {
//! use keylane::aead::{Aead, Algorithm};
//! use keylane::aes_gcm::Aes128Gcm;
//! use keylane::chacha20poly1305::XChaCha20Poly1305;
//!
//! fn round_trip<A: Algorithm>(aead: &Aead<A>, nonce: &A::Nonce) -> Result<(), keylane::Error> {
//!     let mut data = *b"attack at dawn";
//!     let tag = aead.seal(nonce, b"header", &mut data)?;
//!     aead.open(nonce, b"header", &mut data, &tag)
//! }
//! round_trip(&Aes128Gcm::new(&[7; 16]), &[0; 12])?;
//! round_trip(&XChaCha20Poly1305::new(&[7; 32]), &[0; 24])?;
//! # Ok(())
//! # }
//! ```
//!
//! One call seals or opens many messages under one key, side by side where that is faster:
//!
//! ```
//! # fn main() -> Result<(), keylane::Error> {
//! use keylane::aead::Message;
//! use keylane::aes_gcm::Aes128Gcm;
//!
//! let key = Aes128Gcm::new(&[7; 16]);
//! let nonces = [[0; 12], [1; 12]];
//! let (mut texts, mut tags) = ([*b"attack at dawn", *b"attack at noon"], [[0; 16]; 2]);
//! let messages = nonces.iter().zip(&mut texts).zip(&mut tags);
//! let messages = messages.map(|((nonce, text), tag)| Message { nonce, aad: b"", text, tag });
//! key.seal_many(&mut messages.collect::<Vec<_>>())?;
//! key.open(&nonces[1], b"", &mut texts[1], &tags[1])?;
//! assert_eq!(&texts[1], b"attack at noon");
//! # Ok(())
//! # }
//! ```

mod slices;
#[cfg(test)]
mod tests;

pub use crate::byte_array::{AsKey, ByteArray};
pub(crate) use slices::{copy_slices, seal_slices};

use crate::error::Error;
#[cfg(feature = "getrandom")]
use crate::random;
#[cfg(all(feature = "alloc", feature = "getrandom"))]
use alloc::vec;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt::{self, Debug};
use keylane_cpu::constant_time::{declassify, equal};
use keylane_cpu::in_out::InOut;
#[cfg(feature = "alloc")]
use keylane_cpu::in_out::append;
use keylane_cpu::wipe::wipe;
use zeroize::ZeroizeOnDrop;
#[cfg(feature = "getrandom")]
use zeroize::Zeroizing;

/// The length of a tag in bytes, the same for every AEAD here.
pub(crate) const TAG_LEN: usize = 16;
/// A tag.
pub(crate) type Tag = [u8; TAG_LEN];

/// The maximum number of messages that one call of [`Crypt::crypt_many`] takes.
const MANY: usize = 64;
/// The number of messages up to which a small array of tags suffices: filling one for [`MANY`] takes time.
const FEW: usize = 8;

/// An AEAD whose keys have one length. Sealed.
pub trait Algorithm: Cipher {
    /// An array of bytes.
    type Key: ByteArray;
    /// Prepares a key, for [`Aead::new`].
    fn prepare(key: &Self::Key) -> Self;
}

/// An AEAD, whose keys may have several lengths. Sealed.
pub trait Cipher: Crypt<<Self as Cipher>::Nonce> + Clone + Send + Sync + 'static {
    /// An array of bytes.
    type Nonce: ByteArray;
    /// The name in lower case: `"aes-256-gcm"`.
    const NAME: &'static str;
    /// The maximum length of a text in bytes.
    const MAX_TEXT_LEN: u64;
    /// The maximum length of additional data in bytes.
    const MAX_AAD_LEN: u64;
}

/// An AEAD whose nonces may be random: they are long, or may repeat. Sealed.
pub trait RandomNonces: Cipher {}

/// An AEAD's computations. Other crates cannot name these traits: their methods return texts before
/// authentication.
pub(crate) mod sealed {
    use super::{InOut, Message, Tag};
    use core::ops::Range;

    /// Encryption or decryption, and a received tag or `()`. A value instead of a type, so that kernels are
    /// compiled once.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Direction<Received = ()> {
        Seal,
        Open(Received),
    }

    impl Direction<&Tag> {
        /// Returns the direction without the tag, for kernels, which do not compare tags.
        #[inline(always)]
        pub(crate) const fn without_tag(self) -> Direction {
            match self {
                Self::Seal => Direction::Seal,
                Self::Open(_) => Direction::Open(()),
            }
        }
    }

    impl Direction {
        /// Returns the direction with the received tag, if it is to open.
        #[inline(always)]
        pub(crate) const fn with_tag(self, tag: &Tag) -> Direction<&Tag> {
            match self {
                Self::Seal => Direction::Seal,
                Self::Open(()) => Direction::Open(tag),
            }
        }
    }

    /// At most [`MANY`](super::MANY) messages under one key, and as many places for their computed tags.
    pub struct Batch<'a, 'm> {
        pub(crate) direction: Direction,
        pub(crate) messages: &'a mut [Message<'m>],
        pub(crate) tags: &'a mut [Tag],
    }

    impl<'m> Batch<'_, 'm> {
        /// Returns the messages in these places.
        #[inline(always)]
        pub(crate) fn part(&mut self, places: Range<usize>) -> Batch<'_, 'm> {
            let (messages, tags) = (&mut self.messages[places.clone()], &mut self.tags[places]);
            Batch { direction: self.direction, messages, tags }
        }
    }

    /// The computations; callers have checked all lengths.
    pub trait Crypt<Nonce> {
        /// Encrypts or decrypts `text`. Returns the tag that it should have.
        fn crypt(&self, direction: Direction<&Tag>, nonce: &Nonce, aad: &[u8], text: InOut<'_>) -> Tag;

        /// Returns [`crypt`](Self::crypt) for several messages, which finds the kernel once.
        #[inline(always)]
        fn crypt_each(&self) -> impl Fn(Direction<&Tag>, &Nonce, &[u8], InOut<'_>) -> Tag {
            |direction, nonce, aad, text| self.crypt(direction, nonce, aad, text)
        }

        /// Encrypts the slices, one after the other, into `text`, whose length is the sum of theirs. Returns
        /// the tag.
        fn seal_slices(&self, nonce: &Nonce, aad: &[u8], slices: &[&[u8]], text: &mut [u8]) -> Tag;

        /// Returns whether [`crypt_many`](Self::crypt_many) takes less time than one message after the other,
        /// for texts of `bytes` bytes in total.
        fn gain(&self, _messages: &[Message<'_>], _bytes: usize) -> bool {
            false
        }

        /// Encrypts or decrypts the texts of the messages, and writes the tags.
        fn crypt_many(&self, _: &mut Batch<'_, '_>) {
            unreachable!("it never gains")
        }
    }
}
pub(crate) use sealed::{Batch, Crypt, Direction};

/// One of many messages, for [`Aead::seal_many`] and [`Aead::open_many`].
pub struct Message<'a> {
    /// The nonce: never the same twice under one key, except with AES-GCM-SIV.
    pub nonce: &'a [u8],
    /// Additional data, which is authenticated but not encrypted.
    pub aad: &'a [u8],
    /// The text, encrypted or decrypted in place.
    pub text: &'a mut [u8],
    /// The tag: written when sealing, read when opening.
    pub tag: &'a mut [u8; 16],
}

impl Debug for Message<'_> {
    /// Does not print the text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Message");
        fields.field("nonce", &self.nonce).field("aad", &self.aad).finish_non_exhaustive()
    }
}

/// A prepared AEAD key. Threads can share it. Wiped when dropped.
#[derive(Clone)]
pub struct Aead<C: Cipher>(pub(crate) C);

impl<A: Algorithm> Aead<A> {
    /// The length of a key in bytes.
    pub const KEY_LEN: usize = A::Key::LEN;

    /// Prepares a key.
    #[inline]
    #[must_use]
    pub fn new(key: &impl AsKey<A::Key>) -> Self {
        Self(A::prepare(key.as_key()))
    }

    /// Returns a random key, which is wiped when dropped. Store it: without it, sealed messages cannot be
    /// opened. Needs the feature `getrandom`.
    ///
    /// ```
    /// # fn main() -> Result<(), keylane::Error> {
    /// use keylane::xaes::Xaes256Gcm;
    ///
    /// let cipher = Xaes256Gcm::new(&Xaes256Gcm::generate_key()?); // for the life of this process
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NoRandomness`] if the operating system provides no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn generate_key() -> Result<Zeroizing<A::Key>, Error> {
        random::key()
    }

    /// Prepares a key from a slice.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless the key has [`KEY_LEN`](Self::KEY_LEN) bytes.
    pub fn from_slice(key: &[u8]) -> Result<Self, Error> {
        Ok(Self::new(check_bytes::<A::Key>("length of the key in bytes", key)?))
    }
}

impl<C: Cipher> Aead<C> {
    /// The length of a nonce in bytes.
    pub const NONCE_LEN: usize = C::Nonce::LEN;
    /// The length of a tag in bytes.
    pub const TAG_LEN: usize = TAG_LEN;
    /// The maximum length of a text in bytes.
    pub const MAX_TEXT_LEN: u64 = C::MAX_TEXT_LEN;
    /// The maximum length of additional data in bytes.
    pub const MAX_AAD_LEN: u64 = C::MAX_AAD_LEN;

    /// Encrypts `data` in place and returns the tag, which also authenticates `aad` and `nonce`.
    ///
    /// # Security
    /// A nonce must never be used twice with a key, except with AES-GCM-SIV: each AEAD's own "Security" says
    /// what a repeated nonce reveals. The length of `data` is visible in the ciphertext.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] above [`MAX_TEXT_LEN`](Self::MAX_TEXT_LEN) or
    /// [`MAX_AAD_LEN`](Self::MAX_AAD_LEN).
    #[inline]
    pub fn seal(&self, nonce: &C::Nonce, aad: &[u8], data: &mut [u8]) -> Result<[u8; 16], Error> {
        check_lengths::<C>(aad.len(), data.len())?;
        Ok(self.0.crypt(Direction::Seal, nonce, aad, InOut::in_place(data)))
    }

    /// Decrypts `data` in place if `tag` is the tag of `data`, `aad` and `nonce`.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`] if it is not; `data` is wiped. [`Error::InputTooLong`] as for
    /// [`seal`](Self::seal).
    #[inline]
    pub fn open(&self, nonce: &C::Nonce, aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> Result<(), Error> {
        check_lengths::<C>(aad.len(), data.len())?;
        let mut expected = self.0.crypt(Direction::Open(tag), nonce, aad, InOut::in_place(data));
        verify(&mut expected, tag, data)
    }

    /// Encrypts the texts of many messages in place and writes their tags, side by side where that is faster
    /// than [`seal`](Self::seal) one by one. The messages may have any lengths.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if a nonce does not have [`NONCE_LEN`](Self::NONCE_LEN) bytes, and
    /// [`Error::InputTooLong`] as for [`seal`](Self::seal), before anything is written.
    #[inline]
    pub fn seal_many(&self, messages: &mut [Message<'_>]) -> Result<(), Error> {
        let bytes = self.check(messages)?;
        if !self.0.gain(messages, bytes) {
            let crypt = self.0.crypt_each();
            for Message { nonce, aad, text, tag } in messages {
                **tag = crypt(Direction::Seal, checked(nonce), aad, InOut::in_place(text));
            }
        } else {
            self.side_by_side(Direction::Seal, messages, |message, tag| *message.tag = *tag);
        }
        Ok(())
    }

    /// Decrypts the texts of many messages in place, like [`open`](Self::open), and writes to `opened`
    /// whether each message's tag is right. Texts with a wrong tag are wiped.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`] unless every tag is right. [`Error::WrongLength`] unless `opened` is
    /// as long as `messages`, and the errors of [`seal_many`](Self::seal_many), before anything is written.
    pub fn open_many(&self, messages: &mut [Message<'_>], opened: &mut [bool]) -> Result<(), Error> {
        Error::check_length("number of results", messages.len(), opened.len())?;
        let bytes = self.check(messages)?;
        if !self.0.gain(messages, bytes) {
            let (crypt, mut result) = (self.0.crypt_each(), Ok(()));
            for (Message { nonce, aad, text, tag }, opened) in messages.iter_mut().zip(opened) {
                let mut expected = crypt(Direction::Open(tag), checked(nonce), aad, InOut::in_place(text));
                let done = verify(&mut expected, &**tag, text);
                *opened = done.is_ok();
                result = result.and(done);
            }
            result
        } else {
            let (mut opened, mut result) = (opened.iter_mut(), Ok(()));
            self.side_by_side(Direction::Open(()), messages, |message, expected| {
                let verified = verify(expected, message.tag, message.text);
                *opened.next().expect("as many as messages") = verified.is_ok();
                result = result.and(verified);
            });
            result
        }
    }

    /// Encrypts or decrypts messages side by side, and passes each with its computed tag to `done`.
    #[inline(never)]
    fn side_by_side(
        &self,
        direction: Direction,
        messages: &mut [Message<'_>],
        mut done: impl FnMut(&mut Message<'_>, &mut Tag),
    ) {
        let (mut few, mut many);
        let tags: &mut [Tag] = if messages.len() <= FEW {
            few = [[0; TAG_LEN]; FEW];
            &mut few
        } else {
            many = [[0; TAG_LEN]; MANY];
            &mut many
        };
        for messages in messages.chunks_mut(MANY) {
            let tags = &mut tags[..messages.len()];
            self.0.crypt_many(&mut Batch { direction, messages, tags });
            messages.iter_mut().zip(tags).for_each(|(message, tag)| done(message, tag));
        }
    }

    /// Checks all lengths and returns the texts' total length.
    #[inline(always)]
    fn check(&self, messages: &[Message<'_>]) -> Result<usize, Error> {
        messages.iter().try_fold(0, |bytes, Message { nonce, aad, text, .. }| {
            check_nonce::<C::Nonce>(nonce)?;
            // One comparison for an upper bound of both.
            if (aad.len() | text.len()) as u64 > C::MAX_TEXT_LEN.min(C::MAX_AAD_LEN) {
                check_lengths::<C>(aad.len(), text.len())?;
            }
            Ok(bytes + text.len())
        })
    }

    /// Encrypts the slices of `plaintext`, one after the other, into `output`: the ciphertext, then the tag.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless `output` is exactly as long as the text and the tag,
    /// [`Error::InputTooLong`] as for [`seal`](Self::seal).
    #[inline]
    pub fn seal_to(
        &self,
        nonce: &C::Nonce,
        aad: &[u8],
        plaintext: &[&[u8]],
        output: &mut [u8],
    ) -> Result<(), Error> {
        let text_len = total_len(plaintext);
        check_lengths::<C>(aad.len(), text_len)?;
        check_output(text_len.saturating_add(TAG_LEN), output)?;
        let (text, tag) = output.split_at_mut(text_len);
        let value = match plaintext {
            [one] => self.0.crypt(Direction::Seal, nonce, aad, InOut::apart(one, text)),
            several => self.0.seal_slices(nonce, aad, several, text),
        };
        tag.copy_from_slice(&value);
        Ok(())
    }

    /// Decrypts `sealed`, a ciphertext and its tag, into `output`.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`] if the tag is wrong; `output` is wiped. [`Error::WrongLength`] unless
    /// `output` has the text's length, or if `sealed` is shorter than a tag. [`Error::InputTooLong`] as for
    /// [`seal`](Self::seal).
    #[inline]
    pub fn open_to(
        &self,
        nonce: &C::Nonce,
        aad: &[u8],
        sealed: &[u8],
        output: &mut [u8],
    ) -> Result<(), Error> {
        let text_len = text_len_of(sealed)?;
        check_output(text_len, output)?;
        check_lengths::<C>(aad.len(), text_len)?;
        let (text, tag) = sealed.split_last_chunk().expect("it has a tag");
        let mut expected = self.0.crypt(Direction::Open(tag), nonce, aad, InOut::apart(text, output));
        verify(&mut expected, tag, output)
    }

    /// Encrypts `plaintext` and appends it to `output`: the ciphertext, then the tag.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] as for [`seal`](Self::seal); `output` is unchanged.
    #[cfg(feature = "alloc")]
    pub fn seal_append(
        &self,
        nonce: &C::Nonce,
        aad: &[u8],
        plaintext: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), Error> {
        // Checked before memory is reserved.
        check_lengths::<C>(aad.len(), plaintext.len())?;
        append(output, plaintext.len() + TAG_LEN, |sealed| self.seal_to(nonce, aad, &[plaintext], sealed))
    }

    /// Decrypts `sealed`, a ciphertext and its tag, and appends the text to `output`.
    ///
    /// # Errors
    /// Those of [`open_to`](Self::open_to); `output` is unchanged.
    #[cfg(feature = "alloc")]
    pub fn open_append(
        &self,
        nonce: &C::Nonce,
        aad: &[u8],
        sealed: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let text_len = text_len_of(sealed)?;
        check_lengths::<C>(aad.len(), text_len)?;
        append(output, text_len, |text| self.open_to(nonce, aad, sealed, text))
    }
}

/// Methods that generate a random nonce and store it in front of the message, only for AEADs whose nonces are
/// long or may repeat. They need the feature `getrandom`.
#[cfg(feature = "getrandom")]
impl<C: RandomNonces> Aead<C> {
    /// Encrypts `text` under a random nonce into `output`: the nonce, the ciphertext, the tag.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless `output` is exactly as long as these three together.
    /// [`Error::NoRandomness`] if the operating system provides no random bytes. [`Error::InputTooLong`] as
    /// for [`seal`](Self::seal).
    pub fn seal_random(&self, aad: &[u8], text: &[u8], output: &mut [u8]) -> Result<(), Error> {
        seal_random(C::Nonce::LEN, text.len(), output, |nonce, sealed| {
            self.seal_to(checked(nonce), aad, &[text], sealed)
        })
    }

    /// Decrypts `sealed`, which [`seal_random`](Self::seal_random) wrote, into `output`.
    ///
    /// # Errors
    /// Those of [`open_to`](Self::open_to); [`Error::WrongLength`] also if `sealed` is shorter than a nonce
    /// and a tag.
    pub fn open_random(&self, aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error> {
        open_random(C::Nonce::LEN, sealed, |nonce, sealed| self.open_to(checked(nonce), aad, sealed, output))
    }

    /// Encrypts like [`seal_random`](Self::seal_random), into a new vector.
    ///
    /// # Errors
    /// [`Error::NoRandomness`] and [`Error::InputTooLong`] as for `seal_random`.
    #[cfg(feature = "alloc")]
    pub fn seal_random_vec(&self, aad: &[u8], text: &[u8]) -> Result<Vec<u8>, Error> {
        check_lengths::<C>(aad.len(), text.len())?;
        let mut output = vec![0; C::Nonce::LEN + text.len() + TAG_LEN];
        self.seal_random(aad, text, &mut output)?;
        Ok(output)
    }

    /// Decrypts like [`open_random`](Self::open_random), into a new vector.
    ///
    /// # Errors
    /// Those of `open_random`.
    #[cfg(feature = "alloc")]
    pub fn open_random_vec(&self, aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let mut output = vec![0; sealed.len().saturating_sub(C::Nonce::LEN + TAG_LEN)];
        self.open_random(aad, sealed, &mut output)?;
        Ok(output)
    }
}

impl<C: Cipher> ZeroizeOnDrop for Aead<C> {}

impl<C: Cipher> Debug for Aead<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Aead<{}> {{ .. }}", C::NAME)
    }
}

/// Calls `seal` with a random nonce and the part of `output` after it, and writes the nonce if that succeeds.
#[cfg(feature = "getrandom")]
pub(crate) fn seal_random(
    nonce_len: usize,
    text_len: usize,
    output: &mut [u8],
    seal: impl FnOnce(&[u8], &mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    check_output(text_len.saturating_add(nonce_len + TAG_LEN), output)?;
    let mut bytes = [0; 24];
    let nonce = &mut bytes[..nonce_len];
    random::fill(nonce)?;
    let (front, sealed) = output.split_at_mut(nonce_len);
    seal(nonce, sealed)?;
    front.copy_from_slice(nonce);
    Ok(())
}

/// Calls `open` with the nonce in front of a sealed message, and with the rest.
#[cfg(feature = "getrandom")]
pub(crate) fn open_random(
    nonce_len: usize,
    sealed: &[u8],
    open: impl FnOnce(&[u8], &[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let what = "length of the nonce and the sealed message in bytes";
    Error::check_range(what, nonce_len + TAG_LEN, usize::MAX, sealed.len())?;
    let (nonce, sealed) = sealed.split_at(nonce_len);
    open(nonce, sealed)
}

/// Returns the length of a sealed message's text.
#[inline(always)]
fn text_len_of(sealed: &[u8]) -> Result<usize, Error> {
    sealed.len().checked_sub(TAG_LEN).ok_or(Error::WrongLength {
        what: "length of the sealed message in bytes",
        min: TAG_LEN,
        max: usize::MAX,
        actual: sealed.len(),
    })
}

/// Fails unless the output has exactly the expected length.
#[inline(always)]
fn check_output(expected: usize, output: &[u8]) -> Result<(), Error> {
    Error::check_length("length of the output in bytes", expected, output.len())
}

/// Fails if the text or the additional data is longer than the AEAD allows.
#[inline(always)]
pub(crate) fn check_lengths<C: Cipher>(aad_len: usize, text_len: usize) -> Result<(), Error> {
    for (len, max) in [(text_len, C::MAX_TEXT_LEN), (aad_len, C::MAX_AAD_LEN)] {
        if len as u64 > max {
            return Err(Error::InputTooLong { max });
        }
    }
    Ok(())
}

#[inline(always)]
pub(crate) fn check_nonce<N: ByteArray>(nonce: &[u8]) -> Result<&N, Error> {
    check_bytes("length of the nonce in bytes", nonce)
}

/// Borrows a nonce whose length was checked.
#[inline(always)]
pub(crate) fn checked<N: ByteArray>(nonce: &[u8]) -> &N {
    N::from_slice(nonce).expect("its length was checked")
}

#[inline(always)]
fn check_bytes<'a, B: ByteArray>(what: &'static str, slice: &'a [u8]) -> Result<&'a B, Error> {
    B::from_slice(slice).ok_or(Error::WrongLength { what, min: B::LEN, max: B::LEN, actual: slice.len() })
}

/// Returns the sum of the slices' lengths, which saturates: the same memory may occur many times.
#[inline(always)]
fn total_len(slices: &[&[u8]]) -> usize {
    match slices {
        [one] => one.len(),
        several => several.iter().fold(0, |sum: usize, slice| sum.saturating_add(slice.len())),
    }
}

/// Compares `tag`, 4 to 16 bytes, with the leading bytes of the expected tag, and wipes `text` if they
/// differ. Always wipes the expected tag, since a forged message's right tag is secret.
#[inline]
pub(crate) fn verify(expected: &mut Tag, tag: &[u8], text: &mut [u8]) -> Result<(), Error> {
    assert!((4..=TAG_LEN).contains(&tag.len()));
    let authentic = declassify(equal(&expected[..tag.len()], tag));
    wipe(expected);
    if authentic {
        return Ok(());
    }
    wipe(text);
    Err(Error::AuthenticationFailed)
}
