//! Tells the reports which compiler made the figures.

use std::{env, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let compiler = env::var_os("RUSTC").expect("cargo sets it");
    let version = Command::new(compiler).arg("--version").output().expect("the compiler runs").stdout;
    println!("cargo::rustc-env=BENCH_RUSTC={}", String::from_utf8_lossy(&version).trim());
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\x1f', " ");
    let flags = if flags.is_empty() { flags } else { format!(" with RUSTFLAGS {flags}") };
    println!("cargo::rustc-env=BENCH_RUSTFLAGS={flags}");
}
