//! Running hashes, HMAC, HKDF, PBKDF2.

use crate::watch::{Boxes, Case, Secret, boxed};
use keylane::hash::{Algorithm, AnyHash, AnyHmacKey, AnyPrk};
use keylane::hkdf::Prk;
use keylane::hmac::{Hmac, HmacKey, HmacKeyState};
use keylane::pbkdf2;
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use keylane_testkit::Oracle;
use std::hint::black_box;
use std::num::NonZeroU32;

pub(super) fn cases() -> Vec<Case> {
    [
        of::<Sha1>(&["keylane::sha1::Sha1"]),
        of::<Sha224>(&["keylane::sha2::Sha224"]),
        of::<Sha256>(&["keylane::sha2::Sha256"]),
        of::<Sha384>(&["keylane::sha2::Sha384"]),
        of::<Sha512>(&["keylane::sha2::Sha512"]),
        of::<Sha512_256>(&["keylane::sha2::Sha512_256"]),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn of<H: Oracle>(hash_type: &'static [&'static str]) -> Vec<Case> {
    let case =
        |types, run| Case { types, with: H::NAME, primitive: Some(H::PRIMITIVE), boxes: Boxes::OfCase, run };
    vec![
        case(hash_type, hash::<H>),
        case(&["keylane::hmac::HmacKey"], mac::<H>),
        case(&["keylane::hmac::Hmac"], running_mac::<H>),
        case(&["keylane::hmac::HmacKeyState"], exported::<H>),
        case(&["keylane::hkdf::Prk"], derivation::<H>),
        case(CHOSEN_AT_RUN_TIME, chosen_at_run_time::<H>),
        case(&["keylane::pbkdf2::Job"], passwords::<H>),
    ]
}

const CHOSEN_AT_RUN_TIME: &[&str] = &[
    "keylane::hash::AnyHash",
    "keylane::hash::AnyHmac",
    "keylane::hash::AnyHmacKey",
    "keylane::hash::AnyPrk",
    "keylane::hash::Digest",
];

/// In the middle of a block, cloned, and finished.
fn hash<H: Oracle>(secret: &mut Secret) {
    let mut hash = boxed(H::new);
    hash.update(&secret.bytes::<331>());
    let mut other = boxed(|| (*hash).clone());
    other.update(&secret.bytes::<77>());
    black_box((*other).clone().finalize());
    secret.lives();
}

fn mac<H: Oracle>(secret: &mut Secret) {
    let key = boxed(|| HmacKey::<H>::new(&secret.bytes::<48>()));
    let long = boxed(|| HmacKey::<H>::new(&secret.bytes::<300>()));
    let messages = [secret.bytes::<200>(); 9];
    let messages = messages.each_ref().map(<[u8; 200]>::as_slice);
    let mut tags = [key.mac(messages[0]); 9];
    key.mac_many(&messages, &mut tags).expect("equal lengths");
    assert!(key.verify(messages[0], tags[0].as_ref()).is_ok());
    assert!(boxed(|| (*long).clone()).verify(messages[0], tags[0].as_ref()).is_err());
    secret.lives();
}

fn running_mac<H: Oracle>(secret: &mut Secret) {
    let mut mac = boxed(|| Hmac::<H>::new(&secret.bytes::<48>()));
    mac.update(&secret.bytes::<99>());
    black_box(mac.finalize_reset());
    mac.update(&secret.bytes::<300>());
    black_box((*mac).clone().finalize());
    secret.lives();
}

fn exported<H: Oracle>(secret: &mut Secret) {
    let key = boxed(|| HmacKey::<H>::new(&secret.bytes::<48>()));
    let state = boxed(|| key.export());
    let read = boxed(|| HmacKeyState::<H>::from_bytes(state.as_bytes()).expect("as exported"));
    let imported = boxed(|| HmacKey::import(&read).expect("as exported"));
    black_box(imported.mac(b"message"));
    secret.lives();
}

fn derivation<H: Oracle>(secret: &mut Secret) {
    let prk = boxed(|| Prk::<H>::extract(&secret.bytes::<16>(), &secret.bytes::<200>()));
    let bytes = secret.bytes::<64>();
    let given = boxed(|| Prk::<H>::from_bytes(&bytes[..H::OUTPUT_LEN]).expect("a digest long"));
    let mut key = [0; 100];
    prk.expand(&[b"label", b"context"], &mut key).expect("a short key");
    boxed(|| (*given).clone()).expand(&[b"label"], &mut key).expect("a short key");
    secret.lives();
}

fn chosen_at_run_time<H: Oracle>(secret: &mut Secret) {
    let algorithm = Algorithm::from_name(H::NAME).expect("Keylane's");
    let mut hash = boxed(|| AnyHash::new(algorithm));
    hash.update(&secret.bytes::<331>());
    black_box(boxed(|| (*hash).clone().finalize()));
    let key = boxed(|| AnyHmacKey::new(algorithm, &secret.bytes::<300>()));
    let mut mac = boxed(|| key.start());
    mac.update(&secret.bytes::<99>());
    black_box(boxed(|| mac.finalize_reset()));
    let prk = boxed(|| AnyPrk::extract(algorithm, &secret.bytes::<16>(), &secret.bytes::<200>()));
    let mut out = [0; 100];
    prk.expand(&[b"label", b"context"], &mut out).expect("a short key");
    secret.lives();
}

/// The keys are the caller's; nothing else may stay.
fn passwords<H: Oracle>(secret: &mut Secret) {
    let iterations = NonZeroU32::new(7).expect("not zero");
    let mut keys = [[0; 50]; 9];
    let password = zeroize::Zeroizing::new(secret.bytes::<20>().to_vec());
    {
        let mut jobs: Vec<_> =
            keys.iter_mut().map(|out| pbkdf2::Job { password: &password, salt: b"salt", out }).collect();
        pbkdf2::derive_many::<H>(&mut jobs, iterations).expect("short keys");
    }
    pbkdf2::verify::<H>(&password, b"salt", iterations, &keys[0]).expect("the same key");
    secret.lives();
}
