//! XAES-256-GCM (C2SP): AES-256-GCM with nonces of 24 bytes, which may be random.
//!
//! Each message is sealed with AES-256-GCM under its own key, derived from the key and the nonce's first
//! half; the other half is the nonce.

use crate::aead::{self, Aead, Algorithm, Cipher, Crypt, Direction, Tag};
use crate::aes::Aes;
use crate::aes_gcm::Gcm;
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::{Secret, wipe};

/// XAES-256-GCM (C2SP), with keys of 32 bytes, nonces of 24, which may be random, and tags of 16. Wiped when
/// dropped.
///
/// # Security
/// Two messages under one key and one nonce reveal the XOR of the plaintexts and the key that authenticates
/// them. Random nonces of 24 bytes are long enough for 2^80 messages under one key.
///
/// ```
/// # #[cfg(feature = "getrandom")]
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::xaes::Xaes256Gcm;
///
/// let key = Xaes256Gcm::new(&[7; 32]);
/// let mut sealed = [0; Xaes256Gcm::NONCE_LEN + 14 + Xaes256Gcm::TAG_LEN];
/// key.seal_random(b"to the general", b"attack at dawn", &mut sealed)?;
///
/// let mut text = [0; 14];
/// key.open_random(b"to the general", &sealed, &mut text)?;
/// assert_eq!(&text, b"attack at dawn");
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "getrandom"))]
/// # fn main() {}
/// ```
pub type Xaes256Gcm = Aead<Xaes>;

/// The algorithm of [`Xaes256Gcm`].
#[derive(Clone)]
pub struct Xaes {
    aes: Aes,
    /// CMAC's first subkey (NIST SP 800-38B §6.1).
    k1: Secret<u128>,
}

impl Xaes {
    /// Runs `message` with the key and the nonce derived from this key and a long nonce.
    #[inline(always)]
    fn run(&self, nonce: &[u8; 24], message: impl FnOnce(&Gcm<32>, &[u8; 12]) -> Tag) -> Tag {
        let (first, last) = nonce.split_first_chunk::<12>().expect("12 of 24");
        let mut prefix = [0; 16];
        prefix[4..].copy_from_slice(first);
        // CMAC of two one-block messages: a two-byte counter, 'X', zero, the nonce.
        let block =
            |i: u128| ((u128::from_be_bytes(prefix) | i << 112 | 0x58 << 104) ^ *self.k1).to_be_bytes();
        let mut key = Secret::new([block(1), block(2)]);
        self.aes.encrypt_blocks(&mut *key);
        let key = Gcm::<32>::prepare(key.as_flattened().first_chunk().expect("32 bytes"));
        message(&key, last.try_into().expect("12 of 24"))
    }
}

impl Algorithm for Xaes {
    type Key = [u8; 32];

    fn prepare(key: &[u8; 32]) -> Self {
        let aes = Aes::new_256(key);
        let mut zero = [[0; 16]];
        aes.encrypt_blocks(&mut zero);
        let l = u128::from_be_bytes(zero[0]);
        wipe(&mut zero);
        Self { aes, k1: Secret::new(l << 1 ^ (l >> 127).wrapping_neg() & 0x87) }
    }
}

impl Cipher for Xaes {
    type Nonce = [u8; 24];
    const NAME: &'static str = "xaes-256-gcm";
    const MAX_TEXT_LEN: u64 = Gcm::<32>::MAX_TEXT_LEN;
    const MAX_AAD_LEN: u64 = Gcm::<32>::MAX_AAD_LEN;
}

impl Crypt<[u8; 24]> for Xaes {
    fn crypt(&self, direction: Direction<&Tag>, nonce: &[u8; 24], aad: &[u8], text: InOut<'_>) -> Tag {
        self.run(nonce, |key, nonce| key.crypt(direction, nonce, aad, text))
    }

    fn seal_slices(&self, nonce: &[u8; 24], aad: &[u8], slices: &[&[u8]], text: &mut [u8]) -> Tag {
        self.run(nonce, |key, nonce| key.seal_slices(nonce, aad, slices, text))
    }
}

impl aead::RandomNonces for Xaes {}
