//! Keylane for C.
//!
//! Each primitive has a file with its exported functions, in safe code. Their arguments have the pointer
//! types of [`keylane_boundary`], which turns them into references. From these functions, `cargo xtask
//! header` writes `include/keylane.h`, with C's types and the attributes that follow from them.
#![allow(non_camel_case_types, reason = "the names are C's")]

mod aead;
mod aes;
mod aes_ctr;
mod aes_gcm;
mod aes_gcm_siv;
mod algorithm;
mod chacha20;
mod chacha20poly1305;
mod error;
mod hash;
mod hkdf;
mod hmac;
mod library;
mod pbkdf2;
mod poly1305;
mod xaes;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// The attributes of exported functions, `#[unsafe(no_mangle)]` and `#[unsafe(export_name = …)]`, are not
    /// counted.
    #[test]
    fn no_other_file_leaves_safe_rust() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut folders =
            ["boundary", "ffi", "poly1305"].map(|name| crates.join(format!("keylane-{name}/src"))).to_vec();
        let mut files = 0;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = fs::read_to_string(&path).unwrap();
                let text = text.replace("#[unsafe(no_mangle)]", "").replace("#[unsafe(export_name = ", "");
                let mut code = text.lines().map(|line| line.split("//").next().unwrap());
                let found = code.any(|line| line.contains(concat!("un", "safe")));
                let receives =
                    ["lib.rs", "messages.rs"].map(|file| Path::new("keylane-boundary/src").join(file));
                let expected = receives.iter().any(|file| path.ends_with(file));
                assert_eq!(found, expected, "{}", path.display());
                files += 1;
            }
        }
        assert!(files > 15, "{files} files were read");
    }
}
