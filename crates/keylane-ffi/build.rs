//! Sets the linker's options for ELF files: the SONAME of the shared library, as cargo-c does, so that a
//! program that is linked with what plain `cargo build` makes asks for `libkeylane.so.0.3`, not for a path;
//! and the functions of panic.rs that take the place of the standard library's.

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

    // Rust has assembly for these, which hides a function. For PowerPC, it has some since 1.95 only.
    let assembly = ["x86", "x86_64", "arm", "aarch64", "riscv32", "riscv64", "loongarch64", "s390x"];
    if assembly.contains(&&*var("CARGO_CFG_TARGET_ARCH")) {
        println!("cargo::rustc-cfg=keylane_panics");
        let mut rustc = Command::new(var("RUSTC"));
        let printed = rustc.args(["--print=target-libdir", "--target", &var("TARGET")]).output();
        let folder = String::from_utf8(printed.expect("rustc runs").stdout).expect("a path in UTF-8");
        replace_panics(Path::new(folder.trim()));
    }
}

/// Has two functions of panic.rs take the place of the standard library's, whose names contain a hash of the
/// compiler's version. Where a compiler names them otherwise, they stay.
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
