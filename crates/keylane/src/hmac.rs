//! HMAC (RFC 2104, FIPS 198-1) with a key that is prepared once.
//!
//! A prepared key consists of two midstates (together 64 bytes for SHA-256, 128 for SHA-512), which have
//! absorbed the padded key. A short message then costs two compressions, and nothing is allocated.
//!
//! ```
//! use keylane::hmac::HmacKey;
//! use keylane::sha2::Sha256;
//!
//! let key = HmacKey::<Sha256>::new(b"a key of any length");
//! let tag = key.mac(b"message");
//! assert!(key.verify(b"message", &tag).is_ok());
//! assert!(key.verify(b"massage", &tag).is_err());
//! ```

mod running;
mod short_message;
mod state;
#[cfg(test)]
mod tests;

pub use running::Hmac;
pub use state::HmacKeyState;

use crate::byte_array::ByteArray;
use crate::error::Error;
use crate::hash::compression::many::{self, Plan};
use crate::hash::compression::{Compression, Context, Kernel as _, Outer, Variant, context};
use crate::hash::{Hash, output};
#[cfg(feature = "getrandom")]
use crate::random;
#[cfg(feature = "getrandom")]
pub use crate::random::RandomKey;
use core::fmt;
use keylane_cpu::constant_time::{declassify, equal};
use keylane_cpu::wipe::{Secret, wipe};
use short_message::ShortMessage;
use zeroize::ZeroizeOnDrop;

/// The minimum length of a tag for [`HmacKey::verify_truncated`]: 80 bits, as RFC 2104 §5 recommends.
const MIN_TAG_LEN: usize = 10;

/// The number of tags that are verified at a time.
const VERIFY_BATCH: usize = 32;

/// The maximum length of a tag in bytes.
const MAX_TAG_LEN: usize = 64;

/// RFC 2104's inner padding byte, and its XOR with the outer one (0x5c).
pub(crate) const INNER: u8 = 0x36;
pub(crate) const INNER_TO_OUTER: u8 = 0x36 ^ 0x5c;

/// The states of HMAC's inner and outer hash after their blocks of the key. Wiped on drop.
///
/// The hash's [`Variant`], or its digest's length, is an argument of the methods.
#[derive(Clone)]
pub(crate) struct Midstates<C: Compression> {
    inner: Secret<C::State>,
    outer: Secret<C::State>,
}

impl<C: Compression> Midstates<C> {
    /// Prepares a key of any length.
    #[inline(never)]
    pub(crate) fn new(variant: &Variant<C>, key: &[u8]) -> Self {
        let mut block = C::Block::ZERO;
        if key.len() <= C::BLOCK_LEN {
            // A copy would be a call, whose code may not be in the cache.
            block.as_mut().iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        } else {
            put_digest(block.as_mut(), variant, key);
        }
        // This uses the code that finishes messages, which is then in the cache.
        let kernel = C::chosen();
        let state = || Secret::new(variant.initial);
        let mut midstates = Self { inner: state(), outer: state() };
        for (state, pad) in [(&mut midstates.inner, INNER), (&mut midstates.outer, INNER_TO_OUTER)] {
            block.as_mut().iter_mut().for_each(|byte| *byte ^= pad);
            kernel.compress(state, core::slice::from_ref(&block));
        }
        wipe(&mut block);
        midstates
    }

    #[inline]
    pub(crate) fn states(&self) -> [&C::State; 2] {
        [&self.inner, &self.outer]
    }

    /// Returns a state that begins with the tag.
    #[inline]
    pub(crate) fn mac(&self, digest_len: usize, message: &[u8]) -> C::State {
        let mut state = *self.inner;
        let length = (C::BLOCK_LEN + message.len()) as u64;
        C::chosen().finish(&mut state, message, length, Some(&self.outer(digest_len)));
        state
    }

    /// Computes [`mac`](Self::mac) for several slices, with one before them and one after them.
    pub(crate) fn mac_parts(&self, digest_len: usize, head: &[u8], parts: &[&[u8]], tail: &[u8]) -> C::State {
        let mut joined = ShortMessage::new();
        if let Some(message) = joined.join(head, parts, tail) {
            return self.mac(digest_len, message);
        }
        let mut inner = self.start();
        C::update(&mut inner, head);
        for part in parts {
            C::update(&mut inner, part);
        }
        C::update(&mut inner, tail);
        self.finish(digest_len, &mut inner)
    }

