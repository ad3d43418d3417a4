//! Faults for sanitizers to report: a sanitizer that does not report them would not report Keylane's either.
//!
//! `faults none` has no fault.

use std::env;
use std::hint::black_box;
use std::sync::Barrier;
use std::thread;

fn main() {
    match env::args().nth(1).as_deref() {
        Some("none") => (),
        Some("memory") => branch_on_what_was_never_written(),
        Some("address") => write_one_byte_too_far(),
        Some("thread") => write_from_two_threads(),
        Some("initialisation") => leave_a_number_uninitialised(),
        Some("precondition") => read_behind_a_slice_s_end(),
        other => panic!("no such fault: {other:?}"),
    }
    println!("no fault was noticed");
}

#[allow(clippy::uninit_vec, reason = "it is the fault")]
fn branch_on_what_was_never_written() {
    let mut bytes = Vec::<u8>::with_capacity(64);
    // SAFETY: there is none. Nothing was written.
    unsafe { bytes.set_len(64) };
    if black_box(&bytes)[black_box(40)] == 7 {
        println!("seven");
    }
}

fn write_one_byte_too_far() {
    let mut bytes = vec![0_u8; 64];
    let start = black_box(bytes.as_mut_ptr());
    // SAFETY: there is none. The last byte is number 63.
    unsafe { start.add(black_box(64)).write(1) };
    black_box(bytes);
}

fn write_from_two_threads() {
    static mut COUNT: u64 = 0;
    // Otherwise one may be done before the other begins.
    let both = Barrier::new(2);
    let count = || {
        both.wait();
        for _ in 0..1000 {
            // SAFETY: there is none. Another thread does the same.
            unsafe { (&raw mut COUNT).write_volatile((&raw const COUNT).read_volatile() + 1) };
        }
    };
    thread::scope(|scope| {
        scope.spawn(count);
        scope.spawn(count);
    });
}

/// No optimisation makes this harmful, and no other check objects to a number.
#[allow(deprecated, invalid_value)]
fn leave_a_number_uninitialised() {
    // SAFETY: there is none.
    black_box(unsafe { std::mem::uninitialized::<u32>() });
}

/// Nothing there was freed, and all of it is written: only the slice's own check objects.
fn read_behind_a_slice_s_end() {
    let bytes = black_box([0_u8; 64]);
    let front = black_box(&bytes[..32]);
    // SAFETY: there is none. The last byte is number 31.
    black_box(unsafe { *front.get_unchecked(black_box(32)) });
}
