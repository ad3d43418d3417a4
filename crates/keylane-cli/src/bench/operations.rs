//! The measured operations of all primitives, with prepared keys.

use keylane::aead::{Aead, Algorithm, ByteArray};
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::aes_gcm::Gcm;
use keylane::aes_gcm_siv::GcmSiv;
use keylane::chacha20poly1305::ChaChaPoly;
use keylane::hash::{Hash, Hasher};
use keylane::hkdf::Prk;
use keylane::hmac::HmacKey;
use keylane::pbkdf2::{self, Job};
use keylane::poly1305::Poly1305;
use keylane::sha2::{Sha256, Sha512};
use std::array::from_fn;
use std::num::NonZeroU32;

/// The number of messages in a batch.
pub(crate) const BATCH: usize = 64;

/// The key, which operations truncate.
const KEY: [u8; 32] = [0x6b; 32];
/// Additional data of a TLS record's length.
const AAD: [u8; 13] = [0x61; 13];
const NONCE: [u8; 12] = [0x6e; 12];
const ITERATIONS: NonZeroU32 = NonZeroU32::new(1000).unwrap();
const PASSWORDS: usize = 8;
/// The length of a salt, for operations whose cost does not depend on it.
const SALT_LEN: usize = 16;

const FITS: &str = "lengths within the limits";

/// An operation of a primitive.
pub(crate) struct Operation {
    pub(crate) primitive: &'static str,
    pub(crate) name: &'static str,
    pub(crate) work: Work,
    pub(crate) prepare: fn() -> Run,
}

/// A call's work.
pub(crate) enum Work {
    /// A number of messages of one length.
    Messages { count: usize, len: usize },
    /// A number of units, side by side in some messages.
    Units { count: u32, unit: &'static str, messages: usize },
}

/// Runs the operation with a prepared key, any number of times.
pub(crate) type Run = Box<dyn FnMut(&mut Call<'_>)>;

/// One call of an operation.
pub(crate) struct Call<'a> {
    /// The messages, which ciphers process in place.
    pub(crate) data: &'a mut [u8],
    /// The length of each message of a batch.
    pub(crate) size: usize,
    /// Tags, digests and keys, for comparing implementations.
    pub(crate) answer: &'a mut [[u8; 64]; BATCH],
}

impl Call<'_> {
    fn messages(&self) -> [&[u8]; BATCH] {
        let mut messages = self.data.chunks(self.size);
        from_fn(|_| messages.next().unwrap_or_default())
    }

    fn answer(&mut self, results: &[impl AsRef<[u8]>]) {
        for (answer, result) in self.answer.iter_mut().zip(results) {
            let result = result.as_ref();
            answer[..result.len()].copy_from_slice(result);
        }
    }
}

const fn iterations(messages: usize) -> Work {
    Work::Units { count: ITERATIONS.get() * messages as u32, unit: "iteration", messages }
}

const LONG: Work = Work::Messages { count: 1, len: 16384 };
const SHORT: Work = Work::Messages { count: 1, len: 64 };
const MANY: Work = Work::Messages { count: BATCH, len: 64 };
const KEY_OF_42: Work = Work::Units { count: 1, unit: "key of 42 bytes", messages: 1 };

