//! Calls of the C library's functions, with arguments that a fuzzer chooses.
//!
//! `build.rs` reads from keylane.h what each function takes. What the header promises is in `impl Function`,
//! and is checked for each: a null pointer and a forbidden overlap are refused, a call that fails has written
//! nothing, what cannot be authentic is wiped, nothing else is written to, no other code is returned. A call
//! that succeeded is made again with a wiped struct and with a forged tag or text, and must be refused.
//! Memory is in blocks of just the length that is passed, so that AddressSanitizer sees a step too far.
//!
//! The one crate of the tests with unsafe code: it is the C program.

mod arguments;
mod blocks;

// What C would link.
use keylane_c as _;

use arbitrary::Unstructured;
use arguments::{Arguments, Kept, Place};
use std::ffi::{CStr, c_char, c_int, c_void};

include!(concat!(env!("OUT_DIR"), "/functions.rs"));

/// A function of keylane.h.
struct Function {
    name: &'static str,
    parameters: &'static [(&'static str, Kind)],
    call: fn(&[Word]) -> Returned,
}

/// What a parameter is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Of bytes, or of elements: of what stands before it.
    Length,
    /// Any other number.
    Number,
    /// Bytes with a length behind them.
    Bytes(Access),
    /// So many bytes.
    Array(Access, usize),
    /// Several runs of bytes.
    List,
    /// A string that ends with a zero byte.
    Name,
    /// A struct, by its name, and its length.
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

enum Returned {
    Code(c_int),
    Length(usize),
    Text(*const c_char),
    Nothing,
}

const AUTHENTICATION_FAILED: c_int = -1;
const INPUT_TOO_LONG: c_int = -2;
const WRONG_LENGTH: c_int = -3;
const INVALID_PARAMETER: c_int = -4;
const NULL: c_int = -100;
const OVERLAP: c_int = -101;
const UNINITIALISED: c_int = -102;
const SELF_TEST: c_int = -103;

/// What the header promises of its functions, by their names and by what they take.
impl Function {
    fn takes(&self, test: impl Fn(&str, Kind) -> bool) -> bool {
        self.parameters.iter().any(|&(name, kind)| test(name, kind))
    }

    /// Whether it refuses what is not authentic.
    fn authenticates(&self) -> bool {
        self.name.contains("_verify") || self.opens()
    }

    /// Whether it decrypts: what is not authentic is wiped.
    fn opens(&self) -> bool {
        self.name.contains("_open")
    }

    /// Whether it wipes the struct that it changes.
    fn finishes(&self) -> bool {
        let verifies = self.name.ends_with("_verify")
            && self.takes(|_, kind| matches!(kind, Kind::Struct(Access::Write, ..)));
        self.name.ends_with("_finalize") || verifies
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
            0 | INPUT_TOO_LONG | NULL | OVERLAP => true,
            AUTHENTICATION_FAILED => self.authenticates(),
            UNINITIALISED => self.needs_initialised(),
            WRONG_LENGTH => self.takes(|name, kind| kind == Kind::Length && name != "count"),
            INVALID_PARAMETER => {
                self.takes(|name, _| matches!(name, "hash" | "nonce_len" | "count" | "iterations"))
            }
            SELF_TEST => self.name == "keylane_startup",
            _ => false,
        }
    }

    /// Whether what it reads and what it writes may begin together: an input and a digest or tag, a text and
    /// what it becomes.
    fn one_buffer(&self, read: &str, written: &str) -> bool {
        matches!(written, "digest" | "tag")
            || written == "output" && matches!(read, "plaintext" | "sealed" | "input")
    }
}

/// Some calls, one after the other, on the same structs.
///
/// # Panics
/// If a call breaks a promise of the header's.
pub fn calls(input: &[u8]) {
    calls_that_tell(input, &mut |_, _| ());
}

