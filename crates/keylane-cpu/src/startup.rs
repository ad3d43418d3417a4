//! The process as its parent started it, before Rust's runtime changes it. For commands only, on Unix.
//!
//! Before `main`, the runtime opens `/dev/null` in the place of standard input, output and error where they
//! are closed, and ignores SIGPIPE. A program that sees only the result takes no input for an empty one, and
//! loses its output without an error. Afterwards nothing tells the difference: Python's `subprocess.DEVNULL`
//! is `/dev/null` for reading and writing as well. So a function in `.init_array`, which the loader calls
//! first, looks and changes nothing. The attribute that puts it there is `unsafe`.

use core::ffi::c_int;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

const F_GETFD: c_int = 1;
const SIGPIPE: c_int = 13;
const SIG_IGN: usize = 1;

/// A bit for each closed descriptor, and one for an ignored SIGPIPE.
static FOUND: AtomicU8 = AtomicU8::new(0);
const PIPE_BIT: u8 = 1 << 3;

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
    let mut found = 0;
    for descriptor in 0..3 {
        // SAFETY: F_GETFD takes no argument and writes no memory; it fails where nothing is open.
        if unsafe { fcntl(descriptor, F_GETFD) } == -1 {
            found |= 1 << descriptor;
        }
    }
    // SAFETY: no handler is installed; the second call restores what the first has found.
    unsafe {
        let before = signal(SIGPIPE, SIG_IGN);
        signal(SIGPIPE, before);
        if before == SIG_IGN {
            found |= PIPE_BIT;
        }
    }
    FOUND.store(found, Relaxed);
}

/// Returns whether standard input (0), output (1) or error (2) was closed.
#[must_use]
pub fn was_closed(descriptor: u32) -> bool {
    descriptor < 3 && FOUND.load(Relaxed) >> descriptor & 1 == 1
}

/// Returns whether SIGPIPE was ignored, so that whoever writes into a pipe without a reader gets an error.
#[must_use]
pub fn ignored_sigpipe() -> bool {
    FOUND.load(Relaxed) & PIPE_BIT != 0
}
