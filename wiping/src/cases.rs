//! Every type that holds a secret, used for real.

mod aead;
mod ciphers;
mod file;
mod hashes;
mod planted;
mod rustcrypto;
mod tls;

use crate::watch::Case;

pub(crate) use planted::planted;

/// Of all crates.
pub(crate) fn all() -> Vec<Case> {
    [hashes::cases(), ciphers::cases(), aead::cases(), rustcrypto::cases(), tls::cases(), file::cases()]
        .into_iter()
        .flatten()
        .collect()
}
