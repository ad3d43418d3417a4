//! AES in counter mode (NIST SP 800-38A section 6.5).

use crate::aes::keylane_aes;
use keylane::aes_ctr::AesCtr;
use keylane_boundary::error::{Failure, KEYLANE_ERROR_INPUT_TOO_LONG, KEYLANE_ERROR_WRONG_LENGTH};
use keylane_boundary::{Array, Input, Mut, Opaque, Output, Ref, Text, call, wipe_struct};
use std::ffi::c_int;

/// An AES-CTR key stream, with a 128-bit big-endian counter that wraps. Secret: wipe it.
///
/// Nothing is authenticated: flipping a bit of the ciphertext flips it in the text. Two texts under one key
/// whose counters overlap reveal the XOR of the plaintexts. Prefer keylane_aes_gcm.
#[repr(C, align(16))]
pub(crate) struct keylane_aes_ctr {
    opaque: [u8; 384],
}

impl Opaque for keylane_aes_ctr {
    type Value = AesCtr;
    const MARK: [u8; 8] = *b"klaesctr";
}

/// Begins a key stream whose first block is the encryption of `counter_block`. The key is copied and may be
/// wiped afterwards.
///
/// @return 0; UNINITIALISED, if `aes` is.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_ctr_init(
    stream: Mut<keylane_aes_ctr>,
    aes: Ref<keylane_aes>,
    counter_block: Array<16>,
) -> c_int {
    call(move |call| {
        let place = call.place(stream)?;
        let counter_block = call.array(counter_block)?;
        call.with(aes, |aes| {
            place.put(&AesCtr::new(aes, counter_block));
            Ok(())
        })
    })
}

/// XORs the next bytes of the key stream into `data`, which encrypts or decrypts it. How the bytes are
/// divided among calls does not change the output.
///
/// @return 0; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_ctr_xor_keystream(
    stream: Mut<keylane_aes_ctr>,
    data: Output,
    data_len: usize,
) -> c_int {
    call(move |call| {
        let data = call.output(data, data_len)?;
        call.with_mut(stream, |stream| {
            stream.xor_keystream(data);
            Ok(())
        })
    })
}

/// Does keylane_aes_ctr_xor_keystream from `input` to `output`, which may be the same buffer.
///
/// @return 0; UNINITIALISED; WRONG_LENGTH unless the lengths are equal.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_ctr_xor_keystream_to(
    stream: Mut<keylane_aes_ctr>,
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
                Text::InPlace(data) => stream.xor_keystream(data),
                Text::Apart(input, output) => stream.xor_keystream_to(input, output)?,
            }
            Ok(())
        })
    })
}

/// Moves to a position in the key stream, in bytes from its beginning.
///
/// @return 0; UNINITIALISED.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_ctr_seek(stream: Mut<keylane_aes_ctr>, position: u64) -> c_int {
    call(move |call| {
        call.with_mut(stream, |stream| {
            stream.seek(position);
            Ok(())
        })
    })
}

/// Writes the position in the key stream, in bytes.
///
/// @return 0; UNINITIALISED; INPUT_TOO_LONG if it is 2^64 or more.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_ctr_position(stream: Ref<keylane_aes_ctr>, position: Mut<u64>) -> c_int {
    call(move |call| {
        let room = call.number(position)?;
        call.with(stream, |stream| {
            let Ok(position) = u64::try_from(stream.position()) else {
                return Err(Failure(KEYLANE_ERROR_INPUT_TOO_LONG));
            };
            room.set(&position.to_ne_bytes())
        })
    })
}

/// Wipes the struct. Null is accepted.
#[unsafe(no_mangle)]
extern "C" fn keylane_aes_ctr_wipe(stream: Mut<keylane_aes_ctr>) {
    wipe_struct(stream);
}
