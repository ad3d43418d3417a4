//! The stream ciphers of Keylane behind one trait, and the same computations by RustCrypto.

use core::fmt::Debug;
use ctr::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use keylane::Error;
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::chacha20::{ChaCha20, XChaCha20};

/// A stream cipher of Keylane with keys of one length: what the methods do is said there.
#[allow(clippy::missing_errors_doc, reason = "those of the stream cipher")]
pub trait Stream: Clone + Debug + Send + Sync {
    /// As in messages of tests: `"aes-128-ctr"`.
    const NAME: &'static str;
    /// The primitive, by whose implementations the cipher is computed: see [`every_backend`](crate::every_backend).
    const PRIMITIVE: &'static str;
    /// The key's length in bytes.
    const KEY_LEN: usize;
    /// The length of the nonce, or of the block that the counter begins with.
    const NONCE_LEN: usize;
    /// The length of the keystream, if it has an end.
    const MAX_LEN: Option<u64>;

    /// At position 0 of the keystream.
    ///
    /// # Panics
    /// If a length is wrong.
    fn new(key: &[u8], nonce: &[u8]) -> Self;
    /// In place.
    fn xor_keystream(&mut self, data: &mut [u8]) -> Result<(), Error>;
    /// Out of place.
    fn xor_keystream_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error>;
    /// Goes to a byte of the keystream.
    fn seek(&mut self, position: u64) -> Result<(), Error>;
    /// The next byte's place in the keystream.
    fn position(&self) -> u128;

    /// The keystream's first `len` bytes, by RustCrypto.
    fn expected_keystream(key: &[u8], nonce: &[u8], len: usize) -> Vec<u8>;
}

fn keystream_by<Theirs: KeyIvInit + StreamCipher>(key: &[u8], nonce: &[u8], len: usize) -> Vec<u8> {
    let mut keystream = vec![0; len];
    let cipher = Theirs::new_from_slices(key, nonce);
    cipher.expect("a key and a nonce of the right lengths").apply_keystream(&mut keystream);
    keystream
}

macro_rules! aes_ctr {
    ($($AesCtr:ident: $name:literal, $key_len:literal, $Theirs:ty;)*) => { $(
        #[doc = concat!("AES-CTR with a key of ", $key_len, " bytes.")]
        #[derive(Clone, Debug)]
        pub struct $AesCtr(AesCtr);

        impl Stream for $AesCtr {
            const NAME: &'static str = $name;
            const PRIMITIVE: &'static str = "aes-ctr";
            const KEY_LEN: usize = $key_len;
            const NONCE_LEN: usize = 16;
            const MAX_LEN: Option<u64> = None;

            fn new(key: &[u8], nonce: &[u8]) -> Self {
                assert_eq!(key.len(), Self::KEY_LEN);
                let aes = Aes::from_slice(key).expect("a key of the right length");
                Self(AesCtr::new(&aes, nonce.try_into().expect("a nonce of the right length")))
            }

            fn xor_keystream(&mut self, data: &mut [u8]) -> Result<(), Error> {
                self.0.xor_keystream(data);
                Ok(())
            }

            fn xor_keystream_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
                self.0.xor_keystream_to(input, output)
            }

            fn seek(&mut self, position: u64) -> Result<(), Error> {
                self.0.seek(position);
                Ok(())
            }

            fn position(&self) -> u128 {
                self.0.position()
            }

            fn expected_keystream(key: &[u8], nonce: &[u8], len: usize) -> Vec<u8> {
                keystream_by::<ctr::Ctr128BE<$Theirs>>(key, nonce, len)
            }
        }
    )* };
}

aes_ctr! {
    Aes128Ctr: "aes-128-ctr", 16, aes::Aes128;
    Aes192Ctr: "aes-192-ctr", 24, aes::Aes192;
    Aes256Ctr: "aes-256-ctr", 32, aes::Aes256;
}

macro_rules! chacha20 {
    ($($ChaCha20:ident: $name:literal, $Theirs:ty;)*) => { $(
        impl Stream for $ChaCha20 {
            const NAME: &'static str = $name;
            const PRIMITIVE: &'static str = "chacha20";
            const KEY_LEN: usize = $ChaCha20::KEY_LEN;
            const NONCE_LEN: usize = $ChaCha20::NONCE_LEN;
            const MAX_LEN: Option<u64> = Some($ChaCha20::MAX_LEN);

            fn new(key: &[u8], nonce: &[u8]) -> Self {
                let nonce = nonce.try_into().expect("a nonce of the right length");
                $ChaCha20::new(key.try_into().expect("a key of the right length"), nonce)
            }

            fn xor_keystream(&mut self, data: &mut [u8]) -> Result<(), Error> {
                $ChaCha20::xor_keystream(self, data)
            }

            fn xor_keystream_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
                $ChaCha20::xor_keystream_to(self, input, output)
            }

            fn seek(&mut self, position: u64) -> Result<(), Error> {
                $ChaCha20::seek(self, position)
            }

            fn position(&self) -> u128 {
                $ChaCha20::position(self).into()
            }

            fn expected_keystream(key: &[u8], nonce: &[u8], len: usize) -> Vec<u8> {
                keystream_by::<$Theirs>(key, nonce, len)
            }
        }
    )* };
}

chacha20! {
    ChaCha20: "chacha20", chacha20::ChaCha20;
    XChaCha20: "xchacha20", chacha20::XChaCha20;
}

/// ChaCha20's keystream from any position on, for a nonce of which `nonce` is the end, behind four zeros. RustCrypto's
/// RFC 8439 stops before the last block, so this is its original ChaCha20: the upper half of a counter of 64 bits takes the
/// place of the zeros.
///
/// # Panics
/// If the keystream ends before.
#[must_use]
pub fn chacha20_keystream_at(key: &[u8; 32], nonce: &[u8; 8], position: u64, len: usize) -> Vec<u8> {
    assert!(position + len as u64 <= ChaCha20::MAX_LEN);
    let mut keystream = vec![0; len];
    let mut cipher = chacha20::ChaCha20Legacy::new(key.into(), nonce.into());
    cipher.seek(position);
    cipher.apply_keystream(&mut keystream);
    keystream
}
