//! `aead`'s traits on the AEADs.

use crate::aead::Aead;
use crate::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm};
use crate::aes_gcm_siv::{Aes128GcmSiv, Aes256GcmSiv};
use crate::chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use crate::xaes::Xaes256Gcm;
use aead::array::{Array, AssocArraySize};
use aead::consts::U16;
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser, Nonce, Result, Tag, TagPosition};

macro_rules! aead {
    ($($Aead:ident)*) => { $(
        impl KeySizeUser for $Aead {
            type KeySize = <<Self as Aead>::Key as AssocArraySize>::Size;
        }

        impl KeyInit for $Aead {
            #[inline]
            fn new(key: &Key<Self>) -> Self {
                Self::new(&key.0)
            }
        }

        impl AeadCore for $Aead {
            type NonceSize = <<Self as Aead>::Nonce as AssocArraySize>::Size;
            type TagSize = U16;

            const TAG_POSITION: TagPosition = TagPosition::Postfix;
        }

        impl AeadInOut for $Aead {
            #[inline]
            fn encrypt_inout_detached(
                &self,
                nonce: &Nonce<Self>,
                aad: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
            ) -> Result<Tag<Self>> {
                // Copied only if the output is not the input.
                self.seal(&nonce.0, aad, buffer.into_out_with_copied_in()).map(Array).map_err(|_| Error)
            }

            #[inline]
            fn decrypt_inout_detached(
                &self,
                nonce: &Nonce<Self>,
                aad: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
                tag: &Tag<Self>,
            ) -> Result<()> {
                self.open(&nonce.0, aad, buffer.into_out_with_copied_in(), &tag.0).map_err(|_| Error)
            }
        }
    )* };
}

aead!(Aes128Gcm Aes192Gcm Aes256Gcm Aes128GcmSiv Aes256GcmSiv ChaCha20Poly1305 XChaCha20Poly1305 Xaes256Gcm);
