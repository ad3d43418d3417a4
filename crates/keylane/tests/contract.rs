//! Does each type keep its promises, on every implementation?

use keylane_testkit::{Oracle, contract, every_backend, for_every_hash};

for_every_hash!(hash, hash_handed_over, mac, mac_handed_over);

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
