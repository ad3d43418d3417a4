//! Running hashes, HMAC and HKDF over a hash that is chosen at run time.

use super::algorithm::{Algorithm, ByCore, Digest, Sha1Core, Sha256Core, Sha512Core, by_core, map_core};
use crate::error::Error;
use crate::hash::compression::keyed::Keyed;
use crate::hash::compression::many;
use crate::hash::compression::running::Running;
use crate::hkdf;
use crate::hmac::joined::Joined;
use crate::hmac::state::{HEADER_LEN, check_header, header};
use crate::hmac::{VERIFY_BATCH, accept, check_tag_len, check_truncated_len};
use core::fmt;
use keylane_cpu::constant_time;
use keylane_cpu::wipe::{Secret, wipe};
use zeroize::ZeroizeOnDrop;

/// A running hash: as [`Hash`](crate::Hash), for an algorithm that is chosen at run time.
///
/// ```
/// use keylane::hash::{Algorithm, AnyHash};
///
/// let mut hash = AnyHash::new(Algorithm::Sha384);
/// hash.update(b"one part, ");
/// hash.update(b"and another");
/// let whole = Algorithm::Sha384.digest(b"one part, and another");
/// assert_eq!(hash.finalize().as_bytes(), whole.as_bytes());
/// ```
#[derive(Clone)]
pub struct AnyHash(Secret<HashState>);

#[derive(Clone)]
struct HashState {
    algorithm: Algorithm,
    running: ByCore<Running<Sha1Core>, Running<Sha256Core>, Running<Sha512Core>>,
}

impl AnyHash {
    /// Returns a hash that has absorbed nothing.
    #[must_use]
    pub fn new(algorithm: Algorithm) -> Self {
        let running = map_core!(algorithm.initial(), initial => Running::resume(*initial, 0));
        Self(Secret::new(HashState { algorithm, running }))
    }

    /// Returns the hash's algorithm.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.0.get().algorithm
    }

    /// Absorbs `data`. How the bytes are divided among calls does not change the digest.
    pub fn update(&mut self, data: &[u8]) {
        by_core!(&mut self.0.running, C, running => running.update(data));
    }

    /// Lets each hash absorb its own element of `data`: those of the first one's kind several at a time in
    /// the lanes of vector registers.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if there are more or fewer hashes than elements of `data`; nothing is absorbed.
    pub fn update_many<'a>(
        hashes: impl IntoIterator<Item = &'a mut Self, IntoIter: ExactSizeIterator>,
        data: &[impl AsRef<[u8]>],
    ) -> Result<(), Error> {
        let hashes = hashes.into_iter();
        Error::check_length("number of slices", hashes.len(), data.len())?;
        Self::update_each(&mut hashes.zip(data.iter().map(AsRef::as_ref)));
        Ok(())
    }

    fn update_each(pairs: &mut dyn Iterator<Item = (&mut Self, &[u8])>) {
        /// Selects the hashes of one kind, and updates the others one by one.
        macro_rules! of_kind {
            ($Kind:ident, $first:expr) => {
                Running::update_many(&mut $first.into_iter().chain(pairs).filter_map(|(hash, data)| {
                    match &mut hash.0.running {
                        ByCore::$Kind(running) => Some((running, data)),
                        other => {
                            by_core!(other, C, running => running.update(data));
                            None
                        }
                    }
                }))
            };
        }
        let Some(first) = pairs.next() else { return };
        match first.0.0.running {
            ByCore::Sha1(_) => of_kind!(Sha1, [first]),
            ByCore::Sha256(_) => of_kind!(Sha256, [first]),
            ByCore::Sha512(_) => of_kind!(Sha512, [first]),
        }
    }

    /// Writes the digests of everything absorbed, followed by each of the suffixes, to `out`, one after the
    /// other: as [`Hash::finalize_many`](crate::Hash::finalize_many).
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `out` does not have room for exactly one digest per suffix; `out` is
    /// unchanged.
    pub fn finalize_many(&self, suffixes: &[impl AsRef<[u8]>], out: &mut [u8]) -> Result<(), Error> {
        self.algorithm().check_many("length of the digests in bytes", suffixes.len(), out.len())?;
        self.finalize_each(&|i| suffixes[i].as_ref(), out);
        Ok(())
    }

    fn finalize_each<'a>(&self, suffix: &dyn Fn(usize) -> &'a [u8], out: &mut [u8]) {
        let len = self.algorithm().output_len();
        by_core!(&self.0.running, C, running => running.finish_many(len, suffix, out));
    }

    /// Returns the digest of everything absorbed.
    #[must_use]
    pub fn finalize(mut self) -> Digest {
        let algorithm = self.algorithm();
        by_core!(&mut self.0.running, C, running => Digest::of::<C>(algorithm, &running.finish()))
    }
}

