//! RustCrypto's traits on Keylane's types.

use crate::{AUTHENTIC, FITS, cut};
use keylane::rustcrypto::aead::AeadInOut;
use keylane::rustcrypto::cipher::{Block, BlockCipherEncrypt, KeyInit, KeyIvInit, StreamCipher};
use keylane::rustcrypto::digest::Mac;
use keylane::rustcrypto::universal_hash::UniversalHash;
use keylane::rustcrypto::{self as types, GenericHmacKey};
use keylane::sha2::Sha256;
use keylane_contracts::{Key, Make, Operation, Subject};

pub(crate) fn list(all: &mut Vec<Subject>) {
    const TRAITS_ONLY: &[&str] = &["keylane::rustcrypto::TraitsOnly"];
    const CTR: &[&str] = &["keylane::rustcrypto::Ctr128BE"];
    let subject = |primitive, name, make: Make| {
        Subject::new(primitive, format!("RustCrypto's traits, {name}"), make).key(Key::First(32))
    };
    all.extend([
        subject("aes", "aes-128", block_cipher::<types::Aes128>).holds(&["keylane::rustcrypto::Aes128"]),
        subject("aes", "aes-192", block_cipher::<types::Aes192>).holds(&["keylane::rustcrypto::Aes192"]),
        subject("aes", "aes-256", block_cipher::<types::Aes256>).holds(&["keylane::rustcrypto::Aes256"]),
        subject("aes-ctr", "aes-128-ctr", key_stream::<types::Ctr128BE<types::Aes128>>).in_place().holds(CTR),
        subject("chacha20", "chacha20", key_stream::<types::ChaCha20>).in_place().holds(TRAITS_ONLY),
        subject("aes-gcm", "aes-256-gcm", aead::<types::Aes256Gcm>).in_place().holds(TRAITS_ONLY),
        subject("sha256", "hmac-sha256", mac).key(Key::Whole).holds(TRAITS_ONLY),
        subject("poly1305", "poly1305", universal_hash::<types::Poly1305>)
            .key(Key::First(16))
            .holds(TRAITS_ONLY),
        subject("aes-gcm", "ghash", universal_hash::<types::GHash>).key(Key::First(16)).holds(TRAITS_ONLY),
        subject("sha256", "hmac over sha2", foreign_hash)
            .key(Key::Whole)
            .holds(&["keylane::rustcrypto::GenericHmacKey", "keylane::rustcrypto::GenericHmac"]),
    ]);
}

fn block_cipher<C: KeyInit + BlockCipherEncrypt + Clone + 'static>(key: &[u8]) -> Operation {
    let cipher = C::new_from_slice(&cut::<32>(key, 0)[..C::key_size()]).expect("its length");
    Box::new(move |call| {
        let mut block = Block::<C>::default();
        block.iter_mut().zip(&*call.data).for_each(|(byte, given)| *byte = *given);
        cipher.clone().encrypt_block(&mut block);
        call.answer(&block);
    })
}

fn key_stream<C: KeyIvInit + StreamCipher + Clone + 'static>(key: &[u8]) -> Operation {
    let (key, nonce) = (&cut::<32>(key, 0)[..C::key_size()], &[0; 24][..C::iv_size()]);
    let stream = C::new_from_slices(key, nonce).expect("their lengths");
    Box::new(move |call| {
        let mut stream = stream.clone();
        call.data.chunks_mut(101).for_each(|piece| stream.apply_keystream(piece));
    })
}

fn aead<A: AeadInOut + KeyInit + Clone + 'static>(key: &[u8]) -> Operation {
    let aead = A::new_from_slice(&cut::<32>(key, 0)[..A::key_size()]).expect("its length");
    Box::new(move |call| {
        let nonce = Default::default();
        let tag = aead.encrypt_inout_detached(&nonce, b"", (&mut *call.data).into()).expect(FITS);
        aead.clone().decrypt_inout_detached(&nonce, b"", (&mut *call.data).into(), &tag).expect(AUTHENTIC);
        call.answer(&tag);
    })
}

fn mac(key: &[u8]) -> Operation {
    let mac = types::Hmac::<Sha256>::new_from_slice(key).expect("any length");
    Box::new(move |call| {
        let mut mac = mac.clone();
        mac.update(call.data);
        call.answer(&mac.finalize().into_bytes());
    })
}

fn universal_hash<U: UniversalHash + KeyInit + Clone + 'static>(key: &[u8]) -> Operation {
    let hash = U::new_from_slice(&cut::<32>(key, 0)[..U::key_size()]).expect("its length");
    Box::new(move |call| {
        let mut hash = hash.clone();
        hash.update_padded(call.data);
        call.answer(&hash.finalize());
    })
}

/// Over RustCrypto's hash, which wipes itself.
fn foreign_hash(key: &[u8]) -> Operation {
    let key = GenericHmacKey::<sha2::Sha256>::new(key);
    let mut running = key.start();
    Box::new(move |call| {
        running.clone_from(&key.start());
        running.update(call.data);
        call.answer(&running.clone().finalize());
    })
}
