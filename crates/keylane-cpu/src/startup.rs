//! The process as its parent started it, before Rust's runtime changes it. For commands only, on Unix.
//!
//! Before `main`, the runtime opens `/dev/null` in the place of standard input, output and error where they are
//! closed. A program that sees only the result takes no input for an empty one, and loses
//! its output without an error. Afterwards nothing tells the difference: Python's `subprocess.DEVNULL` is
//! `/dev/null` for reading and writing as well. So a function in `.init_array`, which the system's loader calls
//! first, looks, changes nothing, and the attribute that puts it there is `unsafe`.

use core::ffi::c_int;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

const F_GETFD: c_int = 1;

/// A bit for each closed descriptor.
static CLOSED: AtomicU8 = AtomicU8::new(0);

unsafe extern "C" {
    fn fcntl(descriptor: c_int, command: c_int, ...) -> c_int;
}

// SAFETY: the section holds pointers to functions of the C ABI, which run once and one after the other, before
// any thread starts.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    let mut closed = 0;
    for descriptor in 0..3 {
        // SAFETY: F_GETFD takes no argument and writes no memory; it fails where nothing is open.
        if unsafe { fcntl(descriptor, F_GETFD) } == -1 {
            closed |= 1 << descriptor;
        }
    }
    CLOSED.store(closed, Relaxed);
}

/// Returns whether standard input (0), output (1) or error (2) was closed.
#[must_use]
pub fn was_closed(descriptor: u32) -> bool {
    descriptor < 3 && CLOSED.load(Relaxed) >> descriptor & 1 == 1
}
