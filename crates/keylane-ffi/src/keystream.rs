//! Key streams, by algorithm: AES-CTR (NIST SP 800-38A section 6.5), ChaCha20 (RFC 8439 section 2.4) and
//! XChaCha20.

use crate::boundary::{Input, Mut, Output, Ref, Text, export, structs};
use crate::error::{
    Failure, KEYLANE_ERROR_INPUT_TOO_LONG, KEYLANE_ERROR_INVALID_PARAMETER, KEYLANE_ERROR_WRONG_LENGTH,
};
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::chacha20::{ChaCha20, XChaCha20};
use std::ffi::c_int;

pub const KEYLANE_AES_CTR: c_int = 1;
pub const KEYLANE_CHACHA20: c_int = 2;
pub const KEYLANE_XCHACHA20: c_int = 3;

/// A key stream of any algorithm.
pub enum Stream {
    AesCtr(AesCtr),
    ChaCha20(ChaCha20),
    XChaCha20(XChaCha20),
}

structs! {
    keylane_keystream: 384, 16, b"klkeys\0\x01", Stream; keylane_keystream_wipe
}

impl Stream {
    fn new(algorithm: c_int, key: &[u8], nonce: &[u8]) -> Result<Self, Failure> {
        Ok(match algorithm {
            KEYLANE_AES_CTR => Self::AesCtr(AesCtr::new(&Aes::from_slice(key)?, whole(nonce)?)),
            KEYLANE_CHACHA20 => Self::ChaCha20(ChaCha20::new(whole(key)?, whole(nonce)?)),
            KEYLANE_XCHACHA20 => Self::XChaCha20(XChaCha20::new(whole(key)?, whole(nonce)?)),
            _ => return Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER)),
        })
    }

    // Two functions use this. Without inlining, a call costs 19 instructions more for 16 bytes.
    #[inline(always)]
    fn xor(&mut self, text: &mut [u8]) -> Result<(), Failure> {
        match self {
            Self::AesCtr(stream) => stream.xor_keystream(text),
            Self::ChaCha20(stream) => stream.xor_keystream(text)?,
            Self::XChaCha20(stream) => stream.xor_keystream(text)?,
        }
        Ok(())
    }

    fn xor_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Failure> {
        match self {
            Self::AesCtr(stream) => stream.xor_keystream_to(input, output)?,
            Self::ChaCha20(stream) => stream.xor_keystream_to(input, output)?,
            Self::XChaCha20(stream) => stream.xor_keystream_to(input, output)?,
        }
        Ok(())
    }

    fn seek(&mut self, position: u64) -> Result<(), Failure> {
        match self {
            Self::AesCtr(stream) => stream.seek(position),
            Self::ChaCha20(stream) => stream.seek(position)?,
            Self::XChaCha20(stream) => stream.seek(position)?,
        }
        Ok(())
    }

    fn position(&self) -> Result<u64, Failure> {
        match self {
            Self::AesCtr(stream) => {
                stream.position().try_into().map_err(|_| Failure(KEYLANE_ERROR_INPUT_TOO_LONG))
            }
            Self::ChaCha20(stream) => Ok(stream.position()),
            Self::XChaCha20(stream) => Ok(stream.position()),
        }
    }
}

/// Returns the bytes as an array if there are N.
fn whole<const N: usize>(bytes: &[u8]) -> Result<&[u8; N], Failure> {
    bytes.try_into().map_err(|_| Failure(KEYLANE_ERROR_WRONG_LENGTH))
}

export! {
    fn keylane_keystream_init(
        call;
        stream: Mut<keylane_keystream>,
        algorithm: c_int,
        key[key_len]: Input,
        nonce[nonce_len]: Input,
    ) {
        call.put(stream, &Stream::new(algorithm, call.input(key)?, call.input(nonce)?)?)
    }

    fn keylane_keystream_xor(call; stream: Mut<keylane_keystream>, text[text_len]: Output) {
        let text = call.output(text)?;
        call.changes(stream, |stream| stream.xor(text))?
    }

    fn keylane_keystream_xor_to(
        call;
        stream: Mut<keylane_keystream>,
        input: Input,
        output: Output,
        len: usize,
    ) {
        match call.text((input, len), (output, len))? {
            Text::InPlace(text) => call.changes(stream, |stream| stream.xor(text))?,
            Text::Apart(input, output) => call.changes(stream, |stream| stream.xor_to(input, output))?,
        }
    }

    fn keylane_keystream_seek(call; stream: Mut<keylane_keystream>, position: u64) {
        call.changes(stream, |stream| stream.seek(position))?
    }

    fn keylane_keystream_position(call; stream: Ref<keylane_keystream>, position: Mut<u64>) {
        let room = call.number(position)?;
        let position = call.reads(stream, Stream::position)??;
        room.copy_from_slice(&position.to_ne_bytes());
        Ok(())
    }
}
