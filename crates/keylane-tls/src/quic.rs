//! Packet protection of QUIC (RFC 9001 §5), of one packet and of many at once.
//!
//! A [`Secret`] of the handshake makes a [`PacketKey`], which seals and opens what packets hold, and a
//! [`HeaderKey`], which makes the masks that hide parts of their headers. A sender seals all packets that it
//! passes to the system together, such as those of one `sendmsg` with segmentation offload, in one call:
//!
//! ```
//! # fn main() -> Result<(), keylane::Error> {
//! use keylane_tls::quic::{Packet, Secret, Version, protect_header};
//! use keylane_tls::record::Cipher;
//!
//! let secret = Secret::new(Cipher::Aes128Gcm, Version::V1, &[7; 32])?; // from the handshake
//! let (key, header_key) = (secret.packet_key(), secret.header_key());
//!
//! // Packets 0 and 1: a header of 13 bytes, with a packet number of 4 bytes, a text, and room for the tag.
//! let mut datagrams = [[0; 1200]; 2];
//! let mut packets = Vec::new();
//! for (number, datagram) in datagrams.iter_mut().enumerate() {
//!     let (header, rest) = datagram.split_at_mut(13);
//!     let (payload, tag) = rest.split_last_chunk_mut().unwrap();
//!     header[0] = 0x43;
//!     header[9..].copy_from_slice(&(number as u32).to_be_bytes());
//!     packets.push(Packet { number: number as u64, header, payload, tag });
//! }
//! key.seal_many(&mut packets)?;
//!
//! // Samples are taken as if every packet number had 4 bytes.
//! let samples = datagrams.map(|datagram| *datagram[13..].first_chunk().unwrap());
//! let mut masks = [[0; 5]; 2];
//! header_key.masks(&samples, &mut masks)?;
//! for (datagram, mask) in datagrams.iter_mut().zip(&masks) {
//!     let (first, rest) = datagram.split_first_mut().unwrap();
//!     protect_header(mask, first, &mut rest[8..12]);
//! }
//! # Ok(())
//! # }
//! ```

use crate::record::{Cipher, NonceBase, PreparedAead, TAG_LEN};
use core::fmt;
use keylane::aead::Message;
use keylane::aes::Aes;
use keylane::chacha20::ChaCha20;
use keylane::hkdf::Prk;
use keylane::sha2::{Sha256, Sha384};
use keylane::{Error, Hash};
use keylane_cpu::constant_time::declassify;
use zeroize::Zeroizing;

/// The length of a sample of a packet's ciphertext in bytes.
pub const SAMPLE_LEN: usize = 16;

/// The length of a mask in bytes: one for the header's first byte, four for the packet number.
pub const MASK_LEN: usize = 5;

/// A version of QUIC, which has salts and labels of its own.
///
/// ```
/// use keylane_tls::quic::{Secret, Version};
///
/// let [client, server] = Secret::initial(Version::V2, b"the client's first choice");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Version {
    /// RFC 9000.
    V1,
    /// RFC 9369.
    V2,
}

impl Version {
    /// Returns the salt of Initial packets' secrets (RFC 9001 §5.2, RFC 9369 §3.3.1).
    const fn salt(self) -> [u8; 20] {
        match self {
            Self::V1 => *b"\x38\x76\x2c\xf7\xf5\x59\x34\xb3\x4d\x17\x9a\xe6\xa4\xc8\x0c\xad\xcc\xbb\x7f\x0a",
            Self::V2 => *b"\x0d\xed\xe3\xde\xf7\x00\xa6\xdb\x81\x93\x81\xbe\x6e\x26\x9d\xcb\xf9\xbd\x2e\xd9",
        }
    }

    /// Returns how the labels of its keys begin (RFC 9001 §5.1, RFC 9369 §3.3.2).
    const fn label(self) -> &'static str {
        match self {
            Self::V1 => "quic ",
            Self::V2 => "quicv2 ",
        }
    }
}

