//! To replace RustCrypto's crates by Keylane, only a line or two change.
//!
//! Each file has a program's imports before the change and after it, and the rest, which does not change.

/// Compiles the rest with each of the two lists of imports.
macro_rules! swap {
    (before { $($before:item)* } after { $($after:item)* } $($rest:item)*) => {
        mod before {
            $($before)*
            $($rest)*
        }
        mod after {
            $($after)*
            $($rest)*
        }
    };
}

mod aes_gcm;
mod chacha20poly1305;
mod ctr;
mod hkdf;
mod hmac;
mod pbkdf2;
mod poly1305;
mod sha2;