    /// Returns the inner hash, which has absorbed its block of the key.
    #[inline]
    pub(crate) fn start(&self) -> Context<C> {
        Context::resume(*self.inner, C::BLOCK_LEN as u64)
    }

    /// Returns a state that begins with the tag of what `inner` has absorbed.
    pub(crate) fn finish(&self, digest_len: usize, inner: &mut Context<C>) -> C::State {
        inner.finish(Some(&self.outer(digest_len)))
    }

    #[inline]
    fn outer(&self, digest_len: usize) -> Outer<'_, C> {
        Outer { state: &self.outer, digest_len }
    }
}

impl<C: Compression> ZeroizeOnDrop for Midstates<C> {}

/// Writes the digest of a key that is longer than a block.
#[cold]
#[inline(never)]
fn put_digest<C: Compression>(out: &mut [u8], variant: &Variant<C>, key: &[u8]) {
    let mut state = context::digest::<C>(&variant.initial, key);
    C::store(&state, &mut out[..variant.digest_len]);
    wipe(&mut state);
}

/// A prepared key. Threads can share it. Wiped on drop.
///
/// ```
/// use keylane::{hmac::HmacKey, sha2::Sha256};
///
/// let key = HmacKey::<Sha256>::new(b"a key of any length");
/// let mut tags = [[0; 32]; 3];
/// key.mac_many(&["one", "two", "and a longer one"], &mut tags)?; // several at once, in vector lanes
/// assert_eq!(tags[1], key.mac(b"two"));
/// assert_eq!(tags[2], key.mac_parts(&[b"and ", b"a longer one"]));
///
/// key.verify_many(&["one", "two"], &[&tags[0], &tags[1]])?;
/// assert!(key.verify_many(&["one", "two"], &[&tags[1], &tags[0]]).is_err());
/// # Ok::<(), keylane::Error>(())
/// ```
///
/// # Security
/// Anyone who has the midstates can make tags: guard them like the key. A key shorter than the digest weakens
/// HMAC; a key longer than a block is hashed first, as the standard says.
#[derive(Clone)]
pub struct HmacKey<H: Hash>(Midstates<H::Core>);

