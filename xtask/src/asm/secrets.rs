//! Divisions, and addresses that come from data.
//!
//! What is data cannot be read off an instruction, so a value counts as data by how it came about, between two labels: it was taken from a
//! vector register; loaded in fewer than 64 bits, where pointers and lengths have 64; or came from a 64-bit value by a step that no address
//! takes: an exclusive or of two values, a rotation, a change of the byte order, a long multiplication. What is computed from data is data.
//!
//! Seen: an S-box, a table of multiples, any index that was cut out of a block close by. Not seen: an index that was cut by a mask or a
//! shift out of a 64-bit load, as the length of a rest is; what was data before the last label; what came by the stack as part of a
//! vector. A branch cannot be judged at all: a comparison of lengths and one of keys are the same instruction.

use super::text::{Architecture, Function, Instruction, functions};
use anyhow::{Result, ensure};
use std::collections::HashSet;

/// What is wrong with a kernel, each fault with its instruction.
pub(crate) fn faults(function: &Function, architecture: Architecture) -> Vec<String> {
    let mut data = Data { architecture, places: HashSet::new() };
    let mut faults = Vec::new();
    for (at, it) in function.instructions.iter().enumerate() {
        if function.labels.contains(&at) {
            data.places.clear();
        }
        let shown = || format!("`{} {}`", it.mnemonic, it.operands);
        if is_division(it, architecture) {
            faults.push(format!("{}: its time depends on its operands", shown()));
        }
        if is_gather(it) || data.addresses(it) {
            faults.push(format!("{}: an address from data", shown()));
        }
        data.step(it);
    }
    faults
}

fn is_division(it: &Instruction, architecture: Architecture) -> bool {
    let name = it.mnemonic.trim_start_matches('v');
    match architecture {
        Architecture::X86_64 => {
            ["div", "idiv", "fdiv", "sqrt"].iter().any(|division| name.starts_with(division))
        }
        Architecture::Aarch64 => ["udiv", "sdiv", "fdiv", "fsqrt"].contains(&it.mnemonic.as_str()),
    }
}

/// Whether it loads from many places at once, which lie in a vector.
fn is_gather(it: &Instruction) -> bool {
    it.mnemonic.contains("gather") || it.mnemonic.starts_with("xlat")
}

/// The general registers, and words of the stack, that hold data.
struct Data {
    architecture: Architecture,
    places: HashSet<String>,
}

impl Data {
    /// Whether the instruction reaches memory by a register that holds data.
    fn addresses(&self, it: &Instruction) -> bool {
        if it.mnemonic.starts_with("lea") || it.mnemonic.starts_with("nop") {
            return false;
        }
        let operands = it.operand_list();
        let memory = operands.iter().filter(|operand| self.is_memory(operand));
        memory
            .flat_map(|operand| registers(operand, self.architecture))
            .any(|name| self.places.contains(&name))
    }

    fn is_memory(&self, operand: &str) -> bool {
        match self.architecture {
            Architecture::X86_64 => operand.contains('('),
            Architecture::Aarch64 => operand.starts_with('['),
        }
    }

    fn step(&mut self, it: &Instruction) {
        let operands = it.operand_list();
        let name = it.mnemonic.as_str();
        let ends = match self.architecture {
            Architecture::X86_64 => name.starts_with("call"),
            Architecture::Aarch64 => name == "bl" || name == "blr",
        };
        if ends {
            return self.places.clear();
        }
        let silent = ["cmp", "test", "bt", "push", "j", "cmn", "tst", "b.", "cb", "tb"];
        if silent.iter().any(|start| name.starts_with(start)) && !name.starts_with("bts") {
            return;
        }
        let (sources, targets) = self.sources_and_targets(name, &operands);
        let is_data = self.makes_data(name, &sources, &targets);
        for target in targets {
            if let Some(place) = self.place(target) {
                if is_data {
                    self.places.insert(place);
                } else {
                    self.places.remove(&place);
                }
            }
        }
    }

