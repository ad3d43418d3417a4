//! Records the compiler's version for the reports.

use std::{env, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let compiler = env::var_os("RUSTC").expect("cargo sets it");
    let version = Command::new(compiler).arg("--version").output().expect("the compiler runs").stdout;
    println!("cargo::rustc-env=BENCH_RUSTC={}", String::from_utf8_lossy(&version).trim());
}
