//! The fuzzers' targets: each [`Target`] takes any bytes, and panics if Keylane breaks a promise.
//!
//! The bytes are choices: lengths, keys, an attacker's changes. `checks/instrumented` gives the targets to
//! libFuzzer; this crate's tests run them with the inputs found so far and with random ones, on any
//! toolchain.
#![deny(unsafe_code)]

// C's calls, which are unsafe code.
#[allow(unsafe_code)]
#[path = "../../c/tests/calls/main.rs"]
mod calls;
// The command's own files, which need nothing else of it: a program has no library to depend on.
#[path = "../../../crates/keylane-cli/src/check_list/entry.rs"]
mod entry;
#[path = "../../../crates/keylane-cli/src/hex.rs"]
mod hex;
mod record;
mod session;
mod text;

pub use record::tls_record;
pub use session::tls_session;

use keylane_contracts::{
    self as check, Aead, Choices, Hash, Stream, every_aead, every_hash, every_stream, on_any,
};
use std::collections::HashSet;
use std::sync::LazyLock;

type Check = fn(&mut Choices<'_>);

/// One thing to fuzz.
#[derive(Clone, Copy)]
pub struct Target {
    /// The name, also of the folder with its inputs: `checks/fuzz/corpus/NAME`.
    pub name: &'static str,
    check: Check,
}

/// All targets.
pub const TARGETS: [Target; 6] = [
    Target { name: "agreement", check: agreement },
    Target { name: "c", check: |choices| calls::calls(choices.rest(), &mut HashSet::new()) },
    Target { name: "contracts", check: contracts },
    Target { name: "text", check: text::text },
    Target { name: "tls-record", check: |choices| _ = tls_record(choices) },
    Target { name: "tls-session", check: |choices| _ = tls_session(choices) },
];

impl Target {
    /// Runs it once.
    ///
    /// # Panics
    /// If a promise is broken.
    pub fn run(&self, input: &[u8]) {
        (self.check)(&mut Choices::new(input));
    }
}

/// The implementations and the operations of a primitive against each other.
fn agreement(choices: &mut Choices<'_>) {
    let primitive = choices.one_of(keylane::primitives()).name();
    check::agreement(primitive, choices);
}

/// The contract of a type, on an implementation of the primitive that it needs.
fn contracts(choices: &mut Choices<'_>) {
    type Contracts = Vec<(&'static str, Check)>;
    static ALL: LazyLock<Contracts> = LazyLock::new(|| {
        fn hash<H: Hash>(all: &mut Contracts) {
            let of_hash: [Check; 4] =
                [check::hash::<H>, check::mac::<H>, check::hkdf::<H>, check::pbkdf2::<H>];
            all.extend(of_hash.map(|check| (H::PRIMITIVE, check)));
        }
        fn stream<S: Stream>(all: &mut Contracts) {
            all.push((S::PRIMITIVE, check::stream::<S>));
        }
        fn aead<A: Aead>(all: &mut Contracts) {
            all.extend([(A::PRIMITIVE, check::aead::<A> as Check), (A::PRIMITIVE, check::many::<A>)]);
        }
        let mut all: Contracts = vec![("poly1305", check::poly1305), ("aes-gcm", check::chunked)];
        every_hash!(hash, &mut all);
        every_stream!(stream, &mut all);
        every_aead!(aead, &mut all);
        all
    });
    let &(primitive, check) = choices.one_of(&ALL);
    on_any(primitive, choices, check);
}
