//! Panics that print no backtrace: its printer is 260 KB of each program. These functions take the place of
//! the standard library's, in the shared library by build.rs, and in the static one by static.sh.

use core::panic::PanicInfo;
use std::io::Write as _;
use std::panic::resume_unwind;
use std::process::abort;

/// Prints why, and starts to unwind, or ends the process if a panic unwinds already.
// SAFETY: the standard library's function has the same argument and result; no other function has this name.
#[unsafe(no_mangle)]
#[cold]
fn panicked_in_keylane(info: &PanicInfo<'_>) -> ! {
    let message = info.to_string();
    let _ = writeln!(std::io::stderr(), "{message}");
    if std::thread::panicking() {
        abort();
    }
    resume_unwind(Box::new(message))
}

/// Ends the process, for Rust cannot unwind where memory is missing.
// SAFETY: the standard library's function has the same arguments and result; no other function has this name.
#[unsafe(no_mangle)]
#[cold]
fn no_memory_in_keylane(len: usize, _align: usize) -> ! {
    let _ = writeln!(std::io::stderr(), "keylane: no memory for {len} bytes");
    abort()
}

// Linkers find both by their names; the library does not export them.
std::arch::global_asm!(".hidden panicked_in_keylane", ".hidden no_memory_in_keylane");
