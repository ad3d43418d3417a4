//! The kinds of types with the same public methods, lists of these types, and RustCrypto's counterparts.

use crate::oracle::{hmac_by_definition, keystream_by, sealed_by, sealed_by_aes_gcm};
use keylane::Error;
use keylane::aead::ByteArray;
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::aes_gcm::Gcm;
use keylane::aes_gcm_siv::GcmSiv;
use keylane::any::{AeadKind, AnyAead};
use keylane::chacha20::{ChaCha20, XChaCha20};
use keylane::chacha20poly1305::{ChaChaPoly, XChaChaPoly};
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use keylane::xaes::Xaes;
use sha1::Digest as _;
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

/// Calls a function that is generic over an [`Aead`] for every AEAD.
#[macro_export]
macro_rules! every_aead {
    ($($function:ident)::+ $(, $argument:expr)*) => {{
        $($function)::+::<keylane::aes_gcm::Gcm<16>>($($argument),*);
        $($function)::+::<keylane::aes_gcm::Gcm<24>>($($argument),*);
        $($function)::+::<keylane::aes_gcm::Gcm<32>>($($argument),*);
        $($function)::+::<keylane::aes_gcm_siv::GcmSiv<16>>($($argument),*);
        $($function)::+::<keylane::aes_gcm_siv::GcmSiv<32>>($($argument),*);
        $($function)::+::<keylane::chacha20poly1305::ChaChaPoly>($($argument),*);
        $($function)::+::<keylane::chacha20poly1305::XChaChaPoly>($($argument),*);
        $($function)::+::<keylane::xaes::Xaes>($($argument),*);
    }};
}

/// The type with the methods of a hash.
pub type HasherOf<H> = keylane::hash::Hasher<<H as keylane::Hash>::Function>;

/// A hash of Keylane, and what RustCrypto computes with its own.
pub trait Hash: keylane::Hash + 'static {
    /// The primitive that computes it.
    const PRIMITIVE: &'static str;

    /// The digest.
    fn expected_digest(data: &[u8]) -> Self::Output;

    /// The whole tag.
    fn expected_mac(key: &[u8], message: &[u8]) -> Self::Output {
        hmac_by_definition(Self::expected_digest, Self::BLOCK_LEN, key, message)
    }

    /// Fills `out` by PBKDF2.
    fn expected_pbkdf2(password: &[u8], salt: &[u8], iterations: u32, out: &mut [u8]);
    /// Fills `out` by HKDF, extraction and expansion.
    ///
    /// # Panics
    /// If `out` is too long.
    fn expected_hkdf(salt: &[u8], ikm: &[u8], info: &[u8], out: &mut [u8]);
}

macro_rules! hash {
    ($($Hash:ident by $primitive:literal, as $Theirs:ty;)*) => { $(
        impl Hash for $Hash {
            const PRIMITIVE: &'static str = $primitive;

            fn expected_digest(data: &[u8]) -> Self::Output {
                <$Theirs>::digest(data).into()
            }

            fn expected_pbkdf2(password: &[u8], salt: &[u8], iterations: u32, out: &mut [u8]) {
                pbkdf2::pbkdf2_hmac::<$Theirs>(password, salt, iterations, out);
            }

            fn expected_hkdf(salt: &[u8], ikm: &[u8], info: &[u8], out: &mut [u8]) {
                let hkdf = hkdf::Hkdf::<$Theirs>::new(Some(salt), ikm);
                hkdf.expand(info, out).expect("a length within the limit");
            }
        }
    )* };
}

