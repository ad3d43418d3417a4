//! Writes the SONAME into the shared library, as cargo-c does: a program that is linked with what plain `cargo build`
//! makes then asks for `libkeylane.so.0.2`, not for the path that it was linked by.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let var = |name: &str| var(name).unwrap_or_default();
    // Linkers of ELF files have the option.
    if var("CARGO_CFG_TARGET_FAMILY") == "unix" && var("CARGO_CFG_TARGET_VENDOR") != "apple" {
        let (major, minor) = (var("CARGO_PKG_VERSION_MAJOR"), var("CARGO_PKG_VERSION_MINOR"));
        println!("cargo::rustc-link-arg-cdylib=-Wl,-soname,libkeylane.so.{major}.{minor}");
    }
}