/// A prepared key: as [`HmacKey`](crate::hmac::HmacKey), for an algorithm that is chosen at run time. Wiped
/// on drop.
///
/// ```
/// use keylane::hash::{Algorithm, AnyHmacKey};
///
/// let key = AnyHmacKey::new(Algorithm::Sha256, b"a key of any length");
/// let mut tags = [0; 3 * 32];
/// key.mac_many(&["one", "two", "and a longer one"], &mut tags)?; // several at once, in vector lanes
/// assert_eq!(tags[32..64], *key.mac(b"two").as_bytes());
/// key.verify_many(&["one", "two"], &[&tags[..32], &tags[32..64]])?;
/// # Ok::<(), keylane::Error>(())
/// ```
///
/// # Security
/// As [`HmacKey`](crate::hmac::HmacKey).
#[derive(Clone)]
pub struct AnyHmacKey(Secret<KeyState>);

#[derive(Clone)]
struct KeyState {
    algorithm: Algorithm,
    key: ByCore<Keyed<Sha1Core>, Keyed<Sha256Core>, Keyed<Sha512Core>>,
}

impl AnyHmacKey {
    /// Prepares a key of any length.
    #[must_use]
    pub fn new(algorithm: Algorithm, key: &[u8]) -> Self {
        let len = algorithm.output_len();
        let key = map_core!(algorithm.initial(), initial => Keyed::new(initial, len, key));
        Self(Secret::new(KeyState { algorithm, key }))
    }

