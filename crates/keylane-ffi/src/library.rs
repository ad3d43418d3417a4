//! The version, the self-test and the chosen implementations.

use crate::boundary::{Name, call, works};
use crate::error::{Failure, KEYLANE_ERROR_SELF_TEST};
use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::OnceLock;

pub const KEYLANE_VERSION_MAJOR: c_int = 0;
pub const KEYLANE_VERSION_MINOR: c_int = 3;
pub const KEYLANE_VERSION_PATCH: c_int = 0;

#[unsafe(no_mangle)]
pub extern "C" fn keylane_startup() -> c_int {
    call(|_| if works() { Ok(()) } else { Err(Failure(KEYLANE_ERROR_SELF_TEST)) })
}

#[unsafe(no_mangle)]
pub extern "C" fn keylane_implementation(primitive: Name) -> *const c_char {
    let mut found = ptr::null();
    let _ = call(|call| {
        found = implementation(call.name(primitive)?).map_or(ptr::null(), CStr::as_ptr);
        Ok(())
    });
    found
}

pub(crate) fn implementation(primitive: &CStr) -> Option<&'static CStr> {
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

#[unsafe(no_mangle)]
pub extern "C" fn keylane_version() -> *const c_char {
    version().as_ptr()
}

pub(crate) fn version() -> &'static CStr {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    const {
        match CStr::from_bytes_with_nul(VERSION.as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("the version holds a zero byte"),
        }
    }
}
