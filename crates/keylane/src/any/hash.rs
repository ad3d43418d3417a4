//! `AnyHash` and its like, for a hash chosen at run time: one dispatch by its core.
#![allow(clippy::missing_errors_doc, reason = "those of the types without `Any`")]

use super::hash_kind::{ByCore, Digest, HashKind, Sha1Core, Sha256Core, Sha512Core, by_core};
use crate::error::Error;
use crate::hash::compression::{Compression as _, Context, context::pairs, many::mac_each};
use crate::hkdf::{check_prk_len, expand};
use crate::hmac::{Midstates, first_match, verify, verify_all, verify_truncated};
use keylane_cpu::wipe::Secret;

/// A running hash like [`Hasher`](crate::hash::Hasher), for an algorithm chosen at run time.
#[derive(Clone)]
#[must_use]
pub struct AnyHash {
    algorithm: HashKind,
    running: Secret<ByCore<Context<Sha1Core>, Context<Sha256Core>, Context<Sha512Core>>>,
}

impl AnyHash {
    /// Returns a hash that has absorbed nothing.
    pub fn new(algorithm: HashKind) -> Self {
        let running =
            Secret::new(by_core!(algorithm.variant(), C Of, it => Of(Context::resume(it.initial, 0))));
        Self { algorithm, running }
    }

    /// Absorbs `data`.
    pub fn update(&mut self, data: &[u8]) {
        by_core!(&mut *self.running, C Of, running => C::update(running, data));
    }

    /// Lets each hash absorb its own element of `data`, several side by side. Algorithms may differ.
    pub fn update_many<'a>(
        hashes: impl IntoIterator<Item = &'a mut Self, IntoIter: ExactSizeIterator>,
        data: &[impl AsRef<[u8]>],
    ) -> Result<(), Error> {
        let mut pairs = pairs(hashes.into_iter(), data)?.peekable();
        let Some((first, _)) = pairs.peek() else { return Ok(()) };
        by_core!(first.algorithm.variant(), C Of, _ => {
            C::update_many(&mut pairs.filter_map(|(hash, data)| match &mut *hash.running {
                Of(running) => Some((running, data)),
                other => by_core!(other, C Of, running => { C::update(running, data); None }),
            }));
        });
        Ok(())
    }

    /// Writes the digests of everything absorbed followed by each of the suffixes to `out`, one after the
    /// other.
    pub fn finalize_many(&self, suffixes: &[impl AsRef<[u8]>], out: &mut [u8]) -> Result<(), Error> {
        let len = self.algorithm.check_many(suffixes.len(), out.len())?;
        by_core!(&*self.running, C Of, it => it.finish_many(len, None, &|i| suffixes[i].as_ref(), out));
        Ok(())
    }

    /// Returns the digest of everything absorbed.
    pub fn finalize(mut self) -> Digest {
        by_core!(&mut *self.running, C Of, it => Digest::of::<C>(self.algorithm, &it.finish(None)))
    }
}

/// A prepared key like [`HmacKey`](crate::hmac::HmacKey), for an algorithm chosen at run time.
#[derive(Clone)]
#[must_use]
pub struct AnyHmacKey {
    algorithm: HashKind,
    key: Secret<ByCore<Midstates<Sha1Core>, Midstates<Sha256Core>, Midstates<Sha512Core>>>,
}

impl AnyHmacKey {
    /// Prepares a key of any length.
    pub fn new(algorithm: HashKind, key: &[u8]) -> Self {
        let key = by_core!(algorithm.variant(), C Of, it => Of(Midstates::new(it, key)));
        Self { algorithm, key: Secret::new(key) }
    }

    /// Returns the tag of `message`.
    pub fn mac(&self, message: &[u8]) -> Digest {
        let len = self.algorithm.output_len();
        by_core!(&*self.key, C Of, key => Digest::of::<C>(self.algorithm, &key.mac(len, message)))
    }

