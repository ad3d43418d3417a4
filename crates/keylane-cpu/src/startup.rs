//! The process as its parent started it, before Rust's runtime changes it. For commands only, on Unix.
//!
//! Before `main`, the runtime opens `/dev/null` in the place of standard input, output and error where they
//! are closed, and ignores SIGPIPE. A program that sees only the result takes no input for an empty one, and
//! loses its output without an error. Afterwards nothing tells the difference: Python's `subprocess.DEVNULL`
//! is `/dev/null` for reading and writing as well. So a function in `.init_array`, which the loader calls
//! first, looks and changes nothing. The attribute that puts it there is `unsafe`.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

const F_GETFD: c_int = 1;
const SIGPIPE: c_int = 13;
const SIG_IGN: usize = 1;

/// A bit for each descriptor that was closed.
static CLOSED: AtomicUsize = AtomicUsize::new(0);
static SIGPIPE_IGNORED: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    fn fcntl(descriptor: c_int, command: c_int, ...) -> c_int;
    fn signal(number: c_int, handler: usize) -> usize;
}

// SAFETY: the section holds pointers to functions of the C ABI, which run once and one after the other,
// before any thread starts.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    let mut closed = 0;
    for descriptor in 0..usize::BITS {
        // SAFETY: F_GETFD takes no argument and writes no memory; it fails where nothing is open.
        if unsafe { fcntl(descriptor as c_int, F_GETFD) } == -1 {
            closed |= 1 << descriptor;
        }
    }
    CLOSED.store(closed, Relaxed);
    // SAFETY: no handler is installed; the second call restores what the first has found.
    unsafe {
        let before = signal(SIGPIPE, SIG_IGN);
        signal(SIGPIPE, before);
        SIGPIPE_IGNORED.store(before == SIG_IGN, Relaxed);
    }
}

/// Returns whether this descriptor was closed, if it is one of the first 64 (on a CPU of 32 bits 32). What it
/// stands for now, the process has opened itself.
#[must_use]
pub fn was_closed(descriptor: u32) -> bool {
    descriptor < usize::BITS && CLOSED.load(Relaxed) >> descriptor & 1 == 1
}

/// Returns whether SIGPIPE was ignored, so that whoever writes into a pipe without a reader gets an error.
#[must_use]
pub fn ignored_sigpipe() -> bool {
    SIGPIPE_IGNORED.load(Relaxed)
}
