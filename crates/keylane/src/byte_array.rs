//! The traits of keys, nonces and digests, which are arrays of bytes.

use core::fmt::Debug;
use zeroize::{Zeroize, Zeroizing};

mod sealed {
    pub trait Sealed {}
    impl<const N: usize> Sealed for [u8; N] {}
}

/// `[u8; N]`: a key, a nonce or a digest. Sealed.
pub trait ByteArray:
    sealed::Sealed + AsKey<Self> + AsMut<[u8]> + AsRef<[u8]> + Copy + Debug + Eq + Send + Sync + Zeroize + 'static
{
    /// The length in bytes.
    const LEN: usize;
    /// The array of zeros.
    const ZERO: Self;
    /// Borrows a slice as an array. Returns `None` if the slice has another length.
    fn from_slice(slice: &[u8]) -> Option<&Self>;
    /// Borrows arrays as one slice.
    fn flatten(arrays: &mut [Self]) -> &mut [u8];
    /// Divides bytes into whole arrays and the rest.
    #[doc(hidden)]
    fn split(bytes: &[u8]) -> (&[Self], &[u8]);
    /// Divides bytes to be written, like [`split`](Self::split).
    #[doc(hidden)]
    fn split_mut(bytes: &mut [u8]) -> (&mut [Self], &mut [u8]);
    /// Inverts [`split`](Self::split).
    #[doc(hidden)]
    fn bytes(arrays: &[Self]) -> &[u8];
}

/// A key of type `K` to be borrowed: the array itself, or one in `Zeroizing` or behind another reference.
///
/// Rust does not coerce `&f()?` from `&Zeroizing<K>` to `&K`; this trait accepts both.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key: expected `{K}`",
    note = "`from_slice` takes a key of any type that borrows as a slice, and checks its length"
)]
pub trait AsKey<K> {
    /// Borrows the key.
    fn as_key(&self) -> &K;
}

impl<const N: usize> AsKey<Self> for [u8; N] {
    #[inline(always)]
    fn as_key(&self) -> &Self {
        self
    }
}

impl<K: ByteArray> AsKey<K> for Zeroizing<K> {
    #[inline(always)]
    fn as_key(&self) -> &K {
        self
    }
}

impl<K, T: AsKey<K> + ?Sized> AsKey<K> for &T {
    #[inline(always)]
    fn as_key(&self) -> &K {
        (**self).as_key()
    }
}

impl<const N: usize> ByteArray for [u8; N] {
    const LEN: usize = N;
    const ZERO: Self = [0; N];

    #[inline(always)]
    fn from_slice(slice: &[u8]) -> Option<&Self> {
        slice.try_into().ok()
    }

    #[inline(always)]
    fn flatten(arrays: &mut [Self]) -> &mut [u8] {
        arrays.as_flattened_mut()
    }

    #[inline]
    fn split(bytes: &[u8]) -> (&[Self], &[u8]) {
        bytes.as_chunks()
    }

    #[inline]
    fn split_mut(bytes: &mut [u8]) -> (&mut [Self], &mut [u8]) {
        bytes.as_chunks_mut()
    }

    #[inline]
    fn bytes(arrays: &[Self]) -> &[u8] {
        arrays.as_flattened()
    }
}
