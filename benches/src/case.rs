//! The case table: what is measured, with which inputs.

/// A hash function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Hash {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

/// An authenticated cipher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Aead {
    Aes128Gcm,
    Aes256Gcm,
    ChaChaPoly,
}

/// One row of the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Case {
    /// HMAC, the key set up for each message.
    HmacNew { h: Hash, len: usize },
    /// HMAC, the key prepared once outside the loop.
    HmacKeyed { h: Hash, len: usize },
    /// HMAC of `n` messages of `len` bytes under one prepared key; out = `n` tags.
    HmacBatch { h: Hash, n: usize, len: usize },
    /// HMAC key set-up alone.
    HmacKey { h: Hash },
    /// One message.
    Digest { h: Hash, len: usize },
    /// Digests of `n` messages of `len` bytes; out = `n` digests.
    DigestBatch { h: Hash, n: usize, len: usize },
    /// `batch` passwords, each deriving `blocks` digest-sized blocks.
    Pbkdf2 { h: Hash, iters: u32, blocks: usize, batch: usize },
    /// HKDF-SHA256 expand from a 32-byte PRK (prepared once where the interface can).
    HkdfExpand { len: usize },
    /// AES in counter mode, in place.
    AesCtr { bits: usize, len: usize },
    /// The key stream of ChaCha20 in place, from block 1 on: all libraries can begin there.
    ChaCha20 { len: usize },
    /// Seal in place.
    Seal { a: Aead, len: usize },
    /// Seal into another buffer. Libraries that can only seal in place copy the text there first.
    SealTo { a: Aead, len: usize },
    /// The ciphertext is copied into the buffer (inside the timing) and opened in place.
    Open { a: Aead, len: usize },
    /// AEAD key set-up alone.
    AeadKey { a: Aead },
    /// One-shot, a fresh one-time key each.
    Poly1305 { len: usize },
    /// Only the copy that `Open` cases include.
    Memcpy { len: usize },
}

pub const NONCE: [u8; 12] = [7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
pub const IV16: [u8; 16] = [7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 1];
pub const AAD: [u8; 13] = [0, 0, 0, 0, 0, 0, 0, 1, 23, 3, 3, 64, 0];
pub const SALT: [u8; 16] = *b"0123456789abcdef";
pub const INFO: [u8; 10] = *b"keylane-hk";

/// A key that is not all one byte.
pub fn key<const N: usize>() -> [u8; N] {
    core::array::from_fn(|i| (i as u8).wrapping_mul(37).wrapping_add(11))
}

/// A message, or several back to back.
pub fn msg(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect()
}

/// Passwords of the PBKDF2 cases.
pub fn password(i: usize) -> [u8; 16] {
    let mut p = *b"correct horse 00";
    p[15] = b'0' + (i as u8 % 10);
    p
}

impl Hash {
    pub const ALL: [Self; 4] = [Self::Sha1, Self::Sha256, Self::Sha384, Self::Sha512];

    #[allow(clippy::len_without_is_empty, reason = "no digest is empty")]
    pub fn len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
        }
    }
}

impl Aead {
    pub fn name(self) -> &'static str {
        match self {
            Self::Aes128Gcm => "aes128gcm",
            Self::Aes256Gcm => "aes256gcm",
            Self::ChaChaPoly => "chachapoly",
        }
    }

    pub fn key(self) -> Vec<u8> {
        key::<32>()[..if self == Self::Aes128Gcm { 16 } else { 32 }].to_vec()
    }
}

fn size(n: usize) -> String {
    match n {
        n if n >= 1 << 20 && n.is_multiple_of(1 << 20) => format!("{}M", n >> 20),
        n if n >= 1 << 10 && n.is_multiple_of(1 << 10) => format!("{}K", n >> 10),
        n => format!("{n}"),
    }
}

impl Case {
    /// The name of the row: what filters and the table of bars go by.
    pub fn id(&self) -> String {
        match *self {
            Self::HmacNew { h, len } => format!("hmac-{}/newkey/{}", h.name(), size(len)),
            Self::HmacKeyed { h, len } => format!("hmac-{}/keyed/{}", h.name(), size(len)),
            Self::HmacBatch { h, n, len } => format!("hmac-{}/batch{n}/{}", h.name(), size(len)),
            Self::HmacKey { h } => format!("hmac-{}/keysetup", h.name()),
            Self::Digest { h, len } => format!("{}/digest/{}", h.name(), size(len)),
            Self::DigestBatch { h, n, len } => format!("{}/batch{n}/{}", h.name(), size(len)),
            Self::Pbkdf2 { h, blocks, batch, .. } => {
                format!("pbkdf2-{}/blocks{blocks}/batch{batch}", h.name())
            }
            Self::HkdfExpand { len } => format!("hkdf-sha256/expand/{len}"),
            Self::AesCtr { bits, len } => format!("aes{bits}ctr/{}", size(len)),
            Self::ChaCha20 { len } => format!("chacha20/{}", size(len)),
            Self::Seal { a, len } => format!("{}/seal/{}", a.name(), size(len)),
            Self::SealTo { a, len } => format!("{}/seal-to/{}", a.name(), size(len)),
            Self::Open { a, len } => format!("{}/open/{}", a.name(), size(len)),
            Self::AeadKey { a } => format!("{}/keysetup", a.name()),
            Self::Poly1305 { len } => format!("poly1305/{}", size(len)),
            Self::Memcpy { len } => format!("memcpy/{}", size(len)),
        }
    }