/// A secret of one direction, from which its keys are derived (RFC 9001 §5.1). Wiped on drop.
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane_tls::quic::{Secret, Version};
/// use keylane_tls::record::Cipher;
///
/// let secret = Secret::new(Cipher::Aes256Gcm, Version::V1, &[7; 48])?;
/// let (key, header_key) = (secret.packet_key(), secret.header_key());
/// let next_key = secret.next().packet_key(); // the key for headers stays
/// # Ok(())
/// # }
/// ```
pub struct Secret {
    cipher: Cipher,
    version: Version,
    /// Bytes, as many as a digest of the cipher suite's hash has.
    bytes: Zeroizing<Vec<u8>>,
}

impl Secret {
    /// Copies a secret of the TLS handshake: 48 bytes with AES-256-GCM, whose cipher suite has SHA-384, and
    /// 32 with the others.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for any other length.
    pub fn new(cipher: Cipher, version: Version, secret: &[u8]) -> Result<Self, Error> {
        let len = match cipher {
            Cipher::Aes256Gcm => Sha384::OUTPUT_LEN,
            Cipher::Aes128Gcm | Cipher::ChaCha20Poly1305 => Sha256::OUTPUT_LEN,
        };
        if secret.len() != len {
            let what = "length of the secret in bytes";
            return Err(Error::WrongLength { what, min: len, max: len, actual: secret.len() });
        }
        Ok(Self { cipher, version, bytes: Zeroizing::new(secret.to_vec()) })
    }

    /// Returns the client's and the server's secret of Initial packets (§5.2), which everyone can compute.
    /// `connection_id` is the destination of the client's first packet.
    #[must_use]
    pub fn initial(version: Version, connection_id: &[u8]) -> [Self; 2] {
        let prk = Prk::<Sha256>::extract(&version.salt(), connection_id);
        ["client in", "server in"].map(|label| {
            let mut bytes = Zeroizing::new(vec![0; Sha256::OUTPUT_LEN]);
            expand_label(&prk, &["", label], &mut bytes);
            Self { cipher: Cipher::Aes128Gcm, version, bytes }
        })
    }

    /// Derives the key for packets.
    #[must_use]
    pub fn packet_key(&self) -> PacketKey {
        let (mut key, mut iv) = (Zeroizing::new([0; 32]), Zeroizing::new([0; 12]));
        let key = &mut key[..self.cipher.key_len()];
        self.derive("key", key);
        self.derive("iv", &mut *iv);
        PacketKey::new(self.cipher, key, &iv).expect("a key of the cipher's length")
    }

    /// Derives the key for headers.
    #[must_use]
    pub fn header_key(&self) -> HeaderKey {
        let mut key = Zeroizing::new([0; 32]);
        let key = &mut key[..self.cipher.key_len()];
        self.derive("hp", key);
        HeaderKey::new(self.cipher, key).expect("a key of the cipher's length")
    }

    /// Derives the secret that follows a key update (§6.1). Only its [`packet_key`](Self::packet_key) is
    /// used: the key for headers stays the same.
    #[must_use]
    pub fn next(&self) -> Self {
        let mut bytes = Zeroizing::new(vec![0; self.bytes.len()]);
        self.derive("ku", &mut bytes);
        Self { bytes, ..*self }
    }

    fn derive(&self, label: &str, out: &mut [u8]) {
        const LONG: &str = "as long as a digest";
        let label = [self.version.label(), label];
        match self.cipher {
            Cipher::Aes256Gcm => {
                expand_label(&Prk::<Sha384>::from_bytes(&self.bytes).expect(LONG), &label, out);
            }
            Cipher::Aes128Gcm | Cipher::ChaCha20Poly1305 => {
                expand_label(&Prk::<Sha256>::from_bytes(&self.bytes).expect(LONG), &label, out);
            }
        }
    }
}

/// RFC 8446 §7.1, without a context.
fn expand_label<H: Hash>(prk: &Prk<H>, label: &[&str; 2], out: &mut [u8]) {
    const TLS13: &str = "tls13 ";
    let [begin, end] = label;
    let lengths = [0, out.len() as u8, (TLS13.len() + begin.len() + end.len()) as u8];
    prk.expand(&[&lengths, TLS13.as_bytes(), begin.as_bytes(), end.as_bytes(), &[0]], out)
        .expect("at most a digest long");
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Secret");
        fields.field("cipher", &self.cipher).field("version", &self.version).finish_non_exhaustive()
    }
}

