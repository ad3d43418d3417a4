//! Does SHA-1 give the published answers?
//!
//! FIPS 180-4's examples: <https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values>.

use keylane::sha1::Sha1;
use keylane_testkit::{Fips180, fips180};

#[test]
fn sha1() {
    fips180::<Sha1>(&Fips180 {
        empty: "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        abc: "a9993e364706816aba3e25717850c26c9cd0d89d",
        alphabet_448: "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
        alphabet_896: "a49b2446a02c645bf419f995b67091253a04a259",
        million_a: "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
    });
}
