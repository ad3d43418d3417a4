//! Another static library in Rust, with all that the standard library brings: panics, threads, an allocator.

use std::collections::HashMap;

#[unsafe(no_mangle)]
pub extern "C" fn another() -> i32 {
    std::panic::set_hook(Box::new(|_| ()));
    let thread = std::thread::spawn(|| HashMap::from([(String::from("a"), 3)])["b"]);
    i32::from(thread.join().is_err() && std::panic::catch_unwind(|| panic!("a test panics")).is_err())
}
