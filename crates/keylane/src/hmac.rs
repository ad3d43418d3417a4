//! HMAC (RFC 2104, FIPS 198-1) with a key that is prepared once.
//!
//! To prepare a key, its two padded blocks are absorbed. The resulting two midstates are the prepared key: 64
//! bytes for SHA-256, 128 for SHA-512. A short message then costs two compressions, and nothing is allocated.
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

pub(crate) mod joined;
pub(crate) mod state;
#[cfg(test)]
mod tests;

pub use state::HmacKeyState;

use crate::error::Error;
use crate::hash::function::Hash;
#[cfg(feature = "getrandom")]
use crate::random;
use core::fmt;
use joined::Joined;
use keylane_cpu::constant_time::{declassify, equal};
use zeroize::ZeroizeOnDrop;
#[cfg(feature = "getrandom")]
use zeroize::{Zeroize, Zeroizing};

/// The minimum length of a tag for [`HmacKey::verify_truncated`]: 80 bits, as RFC 2104 §5 recommends.
const MIN_TAG_LEN: usize = 10;

/// The number of tags that [`HmacKey::verify_many`] and [`verify_each`] compute at a time.
pub(crate) const VERIFY_BATCH: usize = 32;

/// A prepared key: two midstates. Wiped on drop. Threads can share it.
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
/// With the midstates, anyone can make tags: guard them like the key. Keys shorter than the digest weaken
/// HMAC; keys longer than a block are hashed first, as the standard says.
#[derive(Clone)]
pub struct HmacKey<H: Hash>(H::Keyed);

impl<H: Hash> HmacKey<H> {
    /// Prepares a key of any length.
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        Self(H::keyed(key))
    }

    /// Returns a random key as long as a digest, to be kept. It is wiped when dropped. Needs the feature
    /// `getrandom`.
    ///
    /// # Errors
    /// [`Error::NoRandomness`] if the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn generate_key() -> Result<Zeroizing<H::Output>, Error>
    where
        H::Output: Zeroize,
    {
        random::key(H::digest(&[]))
    }

    /// Returns the tag of `message`.
    #[inline]
    #[must_use]
    pub fn mac(&self, message: &[u8]) -> H::Output {
        H::mac(&self.0, message)
    }

    /// Returns the tag of one message in several slices.
    #[must_use]
    pub fn mac_parts(&self, parts: &[&[u8]]) -> H::Output {
        self.mac_between(&[], parts, &[])
    }

    /// As [`mac_parts`](Self::mac_parts), with a slice before the others and one after them.
    pub(crate) fn mac_between(&self, head: &[u8], parts: &[&[u8]], tail: &[u8]) -> H::Output {
        let mut joined = Joined::new();
        if let Some(message) = joined.join(head, parts, tail) {
            return self.mac(message);
        }
        let mut inner = H::start_mac(&self.0);
        inner.update(head);
        for part in parts {
            inner.update(part);
        }
        inner.update(tail);
        inner.finish_mac(&self.0)
    }

    /// Computes the tags of several messages, several at a time in the lanes of vector registers. Lengths may
    /// differ.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `messages` and `tags` differ in length; `tags` is unchanged.
    pub fn mac_many(&self, messages: &[impl AsRef<[u8]>], tags: &mut [H::Output]) -> Result<(), Error> {
        Error::check_length("number of tags", messages.len(), tags.len())?;
        // The outer hash absorbs a block more.
        let lens = messages.iter().map(|message| H::BLOCK_LEN + message.as_ref().len());
        if H::gain(messages.len(), lens.fold(0, usize::saturating_add)) {
            H::mac_each(&|i| (&self.0, messages[i].as_ref()), tags);
        } else {
            messages.iter().zip(tags).for_each(|(message, tag)| *tag = self.mac(message.as_ref()));
        }
        Ok(())
    }

    /// Verifies the tag of `message`, all of it. The time does not depend on where a wrong tag differs.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if the tag does not have the full length, [`Error::AuthenticationFailed`] if it
    /// is wrong.
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        check_tag_len(H::OUTPUT_LEN, tag)?;
        accept(equal(self.mac(message).as_ref(), tag))
    }

    /// As [`verify`](Self::verify), for a tag truncated to its leftmost bytes: at least 10, at most all.
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
    /// not the sender: check it first, or a forger will send ten bytes.
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    pub fn verify_truncated(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        check_truncated_len(H::OUTPUT_LEN, tag)?;
        accept(equal(&self.mac(message).as_ref()[..tag.len()], tag))
    }

    /// Verifies the tags of several messages, computed in parallel. If any tag is wrong, the whole call fails
    /// without saying which, and the time does not depend on which.
    /// [`verify_many_into`](Self::verify_many_into) says which.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `messages` and `tags` differ in length, or a tag does not have the full
    /// length; [`Error::AuthenticationFailed`] if any tag is wrong.
    pub fn verify_many(&self, messages: &[impl AsRef<[u8]>], tags: &[impl AsRef<[u8]>]) -> Result<(), Error> {
        Error::check_length("number of tags", messages.len(), tags.len())?;
        verify_all::<H>(messages.len(), &|i| (&self.0, messages[i].as_ref()), &|i| tags[i].as_ref())
    }

    /// Verifies the tags of several messages, computed in parallel, and writes to `verified` for each whether
    /// its tag is right. A tag that does not have the full length is wrong.
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
        check_numbers(messages.len(), tags.len(), verified)?;
        let (job, tag) = (|i| (&self.0, AsRef::as_ref(&messages[i])), |i| AsRef::as_ref(&tags[i]));
        compare_all::<H>(messages.len(), &job, &tag, &mut |i, equal| verified[i] = declassify(equal));
        all_right(verified)
    }

    /// Begins the MAC of a message that arrives in pieces.
    #[must_use]
    pub fn start(&self) -> Hmac<H> {
        Hmac { inner: H::start_mac(&self.0), key: self.clone() }
    }
}