impl<H: Hash> HmacKey<H> {
    /// Prepares a key of any length.
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        Self(Midstates::new(H::VARIANT, key))
    }

    /// Returns a random key as long as a digest. Store it to verify tags later. Needs the feature
    /// `getrandom`.
    ///
    /// ```
    /// # fn main() -> Result<(), keylane::Error> {
    /// use keylane::{hmac::HmacKey, sha2::Sha256};
    ///
    /// let key = HmacKey::<Sha256>::new(&HmacKey::<Sha256>::generate_key()?); // for the life of this process
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NoRandomness`] if the operating system provides no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn generate_key() -> Result<RandomKey<H::Output>, Error> {
        random::key().map(RandomKey)
    }

    /// Returns the tag of `message` (RFC 2104 §2), which is as long as a digest: 32 bytes with SHA-256.
    ///
    /// With SHA-256, a message of up to 55 bytes costs two runs of the compression function, and each further
    /// 64 bytes one more. Use [`mac_parts`](Self::mac_parts) for a message in several slices,
    /// [`start`](Self::start) for one that arrives in pieces, and [`mac_many`](Self::mac_many) for many
    /// messages.
    ///
    /// ```
    /// use keylane::{hmac::HmacKey, sha2::Sha256};
    ///
    /// let key = HmacKey::<Sha256>::new(&[0x0b; 20]);
    /// let tag = key.mac(b"Hi There"); // RFC 4231 §4.2
    /// assert_eq!(tag[..4], [0xb0, 0x34, 0x4c, 0x61]);
    /// assert!(key.verify(b"Hi There", &tag).is_ok());
    /// ```
    ///
    /// # Security
    /// Check received tags with [`verify`](Self::verify), not with `==`, whose time reveals the position of
    /// the first wrong byte. A tag does not prove when a message was made: a message that is sent again
    /// passes again, unless it contains a number or a time.
    #[inline]
    #[must_use]
    pub fn mac(&self, message: &[u8]) -> H::Output {
        output::<H::Core, _>(&self.0.mac(H::OUTPUT_LEN, message))
    }

    /// Returns the tag of one message, given in several slices.
    #[must_use]
    pub fn mac_parts(&self, parts: &[&[u8]]) -> H::Output {
        output::<H::Core, _>(&self.0.mac_parts(H::OUTPUT_LEN, &[], parts, &[]))
    }

    pub(crate) fn midstates(&self) -> &Midstates<H::Core> {
        &self.0
    }

    /// Writes the messages' tags to `tags`. Several messages at a time are processed side by side where that
    /// is faster. Their lengths may differ.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `messages` and `tags` differ in length; `tags` is unchanged.
    #[inline]
    pub fn mac_many(&self, messages: &[impl AsRef<[u8]>], tags: &mut [H::Output]) -> Result<(), Error> {
        Error::check_length("number of tags", messages.len(), tags.len())?;
        // The outer hash absorbs a block more.
        let batch = |plan, tags: &mut [_]| self.compute(messages, Some(plan), H::Output::flatten(tags));
        many::fill::<H::Core, _>(messages, H::BLOCK_LEN, tags, batch, |message| self.mac(message));
        Ok(())
    }

    /// Fills `tags` with the tags of as many messages as it has room for.
    fn compute(&self, messages: &[impl AsRef<[u8]>], plan: Option<Plan>, tags: &mut [u8]) {
        many::mac_each::<H::Core>(H::OUTPUT_LEN, plan, &|i| (self.0.states(), messages[i].as_ref()), tags);
    }

    /// Verifies the whole tag of `message`. The time does not depend on where a wrong tag differs.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if the tag does not have the full length, [`Error::AuthenticationFailed`] if it
    /// is wrong.
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        verify(H::OUTPUT_LEN, tag, || self.mac(message))
    }

    /// Verifies a tag that was truncated to its first bytes, at least 10 (RFC 2104 §5).
    ///
    /// ```
    /// # let key = keylane::hmac::HmacKey::<keylane::sha2::Sha256>::new(b"key");
    /// # let (message, received) = (b"message", key.mac(b"message"));
    /// # let received = &received[..16];
    /// const TAG_LEN: usize = 16; // of this protocol
    /// let accepted = received.len() == TAG_LEN && key.verify_truncated(message, received).is_ok();
    /// # assert!(accepted);
    /// ```
    ///
    /// # Security
    /// Each byte less makes a guess 256 times as likely to be right. The protocol must determine the length,
    /// not the sender: check it first, or a forger will send 10 bytes.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless the tag has 10 bytes to all, [`Error::AuthenticationFailed`] if it is
    /// wrong.
    pub fn verify_truncated(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        verify_truncated(H::OUTPUT_LEN, tag, || self.mac(message))
    }

    /// Verifies the tags of several messages, computed in parallel. If any tag is wrong, the whole call
    /// fails, and neither the error nor the time reveals which. To learn which, use
    /// [`verify_many_into`](Self::verify_many_into).
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `messages` and `tags` differ in length, or a tag does not have the full
    /// length; [`Error::AuthenticationFailed`] if any tag is wrong.
    pub fn verify_many(&self, messages: &[impl AsRef<[u8]>], tags: &[impl AsRef<[u8]>]) -> Result<(), Error> {
        let compute = |first, out: &mut [u8]| self.compute(&messages[first..], None, out);
        verify_all(H::OUTPUT_LEN, messages.len(), tags, &compute)
    }

    /// Verifies the tags of several messages, computed in parallel, and writes to `verified` whether each is
    /// right. A tag that does not have the full length is wrong.
    ///
    /// ```
    /// # let key = keylane::hmac::HmacKey::<keylane::sha2::Sha256>::new(b"key");
    /// let (tag, mut verified) = (key.mac(b"two"), [false; 3]);
    /// assert!(key.verify_many_into(&["one", "two", "two"], &[&tag[..], &tag, b"junk"], &mut verified).is_err());
    /// assert_eq!(verified, [false, true, false]);
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `messages`, `tags` and `verified` differ in length; `verified` is unchanged.
    /// [`Error::AuthenticationFailed`] if any tag is wrong.
    pub fn verify_many_into(
        &self,
        messages: &[impl AsRef<[u8]>],
        tags: &[impl AsRef<[u8]>],
        verified: &mut [bool],
    ) -> Result<(), Error> {
        Error::check_length("number of tags", messages.len(), tags.len())?;
        Error::check_length("number of results", messages.len(), verified.len())?;
        let compute = |first, out: &mut [u8]| self.compute(&messages[first..], None, out);
        compare_all(H::OUTPUT_LEN, tags.len(), &|i| tags[i].as_ref(), &compute, &mut |i, right| {
            verified[i] = declassify(right);
        });
        all_right(verified)
    }

    /// Returns a running MAC, for a message that arrives in pieces.
    #[must_use]
    pub fn start(&self) -> Hmac<H> {
        Hmac::of(self.clone())
    }
}

