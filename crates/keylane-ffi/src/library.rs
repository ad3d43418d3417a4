//! The library as a whole.

use keylane_boundary::error::{Failure, KEYLANE_ERROR_SELF_TEST};
use keylane_boundary::{call, works};
use std::ffi::{CStr, c_char, c_int};

/// The major version of the headers.
#[allow(dead_code, reason = "for C")]
pub(crate) const KEYLANE_VERSION_MAJOR: c_int = 0;
/// The minor version of the headers. While the major version is 0, it changes with the interface.
#[allow(dead_code, reason = "for C")]
pub(crate) const KEYLANE_VERSION_MINOR: c_int = 1;
/// The patch version of the headers.
#[allow(dead_code, reason = "for C")]
pub(crate) const KEYLANE_VERSION_PATCH: c_int = 0;

/// Tests the implementations that this CPU can run against known answers, and chooses the best of each primitive.
///
/// Optional: what is used was tested before its first use, with or without this call. It moves that work, some
/// milliseconds, to where you want it. Any thread may call it, any number of times, while others compute.
///
/// @return 0, or KEYLANE_ERROR_SELF_TEST if no implementation of some primitive passes.
#[unsafe(no_mangle)]
extern "C" fn keylane_startup() -> c_int {
    call(|_| if works() { Ok(()) } else { Err(Failure(KEYLANE_ERROR_SELF_TEST)) })
}

/// The version of the library that runs, as "0.1.0"; static.
#[unsafe(no_mangle)]
extern "C" fn keylane_version() -> *const c_char {
    version().as_ptr()
}

fn version() -> &'static CStr {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    const {
        match CStr::from_bytes_with_nul(VERSION.as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("the version holds a zero byte"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_agree() {
        let numbers = format!("{KEYLANE_VERSION_MAJOR}.{KEYLANE_VERSION_MINOR}.{KEYLANE_VERSION_PATCH}");
        assert_eq!(version().to_str().unwrap(), numbers);
    }

    #[test]
    fn it_works_here() {
        assert_eq!(keylane_startup(), 0);
        assert!(works());
    }
}
