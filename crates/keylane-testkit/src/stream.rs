//! The stream ciphers of Keylane behind one trait, and the same computations by RustCrypto.

use core::fmt::Debug;
use ctr::cipher::{KeyIvInit, StreamCipher};
use keylane::Error;
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;

/// A stream cipher of Keylane with keys of one length.
pub trait Stream: Clone + Debug + Send + Sync {
    /// As in messages of tests: `"aes-128-ctr"`.
    const NAME: &'static str;
    /// The primitive, by whose implementations the cipher is computed: see [`every_backend`](crate::every_backend).
    const PRIMITIVE: &'static str;
    /// The key's length in bytes.
    const KEY_LEN: usize;
    /// The length of the nonce, or of the block that the counter begins with.
    const NONCE_LEN: usize;

    /// At position 0 of the keystream.
    ///
    /// # Panics
    /// If a length is wrong.
    fn new(key: &[u8], nonce: &[u8]) -> Self;
    /// In place.
    fn xor_keystream(&mut self, data: &mut [u8]);
    /// Out of place.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    fn xor_keystream_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error>;
    /// Goes to a byte of the keystream.
    fn seek(&mut self, position: u64);
    /// The next byte's place in the keystream.
    fn position(&self) -> u128;

    /// The keystream's first `len` bytes, by RustCrypto.
    fn expected_keystream(key: &[u8], nonce: &[u8], len: usize) -> Vec<u8>;
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

            fn new(key: &[u8], nonce: &[u8]) -> Self {
                assert_eq!(key.len(), Self::KEY_LEN);
                let aes = Aes::from_slice(key).expect("a key of the right length");
                Self(AesCtr::new(&aes, nonce.try_into().expect("a nonce of the right length")))
            }

            fn xor_keystream(&mut self, data: &mut [u8]) {
                self.0.xor_keystream(data);
            }

            fn xor_keystream_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
                self.0.xor_keystream_to(input, output)
            }

            fn seek(&mut self, position: u64) {
                self.0.seek(position);
            }

            fn position(&self) -> u128 {
                self.0.position()
            }

            fn expected_keystream(key: &[u8], nonce: &[u8], len: usize) -> Vec<u8> {
                let mut keystream = vec![0; len];
                let cipher = ctr::Ctr128BE::<$Theirs>::new_from_slices(key, nonce);
                cipher.expect("a key and a nonce of the right lengths").apply_keystream(&mut keystream);
                keystream
            }
        }
    )* };
}

aes_ctr! {
    Aes128Ctr: "aes-128-ctr", 16, aes::Aes128;
    Aes192Ctr: "aes-192-ctr", 24, aes::Aes192;
    Aes256Ctr: "aes-256-ctr", 32, aes::Aes256;
}
