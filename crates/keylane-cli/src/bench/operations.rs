//! The operations that are measured: each of a primitive, with its key prepared.

use keylane::aead::{Aead, Algorithm, ByteArray, Cipher, Message};
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::aes_gcm::Gcm;
use keylane::aes_gcm_siv::GcmSiv;
use keylane::chacha20::{ChaCha20, XChaCha20};
use keylane::chacha20poly1305::{ChaChaPoly, XChaChaPoly};
use keylane::hash::{Hash, Hasher};
use keylane::hkdf::Prk;
use keylane::hmac::{self, HmacKey};
use keylane::pbkdf2::{self, Job};
use keylane::poly1305::Poly1305;
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use keylane::xaes::Xaes;
use std::array::from_fn;
use std::num::NonZeroU32;
use std::sync::LazyLock;

/// The number of messages in a batch.
pub(crate) const BATCH: usize = 64;

/// A key; operations truncate it to their length.
const KEY: [u8; 32] = [0x6b; 32];
/// Additional data, as much as in a TLS record.
const AAD: [u8; 13] = [0x61; 13];
const NONCE: [u8; 24] = [0x6e; 24];
const ITERATIONS: NonZeroU32 = NonZeroU32::new(1000).unwrap();
const PASSWORDS: usize = 8;

const FITS: &str = "lengths within the limits";
const AUTHENTIC: &str = "what was just sealed";

/// An operation of a primitive.
pub(crate) struct Operation {
    pub(crate) primitive: &'static str,
    pub(crate) name: String,
    pub(crate) work: Work,
    pub(crate) prepare: Prepare,
}

/// The quantity that the cost of a call depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// The length of a message.
    Message,
    /// The length of the messages in a batch.
    Batch,
    /// No text: so many units, side by side in so many messages.
    Fixed { units: u32, unit: &'static str, messages: usize },
}

/// Prepares a key. What is returned runs the operation, any number of times.
type Prepare = fn() -> Box<dyn FnMut(&mut Call<'_>)>;

/// One call of an operation.
pub(crate) struct Call<'a> {
    /// The messages, which ciphers replace.
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

/// The operations of a primitive that are being listed.
struct List {
    primitive: &'static str,
    all: Vec<Operation>,
}

impl List {
    fn add(&mut self, name: impl Into<String>, work: Work, prepare: Prepare) {
        self.all.push(Operation { primitive: self.primitive, name: name.into(), work, prepare });
    }
}

pub(crate) fn all() -> &'static [Operation] {
    static ALL: LazyLock<Vec<Operation>> = LazyLock::new(list);
    &ALL
}

fn list() -> Vec<Operation> {
    let mut list = List { primitive: "sha1", all: Vec::new() };
    list.hash::<Sha1>();
    list.primitive = "sha256";
    list.hash::<Sha256>();
    list.hash::<Sha224>();
    list.primitive = "sha512";
    list.hash::<Sha512>();
    list.hash::<Sha384>();
    list.hash::<Sha512_256>();
    list.primitive = "aes";
    list.aes::<16>();
    list.aes::<24>();
    list.aes::<32>();
    list.primitive = "aes-ctr";
    list.aes_ctr::<16>();
    list.aes_ctr::<24>();
    list.aes_ctr::<32>();
    list.primitive = "chacha20";
    list.chacha20();
    list.primitive = "poly1305";
    list.poly1305();
    list.primitive = "aes-gcm";
    list.aead::<Gcm<16>>();
    list.aead::<Gcm<24>>();
    list.aead::<Gcm<32>>();
    list.aead::<Xaes>();
    list.any_nonce::<16>();
    list.any_nonce::<24>();
    list.any_nonce::<32>();
    list.primitive = "aes-gcm-siv";
    list.aead::<GcmSiv<16>>();
    list.aead::<GcmSiv<32>>();
    list.primitive = "chacha20-poly1305";
    list.aead::<ChaChaPoly>();
    list.aead::<XChaChaPoly>();
    list.all
}