pub(crate) static ALL: [Operation; 15] = [
    Operation::new("sha256", "sha256", LONG, hash::<Sha256>),
    Operation::new("sha256", "sha256-many", MANY, hash_many::<Sha256>),
    Operation::new("sha512", "sha512", LONG, hash::<Sha512>),
    Operation::new("sha256", "hmac-sha256", SHORT, hmac::<Sha256>),
    Operation::new("sha256", "hmac-sha256-many", MANY, hmac_many::<Sha256>),
    Operation::new("sha256", "hkdf-sha256-expand", KEY_OF_42, hkdf::<Sha256>),
    Operation::new("sha256", "pbkdf2-hmac-sha256", iterations(1), pbkdf2::<Sha256>),
    Operation::new("sha512", "pbkdf2-hmac-sha512-many", iterations(PASSWORDS), pbkdf2_many::<Sha512>),
    Operation::new("aes-gcm", "aes-128-gcm-seal", LONG, seal::<Gcm<16>>),
    Operation::new("aes-gcm", "aes-256-gcm-seal", SHORT, seal::<Gcm<32>>),
    Operation::new("aes-gcm", "aes-256-gcm-seal", LONG, seal::<Gcm<32>>),
    Operation::new("aes-gcm-siv", "aes-256-gcm-siv-seal", LONG, seal::<GcmSiv<32>>),
    Operation::new("chacha20-poly1305", "chacha20-poly1305-seal", LONG, seal::<ChaChaPoly>),
    Operation::new("aes-ctr", "aes-256-ctr", LONG, aes_ctr),
    Operation::new("poly1305", "poly1305", LONG, poly1305),
];

impl Operation {
    const fn new(primitive: &'static str, name: &'static str, work: Work, prepare: fn() -> Run) -> Self {
        Self { primitive, name, work, prepare }
    }

    pub(crate) fn data_len(&self) -> usize {
        match self.work {
            Work::Messages { count, len } => count * len,
            Work::Units { .. } => SALT_LEN,
        }
    }
}

fn hash<H: Hash>() -> Run {
    Box::new(|call| call.answer(&[Hasher::<H::Function>::digest(call.data)]))
}

fn hash_many<H: Hash>() -> Run {
    let none = Hasher::<H::Function>::digest(&[]);
    Box::new(move |call| {
        let mut digests = [none; BATCH];
        Hasher::<H::Function>::digest_many(&call.messages(), &mut digests).expect(FITS);
        call.answer(&digests);
    })
}

fn hmac<H: Hash>() -> Run {
    let key = HmacKey::<H>::new(&KEY);
    Box::new(move |call| call.answer(&[key.mac(call.data)]))
}

fn hmac_many<H: Hash>() -> Run {
    let (key, none) = (HmacKey::<H>::new(&KEY), Hasher::<H::Function>::digest(&[]));
    Box::new(move |call| {
        let mut tags = [none; BATCH];
        key.mac_many(&call.messages(), &mut tags).expect(FITS);
        call.answer(&tags);
    })
}

fn hkdf<H: Hash>() -> Run {
    let prk = Prk::<H>::extract(b"", &KEY);
    Box::new(move |call| prk.expand(&[&call.data[..10]], &mut call.answer[0][..42]).expect(FITS))
}

fn pbkdf2<H: Hash>() -> Run {
    Box::new(|call| {
        let out = &mut call.answer[0][..H::OUTPUT_LEN];
        pbkdf2::derive::<H>(&KEY, call.data, ITERATIONS, out).expect(FITS);
    })
}

fn pbkdf2_many<H: Hash>() -> Run {
    Box::new(|call| {
        let (salt, mut len) = (&*call.data, 0);
        let outs: &mut [_; PASSWORDS] = call.answer.first_chunk_mut().expect("fewer");
        let mut jobs = outs.each_mut().map(|out| {
            len += 1;
            Job { password: &KEY[..len], salt, out: &mut out[..H::OUTPUT_LEN] }
        });
        pbkdf2::derive_many::<H>(&mut jobs, ITERATIONS).expect(FITS);
    })
}

fn seal<A: Algorithm>() -> Run {
    let aead = Aead::<A>::from_slice(&KEY[..A::Key::LEN]).expect(FITS);
    Box::new(move |call| {
        let nonce = ByteArray::from_slice(&NONCE).expect(FITS);
        let tag = aead.seal(nonce, &AAD, call.data).expect(FITS);
        call.answer(&[tag]);
    })
}

fn aes_ctr() -> Run {
    let start = AesCtr::new(&Aes::from_slice(&KEY).expect(FITS), &[0xff; 16]);
    Box::new(move |call| start.clone().xor_keystream(call.data))
}

fn poly1305() -> Run {
    Box::new(|call| call.answer(&[Poly1305::mac(&KEY, call.data)]))
}
