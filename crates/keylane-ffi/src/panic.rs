//! Panics without a backtrace, whose printer would add 260 KB to each program. build.rs (shared library) and
//! static.sh (static library) replace the standard library's functions by these.

use core::panic::PanicInfo;
use std::io::Write as _;
use std::panic::resume_unwind;
use std::process::abort;

/// Prints the panic's message and starts to unwind, or ends the process if a panic is already unwinding.
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

/// Ends the process: Rust cannot unwind when memory is exhausted.
// SAFETY: the standard library's function has the same arguments and result; no other function has this name.
#[unsafe(no_mangle)]
#[cold]
fn no_memory_in_keylane(len: usize, _align: usize) -> ! {
    let _ = writeln!(std::io::stderr(), "keylane: no memory for {len} bytes");
    abort()
}

// Linkers find both by name; the library does not export them.
std::arch::global_asm!(".hidden panicked_in_keylane", ".hidden no_memory_in_keylane");
