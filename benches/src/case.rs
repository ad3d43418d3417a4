//! The case table: what is measured, with which inputs.

use ring::aead;
use std::fmt;

/// A hash function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hash {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

/// An authenticated cipher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aead {
    Aes128Gcm,
    Aes256Gcm,
    ChaChaPoly,
}

/// What one call does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// HMAC, the key set up for each message.
    HmacNew(Hash),
    /// HMAC, the key set up before.
    Hmac(Hash),
    /// HMAC's key set-up alone.
    HmacKey(Hash),
    Digest(Hash),
    Pbkdf2(Hash),
    /// HKDF-SHA256 expand from a 32-byte key, set up before where the interface can.
    HkdfExpand,
    /// AES in counter mode with a key of so many bits, in place.
    AesCtr(usize),
    /// The key stream in place, from block 1 on: all libraries can begin there.
    ChaCha20,
    /// In place.
    Seal(Aead),
    /// Into another buffer.
    SealTo(Aead),
    /// In place. The ciphertext is copied into the buffer inside the timing.
    Open(Aead),
    AeadKey(Aead),
    /// With a new one-time key for each message.
    Poly1305,
    /// The copy that `Open` includes.
    Memcpy,
}

use Work::*;

/// One row of the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    pub work: Work,
    /// Bytes of a message, or of a derived key; 0 where there is neither.
    pub len: usize,
    /// Messages, or passwords, in a call.
    pub batch: usize,
    /// Whether so much other code runs between the calls that nothing of this is in the level-2 cache.
    pub cold: bool,
}

pub const KEY: [u8; 32] = {
    let mut key = [0; 32];
    let mut i = 0;
    while i < 32 {
        key[i] = (i as u8).wrapping_mul(37).wrapping_add(11);
        i += 1;
    }
    key
};
pub const NONCE: [u8; 12] = [7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
pub const IV16: [u8; 16] = [7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 1];
pub const AAD: [u8; 13] = [0, 0, 0, 0, 0, 0, 0, 1, 23, 3, 3, 64, 0];
pub const SALT: [u8; 16] = *b"0123456789abcdef";
pub const INFO: [u8; 10] = *b"keylane-hk";
/// Of PBKDF2.
pub const ITERATIONS: u32 = 10_000;

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

/// Ciphertext and tag of `msg(len)`.
pub fn sealed(a: Aead, len: usize) -> Vec<u8> {
    let algorithm = match a {
        Aead::Aes128Gcm => &aead::AES_128_GCM,
        Aead::Aes256Gcm => &aead::AES_256_GCM,
        Aead::ChaChaPoly => &aead::CHACHA20_POLY1305,
    };
    let key = aead::LessSafeKey::new(aead::UnboundKey::new(algorithm, a.key()).unwrap());
    let (nonce, mut text) = (aead::Nonce::assume_unique_for_key(NONCE), msg(len));
    key.seal_in_place_append_tag(nonce, aead::Aad::from(AAD), &mut text).unwrap();
    text
}

impl Hash {
    pub const ALL: [Self; 4] = [Self::Sha1, Self::Sha256, Self::Sha384, Self::Sha512];

    #[allow(clippy::len_without_is_empty, reason = "no digest is empty")]
    pub fn len(self) -> usize {
        [20, 32, 48, 64][self as usize]
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["sha1", "sha256", "sha384", "sha512"][*self as usize])
    }
}

impl Aead {
    pub fn key(self) -> &'static [u8] {
        &KEY[..if self == Self::Aes128Gcm { 16 } else { 32 }]
    }
}

impl fmt::Display for Aead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["aes128gcm", "aes256gcm", "chachapoly"][*self as usize])
    }
}

/// The name of the row, which filters and bars use.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { work, len, batch, cold } = *self;
        let size = match len {
            n if n >= 1 << 20 => format!("{}M", n >> 20),
            n if n >= 1 << 10 && n.is_multiple_of(1 << 10) => format!("{}K", n >> 10),
            n => n.to_string(),
        };
        match work {
            HmacNew(h) => write!(f, "hmac-{h}/newkey/{size}"),
            Hmac(h) if batch > 1 => write!(f, "hmac-{h}/batch{batch}/{size}"),
            Hmac(h) => write!(f, "hmac-{h}/keyed/{size}"),
            HmacKey(h) => write!(f, "hmac-{h}/keysetup"),
            Digest(h) if batch > 1 => write!(f, "{h}/batch{batch}/{size}"),
            Digest(h) => write!(f, "{h}/digest/{size}"),
            Pbkdf2(h) => write!(f, "pbkdf2-{h}/blocks{}/batch{batch}", len / h.len()),
            HkdfExpand => write!(f, "hkdf-sha256/expand/{len}"),
            AesCtr(bits) => write!(f, "aes{bits}ctr/{size}"),
            ChaCha20 => write!(f, "chacha20/{size}"),
            Seal(a) => write!(f, "{a}/seal/{size}"),
            SealTo(a) => write!(f, "{a}/seal-to/{size}"),
            Open(a) => write!(f, "{a}/open/{size}"),
            AeadKey(a) => write!(f, "{a}/keysetup"),
            Poly1305 => write!(f, "poly1305/{size}"),
            Memcpy => write!(f, "memcpy/{size}"),
        }?;
        f.write_str(if cold { "/cold" } else { "" })
    }
}

