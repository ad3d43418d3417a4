//! AES-GCM (NIST SP 800-38D): authenticated encryption, which detects every change to the text and the
//! additional data.
//!
//! Both directions take one pass over the text, in place or into another buffer. A nonce (12 bytes) must
//! never be used twice with a key: see each type's `# Security`.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod fused;
mod ghash;
pub(crate) mod kernel;
pub(crate) mod portable;
mod self_test;
mod tag;
#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests;

pub use ghash::Ghash;
pub use tag::TruncatedTag;

use crate::aead::{
    self, Aead, Algorithm, Batch, Cipher, Crypt, Direction, TAG_LEN, Tag, check_lengths, verify,
};
use crate::aes::KeyBytes;
use crate::backend::backends;
use crate::error::Error;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use fused::Fused;
use kernel::{
    Kernel, Key, MANY, MAX_AAD_LEN, MAX_TEXT_LEN, NONCE_LEN, Part, Progress, count_alike, count_short,
    first_block, lengths, seal,
};
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::wipe;

backends! {
    pub(crate) static BACKENDS: Backends<Chosen>;
    "aes-gcm", self_test::passes => self_test::passes_side_by_side, dyn Kernel:
    x86_64 [Fused<Blocks4, 4>, Fused<Blocks2, 2>, Fused<Blocks1<AesNi>, 1>]
    aarch64 [Fused<Blocks1<NeonAesSha3>, 1>, Fused<Blocks1, 1>]
    wasm32 [Portable]
    portable [Portable]
}

/// AES-GCM with a key whose length is chosen at run time, and with nonces of any length. Wiped when dropped.
///
/// [`Aes128Gcm`], [`Aes192Gcm`] and [`Aes256Gcm`] also have the methods for nonces of any length.
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::aes_gcm::AesGcm;
///
/// let gcm = AesGcm::from_slice(&[7; 24])?; // AES-192
/// let mut data = *b"attack at dawn";
/// let tag = gcm.seal_any_nonce(b"a nonce of 21 bytes..", b"", &mut data)?;
/// gcm.open_any_nonce(b"a nonce of 21 bytes..", b"", &mut data, &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok(())
/// # }
/// ```
pub type AesGcm = Aead<Gcm<0>>;

/// AES-GCM with keys of N bytes: 16, 24 or 32; with 0, the length is chosen at run time.
#[derive(Clone)]
pub struct Gcm<const N: usize>(Key);

impl AesGcm {
    /// Prepares a key of 16, 24 or 32 bytes, which selects AES-128, AES-192 or AES-256.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for any other length.
    pub fn from_slice(key: &[u8]) -> Result<Self, Error> {
        KeyBytes::from_slice(key).map(|key| Self(Gcm(BACKENDS.chosen().prepare(key))))
    }

    pub(crate) fn key_len(&self) -> usize {
        self.0.0.rounds.key_len()
    }
}

