//! `cargo xtask asm`: reads the machine code of every kernel and fails on a call of a function that should
//! have been inlined, a division or a jump through a pointer.
//!
//! Generic code that is not inlined into `InstructionSet::run`'s `enter` loses the CPU's instructions: each
//! intrinsic becomes a call, and nothing else fails. The time of a division depends on its operands.

use crate::command::{cargo, output, program, run as run_command, target};
use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationTarget};
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

/// The C library as `cargo build --release` makes it: all kernels are in it.
pub(crate) struct Library {
    pub(crate) path: PathBuf,
    /// The size of its `.text`.
    pub(crate) text_bytes: u64,
    /// The sizes of its kernels, by their symbols.
    pub(crate) kernels: HashMap<String, u64>,
    /// The functions that its global offset table points at, by the entries' addresses.
    table: HashMap<u64, String>,
}

impl Library {
    pub(crate) fn build() -> Result<Self> {
        run_command(&mut cargo(&["build", "--quiet", "--release", "--package", "keylane-ffi"]))?;
        let path = target().join("release/libkeylane.so");
        let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
        let file = object::File::parse(&*bytes)?;
        let text_bytes = file.section_by_name(".text").context("no .text")?.size();
        let functions: HashMap<u64, (&str, u64)> =
            file.symbols().filter_map(|it| Some((it.address(), (it.name().ok()?, it.size())))).collect();
        let kernels = functions.values().filter(|(name, _)| is_kernel(name));
        let kernels: HashMap<_, _> = kernels.map(|(name, size)| ((*name).to_owned(), *size)).collect();
        ensure!(!kernels.is_empty(), "no kernel in {}: is it stripped?", path.display());
        let table = file.dynamic_relocations().into_iter().flatten().filter_map(|(at, relocation)| {
            let name = match relocation.target() {
                RelocationTarget::Symbol(index) => {
                    file.dynamic_symbol_table()?.symbol_by_index(index).ok()?.name().ok()?
                }
                _ => functions.get(&(relocation.addend() as u64))?.0,
            };
            Some((at, name.to_owned()))
        });
        let table = table.collect();
        Ok(Self { path, text_bytes, kernels, table })
    }
}

pub(crate) fn run() -> Result<()> {
    if cfg!(not(target_arch = "x86_64")) {
        println!("asm: skipped: it reads x86-64's instructions only");
        return Ok(());
    }
    let library = Library::build()?;
    let mut disassemble = program("objdump");
    disassemble.args(["--disassemble", "--no-show-raw-insn", "--section=.text"]).arg(&library.path);
    let (kernels, faults) = faults(&output(&mut disassemble)?, &library.table);
    ensure!(kernels == library.kernels.len(), "objdump shows {kernels} of {} kernels", library.kernels.len());
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    println!("asm: {kernels} kernels, no call that should have been inlined, no division");
    Ok(())
}

/// Whether the function is one that `InstructionSet::run` enters.
fn is_kernel(symbol: &str) -> bool {
    let name = demangled(symbol);
    name.contains("InstructionSet") && name.contains("::run::enter")
}