impl List {
    fn hash<H: Hash>(&mut self) {
        let hash = H::NAME;
        self.add(hash, Work::Message, || {
            Box::new(|call| call.answer(&[Hasher::<H::Function>::digest(call.data)]))
        });
        self.add(format!("hmac-{hash}"), Work::Message, || {
            let key = HmacKey::<H>::new(&KEY);
            Box::new(move |call| call.answer(&[key.mac(call.data)]))
        });
        self.add(format!("hmac-{hash}-many"), Work::Batch, || {
            let (key, none) = (HmacKey::<H>::new(&KEY), Hasher::<H::Function>::digest(&[]));
            Box::new(move |call| {
                let mut tags = [none; BATCH];
                key.mac_many(&call.messages(), &mut tags).expect(FITS);
                call.answer(&tags);
            })
        });
        // The others differ in the initial value and the end.
        if hash == self.primitive {
            self.rest_of_hash::<H>();
        }
        let work = |messages: usize| {
            let units = ITERATIONS.get() * messages as u32;
            Work::Fixed { units, unit: "iteration", messages }
        };
        self.add(format!("pbkdf2-hmac-{hash}"), work(1), || {
            Box::new(|call| {
                let out = &mut call.answer[0][..H::OUTPUT_LEN];
                pbkdf2::derive::<H>(&KEY, call.data, ITERATIONS, out).expect(FITS);
            })
        });
        self.add(format!("pbkdf2-hmac-{hash}-many"), work(PASSWORDS), || {
            Box::new(|call| {
                let (salt, mut len) = (&*call.data, 0);
                let outs: &mut [_; PASSWORDS] = call.answer.first_chunk_mut().expect("fewer");
                let mut jobs = outs.each_mut().map(|out| {
                    len += 1;
                    Job { password: &KEY[..len], salt, out: &mut out[..H::OUTPUT_LEN] }
                });
                pbkdf2::derive_many::<H>(&mut jobs, ITERATIONS).expect(FITS);
            })
        });
    }

    fn rest_of_hash<H: Hash>(&mut self) {
        let hash = H::NAME;
        self.add(format!("{hash}-many"), Work::Batch, || {
            let none = Hasher::<H::Function>::digest(&[]);
            Box::new(move |call| {
                let mut digests = [none; BATCH];
                Hasher::<H::Function>::digest_many(&call.messages(), &mut digests).expect(FITS);
                call.answer(&digests);
            })
        });
        self.add(format!("hmac-{hash}-newkey"), Work::Message, || {
            Box::new(|call| call.answer(&[HmacKey::<H>::new(&KEY).mac(call.data)]))
        });
        self.add(format!("hmac-{hash}-each"), Work::Batch, || {
            let keys = [&KEY[..], &KEY[..16]].map(HmacKey::<H>::new);
            let none = Hasher::<H::Function>::digest(&[]);
            Box::new(move |call| {
                let (messages, mut tags) = (call.messages(), [none; BATCH]);
                let jobs: [_; BATCH] = from_fn(|i| (&keys[i % 2], messages[i]));
                hmac::mac_each(&jobs, &mut tags).expect(FITS);
                call.answer(&tags);
            })
        });
        let work = Work::Fixed { units: 1, unit: "key of 42 bytes", messages: 1 };
        self.add(format!("hkdf-{hash}-expand"), work, || {
            let prk = Prk::<H>::extract(b"", &KEY);
            Box::new(move |call| {
                prk.expand(&[&call.data[..10]], &mut call.answer[0][..42]).expect(FITS);
            })
        });
    }

    fn aes<const KEY_LEN: usize>(&mut self) {
        fn aes<const KEY_LEN: usize>() -> Aes {
            Aes::from_slice(&KEY[..KEY_LEN]).expect(FITS)
        }
        self.add(format!("aes-{}-encrypt", 8 * KEY_LEN), Work::Message, || {
            let aes = aes::<KEY_LEN>();
            Box::new(move |call| aes.encrypt_blocks(call.data.as_chunks_mut().0))
        });
        self.add(format!("aes-{}-decrypt", 8 * KEY_LEN), Work::Message, || {
            let aes = aes::<KEY_LEN>();
            Box::new(move |call| aes.decrypt_blocks(call.data.as_chunks_mut().0))
        });
    }

    fn aes_ctr<const KEY_LEN: usize>(&mut self) {
        self.add(format!("aes-{}-ctr", 8 * KEY_LEN), Work::Message, || {
            let aes = Aes::from_slice(&KEY[..KEY_LEN]).expect(FITS);
            let start = AesCtr::new(&aes, &[0xff; 16]);
            Box::new(move |call| start.clone().xor_keystream(call.data))
        });
    }

