//! The kinds of types whose public methods are alike, and the lists of them.

use keylane::Error;
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm, TruncatedTag};
use keylane::chacha20::{ChaCha20, XChaCha20};
use keylane::chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use std::fmt::Debug;

/// Calls a function that is generic over a [`Hash`] for every hash.
#[macro_export]
macro_rules! every_hash {
    ($($function:ident)::+ $(, $argument:expr)*) => {{
        $($function)::+::<keylane::sha1::Sha1>($($argument),*);
        $($function)::+::<keylane::sha2::Sha256>($($argument),*);
        $($function)::+::<keylane::sha2::Sha224>($($argument),*);
        $($function)::+::<keylane::sha2::Sha512>($($argument),*);
        $($function)::+::<keylane::sha2::Sha384>($($argument),*);
        $($function)::+::<keylane::sha2::Sha512_256>($($argument),*);
    }};
}

/// Calls a function that is generic over a [`Stream`] for every stream cipher.
#[macro_export]
macro_rules! every_stream {
    ($($function:ident)::+ $(, $argument:expr)*) => {{
        $($function)::+::<$crate::Aes128Ctr>($($argument),*);
        $($function)::+::<$crate::Aes192Ctr>($($argument),*);
        $($function)::+::<$crate::Aes256Ctr>($($argument),*);
        $($function)::+::<keylane::chacha20::ChaCha20>($($argument),*);
        $($function)::+::<keylane::chacha20::XChaCha20>($($argument),*);
    }};
}

/// Calls a function that is generic over an [`AesGcm`] for every one.
#[macro_export]
macro_rules! every_aes_gcm {
    ($($function:ident)::+ $(, $argument:expr)*) => {{
        $($function)::+::<keylane::aes_gcm::Aes128Gcm>($($argument),*);
        $($function)::+::<keylane::aes_gcm::Aes192Gcm>($($argument),*);
        $($function)::+::<keylane::aes_gcm::Aes256Gcm>($($argument),*);
    }};
}

/// Calls a function that is generic over an [`Aead`] for every one with nonces of 12 bytes.
#[macro_export]
macro_rules! every_streamed_aead {
    ($($function:ident)::+ $(, $argument:expr)*) => {{
        $crate::every_aes_gcm!($($function)::+ $(, $argument)*);
        $($function)::+::<keylane::chacha20poly1305::ChaCha20Poly1305>($($argument),*);
    }};
}

/// Calls a function that is generic over an [`Aead`] for every AEAD.
#[macro_export]
macro_rules! every_aead {
    ($($function:ident)::+ $(, $argument:expr)*) => {{
        $crate::every_streamed_aead!($($function)::+ $(, $argument)*);
        $($function)::+::<keylane::chacha20poly1305::XChaCha20Poly1305>($($argument),*);
    }};
}

/// A hash of Keylane.
pub trait Hash: keylane::MerkleDamgard + 'static {
    /// The primitive that computes it.
    const PRIMITIVE: &'static str;
    /// Its public name.
    const TYPE: &'static [&'static str];
}

macro_rules! hash {
    ($($Hash:ident $type:literal by $primitive:literal;)*) => { $(
        impl Hash for $Hash {
            const PRIMITIVE: &'static str = $primitive;
            const TYPE: &'static [&'static str] = &[$type];
        }
    )* };
}

hash! {
    Sha1 "keylane::sha1::Sha1" by "sha1";
    Sha224 "keylane::sha2::Sha224" by "sha256";
    Sha256 "keylane::sha2::Sha256" by "sha256";
    Sha384 "keylane::sha2::Sha384" by "sha512";
    Sha512 "keylane::sha2::Sha512" by "sha512";
    Sha512_256 "keylane::sha2::Sha512_256" by "sha512";
}

