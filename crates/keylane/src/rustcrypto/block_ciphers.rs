//! `cipher`'s traits on AES, and types with the key's length, which the traits need.

use crate::aes::Aes;
use cipher::array::Array;
use cipher::consts::{U16, U24, U32};
use cipher::{
    AlgorithmName, Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt,
    BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InOut, InOutBuf, Key,
    KeyInit, KeySizeUser, ParBlocks, ParBlocksSizeUser,
};
use core::{fmt, slice};

/// The backend for RustCrypto's modes of operation. Inputs are copied only if the output is in other memory.
impl BlockCipherEncBackend for Aes {
    #[inline]
    fn encrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        encrypt(self, slice::from_mut(block.into_out_with_copied_in()));
    }

    #[inline]
    fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        encrypt(self, blocks.into_out_with_copied_in());
    }

    #[inline]
    fn encrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        encrypt(self, blocks.into_out_with_copied_in());
    }
}

impl BlockCipherDecBackend for Aes {
    #[inline]
    fn decrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        decrypt(self, slice::from_mut(block.into_out_with_copied_in()));
    }

    #[inline]
    fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        decrypt(self, blocks.into_out_with_copied_in());
    }

    #[inline]
    fn decrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        decrypt(self, blocks.into_out_with_copied_in());
    }
}

impl ParBlocksSizeUser for Aes {
    /// The blocks for one call of a kernel: as many as the widest kernel encrypts at a time.
    type ParBlocksSize = U32;
}

#[inline]
fn encrypt(aes: &Aes, blocks: &mut [Array<u8, U16>]) {
    aes.encrypt_blocks(Array::cast_slice_to_core_mut(blocks));
}

#[inline]
fn decrypt(aes: &Aes, blocks: &mut [Array<u8, U16>]) {
    aes.decrypt_blocks(Array::cast_slice_to_core_mut(blocks));
}

impl AsRef<Self> for Aes {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// Implements the traits on [`Aes`], or on a type for one length of keys, which it defines.
macro_rules! block_cipher {
    ($Cipher:ident, $name:literal $(, $(#[$doc:meta])* key $Key:ty, $new:ident)?) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug)]
            pub struct $Cipher(Aes);

            impl AsRef<Aes> for $Cipher {
                fn as_ref(&self) -> &Aes {
                    &self.0
                }
            }

            impl KeySizeUser for $Cipher {
                type KeySize = $Key;
            }

            impl KeyInit for $Cipher {
                fn new(key: &Key<Self>) -> Self {
                    Self(Aes::$new(&key.0))
                }
            }

            impl zeroize::ZeroizeOnDrop for $Cipher {}
        )?

        impl AlgorithmName for $Cipher {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($name)
            }
        }

        impl BlockSizeUser for $Cipher {
            type BlockSize = U16;
        }

        impl BlockCipherEncrypt for $Cipher {
            #[inline]
            fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
                f.call::<Aes>(self.as_ref());
            }

            // All blocks, in one call of a kernel.
            #[inline]
            fn encrypt_blocks(&self, blocks: &mut [Block<Self>]) {
                encrypt(self.as_ref(), blocks);
            }

            #[inline]
            fn encrypt_blocks_inout(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
                encrypt(self.as_ref(), blocks.into_out_with_copied_in());
            }
        }

        impl BlockCipherDecrypt for $Cipher {
            #[inline]
            fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U16>) {
                f.call::<Aes>(self.as_ref());
            }

            #[inline]
            fn decrypt_blocks(&self, blocks: &mut [Block<Self>]) {
                decrypt(self.as_ref(), blocks);
            }

            #[inline]
            fn decrypt_blocks_inout(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
                decrypt(self.as_ref(), blocks.into_out_with_copied_in());
            }
        }
    };
}

block_cipher!(Aes, "Aes");
block_cipher! {
    Aes128, "Aes128",
    /// [`Aes`] with a key of 16 bytes: a block cipher for RustCrypto's modes of operation. Wiped when
    /// dropped.
    key U16, new_128
}
block_cipher! {
    Aes192, "Aes192",
    /// [`Aes`] with a key of 24 bytes: a block cipher for RustCrypto's modes of operation. Wiped when
    /// dropped.
    key U24, new_192
}
block_cipher! {
    Aes256, "Aes256",
    /// [`Aes`] with a key of 32 bytes: a block cipher for RustCrypto's modes of operation. Wiped when
    /// dropped.
    key U32, new_256
}
