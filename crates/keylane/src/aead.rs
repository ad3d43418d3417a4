//! Authenticated encryption: the trait of all AEADs.
//!
//! The AEADs are the implementors of [`Aead`]. Each has the same methods, which need no import; the trait is
//! for code that works with any of them:
//!
//! ```
//! # fn main() -> Result<(), keylane::Error> {
//! use keylane::aead::Aead;
//! use keylane::aes_gcm::Aes128Gcm;
//! use keylane::chacha20poly1305::XChaCha20Poly1305;
//!
//! fn round_trip<A: Aead>(key: &[u8], nonce: &A::Nonce) -> Result<(), keylane::Error> {
//!     let aead = A::from_slice(key)?;
//!     let mut data = *b"attack at dawn";
//!     let tag = aead.seal(nonce, b"header", &mut data)?;
//!     aead.open(nonce, b"header", &mut data, &tag)
//! }
//! round_trip::<Aes128Gcm>(&[7; Aes128Gcm::KEY_LEN], &[0; 12])?;
//! round_trip::<XChaCha20Poly1305>(&[7; XChaCha20Poly1305::KEY_LEN], &[0; 24])?;
//! # Ok(())
//! # }
//! ```
//!
//! Many messages under one key are sealed side by side in one call, and opened so:
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
//!
//! [`DynAead`] is for code that chooses the AEAD at run time.

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
use zeroize::Zeroize;
#[cfg(feature = "getrandom")]
use zeroize::Zeroizing;

/// The length of a tag, the same for every AEAD here.
pub(crate) const TAG_LEN: usize = 16;
/// A tag.
pub(crate) type Tag = [u8; TAG_LEN];

mod sealed {
    use super::{ByteArray, InOut, Message, Tag};
    use core::fmt::Debug;

    /// Byte arrays.
    pub trait Array {}

    impl<const N: usize> Array for [u8; N] {}

    /// The computations of an AEAD. The caller has checked all lengths.
    pub trait Cipher: Debug + Send + Sync {
        type Nonce: ByteArray;
        const MAX_TEXT_LEN: u64;
        const MAX_AAD_LEN: u64;

        /// Encrypts `text` and returns its tag.
        fn seal_text(&self, nonce: &Self::Nonce, aad: &[u8], text: InOut<'_>) -> Tag;

        /// Encrypts the slices, one after the other, into `text`, whose length is the sum of theirs. Returns
        /// the tag.
        fn seal_slices(&self, nonce: &Self::Nonce, aad: &[u8], slices: &[&[u8]], text: &mut [u8]) -> Tag;

        /// Decrypts `text`, which was received with `tag`. Returns the tag that it should have.
        fn open_text(&self, nonce: &Self::Nonce, aad: &[u8], text: InOut<'_>, tag: &Tag) -> Tag;

        /// Returns how many messages may be faster side by side than one by one, at least. Fewer are not
        /// passed to [`crypt_many`](Self::crypt_many).
        fn min_batch(&self) -> usize {
            usize::MAX
        }

        /// Encrypts (`seal`) or decrypts the texts of at most [`MANY`](super::MANY) messages. Writes the tag
        /// that each message should have to `tags`, which has as many.
        fn crypt_many(&self, _seal: bool, _messages: &mut [Message<'_, Self::Nonce>], _tags: &mut [Tag]) {
            unreachable!("no number of messages is enough")
        }
    }

    /// AEADs whose nonces may be random.
    #[cfg(feature = "getrandom")]
    pub trait Random {}

    /// A key of one of this crate's AEADs. Types that differ only in the length of the key share a
    /// [`Cipher`].
    pub trait Sealed {
        type Cipher: Cipher;

        fn cipher(&self) -> &Self::Cipher;
    }

    impl<C: Cipher> Sealed for C {
        type Cipher = Self;

        #[inline(always)]
        fn cipher(&self) -> &Self {
            self
        }
    }
}
#[cfg(feature = "getrandom")]
pub(crate) use sealed::Random;
pub(crate) use sealed::{Cipher, Sealed};

/// `[u8; N]`: a key or a nonce.
pub trait ByteArray:
    AsMut<[u8]> + AsRef<[u8]> + Copy + Debug + Eq + Send + Sync + Zeroize + sealed::Array + 'static
{
    /// The length in bytes.
    const LEN: usize;

    /// Borrows a slice as an array. Returns `None` if the slice has another length.
    fn from_slice(slice: &[u8]) -> Option<&Self>;
}

impl<const N: usize> ByteArray for [u8; N] {
    const LEN: usize = N;

    #[inline(always)]
    fn from_slice(slice: &[u8]) -> Option<&Self> {
        slice.try_into().ok()
    }
}

/// One of many messages, for [`Aead::seal_many`] and [`Aead::open_many`]. `N` is the AEAD's nonce, or for
/// [`DynAead`] a slice.
pub struct Message<'a, N: ?Sized = [u8; 12]> {
    /// The nonce. Two messages under one key must not have the same one.
    pub nonce: &'a N,
    /// Additional data, which the tag covers as well.
    pub aad: &'a [u8],
    /// The text, encrypted or decrypted in place.
    pub text: &'a mut [u8],
    /// The tag: written when sealing, read when opening.
    pub tag: &'a mut [u8; 16],
}

impl<N: ?Sized + Debug> Debug for Message<'_, N> {
    /// Does not print the text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Message");
        fields.field("nonce", &self.nonce).field("aad", &self.aad).finish_non_exhaustive()
    }
}

