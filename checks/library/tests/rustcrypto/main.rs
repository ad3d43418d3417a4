//! RustCrypto's traits on Keylane's types, compared with RustCrypto's own types.

mod agreement;
mod promises;
mod swaps;
