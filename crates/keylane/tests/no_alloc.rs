//! Nothing allocates. A binary of its own: it counts what the whole program allocates, thread by thread.

use allocation_counter::measure;
use core::hint::black_box;
use core::num::NonZeroU32;
use keylane::aes::Aes;
use keylane::aes_gcm::TruncatedTag;
use keylane::hkdf::Prk;
use keylane::hmac::{Hmac, HmacKey};
use keylane::pbkdf2::{self, Job};
use keylane::poly1305::Poly1305;
use keylane_testkit::{Aead, AesGcm, Oracle, Stream, as_nonce, every_backend, painted};
use keylane_testkit::{for_every_aead, for_every_aes_gcm, for_every_hash, for_every_stream};

/// Runs `operation` and checks that it allocated nothing.
fn without_allocating(name: &str, operation: impl FnOnce()) {
    let info = measure(operation);
    assert_eq!(info.count_total, 0, "{name} allocates");
}

#[test]
fn an_allocation_is_counted() {
    assert_eq!(measure(|| drop(black_box(vec![1u8; 10]))).count_total, 1);
}

/// The choice and its self-tests too: nothing is selected, and this may be the first use.
#[test]
fn first_use() {
    without_allocating("self_test", || keylane::self_test().unwrap());
    without_allocating("primitives", || {
        for primitive in keylane::primitives() {
            assert!(primitive.implementations().any(|implementation| implementation.chosen));
        }
    });
}

for_every_hash!(hashes, macs, derived_keys);
for_every_stream!(keystreams);
for_every_aead!(seals);
mod beyond_every_aead {
    use super::other_nonces_and_tags;
    super::for_every_aes_gcm!(other_nonces_and_tags);
}

fn hashes<H: Oracle>() {
    let data = painted(2000);
    let messages: [&[u8]; 40] = core::array::from_fn(|i| &data[..30 * i]);
    every_backend(H::PRIMITIVE, |_| {
        let mut digests = [H::digest(b""); 40];
        without_allocating("digest", || digests[0] = H::digest(&data));
        without_allocating("update and finalize", || {
            let mut hash = H::new();
            hash.update(&data[..100]);
            hash.update(&data[100..]);
            digests[1] = hash.clone().finalize();
        });
        assert_eq!(digests[0], digests[1]);
        without_allocating("digest_many", || H::digest_many(&messages, &mut digests).unwrap());
        without_allocating("a refusal", || assert!(H::digest_many(&messages, &mut digests[1..]).is_err()));
    });
}

fn macs<H: Oracle>() {
    let data = painted(2000);
    let messages: [&[u8]; 40] = core::array::from_fn(|i| &data[..30 * i]);
    every_backend(H::PRIMITIVE, |_| {
        for len in [0, 20, 64, 200] {
            without_allocating("HmacKey::new", || drop(HmacKey::<H>::new(&data[..len])));
            without_allocating("Hmac::new", || drop(Hmac::<H>::new(&data[..len])));
        }
        let key = HmacKey::<H>::new(b"key");
        let tag = key.mac(&data);
        let mut tags = [tag; 40];
        without_allocating("mac", || assert_eq!(key.mac(&data), tag));
        without_allocating("mac_parts", || {
            assert_eq!(key.mac_parts(&[&data[..7], &data[7..200], &data[200..]]), tag);
        });
        without_allocating("mac_many", || key.mac_many(&messages, &mut tags).unwrap());
        without_allocating("verify", || key.verify(&data, tag.as_ref()).unwrap());
        without_allocating("verify, refused", || assert!(key.verify(b"other", tag.as_ref()).is_err()));
        without_allocating("verify_truncated", || key.verify_truncated(&data, &tag.as_ref()[..10]).unwrap());
        without_allocating("verify_many", || {
            key.verify_many(&messages, &tags.each_ref().map(AsRef::as_ref)).unwrap();
        });
        without_allocating("start, update, finalize_reset", || {
            let mut mac = key.start();
            mac.update(&data[..1000]);
            mac.update(&data[1000..]);
            assert_eq!(mac.finalize_reset(), tag);
            mac.update(&data);
            mac.clone().verify(tag.as_ref()).unwrap();
            mac.reset();
            mac.update(&data);
            assert_eq!(mac.finalize(), tag);
        });
        without_allocating("export and import", || {
            let imported = HmacKey::import(&key.export()).unwrap();
            assert_eq!(imported.mac(&data), tag);
        });
    });
}

fn derived_keys<H: Oracle>() {
    let (data, iterations) = (painted(300), NonZeroU32::new(2).unwrap());
    every_backend(H::PRIMITIVE, |_| {
        let mut out = [0; 1200];
        without_allocating("pbkdf2::derive", || {
            pbkdf2::derive::<H>(&data, b"salt", iterations, &mut out).unwrap();
        });
        without_allocating("pbkdf2::verify", || {
            pbkdf2::verify::<H>(&data, b"salt", iterations, &out[..1000]).unwrap();
        });
        without_allocating("pbkdf2::derive_many", || {
            let mut outs = [[0; 100]; 20];
            let mut at = 0;
            let mut jobs = outs.each_mut().map(|out| {
                at += 1;
                Job { password: &data[..at], salt: b"salt", out: &mut out[at..] }
            });
            pbkdf2::derive_many::<H>(&mut jobs, iterations).unwrap();
        });
        without_allocating("hkdf", || {
            let prk = Prk::<H>::extract(b"salt", &data);
            prk.expand(&[b"in", b"fo"], &mut out).unwrap();
            drop(Prk::<H>::from_bytes(&data).unwrap());
        });
    });
}

