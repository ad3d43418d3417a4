//! The trait of all hashes. It is implemented by the macro `hash!`, for this crate's hashes, and by
//! `Foreign`, for those of other crates.

pub(crate) mod foreign;

use crate::error::Error;
use crate::hash::compression::keyed::Job;
use core::fmt::Debug;

/// A hash function, and a running hash of it.
///
/// HMAC, PBKDF2 and HKDF work with any `Hash`. The trait is sealed. For a hash of another crate, implement
/// [`ForeignHash`](crate::hash::ForeignHash), and use [`Foreign`](crate::hash::Foreign) to make it a `Hash`.
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
pub trait Hash: Clone + sealed::Sealed {
    /// The digest: an array of [`OUTPUT_LEN`](Self::OUTPUT_LEN) bytes.
    type Output: Copy + AsRef<[u8]> + AsMut<[u8]> + Debug + PartialEq + Eq + Send + Sync + 'static;

    /// The digest's length in bytes.
    const OUTPUT_LEN: usize;

    /// The block's length in bytes, to which HMAC pads its key.
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

    /// Writes the digest of every message to `out`. Several messages at a time are hashed in the lanes of
    /// vector registers. Their lengths may differ.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `messages` and `out` differ in length; `out` is unchanged.
    fn digest_many(messages: &[impl AsRef<[u8]>], out: &mut [Self::Output]) -> Result<(), Error> {
        Error::check_length("number of digests", messages.len(), out.len())?;
        let lens = messages.iter().map(|message| message.as_ref().len());
        if Self::gain(messages.len(), lens.fold(0, usize::saturating_add)) {
            Self::new().finalize_each(&|i| messages[i].as_ref(), out);
        } else {
            messages.iter().zip(out).for_each(|(message, out)| *out = Self::digest(message.as_ref()));
        }
        Ok(())
    }

    /// Writes the digests of several messages that begin alike to `out`: of everything absorbed, followed by
    /// each of the suffixes. Several at a time are hashed in the lanes of vector registers. Their lengths may
    /// differ. The hash is unchanged.
    ///
    /// For Merkle trees, salted blocks and hash-based signatures.
    ///
    /// ```
    /// use keylane::{Hash, sha2::Sha256};
    ///
    /// let mut leaf = Sha256::new();
    /// leaf.update(&[0]); // says that a leaf follows (RFC 9162 §2.1.1)
    /// let mut digests = [[0; 32]; 2];
    /// leaf.finalize_many(&["one entry", "another"], &mut digests)?;
    /// assert_eq!(digests[1], Sha256::digest(b"\0another"));
    /// # Ok::<(), keylane::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `suffixes` and `out` differ in length; `out` is unchanged.
    fn finalize_many(&self, suffixes: &[impl AsRef<[u8]>], out: &mut [Self::Output]) -> Result<(), Error> {
        Error::check_length("number of digests", suffixes.len(), out.len())?;
        self.finalize_each(&|i| suffixes[i].as_ref(), out);
        Ok(())
    }