    /// Returns the hash of this HMAC.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.0.get().algorithm
    }

    /// Returns the tag of `message`.
    #[must_use]
    pub fn mac(&self, message: &[u8]) -> Digest {
        let algorithm = self.algorithm();
        by_core!(&self.0.key, C, key => {
            Digest::of::<C>(algorithm, &key.mac(algorithm.output_len(), message))
        })
    }

    /// Returns the tag of one message in several slices.
    #[must_use]
    pub fn mac_parts(&self, parts: &[&[u8]]) -> Digest {
        self.mac_between(&[], parts, &[])
    }

    fn mac_between(&self, head: &[u8], parts: &[&[u8]], tail: &[u8]) -> Digest {
        let mut joined = Joined::new();
        if let Some(message) = joined.join(head, parts, tail) {
            return self.mac(message);
        }
        let mut inner = self.start_inner();
        inner.update(head);
        for part in parts {
            inner.update(part);
        }
        inner.update(tail);
        self.finish(&mut inner)
    }

    /// Computes the tags of several messages, several at a time in the lanes of vector registers, and writes
    /// them to `tags`, one after the other. Lengths may differ.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `tags` does not have room for exactly one tag per message; `tags` is
    /// unchanged.
    pub fn mac_many(&self, messages: &[impl AsRef<[u8]>], tags: &mut [u8]) -> Result<(), Error> {
        self.algorithm().check_many("length of the tags in bytes", messages.len(), tags.len())?;
        self.compute_each(&|i| (self, messages[i].as_ref()), tags);
        Ok(())
    }

    /// As [`hmac::mac_each`](crate::hmac::mac_each), with keys of one algorithm. Writes the tags one after
    /// the other.
    ///
    /// ```
    /// use keylane::hash::{Algorithm, AnyHmacKey};
    ///
    /// let [one, two] = [b"one key", b"another"].map(|key| AnyHmacKey::new(Algorithm::Sha256, key));
    /// let mut tags = [0; 2 * 32];
    /// AnyHmacKey::mac_each(&[(&one, b"a message"), (&two, b"and one more")], &mut tags)?;
    /// assert_eq!(tags[32..], *two.mac(b"and one more").as_bytes());
    /// # Ok::<(), keylane::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] if the keys are not of one algorithm; [`Error::WrongLength`] if `tags`
    /// does not have room for exactly one tag per job. `tags` is unchanged.
    pub fn mac_each(jobs: &[(&Self, &[u8])], tags: &mut [u8]) -> Result<(), Error> {
        const WHAT: &str = "length of the tags in bytes";
        let Some((first, _)) = jobs.first() else { return Error::check_length(WHAT, 0, tags.len()) };
        let algorithm = first.algorithm();
        if jobs.iter().any(|(key, _)| key.algorithm() != algorithm) {
            return Err(Error::InvalidParameter { what: "keys: of more than one algorithm" });
        }
        algorithm.check_many(WHAT, jobs.len(), tags.len())?;
        first.compute_each(&|i| jobs[i], tags);
        Ok(())
    }

    /// Fills `tags` with tags. The keys are of this one's algorithm.
    fn compute_each<'a>(&self, job: &dyn Fn(usize) -> (&'a Self, &'a [u8]), tags: &mut [u8]) {
        let len = self.algorithm().output_len();
        macro_rules! of_kind {
            ($Kind:ident) => {{
                let job = |i| match job(i) {
                    (AnyHmacKey(key), message) => match &key.key {
                        ByCore::$Kind(key) => (key, message),
                        _ => unreachable!("keys of one algorithm"),
                    },
                };
                many::mac_each(len, &job, tags);
            }};
        }
        match &self.0.key {
            ByCore::Sha1(_) => of_kind!(Sha1),
            ByCore::Sha256(_) => of_kind!(Sha256),
            ByCore::Sha512(_) => of_kind!(Sha512),
        }
    }

    /// Verifies the tag of `message`, all of it. The time does not depend on where a wrong tag differs.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if the tag does not have the full length, [`Error::AuthenticationFailed`] if it
    /// is wrong.
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        check_tag_len(self.algorithm().output_len(), tag)?;
        accept(constant_time::equal(self.mac(message).as_bytes(), tag))
    }

    /// As [`verify`](Self::verify), for a tag truncated to its leftmost bytes: at least 10, at most all.
    ///
    /// # Security
    /// The protocol must determine the length, not the sender: see
    /// [`HmacKey::verify_truncated`](crate::hmac::HmacKey::verify_truncated).
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    pub fn verify_truncated(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        check_truncated_len(self.algorithm().output_len(), tag)?;
        accept(constant_time::equal(&self.mac(message).as_bytes()[..tag.len()], tag))
    }

    /// Verifies the tags of several messages, computed in parallel. If any tag is wrong, the whole call fails
    /// without saying which, and the time does not depend on which.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `messages` and `tags` differ in length, or a tag does not have the full
    /// length; [`Error::AuthenticationFailed`] if any tag is wrong.
    pub fn verify_many(&self, messages: &[impl AsRef<[u8]>], tags: &[impl AsRef<[u8]>]) -> Result<(), Error> {
        Error::check_length("number of tags", messages.len(), tags.len())?;
        self.verify_each(messages.len(), &|i| messages[i].as_ref(), &|i| tags[i].as_ref())
    }

    fn verify_each<'a>(
        &self,
        total: usize,
        message: &dyn Fn(usize) -> &'a [u8],
        tag: &dyn Fn(usize) -> &'a [u8],
    ) -> Result<(), Error> {
        let len = self.algorithm().output_len();
        (0..total).try_for_each(|i| check_tag_len(len, tag(i)))?;
        let mut computed = [0; VERIFY_BATCH * Algorithm::MAX_OUTPUT_LEN];
        let mut good = true;
        for first in (0..total).step_by(VERIFY_BATCH) {
            let computed = &mut computed[..len * VERIFY_BATCH.min(total - first)];
            self.compute_each(&|i| (self, message(first + i)), computed);
            for (i, computed) in computed.chunks(len).enumerate() {
                good &= constant_time::equal(computed, tag(first + i));
            }
        }
        wipe(&mut computed);
        accept(good)
    }

    /// Begins the MAC of a message that arrives in pieces.
    #[must_use]
    pub fn start(&self) -> AnyHmac {
        AnyHmac { inner: self.start_inner(), key: self.clone() }
    }

    fn start_inner(&self) -> AnyHash {
        let running = map_core!(&self.0.key, key => key.start());
        AnyHash(Secret::new(HashState { algorithm: self.algorithm(), running }))
    }

    /// Returns the tag of what the inner hash has absorbed.
    fn finish(&self, inner: &mut AnyHash) -> Digest {
        let algorithm = self.algorithm();
        let len = algorithm.output_len();
        match (&self.0.key, &mut inner.0.running) {
            (ByCore::Sha1(key), ByCore::Sha1(inner)) => {
                Digest::of::<Sha1Core>(algorithm, &key.finish(len, inner))
            }
            (ByCore::Sha256(key), ByCore::Sha256(inner)) => {
                Digest::of::<Sha256Core>(algorithm, &key.finish(len, inner))
            }
            (ByCore::Sha512(key), ByCore::Sha512(inner)) => {
                Digest::of::<Sha512Core>(algorithm, &key.finish(len, inner))
            }
            _ => unreachable!("the key started the hash"),
        }
    }

    /// Returns the length in bytes of an exported key: 48 for SHA-1, 72 for SHA-256, 136 for SHA-512.
    #[must_use]
    pub const fn exported_len(algorithm: Algorithm) -> usize {
        HEADER_LEN
            + match algorithm.initial() {
                ByCore::Sha1(_) => size_of::<Keyed<Sha1Core>>(),
                ByCore::Sha256(_) => size_of::<Keyed<Sha256Core>>(),
                ByCore::Sha512(_) => size_of::<Keyed<Sha512Core>>(),
            }
    }

    /// Writes the prepared key to `out`: the bytes of [`HmacKeyState`](crate::hmac::HmacKeyState), as secret
    /// as the key.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless `out` has [`exported_len`](Self::exported_len) bytes.
    pub fn export(&self, out: &mut [u8]) -> Result<(), Error> {
        check_exported_len(self.algorithm(), out.len())?;
        let (head, rest) = out.split_at_mut(HEADER_LEN);
        head.copy_from_slice(&header(self.algorithm() as u8));
        by_core!(&self.0.key, C, key => key.store(rest));
        Ok(())
    }

    /// Restores a key that [`export`](Self::export) wrote for the same algorithm.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless there are [`exported_len`](Self::exported_len) bytes;
    /// [`Error::InvalidParameter`] if they name another algorithm, or none.
    pub fn import(algorithm: Algorithm, exported: &[u8]) -> Result<Self, Error> {
        check_exported_len(algorithm, exported.len())?;
        let states = check_header(algorithm as u8, exported)?;
        let key = map_core!(algorithm.initial(), _initial => Keyed::load(states));
        Ok(Self(Secret::new(KeyState { algorithm, key })))
    }
}

