//! Hashes of other crates.

use super::sealed::Sealed;
use super::{Export, Hash};
use crate::hash::compression::keyed::{Job, pad_inner, pad_outer};
use core::fmt::{self, Debug};
use keylane_cpu::wipe::wipe;
use zeroize::ZeroizeOnDrop;

/// The maximum block length of a foreign hash. The longest in use is SHAKE128's, 168 bytes.
const MAX_BLOCK_LEN: usize = 256;

/// A hash function of another crate. [`Foreign`] makes it a [`Hash`].
///
/// For hashes with RustCrypto's traits, use `keylane::rustcrypto::FromDigest`.
pub trait ForeignHash: Clone {
    /// The digest: an array of [`OUTPUT_LEN`](Self::OUTPUT_LEN) bytes.
    type Output: Copy + AsRef<[u8]> + AsMut<[u8]> + Debug + PartialEq + Eq + Send + Sync + 'static;

    /// The digest's length in bytes.
    const OUTPUT_LEN: usize;

    /// The block's length in bytes, at most 256, to which HMAC pads its key.
    const BLOCK_LEN: usize;

    /// The name in lower case: `"sha3-256"`.
    const NAME: &'static str;

    /// Returns a hash that has absorbed nothing.
    fn new() -> Self;

    /// Absorbs `data`. How the bytes are divided among calls does not change the digest.
    fn update(&mut self, data: &[u8]);

    /// Returns the digest of everything absorbed.
    fn finalize(self) -> Self::Output;
}

/// A hash of another crate, as a [`Hash`]: for HMAC, PBKDF2 and HKDF.
///
/// An HMAC key is two clones of the running hash, each of which has absorbed one block of the key. They are
/// wiped on drop if `F` wipes itself.
///
/// ```
/// use keylane::hash::{Foreign, ForeignHash};
/// use keylane::hmac::HmacKey;
///
/// #[derive(Clone)]
/// struct Sha3(sha3::Sha3_256);
///
/// impl ForeignHash for Sha3 {
///     type Output = [u8; 32];
///     const OUTPUT_LEN: usize = 32;
///     const BLOCK_LEN: usize = 136;
///     const NAME: &'static str = "sha3-256";
///
///     fn new() -> Self {
///         Self(sha3::Digest::new())
///     }
///     fn update(&mut self, data: &[u8]) {
///         sha3::Digest::update(&mut self.0, data);
///     }
///     fn finalize(self) -> [u8; 32] {
///         sha3::Digest::finalize(self.0).into()
///     }
/// }
///
/// let key = HmacKey::<Foreign<Sha3>>::new(b"a key of any length");
/// let tag = key.mac(b"message");
/// assert!(key.verify(b"message", &tag).is_ok());
/// ```
#[derive(Clone)]
pub struct Foreign<F>(pub(crate) F);

/// Running hashes that have absorbed HMAC's two padded blocks.
#[derive(Clone)]
pub struct Keyed<F> {
    inner: F,
    outer: F,
}

impl<F: ZeroizeOnDrop> ZeroizeOnDrop for Keyed<F> {}

impl<F> Sealed for Foreign<F> {}

impl<F: ForeignHash> Hash for Foreign<F> {
    type Output = F::Output;
    type Keyed = Keyed<F>;

    const OUTPUT_LEN: usize = F::OUTPUT_LEN;
    const BLOCK_LEN: usize = F::BLOCK_LEN;
    const NAME: &'static str = F::NAME;
    const EXPORT: Option<Export<Keyed<F>>> = None;

    #[inline]
    fn new() -> Self {
        Self(F::new())
    }

    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    #[inline]
    fn finalize(self) -> F::Output {
        self.0.finalize()
    }

    fn finalize_each<'a>(&self, suffix: &dyn Fn(usize) -> &'a [u8], out: &mut [F::Output]) {
        for (i, out) in out.iter_mut().enumerate() {
            let mut hash = self.clone();
            hash.update(suffix(i));
            *out = hash.finalize();
        }
    }

    fn update_each<'a, 'b>(pairs: &mut dyn Iterator<Item = (&'a mut Self, &'b [u8])>)
    where
        Self: 'a,
    {
        for (hash, data) in pairs {
            hash.update(data);
        }
    }

    fn keyed(key: &[u8]) -> Keyed<F> {
        const { assert!(F::OUTPUT_LEN <= F::BLOCK_LEN && F::BLOCK_LEN <= MAX_BLOCK_LEN) }
        let mut block = [0; MAX_BLOCK_LEN];
        let block = &mut block[..F::BLOCK_LEN];
        if key.len() <= F::BLOCK_LEN {
            pad_inner(key, block);
        } else {
            let mut digest = Self::digest(key);
            pad_inner(digest.as_ref(), block);
            wipe(digest.as_mut());
        }
        let (mut inner, mut outer) = (F::new(), F::new());
        inner.update(block);
        pad_outer(block);
        outer.update(block);
        wipe(block);
        Keyed { inner, outer }
    }

    fn start_mac(key: &Keyed<F>) -> Self {
        Self(key.inner.clone())
    }

    fn finish_mac(self, key: &Keyed<F>) -> F::Output {
        let mut outer = key.outer.clone();
        outer.update(self.finalize().as_ref());
        outer.finalize()
    }

    fn mac(key: &Keyed<F>, message: &[u8]) -> F::Output {
        let mut inner = Self::start_mac(key);
        inner.update(message);
        inner.finish_mac(key)
    }

    fn mac_each<'a>(job: &dyn Fn(usize) -> (&'a Keyed<F>, &'a [u8]), tags: &mut [F::Output])
    where
        Self: 'a,
    {
        for (i, tag) in tags.iter_mut().enumerate() {
            let (key, message) = job(i);
            *tag = Self::mac(key, message);
        }
    }

    fn derive(jobs: &mut [Job<'_>], iterations: u32) {
        for job in jobs {
            let key = Self::keyed(job.password);
            for (i, out) in job.out.chunks_mut(F::OUTPUT_LEN).enumerate() {
                let mut first = Self::start_mac(&key);
                first.update(job.salt);
                first.update(&(i as u32 + 1).to_be_bytes());
                let mut u = first.finish_mac(&key);
                let mut sum = u;
                for _ in 1..iterations {
                    u = Self::mac(&key, u.as_ref());
                    for (sum, u) in sum.as_mut().iter_mut().zip(u.as_ref()) {
                        *sum ^= u;
                    }
                }
                out.copy_from_slice(&sum.as_ref()[..out.len()]);
                wipe(sum.as_mut());
                wipe(u.as_mut());
            }
        }
    }
}

impl<F: ZeroizeOnDrop> ZeroizeOnDrop for Foreign<F> {}

impl<F: ForeignHash> Debug for Foreign<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Foreign<{}> {{ .. }}", F::NAME)
    }
}