    /// Returns the tag of one message in several slices.
    pub fn mac_parts(&self, parts: &[&[u8]]) -> Digest {
        let len = self.algorithm.output_len();
        by_core!(&*self.key, C Of, it => Digest::of::<C>(self.algorithm, &it.mac_parts(len, &[], parts, &[])))
    }

    /// Writes the tags of several messages to `tags`, one after the other.
    pub fn mac_many(&self, messages: &[impl AsRef<[u8]>], tags: &mut [u8]) -> Result<(), Error> {
        let len = self.algorithm.check_many(messages.len(), tags.len())?;
        by_core!(&*self.key, C Of, it => mac_each::<C>(len, None, &|i| (it.states(), messages[i].as_ref()), tags));
        Ok(())
    }

    /// Writes the tags of several messages, each under its own key of the same algorithm, to `tags`.
    pub fn mac_each(jobs: &[(&Self, &[u8])], tags: &mut [u8]) -> Result<(), Error> {
        let algorithm = jobs.first().map_or(HashKind::Sha256, |(key, _)| key.algorithm);
        if jobs.iter().any(|(key, _)| key.algorithm != algorithm) {
            return Err(Error::InvalidParameter { what: "keys: their algorithms differ" });
        }
        let len = algorithm.check_many(jobs.len(), tags.len())?;
        by_core!(algorithm.variant(), C Of, _ => mac_each::<C>(len, None, &|i| match &*jobs[i].0.key {
            Of(key) => (key.states(), jobs[i].1),
            _ => unreachable!("keys of one algorithm"),
        }, tags));
        Ok(())
    }

    /// Verifies the tag of `message`, all of it, in constant time.
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        verify(self.algorithm.output_len(), tag, || self.mac(message))
    }

    /// Verifies a truncated tag. Read the section "Security" of
    /// [`HmacKey::verify_truncated`](crate::hmac::HmacKey::verify_truncated) first.
    pub fn verify_truncated(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        verify_truncated(self.algorithm.output_len(), tag, || self.mac(message))
    }

    /// Verifies the tags of several messages. If any is wrong, the whole call fails without saying which.
    pub fn verify_many(&self, messages: &[impl AsRef<[u8]>], tags: &[impl AsRef<[u8]>]) -> Result<(), Error> {
        let len = self.algorithm.output_len();
        let compute = |at, out: &mut [u8]| self.mac_many(&messages[at..][..out.len() / len], out);
        verify_all(len, messages.len(), tags, &|at, out| compute(at, out).expect("room for their tags"))
    }

    /// Returns the index of the first key that made one of `tags` for `message`, like
    /// [`hmac::verify_any`](crate::hmac::verify_any). The keys may be of different algorithms.
    pub fn verify_any<'a>(
        keys: impl IntoIterator<Item = &'a Self>,
        message: &[u8],
        tags: &[&[u8]],
    ) -> Result<usize, Error> {
        first_match(keys.into_iter().map(|key| key.mac(message)), tags)
    }

    /// Returns a running MAC, for a message that arrives in pieces.
    pub fn start(&self) -> AnyHmac {
        AnyHmac { inner: self.start_inner(), key: self.clone() }
    }

    fn start_inner(&self) -> AnyHash {
        let running = Secret::new(by_core!(&*self.key, C Of, key => Of(key.start())));
        AnyHash { algorithm: self.algorithm, running }
    }

    /// Returns the length in bytes of an exported key: 48 for SHA-1, 72 for SHA-256, 136 for SHA-512.
    #[must_use]
    pub const fn exported_len(algorithm: HashKind) -> usize {
        by_core!(algorithm.variant(), C Of, _ => Midstates::<C>::EXPORTED_LEN)
    }

    /// Writes the bytes of [`HmacKeyState`](crate::hmac::HmacKeyState), which are as secret as the key, to
    /// `out`.
    pub fn export(&self, out: &mut [u8]) -> Result<(), Error> {
        by_core!(&*self.key, C Of, key => key.export(self.algorithm as u8, out))
    }

    /// Restores a key that [`export`](Self::export) wrote for the same algorithm.
    pub fn import(algorithm: HashKind, state: &[u8]) -> Result<Self, Error> {
        let key = by_core!(algorithm.variant(), C Of, _ => Of(Midstates::import(algorithm as u8, state)?));
        Ok(Self { algorithm, key: Secret::new(key) })
    }
}