/// As [`calls`], and tells which functions were called, and whether they succeeded.
///
/// # Panics
/// As [`calls`].
pub fn calls_that_tell(input: &[u8], tell: &mut dyn FnMut(&'static str, bool)) {
    let mut choices = Unstructured::new(input);
    let mut kept = Kept::default();
    let mut number = choices.int_in_range(0..=FUNCTIONS.len() - 1).unwrap_or(0);
    for _ in 0..24 {
        // Functions of one kind stand together.
        let near = choices.ratio(7, 8).unwrap_or(false);
        let step = choices.int_in_range(0..=if near { 8 } else { FUNCTIONS.len() - 1 });
        let Ok(step) = step else { return };
        number = (number + FUNCTIONS.len() + step - 4) % FUNCTIONS.len();
        let function = &FUNCTIONS[number];
        let mut arguments = Arguments::new(function, &mut choices, &kept);
        let (before, returned) = arguments.call();
        let mut succeeded = true;
        match returned {
            Returned::Code(code) => {
                check(function, &arguments, &before, code);
                succeeded = code == 0;
            }
            Returned::Length(length) => assert!(length <= 256, "{}: {length}", function.name),
            Returned::Text(text) if text.is_null() => {
                assert!(matches!(function.name, "keylane_hash_name" | "keylane_implementation"));
            }
            // SAFETY: the header promises a string.
            Returned::Text(text) => assert!(unsafe { CStr::from_ptr(text) }.count_bytes() < 200),
            Returned::Nothing => {
                let wiped = |place: &Place| arguments.bytes(place).iter().all(|&byte| byte == 0);
                assert!(arguments.written().all(wiped), "{} has not wiped", function.name);
            }
        }
        tell(function.name, succeeded);
        if succeeded {
            let after = arguments.memory().to_vec();
            refusals(function, &mut arguments, &before, &mut choices);
            arguments.restore(&after);
            arguments.keep(&mut kept);
        }
    }
}

/// The names of all functions.
pub fn functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|function| function.name)
}

/// A call that succeeded, with what must make it fail: after its end, with a struct that was wiped, with what
/// is not authentic.
fn refusals(
    function: &Function,
    arguments: &mut Arguments,
    before: &[Vec<u8>],
    choices: &mut Unstructured<'_>,
) {
    let name = function.name;
    let refused = |arguments: &mut Arguments, expected| {
        let (before, returned) = arguments.call();
        let Returned::Code(code) = returned else { unreachable!("{name} returns codes") };
        check(function, arguments, &before, code);
        assert_eq!(code, expected, "{name}, called again");
    };
    if function.needs_initialised() {
        if function.finishes() {
            refused(arguments, UNINITIALISED);
        }
        arguments.restore(before);
        arguments.wipe_struct();
        refused(arguments, UNINITIALISED);
    }
    if function.authenticates() {
        arguments.restore(before);
        if arguments.forge(choices) {
            refused(arguments, AUTHENTICATION_FAILED);
        }
    }
}

fn check(function: &Function, arguments: &Arguments, before: &[Vec<u8>], code: c_int) {
    let (name, finishes) = (function.name, function.finishes());
    assert!(function.may_return(code), "{name} returned {code}");
    if let Some(broken) = arguments.broken_rule() {
        assert_ne!(code, 0, "{name}: {broken} was accepted");
    }
    let zero = |place: &Place| arguments.bytes(place).iter().all(|&byte| byte == 0);
    assert!(
        !finishes || code != 0 || arguments.written_structs().all(zero),
        "{name} has not wiped its struct"
    );
    let wiped = (function.opens() || finishes) && code == AUTHENTICATION_FAILED;
    let mut expected = before.to_vec();
    for place in arguments.written().filter(|_| code == 0 || wiped) {
        let found = arguments.bytes(place);
        assert!(!wiped || zero(place), "{name}: not wiped");
        expected[place.block][place.range()].copy_from_slice(found);
    }
    assert!(expected == arguments.memory(), "{name} returned {code}, and wrote where it must not");
}
