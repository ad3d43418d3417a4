//! Keylane for C.
//!
//! Each file has the exported functions of one thing, in safe code; `include/keylane.h` describes them. Their
//! arguments have the pointer types of [`boundary`], which turns them into references. The tests in
//! `checks/c` compare every prototype in the header with the function's type.
#![allow(non_camel_case_types, reason = "the names are C's")]
#![allow(missing_docs, reason = "in keylane.h")]

mod aead;
mod algorithm;
mod batch;
pub mod boundary;
mod error;
mod hash;
mod hkdf;
mod hmac;
mod keystream;
mod library;
mod pbkdf2;
mod poly1305;
#[cfg(feature = "poly1305-opt")]
mod poly1305_opt;

// For the comparison with the header.
pub use aead::*;
pub use algorithm::*;
pub use error::*;
pub use hash::*;
pub use hkdf::*;
pub use hmac::*;
pub use keystream::*;
pub use library::*;
pub use pbkdf2::*;
pub use poly1305::*;

#[cfg(test)]
mod tests {
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
                let found = code.any(|line| line.contains(concat!("un", "safe")));
                assert_eq!(found, path.ends_with("src/boundary.rs"), "{}", path.display());
                files += 1;
            }
        }
        assert!(files > 13, "{files} files were read");
    }
}