/// Methods for nonces of any length and truncated tags.
impl<const N: usize> Aead<Gcm<N>> {
    /// Encrypts `data` in place under a nonce of 1 byte or more, and returns the tag. With a nonce of 12
    /// bytes, this is [`seal`](Self::seal); nonces of other lengths are hashed (SP 800-38D §7.1), which is
    /// slower.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for an empty nonce; [`Error::InputTooLong`] as for [`Aes256Gcm::seal`].
    ///
    /// # Security
    /// Hashed nonces may collide by chance: use one length for all nonces of a key.
    pub fn seal_any_nonce(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<[u8; TAG_LEN], Error> {
        let mut progress = self.begin(nonce)?;
        check_lengths::<Gcm<N>>(aad.len(), data.len())?;
        let lengths = lengths(aad.len(), data.len());
        let (kernel, text) = (BACKENDS.chosen(), InOut::in_place(data));
        let tag = seal(kernel, &self.0.0, &mut progress, aad, text, Some(&lengths));
        progress.wipe();
        Ok(tag)
    }

    /// Decrypts `data` in place, like [`open`](Self::open), with a nonce of 1 byte or more.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), and [`Error::InvalidParameter`] for an empty nonce.
    pub fn open_any_nonce(
        &self,
        nonce: &[u8],
        aad: &[u8],
        data: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Error> {
        self.open_leading(nonce, aad, data, tag)
    }

    /// Decrypts `data` in place, like [`open_any_nonce`](Self::open_any_nonce), with a tag that the sender
    /// truncated to its first 4 to 16 bytes.
    ///
    /// # Errors
    /// Those of [`open_any_nonce`](Self::open_any_nonce).
    ///
    /// # Security
    /// A shorter tag is easier to forge, and each forgery makes the next one easier (SP 800-38D appendix C).
    pub fn open_truncated_any_nonce(
        &self,
        nonce: &[u8],
        aad: &[u8],
        data: &mut [u8],
        tag: &TruncatedTag,
    ) -> Result<(), Error> {
        self.open_leading(nonce, aad, data, tag.as_bytes())
    }

    /// Opens a message, given the leading bytes of its tag.
    fn open_leading(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        let mut progress = self.begin(nonce)?;
        check_lengths::<Gcm<N>>(aad.len(), data.len())?;
        let lengths = Some(&lengths(aad.len(), data.len()));
        let (direction, key, text) = (Direction::Open(()), &self.0.0, InOut::in_place(data));
        let mut expected = BACKENDS.chosen().crypt(&mut Part {
            direction,
            key,
            progress: &mut progress,
            aad,
            text,
            lengths,
        });
        progress.wipe();
        verify(&mut expected, tag, data)
    }

    /// Computes all powers of H in advance. Otherwise, the first message that needs a power computes it and
    /// stores it in the key. Afterwards no message writes to the key, so that other languages can copy its
    /// bytes, and it can be in read-only memory. Call this before other threads use the key. A clone does not
    /// have the powers.
    ///
    /// ```
    /// use keylane::aes_gcm::Aes256Gcm;
    ///
    /// let key = Aes256Gcm::new(&[7; 32]);
    /// key.precompute();
    /// ```
    pub fn precompute(&self) {
        BACKENDS.chosen().precompute(&self.0.0);
    }

    /// Begins a message with a nonce of any length (SP 800-38D §7.1, step 2).
    fn begin(&self, nonce: &[u8]) -> Result<Progress, Error> {
        if let Ok(nonce) = nonce.try_into() {
            return Ok(Progress::new(first_block(nonce)));
        }
        if nonce.is_empty() {
            return Err(Error::InvalidParameter { what: "nonce: it is empty" });
        }
        if nonce.len() as u64 > MAX_AAD_LEN {
            return Err(Error::InputTooLong { max: MAX_AAD_LEN });
        }
        // The first counter block is GHASH of the nonce and its length. A tag is GHASH XOR a mask, and the
        // tag of the empty message is the mask.
        let kernel = BACKENDS.chosen();
        let hash = |data: &[u8], lengths| {
            let (progress, nothing) = (&mut Progress::new(0), InOut::in_place(&mut []));
            seal(kernel, &self.0.0, progress, data, nothing, Some(&lengths))
        };
        let mut masked = hash(nonce, lengths(0, nonce.len()));
        let mut mask = hash(&[], 0);
        let first = u128::from_le_bytes(masked) ^ u128::from_le_bytes(mask);
        // The mask is the encryption of zero, which is GHASH's key.
        wipe(&mut mask);
        wipe(&mut masked);
        Ok(Progress { from_one: false, ..Progress::new(first) })
    }
}

impl Algorithm for Gcm<16> {
    type Key = [u8; 16];

    fn prepare(key: &[u8; 16]) -> Self {
        Self(BACKENDS.chosen().prepare(KeyBytes::Aes128(key)))
    }
}

impl Algorithm for Gcm<24> {
    type Key = [u8; 24];

    fn prepare(key: &[u8; 24]) -> Self {
        Self(BACKENDS.chosen().prepare(KeyBytes::Aes192(key)))
    }
}

impl Algorithm for Gcm<32> {
    type Key = [u8; 32];

    fn prepare(key: &[u8; 32]) -> Self {
        Self(BACKENDS.chosen().prepare(KeyBytes::Aes256(key)))
    }
}

impl<const N: usize> Cipher for Gcm<N> {
    type Nonce = [u8; NONCE_LEN];
    const NAME: &'static str = match N {
        16 => "aes-128-gcm",
        24 => "aes-192-gcm",
        32 => "aes-256-gcm",
        _ => "aes-gcm",
    };
    const MAX_TEXT_LEN: u64 = MAX_TEXT_LEN;
    const MAX_AAD_LEN: u64 = MAX_AAD_LEN;
}

impl<const N: usize> Crypt<[u8; NONCE_LEN]> for Gcm<N> {
    #[inline(always)]
    fn crypt(&self, direction: Direction<&Tag>, nonce: &[u8; NONCE_LEN], aad: &[u8], text: InOut<'_>) -> Tag {
        self.crypt_each()(direction, nonce, aad, text)
    }

    #[inline(always)]
    fn crypt_each(&self) -> impl Fn(Direction<&Tag>, &[u8; NONCE_LEN], &[u8], InOut<'_>) -> Tag {
        let kernel = BACKENDS.chosen();
        move |direction, nonce, aad, text| {
            let (direction, lengths) = (direction.without_tag(), lengths(aad.len(), text.len()));
            let progress = &mut Progress::new(first_block(nonce));
            kernel.crypt(&mut Part { direction, key: &self.0, progress, aad, text, lengths: Some(&lengths) })
        }
    }

