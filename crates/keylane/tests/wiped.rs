//! Whatever holds key material does something when it is dropped.
//!
//! Safe code cannot read memory that is gone, so the proof has three parts. Here: each type has a destructor. In
//! `src/hmac/tests.rs`: the destructors wipe every chaining value. In `keylane-cpu/src/wipe.rs`: what is wiped reads as
//! zeros, optimised or not. Not shown by any of them: copies that the compiler leaves in registers and on the stack
//! when it moves a value.

use core::mem::needs_drop;
use keylane::hkdf::Prk;
use keylane::hmac::{Hmac, HmacKey, HmacKeyState};
use keylane_testkit::{Oracle, for_every_hash};

for_every_hash!(destructors);

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