fn check_exported_len(algorithm: Algorithm, len: usize) -> Result<(), Error> {
    Error::check_length("length of the HMAC key state in bytes", AnyHmacKey::exported_len(algorithm), len)
}

/// A running MAC: as [`Hmac`](crate::hmac::Hmac), for an algorithm that is chosen at run time.
///
/// ```
/// use keylane::hash::{Algorithm, AnyHmac};
///
/// let mut mac = AnyHmac::new(Algorithm::Sha512, b"key");
/// mac.update(b"one piece, ");
/// mac.update(b"and another");
/// let tag = mac.finalize_reset();
/// mac.update(b"one piece, and another");
/// assert!(mac.verify(tag.as_bytes()).is_ok());
/// ```
#[derive(Clone)]
pub struct AnyHmac {
    key: AnyHmacKey,
    inner: AnyHash,
}

impl AnyHmac {
    /// Prepares a key of any length and begins a MAC. To use the key again, keep an [`AnyHmacKey`].
    #[must_use]
    pub fn new(algorithm: Algorithm, key: &[u8]) -> Self {
        AnyHmacKey::new(algorithm, key).start()
    }

    /// Returns the hash of this HMAC.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.key.algorithm()
    }

    /// Absorbs `data`. How the bytes are divided among calls does not change the tag.
    pub fn update(&mut self, data: &[u8]) {
        self.inner.update(data);
    }

    /// Lets each MAC absorb its own element of `data`, as [`AnyHash::update_many`]. The keys may differ.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if there are more or fewer MACs than elements of `data`; nothing is absorbed.
    pub fn update_many<'a>(
        macs: impl IntoIterator<Item = &'a mut Self, IntoIter: ExactSizeIterator>,
        data: &[impl AsRef<[u8]>],
    ) -> Result<(), Error> {
        AnyHash::update_many(macs.into_iter().map(|mac| &mut mac.inner), data)
    }

    /// Returns the tag of everything absorbed.
    #[must_use]
    pub fn finalize(mut self) -> Digest {
        self.key.finish(&mut self.inner)
    }

    /// Returns the tag of everything absorbed, and starts over with the same key.
    #[must_use]
    pub fn finalize_reset(&mut self) -> Digest {
        let tag = self.key.finish(&mut self.inner);
        self.reset();
        tag
    }

    /// Discards everything absorbed; the key stays.
    pub fn reset(&mut self) {
        self.inner = self.key.start_inner();
    }

    /// Verifies the tag of everything absorbed, all of it. The time does not depend on where a wrong tag
    /// differs.
    ///
    /// # Errors
    /// As [`AnyHmacKey::verify`].
    pub fn verify(self, tag: &[u8]) -> Result<(), Error> {
        check_tag_len(self.algorithm().output_len(), tag)?;
        accept(constant_time::equal(self.finalize().as_bytes(), tag))
    }
}