/// Computes the tags of several messages, each under its own key, several at a time in the lanes of vector
/// registers. Lengths may differ. For messages under one key, there is [`HmacKey::mac_many`].
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
    H::mac_each(&|i| (&jobs[i].0.0, jobs[i].1), tags);
    Ok(())
}

/// Verifies the tags of several messages, each under its own key, as [`HmacKey::verify_many`].
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
/// As [`HmacKey::verify_many`].
pub fn verify_each<H: Hash>(jobs: &[(&HmacKey<H>, &[u8])], tags: &[impl AsRef<[u8]>]) -> Result<(), Error> {
    Error::check_length("number of tags", jobs.len(), tags.len())?;
    verify_all::<H>(jobs.len(), &|i| (&jobs[i].0.0, jobs[i].1), &|i| tags[i].as_ref())
}

fn verify_all<'a, H: Hash>(
    total: usize,
    job: &dyn Fn(usize) -> (&'a H::Keyed, &'a [u8]),
    tag: &dyn Fn(usize) -> &'a [u8],
) -> Result<(), Error> {
    (0..total).try_for_each(|i| check_tag_len(H::OUTPUT_LEN, tag(i)))?;
    let mut good = true;
    compare_all::<H>(total, job, tag, &mut |_, equal| good &= equal);
    accept(good)
}

/// Calls `each` with every index and whether that tag is right.
fn compare_all<'a, H: Hash>(
    total: usize,
    job: &dyn Fn(usize) -> (&'a H::Keyed, &'a [u8]),
    tag: &dyn Fn(usize) -> &'a [u8],
    each: &mut dyn FnMut(usize, bool),
) {
    if total == 0 {
        return;
    }
    // Only a value of the type is needed: it is overwritten.
    let mut computed = [H::mac(job(0).0, &[]); VERIFY_BATCH];
    for first in (0..total).step_by(VERIFY_BATCH) {
        let computed = &mut computed[..VERIFY_BATCH.min(total - first)];
        H::mac_each(&|i| job(first + i), computed);
        for (i, computed) in (first..).zip(computed) {
            each(i, equal(computed.as_ref(), tag(i)));
        }
    }
}

