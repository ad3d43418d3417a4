//! The hashes, as C names them, and how one is chosen by number.

use keylane::Hash;
use keylane_boundary::error::{Failure, KEYLANE_ERROR_INPUT_TOO_LONG, KEYLANE_ERROR_INVALID_PARAMETER};
use std::ffi::{CStr, c_char, c_int};

/// SHA-1: 20 bytes. Broken where collisions matter; only for HMAC in old protocols.
pub(crate) const KEYLANE_SHA1: c_int = 1;
/// SHA-224: 28 bytes.
pub(crate) const KEYLANE_SHA224: c_int = 2;
/// SHA-256: 32 bytes.
pub(crate) const KEYLANE_SHA256: c_int = 3;
/// SHA-384: 48 bytes.
pub(crate) const KEYLANE_SHA384: c_int = 4;
/// SHA-512: 64 bytes.
pub(crate) const KEYLANE_SHA512: c_int = 5;
/// SHA-512/256: 32 bytes.
pub(crate) const KEYLANE_SHA512_256: c_int = 6;
/// The longest digest or tag of any hash, in bytes.
#[allow(dead_code, reason = "for C")]
pub(crate) const KEYLANE_HASH_MAX_LEN: usize = 64;

/// Which hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Sha512_256,
}

impl Algorithm {
    pub(crate) fn new(number: c_int) -> Result<Self, Failure> {
        Ok(match number {
            KEYLANE_SHA1 => Self::Sha1,
            KEYLANE_SHA224 => Self::Sha224,
            KEYLANE_SHA256 => Self::Sha256,
            KEYLANE_SHA384 => Self::Sha384,
            KEYLANE_SHA512 => Self::Sha512,
            KEYLANE_SHA512_256 => Self::Sha512_256,
            _ => return Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER)),
        })
    }
}

/// Evaluates an expression in which `$H` is the hash.
macro_rules! with_hash {
    ($algorithm:expr, $H:ident => $body:expr) => {
        $crate::algorithm::with_hash!(@ $algorithm, $H => $body, Sha1 Sha224 Sha256 Sha384 Sha512 Sha512_256)
    };
    (@ $algorithm:expr, $H:ident => $body:expr, $($Name:ident)*) => {
        match $algorithm { $(
            $crate::algorithm::Algorithm::$Name => {
                type $H = $crate::algorithm::hashes::$Name;
                $body
            }
        )* }
    };
}
pub(crate) use with_hash;

