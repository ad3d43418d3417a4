//! `cargo xtask asm`: reads the machine code of every kernel. Calls of functions that should have been
//! inlined, and divisions, are errors.
//!
//! Generic code that is not inlined into a token's `with_features` loses the CPU's instructions: each
//! intrinsic becomes a call, which no other check notices. The time of a division depends on its operands.
//!
//! Debian 12's objdump does not know the SHA-512 instructions, and prints others instead. Calls are found
//! even so, by their relocations.
//!
//! An AES kernel with 256-bit or 512-bit vectors on the stack must align it: see `align_frame` in
//! `keylane-cpu`.

use crate::command::{cargo, output, program, run as run_command, target};
use anyhow::{Result, ensure};

pub(crate) fn run() -> Result<()> {
    if cfg!(not(target_arch = "x86_64")) {
        println!("asm: skipped: it reads x86-64's instructions only");
        return Ok(());
    }
    // All kernels are in the C library. Before it is linked, each call names what it calls.
    run_command(&mut cargo(&["build", "--quiet", "--release", "--package", "keylane-ffi"]))?;
    let mut disassemble = program("objdump");
    disassemble.args(["--disassemble", "--reloc", "--no-show-raw-insn"]);
    let (kernels, faults) = faults(&output(disassemble.arg(target().join("release/libkeylane.a")))?);
    ensure!(kernels > 0, "no kernel in libkeylane.a");
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    println!(
        "asm: {kernels} kernels, no call that should have been inlined, no division, stacks of AES aligned"
    );
    Ok(())
}

/// Whether the function is one that `InstructionSet::enter` and `run` enter.
pub(crate) fn is_kernel(symbol: &str) -> bool {
    let name = demangled(symbol);
    name.contains("keylane_cpu::") && name.contains("::with_features")
}

fn demangled(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

/// Returns how many kernels objdump's text has, and what is wrong with them.
fn faults(text: &str) -> (usize, Vec<String>) {
    let (mut kernels, mut faults) = (0, Vec::new());
    for function in text.split("\n\n") {
        let Some((head, body)) = function.split_once(">:\n") else { continue };
        let Some((_, symbol)) = head.split_once('<').filter(|(_, symbol)| is_kernel(symbol)) else {
            continue;
        };
        kernels += 1;
        let aligned = !symbol.contains("Vaes")
            || body.lines().any(|line| line.contains("\tand ") && line.ends_with(",%rsp"));
        let unaligned = body.lines().find(|line| !aligned && keeps_vector(line));
        let unaligned = unaligned.map(|line| format!("`{}`: the stack is not aligned", line.trim()));
        let found = body.lines().filter_map(fault).chain(unaligned);
        faults.extend(found.map(|fault| format!("{} ({symbol}): {fault}", demangled(symbol))));
    }
    (kernels, faults)
}

/// Returns what is wrong with a line: an instruction, or the relocation of the one above it.
fn fault(line: &str) -> Option<String> {
    if let Some((_, relocation)) = line.split_once(": R_X86_64_") {
        let (kind, symbol) = relocation.split_once('\t')?;
        // The others are those of constants.
        if kind != "PLT32" && !kind.starts_with("GOTPCREL") {
            return None;
        }
        let symbol = symbol.rsplit_once("-0x").map_or(symbol, |(symbol, _)| symbol);
        // A function that no other object file sees is the start of its section.
        let name = demangled(symbol.trim_start_matches(".text.").trim_start_matches("unlikely."));
        return (!may_be_named(&name)).then(|| format!("calls {name}, which was not inlined"));
    }
    let (_, instruction) = line.split_once('\t')?;
    let divides = instruction.starts_with("div") || instruction.starts_with("idiv");
    divides.then(|| format!("`{instruction}`: its time depends on its operands"))
}

/// Whether an instruction reads or writes a vector of 256 or 512 bits on the stack.
fn keeps_vector(line: &str) -> bool {
    line.contains("(%rsp") && ["%ymm", "%zmm"].iter().any(|vector| line.contains(vector))
}

/// Functions without vectors that are out of line on purpose.
const SCALAR: [&str; 6] = [
    "keylane::chacha20poly1305::kernel::Part::begin",
    "keylane::chacha20poly1305::pieces::pieces",
    "keylane::poly1305::hash::Hash::absorb_all_padded",
    "keylane::poly1305::hash::Hash::absorb_padded",
    "keylane_cpu::in_out::InOut::xor_partial",
    "keylane_cpu::instruction_set::unknown",
];

/// Whether a kernel may name it: another kernel, a panic, one of [`SCALAR`], one of the compiler's memory
/// functions, or a static.
fn may_be_named(name: &str) -> bool {
    const MEMORY: [&str; 6] = ["memcpy", "memmove", "memset", "bcmp", "memcmp", "__rust_probestack"];
    let last = name.rsplit("::").next().unwrap_or(name);
    let kernel = |(of, method): (&str, &str)| of.contains("::Kernel") && !method.contains("::");
    MEMORY.contains(&name)
        || SCALAR.contains(&name)
        || is_kernel(name)
        || name.contains('<') && name.rsplit_once(">::").is_some_and(kernel)
        || name.starts_with("core::panicking::")
        || name.starts_with("core::") && (last.ends_with("_fail") || last.ends_with("_failed"))
        || !last.contains(char::is_lowercase)
}

#[cfg(test)]
mod tests;
