//! The AEADs of Keylane behind one trait, and the same computations by RustCrypto.

use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::aead::{array::ArraySize, consts};
use aes_gcm::aes::cipher::{BlockCipherEncrypt, BlockSizeUser};
use core::fmt::Debug;
use keylane::Error;
use keylane::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm, TruncatedTag};
use keylane::chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};

/// An AEAD of Keylane: what the methods do is said there.
#[allow(clippy::missing_errors_doc, reason = "those of the AEAD")]
pub trait Aead: Clone + Debug + Send + Sync {
    /// As in messages of tests: `"aes-128-gcm"`.
    const NAME: &'static str;
    /// The primitive, by whose implementations the AEAD is computed: see [`every_backend`](crate::every_backend).
    const PRIMITIVE: &'static str;
    /// The key's length in bytes.
    const KEY_LEN: usize;
    /// The nonce's length in bytes: the methods panic at another.
    const NONCE_LEN: usize;

    /// Prepares a key.
    fn from_slice(key: &[u8]) -> Result<Self, Error>;
    /// In place.
    fn seal(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<[u8; 16], Error>;
    /// In place.
    fn open(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> Result<(), Error>;
    /// Gathers the text's pieces; the tag is the end of the output.
    fn seal_to(&self, nonce: &[u8], aad: &[u8], text: &[&[u8]], output: &mut [u8]) -> Result<(), Error>;
    /// The tag is the end of `sealed`.
    fn open_to(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], output: &mut [u8]) -> Result<(), Error>;
    /// Behind what `output` holds.
    fn seal_append(&self, nonce: &[u8], aad: &[u8], text: &[u8], output: &mut Vec<u8>) -> Result<(), Error>;
    /// Behind what `output` holds.
    fn open_append(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], output: &mut Vec<u8>)
    -> Result<(), Error>;

    /// Text and tag, by RustCrypto.
    fn expected_sealed(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) -> Vec<u8>;
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

fn sealed_by<Theirs: AeadInOut + KeyInit>(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) -> Vec<u8> {
    let cipher = Theirs::new_from_slice(key).expect("a key of the right length");
    let nonce = nonce.try_into().expect("a nonce of the right length");
    let mut sealed = text.to_vec();
    let tag = cipher.encrypt_inout_detached(nonce, aad, sealed.as_mut_slice().into());
    sealed.extend_from_slice(&tag.expect("lengths within the limits"));
    sealed
}

const LENGTH: &str = "the right length";

macro_rules! aead {
    ($($Aead:ident: $name:literal of $primitive:literal, $expected_sealed:expr;)*) => { $(
        impl Aead for $Aead {
            const NAME: &'static str = $name;
            const PRIMITIVE: &'static str = $primitive;
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

            fn seal_to(
                &self,
                nonce: &[u8],
                aad: &[u8],
                text: &[&[u8]],
                output: &mut [u8],
            ) -> Result<(), Error> {
                $Aead::seal_to(self, nonce.try_into().expect(LENGTH), aad, text, output)
            }

            fn open_to(
                &self,
                nonce: &[u8],
                aad: &[u8],
                sealed: &[u8],
                output: &mut [u8],
            ) -> Result<(), Error> {
                $Aead::open_to(self, nonce.try_into().expect(LENGTH), aad, sealed, output)
            }

            fn seal_append(
                &self,
                nonce: &[u8],
                aad: &[u8],
                text: &[u8],
                output: &mut Vec<u8>,
            ) -> Result<(), Error> {
                $Aead::seal_append(self, nonce.try_into().expect(LENGTH), aad, text, output)
            }

            fn open_append(
                &self,
                nonce: &[u8],
                aad: &[u8],
                sealed: &[u8],
                output: &mut Vec<u8>,
            ) -> Result<(), Error> {
                $Aead::open_append(self, nonce.try_into().expect(LENGTH), aad, sealed, output)
            }

            fn expected_sealed(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) -> Vec<u8> {
                $expected_sealed(key, nonce, aad, text)
            }
        }
    )* };
}

aead! {
    Aes128Gcm: "aes-128-gcm" of "aes-gcm", sealed_by_aes_gcm::<aes::Aes128>;
    Aes192Gcm: "aes-192-gcm" of "aes-gcm", sealed_by_aes_gcm::<aes::Aes192>;
    Aes256Gcm: "aes-256-gcm" of "aes-gcm", sealed_by_aes_gcm::<aes::Aes256>;
    ChaCha20Poly1305: "chacha20-poly1305" of "chacha20-poly1305", sealed_by::<chacha20poly1305::ChaCha20Poly1305>;
    XChaCha20Poly1305: "xchacha20-poly1305" of "chacha20-poly1305", sealed_by::<chacha20poly1305::XChaCha20Poly1305>;
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

macro_rules! nonce_lens {
    ($($len:literal: $Len:ty,)*) => {
        /// The lengths of nonces that RustCrypto's AES-GCM is asked for: its types fix them.
        pub const AES_GCM_NONCE_LENS: &[usize] = &[$($len),*];

        fn sealed_by_aes_gcm<Aes>(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) -> Vec<u8>
        where
            Aes: BlockCipherEncrypt + BlockSizeUser<BlockSize = consts::U16> + KeyInit,
            $( $Len: ArraySize, )*
        {
            match nonce.len() {
                $( $len => sealed_by::<aes_gcm::AesGcm<Aes, $Len>>(key, nonce, aad, text), )*
                len => panic!("no nonce of {len} bytes to compare with"),
            }
        }
    };
}

// Around the blocks of GHASH, which the nonce goes through if it has not 12 bytes.
nonce_lens! {
    1: consts::U1,
    8: consts::U8,
    11: consts::U11,
    12: consts::U12,
    13: consts::U13,
    15: consts::U15,
    16: consts::U16,
    17: consts::U17,
    32: consts::U32,
    60: consts::U60,
    64: consts::U64,
    128: consts::U128,
    257: consts::U257,
}