/// A stream cipher of Keylane with keys of one length. The methods are those of the cipher.
#[allow(clippy::missing_errors_doc, reason = "those of the cipher")]
pub trait Stream: Clone + Debug + Send + Sync + 'static {
    /// `"aes-128-ctr"`.
    const NAME: &'static str;
    /// The primitive that computes it.
    const PRIMITIVE: &'static str;
    /// Its public name.
    const TYPE: &'static [&'static str];
    /// The key's length in bytes.
    const KEY_LEN: usize;
    /// The length of the nonce, or of the first counter block.
    const NONCE_LEN: usize;
    /// The length of the key stream, if it has an end.
    const MAX_LEN: Option<u64>;

    /// At position 0 of the key stream.
    ///
    /// # Panics
    /// If a length is wrong.
    fn new(key: &[u8], nonce: &[u8]) -> Self;
    /// In place.
    fn xor_keystream(&mut self, data: &mut [u8]) -> Result<(), Error>;
    /// Out of place.
    fn xor_keystream_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error>;
    /// Goes to a byte of the key stream.
    fn seek(&mut self, position: u64) -> Result<(), Error>;
    /// The next byte's position in the key stream.
    fn position(&self) -> u128;
}

macro_rules! aes_ctr {
    ($($AesCtr:ident $name:literal, $key_len:literal;)*) => { $(
        #[doc = concat!("AES-CTR with a key of ", $key_len, " bytes.")]
        #[derive(Clone, Debug)]
        pub struct $AesCtr(AesCtr);

        impl Stream for $AesCtr {
            const NAME: &'static str = $name;
            const PRIMITIVE: &'static str = "aes-ctr";
            const TYPE: &'static [&'static str] = &["keylane::aes_ctr::AesCtr"];
            const KEY_LEN: usize = $key_len;
            const NONCE_LEN: usize = 16;
            const MAX_LEN: Option<u64> = None;

            fn new(key: &[u8], nonce: &[u8]) -> Self {
                assert_eq!(key.len(), Self::KEY_LEN);
                let aes = Aes::from_slice(key).expect("a key of the right length");
                Self(AesCtr::new(&aes, nonce.try_into().expect("a counter block")))
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
        }
    )* };
}

aes_ctr! {
    Aes128Ctr "aes-128-ctr", 16;
    Aes192Ctr "aes-192-ctr", 24;
    Aes256Ctr "aes-256-ctr", 32;
}

macro_rules! chacha20 {
    ($($ChaCha20:ident $name:literal $type:literal;)*) => { $(
        impl Stream for $ChaCha20 {
            const NAME: &'static str = $name;
            const PRIMITIVE: &'static str = "chacha20";
            const TYPE: &'static [&'static str] = &[$type];
            const KEY_LEN: usize = $ChaCha20::KEY_LEN;
            const NONCE_LEN: usize = $ChaCha20::NONCE_LEN;
            const MAX_LEN: Option<u64> = Some($ChaCha20::MAX_LEN);

            fn new(key: &[u8], nonce: &[u8]) -> Self {
                $ChaCha20::new(key.try_into().expect("a key"), nonce.try_into().expect("a nonce"))
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
        }
    )* };
}

chacha20! {
    ChaCha20 "chacha20" "keylane::chacha20::ChaCha20";
    XChaCha20 "xchacha20" "keylane::chacha20::XChaCha20";
}

/// An AEAD of Keylane. The methods are those of the AEAD.
#[allow(clippy::missing_errors_doc, reason = "those of the AEAD")]
pub trait Aead: Clone + Debug + Send + Sync + 'static {
    /// `"aes-128-gcm"`.
    const NAME: &'static str;
    /// The primitive that computes it.
    const PRIMITIVE: &'static str;
    /// Its public name.
    const TYPE: &'static [&'static str];
    /// The key's length in bytes.
    const KEY_LEN: usize;
    /// The nonce's length in bytes. The methods panic at another.
    const NONCE_LEN: usize;

    /// Prepares a key.
    fn from_slice(key: &[u8]) -> Result<Self, Error>;
    /// In place.
    fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<[u8; 16], Error>;
    /// In place.
    fn open(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> Result<(), Error>;
    /// From slices; the output ends with the tag.
    fn seal_to(&self, nonce: &[u8], aad: &[u8], text: &[&[u8]], output: &mut [u8]) -> Result<(), Error>;
    /// `sealed` ends with the tag.
    fn open_to(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error>;
    /// After what `output` holds.
    fn seal_append(&self, nonce: &[u8], aad: &[u8], text: &[u8], output: &mut Vec<u8>) -> Result<(), Error>;
    /// After what `output` holds.
    fn open_append(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], output: &mut Vec<u8>)
    -> Result<(), Error>;
}