/// A pseudorandom key of HKDF: as [`Prk`](hkdf::Prk), for an algorithm that is chosen at run time. Wiped on
/// drop.
///
/// ```
/// use keylane::hash::{Algorithm, AnyPrk};
///
/// let prk = AnyPrk::extract(Algorithm::Sha256, b"salt", b"a shared secret");
/// let (mut client, mut server) = ([0; 32], [0; 32]);
/// prk.expand(&[b"client key"], &mut client)?;
/// prk.expand(&[b"server key"], &mut server)?;
/// assert_ne!(client, server);
/// # Ok::<(), keylane::Error>(())
/// ```
#[derive(Clone)]
pub struct AnyPrk(AnyHmacKey);

impl AnyPrk {
    /// Extracts a key from input keying material of any length and quality (RFC 5869 §2.2). If there is no
    /// salt, pass an empty one.
    #[must_use]
    pub fn extract(algorithm: Algorithm, salt: &[u8], ikm: &[u8]) -> Self {
        let prk = AnyHmacKey::new(algorithm, salt).mac(ikm);
        Self(AnyHmacKey::new(algorithm, prk.as_bytes()))
    }

    /// Prepares a key that is already pseudorandom.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if it is shorter than a digest (RFC 5869 §2.3).
    pub fn from_bytes(algorithm: Algorithm, prk: &[u8]) -> Result<Self, Error> {
        hkdf::check_prk_len(algorithm.output_len(), prk)?;
        Ok(Self(AnyHmacKey::new(algorithm, prk)))
    }

    /// Returns the hash of this HKDF.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.0.algorithm()
    }

    /// Fills `out` with the key derived for `info`, whose slices are read as one (RFC 5869 §2.3).
    ///
    /// # Errors
    /// [`Error::InputTooLong`] if `out` is longer than 255 digests; `out` is unchanged.
    pub fn expand(&self, info: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        hkdf::expand(self.algorithm().output_len(), out, &mut |previous, counter, out| {
            let block = self.0.mac_between(previous, info, counter);
            out.copy_from_slice(&block.as_bytes()[..out.len()]);
        })
    }
}

macro_rules! secret {
    ($($Any:ident)+) => { $(
        impl ZeroizeOnDrop for $Any {}

        impl fmt::Debug for $Any {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($Any), "({}) {{ .. }}"), self.algorithm())
            }
        }
    )+ };
}
secret!(AnyHash AnyHmacKey AnyHmac AnyPrk);

impl Algorithm {
    /// Writes the digests of the messages to `out`, one after the other. Several messages at a time are
    /// hashed in the lanes of vector registers. Their lengths may differ.
    ///
    /// ```
    /// use keylane::hash::Algorithm;
    ///
    /// let mut digests = [0; 2 * 32];
    /// Algorithm::Sha256.digest_many(&["abc", "a longer message"], &mut digests)?;
    /// assert_eq!(digests[..32], *Algorithm::Sha256.digest(b"abc").as_bytes());
    /// # Ok::<(), keylane::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `out` does not have room for exactly one digest per message; `out` is
    /// unchanged.
    pub fn digest_many(self, messages: &[impl AsRef<[u8]>], out: &mut [u8]) -> Result<(), Error> {
        AnyHash::new(self).finalize_many(messages, out)
    }
}
