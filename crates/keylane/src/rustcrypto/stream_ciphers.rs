//! `cipher`'s traits on the key streams.

use crate::aes::Aes;
use crate::aes_ctr::AesCtr;
use crate::chacha20::{ChaCha20, KeyStream, XChaCha20};
use cipher::array::AssocArraySize;
use cipher::common::InnerUser;
use cipher::consts::{U16, U32};
use cipher::{
    InOutBuf, InnerIvInit, Iv, IvSizeUser, Key, KeyIvInit, KeySizeUser, OverflowError, SeekNum, StreamCipher,
    StreamCipherError, StreamCipherSeek,
};
use core::fmt;
use core::marker::PhantomData;

/// AES in counter mode with the key's length in its type, under the name that the crate `ctr` uses:
/// `Ctr128BE<Aes256>`. Wraps an [`AesCtr`]. Wiped when dropped.
///
/// ```
/// use keylane::rustcrypto::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
/// use keylane::rustcrypto::{Aes256, Ctr128BE};
///
/// let (key, counter_block) = ([7; 32], [0; 16]); // a counter block: never twice with one key
/// let mut data = *b"attack at dawn";
/// Ctr128BE::<Aes256>::new(&key.into(), &counter_block.into()).apply_keystream(&mut data);
///
/// let mut stream = Ctr128BE::<Aes256>::new(&key.into(), &counter_block.into());
/// stream.seek(7);
/// stream.apply_keystream(&mut data[7..]);
/// assert_eq!(&data[7..], b"at dawn");
/// ```
///
/// # Security
/// Nothing is authenticated, and counter blocks must not overlap: see [`AesCtr`].
pub struct Ctr128BE<C> {
    stream: AesCtr,
    cipher: PhantomData<C>,
}

impl<C> InnerUser for Ctr128BE<C> {
    type Inner = C;
}

impl<C> IvSizeUser for Ctr128BE<C> {
    type IvSize = U16;
}

/// The trait also implements `KeyIvInit`.
impl<C: AsRef<Aes>> InnerIvInit for Ctr128BE<C> {
    #[inline]
    fn inner_iv_init(cipher: C, counter_block: &Iv<Self>) -> Self {
        Self { stream: AesCtr::new(cipher.as_ref(), &counter_block.0), cipher: PhantomData }
    }
}

impl<C> Clone for Ctr128BE<C> {
    fn clone(&self) -> Self {
        Self { stream: self.stream.clone(), cipher: PhantomData }
    }
}

impl<C> fmt::Debug for Ctr128BE<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stream.fmt(f)
    }
}

impl<C> zeroize::ZeroizeOnDrop for Ctr128BE<C> {}

impl<C> StreamCipher for Ctr128BE<C> {
    #[inline]
    fn check_remaining(&self, len: usize) -> Result<(), StreamCipherError> {
        self.stream.check_remaining(len)
    }

    #[inline]
    fn unchecked_apply_keystream_inout(&mut self, data: InOutBuf<'_, '_, u8>) {
        self.stream.unchecked_apply_keystream_inout(data);
    }

    #[inline]
    fn unchecked_write_keystream(&mut self, data: &mut [u8]) {
        self.stream.unchecked_write_keystream(data);
    }
}

impl<C> StreamCipherSeek for Ctr128BE<C> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        self.stream.try_current_pos()
    }

    fn try_seek<T: SeekNum>(&mut self, position: T) -> Result<(), StreamCipherError> {
        self.stream.try_seek(position)
    }
}

impl InnerUser for AesCtr {
    type Inner = Aes;
}

impl IvSizeUser for AesCtr {
    type IvSize = U16;
}

/// Without `KeyIvInit`, since keys of an [`Aes`] have three lengths. See [`Ctr128BE`].
impl InnerIvInit for AesCtr {
    fn inner_iv_init(aes: Aes, counter_block: &Iv<Self>) -> Self {
        Self::new(&aes, &counter_block.0)
    }
}

impl StreamCipher for AesCtr {
    /// The key stream ends where its position in bytes exceeds 128 bits, long before it repeats.
    #[inline]
    fn check_remaining(&self, len: usize) -> Result<(), StreamCipherError> {
        self.position().checked_add(len as u128).map(|_| ()).ok_or(StreamCipherError)
    }

    #[inline]
    fn unchecked_apply_keystream_inout(&mut self, data: InOutBuf<'_, '_, u8>) {
        self.xor_keystream(data.into_out_with_copied_in());
    }

    #[inline]
    fn unchecked_write_keystream(&mut self, data: &mut [u8]) {
        data.fill(0);
        self.xor_keystream(data);
    }
}

impl StreamCipherSeek for AesCtr {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        number(self.position())
    }

    fn try_seek<T: SeekNum>(&mut self, position: T) -> Result<(), StreamCipherError> {
        self.seek_far(bytes(position)?);
        Ok(())
    }
}

// `SeekNum` converts block numbers and bytes in a block. With blocks of one byte, the block number is the
// position, and no negative number is divided.
fn number<T: SeekNum>(position: u128) -> Result<T, OverflowError> {
    T::from_block_byte(position, 1, 1)
}

fn bytes<T: SeekNum>(position: T) -> Result<u128, OverflowError> {
    position.into_block_byte(1).map(|(position, _)| position)
}

impl<const NONCE_LEN: usize> KeySizeUser for KeyStream<NONCE_LEN> {
    type KeySize = U32;
}

impl<const NONCE_LEN: usize> IvSizeUser for KeyStream<NONCE_LEN>
where
    [u8; NONCE_LEN]: AssocArraySize,
{
    type IvSize = <[u8; NONCE_LEN] as AssocArraySize>::Size;
}

impl KeyIvInit for ChaCha20 {
    #[inline]
    fn new(key: &Key<Self>, nonce: &Iv<Self>) -> Self {
        Self::new(&key.0, &nonce.0)
    }
}

impl KeyIvInit for XChaCha20 {
    #[inline]
    fn new(key: &Key<Self>, nonce: &Iv<Self>) -> Self {
        Self::new(&key.0, &nonce.0)
    }
}

impl<const NONCE_LEN: usize> StreamCipher for KeyStream<NONCE_LEN> {
    #[inline]
    fn check_remaining(&self, len: usize) -> Result<(), StreamCipherError> {
        if len as u64 > Self::MAX_LEN - self.position() { Err(StreamCipherError) } else { Ok(()) }
    }

    /// # Panics
    /// At the end of the key stream, after which its beginning would be repeated.
    #[inline]
    fn unchecked_apply_keystream_inout(&mut self, data: InOutBuf<'_, '_, u8>) {
        self.xor_keystream(data.into_out_with_copied_in()).expect("end of the key stream");
    }

    /// # Panics
    /// At the end of the key stream, after which its beginning would be repeated.
    #[inline]
    fn unchecked_write_keystream(&mut self, data: &mut [u8]) {
        data.fill(0);
        self.xor_keystream(data).expect("end of the key stream");
    }
}

impl<const NONCE_LEN: usize> StreamCipherSeek for KeyStream<NONCE_LEN> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        number(u128::from(self.position()))
    }

    fn try_seek<T: SeekNum>(&mut self, position: T) -> Result<(), StreamCipherError> {
        let position = u64::try_from(bytes(position)?).map_err(|_| StreamCipherError)?;
        self.seek(position).map_err(|_| StreamCipherError)
    }
}
