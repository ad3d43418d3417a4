//! AES by RustCrypto, block by block.

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, KeyInit, consts::U16};
use aes::{Aes128, Aes192, Aes256};

/// Each block encrypted.
///
/// # Panics
/// If the key has not 16, 24 or 32 bytes.
#[must_use]
pub fn encrypted_blocks(key: &[u8], blocks: &[[u8; 16]]) -> Vec<[u8; 16]> {
    fn encrypted<Theirs>(key: &[u8], block: [u8; 16]) -> [u8; 16]
    where
        Theirs: KeyInit + BlockCipherEncrypt + BlockSizeUser<BlockSize = U16>,
    {
        let mut block = block.into();
        Theirs::new_from_slice(key).expect("a key of this length").encrypt_block(&mut block);
        block.into()
    }
    let encrypted = [encrypted::<Aes128>, encrypted::<Aes192>, encrypted::<Aes256>][index(key)];
    blocks.iter().map(|&block| encrypted(key, block)).collect()
}

/// Each block decrypted.
///
/// # Panics
/// If the key has not 16, 24 or 32 bytes.
#[must_use]
pub fn decrypted_blocks(key: &[u8], blocks: &[[u8; 16]]) -> Vec<[u8; 16]> {
    fn decrypted<Theirs>(key: &[u8], block: [u8; 16]) -> [u8; 16]
    where
        Theirs: KeyInit + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16>,
    {
        let mut block = block.into();
        Theirs::new_from_slice(key).expect("a key of this length").decrypt_block(&mut block);
        block.into()
    }
    let decrypted = [decrypted::<Aes128>, decrypted::<Aes192>, decrypted::<Aes256>][index(key)];
    blocks.iter().map(|&block| decrypted(key, block)).collect()
}

fn index(key: &[u8]) -> usize {
    [16, 24, 32].into_iter().position(|len| len == key.len()).expect("a key of 16, 24 or 32 bytes")
}
