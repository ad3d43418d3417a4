//! `poly1305.h`: the functions of floodyberry's poly1305-opt.
//!
//! These functions return no status. If no tag can be computed (the state was never initialised, or no
//! implementation passes its self-test), a random one is written, so that every comparison with it fails.

use crate::boundary::{Array, Call, Input, Mut, OutArray, call, structs, wipe_struct, works};
use crate::error::Failure;
use keylane::poly1305::Poly1305;
use std::ffi::c_int;
use std::hash::{BuildHasher, RandomState};

structs! {
    /// Space for a running hash, as large as programs expect, without alignment.
    poly1305_state: 320, 1, b"poly1305", Poly1305
}

#[unsafe(no_mangle)]
extern "C" fn poly1305_init(state: Mut<poly1305_state>, key: Array<32>) {
    poly1305_init_ext(state, key, 0);
}

#[unsafe(no_mangle)]
extern "C" fn poly1305_init_ext(state: Mut<poly1305_state>, key: Array<32>, bytes_hint: usize) {
    let begun = call(|call| {
        let key = call.array(key)?;
        // With the hint 0, the length is unknown.
        call.put(
            state,
            &if bytes_hint == 0 { Poly1305::new(key) } else { Poly1305::with_hint(key, bytes_hint) },
        )
    });
    if begun != 0 {
        wipe_struct(state);
    }
}

#[unsafe(no_mangle)]
extern "C" fn poly1305_update(state: Mut<poly1305_state>, input: Input, input_len: usize) {
    let absorbed = call(|call| {
        let input = call.input((input, input_len))?;
        call.changes(state, |poly1305| poly1305.update(input))
    });
    if absorbed != 0 {
        // A message without this piece would be a different one.
        wipe_struct(state);
    }
}

#[unsafe(no_mangle)]
extern "C" fn poly1305_finish(state: Mut<poly1305_state>, mac: OutArray<16>) {
    write_tag(
        mac,
        |call| call.finish(state, |poly1305| Ok(poly1305.clone().finalize())),
        || wipe_struct(state),
    );
}

#[unsafe(no_mangle)]
extern "C" fn poly1305_auth(mac: OutArray<16>, input: Input, input_len: usize, key: Array<32>) {
    write_tag(mac, |call| Ok(Poly1305::mac(call.array(key)?, call.input((input, input_len))?)), || ());
}

/// Returns 0 for success and 1 for failure, as programs expect.
#[unsafe(no_mangle)]
extern "C" fn poly1305_startup() -> c_int {
    let done = call(|_| if works() { Ok(()) } else { Err(Failure(1)) });
    c_int::from(done != 0)
}

/// Writes the tag, or a random one if the call `failed`. As in poly1305-opt, the tag may overlap anything.
fn write_tag(
    mac: OutArray<16>,
    mut tag: impl FnMut(&Call) -> Result<[u8; 16], Failure>,
    failed: impl FnOnce(),
) {
    if call(|call| call.result_anywhere(mac)?.set(&tag(call)?)) != 0 {
        failed();
        call(|call| call.result_anywhere(mac)?.set(&unknowable()));
    }
}

fn unknowable() -> [u8; 16] {
    // The standard library seeds its hash maps with random numbers of the operating system.
    let word = || RandomState::new().hash_one(0).to_ne_bytes();
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&word());
    bytes[8..].copy_from_slice(&word());
    bytes
}
