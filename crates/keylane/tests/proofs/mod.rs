//! Proofs that kernels compute what their standards say, for all inputs.
//!
//! Kernels are generic over vectors. Here they are run with vectors that record what is computed ([`record`],
//! [`lanes`]), and the record is compared with the standard in a normal form ([`words`]).

mod instructions;
mod lanes;
mod prove;
mod record;
mod sha;
mod symbols;
mod words;
