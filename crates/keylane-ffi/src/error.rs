//! The messages of the error codes.

use keylane_boundary::error::{
    KEYLANE_ERROR_AUTHENTICATION_FAILED, KEYLANE_ERROR_INPUT_TOO_LONG, KEYLANE_ERROR_INTERNAL,
    KEYLANE_ERROR_INVALID_PARAMETER, KEYLANE_ERROR_NO_RANDOMNESS, KEYLANE_ERROR_NULL, KEYLANE_ERROR_OVERLAP,
    KEYLANE_ERROR_SELF_TEST, KEYLANE_ERROR_UNINITIALISED, KEYLANE_ERROR_WRONG_LENGTH,
};
use std::ffi::{CStr, c_char, c_int};

#[unsafe(no_mangle)]
pub extern "C" fn keylane_error_message(error: c_int) -> *const c_char {
    message(error).as_ptr()
}

fn message(error: c_int) -> &'static CStr {
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

#[cfg(test)]
mod tests {
    use super::*;
    use keylane::Error;
    use keylane_boundary::error::Failure;

    #[test]
    fn the_codes_are_those_of_rust() {
        let wrong_length = Error::WrongLength { what: "", min: 1, max: 1, actual: 2 };
        assert_eq!(Error::AuthenticationFailed.code(), KEYLANE_ERROR_AUTHENTICATION_FAILED);
        assert_eq!(Error::InputTooLong { max: 1 }.code(), KEYLANE_ERROR_INPUT_TOO_LONG);
        assert_eq!(wrong_length.code(), KEYLANE_ERROR_WRONG_LENGTH);
        assert_eq!(Error::InvalidParameter { what: "" }.code(), KEYLANE_ERROR_INVALID_PARAMETER);
        assert_eq!(Error::NoRandomness.code(), KEYLANE_ERROR_NO_RANDOMNESS);
        assert_eq!(Failure::from(wrong_length), Failure(KEYLANE_ERROR_WRONG_LENGTH));
    }

    #[test]
    fn every_code_has_a_message_of_its_own() {
        let codes = (-5..=0).chain(KEYLANE_ERROR_INTERNAL..=KEYLANE_ERROR_NULL);
        let mut messages: Vec<_> = codes.map(message).collect();
        messages.push(message(1));
        assert_eq!(messages.len(), 12);
        messages.sort();
        messages.dedup();
        assert_eq!(messages.len(), 12);
        assert_eq!(message(c_int::MIN), c"unknown error");
    }
}
