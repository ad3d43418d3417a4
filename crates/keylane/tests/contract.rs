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

/// What a log may hold: names, lengths and places.
#[test]
fn debug_output_has_no_secrets() {
    use keylane::aes_gcm::Ghash;
    use keylane::{hmac::Hmac, pbkdf2::Job, primitives, sha2::Sha256};

    let job = Job { password: b"password", salt: b"salt", out: &mut [0; 20] };
    assert_eq!(format!("{job:?}"), "Job { out_len: 20, .. }");
    assert_eq!(format!("{:?}", Ghash::new(&[7; 16])), "Ghash { .. }");
    assert_eq!(format!("{:?}", <Sha256 as keylane::Hash>::new()), "Sha256 { .. }");
    let mac = format!("{:?}", Hmac::<Sha256>::new(b"\x07\x07\x07\x07"));
    assert!(mac.starts_with("Hmac") && mac.ends_with(" .. }") && !mac.contains('7'), "{mac}");
    let primitive = &primitives()[0];
    let shown = format!("Primitive {{ name: {:?}, .. }}", primitive.name());
    assert_eq!(format!("{primitive:?}"), shown);
    let operation = &primitive.operations()[0];
    let shown = format!("Operation {{ name: {:?}, work: {:?}, .. }}", operation.name, operation.work);
    assert_eq!(format!("{operation:?}"), shown);
}
