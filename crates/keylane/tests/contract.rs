//! Does each type keep its promises, on every implementation?

use keylane_testkit::{Aead, Oracle, Stream, contract, every_backend};
use keylane_testkit::{for_every_aead, for_every_hash, for_every_stream};

for_every_hash!(hash, hash_handed_over, mac, mac_handed_over);
for_every_stream!(stream, stream_handed_over);
for_every_aead!(aead, aead_handed_over);

fn hash<H: Oracle>() {
    every_backend(H::PRIMITIVE, |_| contract::hash::<H>());
}

fn hash_handed_over<H: Oracle>() {
    contract::hash_handed_over::<H>(H::PRIMITIVE);
}

fn mac<H: Oracle>() {
    every_backend(H::PRIMITIVE, |_| contract::mac::<H>());
}

fn mac_handed_over<H: Oracle>() {
    contract::mac_handed_over::<H>(H::PRIMITIVE);
}

fn stream<S: Stream>() {
    every_backend(S::PRIMITIVE, |_| contract::stream::<S>());
}

fn stream_handed_over<S: Stream>() {
    contract::stream_handed_over::<S>();
}

fn aead<A: Aead>() {
    every_backend(A::PRIMITIVE, |_| contract::aead::<A>());
}

fn aead_handed_over<A: Aead>() {
    contract::aead_handed_over::<A>();
}

#[test]
fn poly1305() {
    every_backend("poly1305", |_| contract::poly1305());
}

#[test]
fn poly1305_handed_over() {
    contract::poly1305_handed_over();
}
