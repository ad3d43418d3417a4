//! Types that hold key material have a destructor. That destructors wipe every byte is the subject of the
//! wiping check, which reads the memory.

use core::mem::needs_drop;
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::aes_gcm::{Ghash, TruncatedTag};
use keylane::any::{AnyHash, AnyHmac, AnyHmacKey, AnyPrk, Digest};
use keylane::hkdf::Prk;
use keylane::hmac::{Hmac, HmacKey, HmacKeyState};
use keylane::poly1305::Poly1305;
use keylane_contracts::{Aead, Hash, Stream, every_aead, every_hash, every_stream};

#[test]
fn destructors() {
    fn hash<H: Hash>() {
        assert!(needs_drop::<HmacKey<H>>());
        assert!(needs_drop::<Hmac<H>>());
        assert!(needs_drop::<HmacKeyState<H>>());
        assert!(needs_drop::<Prk<H>>());
        assert!(needs_drop::<H>(), "a running hash holds the state of its message");
        // The opposite case: a digest is not secret, and has no destructor.
        assert!(!needs_drop::<H::Output>());
    }
    fn aead<A: Aead>() {
        assert!(needs_drop::<keylane::aead::Aead<A>>());
    }
    fn stream<S: Stream>() {
        assert!(needs_drop::<S>());
    }
    every_hash!(hash);
    every_aead!(aead);
    every_stream!(stream);
    assert!(needs_drop::<Aes>() && needs_drop::<Ghash>() && needs_drop::<Poly1305>());
    assert!(needs_drop::<AesCtr>() && needs_drop::<AnyHash>() && needs_drop::<AnyHmac>());
    assert!(needs_drop::<AnyHmacKey>() && needs_drop::<AnyPrk>() && needs_drop::<Digest>());
    // A tag is not secret.
    assert!(!needs_drop::<TruncatedTag>());
}
