//! What each primitive does besides `keylane::operations`.

use crate::aeads::{self, Forms, with_forms};
use crate::hashes;
use crate::watch::{Secret, Watch, array, secret, secret_array, still_secret};
use keylane::Primitive;
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm, Ghash, TruncatedTag};
use keylane::chacha20::{ChaCha20, XChaCha20};
use keylane::chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use keylane::poly1305::Poly1305;
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use keylane_file::Algorithm;
use keylane_tls::cipher_suite;
use keylane_tls::record::Cipher;

pub fn walk(watch: &mut Watch, primitive: &Primitive, implementation: &str) {
    match primitive.name() {
        "sha1" => hashes::walk::<Sha1>(watch, implementation),
        "sha256" => {
            hashes::walk::<Sha256>(watch, implementation);
            hashes::walk::<Sha224>(watch, implementation);
        }
        "sha512" => {
            hashes::walk::<Sha512>(watch, implementation);
            hashes::walk::<Sha384>(watch, implementation);
            hashes::walk::<Sha512_256>(watch, implementation);
        }
        // Key schedules, encryption and decryption are in the operations.
        "aes" => aeads::quic_header(watch, implementation, cipher_suite::TLS13_AES_256_GCM_SHA384),
        "aes-ctr" => {
            for secret in Secret::EACH {
                watch.case(
                    format_args!("AES-CTR from a place by {implementation}, secret: {secret:?}"),
                    || {
                        let aes = Aes::from_slice(&secret.key(32, 1)).expect("a key");
                        let mut stream = AesCtr::new(&aes, &[2; 16]);
                        stream.seek(77);
                        let mut output = vec![0; 1000];
                        stream
                            .xor_keystream_to(&secret.text(1000, 3), &mut output)
                            .expect("the lengths are equal");
                        still_secret(&mut output)
                    },
                );
            }
        }
        "aes-gcm" => aes_gcm(watch, implementation),
        "poly1305" => watch.case(format_args!("Poly1305 verification by {implementation}"), || {
            let mut running = Poly1305::new(&secret_array(1));
            running.update(&secret(1001, 2));
            running.pad_to_block();
            let (mut tag, mut forged) = (running.clone().finalize(), running.clone().finalize());
            forged[15] ^= 0x80;
            assert!(running.clone().verify(&tag).is_ok());
            assert!(running.verify(&forged).is_err());
            still_secret(&mut tag) & still_secret(&mut forged)
        }),
        "chacha20" => {
            aeads::quic_header(watch, implementation, cipher_suite::TLS13_CHACHA20_POLY1305_SHA256);
            for secret in Secret::EACH {
                watch.case(
                    format_args!("ChaCha20 from a place by {implementation}, secret: {secret:?}"),
                    || {
                        let (key, text) = (array(&secret.key(32, 1)), secret.text(1000, 3));
                        let (mut one, mut other) = (vec![0; 1000], vec![0; 1000]);
                        let mut stream = ChaCha20::new(&key, &array(&secret.other(12, 2)));
                        stream.seek(77).expect("far from the end");
                        stream.xor_keystream_to(&text, &mut one).expect("far from the end");
                        let mut stream = XChaCha20::new(&key, &array(&secret.other(24, 2)));
                        stream.seek(77).expect("far from the end");
                        stream.xor_keystream_to(&text, &mut other).expect("far from the end");
                        still_secret(&mut one) & still_secret(&mut other)
                    },
                );
            }
        }
        "chacha20-poly1305" => {
            with_forms!(ChaCha20Poly1305, |forms: Forms<'_>, secret| aeads::forms(
                watch,
                implementation,
                &forms,
                secret
            ));
            with_forms!(XChaCha20Poly1305, |forms: Forms<'_>, secret| aeads::forms(
                watch,
                implementation,
                &forms,
                secret
            ));
            for secret in Secret::EACH {
                let aead = || ChaCha20Poly1305::new(&array(&secret.key(32, 1)));
                aeads::stream(watch, implementation, secret, aead);
            }
            aeads::records(watch, implementation, &[Cipher::ChaCha20Poly1305]);
            aeads::file(watch, implementation, Algorithm::ChaCha20Poly1305);
        }
        other => panic!("{other} is new: say here what it does besides its operations"),
    }
}

/// Nonces of any length, and tags that were cut short.
macro_rules! truncated {
    ($watch:ident, $implementation:ident, $Gcm:ident) => {
        for secret in Secret::EACH {
            for (nonce_len, tag_len) in [(1, 12), (30, 15)] {
                let name = format_args!(
                    "nonce of {nonce_len} bytes, {} by {}, secret: {secret:?}",
                    stringify!($Gcm),
                    $implementation
                );
                $watch.case(name, || {
                    let key = $Gcm::from_slice(&secret.key($Gcm::KEY_LEN, 1)).expect("a key");
                    let (nonce, mut text) = (secret.other(nonce_len, 2), secret.text(500, 3));
                    let mut tag = key.seal_any_nonce(&nonce, b"", &mut text).expect("not too long");
                    key.open_any_nonce(&nonce, b"", &mut text, &tag).expect("it is authentic");
                    let same = key.seal_any_nonce(&nonce, b"", &mut text).expect("not too long");
                    let cut = TruncatedTag::new(&same[..tag_len]).expect("long enough");
                    key.open_truncated_any_nonce(&nonce, b"", &mut text, &cut).expect("it is authentic");
                    let followed = still_secret(&mut text);
                    assert!(key.open_truncated_any_nonce(&nonce, b"", &mut text, &cut).is_err());
                    followed & still_secret(&mut tag)
                });
            }
        }
    };
}

fn aes_gcm(watch: &mut Watch, implementation: &str) {
    with_forms!(Aes128Gcm, |forms: Forms<'_>, secret| aeads::forms(watch, implementation, &forms, secret));
    with_forms!(Aes192Gcm, |forms: Forms<'_>, secret| aeads::forms(watch, implementation, &forms, secret));
    with_forms!(Aes256Gcm, |forms: Forms<'_>, secret| aeads::forms(watch, implementation, &forms, secret));
    for secret in Secret::EACH {
        aeads::stream(watch, implementation, secret, || Aes256Gcm::new(&array(&secret.key(32, 1))));
    }
    aeads::records(watch, implementation, &[Cipher::Aes128Gcm, Cipher::Aes256Gcm]);
    aeads::padded_record(watch, implementation);
    aeads::file(watch, implementation, Algorithm::Aes256Gcm);
    aeads::rustcrypto(watch, implementation);
    truncated!(watch, implementation, Aes128Gcm);
    truncated!(watch, implementation, Aes192Gcm);
    truncated!(watch, implementation, Aes256Gcm);
    for secret in Secret::EACH {
        watch.case(format_args!("GHASH by {implementation}, secret: {secret:?}"), || {
            let mut hash = Ghash::new(&array(&secret.key(16, 1)));
            hash.update(secret.text(1600, 2).as_chunks().0);
            hash.update_padded(&secret.text(77, 3));
            still_secret(&mut hash.finalize())
        });
    }
}
