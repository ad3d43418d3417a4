//! Keylane for Python: the extension module of the package `keylane`, which names what is in it.
//!
//! A class or a function of Python is one here, in safe code; the memory of its arguments comes from
//! [`buffer`]. What doc comments say here is what `help` says in Python.
#![deny(unsafe_code)]

mod aead;
mod algorithm;
#[allow(unsafe_code, reason = "the boundary to C")]
mod buffer;
mod derivation;
mod error;
mod hash;
mod hmac;
mod integer;
mod key_stream;
mod library;
mod messages;
mod poly1305;
mod threads;

/// The functions and classes of `keylane` and `keylane.hmac`.
#[pyo3::pymodule(gil_used = false)]
mod _keylane {
    #[pymodule_export]
    use crate::aead::{AesGcm, ChaCha20Poly1305, XChaCha20Poly1305};
    #[pymodule_export]
    use crate::derivation::{
        Hkdf, HkdfExpand, Pbkdf2Hmac, hkdf, hkdf_expand, hkdf_extract, pbkdf2_hmac, pbkdf2_hmac_many,
    };
    #[pymodule_export]
    use crate::error::__getattr__;
    #[pymodule_export]
    use crate::hash::{PyHash, digest_many, new, sha1, sha224, sha256, sha384, sha512, sha512_256};
    #[pymodule_export]
    use crate::hmac::{PyHmac, PyHmacKey};
    #[pymodule_export]
    use crate::key_stream::{AesCtr, ChaCha20};
    #[pymodule_export]
    use crate::library::{Backend, backends, self_test};
    #[pymodule_export]
    use crate::poly1305::Poly1305;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        // The package gives them the names that they have themselves: keylane.hmac.new, keylane.hmac.digest.
        module.add("hmac_new", wrap_pyfunction!(crate::hmac::new, module)?)?;
        module.add("hmac_digest", wrap_pyfunction!(crate::hmac::digest, module)?)?;
        // pyo3 makes one. The package has its own, and the types' file would need a third.
        module.dict().del_item("__all__")
    }
}