/// Writes the tags of several messages, each under its own key, to `tags`. Several messages at a time are
/// processed side by side where that is faster. Their lengths may differ. For messages under one key, use
/// [`HmacKey::mac_many`].
///
/// ```
/// use keylane::hmac::{self, HmacKey};
/// use keylane::sha2::Sha256;
///
/// let tenants = [HmacKey::<Sha256>::new(b"one tenant's key"), HmacKey::new(b"another's")];
/// let mut tags = [[0; 32]; 2];
/// hmac::mac_each(&[(&tenants[0], b"a message"), (&tenants[1], b"and one more")], &mut tags)?;
/// assert_eq!(tags[1], tenants[1].mac(b"and one more"));
/// # Ok::<(), keylane::Error>(())
/// ```
///
/// # Security
/// To verify tags, call [`verify_each`], which compares in constant time.
///
/// # Errors
/// [`Error::WrongLength`] if `jobs` and `tags` differ in length; `tags` is unchanged.
pub fn mac_each<H: Hash>(jobs: &[(&HmacKey<H>, &[u8])], tags: &mut [H::Output]) -> Result<(), Error> {
    Error::check_length("number of tags", jobs.len(), tags.len())?;
    compute_each(jobs, H::Output::flatten(tags));
    Ok(())
}

/// Fills `tags` with the tags of as many messages as it has room for.
fn compute_each<H: Hash>(jobs: &[(&HmacKey<H>, &[u8])], tags: &mut [u8]) {
    many::mac_each::<H::Core>(H::OUTPUT_LEN, None, &|i| (jobs[i].0.0.states(), jobs[i].1), tags);
}

/// Verifies the tags of several messages, each under its own key, like [`HmacKey::verify_many`].
///
/// ```
/// # use keylane::{hmac::{self, HmacKey}, sha2::Sha256};
/// # let tenants = [HmacKey::<Sha256>::new(b"one tenant's key"), HmacKey::new(b"another's")];
/// # let received = [tenants[0].mac(b"a message"), tenants[1].mac(b"and one more")];
/// hmac::verify_each(&[(&tenants[0], b"a message"), (&tenants[1], b"and one more")], &received)?;
/// # Ok::<(), keylane::Error>(())
/// ```
///
/// # Errors
/// Those of [`HmacKey::verify_many`].
pub fn verify_each<H: Hash>(jobs: &[(&HmacKey<H>, &[u8])], tags: &[impl AsRef<[u8]>]) -> Result<(), Error> {
    verify_all(H::OUTPUT_LEN, jobs.len(), tags, &|first, out| compute_each(&jobs[first..], out))
}

