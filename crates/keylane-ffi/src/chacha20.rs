//! ChaCha20 (RFC 8439 section 2.4) and XChaCha20.

use keylane::chacha20::{ChaCha20, XChaCha20};
use keylane_boundary::error::{Failure, KEYLANE_ERROR_WRONG_LENGTH};
use keylane_boundary::{Array, Input, Mut, Opaque, Output, Ref, Text, call, wipe_struct};
use std::ffi::c_int;

/// A ChaCha20 key stream, with a nonce of 12 bytes and a counter of 32 bits that begins with 0. Secret: wipe
/// it. May be copied by assignment; the copies are independent.
///
/// Nothing is authenticated: flipping a bit of the ciphertext flips it in the text. Two texts encrypted with
/// one key and one nonce reveal the XOR of the plaintexts. Prefer keylane_chacha20poly1305.
#[repr(C, align(16))]
pub(crate) struct keylane_chacha20 {
    opaque: [u8; 192],
}

impl Opaque for keylane_chacha20 {
    type Value = ChaCha20;
    const MARK: [u8; 8] = *b"klchacha";
}

/// Begins a key stream.
///
/// @return 0.
#[unsafe(no_mangle)]
extern "C" fn keylane_chacha20_init(
    stream: Mut<keylane_chacha20>,
    key: Array<32>,
    nonce: Array<12>,
) -> c_int {
    call(move |call| {
        let place = call.place(stream)?;
        place.put(&ChaCha20::new(call.array(key)?, call.array(nonce)?));
        Ok(())
    })
}

/// XORs the next bytes of the key stream into `data`, which encrypts or decrypts it. How the bytes are
/// divided among calls does not change the output.
///
/// @return 0; UNINITIALISED; INPUT_TOO_LONG beyond 2^38 bytes of key stream: then nothing is encrypted.
#[unsafe(no_mangle)]
extern "C" fn keylane_chacha20_xor_keystream(
    stream: Mut<keylane_chacha20>,
    data: Output,
    data_len: usize,
) -> c_int {
    call(move |call| {
        let data = call.output(data, data_len)?;
        call.with_mut(stream, |stream| Ok(stream.xor_keystream(data)?))
    })
}

/// Does keylane_chacha20_xor_keystream from `input` to `output`, which may be the same buffer.
///
/// @return as keylane_chacha20_xor_keystream; WRONG_LENGTH unless the lengths are equal.
#[unsafe(no_mangle)]
extern "C" fn keylane_chacha20_xor_keystream_to(
    stream: Mut<keylane_chacha20>,
    input: Input,
    input_len: usize,
    output: Output,
    output_len: usize,
) -> c_int {
    call(move |call| {
        let text = call.text((input, input_len), (output, output_len))?;
        if input_len != output_len {
            return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
        }
        call.with_mut(stream, |stream| {
            match text {
                Text::InPlace(data) => stream.xor_keystream(data)?,
                Text::Apart(input, output) => stream.xor_keystream_to(input, output)?,
            }
            Ok(())
        })
    })
}

/// Moves to a position in the key stream, in bytes from its beginning. The RFC's examples that begin with the
/// counter 1 start at byte 64.
///
/// @return 0; UNINITIALISED; INPUT_TOO_LONG beyond 2^38 bytes: then the position is unchanged.
#[unsafe(no_mangle)]
extern "C" fn keylane_chacha20_seek(stream: Mut<keylane_chacha20>, position: u64) -> c_int {
    call(move |call| call.with_mut(stream, |stream| Ok(stream.seek(position)?)))
}

/// Writes the position in the key stream, in bytes.
///
/// @return 0; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_chacha20_position(stream: Ref<keylane_chacha20>, position: Mut<u64>) -> c_int {
    call(move |call| {
        let room = call.number(position)?;
        call.with(stream, |stream| room.set(&stream.position().to_ne_bytes()))
    })
}

/// Wipes the struct. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_chacha20_wipe(stream: Mut<keylane_chacha20>) {
    wipe_struct(stream);
}

/// An XChaCha20 key stream, with a nonce of 24 bytes. Secret: wipe it. May be copied by assignment; the
/// copies are independent.
///
/// Nothing is authenticated: flipping a bit of the ciphertext flips it in the text. Two texts encrypted with
/// one key and one nonce reveal the XOR of the plaintexts. Prefer keylane_xchacha20poly1305.
#[repr(C, align(16))]
pub(crate) struct keylane_xchacha20 {
    opaque: [u8; 192],
}

impl Opaque for keylane_xchacha20 {
    type Value = XChaCha20;
    const MARK: [u8; 8] = *b"klxchach";
}

/// Begins a key stream.
///
/// @return 0.
#[unsafe(no_mangle)]
extern "C" fn keylane_xchacha20_init(
    stream: Mut<keylane_xchacha20>,
    key: Array<32>,
    nonce: Array<24>,
) -> c_int {
    call(move |call| {
        let place = call.place(stream)?;
        place.put(&XChaCha20::new(call.array(key)?, call.array(nonce)?));
        Ok(())
    })
}

/// XORs the next bytes of the key stream into `data`, which encrypts or decrypts it. How the bytes are
/// divided among calls does not change the output.
///
/// @return 0; UNINITIALISED; INPUT_TOO_LONG beyond 2^38 bytes of key stream: then nothing is encrypted.
#[unsafe(no_mangle)]
extern "C" fn keylane_xchacha20_xor_keystream(
    stream: Mut<keylane_xchacha20>,
    data: Output,
    data_len: usize,
) -> c_int {
    call(move |call| {
        let data = call.output(data, data_len)?;
        call.with_mut(stream, |stream| Ok(stream.xor_keystream(data)?))
    })
}

/// Does keylane_xchacha20_xor_keystream from `input` to `output`, which may be the same buffer.
///
/// @return as keylane_xchacha20_xor_keystream; WRONG_LENGTH unless the lengths are equal.
#[unsafe(no_mangle)]
extern "C" fn keylane_xchacha20_xor_keystream_to(
    stream: Mut<keylane_xchacha20>,
    input: Input,
    input_len: usize,
    output: Output,
    output_len: usize,
) -> c_int {
    call(move |call| {
        let text = call.text((input, input_len), (output, output_len))?;
        if input_len != output_len {
            return Err(Failure(KEYLANE_ERROR_WRONG_LENGTH));
        }
        call.with_mut(stream, |stream| {
            match text {
                Text::InPlace(data) => stream.xor_keystream(data)?,
                Text::Apart(input, output) => stream.xor_keystream_to(input, output)?,
            }
            Ok(())
        })
    })
}

/// Moves to a position in the key stream, in bytes from its beginning. The RFC's examples that begin with the
/// counter 1 start at byte 64.
///
/// @return 0; UNINITIALISED; INPUT_TOO_LONG beyond 2^38 bytes: then the position is unchanged.
#[unsafe(no_mangle)]
extern "C" fn keylane_xchacha20_seek(stream: Mut<keylane_xchacha20>, position: u64) -> c_int {
    call(move |call| call.with_mut(stream, |stream| Ok(stream.seek(position)?)))
}

/// Writes the position in the key stream, in bytes.
///
/// @return 0; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_xchacha20_position(stream: Ref<keylane_xchacha20>, position: Mut<u64>) -> c_int {
    call(move |call| {
        let room = call.number(position)?;
        call.with(stream, |stream| room.set(&stream.position().to_ne_bytes()))
    })
}

/// Wipes the struct. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_xchacha20_wipe(stream: Mut<keylane_xchacha20>) {
    wipe_struct(stream);
}
