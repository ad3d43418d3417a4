//! The error type.

use core::fmt;

/// The reason why an operation failed. Inputs and outputs are unchanged, unless the operation's documentation
/// says otherwise.
///
/// ```
/// use keylane::{Error, aes_gcm::Aes256Gcm};
///
/// let key = Aes256Gcm::new(&[7; 32]);
/// let mut forged = *b"no text of mine";
/// assert_eq!(key.open(&[0; 12], b"", &mut forged, &[0; 16]), Err(Error::AuthenticationFailed));
/// assert_eq!(forged, [0; 15]); // wiped
///
/// let error = Aes256Gcm::from_slice(b"a password").unwrap_err();
/// let what = "length of the key in bytes";
/// assert_eq!(error, Error::WrongLength { what, min: 32, max: 32, actual: 10 });
/// assert_eq!(error.to_string(), "length of the key in bytes: expected 32, got 10");
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// A tag or a derived key is not the expected one. The error deliberately has no details.
    AuthenticationFailed,
    /// An input or output is longer than the algorithm allows.
    InputTooLong {
        /// The maximum length in bytes.
        max: u64,
    },
    /// A parameter has no valid meaning.
    InvalidParameter {
        /// The parameter, and the reason.
        what: &'static str,
    },
    /// The operating system supplied no random bytes.
    NoRandomness,
    /// A slice, or a number of slices, has a length that is not allowed.
    WrongLength {
        /// The length and its unit: `"length of the key in bytes"`, `"number of tags"`.
        what: &'static str,
        /// The minimum allowed.
        min: usize,
        /// The maximum allowed; `usize::MAX` if only `min` limits the length.
        max: usize,
        /// The given length.
        actual: usize,
    },
}

impl Error {
    /// Fails unless the length is the expected one.
    #[inline]
    pub(crate) const fn check_length(what: &'static str, expected: usize, actual: usize) -> Result<(), Self> {
        Self::check_range(what, expected, expected, actual)
    }

    /// Refuses a length unless it is from `min` to `max`.
    #[inline]
    pub(crate) const fn check_range(
        what: &'static str,
        min: usize,
        max: usize,
        actual: usize,
    ) -> Result<(), Self> {
        if min <= actual && actual <= max {
            Ok(())
        } else {
            Err(Self::WrongLength { what, min, max, actual })
        }
    }

    /// Returns a stable, negative number for the kind of error: the error code of the C interface.
    #[must_use]
    pub const fn code(&self) -> i32 {
        match self {
            Self::AuthenticationFailed => -1,
            Self::InputTooLong { .. } => -2,
            Self::WrongLength { .. } => -3,
            Self::InvalidParameter { .. } => -4,
            Self::NoRandomness => -5,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AuthenticationFailed => f.write_str("authentication failed"),
            Self::InputTooLong { max } => write!(f, "too long: at most {max} bytes are allowed"),
            Self::InvalidParameter { what } => write!(f, "invalid parameter: {what}"),
            Self::NoRandomness => f.write_str("no random bytes from the operating system"),
            Self::WrongLength { what, min, max, actual } => {
                write!(f, "{what}: expected ")?;
                match *max {
                    max if max == *min => write!(f, "{min}")?,
                    usize::MAX => write!(f, "at least {min}")?,
                    max => write!(f, "{min} to {max}")?,
                }
                write!(f, ", got {actual}")
            }
        }
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::Error;
    use alloc::string::ToString;

    #[test]
    fn each_kind_has_its_number_and_says_what_was_wrong() {
        let of_length = |min, max, actual| Error::WrongLength { what: "length of the tag", min, max, actual };
        for (error, code, says) in [
            (Error::AuthenticationFailed, -1, "authentication failed"),
            (Error::InputTooLong { max: 7 }, -2, "too long: at most 7 bytes are allowed"),
            (of_length(3, 3, 2), -3, "length of the tag: expected 3, got 2"),
            (of_length(10, 32, 9), -3, "length of the tag: expected 10 to 32, got 9"),
            (of_length(32, usize::MAX, 3), -3, "length of the tag: expected at least 32, got 3"),
            (Error::InvalidParameter { what: "name" }, -4, "invalid parameter: name"),
            (Error::NoRandomness, -5, "no random bytes from the operating system"),
        ] {
            assert_eq!((error.code(), error.to_string().as_str()), (code, says));
        }
    }
}