hash! {
    Sha1 by "sha1", as sha1::Sha1;
    Sha224 by "sha256", as sha2::Sha224;
    Sha256 by "sha256", as sha2::Sha256;
    Sha384 by "sha512", as sha2::Sha384;
    Sha512 by "sha512", as sha2::Sha512;
    Sha512_256 by "sha512", as sha2::Sha512_256;
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
    /// The first `len` bytes of its key stream by RustCrypto.
    const EXPECTED: fn(key: &[u8], nonce: &[u8], len: usize) -> Vec<u8>;
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
    ($($AesCtr:ident $name:literal, $key_len:literal as $Theirs:ty;)*) => { $(
        #[doc = concat!("AES-CTR with a key of ", $key_len, " bytes.")]
        #[derive(Clone, Debug)]
        pub struct $AesCtr(AesCtr);

        impl Stream for $AesCtr {
            const NAME: &'static str = $name;
            const PRIMITIVE: &'static str = "aes-ctr";
            const TYPE: &'static [&'static str] = &["keylane::aes_ctr::AesCtr"];
            const EXPECTED: fn(&[u8], &[u8], usize) -> Vec<u8> = keystream_by::<ctr::Ctr128BE<$Theirs>>;
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
    Aes128Ctr "aes-128-ctr", 16 as aes::Aes128;
    Aes192Ctr "aes-192-ctr", 24 as aes::Aes192;
    Aes256Ctr "aes-256-ctr", 32 as aes::Aes256;
}

macro_rules! chacha20 {
    ($($ChaCha20:ident $name:literal as $Theirs:ty;)*) => { $(
        impl Stream for $ChaCha20 {
            const NAME: &'static str = $name;
            const PRIMITIVE: &'static str = "chacha20";
            const TYPE: &'static [&'static str] = &["keylane::chacha20::KeyStream"];
            const EXPECTED: fn(&[u8], &[u8], usize) -> Vec<u8> = keystream_by::<$Theirs>;
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
    ChaCha20 "chacha20" as chacha20::ChaCha20;
    XChaCha20 "xchacha20" as chacha20::XChaCha20;
}

/// Seals: takes a key, a nonce, additional data and a text.
type Seal = fn(&[u8], &[u8], &[u8], &[u8]) -> Vec<u8>;

/// An AEAD of Keylane. Subjects cut 32 bytes for its key and 24 for its nonce: neither may be longer.
pub trait Aead: keylane::aead::Algorithm {
    /// The primitive that computes it.
    const PRIMITIVE: &'static str;
    /// Its public name, and that of a key.
    const TYPE: &'static [&'static str];
    /// Text and tag by RustCrypto.
    const EXPECTED: Seal;
    /// The length of a key in bytes.
    const KEY_LEN: usize = Self::Key::LEN;
    /// The length of a nonce in bytes.
    const NONCE_LEN: usize = Self::Nonce::LEN;

    /// Prepares a key.
    ///
    /// # Panics
    /// If its length is wrong.
    fn prepared(key: &[u8]) -> keylane::aead::Aead<Self> {
        keylane::aead::Aead::<Self>::from_slice(key).expect("a key of the right length")
    }

    /// Prepares a key of the kind of this name.
    ///
    /// # Panics
    /// If its length is wrong.
    fn any(key: &[u8]) -> AnyAead {
        let kind = AeadKind::from_name(Self::NAME).expect("the name of an AEAD");
        AnyAead::from_slice(kind, key).expect("a key of the right length")
    }

    /// Returns a nonce from its bytes.
    ///
    /// # Panics
    /// If their number is wrong.
    fn nonce(bytes: &[u8]) -> &Self::Nonce {
        ByteArray::from_slice(bytes).expect("the nonce's length")
    }
}

macro_rules! aead {
    ($($Algorithm:ty, $type:literal by $primitive:literal, as $expected:expr;)*) => { $(
        impl Aead for $Algorithm {
            const PRIMITIVE: &'static str = $primitive;
            const TYPE: &'static [&'static str] = &[$type, "keylane::aead::Aead"];
            const EXPECTED: Seal = $expected;
        }
    )* };
}

aead! {
    Gcm<16>, "keylane::aes_gcm::Gcm" by "aes-gcm", as sealed_by_aes_gcm::<aes::Aes128>;
    Gcm<24>, "keylane::aes_gcm::Gcm" by "aes-gcm", as sealed_by_aes_gcm::<aes::Aes192>;
    Gcm<32>, "keylane::aes_gcm::Gcm" by "aes-gcm", as sealed_by_aes_gcm::<aes::Aes256>;
    GcmSiv<16>, "keylane::aes_gcm_siv::GcmSiv" by "aes-gcm-siv", as sealed_by::<aes_gcm_siv::Aes128GcmSiv>;
    GcmSiv<32>, "keylane::aes_gcm_siv::GcmSiv" by "aes-gcm-siv", as sealed_by::<aes_gcm_siv::Aes256GcmSiv>;
    Xaes, "keylane::xaes::Xaes" by "aes-gcm", as sealed_by::<xaes_256_gcm::Xaes256Gcm>;
    ChaChaPoly, "keylane::chacha20poly1305::ChaChaPoly" by "chacha20-poly1305",
        as sealed_by::<chacha20poly1305::ChaCha20Poly1305>;
    XChaChaPoly, "keylane::chacha20poly1305::XChaChaPoly" by "chacha20-poly1305",
        as sealed_by::<chacha20poly1305::XChaCha20Poly1305>;
}