    fn sources_and_targets<'a>(&self, name: &str, operands: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
        let Some((first, rest)) = operands.split_first() else { return (Vec::new(), Vec::new()) };
        match self.architecture {
            Architecture::X86_64 => {
                let last = operands[operands.len() - 1];
                let before = &operands[..operands.len() - 1];
                if name.starts_with("mulx") {
                    return (vec![first], operands[1..].to_vec());
                }
                if operands.len() == 1 && (name.starts_with("mul") || name.starts_with("imul")) {
                    return (operands.to_vec(), vec!["%rax", "%rdx"]);
                }
                // With two operands the last is read, too, unless it is a plain move.
                let moves = ["mov", "lea", "pop", "set", "pext", "rorx", "vmov", "vpext", "vpmov", "pmov"];
                let only_written = operands.len() > 2 || moves.iter().any(|start| name.starts_with(start));
                (if only_written { before.to_vec() } else { operands.to_vec() }, vec![last])
            }
            Architecture::Aarch64 => match name {
                _ if name.starts_with("st") => match rest {
                    [address] => (vec![first], vec![*address]),
                    _ => (Vec::new(), Vec::new()),
                },
                "ldp" => (rest[1..].to_vec(), vec![first, rest[0]]),
                _ => (rest.to_vec(), vec![first]),
            },
        }
    }

    fn makes_data(&self, name: &str, sources: &[&str], targets: &[&str]) -> bool {
        let same = sources.len() > 1 && sources.iter().all(|source| *source == sources[0]);
        if (name.starts_with("xor") || name == "eor") && same {
            // A zero.
            return false;
        }
        let narrow = targets.first().is_some_and(|target| self.is_narrow(target));
        let loads_narrow = |source: &&str| {
            let on_stack = self.place(source).is_some();
            self.is_memory(source) && !on_stack && !is_table(source) && (narrow || self.loads_few_bytes(name))
        };
        let constant = |source: &&str| source.starts_with(['$', '#']);
        let is_lea = name.starts_with("lea");
        let from = |source: &&str| {
            let held = if self.is_memory(source) && !is_lea {
                self.place(source).is_some_and(|place| self.places.contains(&place))
            } else {
                registers(source, self.architecture).iter().any(|name| self.places.contains(name))
            };
            held || is_vector(source, self.architecture)
        };
        let mixes =
            ["xor", "eor", "rol", "ror", "bswap", "rev", "shld", "shrd", "extr", "mulx", "umulh", "andn"];
        let long_multiplication = name.starts_with("mul") && self.architecture == Architecture::X86_64;
        let mixed = mixes.iter().any(|start| name.starts_with(start)) && !sources.iter().any(constant)
            || long_multiplication
            || ["rol", "ror"].iter().any(|start| name.starts_with(start));
        mixed || !is_lea && sources.iter().any(loads_narrow) || sources.iter().any(from)
    }

    /// Whether it loads a byte or two, or four, whatever it makes of them.
    fn loads_few_bytes(&self, name: &str) -> bool {
        match self.architecture {
            Architecture::X86_64 => name.starts_with("movz") || name.starts_with("movs"),
            Architecture::Aarch64 => {
                ["b", "h", "w"].iter().any(|end| name.starts_with("ld") && name.ends_with(end))
            }
        }
    }

    fn is_narrow(&self, register: &str) -> bool {
        match self.architecture {
            Architecture::X86_64 => {
                let name = register.trim_start_matches('%');
                canonical(name).is_some_and(|canonical| canonical != name)
            }
            Architecture::Aarch64 => register.starts_with('w'),
        }
    }

    /// What a general register, or a word of the stack at a fixed place, is called here.
    fn place(&self, operand: &str) -> Option<String> {
        match self.architecture {
            Architecture::X86_64 => match operand.strip_prefix('%') {
                Some(name) => canonical(name),
                None => operand.ends_with("(%rsp)").then(|| operand.to_owned()),
            },
            Architecture::Aarch64 => {
                if operand.starts_with("[sp") {
                    return Some(operand.to_owned());
                }
                registers(operand, self.architecture).into_iter().next().filter(|_| !operand.starts_with('['))
            }
        }
    }
}

/// Whether the address is a constant's: relative to the code, without an index.
fn is_table(operand: &str) -> bool {
    operand.ends_with("(%rip)")
}

fn is_vector(operand: &str, architecture: Architecture) -> bool {
    match architecture {
        Architecture::X86_64 => ["%xmm", "%ymm", "%zmm"].iter().any(|bank| operand.starts_with(bank)),
        Architecture::Aarch64 => {
            operand.starts_with(['v', 'd', 's', 'q'])
                && operand[1..].starts_with(|c: char| c.is_ascii_digit())
        }
    }
}

/// The general registers that an operand names, by their widest names.
fn registers(operand: &str, architecture: Architecture) -> Vec<String> {
    let names = operand.split(|c: char| !c.is_ascii_alphanumeric());
    match architecture {
        // Symbols have parts that look like registers: only what `%` stands before.
        Architecture::X86_64 => {
            let words = operand.split('%').skip(1);
            let words = words.filter_map(|word| word.split(|c: char| !c.is_ascii_alphanumeric()).next());
            words.filter_map(canonical).collect()
        }
        Architecture::Aarch64 => names
            .filter(|name| name.starts_with(['x', 'w']) && name.len() > 1)
            .filter(|name| name[1..].chars().all(|c| c.is_ascii_digit()))
            .map(|name| format!("x{}", &name[1..]))
            .collect(),
    }
}

