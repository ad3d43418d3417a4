//! What RustCrypto computes for each AEAD of Keylane.

use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::aead::{array::ArraySize, consts};
use aes_gcm::aes::cipher::{BlockCipherEncrypt, BlockSizeUser};
use core::ops::Deref;
use keylane::aead::ByteArray;
use keylane::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm};
use keylane::chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};

/// An AEAD of Keylane, and what another implementation computes.
pub trait Aead: keylane::aead::Aead {
    /// The primitive, by whose implementations the AEAD is computed: see [`every_backend`](crate::every_backend).
    const PRIMITIVE: &'static str;

    /// Text and tag, by RustCrypto.
    fn expected_sealed(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) -> Vec<u8>;
}

/// AES-GCM of Keylane.
pub trait AesGcm:
    Aead + keylane::aead::Aead<Nonce = [u8; 12]> + Deref<Target = keylane::aes_gcm::AesGcm>
{
}
impl<A: Aead + keylane::aead::Aead<Nonce = [u8; 12]> + Deref<Target = keylane::aes_gcm::AesGcm>> AesGcm
    for A
{
}

/// A nonce from a slice.
///
/// # Panics
/// If it has another length.
#[must_use]
pub fn as_nonce<A: Aead>(bytes: &[u8]) -> &A::Nonce {
    A::Nonce::from_slice(bytes).expect("the length of a nonce")
}

fn sealed_by<Theirs: AeadInOut + KeyInit>(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) -> Vec<u8> {
    let cipher = Theirs::new_from_slice(key).expect("a key of the right length");
    let nonce = nonce.try_into().expect("a nonce of the right length");
    let mut sealed = text.to_vec();
    let tag = cipher.encrypt_inout_detached(nonce, aad, sealed.as_mut_slice().into());
    sealed.extend_from_slice(&tag.expect("lengths within the limits"));
    sealed
}

macro_rules! aead {
    ($($Aead:ident of $primitive:literal, $expected_sealed:expr;)*) => { $(
        impl Aead for $Aead {
            const PRIMITIVE: &'static str = $primitive;

            fn expected_sealed(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) -> Vec<u8> {
                $expected_sealed(key, nonce, aad, text)
            }
        }
    )* };
}

aead! {
    Aes128Gcm of "aes-gcm", sealed_by_aes_gcm::<aes::Aes128>;
    Aes192Gcm of "aes-gcm", sealed_by_aes_gcm::<aes::Aes192>;
    Aes256Gcm of "aes-gcm", sealed_by_aes_gcm::<aes::Aes256>;
    ChaCha20Poly1305 of "chacha20-poly1305", sealed_by::<chacha20poly1305::ChaCha20Poly1305>;
    XChaCha20Poly1305 of "chacha20-poly1305", sealed_by::<chacha20poly1305::XChaCha20Poly1305>;
}

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