/// Defines an enum that holds a value for any hash: `$Value<Sha256>` and so on.
macro_rules! for_any_hash {
    ($(#[$doc:meta])* $Any:ident: $Value:ident) => {
        $(#[$doc])*
        pub(crate) enum $Any {
            Sha1($Value<$crate::algorithm::hashes::Sha1>),
            Sha224($Value<$crate::algorithm::hashes::Sha224>),
            Sha256($Value<$crate::algorithm::hashes::Sha256>),
            Sha384($Value<$crate::algorithm::hashes::Sha384>),
            Sha512($Value<$crate::algorithm::hashes::Sha512>),
            Sha512_256($Value<$crate::algorithm::hashes::Sha512_256>),
        }
    };
}
pub(crate) use for_any_hash;

/// Evaluates an expression in which `$value` is what the enum holds.
macro_rules! with_value {
    ($any:expr, $Any:ident($value:ident) => $body:expr) => {
        match $any {
            $Any::Sha1($value) => $body,
            $Any::Sha224($value) => $body,
            $Any::Sha256($value) => $body,
            $Any::Sha384($value) => $body,
            $Any::Sha512($value) => $body,
            $Any::Sha512_256($value) => $body,
        }
    };
}
pub(crate) use with_value;

/// Makes the variant of the enum that belongs to the hash.
macro_rules! any_of {
    ($algorithm:expr, $Any:ident($H:ident => $value:expr)) => {
        $crate::algorithm::any_of!(@ $algorithm, $Any($H => $value), Sha1 Sha224 Sha256 Sha384 Sha512 Sha512_256)
    };
    (@ $algorithm:expr, $Any:ident($H:ident => $value:expr), $($Name:ident)*) => {
        match $algorithm { $(
            $crate::algorithm::Algorithm::$Name => {
                type $H = $crate::algorithm::hashes::$Name;
                $Any::$Name($value)
            }
        )* }
    };
}
pub(crate) use any_of;

/// Refuses a message of HMAC that is longer than the hash can count, which several parts may be that are the same
/// memory. The hash counts the key's block as well.
pub(crate) fn check_hmac_len<H: Hash>(len: u128) -> Result<(), Failure> {
    // 2^64 bits (FIPS 180-4 section 1); for the other half of SHA-2 Keylane counts 2^64 bytes.
    let max = if H::BLOCK_LEN == 64 { u64::MAX / 8 } else { u64::MAX } - H::BLOCK_LEN as u64;
    if len <= u128::from(max) { Ok(()) } else { Err(Failure(KEYLANE_ERROR_INPUT_TOO_LONG)) }
}

/// Where the macros find them.
pub(crate) mod hashes {
    pub(crate) use keylane::sha1::Sha1;
    pub(crate) use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
}

/// Returns the length in bytes of a digest, and so of an HMAC tag; 0 for an unknown hash.
#[unsafe(no_mangle)]
extern "C" fn keylane_hash_output_len(hash: c_int) -> usize {
    Algorithm::new(hash).map_or(0, |algorithm| with_hash!(algorithm, H => H::OUTPUT_LEN))
}

/// Returns the length of a block in bytes; 0 for an unknown hash.
#[unsafe(no_mangle)]
extern "C" fn keylane_hash_block_len(hash: c_int) -> usize {
    Algorithm::new(hash).map_or(0, |algorithm| with_hash!(algorithm, H => H::BLOCK_LEN))
}

/// Returns the name in lower case, such as "sha512-256"; static; null for an unknown hash.
#[unsafe(no_mangle)]
extern "C" fn keylane_hash_name(hash: c_int) -> *const c_char {
    Algorithm::new(hash).map_or(std::ptr::null(), |algorithm| name(algorithm).as_ptr())
}

const fn name(algorithm: Algorithm) -> &'static CStr {
    match algorithm {
        Algorithm::Sha1 => c"sha1",
        Algorithm::Sha224 => c"sha224",
        Algorithm::Sha256 => c"sha256",
        Algorithm::Sha384 => c"sha384",
        Algorithm::Sha512 => c"sha512",
        Algorithm::Sha512_256 => c"sha512-256",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_hmac_end_where_the_hash_stops_counting() {
        const TOO_LONG: Result<(), Failure> = Err(Failure(KEYLANE_ERROR_INPUT_TOO_LONG));
        let short = (1 << 61) - 1 - 64;
        assert_eq!(
            (check_hmac_len::<hashes::Sha1>(short), check_hmac_len::<hashes::Sha256>(short)),
            (Ok(()), Ok(()))
        );
        assert_eq!(check_hmac_len::<hashes::Sha1>(short + 1), TOO_LONG);
        assert_eq!(check_hmac_len::<hashes::Sha256>(short + 1), TOO_LONG);
        let long = (1 << 64) - 1 - 128;
        assert_eq!(check_hmac_len::<hashes::Sha512>(long), Ok(()));
        assert_eq!(check_hmac_len::<hashes::Sha512>(long + 1), TOO_LONG);
        assert_eq!(check_hmac_len::<hashes::Sha224>(u128::MAX), TOO_LONG);
    }

    /// Every number outside is refused, and each inside has the name that Rust gives it.
    #[test]
    fn numbers_name_hashes() {
        for number in [c_int::MIN, -1, 0, 7, 256 + 3, c_int::MAX] {
            assert_eq!(Algorithm::new(number), Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER)), "{number}");
            assert_eq!(keylane_hash_output_len(number), 0);
        }
        for number in KEYLANE_SHA1..=KEYLANE_SHA512_256 {
            let algorithm = Algorithm::new(number).unwrap();
            with_hash!(algorithm, H => {
                assert_eq!(name(algorithm).to_str().unwrap(), H::NAME);
                const { assert!(H::OUTPUT_LEN <= KEYLANE_HASH_MAX_LEN) }
            });
        }
    }
}
