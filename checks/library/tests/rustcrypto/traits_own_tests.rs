//! The test macros of the traits' crates, for Keylane's types on every implementation.

use cipher::{block_cipher_test, stream_cipher_seek_test, stream_cipher_test};
use digest::dev::{fixed_reset_test, reset_mac_test};
use digest::{new_mac_test, new_test};
use keylane::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm};
use keylane::chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use keylane::hmac::Hmac;
use keylane::rustcrypto::{Aes128, Aes192, Aes256, ChaCha20, Ctr128BE, XChaCha20};
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use keylane_contracts::every_implementation;

new_test!(sha1, Sha1, fixed_reset_test);
new_test!(sha224, Sha224, fixed_reset_test);
new_test!(sha256, Sha256, fixed_reset_test);
new_test!(sha384, Sha384, fixed_reset_test);
new_test!(sha512, Sha512, fixed_reset_test);
new_test!(sha512_256, Sha512_256, fixed_reset_test);

new_mac_test!(hmac_sha1, Hmac<Sha1>, reset_mac_test);
new_mac_test!(hmac_sha224, Hmac<Sha224>, reset_mac_test);
new_mac_test!(hmac_sha256, Hmac<Sha256>, reset_mac_test);
new_mac_test!(hmac_sha256_truncated, Hmac<Sha256>, reset_mac_test, trunc_left);
new_mac_test!(hmac_sha384, Hmac<Sha384>, reset_mac_test);
new_mac_test!(hmac_sha512, Hmac<Sha512>, reset_mac_test);
new_mac_test!(hmac_sha512_truncated, Hmac<Sha512>, reset_mac_test, trunc_left);
new_mac_test!(hmac_sha512_256, Hmac<Sha512_256>, reset_mac_test);

block_cipher_test!(aes128, Aes128);
block_cipher_test!(aes192, Aes192);
block_cipher_test!(aes256, Aes256);

stream_cipher_test!(aes128_ctr, "aes128_ctr", Ctr128BE<Aes128>);
stream_cipher_test!(aes192_ctr, "aes192_ctr", Ctr128BE<Aes192>);
stream_cipher_test!(aes256_ctr, "aes256_ctr", Ctr128BE<Aes256>);
stream_cipher_seek_test!(aes128_ctr_seeks, Ctr128BE<Aes128>);
stream_cipher_seek_test!(aes256_ctr_seeks, Ctr128BE<Aes256>);
stream_cipher_test!(chacha20, "chacha20", keylane::chacha20::ChaCha20);
stream_cipher_test!(xchacha20, "xchacha20", keylane::chacha20::XChaCha20);
stream_cipher_seek_test!(chacha20_seeks, ChaCha20);
stream_cipher_seek_test!(xchacha20_seeks, XChaCha20);

aead::new_pass_test!(aes128_gcm, "aes128_gcm_pass", Aes128Gcm);
aead::new_fail_test!(aes128_gcm_refuses, "aes128_gcm_fail", Aes128Gcm);
aead::new_pass_test!(aes192_gcm, "aes192_gcm_pass", Aes192Gcm);
aead::new_fail_test!(aes192_gcm_refuses, "aes192_gcm_fail", Aes192Gcm);
aead::new_pass_test!(aes256_gcm, "aes256_gcm_pass", Aes256Gcm);
aead::new_fail_test!(aes256_gcm_refuses, "aes256_gcm_fail", Aes256Gcm);
aead::new_pass_test!(chacha20_poly1305, "chacha20_poly1305_pass", ChaCha20Poly1305);
aead::new_fail_test!(chacha20_poly1305_refuses, "chacha20_poly1305_fail", ChaCha20Poly1305);
aead::new_pass_test!(xchacha20_poly1305, "xchacha20_poly1305_pass", XChaCha20Poly1305);
aead::new_fail_test!(xchacha20_poly1305_refuses, "xchacha20_poly1305_fail", XChaCha20Poly1305);

/// Runs tests that the macros have defined.
fn on_every_implementation(primitive: &str, tests: &[fn()]) {
    let ran = every_implementation(primitive, |_| tests.iter().for_each(|test| test()));
    assert!(ran > 0);
}

#[test]
fn hashes_on_every_implementation() {
    on_every_implementation("sha1", &[sha1, hmac_sha1]);
    on_every_implementation("sha256", &[sha224, sha256, hmac_sha224, hmac_sha256, hmac_sha256_truncated]);
    on_every_implementation(
        "sha512",
        &[sha384, sha512, sha512_256, hmac_sha384, hmac_sha512, hmac_sha512_256],
    );
}

#[test]
fn ciphers_on_every_implementation() {
    on_every_implementation("aes", &[aes128, aes192, aes256]);
    on_every_implementation("aes-ctr", &[aes128_ctr, aes192_ctr, aes256_ctr, aes128_ctr_seeks]);
    on_every_implementation("chacha20", &[chacha20, xchacha20, chacha20_seeks]);
}

#[test]
fn aeads_on_every_implementation() {
    on_every_implementation("aes-gcm", &[aes128_gcm, aes128_gcm_refuses, aes192_gcm, aes256_gcm]);
    on_every_implementation("chacha20-poly1305", &[chacha20_poly1305, xchacha20_poly1305]);
}
