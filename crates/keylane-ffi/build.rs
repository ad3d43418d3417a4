//! Sets the linker's options for ELF files: the shared library's SONAME, like cargo-c, so that programs
//! linked with plain `cargo build`'s library load `libkeylane.so.0.3`, not a path; and panic.rs's
//! replacements for two of the standard library's functions.

use std::env::var;
use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let var = |name: &str| var(name).unwrap_or_default();
    if var("CARGO_CFG_TARGET_FAMILY") != "unix" || var("CARGO_CFG_TARGET_VENDOR") == "apple" {
        return;
    }
    let (major, minor) = (var("CARGO_PKG_VERSION_MAJOR"), var("CARGO_PKG_VERSION_MINOR"));
    println!("cargo::rustc-link-arg-cdylib=-Wl,-soname,libkeylane.so.{major}.{minor}");

    // Hiding a function takes assembly, which Rust has for these CPUs (for PowerPC only since 1.95).
    let assembly = ["x86", "x86_64", "arm", "aarch64", "riscv32", "riscv64", "loongarch64", "s390x"];
    if assembly.contains(&&*var("CARGO_CFG_TARGET_ARCH")) {
        println!("cargo::rustc-cfg=keylane_panics");
        let mut rustc = Command::new(var("RUSTC"));
        let printed = rustc.args(["--print=target-libdir", "--target", &var("TARGET")]).output();
        let folder = String::from_utf8(printed.expect("rustc runs").stdout).expect("a path in UTF-8");
        replace_panics(Path::new(folder.trim()));
    }
}

/// Replaces two of the standard library's functions by those of panic.rs. The former's names contain a hash
/// of the compiler's version; if a compiler names them differently, they stay.
fn replace_panics(libraries: &Path) {
    let files = fs::read_dir(libraries).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_std = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libstd-") && name.ends_with(".rlib")
    };
    let Some(bytes) = files.filter(|path| is_std(path)).find_map(|path| fs::read(path).ok()) else { return };
    for (old, new) in [
        ("17rust_begin_unwind", "panicked_in_keylane"),
        ("26___rust_alloc_error_handler", "no_memory_in_keylane"),
    ] {
        let mut words = bytes.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        let end = format!("___rustc{old}");
        if let Some(old) = words.find(|word| word.starts_with(b"_R") && word.ends_with(end.as_bytes())) {
            let old = String::from_utf8_lossy(old);
            println!("cargo::rustc-link-arg-cdylib=-Wl,--wrap={old},--defsym=__wrap_{old}={new}");
        }
    }
}
