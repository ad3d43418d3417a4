//! The same computations by RustCrypto.

mod poly1305;

pub use poly1305::{Residue, expected_poly1305, poly1305_by_the_book, poly1305_key, poly1305_value};

use hmac::{KeyInit, Mac};
use keylane::Hash;
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use sha1::Digest;

/// What RustCrypto computes where Keylane computes with this hash.
pub trait Oracle: Hash {
    /// The primitive, by whose implementations the hash is computed: see [`every_backend`](crate::every_backend).
    const PRIMITIVE: &'static str;

    /// The digest.
    fn expected_digest(data: &[u8]) -> Self::Output;
    /// The whole tag.
    fn expected_mac(key: &[u8], message: &[u8]) -> Self::Output;
    /// Fills `out` by PBKDF2.
    fn expected_pbkdf2(password: &[u8], salt: &[u8], iterations: u32, out: &mut [u8]);
    /// Fills `out` by HKDF, extraction and expansion.
    ///
    /// # Panics
    /// If `out` is too long.
    fn expected_hkdf(salt: &[u8], ikm: &[u8], info: &[u8], out: &mut [u8]);
}

macro_rules! oracle {
    ($($Hash:ident of $primitive:literal: $Theirs:ty;)*) => { $(
        impl Oracle for $Hash {
            const PRIMITIVE: &'static str = $primitive;

            fn expected_digest(data: &[u8]) -> Self::Output {
                <$Theirs>::digest(data).into()
            }

            fn expected_mac(key: &[u8], message: &[u8]) -> Self::Output {
                let mac = hmac::Hmac::<$Theirs>::new_from_slice(key).expect("a key of any length");
                mac.chain_update(message).finalize().into_bytes().into()
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

oracle! {
    Sha1 of "sha1": sha1::Sha1;
    Sha224 of "sha256": sha2::Sha224;
    Sha256 of "sha256": sha2::Sha256;
    Sha384 of "sha512": sha2::Sha384;
    Sha512 of "sha512": sha2::Sha512;
    Sha512_256 of "sha512": sha2::Sha512_256;
}