/// A packet, for [`PacketKey::seal_many`] and [`PacketKey::open_many`].
///
/// ```
/// use keylane_tls::quic::Packet;
///
/// let mut datagram = [0; 100];
/// let (header, rest) = datagram.split_at_mut(13);
/// let (payload, tag) = rest.split_last_chunk_mut().unwrap();
/// let packet = Packet { number: 5, header, payload, tag };
/// ```
pub struct Packet<'a> {
    /// The whole packet number. A key must not seal two packets with the same one.
    pub number: u64,
    /// The header without its protection, up to the end of the packet number.
    pub header: &'a [u8],
    /// The text, encrypted or decrypted in place.
    pub payload: &'a mut [u8],
    /// The tag, which follows the payload: written when sealing, read when opening.
    pub tag: &'a mut [u8; 16],
}

impl fmt::Debug for Packet<'_> {
    /// Does not print the payload.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Packet");
        fields.field("number", &self.number).field("header", &self.header).finish_non_exhaustive()
    }
}

/// A key for what packets hold (RFC 9001 §5.3). Wiped on drop. The [module](self) has an example.
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane_tls::{quic::PacketKey, record::Cipher};
///
/// let key = PacketKey::new(Cipher::ChaCha20Poly1305, &[7; 32], &[9; 12])?;
/// let mut payload = *b"attack at dawn";
/// let tag = key.seal(654, b"header", &mut payload)?;
/// key.open(654, b"header", &mut payload, &tag)?;
/// assert_eq!(&payload, b"attack at dawn");
/// # Ok(())
/// # }
/// ```
pub struct PacketKey {
    cipher: Cipher,
    aead: Box<PreparedAead>,
    nonces: NonceBase,
}

impl PacketKey {
    /// Prepares a key and an IV.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `key` does not have the cipher's [`key_len`](Cipher::key_len).
    pub fn new(cipher: Cipher, key: &[u8], iv: &[u8; 12]) -> Result<Self, Error> {
        Ok(Self { cipher, aead: cipher.prepare(key)?, nonces: NonceBase::new(iv) })
    }

    /// Encrypts a packet's payload in place and returns the tag, which also covers the number and the header.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] above 64 GiB, which no datagram has.
    pub fn seal(&self, number: u64, header: &[u8], payload: &mut [u8]) -> Result<[u8; TAG_LEN], Error> {
        self.seal_on_path(0, number, header, payload)
    }

