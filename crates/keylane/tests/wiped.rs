//! Whatever holds key material does something when it is dropped.
//!
//! Safe code cannot read memory that is gone, so the proof has three parts. Here: each type has a destructor. In
//! `src/hmac/tests.rs`: the destructors wipe every chaining value. In `keylane-cpu/src/wipe.rs`: what is wiped reads as
//! zeros, optimised or not. Not shown by any of them: that the destructors of AES's and GHASH's keys wipe all of them,
//! which must be read; and copies that the compiler leaves in registers and on the stack when it moves a value.

use core::mem::needs_drop;
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::aes_gcm::TruncatedTag;
use keylane::hkdf::Prk;
use keylane::hmac::{Hmac, HmacKey, HmacKeyState};
use keylane_testkit::{Aead, Oracle, for_every_aead, for_every_hash};

for_every_hash!(destructors);
for_every_aead!(destructor);

fn destructors<H: Oracle>() {
    assert!(needs_drop::<HmacKey<H>>());
    assert!(needs_drop::<Hmac<H>>());
    assert!(needs_drop::<HmacKeyState<H>>());
    assert!(needs_drop::<Prk<H>>());
    assert!(needs_drop::<H>(), "a running hash holds the state of its message");
    assert!(needs_drop::<H::Midstate>());
    // The test can tell: a digest is no secret, and has none.
    assert!(!needs_drop::<H::Output>());
}

fn destructor<A: Aead>() {
    assert!(needs_drop::<A>(), "round keys, and the powers of GHASH's key");
}

#[test]
fn aes() {
    assert!(needs_drop::<Aes>());
    assert!(needs_drop::<AesCtr>(), "round keys, and what is left of a block of keystream");
    // A tag is no secret.
    assert!(!needs_drop::<TruncatedTag>());
}
