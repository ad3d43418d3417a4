//! The trait of all hashes.

use crate::compression::Compression;
use crate::compression::running::Running;
use crate::error::Error;
use crate::hmac::{ChainingValue, Midstate};
use core::fmt::Debug;

/// A hash function, and a running hash of it.
///
/// HMAC, PBKDF2 and HKDF work over any implementation of this trait. A hash from another crate that cannot
/// export its state after a block sets `type Midstate = Self;`, and HMAC keeps clones of the running hash.
///
/// ```
/// use keylane::Hash;
/// use keylane::sha2::Sha256;
///
/// let mut hash = Sha256::new();
/// hash.update(b"one part, ");
/// hash.update(b"and another");
/// assert_eq!(hash.finalize(), Sha256::digest(b"one part, and another"));
/// ```
pub trait Hash: Clone {
    /// The digest: an array of [`OUTPUT_LEN`](Self::OUTPUT_LEN) bytes.
    type Output: Copy + AsRef<[u8]> + AsMut<[u8]> + Debug + PartialEq + Eq + Send + Sync + 'static;

    /// What HMAC keeps of a hash that has absorbed exactly one block: the chaining value, or `Self`.
    type Midstate: Midstate<Self>;

    /// The digest's length in bytes.
    const OUTPUT_LEN: usize;

    /// The block's length in bytes: what HMAC pads its key to. HMAC takes hashes with blocks of up to 256 bytes.
    const BLOCK_LEN: usize;

    /// The name in lower case: `"sha256"`, `"sha512-256"`.
    const NAME: &'static str;

    /// Returns a hash that has absorbed nothing.
    fn new() -> Self;

    /// Absorbs `data`. How the bytes are divided among calls does not change the digest.
    fn update(&mut self, data: &[u8]);

    /// Returns the digest of everything absorbed.
    fn finalize(self) -> Self::Output;

    /// Returns the digest of `data`.
    #[must_use]
    fn digest(data: &[u8]) -> Self::Output {
        let mut hash = Self::new();
        hash.update(data);
        hash.finalize()
    }

    /// Hashes every message, several at a time in the lanes of vector registers. Lengths may differ.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `messages` and `out` differ in length; `out` is unchanged.
    fn digest_many(messages: &[impl AsRef<[u8]>], out: &mut [Self::Output]) -> Result<(), Error> {
        Error::check_length("number of digests", messages.len(), out.len())?;
        for (message, out) in messages.iter().zip(out) {
            *out = Self::digest(message.as_ref());
        }
        Ok(())
    }

    /// Each hash absorbs its own element of `data`, several at a time in the lanes of vector registers.
    /// Lengths may differ; hashing is fastest where all are long and equal.
    ///
    /// ```
    /// use keylane::{Hash, sha2::Sha256};
    ///
    /// let mut hashes = [Sha256::new(), Sha256::new()];
    /// Sha256::update_many(&mut hashes, &["one message, ", "another"])?;
    /// Sha256::update_many(&mut hashes[..1], &["and its end"])?;
    /// let [one, another] = hashes.map(Hash::finalize);
    /// assert_eq!(one, Sha256::digest(b"one message, and its end"));
    /// assert_eq!(another, Sha256::digest(b"another"));
    /// # Ok::<(), keylane::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] if there are more or fewer hashes than elements of `data`; nothing is absorbed.
    fn update_many<'a>(
        hashes: impl IntoIterator<Item = &'a mut Self, IntoIter: ExactSizeIterator>,
        data: &[impl AsRef<[u8]>],
    ) -> Result<(), Error>
    where
        Self: 'a,
    {
        let hashes = hashes.into_iter();
        Error::check_length("number of slices", hashes.len(), data.len())?;
        for (hash, data) in hashes.zip(data) {
            hash.update(data.as_ref());
        }
        Ok(())
    }
}

/// A hash of this crate that is built from a compression function: SHA-1 and SHA-2. Its prepared HMAC keys
/// can be exported. This trait is sealed.
///
/// ```
/// use keylane::{MerkleDamgard, hmac::HmacKey, sha2::Sha384};
///
/// /// A prepared key of any of these hashes, for another process.
/// fn exported<H: MerkleDamgard>(key: &HmacKey<H>) -> Vec<u8> {
///     key.export().as_bytes().to_vec()
/// }
/// assert_eq!(exported(&HmacKey::<Sha384>::new(b"key")).len(), 136);
/// ```
pub trait MerkleDamgard: Hash<Midstate = ChainingValue<Self::Compression>> {
    #[doc(hidden)]
    type Compression: Compression;
    /// The number that names the hash in exported keys.
    #[doc(hidden)]
    const ID: u8;
    #[doc(hidden)]
    const INITIAL: <Self::Compression as Compression>::State;
    /// The digest, from the last state.
    #[doc(hidden)]
    fn output(state: &<Self::Compression as Compression>::State) -> Self::Output;
    #[doc(hidden)]
    fn from_running(running: Running<Self::Compression>) -> Self;
    #[doc(hidden)]
    fn into_running(self) -> Running<Self::Compression>;
}
