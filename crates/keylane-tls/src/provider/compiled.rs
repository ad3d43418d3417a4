//! The providers that rustls is compiled with.
//!
//! An application and its dependencies decide together which these are, and a crate cannot see another's
//! features. But Rust resolves a path in a function first among the function's glob imports, here rustls'
//! modules if they exist, then in this file.
#![allow(clippy::useless_conversion, dead_code, unused_imports, reason = "it depends on rustls' features")]

use rustls::crypto::CryptoProvider;
use {none as aws_lc_rs, none as ring};

mod none {
    pub(super) fn default_provider() -> Option<super::CryptoProvider> {
        None
    }
}

/// ring's provider, if rustls has it.
pub(super) fn ring() -> Option<CryptoProvider> {
    use rustls::crypto::*;
    ring::default_provider().into()
}

/// The provider of aws-lc-rs, if rustls has it.
pub(super) fn aws_lc_rs() -> Option<CryptoProvider> {
    use rustls::crypto::*;
    aws_lc_rs::default_provider().into()
}
