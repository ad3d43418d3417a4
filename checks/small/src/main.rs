//! A program for a device without an operating system, which runs one operation, or all, of Keylane or of
//! RustCrypto's crates, depending on its name. It prints each call's cost and result. Built for the host, it
//! prints the same results.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(target_arch = "avr", feature(asm_experimental_arch))]

mod keylane;
mod machine;
mod rustcrypto;

use core::hint::black_box;

/// Compiles an operation into the program of its name and that of all of its library: its name, what prepares
/// a key, and what uses it.
macro_rules! operation {
    ($library:literal, $name:literal, $prepare:expr, $run:expr) => {
        if const { crate::is_built(concat!($library, $name)) || crate::is_built(concat!($library, "all")) } {
            crate::measure(concat!($library, $name).as_bytes(), $prepare, $run);
        }
    };
}
use operation;

/// Whether this is the program of a name.
const fn is_built(name: &str) -> bool {
    let (name, program) = (name.as_bytes(), env!("CARGO_BIN_NAME").as_bytes());
    let mut at = 0;
    while at < name.len() && at < program.len() && name[at] == program[at] {
        at += 1;
    }
    at == name.len() && at == program.len()
}

type Out = [u8; 64];

/// Runs the operations of this program.
fn run() {
    // What it takes to measure.
    measure(b"empty", |_| (), |(), _, _| ());
    operation!("", "planted", |key| key[7] & 1 == 1, |odd, text, _| {
        if *odd {
            text.reverse();
        }
    });
    keylane::run();
    rustcrypto::run();
}

/// Calls an operation with texts of growing length, for what it costs, and with 40 keys and texts of one
/// length, which must cost the same.
#[inline(never)]
fn measure<K>(name: &[u8], prepare: impl Fn(&[u8; 32]) -> K, run: impl Fn(&mut K, &mut [u8], &mut Out)) {
    let growing = [64, 64, 1024, 2048].into_iter();
    for (number, len) in growing.chain([100; 40]).enumerate() {
        let (mut key, mut text, mut out) = ([0; 32], [0; 2048], [0; 64]);
        fill(&mut key, number);
        fill(&mut text[..len], number / 4);
        let mut costs = (0, 0);
        let depth = machine::depth(|| costs = call(&prepare, &run, &key, &mut text[..len], &mut out));
        machine::print(name);
        for field in [len as u32, size_of::<K>() as u32, depth, costs.0, costs.1] {
            print(field);
        }
        print(
            text.iter()
                .chain(&out)
                .fold(0, |sum: u32, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193)),
        );
        machine::print(b"\n");
    }
}

/// Returns what preparing the key took, and what using it took.
#[inline(never)]
fn call<K>(
    prepare: &impl Fn(&[u8; 32]) -> K,
    run: &impl Fn(&mut K, &mut [u8], &mut Out),
    key: &[u8; 32],
    text: &mut [u8],
    out: &mut Out,
) -> (u32, u32) {
    let start = machine::ticks();
    let mut key = black_box(prepare(black_box(key)));
    let prepared = machine::ticks();
    run(&mut key, black_box(text), out);
    let end = machine::ticks();
    (prepared.wrapping_sub(start), end.wrapping_sub(prepared))
}

/// Fills with zeros, with ones, with either, or with anything.
fn fill(bytes: &mut [u8], number: usize) {
    let mut word = 0x9e37_79b9 ^ number as u32;
    for byte in bytes {
        word ^= word << 13;
        word ^= word >> 17;
        word ^= word << 5;
        *byte = match number % 4 {
            0 => word as u8,
            1 => (word as u8 & 1).wrapping_neg(),
            2 => 0,
            _ => 0xff,
        };
    }
}

/// Prints a space and a number in hexadecimal.
fn print(number: u32) {
    let mut text = *b" 00000000";
    for (at, digit) in text[1..].iter_mut().enumerate() {
        *digit = b"0123456789abcdef"[(number >> (28 - 4 * at)) as usize % 16];
    }
    machine::print(&text);
}

#[cfg(not(target_os = "none"))]
fn main() {
    run();
}
