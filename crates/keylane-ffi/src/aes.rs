//! AES: the block cipher.

use keylane::aes::Aes;
use keylane_boundary::error::{Failure, KEYLANE_ERROR_WRONG_LENGTH};
use keylane_boundary::{Input, Mut, Opaque, Output, Ref, call, wipe_struct};
use std::ffi::c_int;

/// An AES key, expanded. Threads may share it. Secret: wipe it.
///
/// This is the bare block cipher: equal blocks encrypt to equal blocks, and nothing is authenticated. For
/// messages, use keylane_aes_gcm.
#[repr(C, align(16))]
pub(crate) struct keylane_aes {
    opaque: [u8; 320],
}

impl Opaque for keylane_aes {
    type Value = Aes;
    const MARK: [u8; 8] = *b"klaes\0\0\x01";
}

/// Expands a key of 16, 24 or 32 bytes: AES-128, AES-192, AES-256.
///
/// @return 0; WRONG_LENGTH.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_init(aes: Mut<keylane_aes>, key: Input, key_len: usize) -> c_int {
    call(move |call| {
        let place = call.place(aes)?;
        place.put(&Aes::from_slice(call.input(key, key_len)?)?);
        Ok(())
    })
}

/// Encrypts each block of 16 bytes independently, in place.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH unless `blocks_len`, in bytes, is a multiple of 16.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_encrypt_blocks(aes: Ref<keylane_aes>, blocks: Output, blocks_len: usize) -> c_int {
    call(move |call| {
        let blocks = whole(call.output(blocks, blocks_len)?)?;
        call.with(aes, |aes| {
            aes.encrypt_blocks(blocks);
            Ok(())
        })
    })
}

/// Decrypts each block of 16 bytes independently, in place.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH unless `blocks_len`, in bytes, is a multiple of 16.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_decrypt_blocks(aes: Ref<keylane_aes>, blocks: Output, blocks_len: usize) -> c_int {
    call(move |call| {
        let blocks = whole(call.output(blocks, blocks_len)?)?;
        call.with(aes, |aes| {
            aes.decrypt_blocks(blocks);
            Ok(())
        })
    })
}

fn whole(bytes: &mut [u8]) -> Result<&mut [[u8; 16]], Failure> {
    let (blocks, []) = bytes.as_chunks_mut() else { return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH)) };
    Ok(blocks)
}

/// Wipes the struct. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_wipe(aes: Mut<keylane_aes>) {
    wipe_struct(aes);
}