/// `rax` for `eax`, `ax` and `al`; none for what is no general register.
fn canonical(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('r').map(|rest| rest.trim_end_matches(['d', 'w', 'b']))
        && number.parse::<u8>().is_ok()
    {
        return Some(format!("r{number}"));
    }
    let base = name.strip_prefix(['r', 'e']).filter(|rest| rest.len() == 2).unwrap_or(name);
    match base {
        "ax" | "al" | "ah" => Some("rax".into()),
        "bx" | "bl" | "bh" => Some("rbx".into()),
        "cx" | "cl" | "ch" => Some("rcx".into()),
        "dx" | "dl" | "dh" => Some("rdx".into()),
        "si" | "sil" => Some("rsi".into()),
        "di" | "dil" => Some("rdi".into()),
        "bp" | "bpl" => Some("rbp".into()),
        "sp" | "spl" => Some("rsp".into()),
        _ => None,
    }
}

/// How many planted leaks are seen.
///
/// # Errors
/// If one is not.
pub(crate) fn planted() -> Result<usize> {
    for (architecture, lines) in PLANTED {
        ensure!(of(architecture, lines).len() == 1, "a planted leak is not seen: {lines:?}");
    }
    Ok(PLANTED.len())
}

/// Leaks, each of which must be seen: in every run, as a check that sees none of these sees nothing.
const PLANTED: [(Architecture, &[&str]); 14] = {
    use Architecture::{Aarch64, X86_64};
    [
        (X86_64, &["divq %rcx"]),
        (X86_64, &["vdivps %ymm0, %ymm1, %ymm2"]),
        (X86_64, &["vpgatherdd %ymm0, (%rdi,%ymm1,4), %ymm2"]),
        (X86_64, &["xlatb"]),
        // An S-box.
        (X86_64, &["movzbl (%rdi), %eax", "leaq SBOX(%rip), %rcx", "movzbl (%rax,%rcx), %eax"]),
        (X86_64, &["movl (%rdi), %eax", "shrl $24, %eax", "movl (%rcx,%rax,4), %edx"]),
        (X86_64, &["movq (%rdi), %rax", "xorq (%rsi), %rax", "andl $15, %eax", "movq (%rcx,%rax,8), %rdx"]),
        (X86_64, &["vmovd %xmm0, %eax", "movq %rax, 8(%rsp)", "movq 8(%rsp), %rbx", "movb (%rbx,%rcx), %al"]),
        (X86_64, &["pextrb $3, %xmm1, %edx", "addq %rdx, %rcx", "movdqu (%rcx), %xmm1"]),
        (Aarch64, &["udiv x0, x1, x2"]),
        (Aarch64, &["ldrb w8, [x0]", "ldrb w8, [x9, x8]"]),
        (Aarch64, &["umov w8, v0.b[3]", "ldr w9, [x1, w8, uxtw #2]"]),
        (Aarch64, &["fmov x8, d0", "and x8, x8, #0xf", "ldr q1, [x2, x8, lsl #4]"]),
        (Aarch64, &["ldr x8, [x0]", "ldr x9, [x1]", "eor x8, x8, x9", "ldrb w8, [x2, x8]"]),
    ]
};

/// The faults of some instructions.
fn of(architecture: Architecture, lines: &[&str]) -> Vec<String> {
    let text = format!("\t.type f,@function\nf:\n\t{}\n\t.size f, 1\n", lines.join("\n\t"));
    faults(&functions(&text, architecture)[0], architecture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_planted_is_seen() {
        assert_eq!(planted().unwrap(), PLANTED.len());
    }

    #[test]
    fn what_kernels_do_is_not() {
        let x86 = [
            &["movq (%rdi), %rax", "movq 8(%rdi), %rcx", "addq $64, %rax", "movdqu (%rax,%rcx), %xmm0"][..],
            &["movzbl (%rdi), %eax", "movb %al, (%rsi)", "movzbl (%rdi,%rcx), %eax", "xorl %eax, %eax"],
            &["movzbl (%rdi), %eax", "xorl %eax, %eax", "movb (%rcx,%rax), %dl"],
            &[
                "movq (%rdi), %rax",
                "bswapq %rax",
                "movq %rax, (%rsi)",
                "movq 8(%rdi), %rax",
                "movb (%rax), %cl",
            ],
            &["movzbl (%rdi), %eax", ".LBB0_1:", "movq (%rax), %rcx"],
            &["vmovq %xmm0, %rax", "movq %rax, (%rsp)", "leaq 16(%rdi), %rax", "movdqa (%rax), %xmm0"],
        ];
        for lines in x86 {
            assert_eq!(of(Architecture::X86_64, lines), [""; 0], "{lines:?}");
        }
        let arm = [
            &["ldp x8, x9, [x0]", "add x8, x8, x9, lsl #4", "ldr q0, [x8], #16"][..],
            &["ldrb w8, [x0]", "eor w8, w8, w9", "strb w8, [x1]"],
        ];
        for lines in arm {
            assert_eq!(of(Architecture::Aarch64, lines), [""; 0], "{lines:?}");
        }
    }
}
