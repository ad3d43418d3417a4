//! Keylane for Python: the extension module `_keylane` of the package `keylane`.
//!
//! Each Python class or function is a Rust type or function here, in safe code; [`buffer`] gives access to
//! its arguments' memory. Doc comments become docstrings, which `help` shows.
#![deny(unsafe_code)]

mod aead;
mod algorithm;
#[allow(unsafe_code, reason = "the boundary to C")]
mod buffer;
mod chunked;
mod derivation;
mod error;
mod hash;
mod hmac;
mod integer;
mod key_stream;
mod library;
mod many;
mod messages;
mod poly1305;
mod threads;

/// The functions and classes of `keylane`, `keylane.chunked` and `keylane.hmac`.
#[pyo3::pymodule(gil_used = false)]
mod _keylane {
    #[pymodule_export]
    use crate::aead::{
        Aead, AesGcm, AesGcmSiv, ChaCha20Poly1305, RandomNonces, XChaCha20Poly1305, Xaes256Gcm,
    };
    #[pymodule_export]
    use crate::chunked::{ChunkedReader, ChunkedWriter};
    #[pymodule_export]
    use crate::derivation::{
        Derivation, Hkdf, HkdfExpand, Pbkdf2Hmac, hkdf, hkdf_expand, hkdf_extract, pbkdf2_hmac,
        pbkdf2_hmac_many,
    };
    #[pymodule_export]
    use crate::error::__getattr__;
    #[pymodule_export]
    use crate::hash::{Function, PyHash, digest_many, new, sha1, sha224, sha256, sha384, sha512, sha512_256};
    #[pymodule_export]
    use crate::hmac::{PyHmac, PyHmacKey, verify_any};
    #[pymodule_export]
    use crate::key_stream::{AesCtr, ChaCha20, KeyStream};
    #[pymodule_export]
    use crate::library::{Backend, backends, self_test};
    #[pymodule_export]
    use crate::poly1305::Poly1305;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("chunked_encrypt", wrap_pyfunction!(crate::chunked::encrypt, module)?)?;
        module.add("chunked_decrypt", wrap_pyfunction!(crate::chunked::decrypt, module)?)?;
        // In the package, they are keylane.hmac.new and keylane.hmac.digest.
        module.add("hmac_new", wrap_pyfunction!(crate::hmac::new, module)?)?;
        module.add("hmac_digest", wrap_pyfunction!(crate::hmac::digest, module)?)?;
        // PyO3 makes an `__all__`. The package has its own, and `_keylane.pyi` would have to repeat this one.
        module.dict().del_item("__all__")
    }
}
