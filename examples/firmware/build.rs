//! Names cortex-m-rt's linker script, which includes `memory.x`.

fn main() {
    println!("cargo::rustc-link-arg-bins=-Tlink.x");
}
