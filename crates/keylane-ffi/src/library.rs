//! The library as a whole.

use keylane_boundary::error::{Failure, KEYLANE_ERROR_SELF_TEST};
use keylane_boundary::{Name, call, works};
use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::OnceLock;

/// The major version of the headers.
#[allow(dead_code, reason = "for C")]
pub(crate) const KEYLANE_VERSION_MAJOR: c_int = 0;
/// The minor version of the headers. While the major version is 0, it changes with the interface.
#[allow(dead_code, reason = "for C")]
pub(crate) const KEYLANE_VERSION_MINOR: c_int = 2;
/// The patch version of the headers.
#[allow(dead_code, reason = "for C")]
pub(crate) const KEYLANE_VERSION_PATCH: c_int = 0;

/// Tests the implementations that this CPU can run against known answers, and chooses the best of each
/// primitive.
///
/// Optional: without this call, each implementation is tested before its first use. The call lets you choose
/// when those few milliseconds are spent. Any thread may call it, any number of times, while others compute.
///
/// @return 0, or KEYLANE_ERROR_SELF_TEST if no implementation of some primitive passes.
#[unsafe(no_mangle)]
extern "C" fn keylane_startup() -> c_int {
    call(|_| if works() { Ok(()) } else { Err(Failure(KEYLANE_ERROR_SELF_TEST)) })
}

/// Returns the name of the implementation that runs on this CPU for one message at a time, such as "sha-ni",
/// "avx2" or "portable"; static. The primitives are "sha1", "sha256" (and SHA-224), "sha512" (and SHA-384,
/// SHA-512/256), "aes", "aes-ctr", "aes-gcm" (and XAES-256-GCM), "aes-gcm-siv", "poly1305", "chacha20" and
/// "chacha20-poly1305" (and XChaCha20-Poly1305). For several messages at once another implementation may run.
/// The first call for a primitive runs the implementation's self-test, as keylane_startup does.
///
/// Returns null for any other name, for null, and if no implementation passes its self-test.
#[unsafe(no_mangle)]
extern "C" fn keylane_implementation(primitive: Name) -> *const c_char {
    let mut found = ptr::null();
    let _ = call(|call| {
        found = implementation(call.name(primitive)?).map_or(ptr::null(), CStr::as_ptr);
        Ok(())
    });
    found
}

fn implementation(primitive: &CStr) -> Option<&'static CStr> {
    // For each primitive, the name of its implementation, followed by a zero byte.
    static NAMES: [OnceLock<[u8; 32]>; 16] = [const { OnceLock::new() }; 16];
    let mut named = keylane::primitives().iter().zip(&NAMES);
    let (primitive, name) = named.find(|(named, _)| named.name().as_bytes() == primitive.to_bytes())?;
    let mut implementations = primitive.implementations();
    let chosen = implementations.find(|found| found.chosen && found.from_messages == 1)?;
    let bytes = name.get_or_init(|| {
        let mut bytes = [0; 32];
        bytes[..chosen.name.len()].copy_from_slice(chosen.name.as_bytes());
        bytes
    });
    CStr::from_bytes_until_nul(bytes).ok()
}

/// Returns the version of the library that is loaded, such as "0.2.0"; static.
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
    use std::ffi::CString;

    #[test]
    fn the_versions_agree() {
        let numbers = format!("{KEYLANE_VERSION_MAJOR}.{KEYLANE_VERSION_MINOR}.{KEYLANE_VERSION_PATCH}");
        assert_eq!(version().to_str().unwrap(), numbers);
    }

    /// Each primitive has a place for its name, and each implementation's name fits.
    #[test]
    fn the_implementation_is_the_one_that_rust_names() {
        for primitive in keylane::primitives() {
            let name = CString::new(primitive.name()).unwrap();
            let found = implementation(&name).unwrap().to_str().unwrap();
            let chosen = primitive.implementations().find(|it| it.name == found).unwrap();
            assert!(chosen.chosen && chosen.from_messages == 1, "{name:?}: {found}");
            assert!(primitive.implementations().all(|it| it.name.len() < 32), "{name:?}");
        }
        for name in [c"", c"sha", c"sha2566", c"SHA256", c"hmac"] {
            assert_eq!(implementation(name), None, "{name:?}");
        }
    }

    #[test]
    fn it_works_here() {
        assert_eq!(keylane_startup(), 0);
        assert!(works());
    }
}
