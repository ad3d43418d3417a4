//! Keys by name.

use crate::{Error, SealingKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keylane::any::{AnyHmacKey, HashKind};
use keylane::secret;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;
use zeroize::Zeroizing;

/// The minimum length of a key in bytes.
const MIN_LEN: usize = 32;

/// A key of a [`KeyRing`]. Wiped when dropped.
///
/// Use one key for one purpose: HMAC, or one way of sealing.
#[derive(Clone)]
pub struct Key {
    name: String,
    bytes: Zeroizing<Vec<u8>>,
}

impl Key {
    /// Returns the key's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Prepares the key for HMAC.
    pub fn hmac(&self, hash: HashKind) -> AnyHmacKey {
        AnyHmacKey::new(hash, &self.bytes)
    }

    /// Prepares the key for [deterministic](SealingKey::deterministic) encryption.
    ///
    /// # Errors
    /// [`Error::Key`] if the key does not have 32 bytes.
    pub fn deterministic(&self) -> Result<SealingKey, Error> {
        Ok(SealingKey::deterministic(self.for_sealing()?))
    }

    /// Prepares the key for [random](SealingKey::random) encryption.
    ///
    /// # Errors
    /// [`Error::Key`] if the key does not have 32 bytes.
    pub fn random(&self) -> Result<SealingKey, Error> {
        Ok(SealingKey::random(self.for_sealing()?))
    }

    /// Returns a check value, 8 bytes of an HMAC-SHA-256, by which two processes can compare their keys. It
    /// does not help to find the key.
    #[must_use]
    pub fn check_value(&self) -> [u8; 8] {
        let mac = self.hmac(HashKind::Sha256).mac(b"keylane: check value");
        mac.as_bytes()[..8].try_into().expect("SHA-256 has 32 bytes")
    }

    fn for_sealing(&self) -> Result<&[u8; 32], Error> {
        let place = || format!("the key `{}`", self.name);
        let len = self.bytes.len();
        let reason = || format!("a sealing key has 32 bytes, not {len}");
        self.bytes.as_slice().try_into().map_err(|_| Error::Key { place: place(), reason: reason() })
    }
}

impl fmt::Debug for Key {
    /// Prints the name only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Keys by name, for engines whose queries, plans and logs must contain names instead of keys.
///
/// ```no_run
/// use keylane::any::HashKind;
/// use keylane_arrow::KeyRing;
///
/// let mut ring = KeyRing::new();
/// ring.read_file("customers", "/run/secrets/customers.key")?; // by `keylane keygen`
/// ring.read_env("birth dates", "BIRTH_DATES_KEY")?; // in Base64
/// let key = ring.get("customers")?.hmac(HashKind::Sha256);
/// # Ok::<(), keylane_arrow::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct KeyRing(BTreeMap<String, Key>);

impl KeyRing {
    /// Returns a ring without keys.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a key of at least 32 random bytes, replacing an earlier key of this name.
    ///
    /// # Errors
    /// [`Error::Key`] if the key is shorter.
    pub fn insert(&mut self, name: &str, key: &[u8]) -> Result<(), Error> {
        self.add(name, Zeroizing::new(key.to_vec()), || format!("the key `{name}`"))
    }

    /// Adds a key from a file, which holds just the key's 32 bytes or more. Returns the file's mode if its
    /// group or others can read it, for a warning.
    ///
    /// # Errors
    /// [`Error::Key`] if the file cannot be read, has less than 32 bytes or more than 1 MiB, or is [text with
    /// a byte order mark](secret::read_key).
    pub fn read_file(&mut self, name: &str, path: impl AsRef<Path>) -> Result<Option<u32>, Error> {
        let place = || format!("the file {}", path.as_ref().display());
        let failed = |error: io::Error| Error::Key { place: place(), reason: error.to_string() };
        let file = File::open(&path).map_err(failed)?;
        self.add(name, secret::read_key(&file).map_err(failed)?, place)?;
        Ok(secret::open_mode(&file))
    }

    /// Adds a key from an environment variable, which holds 32 bytes or more in Base64 (RFC 4648 §4).
    ///
    /// # Errors
    /// [`Error::Key`] if the variable is not set, not Base64, or too short.
    pub fn read_env(&mut self, name: &str, variable: &str) -> Result<(), Error> {
        let place = || format!("the variable {variable}");
        let failed = |reason: &str| Error::Key { place: place(), reason: reason.to_owned() };
        let text = std::env::var_os(variable).ok_or_else(|| failed("it is not set"))?;
        let not_base64 = || failed("it is not Base64");
        let text = secret::utf8(text.into_encoded_bytes().into()).map_err(|_| not_base64())?;
        let mut bytes = Zeroizing::new(Vec::new());
        STANDARD.decode_vec(text.trim_ascii(), &mut bytes).map_err(|_| not_base64())?;
        self.add(name, bytes, place)
    }

    fn add(
        &mut self,
        name: &str,
        bytes: Zeroizing<Vec<u8>>,
        place: impl Fn() -> String,
    ) -> Result<(), Error> {
        let len = bytes.len();
        if len < MIN_LEN {
            let reason = format!("a key has at least {MIN_LEN} bytes, not {len}");
            return Err(Error::Key { place: place(), reason });
        }
        self.0.insert(name.to_owned(), Key { name: name.to_owned(), bytes });
        Ok(())
    }

    /// Returns the key with this name.
    ///
    /// # Errors
    /// [`Error::NoKey`] if there is none.
    pub fn get(&self, name: &str) -> Result<&Key, Error> {
        self.0.get(name).ok_or_else(|| Error::NoKey { name: name.to_owned() })
    }

    /// Returns the keys' names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
