//! Are RustCrypto's traits on Keylane's types what they are on RustCrypto's own?

mod agreement;
mod promises;
mod swaps;
mod traits_own_tests;
mod vectors;
