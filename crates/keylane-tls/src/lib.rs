//! TLS on Keylane's ciphers.

#![forbid(unsafe_code)]
