//! The trait of keys, nonces and digests, which are arrays of bytes.

use core::fmt::Debug;
use zeroize::Zeroize;

mod sealed {
    pub trait Sealed {}
    impl<const N: usize> Sealed for [u8; N] {}
}

/// `[u8; N]`: a key, a nonce or a digest. Sealed.
pub trait ByteArray:
    sealed::Sealed + AsMut<[u8]> + AsRef<[u8]> + Copy + Debug + Eq + Send + Sync + Zeroize + 'static
{
    /// The length in bytes.
    const LEN: usize;
    /// The array of zeros.
    const ZERO: Self;
    /// Borrows a slice as an array. Returns `None` if the slice has another length.
    fn from_slice(slice: &[u8]) -> Option<&Self>;
    /// Borrows arrays as one slice.
    fn flatten(arrays: &mut [Self]) -> &mut [u8];
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
}