    fn seal_slices(&self, nonce: &[u8; NONCE_LEN], aad: &[u8], slices: &[&[u8]], text: &mut [u8]) -> Tag {
        let (kernel, lengths) = (BACKENDS.chosen(), lengths(aad.len(), text.len()));
        let mut progress = Progress::new(first_block(nonce));
        let mut aad_left = aad;
        let mut tag = [0; TAG_LEN];
        aead::seal_slices::<16>(slices, text, |text, end| {
            let (aad, lengths) = (core::mem::take(&mut aad_left), end.then_some(&lengths));
            tag = seal(kernel, &self.0, &mut progress, aad, text, lengths);
        });
        progress.wipe();
        tag
    }

    #[inline(always)]
    fn gain(&self, messages: &[aead::Message<'_>], bytes: usize) -> bool {
        messages.len() >= MANY && BACKENDS.chosen().gain(messages.len(), bytes)
    }

    fn crypt_many(&self, batch: &mut Batch<'_, '_>) {
        // Messages before `done` are processed; those before `end` will be, one by one.
        let (mut done, mut end) = (0, 0);
        loop {
            let (mut count, mut alike) = (0, true);
            while end < batch.messages.len() {
                count = count_alike(&batch.messages[end..]);
                alike = count >= MANY;
                if !alike {
                    count = count_short(&batch.messages[end..]);
                }
                if count >= MANY {
                    break;
                }
                end += 1;
            }
            let Batch { direction, messages, tags } = batch.part(done..end);
            for (aead::Message { nonce, aad, text, tag: received }, tag) in messages.iter_mut().zip(tags) {
                let text = InOut::in_place(text);
                *tag = self.crypt(direction.with_tag(received), aead::checked(nonce), aad, text);
            }
            if end == batch.messages.len() {
                return;
            }
            let these = &mut batch.part(end..end + count);
            done = end + BACKENDS.chosen_for(2).crypt_many(alike, &self.0, these);
            end += count;
        }
    }
}

/// AES-128-GCM (NIST SP 800-38D), with keys of 16 bytes, nonces of 12 and tags of 16. Wiped when dropped.
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::aes_gcm::Aes128Gcm;
///
/// let key = Aes128Gcm::new(&[7; 16]);
/// let nonce = [0; 12]; // never twice with one key
/// let mut data = *b"attack at dawn";
/// let tag = key.seal(&nonce, b"to the general", &mut data)?;
///
/// key.open(&nonce, b"to the general", &mut data, &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok(())
/// # }
/// ```
///
/// # Security
/// Two messages under one key and one nonce reveal the XOR of the plaintexts and the authentication key, with
/// which anyone can forge messages. Use a counter as the nonce, or derive a key for each message; random
/// nonces of 12 bytes are safe for 2^32 messages under one key.
pub type Aes128Gcm = Aead<Gcm<16>>;

/// AES-192-GCM (NIST SP 800-38D), with keys of 24 bytes, nonces of 12 and tags of 16. Wiped when dropped.
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::aes_gcm::Aes192Gcm;
///
/// let key = Aes192Gcm::from_slice(&[7; 24])?;
/// let mut sealed = [0; 14 + Aes192Gcm::TAG_LEN];
/// key.seal_to(&[0; 12], b"", &[b"attack ", b"at dawn"], &mut sealed)?; // one text in two slices
///
/// let mut text = [0; 14];
/// key.open_to(&[0; 12], b"", &sealed, &mut text)?;
/// assert_eq!(&text, b"attack at dawn");
/// # Ok(())
/// # }
/// ```
///
/// # Security
/// Two messages under one key and one nonce reveal the XOR of the plaintexts and the authentication key, with
/// which anyone can forge messages. Use a counter as the nonce, or derive a key for each message; random
/// nonces of 12 bytes are safe for 2^32 messages under one key.
pub type Aes192Gcm = Aead<Gcm<24>>;

/// AES-256-GCM (NIST SP 800-38D), with keys of 32 bytes, nonces of 12 and tags of 16. Wiped when dropped.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::aes_gcm::Aes256Gcm;
///
/// let key = Aes256Gcm::new(&[7; 32]);
/// let mut nonce = [0; 12];
/// nonce[4..].copy_from_slice(&1_u64.to_be_bytes()); // a counter: never twice with one key
/// let mut message = nonce.to_vec();
/// key.seal_append(&nonce, b"", b"attack at dawn", &mut message)?;
///
/// let (nonce, sealed) = message.split_first_chunk().unwrap();
/// let mut text = vec![0; sealed.len() - Aes256Gcm::TAG_LEN];
/// key.open_to(nonce, b"", sealed, &mut text)?;
/// assert_eq!(text, b"attack at dawn");
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
///
/// # Security
/// Two messages under one key and one nonce reveal the XOR of the plaintexts and the authentication key, with
/// which anyone can forge messages. Use a counter as the nonce, or derive a key for each message; random
/// nonces of 12 bytes are safe for 2^32 messages under one key.
pub type Aes256Gcm = Aead<Gcm<32>>;
