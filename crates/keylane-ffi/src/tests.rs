//! Tests of properties that C cannot observe.

use crate::boundary::works;
use crate::error::message;
use crate::hash::{NAMES, hash_kind, numbered};
use crate::library::{implementation, version};
use crate::*;
use ::keylane::Error;
use ::keylane::any::{AeadKind, HashKind};
use std::ffi::{CString, c_int};
use std::fs;
use std::path::Path;

/// The attribute of exported functions, `#[unsafe(no_mangle)]`, is not counted.
#[test]
fn no_other_file_leaves_safe_rust() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let text = text.replace("#[unsafe(no_mangle)]", "");
            let mut code = text.lines().map(|line| line.split("//").next().unwrap());
            let words = [concat!("un", "safe"), concat!("as", "m!")];
            let found = code.any(|line| words.iter().any(|word| line.contains(word)));
            let may = ["src/boundary.rs", "src/panic.rs"].iter().any(|file| path.ends_with(file));
            assert_eq!(found, may, "{}", path.display());
            files += 1;
        }
    }
    assert!(files > 13, "{files} files were read");
}

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

/// Numbers out of range are refused; the others have the same number and name in Rust.
#[test]
fn numbers_name_hashes() {
    for number in [c_int::MIN, -1, 0, 7, 256 + 3, c_int::MAX] {
        assert_eq!(hash_kind(number), Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER)), "{number}");
        assert_eq!((keylane_hash_output_len(number), numbered(&NAMES, number)), (0, None));
    }
    for (known, name) in HashKind::ALL.into_iter().zip(NAMES) {
        assert_eq!(hash_kind(in_the_header(known.name())), Ok(known));
        assert_eq!(known as c_int, in_the_header(known.name()));
        assert_eq!(name.to_str(), Ok(known.name()));
    }
    const { assert!(HashKind::MAX_OUTPUT_LEN == KEYLANE_HASH_MAX_LEN) }
}

#[test]
fn numbers_name_aeads() {
    for known in AeadKind::ALL {
        let number = in_the_header(known.name());
        assert_eq!((numbered(&AeadKind::ALL, number), known as c_int), (Some(known), number));
        assert!(known.nonce_len() <= KEYLANE_AEAD_NONCE_MAX_LEN);
    }
}

/// Returns the number that `keylane.h` gives an algorithm: of "aes-128-gcm", KEYLANE_AES_128_GCM.
fn in_the_header(name: &str) -> c_int {
    let define = format!("#define KEYLANE_{} ", name.to_uppercase().replace('-', "_"));
    let header = include_str!("../include/keylane.h");
    let line = header.lines().find_map(|line| line.strip_prefix(&define)).expect("a line of the header");
    line.split(' ').next().unwrap().parse().unwrap()
}

/// The npm package allocates C's structs itself.
#[test]
fn javascript_allocates_whole_structs() {
    let sources = concat!(
        include_str!("../../keylane-wasm/src/aead.mjs"),
        include_str!("../../keylane-wasm/src/hash.mjs"),
    );
    for (place, len) in [
        ("hash", size_of::<keylane_hash>()),
        ("key", size_of::<keylane_hmac_key>()),
        ("HMAC", size_of::<keylane_hmac>()),
        ("secret", size_of::<keylane_hkdf>()),
        ("key", size_of::<keylane_aead>()),
    ] {
        assert!(sources.contains(&format!("new Place(\"{place}\", {len}, ")), "{place} of {len} bytes");
    }
}

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
