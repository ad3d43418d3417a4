//! Tells the library's source that the proofs are to be compiled.

fn main() {
    println!("cargo::rustc-cfg=keylane_proofs");
}
