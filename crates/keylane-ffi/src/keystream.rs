//! Key streams, by algorithm: AES-CTR (NIST SP 800-38A section 6.5), ChaCha20 (RFC 8439 section 2.4) and
//! XChaCha20.

use crate::boundary::{Call, Held, Input, Mut, Output, Ref, Text, call, wipe_struct};
use crate::error::{
    Failure, KEYLANE_ERROR_INPUT_TOO_LONG, KEYLANE_ERROR_INVALID_PARAMETER, KEYLANE_ERROR_UNINITIALISED,
    KEYLANE_ERROR_WRONG_LENGTH,
};
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::chacha20::{ChaCha20, XChaCha20};
use std::ffi::c_int;

pub const KEYLANE_AES_CTR: c_int = 1;
pub const KEYLANE_CHACHA20: c_int = 2;
pub const KEYLANE_XCHACHA20: c_int = 3;

#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct keylane_keystream {
    opaque: [u8; 384],
}

/// A key stream that the struct may hold.
trait Stream {
    fn xor(&mut self, text: Text<'_>) -> Result<(), Failure>;
    fn seek(&mut self, position: u64) -> Result<(), Failure>;
    fn position(&self) -> Result<u64, Failure>;
}

impl Held<keylane_keystream> for AesCtr {
    const MARK: u64 = u64::from_ne_bytes(*b"klkeysa\x01");
}

impl Stream for AesCtr {
    fn xor(&mut self, text: Text<'_>) -> Result<(), Failure> {
        match text {
            Text::InPlace(text) => self.xor_keystream(text),
            Text::Apart(input, output) => self.xor_keystream_to(input, output)?,
        }
        Ok(())
    }

    fn seek(&mut self, position: u64) -> Result<(), Failure> {
        self.seek(position);
        Ok(())
    }

    fn position(&self) -> Result<u64, Failure> {
        self.position().try_into().map_err(|_| Failure(KEYLANE_ERROR_INPUT_TOO_LONG))
    }
}

macro_rules! chacha20 {
    ($($Stream:ident $mark:literal)+) => { $(
        impl Held<keylane_keystream> for $Stream {
            const MARK: u64 = u64::from_ne_bytes(*$mark);
        }

        impl Stream for $Stream {
            fn xor(&mut self, text: Text<'_>) -> Result<(), Failure> {
                match text {
                    Text::InPlace(text) => self.xor_keystream(text)?,
                    Text::Apart(input, output) => self.xor_keystream_to(input, output)?,
                }
                Ok(())
            }

            fn seek(&mut self, position: u64) -> Result<(), Failure> {
                Ok(self.seek(position)?)
            }

            fn position(&self) -> Result<u64, Failure> {
                Ok(self.position())
            }
        }
    )+ };
}
chacha20! { ChaCha20 b"klkeysc\x01" XChaCha20 b"klkeysx\x01" }

/// Calls `run` with the key stream in the struct.
fn with(
    call: &Call,
    stream: Mut<keylane_keystream>,
    run: &mut dyn FnMut(&mut dyn Stream) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let stream = call.changes(stream)?;
    match stream.mark {
        <AesCtr as Held<_>>::MARK => stream.with(|stream: &mut AesCtr| run(stream)),
        <ChaCha20 as Held<_>>::MARK => stream.with(|stream: &mut ChaCha20| run(stream)),
        <XChaCha20 as Held<_>>::MARK => stream.with(|stream: &mut XChaCha20| run(stream)),
        _ => Err(Failure(KEYLANE_ERROR_UNINITIALISED)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_keystream_init(
    stream: Mut<keylane_keystream>,
    algorithm: c_int,
    key: Input,
    key_len: usize,
    nonce: Input,
    nonce_len: usize,
) -> c_int {
    /// The array, if it is so long.
    fn whole<const N: usize>(bytes: &[u8]) -> Result<&[u8; N], Failure> {
        bytes.try_into().map_err(|_| Failure(KEYLANE_ERROR_WRONG_LENGTH))
    }
    call(move |call| {
        let place = call.place(stream)?;
        let (key, nonce) = (call.input(key, key_len)?, call.input(nonce, nonce_len)?);
        match algorithm {
            KEYLANE_AES_CTR => place.put(&AesCtr::new(&Aes::from_slice(key)?, whole(nonce)?)),
            KEYLANE_CHACHA20 => place.put(&ChaCha20::new(whole(key)?, whole(nonce)?)),
            KEYLANE_XCHACHA20 => place.put(&XChaCha20::new(whole(key)?, whole(nonce)?)),
            _ => return Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER)),
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_keystream_xor(
    stream: Mut<keylane_keystream>,
    text: Output,
    text_len: usize,
) -> c_int {
    call(move |call| {
        let mut text = Some(Text::InPlace(call.output(text, text_len)?));
        with(call, stream, &mut |stream| text.take().map_or(Ok(()), |text| stream.xor(text)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_keystream_xor_to(
    stream: Mut<keylane_keystream>,
    input: Input,
    output: Output,
    len: usize,
) -> c_int {
    call(move |call| {
        let mut text = Some(call.text((input, len), (output, len))?);
        with(call, stream, &mut |stream| text.take().map_or(Ok(()), |text| stream.xor(text)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_keystream_seek(stream: Mut<keylane_keystream>, position: u64) -> c_int {
    call(move |call| with(call, stream, &mut |stream| stream.seek(position)))
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_keystream_position(stream: Ref<keylane_keystream>, position: Mut<u64>) -> c_int {
    call(move |call| {
        let room = call.number(position)?;
        let stream = call.reads(stream)?;
        let position = match stream.mark {
            <AesCtr as Held<_>>::MARK => stream.with(|stream: &AesCtr| Stream::position(stream)),
            <ChaCha20 as Held<_>>::MARK => stream.with(|stream: &ChaCha20| Stream::position(stream)),
            <XChaCha20 as Held<_>>::MARK => stream.with(|stream: &XChaCha20| Stream::position(stream)),
            _ => Err(Failure(KEYLANE_ERROR_UNINITIALISED)),
        };
        room.copy_from_slice(&position?.to_ne_bytes());
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_keystream_wipe(stream: Mut<keylane_keystream>) {
    wipe_struct(stream);
}
