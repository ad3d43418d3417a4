//! The hash functions by name.

use crate::check_list::{Files, Kind};
use crate::checksum::Digest;
use crate::secret::Secret;
use crate::status::Outcome;
use clap::ValueEnum;
use keylane::hmac::Hmac;
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use keylane::{Hash, hkdf, pbkdf2};
use std::io::Write;
use std::num::NonZeroU32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    /// Broken for signatures, still used in old checksums
    Sha1,
    Sha224,
    /// The usual choice
    Sha256,
    Sha384,
    Sha512,
    /// SHA-512 with another initial value, truncated to 256 bits
    #[value(name = "sha512-256")]
    Sha512_256,
}

/// Evaluates an expression with `$H` standing for the algorithm's type.
macro_rules! with_hash {
    ($algorithm:expr, $H:ident => $body:expr) => {
        with_hash!(@ $algorithm, $H, $body, Sha1 Sha224 Sha256 Sha384 Sha512 Sha512_256)
    };
    (@ $algorithm:expr, $H:ident, $body:expr, $($Hash:ident)*) => {
        match $algorithm { $(
            Algorithm::$Hash => {
                type $H = $Hash;
                $body
            }
        )* }
    };
}

impl Algorithm {
    pub(crate) fn name(self) -> &'static str {
        with_hash!(self, H => H::NAME)
    }

    /// The names in lists of the BSD format. The first is the one that `sha256sum --tag` writes; the others
    /// are OpenSSL's, today's and before 3.0, and FreeBSD's.
    fn tags(self) -> &'static [&'static str] {
        match self {
            Self::Sha1 => &["SHA1"],
            Self::Sha224 => &["SHA224", "SHA2-224"],
            Self::Sha256 => &["SHA256", "SHA2-256"],
            Self::Sha384 => &["SHA384", "SHA2-384"],
            Self::Sha512 => &["SHA512", "SHA2-512"],
            Self::Sha512_256 => &["SHA512/256", "SHA2-512/256", "SHA512-256", "SHA512t256"],
        }
    }

    pub(crate) fn output_len(self) -> usize {
        with_hash!(self, H => H::OUTPUT_LEN)
    }

    pub(crate) fn kind(self, keyed: bool) -> Kind {
        Kind { tags: self.tags(), len: self.output_len(), keyed }
    }

    /// Computes or checks digests.
    pub(crate) fn hash(self, files: &Files, out: &mut dyn Write) -> Outcome {
        with_hash!(self, H => files.run(self.kind(false), &Digest::<H>::new(), out))
    }

    /// Computes or checks HMAC tags.
    pub(crate) fn mac(self, key: Secret, files: &Files, out: &mut dyn Write) -> Outcome {
        with_hash!(self, H => {
            let mac = Hmac::<H>::new(&key);
            // The prepared key wipes itself.
            drop(key);
            files.run(self.kind(true), &mac, out)
        })
    }

    pub(crate) fn pbkdf2(
        self,
        password: &[u8],
        salt: &[u8],
        iterations: NonZeroU32,
        out: &mut [u8],
    ) -> Result<(), keylane::Error> {
        with_hash!(self, H => pbkdf2::derive::<H>(password, salt, iterations, out))
    }

    pub(crate) fn hkdf(
        self,
        salt: &[u8],
        ikm: &[u8],
        info: &[u8],
        out: &mut [u8],
    ) -> Result<(), keylane::Error> {
        with_hash!(self, H => hkdf::Prk::<H>::extract(salt, ikm).expand(&[info], out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_on_the_command_line_are_the_library_s() {
        for algorithm in Algorithm::value_variants() {
            assert_eq!(algorithm.to_possible_value().unwrap().get_name(), algorithm.name());
        }
    }
}
