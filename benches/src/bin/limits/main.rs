//! Instruction limits of this CPU: reciprocal throughput and latency in core cycles, and a few loops that are the
//! critical part of a primitive. x86-64 with SHA-NI and VAES only, and more with AVX-512. What the loops compute is
//! nonsense: only their time matters.

#[cfg(target_arch = "x86_64")]
mod x86_64;

fn main() {
    #[cfg(target_arch = "x86_64")]
    x86_64::main();
    #[cfg(not(target_arch = "x86_64"))]
    eprintln!("written for x86-64 only");
}
