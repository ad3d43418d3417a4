//! What fuzzers run: each [`Target`] takes any bytes, and panics where a promise of Keylane's is broken.
//!
//! The bytes are choices ([`arbitrary`]): lengths, keys, what an attacker changes. The program in `fuzz/` gives the targets to
//! libFuzzer; this crate's tests give them the inputs that were found so far, and random ones, with any toolchain.
#![forbid(unsafe_code)]

mod aead;
mod agreement;
mod choices;
mod derivation;
mod file;
mod pieces;
mod stream;

// The command's own files, which need nothing else of it: a program has no library to depend on.
#[path = "../../keylane-cli/src/check_list/entry.rs"]
mod entry;
#[path = "../../keylane-cli/src/hex.rs"]
mod hex;
mod text;

use keylane_tls_testkit::fuzz;

/// One thing to fuzz.
#[derive(Clone, Copy)]
pub struct Target {
    /// Of the folder with its inputs, too: `fuzz/corpus/NAME`.
    pub name: &'static str,
    body: Body,
}

#[derive(Clone, Copy)]
enum Body {
    /// The implementations of the primitive of this name.
    Agreement,
    Other(fn(&[u8])),
}

impl Target {
    /// Runs it once.
    ///
    /// # Panics
    /// If a promise is broken.
    pub fn run(&self, input: &[u8]) {
        match self.body {
            Body::Agreement => agreement::check(self.name, input),
            Body::Other(run) => run(input),
        }
    }
}

const fn other(name: &'static str, run: fn(&[u8])) -> Target {
    Target { name, body: Body::Other(run) }
}

const OTHERS: [Target; 9] = [
    other("aead", aead::any),
    other("c", keylane_fuzz_c::calls),
    other("derivation", derivation::any),
    other("file", file::file),
    other("pieces", pieces::any),
    other("stream", stream::any),
    other("text", text::text),
    other("tls-record", |input| _ = fuzz::tls_record(input)),
    other("tls-session", |input| _ = fuzz::tls_session(input)),
];

/// Every primitive's implementations against each other, then what is built on them.
pub fn targets() -> impl Iterator<Item = Target> {
    let agreement = |primitive: &keylane::Primitive| Target { name: primitive.name(), body: Body::Agreement };
    keylane::primitives().iter().map(agreement).chain(OTHERS)
}