/// The maximum number of messages that one call of [`Cipher::crypt_many`] takes.
const MANY: usize = 64;
/// Up to this many messages need no memory for the tags of [`MANY`], which would take time to fill.
const FEW: usize = 8;

/// A key of an AEAD, prepared. Threads can share it. Wiped when dropped.
///
/// Implemented only by this crate's AEADs. Each also has these methods as inherent methods, whose
/// documentation has the details: see [`Aes256Gcm`](crate::aes_gcm::Aes256Gcm).
#[allow(clippy::missing_errors_doc, reason = "described there")]
pub trait Aead:
    Sealed<Cipher: Cipher<Nonce = <Self as Aead>::Nonce>> + Clone + Debug + Send + Sync + 'static
{
    /// An array of [`KEY_LEN`](Self::KEY_LEN) bytes.
    type Key: ByteArray;
    /// An array of [`NONCE_LEN`](Self::NONCE_LEN) bytes.
    type Nonce: ByteArray;

    /// The name in lower case: `"aes-256-gcm"`.
    const NAME: &'static str;
    /// The length of a key in bytes.
    const KEY_LEN: usize = Self::Key::LEN;
    /// The length of a nonce in bytes.
    const NONCE_LEN: usize = <Self::Nonce as ByteArray>::LEN;
    /// The length of a tag in bytes.
    const TAG_LEN: usize = TAG_LEN;
    /// The maximum length of a text in bytes.
    const MAX_TEXT_LEN: u64 = <Self::Cipher as Cipher>::MAX_TEXT_LEN;
    /// The maximum length of additional data in bytes.
    const MAX_AAD_LEN: u64 = <Self::Cipher as Cipher>::MAX_AAD_LEN;

    /// Prepares a key.
    #[must_use]
    fn new(key: &Self::Key) -> Self;

    /// Returns a random key.
    #[cfg(feature = "getrandom")]
    fn generate_key() -> Result<Zeroizing<Self::Key>, Error> {
        random::key(*Self::Key::from_slice(&[0; 32][..Self::KEY_LEN]).expect("at most 32 bytes"))
    }

    /// As [`new`](Self::new), from a slice.
    #[inline]
    fn from_slice(key: &[u8]) -> Result<Self, Error> {
        Ok(Self::new(check_bytes("length of the key in bytes", key)?))
    }

    /// Encrypts `data` in place and returns the tag.
    #[inline]
    fn seal(&self, nonce: &Self::Nonce, aad: &[u8], data: &mut [u8]) -> Result<[u8; 16], Error> {
        seal(self.cipher(), nonce, aad, data)
    }

    /// Decrypts `data` in place if `tag` is its tag.
    #[inline]
    fn open(&self, nonce: &Self::Nonce, aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> Result<(), Error> {
        open(self.cipher(), nonce, aad, data, tag)
    }

    /// Encrypts every text in place and writes the tags.
    #[inline]
    fn seal_many(&self, messages: &mut [Message<'_, Self::Nonce>]) -> Result<(), Error> {
        seal_many(self.cipher(), messages)
    }

    /// Decrypts in place every text whose tag is right, and says in `opened` which.
    #[inline]
    fn open_many(&self, messages: &mut [Message<'_, Self::Nonce>], opened: &mut [bool]) -> Result<(), Error> {
        open_many(self.cipher(), messages, opened)
    }

    /// Encrypts the slices of `plaintext`, one after the other, into `output`: the ciphertext, then the tag.
    #[inline]
    fn seal_to(
        &self,
        nonce: &Self::Nonce,
        aad: &[u8],
        plaintext: &[&[u8]],
        output: &mut [u8],
    ) -> Result<(), Error> {
        seal_to(self.cipher(), nonce, aad, plaintext, output)
    }

    /// Decrypts `sealed`, a ciphertext and its tag, into `output`.
    #[inline]
    fn open_to(
        &self,
        nonce: &Self::Nonce,
        aad: &[u8],
        sealed: &[u8],
        output: &mut [u8],
    ) -> Result<(), Error> {
        open_to(self.cipher(), nonce, aad, sealed, output)
    }

    /// Encrypts `plaintext` and appends it to `output`: the ciphertext, then the tag.
    #[cfg(feature = "alloc")]
    #[inline]
    fn seal_append(
        &self,
        nonce: &Self::Nonce,
        aad: &[u8],
        plaintext: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), Error> {
        // Checked before memory is reserved.
        check_lengths::<Self::Cipher>(aad.len(), plaintext.len())?;
        append(output, plaintext.len() + TAG_LEN, |sealed| self.seal_to(nonce, aad, &[plaintext], sealed))
    }

    /// Decrypts `sealed`, a ciphertext and its tag, and appends the text to `output`.
    #[cfg(feature = "alloc")]
    #[inline]
    fn open_append(
        &self,
        nonce: &Self::Nonce,
        aad: &[u8],
        sealed: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), Error> {
        // Checked before memory is reserved.
        let text_len = text_len_of(sealed)?;
        check_lengths::<Self::Cipher>(aad.len(), text_len)?;
        append(output, text_len, |text| self.open_to(nonce, aad, sealed, text))
    }
}

/// A key of an AEAD that is chosen at run time. Implemented by every [`Aead`] and by
/// [`AesGcm`](crate::aes_gcm::AesGcm). A nonce whose length is not [`nonce_len`](Self::nonce_len) is an
/// [`Error::WrongLength`]; everything else is as in [`Aead`].
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::aead::DynAead;
/// use keylane::aes_gcm::Aes256Gcm;
/// use keylane::chacha20poly1305::ChaCha20Poly1305;
///
/// # let (key, has_aes) = ([7; 32], true);
/// let aead: &dyn DynAead = if has_aes { &Aes256Gcm::new(&key) } else { &ChaCha20Poly1305::new(&key) };
/// let mut data = *b"attack at dawn";
/// let tag = aead.seal(&[0; 12], b"header", &mut data)?;
/// aead.open(&[0; 12], b"header", &mut data, &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok(())
/// # }
/// ```
#[allow(clippy::missing_errors_doc, reason = "described above")]
pub trait DynAead: Debug + Send + Sync {
    /// Returns the length of a nonce in bytes.
    fn nonce_len(&self) -> usize;

    /// As [`Aead::seal`].
    fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<[u8; 16], Error>;

    /// As [`Aead::open`].
    fn open(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> Result<(), Error>;

    /// As [`Aead::seal_to`].
    fn seal_to(&self, nonce: &[u8], aad: &[u8], plaintext: &[&[u8]], output: &mut [u8]) -> Result<(), Error>;

    /// As [`Aead::open_to`].
    fn open_to(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error>;

    /// As [`Aead::seal_many`].
    fn seal_many(&self, messages: &mut [Message<'_, [u8]>]) -> Result<(), Error>;

    /// As [`Aead::open_many`].
    fn open_many(&self, messages: &mut [Message<'_, [u8]>], opened: &mut [bool]) -> Result<(), Error>;
}

impl<A: Sealed + Debug + Send + Sync> DynAead for A {
    fn nonce_len(&self) -> usize {
        <A::Cipher as Cipher>::Nonce::LEN
    }

    fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<[u8; 16], Error> {
        seal(self.cipher(), check_nonce(nonce)?, aad, data)
    }

    fn open(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> Result<(), Error> {
        open(self.cipher(), check_nonce(nonce)?, aad, data, tag)
    }

    fn seal_to(&self, nonce: &[u8], aad: &[u8], plaintext: &[&[u8]], output: &mut [u8]) -> Result<(), Error> {
        seal_to(self.cipher(), check_nonce(nonce)?, aad, plaintext, output)
    }

    fn open_to(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error> {
        open_to(self.cipher(), check_nonce(nonce)?, aad, sealed, output)
    }

    fn seal_many(&self, messages: &mut [Message<'_, [u8]>]) -> Result<(), Error> {
        check_dyn_messages::<A::Cipher>(messages)?;
        if messages.len() <= FEW || messages.len() < self.cipher().min_batch() {
            return seal_each(self, messages);
        }
        for messages in messages.chunks_mut(MANY) {
            with_arrays(messages, &mut |messages| seal_at_once::<A::Cipher, MANY>(self.cipher(), messages));
        }
        Ok(())
    }

    fn open_many(&self, messages: &mut [Message<'_, [u8]>], opened: &mut [bool]) -> Result<(), Error> {
        check_results(messages, opened)?;
        check_dyn_messages::<A::Cipher>(messages)?;
        if messages.len() <= FEW || messages.len() < self.cipher().min_batch() {
            return open_each(self, messages, opened);
        }
        let mut result = Ok(());
        for (messages, opened) in messages.chunks_mut(MANY).zip(opened.chunks_mut(MANY)) {
            with_arrays(messages, &mut |messages| {
                let done = open_at_once::<A::Cipher, MANY>(self.cipher(), messages, opened);
                result = result.and(done);
            });
        }
        result
    }
}

/// Seals messages one by one.
fn seal_each(key: &dyn DynAead, messages: &mut [Message<'_, [u8]>]) -> Result<(), Error> {
    messages.iter_mut().try_for_each(|Message { nonce, aad, text, tag }| {
        **tag = key.seal(nonce, aad, text)?;
        Ok(())
    })
}

/// Opens messages one by one, all of them.
fn open_each(
    key: &dyn DynAead,
    messages: &mut [Message<'_, [u8]>],
    opened: &mut [bool],
) -> Result<(), Error> {
    let mut result = Ok(());
    for (Message { nonce, aad, text, tag }, opened) in messages.iter_mut().zip(opened) {
        let done = key.open(nonce, aad, text, tag);
        *opened = done.is_ok();
        result = result.and(done);
    }
    result
}

/// What is called with the messages of a batch.
type Run<'r, N> = &'r mut dyn FnMut(&mut [Message<'_, N>]);

/// Calls `run` with at most [`MANY`] messages, their nonces as arrays. The caller has checked the nonces.
fn with_arrays<N: ByteArray>(messages: &mut [Message<'_, [u8]>], run: Run<'_, N>) {
    let count = messages.len();
    let mut unused = [[0; TAG_LEN]; MANY];
    let nonce = N::from_slice(&[0; 24][..N::LEN]).expect("N bytes");
    let mut arrays = unused.each_mut().map(|tag| Message { nonce, aad: &[], text: &mut [], tag });
    for (array, Message { nonce, aad, text, tag }) in arrays.iter_mut().zip(messages) {
        *array = Message { nonce: N::from_slice(nonce).expect("checked"), aad, text, tag };
    }
    run(&mut arrays[..count]);
}

/// An AEAD whose nonces may be random: they are long, or may repeat. The library makes them, and the message
/// begins with its nonce.
///
/// The AEADs also have these methods as inherent methods; the trait is for code that chooses one at run time.
/// Needs the feature `getrandom`.
#[cfg(feature = "getrandom")]
#[allow(clippy::missing_errors_doc, reason = "described there")]
pub trait RandomNonces: DynAead + Random {
    /// Encrypts `text` under a random nonce into `output`: the nonce, the ciphertext, the tag.
    fn seal_random(&self, aad: &[u8], text: &[u8], output: &mut [u8]) -> Result<(), Error> {
        let nonce_len = self.nonce_len();
        check_output(text.len().saturating_add(nonce_len + TAG_LEN), output)?;
        // The output is written only if nothing fails.
        let mut nonce = [0; 24];
        let nonce = &mut nonce[..nonce_len];
        random::fill(nonce)?;
        let (front, sealed) = output.split_at_mut(nonce_len);
        self.seal_to(nonce, aad, &[text], sealed)?;
        front.copy_from_slice(nonce);
        Ok(())
    }

    /// Decrypts `sealed`, what [`seal_random`](Self::seal_random) wrote, into `output`.
    fn open_random(&self, aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error> {
        let min = self.nonce_len() + TAG_LEN;
        let what = "length of the nonce and the sealed message in bytes";
        Error::check_range(what, min, usize::MAX, sealed.len())?;
        let (nonce, sealed) = sealed.split_at(self.nonce_len());
        self.open_to(nonce, aad, sealed, output)
    }

    /// As [`seal_random`](Self::seal_random), into a new vector.
    #[cfg(feature = "alloc")]
    fn seal_random_vec(&self, aad: &[u8], text: &[u8]) -> Result<Vec<u8>, Error> {
        let mut output = vec![0; text.len().saturating_add(self.nonce_len() + TAG_LEN)];
        self.seal_random(aad, text, &mut output)?;
        Ok(output)
    }

    /// As [`open_random`](Self::open_random), into a new vector.
    #[cfg(feature = "alloc")]
    fn open_random_vec(&self, aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let mut output = vec![0; sealed.len().saturating_sub(self.nonce_len() + TAG_LEN)];
        self.open_random(aad, sealed, &mut output)?;
        Ok(output)
    }
}

#[inline]
fn seal<C: Cipher>(cipher: &C, nonce: &C::Nonce, aad: &[u8], data: &mut [u8]) -> Result<Tag, Error> {
    check_lengths::<C>(aad.len(), data.len())?;
    Ok(cipher.seal_text(nonce, aad, InOut::in_place(data)))
}

#[inline]
fn open<C: Cipher>(
    cipher: &C,
    nonce: &C::Nonce,
    aad: &[u8],
    data: &mut [u8],
    tag: &Tag,
) -> Result<(), Error> {
    check_lengths::<C>(aad.len(), data.len())?;
    let mut expected = cipher.open_text(nonce, aad, InOut::in_place(data), tag);
    verify(&mut expected, tag, data)
}

#[inline]
fn seal_many<C: Cipher>(cipher: &C, messages: &mut [Message<'_, C::Nonce>]) -> Result<(), Error> {
    check_messages::<C, _>(messages)?;
    if messages.len() < cipher.min_batch() {
        for Message { nonce, aad, text, tag } in messages {
            **tag = cipher.seal_text(nonce, aad, InOut::in_place(text));
        }
    } else if messages.len() <= FEW {
        seal_at_once::<C, FEW>(cipher, messages);
    } else {
        seal_at_once::<C, MANY>(cipher, messages);
    }
    Ok(())
}

/// Seals N messages at a time.
fn seal_at_once<C: Cipher, const N: usize>(cipher: &C, messages: &mut [Message<'_, C::Nonce>]) {
    let mut tags = [[0; TAG_LEN]; N];
    for messages in messages.chunks_mut(N) {
        let tags = &mut tags[..messages.len()];
        cipher.crypt_many(true, messages, tags);
        messages.iter_mut().zip(tags).for_each(|(message, tag)| *message.tag = *tag);
    }
}

#[inline]
fn open_many<C: Cipher>(
    cipher: &C,
    messages: &mut [Message<'_, C::Nonce>],
    opened: &mut [bool],
) -> Result<(), Error> {
    check_results(messages, opened)?;
    check_messages::<C, _>(messages)?;
    if messages.len() < cipher.min_batch() {
        let mut result = Ok(());
        for (Message { nonce, aad, text, tag }, opened) in messages.iter_mut().zip(opened) {
            let done = open(cipher, nonce, aad, text, tag);
            *opened = done.is_ok();
            result = result.and(done);
        }
        result
    } else if messages.len() <= FEW {
        open_at_once::<C, FEW>(cipher, messages, opened)
    } else {
        open_at_once::<C, MANY>(cipher, messages, opened)
    }
}

/// Opens N messages at a time.
fn open_at_once<C: Cipher, const N: usize>(
    cipher: &C,
    messages: &mut [Message<'_, C::Nonce>],
    opened: &mut [bool],
) -> Result<(), Error> {
    let (mut tags, mut result) = ([[0; TAG_LEN]; N], Ok(()));
    for (messages, opened) in messages.chunks_mut(N).zip(opened.chunks_mut(N)) {
        let tags = &mut tags[..messages.len()];
        cipher.crypt_many(false, messages, tags);
        for ((Message { tag, text, .. }, expected), opened) in messages.iter_mut().zip(tags).zip(opened) {
            let verified = verify(expected, *tag, text);
            *opened = verified.is_ok();
            result = result.and(verified);
        }
    }
    result
}

/// Fails if any text or any additional data is longer than the AEAD allows.
fn check_messages<C: Cipher, N: ?Sized>(messages: &[Message<'_, N>]) -> Result<(), Error> {
    messages.iter().try_for_each(|message| check_lengths::<C>(message.aad.len(), message.text.len()))
}

/// As [`check_messages`], and fails if a nonce has another length than the AEAD's.
fn check_dyn_messages<C: Cipher>(messages: &[Message<'_, [u8]>]) -> Result<(), Error> {
    messages.iter().try_for_each(|message| check_nonce::<C::Nonce>(message.nonce).map(drop))?;
    check_messages::<C, _>(messages)
}

fn check_results<N: ?Sized>(messages: &[Message<'_, N>], opened: &[bool]) -> Result<(), Error> {
    Error::check_length("number of results", messages.len(), opened.len())
}

#[inline]
fn seal_to<C: Cipher>(
    cipher: &C,
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
        [one] => cipher.seal_text(nonce, aad, InOut::apart(one, text)),
        several => cipher.seal_slices(nonce, aad, several, text),
    };
    tag.copy_from_slice(&value);
    Ok(())
}

#[inline(always)]
fn open_to<C: Cipher>(
    cipher: &C,
    nonce: &C::Nonce,
    aad: &[u8],
    sealed: &[u8],
    output: &mut [u8],
) -> Result<(), Error> {
    let text_len = text_len_of(sealed)?;
    check_output(text_len, output)?;
    check_lengths::<C>(aad.len(), text_len)?;
    let (text, tag) = sealed.split_last_chunk().expect("it has a tag");
    let mut expected = cipher.open_text(nonce, aad, InOut::apart(text, output), tag);
    verify(&mut expected, tag, output)
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
fn check_nonce<N: ByteArray>(nonce: &[u8]) -> Result<&N, Error> {
    check_bytes("length of the nonce in bytes", nonce)
}

#[inline(always)]
fn check_bytes<'a, B: ByteArray>(what: &'static str, slice: &'a [u8]) -> Result<&'a B, Error> {
    B::from_slice(slice).ok_or(Error::WrongLength { what, min: B::LEN, max: B::LEN, actual: slice.len() })
}

/// Returns the sum of the slices' lengths. It saturates: the slices may be the same memory many times.
#[inline(always)]
fn total_len(slices: &[&[u8]]) -> usize {
    match slices {
        [one] => one.len(),
        several => {
            several.iter().try_fold(0_usize, |sum, slice| sum.checked_add(slice.len())).unwrap_or(usize::MAX)
        }
    }
}

/// Compares `tag`, 12 to 16 bytes, with the leading bytes of the expected tag, and wipes `text` if they
/// differ. Always wipes the expected tag: that of a forgery is secret.
#[inline]
pub(crate) fn verify(expected: &mut Tag, tag: &[u8], text: &mut [u8]) -> Result<(), Error> {
    assert!((12..=TAG_LEN).contains(&tag.len()));
    let authentic = declassify(equal(&expected[..tag.len()], tag));
    wipe(expected);
    if authentic {
        return Ok(());
    }
    wipe(text);
    Err(Error::AuthenticationFailed)
}

/// Copies the slices, one after the other, to `text`, whose length is the sum of theirs.
#[inline(always)]
pub(crate) fn copy_slices(slices: &[&[u8]], text: &mut [u8]) {
    let mut filled = 0;
    for slice in slices {
        text[filled..filled + slice.len()].copy_from_slice(slice);
        filled += slice.len();
    }
}

/// Up to this many bytes in all, slices are copied together and sealed by one call, which is faster than a
/// call for each.
const SHORT: usize = 512;

/// Seals the slices, one after the other, by calls of `seal` with pieces of the slices and their places in
/// `text`, whose length is the sum of theirs. Whole blocks are read from the slices; a block that extends
/// over several slices is first copied to its place. In the last call, which is always made, the flag is set
/// and the piece is shorter than a block or the whole text.
#[inline(always)]
pub(crate) fn seal_slices<const BLOCK: usize>(
    slices: &[&[u8]],
    text: &mut [u8],
    mut seal: impl FnMut(InOut<'_>, bool),
) {
    if text.len() <= SHORT {
        copy_slices(slices, text);
        return seal(InOut::in_place(text), true);
    }
    // `text` is ciphertext up to `sealed`, then less than a block of plaintext up to `filled`.
    let (mut sealed, mut filled) = (0, 0);
    for &slice in slices {
        let mut slice = slice;
        if filled > sealed {
            let (head, rest) = slice.split_at(slice.len().min(BLOCK - (filled - sealed)));
            text[filled..filled + head.len()].copy_from_slice(head);
            (filled, slice) = (filled + head.len(), rest);
            if filled - sealed == BLOCK {
                seal(InOut::in_place(&mut text[sealed..filled]), false);
                sealed = filled;
            }
        }
        let (blocks, tail) = slice.split_at(slice.len() / BLOCK * BLOCK);
        if !blocks.is_empty() {
            seal(InOut::apart(blocks, &mut text[filled..filled + blocks.len()]), false);
            filled += blocks.len();
            sealed = filled;
        }
        text[filled..filled + tail.len()].copy_from_slice(tail);
        filled += tail.len();
    }
    seal(InOut::in_place(&mut text[sealed..]), true);
}

/// Defines the trait's methods as inherent methods, so that callers need no import. The lengths of key and
/// nonce are literals, for the documentation.
macro_rules! methods {
    ($Aead:ident, $key_len:literal, $nonce_len:literal) => {
        impl $Aead {
            /// The length of a key in bytes.
            pub const KEY_LEN: usize = $key_len;
            /// The length of a nonce in bytes.
            pub const NONCE_LEN: usize = $nonce_len;
            /// The length of a tag in bytes.
            pub const TAG_LEN: usize = 16;
            /// The maximum length of a text in bytes.
            pub const MAX_TEXT_LEN: u64 = <Self as $crate::aead::Aead>::MAX_TEXT_LEN;
            /// The maximum length of additional data in bytes.
            pub const MAX_AAD_LEN: u64 = <Self as $crate::aead::Aead>::MAX_AAD_LEN;

            /// Prepares a key.
            #[must_use]
            pub fn new(key: &[u8; $key_len]) -> Self {
                $crate::aead::Aead::new(key)
            }

            /// Returns a random key, to be kept. It is wiped when dropped. Needs the feature `getrandom`.
            ///
            /// # Errors
            /// [`Error::NoRandomness`](crate::Error::NoRandomness) if the operating system has no random
            /// bytes.
            #[cfg(feature = "getrandom")]
            pub fn generate_key() -> Result<zeroize::Zeroizing<[u8; $key_len]>, $crate::Error> {
                <Self as $crate::aead::Aead>::generate_key()
            }

            /// As [`new`](Self::new), from a slice.
            ///
            /// # Errors
            /// [`Error::WrongLength`](crate::Error::WrongLength) unless the key has
            /// [`KEY_LEN`](Self::KEY_LEN) bytes.
            pub fn from_slice(key: &[u8]) -> Result<Self, $crate::Error> {
                $crate::aead::Aead::from_slice(key)
            }

            /// Encrypts `data` in place and returns the tag, which also covers `aad` and `nonce`.
            ///
            /// # Errors
            /// [`Error::InputTooLong`](crate::Error::InputTooLong) above [`MAX_TEXT_LEN`](Self::MAX_TEXT_LEN)
            /// or [`MAX_AAD_LEN`](Self::MAX_AAD_LEN).
            pub fn seal(
                &self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                data: &mut [u8],
            ) -> Result<[u8; 16], $crate::Error> {
                $crate::aead::Aead::seal(self, nonce, aad, data)
            }

            /// Decrypts `data` in place if `tag` is the tag of `data`, `aad` and `nonce`.
            ///
            /// # Errors
            /// [`Error::AuthenticationFailed`](crate::Error::AuthenticationFailed): `data` was wiped.
            /// [`Error::InputTooLong`](crate::Error::InputTooLong) as for [`seal`](Self::seal).
            pub fn open(
                &self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                data: &mut [u8],
                tag: &[u8; 16],
            ) -> Result<(), $crate::Error> {
                $crate::aead::Aead::open(self, nonce, aad, data, tag)
            }

            /// Encrypts the texts of many messages in place and writes their tags, side by side where that is
            /// faster than [`seal`](Self::seal) one by one. The messages may have any lengths.
            ///
            /// # Errors
            /// [`Error::InputTooLong`](crate::Error::InputTooLong) as for [`seal`](Self::seal), before
            /// anything is written.
            pub fn seal_many(
                &self,
                messages: &mut [$crate::aead::Message<'_, [u8; $nonce_len]>],
            ) -> Result<(), $crate::Error> {
                $crate::aead::Aead::seal_many(self, messages)
            }

            /// Decrypts in place the texts of many messages, as [`open`](Self::open) does one. Writes to
            /// `opened` for each message whether its tag is right; the texts of the others are wiped.
            ///
            /// # Errors
            /// [`Error::AuthenticationFailed`](crate::Error::AuthenticationFailed) unless every tag is right.
            /// [`Error::WrongLength`](crate::Error::WrongLength) unless `opened` is as long as `messages`,
            /// and [`Error::InputTooLong`](crate::Error::InputTooLong) as for [`seal`](Self::seal), before
            /// anything is written.
            pub fn open_many(
                &self,
                messages: &mut [$crate::aead::Message<'_, [u8; $nonce_len]>],
                opened: &mut [bool],
            ) -> Result<(), $crate::Error> {
                $crate::aead::Aead::open_many(self, messages, opened)
            }

            /// Encrypts the slices of `plaintext`, one after the other, into `output`: the ciphertext, then
            /// the tag.
            ///
            /// # Errors
            /// [`Error::WrongLength`](crate::Error::WrongLength) unless `output` is exactly as long as the
            /// text and the tag, [`Error::InputTooLong`](crate::Error::InputTooLong) as for
            /// [`seal`](Self::seal).
            pub fn seal_to(
                &self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                plaintext: &[&[u8]],
                output: &mut [u8],
            ) -> Result<(), $crate::Error> {
                $crate::aead::Aead::seal_to(self, nonce, aad, plaintext, output)
            }

            /// Decrypts `sealed`, a ciphertext and its tag, into `output`.
            ///
            /// # Errors
            /// [`Error::AuthenticationFailed`](crate::Error::AuthenticationFailed): `output` was wiped.
            /// [`Error::WrongLength`](crate::Error::WrongLength) unless `output` has the text's length, or if
            /// `sealed` is shorter than a tag. [`Error::InputTooLong`](crate::Error::InputTooLong) as for
            /// [`seal`](Self::seal).
            pub fn open_to(
                &self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                sealed: &[u8],
                output: &mut [u8],
            ) -> Result<(), $crate::Error> {
                $crate::aead::Aead::open_to(self, nonce, aad, sealed, output)
            }

            /// Encrypts `plaintext` and appends it to `output`: the ciphertext, then the tag.
            ///
            /// # Errors
            /// [`Error::InputTooLong`](crate::Error::InputTooLong) as for [`seal`](Self::seal); `output` is
            /// unchanged.
            #[cfg(feature = "alloc")]
            pub fn seal_append(
                &self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                plaintext: &[u8],
                output: &mut alloc::vec::Vec<u8>,
            ) -> Result<(), $crate::Error> {
                $crate::aead::Aead::seal_append(self, nonce, aad, plaintext, output)
            }

            /// Decrypts `sealed`, a ciphertext and its tag, and appends the text to `output`.
            ///
            /// # Errors
            /// [`Error::AuthenticationFailed`](crate::Error::AuthenticationFailed),
            /// [`Error::WrongLength`](crate::Error::WrongLength) if `sealed` is shorter than a tag, or
            /// [`Error::InputTooLong`](crate::Error::InputTooLong) as for [`seal`](Self::seal); `output` is
            /// unchanged.
            #[cfg(feature = "alloc")]
            pub fn open_append(
                &self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                sealed: &[u8],
                output: &mut alloc::vec::Vec<u8>,
            ) -> Result<(), $crate::Error> {
                $crate::aead::Aead::open_append(self, nonce, aad, sealed, output)
            }
        }

        impl zeroize::ZeroizeOnDrop for $Aead {}

        impl core::fmt::Debug for $Aead {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($Aead)).finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use methods;

/// Defines the methods of [`RandomNonces`] as inherent methods.
macro_rules! random_nonces {
    ($($Aead:ident)+) => { $(
        #[cfg(feature = "getrandom")]
        impl $crate::aead::Random for $Aead {}
        #[cfg(feature = "getrandom")]
        impl $crate::aead::RandomNonces for $Aead {}

        /// Random nonces, which the library makes and puts in front of the message. Needs the feature
        /// `getrandom`.
        #[cfg(feature = "getrandom")]
        impl $Aead {
            /// Encrypts `text` under a random nonce into `output`: the nonce, the ciphertext, the tag.
            ///
            /// # Errors
            /// [`Error::WrongLength`](crate::Error::WrongLength) unless `output` is exactly as long as these
            /// three. [`Error::NoRandomness`](crate::Error::NoRandomness) if the operating system has no
            /// random bytes. [`Error::InputTooLong`](crate::Error::InputTooLong) as for the other methods.
            pub fn seal_random(
                &self,
                aad: &[u8],
                text: &[u8],
                output: &mut [u8],
            ) -> Result<(), $crate::Error> {
                $crate::aead::RandomNonces::seal_random(self, aad, text, output)
            }

            /// Decrypts `sealed`, what [`seal_random`](Self::seal_random) wrote, into `output`.
            ///
            /// # Errors
            /// [`Error::AuthenticationFailed`](crate::Error::AuthenticationFailed): `output` was wiped.
            /// [`Error::WrongLength`](crate::Error::WrongLength) unless `output` has the text's length, or if
            /// `sealed` is shorter than a nonce and a tag.
            /// [`Error::InputTooLong`](crate::Error::InputTooLong) as for the other methods.
            pub fn open_random(
                &self,
                aad: &[u8],
                sealed: &[u8],
                output: &mut [u8],
            ) -> Result<(), $crate::Error> {
                $crate::aead::RandomNonces::open_random(self, aad, sealed, output)
            }

            /// As [`seal_random`](Self::seal_random), into a new vector.
            ///
            /// # Errors
            /// [`Error::NoRandomness`](crate::Error::NoRandomness) and
            /// [`Error::InputTooLong`](crate::Error::InputTooLong) as for `seal_random`.
            #[cfg(feature = "alloc")]
            pub fn seal_random_vec(
                &self,
                aad: &[u8],
                text: &[u8],
            ) -> Result<alloc::vec::Vec<u8>, $crate::Error> {
                $crate::aead::RandomNonces::seal_random_vec(self, aad, text)
            }

            /// As [`open_random`](Self::open_random), into a new vector.
            ///
            /// # Errors
            /// As for `open_random`: [`Error::AuthenticationFailed`](crate::Error::AuthenticationFailed),
            /// [`Error::WrongLength`](crate::Error::WrongLength) if `sealed` is shorter than a nonce and a
            /// tag, [`Error::InputTooLong`](crate::Error::InputTooLong).
            #[cfg(feature = "alloc")]
            pub fn open_random_vec(
                &self,
                aad: &[u8],
                sealed: &[u8],
            ) -> Result<alloc::vec::Vec<u8>, $crate::Error> {
                $crate::aead::RandomNonces::open_random_vec(self, aad, sealed)
            }
        }
    )+ };
}
pub(crate) use random_nonces;