/// A running MAC like [`Hmac`](crate::hmac::Hmac), for an algorithm chosen at run time.
#[derive(Clone)]
#[must_use]
pub struct AnyHmac {
    key: AnyHmacKey,
    inner: AnyHash,
}

impl AnyHmac {
    /// Prepares a key of any length and begins a MAC. To use the key again, keep an [`AnyHmacKey`].
    pub fn new(algorithm: HashKind, key: &[u8]) -> Self {
        AnyHmacKey::new(algorithm, key).start()
    }

    /// Absorbs `data`.
    pub fn update(&mut self, data: &[u8]) {
        self.inner.update(data);
    }

    /// Lets each MAC absorb its own element of `data`, like [`AnyHash::update_many`]. The keys may differ.
    pub fn update_many<'a>(
        macs: impl IntoIterator<Item = &'a mut Self, IntoIter: ExactSizeIterator>,
        data: &[impl AsRef<[u8]>],
    ) -> Result<(), Error> {
        AnyHash::update_many(macs.into_iter().map(|mac| &mut mac.inner), data)
    }

    /// Returns the tag of everything absorbed.
    pub fn finalize(mut self) -> Digest {
        self.finish()
    }

    fn finish(&mut self) -> Digest {
        by_core!(&*self.key.key, C Of, key => match &mut *self.inner.running {
            Of(it) => Digest::of::<C>(self.key.algorithm, &key.finish(self.key.algorithm.output_len(), it)),
            _ => unreachable!("the key started the hash"),
        })
    }

    /// Returns the tag of everything absorbed, and starts over with the same key.
    pub fn finalize_reset(&mut self) -> Digest {
        let tag = self.finish();
        self.reset();
        tag
    }

    /// Discards everything absorbed; the key stays.
    pub fn reset(&mut self) {
        self.inner = self.key.start_inner();
    }

    /// Verifies the tag of everything absorbed, all of it, in constant time.
    pub fn verify(self, tag: &[u8]) -> Result<(), Error> {
        verify(self.algorithm().output_len(), tag, || self.finalize())
    }
}

/// A pseudorandom HKDF key like [`Prk`](crate::hkdf::Prk), for an algorithm chosen at run time.
#[derive(Clone)]
#[must_use]
pub struct AnyPrk(AnyHmacKey);

impl AnyPrk {
    /// Extracts a key from input keying material and a salt, which may be empty.
    pub fn extract(algorithm: HashKind, salt: &[u8], ikm: &[u8]) -> Self {
        Self(AnyHmacKey::new(algorithm, AnyHmacKey::new(algorithm, salt).mac(ikm).as_bytes()))
    }

    /// Prepares a key that is already pseudorandom.
    pub fn from_bytes(algorithm: HashKind, prk: &[u8]) -> Result<Self, Error> {
        check_prk_len(algorithm.output_len(), prk)?;
        Ok(Self(AnyHmacKey::new(algorithm, prk)))
    }

    /// Fills `out` with the key derived for `info`, whose slices count as one.
    pub fn expand(&self, info: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        by_core!(&*self.0.key, C Of, it => expand::<C>(it, self.algorithm().output_len(), info, out))
    }
}

macro_rules! secret {
    ($($Any:ident $(.$field:tt)+;)+) => { $(
        impl $Any {
            /// Returns the hash function.
            pub const fn algorithm(&self) -> HashKind {
                self$(.$field)+
            }
        }
        impl zeroize::ZeroizeOnDrop for $Any {}
        impl core::fmt::Debug for $Any {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!(stringify!($Any), "({}) {{ .. }}"), self.algorithm())
            }
        }
    )+ };
}
secret!(AnyHash.algorithm; AnyHmacKey.algorithm; AnyHmac.key.algorithm; AnyPrk.0.algorithm;);
