//! The error codes and their messages. Rust's [`Error`]s have the code that `code()` returns; those that only
//! C can cause begin at -100.

use keylane::Error;
use std::ffi::{CStr, c_char, c_int};

/// A tag or a derived key is not the expected one. The error deliberately has no details.
pub const KEYLANE_ERROR_AUTHENTICATION_FAILED: c_int = -1;
/// More input or output than the algorithm allows.
pub const KEYLANE_ERROR_INPUT_TOO_LONG: c_int = -2;
/// A length is not allowed.
pub const KEYLANE_ERROR_WRONG_LENGTH: c_int = -3;
/// A parameter has no valid meaning: an unknown hash, 0 iterations, or a key state of another hash.
pub const KEYLANE_ERROR_INVALID_PARAMETER: c_int = -4;
/// The operating system supplied no random bytes.
pub const KEYLANE_ERROR_NO_RANDOMNESS: c_int = -5;
/// A pointer to a struct, or to bytes whose length is not 0, is null.
pub const KEYLANE_ERROR_NULL: c_int = -100;
/// An output or a struct overlaps other memory that the call reads or writes, without being the same buffer.
pub const KEYLANE_ERROR_OVERLAP: c_int = -101;
/// A struct was not initialised, or has been wiped or finalized since.
pub const KEYLANE_ERROR_UNINITIALISED: c_int = -102;
/// No implementation of a primitive passes its self-test: the CPU or the build is broken.
pub const KEYLANE_ERROR_SELF_TEST: c_int = -103;
/// A defect of the library. Outputs are undefined.
pub const KEYLANE_ERROR_INTERNAL: c_int = -104;

/// The error code with which a call ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure(pub c_int);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error.code())
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_error_message(error: c_int) -> *const c_char {
    message(error).as_ptr()
}

pub(crate) fn message(error: c_int) -> &'static CStr {
    match error {
        0 => c"no error",
        KEYLANE_ERROR_AUTHENTICATION_FAILED => c"authentication failed",
        KEYLANE_ERROR_INPUT_TOO_LONG => c"input or output longer than the algorithm allows",
        KEYLANE_ERROR_WRONG_LENGTH => c"wrong length",
        KEYLANE_ERROR_INVALID_PARAMETER => c"invalid parameter",
        KEYLANE_ERROR_NO_RANDOMNESS => c"no random bytes from the operating system",
        KEYLANE_ERROR_NULL => c"null pointer",
        KEYLANE_ERROR_OVERLAP => c"an output or a struct overlaps another argument",
        KEYLANE_ERROR_UNINITIALISED => c"struct not initialised, or wiped",
        KEYLANE_ERROR_SELF_TEST => c"no implementation passes its self-test",
        KEYLANE_ERROR_INTERNAL => c"internal error",
        _ => c"unknown error",
    }
}