    /// Lets each hash absorb its own element of `data`, several at a time in the lanes of vector registers.
    /// Lengths may differ; hashing is fastest if all are long and equal.
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
        Self::update_each(&mut hashes.zip(data.iter().map(AsRef::as_ref)));
        Ok(())
    }

    /// Returns whether some of these messages, of so many bytes in all, are hashed in less time side by side.
    #[doc(hidden)]
    fn gain(_messages: usize, _bytes: usize) -> bool {
        true
    }

    // The methods below are compiled once per hash, whatever the type of the callers' messages.

    /// Fills `out` with digests of everything absorbed and a suffix: the i-th is `suffix(i)`.
    #[doc(hidden)]
    fn finalize_each<'a>(&self, suffix: &dyn Fn(usize) -> &'a [u8], out: &mut [Self::Output]);

    /// Lets each hash absorb its data.
    #[doc(hidden)]
    fn update_each<'a, 'b>(pairs: &mut dyn Iterator<Item = (&'a mut Self, &'b [u8])>)
    where
        Self: 'a;

    /// A prepared key of HMAC. Wiped on drop, if the hash is.
    #[doc(hidden)]
    type Keyed: Clone;

    /// The functions that export a prepared key; `None` if the hash cannot export its state.
    #[doc(hidden)]
    const EXPORT: Option<Export<Self::Keyed>>;

    /// Prepares a key of any length.
    #[doc(hidden)]
    fn keyed(key: &[u8]) -> Self::Keyed;

    /// Returns HMAC's inner hash, which has absorbed its block of the key.
    #[doc(hidden)]
    fn start_mac(key: &Self::Keyed) -> Self;

    /// Returns the tag of what the inner hash has absorbed.
    #[doc(hidden)]
    fn finish_mac(self, key: &Self::Keyed) -> Self::Output;

    /// Returns the tag of a message in one piece.
    #[doc(hidden)]
    fn mac(key: &Self::Keyed, message: &[u8]) -> Self::Output;

    /// Fills `tags` with tags: the i-th key and message are `job(i)`.
    #[doc(hidden)]
    fn mac_each<'a>(job: &dyn Fn(usize) -> (&'a Self::Keyed, &'a [u8]), tags: &mut [Self::Output])
    where
        Self: 'a;

    /// Computes PBKDF2 for every job. The caller has checked the lengths.
    #[doc(hidden)]
    fn derive(jobs: &mut [Job<'_>], iterations: u32);
}

/// Conversions between a prepared key and bytes.
pub struct Export<K> {
    /// The number that names the hash.
    pub(crate) id: u8,
    /// The number of bytes.
    pub(crate) len: usize,
    pub(crate) store: fn(&K, &mut [u8]),
    pub(crate) load: fn(&[u8]) -> K,
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// Defines a hash from a compression function, an initial value, the length of its digest, and the number
/// that names it in exported keys of HMAC.
macro_rules! hash {
    (
        $(#[$doc:meta])*
        $Hash:ident, $name:literal, $Core:ty, output $len:literal, initial $initial:expr, id $id:literal
    ) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $Hash($crate::hash::compression::running::Running<$Core>);

        impl $Hash {
            pub(crate) const INITIAL: <$Core as $crate::hash::compression::Compression>::State = $initial;

            #[inline]
            fn output(state: &<$Core as $crate::hash::compression::Compression>::State) -> [u8; $len] {
                let mut output = [0; $len];
                <$Core as $crate::hash::compression::Compression>::store(state, &mut output);
                output
            }
        }

        impl $crate::hash::function::sealed::Sealed for $Hash {}

        // Methods that short messages need are inlined. The others are compiled in this crate, not in each
        // crate that calls them.
        impl $crate::hash::function::Hash for $Hash {
            type Output = [u8; $len];
            type Keyed = $crate::hash::compression::keyed::Keyed<$Core>;

            const OUTPUT_LEN: usize = $len;
            const BLOCK_LEN: usize = <$Core as $crate::hash::compression::Compression>::BLOCK_LEN;
            const NAME: &'static str = $name;
            const EXPORT: Option<$crate::hash::function::Export<Self::Keyed>> = Some($crate::hash::function::Export {
                id: $id,
                len: 2 * <$Core as $crate::hash::compression::Compression>::STATE_LEN,
                store: Self::Keyed::store,
                load: Self::Keyed::load,
            });

            #[inline]
            fn new() -> Self {
                Self($crate::hash::compression::running::Running::resume(Self::INITIAL, 0))
            }

            fn update(&mut self, data: &[u8]) {
                self.0.update(data);
            }

            fn finalize(mut self) -> [u8; $len] {
                Self::output(&self.0.finish())
            }

            #[inline]
            fn digest(data: &[u8]) -> [u8; $len] {
                Self::output(&$crate::hash::compression::running::digest::<$Core>(&Self::INITIAL, data))
            }

            #[inline]
            fn gain(messages: usize, bytes: usize) -> bool {
                $crate::hash::compression::many::gain::<$Core>(messages, bytes)
            }

            fn finalize_each<'a>(&self, suffix: &dyn Fn(usize) -> &'a [u8], out: &mut [[u8; $len]]) {
                self.0.finish_many($len, suffix, out.as_flattened_mut());
            }

            fn update_each<'a, 'b>(pairs: &mut dyn Iterator<Item = (&'a mut Self, &'b [u8])>)
            where
                Self: 'a,
            {
                let pairs = &mut pairs.map(|(hash, data)| (&mut hash.0, data));
                $crate::hash::compression::running::Running::update_many(pairs);
            }

            fn keyed(key: &[u8]) -> Self::Keyed {
                Self::Keyed::new(&Self::INITIAL, $len, key)
            }

            #[inline]
            fn start_mac(key: &Self::Keyed) -> Self {
                Self(key.start())
            }

            fn finish_mac(mut self, key: &Self::Keyed) -> [u8; $len] {
                Self::output(&key.finish($len, &mut self.0))
            }

            #[inline]
            fn mac(key: &Self::Keyed, message: &[u8]) -> [u8; $len] {
                Self::output(&key.mac($len, message))
            }

            fn mac_each<'a>(
                job: &dyn Fn(usize) -> (&'a Self::Keyed, &'a [u8]),
                tags: &mut [[u8; $len]],
            ) where
                Self: 'a,
            {
                $crate::hash::compression::many::mac_each($len, job, tags.as_flattened_mut());
            }

            fn derive(jobs: &mut [$crate::hash::compression::keyed::Job<'_>], iterations: u32) {
                $crate::hash::compression::keyed::derive::<$Core>(&Self::INITIAL, $len, jobs, iterations);
            }
        }

        impl zeroize::ZeroizeOnDrop for $Hash {}

        impl Default for $Hash {
            fn default() -> Self {
                <Self as $crate::hash::function::Hash>::new()
            }
        }

        impl core::fmt::Debug for $Hash {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($Hash), " { .. }"))
            }
        }
    };
}
pub(crate) use hash;