impl Case {
    /// The table it stands in, which filters choose in lower case.
    pub fn group(&self) -> &'static str {
        match self.work {
            HmacNew(_) | Hmac(_) | HmacKey(_) => "HMAC",
            Digest(_) => "Hash",
            Pbkdf2(_) => "PBKDF2",
            HkdfExpand => "HKDF",
            AesCtr(_) => "AES-CTR",
            ChaCha20 => "ChaCha20",
            Seal(Aead::ChaChaPoly) | SealTo(Aead::ChaChaPoly) => "ChaCha20-Poly1305",
            Open(Aead::ChaChaPoly) | AeadKey(Aead::ChaChaPoly) => "ChaCha20-Poly1305",
            Seal(_) | SealTo(_) | Open(_) | AeadKey(_) => "AES-GCM",
            Poly1305 => "Poly1305",
            Memcpy => "memcpy",
        }
    }

    /// Message bytes of a call, 0 if cycles per byte are meaningless.
    pub fn bytes(&self) -> usize {
        if matches!(self.work, Pbkdf2(_) | HkdfExpand) { 0 } else { self.batch * self.len }
    }

    /// How many units a call is, in which figures are told, and their name.
    pub fn units(&self) -> (f64, &'static str) {
        match self.work {
            Pbkdf2(h) => {
                (f64::from(ITERATIONS) * (self.len / h.len() * self.batch) as f64, ", per iteration")
            }
            _ if self.batch > 1 => (self.batch as f64, ", per message"),
            _ => (1.0, ""),
        }
    }

    /// Size of the buffer that a call gets.
    pub fn out_len(&self) -> usize {
        match self.work {
            HmacNew(h) | Hmac(h) | Digest(h) => self.batch * h.len(),
            Pbkdf2(_) => self.batch * self.len,
            HkdfExpand | AesCtr(_) | ChaCha20 | Memcpy => self.len,
            Seal(_) | SealTo(_) | Open(_) => self.len + 16,
            Poly1305 => 16,
            HmacKey(_) | AeadKey(_) => 0,
        }
    }

    /// How many leading bytes of the buffer all rivals must agree on after a call.
    pub fn checked_len(&self) -> usize {
        if let Open(_) = self.work { self.len } else { self.out_len() }
    }

    /// Whether the chart shows it: those that tell what others tell are left to the tables.
    pub fn is_charted(&self) -> bool {
        let part = match self.work {
            Hmac(_) if self.batch == 1 => [32, 64, 1024, 16384].contains(&self.len),
            HmacNew(_) => self.len == 64,
            Digest(_) if self.batch == 1 => [64, 16384].contains(&self.len),
            Digest(_) => self.len == 64,
            HmacKey(_) | AeadKey(_) | Memcpy | Open(_) => false,
            _ => true,
        };
        let hash = matches!(self.work, HmacNew(h) | Hmac(h) | Digest(h) | Pbkdf2(h) if h == Hash::Sha384);
        part && !hash && !self.cold
    }
}

/// Every case, in the order of the tables: each short one also with cold caches.
pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |work, batch, lens: &[usize]| {
        cases.extend(lens.iter().map(|&len| Case { work, len, batch, cold: false }));
    };
    for h in Hash::ALL {
        add(HmacKey(h), 1, &[0]);
        add(HmacNew(h), 1, &[32, 64, 256, 1024, 16384]);
        add(Hmac(h), 1, &[32, 64, 256, 1024, 16384]);
        add(Hmac(h), 64, &[64, 1024]);
    }
    for h in Hash::ALL {
        add(Digest(h), 1, &[64, 1024, 16384, 1 << 20]);
        add(Digest(h), 64, &[64, 1024]);
    }
    for h in Hash::ALL {
        add(Pbkdf2(h), 1, &[h.len(), 4 * h.len()]);
        add(Pbkdf2(h), 8, &[h.len()]);
    }
    add(HkdfExpand, 1, &[42]);
    for work in [AesCtr(128), AesCtr(256), ChaCha20] {
        add(work, 1, &[64, 1024, 8192, 1 << 20]);
    }
    for a in [Aead::Aes128Gcm, Aead::Aes256Gcm, Aead::ChaChaPoly] {
        add(AeadKey(a), 1, &[0]);
        add(Seal(a), 1, &[16, 64, 256, 1350, 8192, 16384, 1 << 20]);
        add(SealTo(a), 1, &[1350, 16384]);
        add(Open(a), 1, &[16, 64, 1350, 8192, 16384, 1 << 20]);
    }
    add(Poly1305, 1, &[1, 16, 64, 256, 576, 1024, 8192]);
    add(Memcpy, 1, &[1350, 8192, 16384, 1 << 20]);
    let is_short =
        |case: &Case| case.batch == 1 && case.len <= 1024 && !matches!(case.work, Pbkdf2(_) | Memcpy);
    let twins = |case: Case| [Some(case), is_short(&case).then_some(Case { cold: true, ..case })];
    cases.into_iter().flat_map(twins).flatten().collect()
}
