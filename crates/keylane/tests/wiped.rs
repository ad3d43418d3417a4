//! Whatever holds key material has a destructor. That destructors leave no byte of a secret is seen by the
//! wiping check, which reads the memory.

use core::mem::needs_drop;
use keylane::aes::Aes;
use keylane::aes_gcm::{Ghash, TruncatedTag};
use keylane::hkdf::Prk;
use keylane::hmac::{Hmac, HmacKey, HmacKeyState};
use keylane::poly1305::Poly1305;
use keylane_subjects::{Aead, Hash, Stream, every_aead, every_hash, every_stream};

#[test]
fn destructors() {
    fn hash<H: Hash>() {
        assert!(needs_drop::<HmacKey<H>>());
        assert!(needs_drop::<Hmac<H>>());
        assert!(needs_drop::<HmacKeyState<H>>());
        assert!(needs_drop::<Prk<H>>());
        assert!(needs_drop::<H>(), "a running hash holds the state of its message");
        // The test can tell: a digest is no secret, and has none.
        assert!(!needs_drop::<H::Output>());
    }
    fn aead<A: Aead>() {
        assert!(needs_drop::<A>());
    }
    fn stream<S: Stream>() {
        assert!(needs_drop::<S>());
    }
    every_hash!(hash);
    every_aead!(aead);
    every_stream!(stream);
    assert!(needs_drop::<Aes>() && needs_drop::<Ghash>() && needs_drop::<Poly1305>());
    // A tag is no secret.
    assert!(!needs_drop::<TruncatedTag>());
}