    /// What the case belongs to, and filters choose.
    pub fn group(&self) -> &'static str {
        match self {
            Self::HmacNew { .. } | Self::HmacKeyed { .. } | Self::HmacBatch { .. } | Self::HmacKey { .. } => {
                "hmac"
            }
            Self::Digest { .. } | Self::DigestBatch { .. } => "hash",
            Self::Pbkdf2 { .. } => "pbkdf2",
            Self::HkdfExpand { .. } => "hkdf",
            Self::AesCtr { .. } => "aes-ctr",
            Self::ChaCha20 { .. } => "chacha20",
            Self::Seal { a, .. } | Self::SealTo { a, .. } | Self::Open { a, .. } | Self::AeadKey { a } => {
                match a {
                    Aead::ChaChaPoly => "chacha20-poly1305",
                    _ => "aes-gcm",
                }
            }
            Self::Poly1305 { .. } => "poly1305",
            Self::Memcpy { .. } => "memcpy",
        }
    }

    /// Message bytes per operation, 0 where a figure per byte has no sense.
    pub fn bytes(&self) -> usize {
        match *self {
            Self::HmacNew { len, .. } | Self::HmacKeyed { len, .. } | Self::Digest { len, .. } => len,
            Self::HmacBatch { n, len, .. } | Self::DigestBatch { n, len, .. } => n * len,
            Self::AesCtr { len, .. }
            | Self::ChaCha20 { len }
            | Self::Seal { len, .. }
            | Self::SealTo { len, .. }
            | Self::Open { len, .. } => len,
            Self::Poly1305 { len } | Self::Memcpy { len } => len,
            Self::Pbkdf2 { .. } | Self::HkdfExpand { .. } | Self::AeadKey { .. } | Self::HmacKey { .. } => 0,
        }
    }

    /// How many units one operation is: figures are given per unit.
    pub fn units(&self) -> (f64, &'static str) {
        match *self {
            Self::HmacBatch { n, .. } | Self::DigestBatch { n, .. } => (n as f64, "message"),
            Self::Pbkdf2 { iters, blocks, batch, .. } => {
                (iters as f64 * blocks as f64 * batch as f64, "iteration")
            }
            _ => (1.0, "operation"),
        }
    }

    /// Size of the buffer that each operation gets.
    pub fn out_len(&self) -> usize {
        match *self {
            Self::HmacNew { h, .. } | Self::HmacKeyed { h, .. } | Self::Digest { h, .. } => h.len(),
            Self::HmacBatch { h, n, .. } | Self::DigestBatch { h, n, .. } => n * h.len(),
            Self::Pbkdf2 { h, blocks, batch, .. } => h.len() * blocks * batch,
            Self::HkdfExpand { len } => len,
            Self::AesCtr { len, .. } | Self::ChaCha20 { len } | Self::Memcpy { len } => len,
            Self::Seal { len, .. } | Self::SealTo { len, .. } | Self::Open { len, .. } => len + 16,
            Self::Poly1305 { .. } => 16,
            Self::AeadKey { .. } | Self::HmacKey { .. } => 0,
        }
    }

    /// How many leading bytes of the buffer all rivals must agree on after one operation.
    pub fn checked_len(&self) -> usize {
        match *self {
            Self::Open { len, .. } => len,
            _ => self.out_len(),
        }
    }
}

/// Ciphertext and tag of `msg(len)`, made once by ring.
pub fn sealed(a: Aead, len: usize) -> Vec<u8> {
    let mut v = msg(len);
    let k = crate::rivals::ring::aead_key(a);
    k.seal_in_place_append_tag(
        ::ring::aead::Nonce::assume_unique_for_key(NONCE),
        ::ring::aead::Aad::from(AAD),
        &mut v,
    )
    .unwrap();
    v
}

/// Every case, in the order of the tables.
pub fn all() -> Vec<Case> {
    let mut v = Vec::new();
    for h in Hash::ALL {
        v.push(Case::HmacKey { h });
        for len in [32, 64, 256, 1024, 16384] {
            v.push(Case::HmacNew { h, len });
        }
        for len in [32, 64, 256, 1024, 16384] {
            v.push(Case::HmacKeyed { h, len });
        }
        for len in [64, 1024] {
            v.push(Case::HmacBatch { h, n: 64, len });
        }
    }
    for h in Hash::ALL {
        for len in [64, 1024, 16384, 1 << 20] {
            v.push(Case::Digest { h, len });
        }
        for len in [64, 1024] {
            v.push(Case::DigestBatch { h, n: 64, len });
        }
    }
    for h in Hash::ALL {
        for (blocks, batch) in [(1, 1), (4, 1), (1, 8)] {
            v.push(Case::Pbkdf2 { h, iters: 10_000, blocks, batch });
        }
    }
    v.push(Case::HkdfExpand { len: 42 });
    for bits in [128, 256] {
        for len in [64, 1024, 8192, 1 << 20] {
            v.push(Case::AesCtr { bits, len });
        }
    }
    for len in [64, 1024, 8192, 1 << 20] {
        v.push(Case::ChaCha20 { len });
    }
    for a in [Aead::Aes128Gcm, Aead::Aes256Gcm, Aead::ChaChaPoly] {
        v.push(Case::AeadKey { a });
        for len in [16, 64, 256, 1350, 8192, 16384, 1 << 20] {
            v.push(Case::Seal { a, len });
        }
        for len in [1350, 16384] {
            v.push(Case::SealTo { a, len });
        }
        for len in [16, 64, 1350, 8192, 16384, 1 << 20] {
            v.push(Case::Open { a, len });
        }
    }
    for len in [1, 16, 64, 256, 576, 1024, 8192] {
        v.push(Case::Poly1305 { len });
    }
    for len in [1350, 8192, 16384, 1 << 20] {
        v.push(Case::Memcpy { len });
    }
    v
}