#[test]
fn aes() {
    let mut blocks = [[1; 16]; 50];
    every_backend("aes", |_| {
        for len in [16, 24, 32] {
            let key = painted(len);
            without_allocating("Aes", || {
                let aes = Aes::from_slice(&key).unwrap().clone();
                aes.encrypt_blocks(&mut blocks);
                aes.decrypt_blocks(&mut blocks);
            });
        }
        without_allocating("Aes, refused", || assert!(Aes::from_slice(&[0; 15]).is_err()));
    });
    assert_eq!(blocks, [[1; 16]; 50]);
}

#[test]
fn poly1305() {
    let data = painted(2000);
    every_backend("poly1305", |_| {
        without_allocating("Poly1305", || {
            let mut running = Poly1305::new(&[4; 32]);
            running.update(&data[..100]);
            running.pad_to_block();
            running.update(&data[100..]);
            let tag = running.clone().finalize();
            running.verify(&tag).unwrap();
            assert!(Poly1305::with_hint(&[4; 32], 2000).verify(&tag).is_err());
        });
        without_allocating("mac", || assert_ne!(Poly1305::mac(&[4; 32], &data), [0; 16]));
    });
}

fn keystreams<S: Stream>() {
    let (key, nonce) = (painted(S::KEY_LEN), painted(S::NONCE_LEN));
    let (mut data, input) = ([2; 1000], [3; 1000]);
    every_backend(S::PRIMITIVE, |_| {
        without_allocating(S::NAME, || {
            let mut cipher = S::new(&key, &nonce);
            cipher.xor_keystream(&mut data).unwrap();
            cipher.xor_keystream(&mut data[..7]).unwrap();
            cipher.seek(777).unwrap();
            cipher.clone().xor_keystream_to(&input, &mut data).unwrap();
            assert!(cipher.xor_keystream_to(&input, &mut data[1..]).is_err());
            black_box(cipher.position());
        });
    });
}

fn seals<A: Aead>() {
    let (key, nonce) = (painted(A::KEY_LEN), *as_nonce::<A>(&painted(A::NONCE_LEN)));
    let (aad, text) = (painted(100), painted(2000));
    every_backend(A::PRIMITIVE, |_| {
        let (mut data, mut sealed, mut tag) = (text.clone(), vec![0; 2016], [0; 16]);
        without_allocating("from_slice", || drop(A::from_slice(&key).unwrap().clone()));
        let aead = A::from_slice(&key).unwrap();
        without_allocating("seal and open", || {
            tag = aead.seal(&nonce, &aad, &mut data).unwrap();
            aead.open(&nonce, &aad, &mut data, &tag).unwrap();
        });
        without_allocating("seal_to and open_to", || {
            let pieces = [&text[..1], &[], &text[1..700], &text[700..]];
            aead.seal_to(&nonce, &aad, &pieces, &mut sealed).unwrap();
            aead.open_to(&nonce, &aad, &sealed, &mut data).unwrap();
        });
        assert_eq!(data, text);
        without_allocating("a refusal", || {
            assert!(aead.seal_to(&nonce, &aad, &[&text], &mut data).is_err());
            assert!(aead.open_to(&nonce, b"other", &sealed, &mut data).is_err());
            assert!(aead.open(&nonce, b"other", &mut data, &tag).is_err());
        });
        // Where there is room, appending takes it; where there is none, it allocates once.
        let mut output = Vec::with_capacity(3000);
        without_allocating("seal_append with room", || {
            aead.seal_append(&nonce, &aad, &text, &mut output).unwrap();
        });
        assert_eq!(output, sealed);
        let info = measure(|| aead.seal_append(&nonce, &aad, &text, &mut output).unwrap());
        assert_eq!(info.count_total, 1, "seal_append without room");
    });
}

fn other_nonces_and_tags<G: AesGcm>() {
    let (key, nonce, text) = (painted(G::KEY_LEN), painted(100), painted(2000));
    every_backend(G::PRIMITIVE, |_| {
        let (gcm, mut data) = (G::from_slice(&key).unwrap(), text.clone());
        without_allocating("another nonce and a shorter tag", || {
            let tag = gcm.seal_any_nonce(&nonce, b"aad", &mut data).unwrap();
            gcm.open_any_nonce(&nonce, b"aad", &mut data, &tag).unwrap();
            gcm.seal_any_nonce(&nonce, b"aad", &mut data).unwrap();
            gcm.open_truncated_any_nonce(&nonce, b"aad", &mut data, &TruncatedTag::new(&tag[..12]).unwrap())
                .unwrap();
        });
        assert_eq!(data, text);
    });
}
