//! Names the linker script of a device.
use std::env::var;

fn main() {
    if var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        println!("cargo::rustc-link-arg-bins=-T{}.x", var("CARGO_CFG_TARGET_ARCH").expect("cargo sets it"));
    }
}
