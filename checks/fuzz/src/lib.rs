//! What fuzzers run: each [`Target`] takes any bytes, and panics where a promise of Keylane's is broken.
//!
//! The bytes are choices: lengths, keys, what an attacker changes. `checks/instrumented` gives the targets to
//! libFuzzer; this crate's tests give them the inputs that were found so far, and random ones, with any
//! toolchain.
#![forbid(unsafe_code)]

// The command's own files, which need nothing else of it: a program has no library to depend on.
#[path = "../../../crates/keylane-cli/src/check_list/entry.rs"]
mod entry;
#[path = "../../../crates/keylane-cli/src/hex.rs"]
mod hex;
mod text;

use keylane_contracts::{Choices, Oracle, agreement, on_any};
use keylane_subjects::{Aead, AesGcm, Stream};
use keylane_subjects::{every_aead, every_aes_gcm, every_hash, every_stream, every_streamed_aead};
use keylane_tls_checks::fuzz;

/// One thing to fuzz.
#[derive(Clone, Copy)]
pub struct Target {
    /// The name, also of the folder with its inputs: `checks/fuzz/corpus/NAME`.
    pub name: &'static str,
    body: Body,
}

/// Is given the target's name.
type Body = fn(&str, &mut Choices<'_>);

impl Target {
    /// Runs it once.
    ///
    /// # Panics
    /// If a promise is broken.
    pub fn run(&self, input: &[u8]) {
        (self.body)(self.name, &mut Choices::new(input));
    }
}

/// Every primitive's implementations against each other, then what is built on them.
pub fn targets() -> impl Iterator<Item = Target> {
    let agreement = |primitive: &keylane::Primitive| Target { name: primitive.name(), body: agreement };
    let others: [(_, Body); 8] = [
        ("aead", |_, choices| one_of(&aeads(), choices)),
        ("chunked", |_, choices| on_any("aes-gcm", choices, keylane_contracts::chunked)),
        ("derivation", |_, choices| one_of(&derivation(), choices)),
        ("pieces", |_, choices| one_of(&pieces(), choices)),
        ("stream", |_, choices| one_of(&chunks(), choices)),
        ("text", |_, choices| text::text(choices)),
        ("tls-record", |_, choices| _ = fuzz::tls_record(choices.rest())),
        ("tls-session", |_, choices| _ = fuzz::tls_session(choices.rest())),
    ];
    keylane::primitives().iter().map(agreement).chain(others.map(|(name, body)| Target { name, body }))
}

/// Checks of one kind, with the primitives that they need.
type Checks = Vec<(&'static str, fn(&mut Choices<'_>))>;

fn one_of(checks: &Checks, choices: &mut Choices<'_>) {
    let (primitive, check) = checks[usize::from(choices.any::<u8>()) % checks.len()];
    on_any(primitive, choices, check);
}

/// Every way to seal and to open.
fn aeads() -> Checks {
    fn of<A: Aead>(checks: &mut Checks) {
        checks.push((A::PRIMITIVE, keylane_contracts::aead::<A>));
        checks.push((A::PRIMITIVE, keylane_contracts::many::<A>));
    }
    fn of_gcm<A: AesGcm>(checks: &mut Checks) {
        checks.push((A::PRIMITIVE, keylane_contracts::any_nonce::<A>));
    }
    let mut checks = Checks::new();
    every_aead!(of, &mut checks);
    every_aes_gcm!(of_gcm, &mut checks);
    checks
}

/// Derived keys and exported ones.
fn derivation() -> Checks {
    fn of<H: Oracle>(checks: &mut Checks) {
        checks.push((H::PRIMITIVE, keylane_contracts::hkdf::<H>));
        checks.push((H::PRIMITIVE, keylane_contracts::pbkdf2::<H>));
        checks.push((H::PRIMITIVE, keylane_contracts::exported::<H>));
    }
    let mut checks = Checks::new();
    every_hash!(of, &mut checks);
    checks
}

/// Hashes, tags and key streams, in pieces or at once.
fn pieces() -> Checks {
    fn of_hash<H: Oracle>(checks: &mut Checks) {
        checks.push((H::PRIMITIVE, keylane_contracts::hash::<H>));
        checks.push((H::PRIMITIVE, keylane_contracts::mac::<H>));
    }
    fn of_stream<S: Stream>(checks: &mut Checks) {
        checks.push((S::PRIMITIVE, keylane_contracts::stream::<S>));
    }
    let mut checks: Checks = vec![("poly1305", keylane_contracts::poly1305), ("aes", keylane_contracts::aes)];
    every_hash!(of_hash, &mut checks);
    every_stream!(of_stream, &mut checks);
    checks
}

/// A text in chunks.
fn chunks() -> Checks {
    fn of<A: Aead<Nonce = [u8; 12]>>(checks: &mut Checks) {
        checks.push((A::PRIMITIVE, keylane_contracts::chunks::<A>));
    }
    let mut checks = Checks::new();
    every_streamed_aead!(of, &mut checks);
    checks
}
