//! Whatever holds key material does something when it is dropped.
//!
//! Here: each type has a destructor. That destructors leave no byte of a secret is seen by `cargo xtask wiping`, which reads
//! the memory; for what the libraries put into boxes themselves, that they leave no run of 8 bytes. In `src/hmac/tests.rs`: every chaining value is wiped. In `keylane-cpu/src/wipe.rs`: what is wiped reads as zeros,
//! optimised or not. Not shown by any of them: copies that the compiler leaves in registers and on the stack when it moves a value.

use core::mem::needs_drop;
use keylane::aes::Aes;
use keylane::aes_gcm::TruncatedTag;
use keylane::hkdf::Prk;
use keylane::hmac::{Hmac, HmacKey, HmacKeyState};
use keylane::poly1305::Poly1305;
use keylane_testkit::{Aead, Oracle, Stream, for_every_aead, for_every_hash, for_every_stream};

for_every_hash!(destructors);
for_every_aead!(aead);
for_every_stream!(stream);

fn destructors<H: Oracle>() {
    assert!(needs_drop::<HmacKey<H>>());
    assert!(needs_drop::<Hmac<H>>());
    assert!(needs_drop::<HmacKeyState<H>>());
    assert!(needs_drop::<Prk<H>>());
    assert!(needs_drop::<H>(), "a running hash holds the state of its message");
    // The test can tell: a digest is no secret, and has none.
    assert!(!needs_drop::<H::Output>());
}

fn aead<A: Aead>() {
    assert!(needs_drop::<A>(), "the key, or round keys and the powers of GHASH's key");
}

fn stream<S: Stream>() {
    assert!(needs_drop::<S>(), "the key, or round keys, and what is left of a block of keystream");
}

#[test]
fn aes_and_poly1305() {
    assert!(needs_drop::<Aes>());
    assert!(needs_drop::<Poly1305>(), "the key, its powers, and the beginning of a block");
    // A tag is no secret.
    assert!(!needs_drop::<TruncatedTag>());
}
