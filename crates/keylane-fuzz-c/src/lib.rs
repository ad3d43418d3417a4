//! Calls of the C library's functions, with arguments that a fuzzer chooses.
//!
//! `build.rs` reads from keylane.h what each function takes and what it may return. What holds for all is said at the header's
//! beginning, and is checked here for each: a null pointer and a forbidden overlap are refused, a call that fails has written
//! nothing, what cannot be authentic is wiped, nothing else is written to, no code is returned that is not documented.
//! A call that succeeded is made again with a wiped struct and with a forged tag or text, and must be refused.
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
    /// What it is documented to return, besides 0.
    codes: &'static [c_int],
    /// Whether its comment says that what it writes is wiped where authentication fails.
    wipes: bool,
    /// Whether its comment says that its struct is wiped.
    finishes: bool,
    /// What it reads and what it writes that may begin together.
    one_buffer: &'static [(&'static str, &'static str)],
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
const UNINITIALISED: c_int = -102;
/// Of any function: null, overlap, too long.
const OF_ALL: [c_int; 3] = [-100, -101, -2];

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

/// A call that succeeded, with what must make it fail: after its end, with a struct that was wiped, with what is not authentic.
fn refusals(
    function: &Function,
    arguments: &mut Arguments,
    before: &[Vec<u8>],
    choices: &mut Unstructured<'_>,
) {
    let Function { name, codes, finishes, .. } = function;
    let refused = |arguments: &mut Arguments, expected| {
        let (before, returned) = arguments.call();
        let Returned::Code(code) = returned else { unreachable!("{name} returns codes") };
        check(function, arguments, &before, code);
        assert_eq!(code, expected, "{name}, called again");
    };
    if codes.contains(&UNINITIALISED) {
        if *finishes {
            refused(arguments, UNINITIALISED);
        }
        arguments.restore(before);
        arguments.wipe_struct();
        refused(arguments, UNINITIALISED);
    }
    if codes.contains(&AUTHENTICATION_FAILED) {
        arguments.restore(before);
        if arguments.forge(choices) {
            refused(arguments, AUTHENTICATION_FAILED);
        }
    }
}

fn check(function: &Function, arguments: &Arguments, before: &[Vec<u8>], code: c_int) {
    let Function { name, codes, wipes, finishes, .. } = function;
    assert!(code == 0 || codes.contains(&code) || OF_ALL.contains(&code), "{name} returned {code}");
    if let Some(broken) = arguments.broken_rule() {
        assert_ne!(code, 0, "{name}: {broken} was accepted");
    }
    let zero = |place: &Place| arguments.bytes(place).iter().all(|&byte| byte == 0);
    assert!(
        !finishes || code != 0 || arguments.written_structs().all(zero),
        "{name} has not wiped its struct"
    );
    let wiped = *wipes && code == AUTHENTICATION_FAILED;
    let mut expected = before.to_vec();
    for place in arguments.written().filter(|_| code == 0 || wiped) {
        let found = arguments.bytes(place);
        assert!(!wiped || zero(place), "{name}: not wiped");
        expected[place.block][place.range()].copy_from_slice(found);
    }
    assert!(expected == arguments.memory(), "{name} returned {code}, and wrote where it must not");
}