/// Fails unless there are as many tags and results as messages.
fn check_numbers(messages: usize, tags: usize, verified: &[bool]) -> Result<(), Error> {
    Error::check_length("number of tags", messages, tags)?;
    Error::check_length("number of results", messages, verified.len())
}

/// Fails unless every result is `true`.
pub(crate) fn all_right(verified: &[bool]) -> Result<(), Error> {
    accept(verified.iter().all(|&right| right))
}

pub(crate) fn check_tag_len(output_len: usize, tag: &[u8]) -> Result<(), Error> {
    Error::check_length("length of the tag in bytes", output_len, tag.len())
}

pub(crate) fn check_truncated_len(output_len: usize, tag: &[u8]) -> Result<(), Error> {
    Error::check_range("length of the tag in bytes", MIN_TAG_LEN, output_len, tag.len())
}

pub(crate) fn accept(good: bool) -> Result<(), Error> {
    if declassify(good) { Ok(()) } else { Err(Error::AuthenticationFailed) }
}

impl<H: Hash<Keyed: ZeroizeOnDrop>> ZeroizeOnDrop for HmacKey<H> {}

impl<H: Hash> fmt::Debug for HmacKey<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HmacKey<{}> {{ .. }}", H::NAME)
    }
}

/// A running MAC.
///
/// ```
/// use keylane::hmac::{Hmac, HmacKey};
/// use keylane::sha2::Sha512;
///
/// let key = HmacKey::<Sha512>::new(b"key");
/// let mut mac = key.start();
/// mac.update(b"one piece, ");
/// mac.update(b"and another");
/// assert_eq!(mac.finalize_reset(), key.mac(b"one piece, and another"));
/// mac.update(b"the next message");
/// assert_eq!(mac.finalize(), key.mac(b"the next message"));
/// ```
#[derive(Clone)]
pub struct Hmac<H: Hash> {
    key: HmacKey<H>,
    /// The inner hash.
    inner: H,
}

impl<H: Hash> Hmac<H> {
    /// Prepares a key of any length and begins a MAC. To use the key again, keep a [`HmacKey`].
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        HmacKey::new(key).start()
    }

    /// Absorbs `data`. How the bytes are divided among calls does not change the tag.
    pub fn update(&mut self, data: &[u8]) {
        self.inner.update(data);
    }

    /// Lets each MAC absorb its own element of `data`, several at a time in the lanes of vector registers, as
    /// [`Hash::update_many`]. The keys may differ.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if there are more or fewer MACs than elements of `data`; nothing is absorbed.
    pub fn update_many<'a>(
        macs: impl IntoIterator<Item = &'a mut Self, IntoIter: ExactSizeIterator>,
        data: &[impl AsRef<[u8]>],
    ) -> Result<(), Error>
    where
        H: 'a,
    {
        H::update_many(macs.into_iter().map(|mac| &mut mac.inner), data)
    }

    /// Returns the tag of everything absorbed.
    #[must_use]
    pub fn finalize(self) -> H::Output {
        self.inner.finish_mac(&self.key.0)
    }

    /// Returns the tag of everything absorbed, and starts over with the same key.
    #[must_use]
    pub fn finalize_reset(&mut self) -> H::Output {
        core::mem::replace(&mut self.inner, H::start_mac(&self.key.0)).finish_mac(&self.key.0)
    }

    /// Discards everything absorbed; the key stays.
    pub fn reset(&mut self) {
        self.inner = H::start_mac(&self.key.0);
    }

    /// Verifies the tag of everything absorbed, all of it. The time does not depend on where a wrong tag
    /// differs.
    ///
    /// # Errors
    /// As [`HmacKey::verify`].
    pub fn verify(self, tag: &[u8]) -> Result<(), Error> {
        check_tag_len(H::OUTPUT_LEN, tag)?;
        accept(equal(self.finalize().as_ref(), tag))
    }
}

impl<H: Hash<Keyed: ZeroizeOnDrop> + ZeroizeOnDrop> ZeroizeOnDrop for Hmac<H> {}

impl<H: Hash> fmt::Debug for Hmac<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hmac<{}> {{ .. }}", H::NAME)
    }
}
