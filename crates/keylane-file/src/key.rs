//! Key derivation: `docs/format.md`, "Keys".

use crate::header::COMMITMENT_LEN;
use crate::{Error, Header, Kdf, KeySource, MAX_KEY_FILE_LEN, MIN_KEY_FILE_LEN};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use keylane::hkdf::Prk;
use keylane::pbkdf2;
use keylane::sha2::Sha512;
use keylane_cpu::constant_time;
use keylane_cpu::wipe::Secret;
use std::fmt;
use std::num::NonZeroU32;
use zeroize::Zeroizing;

/// The maximum length of a passphrase, in bytes.
pub(crate) const MAX_PASSPHRASE_LEN: usize = 1 << 20;

/// The secret from which a file's key is derived. Each file has its own key, so one secret can be used for
/// any number of files.
#[derive(Clone, Copy)]
pub enum Key<'a> {
    /// A key file's contents, which must be impossible to guess: 32 random bytes are enough. The length is
    /// from [`MIN_KEY_FILE_LEN`] to [`MAX_KEY_FILE_LEN`] bytes.
    File(&'a [u8]),
    /// A passphrase as it was typed, without the end of the line: 1 byte to 1 MiB.
    Passphrase(&'a [u8]),
}

impl fmt::Debug for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File(_) => "File(..)",
            Self::Passphrase(_) => "Passphrase(..)",
        })
    }
}

const KEY_LEN: usize = 32;
/// The length of the nonce prefix that all chunks of a file share.
pub(crate) const PREFIX_LEN: usize = 7;
const LABEL: &[u8] = b"keylane file 1";
/// The length of the secret derived from a passphrase: one block of PBKDF2. A longer secret would cost the
/// owner more, but not an attacker, who needs only one block.
const PASSPHRASE_SECRET_LEN: usize = 64;

/// A file's commitment, key and nonce prefix.
pub(crate) struct FileKey(Secret<[u8; COMMITMENT_LEN + KEY_LEN + PREFIX_LEN]>);

impl FileKey {
    /// Derives a file's key, at the cost in time and memory that the header's parameters say. The header's
    /// commitment is not used.
    pub(crate) fn derive(key: Key<'_>, header: &Header) -> Result<Self, Error> {
        match (key, header.key_source()) {
            (Key::File(secret), KeySource::KeyFile) => {
                if !(MIN_KEY_FILE_LEN..=MAX_KEY_FILE_LEN).contains(&secret.len()) {
                    return Err(Error::KeyFileLength(secret.len()));
                }
                Ok(Self::expand(secret, header))
            }
            (Key::Passphrase(passphrase), KeySource::Passphrase(kdf)) => {
                if passphrase.is_empty() {
                    return Err(Error::EmptyPassphrase);
                }
                if passphrase.len() > MAX_PASSPHRASE_LEN {
                    return Err(Error::PassphraseTooLong);
                }
                let mut secret = Secret::new([0; PASSPHRASE_SECRET_LEN]);
                derive_secret(passphrase, header.salt(), kdf, &mut secret)?;
                Ok(Self::expand(&*secret, header))
            }
            _ => Err(Error::WrongKeySource),
        }
    }

    fn expand(secret: &[u8], header: &Header) -> Self {
        let mut key = Self(Secret::new([0; _]));
        Prk::<Sha512>::extract(header.salt(), secret)
            .expand(&[LABEL, header.committed()], &mut *key.0)
            .expect("two blocks are not too long");
        key
    }

    pub(crate) fn commitment(&self) -> &[u8] {
        &self.0[..COMMITMENT_LEN]
    }

    pub(crate) fn key(&self) -> &[u8; KEY_LEN] {
        self.0[COMMITMENT_LEN..].first_chunk().expect("a key follows")
    }

    pub(crate) fn prefix(&self) -> &[u8; PREFIX_LEN] {
        self.0.last_chunk().expect("the prefix is the end")
    }

    /// Checks that a header was made with this key.
    pub(crate) fn verify(&self, header: &Header) -> Result<(), Error> {
        let ours = constant_time::equal(self.commitment(), header.commitment());
        match header.key_source() {
            _ if constant_time::declassify(ours) => Ok(()),
            KeySource::KeyFile => Err(Error::WrongKey),
            KeySource::Passphrase(_) => Err(Error::WrongPassphrase),
        }
    }
}

/// Derives a secret from a passphrase. The parameters are in bounds, like a header's.
fn derive_secret(
    passphrase: &[u8],
    salt: &[u8],
    kdf: Kdf,
    secret: &mut [u8; PASSPHRASE_SECRET_LEN],
) -> Result<(), Error> {
    match kdf {
        Kdf::Pbkdf2 { iterations } => {
            let iterations = NonZeroU32::new(iterations).expect("600,000 or more");
            pbkdf2::derive::<Sha512>(passphrase, salt, iterations, secret)
                .expect("one block is not too long");
        }
        Kdf::Argon2id { memory_mib, passes, lanes } => {
            let memory_kib = u32::from(memory_mib) * 1024;
            let parameters =
                Params::new(memory_kib, passes.into(), lanes.into(), None).expect("more than 8 KiB a lane");
            // The crate would free its own memory without wiping it.
            let mut memory = Zeroizing::new(Vec::new());
            memory.try_reserve_exact(parameters.block_count()).map_err(|_| Error::NoMemory { memory_mib })?;
            memory.resize(parameters.block_count(), Block::new());
            Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters)
                .hash_password_into_with_memory(passphrase, salt, secret, &mut memory[..])
                .expect("passphrase and salt have lengths that are allowed");
        }
    }
    Ok(())
}