/// What AES-GCM has beyond every AEAD.
#[allow(clippy::missing_errors_doc, reason = "those of the AEAD")]
pub trait AesGcm: Aead {
    /// In place, with a nonce of any length.
    fn seal_any_nonce(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<[u8; 16], Error>;
    /// In place, with a nonce of any length.
    fn open_any_nonce(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> Result<(), Error>;
    /// In place, with a nonce of any length and a tag that may be shorter.
    fn open_truncated(
        &self,
        nonce: &[u8],
        aad: &[u8],
        data: &mut [u8],
        tag: &TruncatedTag,
    ) -> Result<(), Error>;
}

const LENGTH: &str = "the nonce's length";

macro_rules! aead {
    ($($Aead:ident $name:literal $type:literal by $primitive:literal;)*) => { $(
        impl Aead for $Aead {
            const NAME: &'static str = $name;
            const PRIMITIVE: &'static str = $primitive;
            const TYPE: &'static [&'static str] = &[$type];
            const KEY_LEN: usize = $Aead::KEY_LEN;
            const NONCE_LEN: usize = $Aead::NONCE_LEN;

            fn from_slice(key: &[u8]) -> Result<Self, Error> {
                $Aead::from_slice(key)
            }

            fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<[u8; 16], Error> {
                $Aead::seal(self, nonce.try_into().expect(LENGTH), aad, data)
            }

            fn open(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> Result<(), Error> {
                $Aead::open(self, nonce.try_into().expect(LENGTH), aad, data, tag)
            }

            fn seal_to(&self, nonce: &[u8], aad: &[u8], text: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
                $Aead::seal_to(self, nonce.try_into().expect(LENGTH), aad, text, out)
            }

            fn open_to(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], out: &mut [u8]) -> Result<(), Error> {
                $Aead::open_to(self, nonce.try_into().expect(LENGTH), aad, sealed, out)
            }

            fn seal_append(
                &self,
                nonce: &[u8],
                aad: &[u8],
                text: &[u8],
                out: &mut Vec<u8>,
            ) -> Result<(), Error> {
                $Aead::seal_append(self, nonce.try_into().expect(LENGTH), aad, text, out)
            }

            fn open_append(
                &self,
                nonce: &[u8],
                aad: &[u8],
                sealed: &[u8],
                out: &mut Vec<u8>,
            ) -> Result<(), Error> {
                $Aead::open_append(self, nonce.try_into().expect(LENGTH), aad, sealed, out)
            }
        }
    )* };
}

aead! {
    Aes128Gcm "aes-128-gcm" "keylane::aes_gcm::Aes128Gcm" by "aes-gcm";
    Aes192Gcm "aes-192-gcm" "keylane::aes_gcm::Aes192Gcm" by "aes-gcm";
    Aes256Gcm "aes-256-gcm" "keylane::aes_gcm::Aes256Gcm" by "aes-gcm";
    ChaCha20Poly1305 "chacha20-poly1305" "keylane::chacha20poly1305::ChaCha20Poly1305" by "chacha20-poly1305";
    XChaCha20Poly1305 "xchacha20-poly1305" "keylane::chacha20poly1305::XChaCha20Poly1305" by "chacha20-poly1305";
}

macro_rules! aes_gcm {
    ($($Gcm:ident)*) => { $(
        impl AesGcm for $Gcm {
            fn seal_any_nonce(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<[u8; 16], Error> {
                $Gcm::seal_any_nonce(self, nonce, aad, data)
            }

            fn open_any_nonce(
                &self,
                nonce: &[u8],
                aad: &[u8],
                data: &mut [u8],
                tag: &[u8; 16],
            ) -> Result<(), Error> {
                $Gcm::open_any_nonce(self, nonce, aad, data, tag)
            }

            fn open_truncated(
                &self,
                nonce: &[u8],
                aad: &[u8],
                data: &mut [u8],
                tag: &TruncatedTag,
            ) -> Result<(), Error> {
                $Gcm::open_truncated(self, nonce, aad, data, tag)
            }
        }
    )* };
}

aes_gcm!(Aes128Gcm Aes192Gcm Aes256Gcm);