    /// Does [`seal`](Self::seal) on one of several paths.
    pub(crate) fn seal_on_path(
        &self,
        path: u32,
        number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<[u8; TAG_LEN], Error> {
        self.aead.seal(&self.nonces.nonce_on_path(path, number), header, payload)
    }

    /// Decrypts a packet's payload in place if `tag` is its tag.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`]: `payload` was wiped. [`Error::InputTooLong`] as for
    /// [`seal`](Self::seal).
    pub fn open(
        &self,
        number: u64,
        header: &[u8],
        payload: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Error> {
        self.open_on_path(0, number, header, payload, tag)
    }

    /// Does [`open`](Self::open) on one of several paths.
    pub(crate) fn open_on_path(
        &self,
        path: u32,
        number: u64,
        header: &[u8],
        payload: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Error> {
        self.aead.open(&self.nonces.nonce_on_path(path, number), header, payload, tag)
    }

    /// Seals many packets, as [`seal`](Self::seal) does one, side by side where that is faster.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] as for [`seal`](Self::seal); then some packets may have been sealed.
    pub fn seal_many(&self, packets: &mut [Packet<'_>]) -> Result<(), Error> {
        self.in_batches(packets, |messages| self.aead.seal_many(messages))
    }

    /// Opens many packets, as [`open`](Self::open) does one. Writes to `opened` for each packet whether its
    /// tag is right; the payloads of the others are wiped.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`] unless every tag is right. [`Error::WrongLength`] unless `opened` is
    /// as long as `packets`. [`Error::InputTooLong`] as for [`seal_many`](Self::seal_many).
    pub fn open_many(&self, packets: &mut [Packet<'_>], opened: &mut [bool]) -> Result<(), Error> {
        check_results(packets.len(), opened.len())?;
        let mut opened = opened;
        let mut result = Ok(());
        self.in_batches(packets, |messages| {
            let (now, later) = std::mem::take(&mut opened).split_at_mut(messages.len());
            opened = later;
            match self.aead.open_many(messages, now) {
                Err(Error::AuthenticationFailed) => result = Err(Error::AuthenticationFailed),
                other => return other,
            }
            Ok(())
        })?;
        result
    }

    /// Calls `run` with the packets as messages, some at a time, without allocating.
    fn in_batches(
        &self,
        packets: &mut [Packet<'_>],
        mut run: impl FnMut(&mut [Message<'_>]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        packets.chunks_mut(MANY).try_for_each(|packets| match packets.len() {
            ..5 => self.batch::<4>(packets, &mut run),
            5..13 => self.batch::<12>(packets, &mut run),
            13..33 => self.batch::<32>(packets, &mut run),
            _ => self.batch::<MANY>(packets, &mut run),
        })
    }

    /// Calls `run` with the packets, at most `N`.
    fn batch<const N: usize>(
        &self,
        packets: &mut [Packet<'_>],
        run: &mut impl FnMut(&mut [Message<'_>]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut nonces = [[0; 12]; N];
        for (nonce, packet) in nonces.iter_mut().zip(&*packets) {
            *nonce = self.nonces.nonce(packet.number);
        }
        // An array has a message in every place. Those after the last packet are not passed on.
        let mut unused = [[0; TAG_LEN]; N];
        let (len, mut packets, mut unused) = (packets.len(), packets.iter_mut(), unused.iter_mut());
        let mut messages: [Message<'_>; N] = std::array::from_fn(|i| match packets.next() {
            Some(Packet { header, payload, tag, .. }) => {
                Message { nonce: &nonces[i], aad: header, text: payload, tag }
            }
            None => {
                let tag = unused.next().expect("as many as places");
                Message { nonce: &nonces[i], aad: &[], text: &mut [], tag }
            }
        });
        run(&mut messages[..len])
    }

    /// Returns how many packets the key may seal (§6.6).
    #[must_use]
    pub const fn confidentiality_limit(&self) -> u64 {
        match self.cipher {
            Cipher::Aes128Gcm | Cipher::Aes256Gcm => 1 << 23,
            // More than there are packet numbers.
            Cipher::ChaCha20Poly1305 => u64::MAX,
        }
    }

    /// Returns how many packets may fail to open before the connection has to end (§6.6).
    #[must_use]
    pub const fn integrity_limit(&self) -> u64 {
        match self.cipher {
            Cipher::Aes128Gcm | Cipher::Aes256Gcm => 1 << 52,
            Cipher::ChaCha20Poly1305 => 1 << 36,
        }
    }
}

impl fmt::Debug for PacketKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PacketKey").field("cipher", &self.cipher).finish_non_exhaustive()
    }
}

/// The maximum number of messages that an AEAD computes side by side.
const MANY: usize = 64;

fn check_results(len: usize, actual: usize) -> Result<(), Error> {
    let what = "number of results";
    if actual == len { Ok(()) } else { Err(Error::WrongLength { what, min: len, max: len, actual }) }
}

/// A key for headers (RFC 9001 §5.4). Wiped on drop. The [module](self) has an example.
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane_tls::quic::{HeaderKey, protect_header, unprotect_header};
/// use keylane_tls::record::Cipher;
///
/// let key = HeaderKey::new(Cipher::Aes128Gcm, &[7; 16])?;
/// let mask = key.mask(&[9; 16]); // of ciphertext, from 4 bytes after the packet number's begin
/// let mut header = [0x41, 0x12, 0x34, 5, 6]; // a short header, a packet number of 2 bytes; what follows
/// let (first, number) = header.split_first_mut().unwrap();
/// protect_header(&mask, first, number);
/// assert_eq!(unprotect_header(&mask, first, number), 2);
/// assert_eq!(header, [0x41, 0x12, 0x34, 5, 6]);
/// # Ok(())
/// # }
/// ```
pub struct HeaderKey(Box<dyn Masks>);

impl HeaderKey {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if it does not have the cipher's [`key_len`](Cipher::key_len).
    pub fn new(cipher: Cipher, key: &[u8]) -> Result<Self, Error> {
        let len = cipher.key_len();
        if key.len() != len {
            let what = "length of the header key in bytes";
            return Err(Error::WrongLength { what, min: len, max: len, actual: key.len() });
        }
        Ok(match cipher {
            Cipher::Aes128Gcm | Cipher::Aes256Gcm => Self(Box::new(Aes::from_slice(key)?)),
            Cipher::ChaCha20Poly1305 => {
                let mut copy = Box::new(Zeroizing::new([0; 32]));
                copy.copy_from_slice(key);
                Self(copy)
            }
        })
    }

    /// Returns the mask for the header of the packet whose ciphertext this is a sample of.
    #[must_use]
    pub fn mask(&self, sample: &[u8; SAMPLE_LEN]) -> [u8; MASK_LEN] {
        let mut mask = [[0; MASK_LEN]];
        self.0.masks(&[*sample], &mut mask);
        mask[0]
    }

    /// Writes the masks for the headers of many packets, side by side where that is faster than one by one.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless there are as many masks as samples.
    pub fn masks(&self, samples: &[[u8; SAMPLE_LEN]], masks: &mut [[u8; MASK_LEN]]) -> Result<(), Error> {
        check_results(samples.len(), masks.len())?;
        self.0.masks(samples, masks);
        Ok(())
    }
}

impl fmt::Debug for HeaderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeaderKey").finish_non_exhaustive()
    }
}

/// A prepared key. Wiped on drop.
trait Masks: Send + Sync {
    /// Writes a mask for each sample.
    fn masks(&self, samples: &[[u8; SAMPLE_LEN]], masks: &mut [[u8; MASK_LEN]]);
}

impl Masks for Aes {
    /// §5.4.3.
    fn masks(&self, samples: &[[u8; SAMPLE_LEN]], masks: &mut [[u8; MASK_LEN]]) {
        for (samples, masks) in samples.chunks(16).zip(masks.chunks_mut(16)) {
            let mut blocks = [[0; SAMPLE_LEN]; 16];
            let blocks = &mut blocks[..samples.len()];
            blocks.copy_from_slice(samples);
            self.encrypt_blocks(blocks);
            for (mask, block) in masks.iter_mut().zip(blocks) {
                mask.copy_from_slice(&block[..MASK_LEN]);
            }
        }
    }
}

impl Masks for Zeroizing<[u8; 32]> {
    /// §5.4.4.
    fn masks(&self, samples: &[[u8; SAMPLE_LEN]], masks: &mut [[u8; MASK_LEN]]) {
        ChaCha20::header_masks(self, samples, masks).expect("as many");
    }
}

/// Protects a header (RFC 9001 §5.4.1): `first` is its first byte and `number` begins with its packet number,
/// whose length the first byte tells. Bytes after it do not change.
pub fn protect_header(mask: &[u8; MASK_LEN], first: &mut u8, number: &mut [u8]) {
    apply(mask, first, number, |first, _| first);
}

/// Removes a header's protection, as [`protect_header`] added it, and returns the length of the packet
/// number: 1 to 4 bytes. If `number` is shorter, only its bytes are changed.
pub fn unprotect_header(mask: &[u8; MASK_LEN], first: &mut u8, number: &mut [u8]) -> usize {
    apply(mask, first, number, |first, mask| first ^ mask)
}

/// `unprotected` returns the first byte without its protection, from the byte as it is and the mask: it has
/// the length of the packet number.
fn apply(
    mask: &[u8; MASK_LEN],
    first: &mut u8,
    number: &mut [u8],
    unprotected: impl FnOnce(u8, u8) -> u8,
) -> usize {
    let [first_mask, number_mask @ ..] = mask;
    // A long header has its highest bit set, and four bits that are protected; a short one five.
    let first_mask = first_mask & if *first & 0x80 == 0 { 0x1f } else { 0x0f };
    let number_len = usize::from(declassify(unprotected(*first, first_mask) & 0x03)) + 1;
    *first ^= first_mask;
    for (byte, mask) in number.iter_mut().zip(number_mask).take(number_len) {
        *byte ^= mask;
    }
    number_len
}