    fn chacha20(&mut self) {
        self.add("chacha20", Work::Message, || {
            let start = ChaCha20::new(&KEY, &[0; 12]);
            Box::new(move |call| start.clone().xor_keystream(call.data).expect(FITS))
        });
        self.add("xchacha20", Work::Message, || {
            let start = XChaCha20::new(&KEY, &[0; 24]);
            Box::new(move |call| start.clone().xor_keystream(call.data).expect(FITS))
        });
    }

    fn poly1305(&mut self) {
        self.add("poly1305", Work::Message, || {
            Box::new(|call| call.answer(&[Poly1305::mac(&KEY, call.data)]))
        });
        self.add("poly1305-hint", Work::Message, || {
            Box::new(|call| {
                let mut running = Poly1305::with_hint(&KEY, call.data.len());
                running.update(call.data);
                call.answer(&[running.finalize()]);
            })
        });
    }

    fn aead<A: Algorithm>(&mut self) {
        fn aead<A: Algorithm>() -> (Aead<A>, &'static A::Nonce) {
            (Aead::<A>::from_slice(&KEY[..A::Key::LEN]).expect(FITS), nonce::<A>(&NONCE))
        }
        fn nonce<A: Algorithm>(nonce: &[u8; 24]) -> &A::Nonce {
            ByteArray::from_slice(&nonce[..A::Nonce::LEN]).expect(FITS)
        }
        let name = |operation| format!("{}-{operation}", A::NAME);
        self.add(name("newkey"), Work::Message, || {
            Box::new(|call| {
                let (aead, nonce) = aead::<A>();
                let tag = aead.seal(nonce, &AAD, call.data).expect(FITS);
                call.answer(&[tag]);
            })
        });
        self.add(name("seal"), Work::Message, || {
            let (aead, nonce) = aead::<A>();
            Box::new(move |call| {
                let tag = aead.seal(nonce, &AAD, call.data).expect(FITS);
                call.answer(&[tag]);
            })
        });
        self.add(name("seal-open"), Work::Message, || {
            let (aead, nonce) = aead::<A>();
            Box::new(move |call| {
                let tag = aead.seal(nonce, &AAD, call.data).expect(FITS);
                aead.open(nonce, &AAD, call.data, &tag).expect(AUTHENTIC);
                call.answer(&[tag]);
            })
        });
        self.add(name("forgery"), Work::Message, || {
            let (aead, nonce) = aead::<A>();
            Box::new(move |call| {
                aead.open(nonce, &AAD, call.data, &[0; 16]).expect_err("a forgery");
            })
        });
        self.add(name("seal-each"), Work::Batch, || {
            let (aead, _) = aead::<A>();
            batch(
                move |messages| {
                    for Message { nonce, aad, text, tag } in messages {
                        let nonce = ByteArray::from_slice(nonce).expect(FITS);
                        **tag = aead.seal(nonce, aad, text).expect(FITS);
                    }
                },
                A::Nonce::LEN,
            )
        });
        self.add(name("seal-many"), Work::Batch, || {
            let (aead, _) = aead::<A>();
            batch(move |messages| aead.seal_many(messages).expect(FITS), A::Nonce::LEN)
        });
    }

    fn any_nonce<const N: usize>(&mut self)
    where
        Gcm<N>: Algorithm,
    {
        self.add(format!("{}-nonce", Gcm::<N>::NAME), Work::Message, || {
            let aead = Aead::<Gcm<N>>::from_slice(&KEY[..N]).expect(FITS);
            Box::new(move |call| {
                let tag = aead.seal_any_nonce(&KEY, b"", call.data).expect(FITS);
                call.answer(&[tag]);
            })
        });
    }
}

/// Runs with the messages of a batch, each with a nonce of its own.
fn batch(seal: impl Fn(&mut [Message<'_>]) + 'static, nonce_len: usize) -> Box<dyn FnMut(&mut Call<'_>)> {
    let mut nonces = [NONCE; BATCH];
    nonces.iter_mut().zip(0..).for_each(|(nonce, i)| nonce[0] = i);
    Box::new(move |call| {
        let (mut tags, mut rest) = ([[0; 16]; BATCH], nonces.iter().zip(call.data.chunks_mut(call.size)));
        let mut messages = tags.each_mut().map(|tag| {
            let (nonce, text) = rest.next().expect("as many");
            Message { nonce: &nonce[..nonce_len], aad: &AAD, text, tag }
        });
        seal(&mut messages);
        call.answer(&tags);
    })
}