fn demangled(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

/// Returns how many kernels objdump's text has, and what is wrong with them.
fn faults(text: &str, table: &HashMap<u64, String>) -> (usize, Vec<String>) {
    let (mut kernels, mut faults) = (0, Vec::new());
    for function in text.split("\n\n") {
        let (head, body) = function.trim_start().split_once('\n').unwrap_or_default();
        let Some(symbol) = head.split_once('<').and_then(|(_, rest)| rest.strip_suffix(">:")) else {
            continue;
        };
        if !is_kernel(symbol) {
            continue;
        }
        kernels += 1;
        let instructions: Vec<&str> =
            body.lines().filter_map(|line| Some(line.split_once('\t')?.1.trim())).collect();
        for at in 0..instructions.len() {
            if let Some(fault) = fault(&instructions, at, symbol, table) {
                faults.push(format!("{} ({symbol}): {fault}", demangled(symbol)));
            }
        }
    }
    (kernels, faults)
}

fn fault(instructions: &[&str], at: usize, symbol: &str, table: &HashMap<u64, String>) -> Option<String> {
    let shown = instructions[at];
    let (mnemonic, operands) = shown.split_once(' ').unwrap_or((shown, ""));
    let operands = operands.trim();
    if ["div", "idiv"].iter().any(|division| mnemonic.starts_with(division)) {
        return Some(format!("`{shown}`: its time depends on its operands"));
    }
    if mnemonic != "call" && !mnemonic.starts_with('j') {
        return None;
    }
    let callee = if let Some(register) = operands.strip_prefix('*').filter(|it| it.starts_with('%')) {
        let before = &instructions[at.saturating_sub(6)..at];
        let added = |it: &&str| it.starts_with("add") && it.ends_with(&format!(",{register}"));
        if mnemonic == "jmp" && before.iter().any(added) {
            return None; // A `match`: the target was added up from a table.
        }
        // A function that is called in a loop is loaded once before it.
        let written =
            |it: &&&str| it.split(" #").next().is_some_and(|it| it.trim().ends_with(&format!(",{register}")));
        instructions[..at].iter().rev().find(written).and_then(|load| entry(load, table))
    } else if operands.starts_with('*') {
        let method = mnemonic == "call" && !operands.contains("%rip") && operands.contains("(%");
        if method {
            return None; // Of a `dyn Kernel`: another kernel.
        }
        entry(shown, table)
    } else {
        let target = operands.split_once('<')?.1.trim_end_matches('>');
        let name = target.split('+').next().unwrap_or(target);
        if name == symbol {
            return None; // Within the function.
        }
        Some(name.to_owned())
    };
    match callee.map(|callee| demangled(callee.split('@').next().unwrap_or(&callee))) {
        Some(callee) if may_be_called(&callee) => None,
        Some(callee) => Some(format!("calls {callee}, which was not inlined")),
        None => Some(format!("calls through a pointer: `{shown}`")),
    }
}

/// Returns the function that an instruction with an operand such as `0x13(%rip)  # 1d71b0 <…>` refers to.
fn entry(instruction: &str, table: &HashMap<u64, String>) -> Option<String> {
    let (_, address) = instruction.split_once("(%rip)")?.1.split_once("# ")?;
    table.get(&u64::from_str_radix(address.split(' ').next()?, 16).ok()?).cloned()
}

/// Functions without vectors that are out of line on purpose.
const SCALAR: [&str; 4] = [
    "keylane::chacha20poly1305::sequential::pieces",
    "keylane::poly1305::hash::Hash::absorb_all_padded",
    "keylane::poly1305::hash::Hash::absorb_padded",
    "keylane_cpu::instruction_set::unknown",
];

/// Whether a kernel may call it: another kernel, a panic, one of [`SCALAR`], or one of the compiler's memory
/// functions.
fn may_be_called(callee: &str) -> bool {
    const MEMORY: [&str; 6] = ["memcpy", "memmove", "memset", "bcmp", "memcmp", "__rust_probestack"];
    let last = callee.rsplit("::").next().unwrap_or(callee);
    let kernel = |(of, method): (&str, &str)| of.contains("::Kernel") && !method.contains("::");
    MEMORY.contains(&callee)
        || SCALAR.contains(&callee)
        || callee.contains("InstructionSet>::run::enter")
        || callee.contains('<') && callee.rsplit_once(">::").is_some_and(kernel)
        || callee.starts_with("core::panicking::")
        || callee.starts_with("core::") && (last.ends_with("_fail") || last.ends_with("_failed"))
}

#[cfg(test)]
mod tests {
    use super::{faults, may_be_called};

    const KERNEL: &str = "_ZN91_$LT$keylane_cpu..x86_64..AesNi$u20$as$u20$keylane_cpu..instruction_set..\
        InstructionSet$GT$3run5enter17h2e7c88ec6c72cc8bE";
    const INLINED: &str = "_ZN7keylane4sha25lanes5round17h2e7c88ec6c72cc8bE";
    const PANIC: &str = "_ZN4core9panicking18panic_bounds_check17h2e7c88ec6c72cc8bE";

    fn found(lines: &[&str]) -> Vec<String> {
        let table = [(0x10, "memcpy"), (0x20, PANIC), (0x30, INLINED)];
        let table = table.map(|(at, name)| (at, name.to_owned())).into();
        let body: String = lines.iter().map(|line| format!("  4f0:\t{line}\n")).collect();
        let text = format!(
            "\n0000000000000100 <other>:\n  100:\tcall   *%rax\n\n00000000000004f0 <{KERNEL}>:\n{body}"
        );
        let (kernels, faults) = faults(&text, &table);
        assert_eq!(kernels, 1);
        faults
    }

    #[test]
    fn a_clean_kernel_passes() {
        let jump = format!("ja     4f8 <{KERNEL}+0x8>");
        let panic = format!("call   600 <{PANIC}>");
        let memory = "call   *0x12345(%rip)        # 10 <memcpy@GLIBC_2.14>";
        let load = "mov    0x12345(%rip),%r15        # 10 <memcpy@GLIBC_2.14>";
        let clean = ["push   %rbx", memory, &panic, &jump, load, "mov    %rax,%rdi", "call   *%r15"];
        assert_eq!(found(&clean), [""; 0]);
        assert_eq!(found(&["call   *0x1(%rip)        # 20 <_DYNAMIC+0x528>", "ret"]), [""; 0]);
        assert_eq!(found(&["movslq (%rcx,%rax,4),%rax", "add    %rcx,%rax", "jmp    *%rax"]), [""; 0]);
        assert_eq!(found(&[&format!("call   700 <{KERNEL}>")]), [""; 0]);
    }

    #[test]
    fn a_kernel_may_call_another_and_no_closure_of_it() {
        let of_trait = "<keylane_cpu::x86_64::Sse2 as keylane::poly1305::Kernel>::absorb";
        let of_impl =
            "keylane::poly1305::x86_64::<impl keylane::poly1305::Kernel for keylane_cpu::Sse2>::absorb";
        for callee in [of_trait, of_impl] {
            assert!(
                may_be_called(callee) && !may_be_called(&format!("{callee}::{{{{closure}}}}")),
                "{callee}"
            );
        }
        assert!(!may_be_called("<keylane_cpu::lanes::U32x8 as keylane_cpu::lanes::U32Lanes<8>>::splat"));
        assert!(!may_be_called("<keylane::poly1305::Hash>::absorb_block"));
    }

    #[test]
    fn planted_faults_are_found() {
        let direct = format!("call   600 <{INLINED}>");
        let jump = format!("jmp    600 <{INLINED}>");
        for line in [&*direct, &jump, "call   *0x1(%rip)        # 30 <_DYNAMIC+0x528>"] {
            assert!(found(&[line])[0].ends_with("calls keylane::sha2::lanes::round, which was not inlined"));
        }
        assert_eq!(found(&["call   *0x18(%rax)"]), [""; 0], "a method of a `dyn Kernel`");
        for line in ["call   *%rax", "jmp    *0x18(%rax)", "jmp    *%rax"] {
            assert!(found(&["add    %rcx,%rdx", line])[0].contains("through a pointer"), "{line}");
        }
        for line in ["div    %rcx", "idivl  0x8(%rsp)", "divq   %rcx"] {
            assert!(found(&[line])[0].contains("its time depends"), "{line}");
        }
    }
}
