//! Random calls of the C library's functions.
//!
//! `build.rs` reads each function's parameters from keylane.h. The header's promises are in `impl Function`
//! and are checked for each function: null pointers and forbidden overlaps are refused, a failing call writes
//! nothing, texts that are not authentic are wiped, no other memory is written, no other code is returned. A
//! successful call is repeated with a wiped struct and with a forged tag or text, and must be refused. Memory
//! blocks have exactly the length that is passed, so that AddressSanitizer sees accesses beyond it.
//!
//! This test has unsafe code, since it takes the place of a C program. The fuzzer's target `c` also uses
//! [`calls`].

mod call;
mod choose;

// What C would link.
use keylane_c as _;

use arbitrary::Unstructured;
use call::Call;
use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_int, c_void};

include!(concat!(env!("OUT_DIR"), "/functions.rs"));

/// A function of keylane.h.
struct Function {
    name: &'static str,
    parameters: &'static [(&'static str, Kind)],
    /// Whether it returns a code.
    fails: bool,
    call: fn(&[Word]) -> c_int,
}

/// What a parameter is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// The number of bytes or of elements of the parameter before it.
    Length,
    /// Any other number.
    Number,
    /// Bytes: so many, or with a length after them.
    Bytes(Access, Option<usize>),
    /// Offsets of a batch, or indices.
    Numbers,
    /// A string that ends with a zero byte.
    Name,
    /// A struct, by its name, and its length; with a count after it, an array of them.
    Struct(Access, &'static str, usize),
}

#[derive(Clone, Copy, PartialEq)]
enum Access {
    Read,
    Write,
}

/// An argument: a parameter is one of the two.
#[derive(Clone, Copy)]
struct Word {
    pointer: *mut c_void,
    number: u64,
}

fn code(code: c_int) -> c_int {
    code
}

fn nothing((): ()) -> c_int {
    0
}

fn length(length: usize) -> c_int {
    assert!(length <= 256, "a length of {length}");
    0
}

fn text(text: *const c_char) -> c_int {
    // SAFETY: the header promises a string, or null for a number or a name without a meaning.
    assert!(text.is_null() || unsafe { CStr::from_ptr(text) }.count_bytes() < 200);
    0
}

/// What the header promises of its functions, by their names and by what they take.
impl Function {
    fn takes(&self, test: impl Fn(&str, Kind) -> bool) -> bool {
        self.parameters.iter().any(|&(name, kind)| test(name, kind))
    }

    /// Returns whether it refuses forgeries.
    fn authenticates(&self) -> bool {
        self.name.contains("_verify") || self.opens()
    }

    /// Returns whether it decrypts. It then wipes forgeries.
    fn opens(&self) -> bool {
        self.name.contains("_open")
    }

    /// Returns whether it takes many messages of an AEAD.
    fn takes_messages(&self) -> bool {
        self.takes(|name, _| name == "text_offsets")
    }

    /// Whether it wipes the struct that it changes.
    fn finishes(&self) -> bool {
        let changes = self.takes(|_, kind| matches!(kind, Kind::Struct(Access::Write, ..)));
        changes && ["_finalize", "_verify", "_wipe"].iter().any(|end| self.name.ends_with(end))
    }

    /// Whether it takes a struct that must be initialised: a const one, or any unless it is the one that
    /// initialises it.
    fn needs_initialised(&self) -> bool {
        let makes = ["_init", "_import", "_from_bytes", "_extract", "_wipe"];
        let makes = makes.iter().any(|part| self.name.contains(part));
        self.takes(|_, kind| match kind {
            Kind::Struct(access, ..) => access == Access::Read || !makes,
            _ => false,
        })
    }

    /// Whether it may return the code.
    fn may_return(&self, code: c_int) -> bool {
        match code {
            0 => true,
            INPUT_TOO_LONG | NULL | OVERLAP => self.fails,
            AUTHENTICATION_FAILED => self.authenticates(),
            UNINITIALISED => self.needs_initialised(),
            WRONG_LENGTH => self.takes(|name, kind| kind == Kind::Length && name != "count"),
            INVALID_PARAMETER => {
                let named = ["hash", "algorithm", "iterations"];
                self.takes(|name, kind| kind == Kind::Numbers || named.contains(&name))
                    || ["_random", "_tag_len", "_any"].iter().any(|end| self.name.ends_with(end))
            }
            SELF_TEST => self.name == "keylane_startup",
            _ => false,
        }
    }

    /// Whether what it reads and what it writes may begin together: an input and a digest or tag, a text and
    /// what it becomes.
    fn one_buffer(&self, read: &str, written: &str) -> bool {
        matches!(written, "digest" | "tag")
            || written == "output"
                && matches!(read, "text" | "sealed" | "input")
                && !self.name.ends_with("_random")
    }
}

#[test]
fn every_function_keeps_its_promises_and_succeeds() {
    let mut random = keylane_contracts::Random::new(1);
    let mut succeeded = HashSet::new();
    for _ in 0..8_000 {
        calls(&random.bytes(3000), &mut succeeded);
    }
    let never = FUNCTIONS.iter().map(|function| function.name).filter(|name| !succeeded.contains(name));
    assert_eq!(never.collect::<Vec<_>>(), [""; 0]);
    assert!(FUNCTIONS.len() > 60, "{} functions", FUNCTIONS.len());
}

/// Calls some functions, one after the other, on the same structs, and adds those that succeeded.
pub(crate) fn calls(input: &[u8], succeeded: &mut HashSet<&'static str>) {
    let mut choices = Unstructured::new(input);
    let mut kept = call::Kept::default();
    let mut number = choices.int_in_range(0..=FUNCTIONS.len() - 1).unwrap_or(0);
    for _ in 0..24 {
        // Functions of one kind stand together.
        let near = choices.ratio(7, 8).unwrap_or(false);
        let step = choices.int_in_range(0..=if near { 8 } else { FUNCTIONS.len() - 1 });
        let Ok(step) = step else { return };
        number = (number + FUNCTIONS.len() + step - 4) % FUNCTIONS.len();
        let function = &FUNCTIONS[number];
        let mut call = Call::choose(function, &mut choices, &kept);
        let (before, code) = call.make();
        if code == 0 {
            succeeded.insert(function.name);
            let after = call.blocks.clone();
            refusals(&mut call, &before, &mut choices);
            call.blocks = after;
            call.keep(&mut kept);
        }
    }
}

/// Makes a call that succeeded once more, so that it must fail: after its end, with a struct that was wiped,
/// with a forgery.
fn refusals(call: &mut Call, before: &[Box<[u8]>], choices: &mut Unstructured<'_>) {
    let function = call.function;
    let refused =
        |call: &mut Call, expected| assert_eq!(call.make().1, expected, "{}, called again", function.name);
    if function.needs_initialised() {
        if function.finishes() {
            refused(call, UNINITIALISED);
        }
        call.blocks = before.to_vec();
        if call.wipe_struct() {
            refused(call, UNINITIALISED);
        }
    }
    if function.authenticates() {
        call.blocks = before.to_vec();
        if call.forge(choices) {
            refused(call, AUTHENTICATION_FAILED);
        }
    }
}