/// Returns the index of the first key that made one of `tags` for `message`, for rotated secrets and for
/// senders that sign with both the old and the new secret. A tag that does not have the full length is wrong.
///
/// ```
/// use keylane::hmac::{self, HmacKey};
/// use keylane::sha2::Sha256;
///
/// let keys = [HmacKey::<Sha256>::new(b"this year's secret"), HmacKey::new(b"last year's secret")];
/// let received = HmacKey::<Sha256>::new(b"last year's secret").mac(b"a message");
/// assert_eq!(hmac::verify_any(&keys, b"a message", &[&received]), Ok(1));
/// assert!(hmac::verify_any(&keys, b"another", &[&received]).is_err());
/// ```
///
/// # Security
/// Each tag is compared in constant time. The number of tags and keys tried is not hidden: the time reveals
/// which key matched, as the result does.
///
/// # Errors
/// [`Error::AuthenticationFailed`] if no key made any of the tags, or if there are no keys or no tags.
pub fn verify_any<H: Hash>(keys: &[HmacKey<H>], message: &[u8], tags: &[&[u8]]) -> Result<usize, Error> {
    first_match(keys.iter().map(|key| key.mac(message)), tags)
}

/// Returns the index of the first of `macs` that is one of `tags`.
pub(crate) fn first_match<T: AsRef<[u8]>>(
    macs: impl IntoIterator<Item = T>,
    tags: &[&[u8]],
) -> Result<usize, Error> {
    let made = |mac: T| tags.iter().any(|tag| verify(mac.as_ref().len(), tag, || &mac).is_ok());
    macs.into_iter().position(made).ok_or(Error::AuthenticationFailed)
}

/// A function that fills its second argument with tags, beginning with the message of this index.
type Compute<'a> = &'a dyn Fn(usize, &mut [u8]);

/// Fails unless there is a tag for each message, and it is the one that `compute` fills in.
pub(crate) fn verify_all(
    tag_len: usize,
    messages: usize,
    tags: &[impl AsRef<[u8]>],
    compute: Compute<'_>,
) -> Result<(), Error> {
    Error::check_length("number of tags", messages, tags.len())?;
    tags.iter().try_for_each(|tag| check_tag_len(tag_len, tag.as_ref()))?;
    let mut good = true;
    compare_all(tag_len, tags.len(), &|i| tags[i].as_ref(), compute, &mut |_, right| good &= right);
    accept(good)
}

/// Calls `each` with every index and whether that tag is right.
fn compare_all<'a>(
    tag_len: usize,
    total: usize,
    tag: &dyn Fn(usize) -> &'a [u8],
    compute: Compute<'_>,
    each: &mut dyn FnMut(usize, bool),
) {
    let mut computed = Secret::new([0; VERIFY_BATCH * MAX_TAG_LEN]);
    for first in (0..total).step_by(VERIFY_BATCH) {
        let computed = &mut computed[..tag_len * VERIFY_BATCH.min(total - first)];
        compute(first, computed);
        for (i, computed) in (first..).zip(computed.chunks(tag_len)) {
            each(i, equal(computed, tag(i)));
        }
    }
}

/// Fails unless every result is `true`.
pub(crate) fn all_right(verified: &[bool]) -> Result<(), Error> {
    accept(verified.iter().all(|&right| right))
}

fn check_tag_len(output_len: usize, tag: &[u8]) -> Result<(), Error> {
    Error::check_length("length of the tag in bytes", output_len, tag.len())
}

/// Fails unless `tag` is the whole tag that `mac` computes.
#[inline]
pub(crate) fn verify<T: AsRef<[u8]>>(
    tag_len: usize,
    tag: &[u8],
    mac: impl FnOnce() -> T,
) -> Result<(), Error> {
    check_tag_len(tag_len, tag)?;
    accept(equal(mac().as_ref(), tag))
}

/// Fails unless `tag` is the beginning of the tag that `mac` computes.
#[inline]
pub(crate) fn verify_truncated<T: AsRef<[u8]>>(
    tag_len: usize,
    tag: &[u8],
    mac: impl FnOnce() -> T,
) -> Result<(), Error> {
    Error::check_range("length of the tag in bytes", MIN_TAG_LEN, tag_len, tag.len())?;
    accept(equal(&mac().as_ref()[..tag.len()], tag))
}

pub(crate) fn accept(good: bool) -> Result<(), Error> {
    if declassify(good) { Ok(()) } else { Err(Error::AuthenticationFailed) }
}

impl<H: Hash> ZeroizeOnDrop for HmacKey<H> {}

impl<H: Hash> fmt::Debug for HmacKey<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HmacKey<{}> {{ .. }}", H::NAME)
    }
}
