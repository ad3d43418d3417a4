//! The compiler's assembly text: functions and their instructions.

use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Architecture {
    #[value(name = "x86_64")]
    X86_64,
    Aarch64,
}

impl Architecture {
    pub(crate) fn of_this_machine() -> Option<Self> {
        [Self::X86_64, Self::Aarch64].into_iter().find(|it| it.name() == std::env::consts::ARCH)
    }

    /// The compiler's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64",
            Self::Aarch64 => "aarch64",
        }
    }

    const fn comment(self) -> &'static str {
        match self {
            Self::X86_64 => "#",
            Self::Aarch64 => "//",
        }
    }
}

/// A function; `symbol` as in the text, mangled.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) symbol: String,
    pub(crate) instructions: Vec<Instruction>,
    /// Before which instructions a label stands.
    pub(crate) labels: HashSet<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub(crate) mnemonic: String,
    pub(crate) operands: String,
}

/// Where an instruction leaves its function for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Leaves<'a> {
    /// To another function: a call, or a jump in place of one.
    To(&'a str),
    /// To wherever a register or memory says.
    Anywhere,
}

/// The functions of an assembly text, with those that are another name for one (`.set`).
pub(crate) fn functions(text: &str, architecture: Architecture) -> Vec<Function> {
    let lines = || text.lines().map(|line| without_comment(line, architecture));
    let names: HashSet<_> = lines()
        .filter_map(|line| line.trim().strip_prefix(".type")?.split_once(','))
        .filter(|(_, kind)| kind.trim().ends_with("function"))
        .map(|(name, _)| name.trim())
        .collect();
    let mut functions: Vec<Function> = Vec::new();
    let mut inside = false;
    let mut other_names = HashMap::new();
    for line in lines() {
        let word = line.trim();
        if let Some(label) = word.strip_suffix(':') {
            if names.contains(label) {
                let (symbol, instructions, labels) = (label.to_owned(), Vec::new(), HashSet::new());
                functions.push(Function { symbol, instructions, labels });
                inside = true;
            } else if inside && let Some(function) = functions.last_mut() {
                function.labels.insert(function.instructions.len());
            }
        } else if let Some(set) = word.strip_prefix(".set") {
            if let Some((name, target)) = set.split_once(',') {
                other_names.insert(name.trim().to_owned(), target.trim().to_owned());
            }
        } else if word.starts_with(".size") {
            inside = false;
        } else if inside
            && !word.is_empty()
            && !word.starts_with('.')
            && let Some(function) = functions.last_mut()
        {
            let (mnemonic, operands) = word.split_once(char::is_whitespace).unwrap_or((word, ""));
            function
                .instructions
                .push(Instruction { mnemonic: mnemonic.to_owned(), operands: operands.trim().to_owned() });
        }
    }
    // Equal functions may have been merged into one with several names; for the rules each is a function.
    for (name, target) in other_names {
        if names.contains(name.as_str())
            && let Some(function) = functions.iter().find(|function| function.symbol == target)
        {
            let (instructions, labels) = (function.instructions.clone(), function.labels.clone());
            functions.push(Function { symbol: name, instructions, labels });
        }
    }
    functions
}

fn without_comment(line: &str, architecture: Architecture) -> &str {
    line.split_once(architecture.comment()).map_or(line, |(code, _)| code)
}

impl Function {
    /// Where the instruction at `at` leaves the function for, if it does.
    pub(crate) fn leaves(&self, at: usize, architecture: Architecture) -> Option<Leaves<'_>> {
        let Instruction { mnemonic, operands } = &self.instructions[at];
        match architecture {
            Architecture::X86_64 => {
                let call = mnemonic.starts_with("call");
                if !call && !mnemonic.starts_with('j') {
                    return None;
                }
                let target = operands.strip_prefix('*').unwrap_or(operands);
                if let Some((symbol, _)) = target.split_once("@GOTPCREL(%rip)") {
                    return Some(Leaves::To(symbol));
                }
                if !operands.starts_with('*') {
                    let symbol = target.trim_end_matches("@PLT");
                    return (call || !symbol.starts_with(".L")).then_some(Leaves::To(symbol));
                }
                if let Some(symbol) = self.address_in(at, target) {
                    return Some(Leaves::To(symbol));
                }
                (call || !self.is_table_jump(at, target)).then_some(Leaves::Anywhere)
            }
            Architecture::Aarch64 => match mnemonic.as_str() {
                "bl" => Some(Leaves::To(operands)),
                "b" => (!operands.starts_with(".L")).then_some(Leaves::To(operands)),
                "blr" => Some(Leaves::Anywhere),
                "br" => (!self.is_table_jump(at, operands)).then_some(Leaves::Anywhere),
                _ => None,
            },
        }
    }

    /// The function whose address the register holds at `at`: what is called in a loop is loaded once before it.
    fn address_in(&self, at: usize, register: &str) -> Option<&str> {
        let written = self.instructions[..at].iter().rev().find(|before| {
            !before.mnemonic.starts_with("push")
                && before.operands.rsplit(',').next().is_some_and(|last| last.trim() == register)
        })?;
        let (symbol, _) = written.operands.split_once("@GOTPCREL(%rip)")?;
        written.mnemonic.starts_with("mov").then_some(symbol)
    }

    /// Whether the indirect jump at `at` is a `match`: its target was added up from a table just before.
    fn is_table_jump(&self, at: usize, target: &str) -> bool {
        target.contains(".LJTI")
            || self.instructions[at.saturating_sub(6)..at].iter().any(|before| {
                // The destination stands last in AT&T syntax, first in ARM's.
                before.mnemonic.starts_with("add")
                    && before.operands.split(',').any(|operand| operand.trim() == target)
            })
    }
}

impl Instruction {
    /// The operands, which commas part, but for those within an address.
    pub(crate) fn operand_list(&self) -> Vec<&str> {
        let (mut operands, mut depth, mut start) = (Vec::new(), 0, 0);
        for (at, character) in self.operands.char_indices() {
            match character {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                ',' if depth == 0 => {
                    operands.push(self.operands[start..at].trim());
                    start = at + 1;
                }
                _ => {}
            }
        }
        let last = self.operands[start..].trim();
        if !last.is_empty() {
            operands.push(last);
        }
        operands
    }

    /// Whether it writes a vector register to the stack.
    pub(crate) fn spills(&self, architecture: Architecture) -> bool {
        match architecture {
            Architecture::X86_64 => {
                self.mnemonic.trim_start_matches('v').starts_with("mov")
                    && self.operands.starts_with(['%'])
                    && ["%xmm", "%ymm", "%zmm"].iter().any(|bank| self.operands.starts_with(bank))
                    && (self.operands.ends_with("(%rsp)") || self.operands.ends_with("(%rbp)"))
            }
            Architecture::Aarch64 => {
                self.mnemonic.starts_with("st")
                    && self.operands.starts_with('q')
                    && self.operands.contains("[sp")
            }
        }
    }

    /// Whether it is one of x86's SHA-1 and SHA-256 instructions, which exist in the legacy encoding only.
    pub(crate) fn is_sha(&self) -> bool {
        self.mnemonic.starts_with("sha1") || self.mnemonic.starts_with("sha256")
    }

    /// Whether it names a register wider than 128 bits.
    pub(crate) fn is_wide(&self) -> bool {
        self.operands.contains("%ymm") || self.operands.contains("%zmm")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str, architecture: Architecture) -> Function {
        let text = format!("\t.type f,@function\nf:\n{text}\t.size f, 1\n");
        let mut functions = functions(&text, architecture);
        assert_eq!(functions.len(), 1);
        functions.remove(0)
    }

    #[test]
    fn functions_are_found_with_their_instructions() {
        let text = "\t.type\tf,@function\nf:\n.Lfunc:\n\t.cfi_startproc\n\tpushq\t%rbx  # x\n.LBB0_1:\n\t#APP\n\tret\n\
                    \t.size\tf, .L-f\n\tnot_inside\n\t.type\tg,@object\ng:\n\t.long\t1\n\t.type h,@function\n\
                    \t.set h, f\n";
        let functions = functions(text, Architecture::X86_64);
        let shapes: Vec<_> = functions.iter().map(|it| (it.symbol.as_str(), it.instructions.len())).collect();
        assert_eq!(shapes, [("f", 2), ("h", 2)]);
    }

    #[test]
    fn calls_of_x86_are_seen() {
        let anywhere = Some(Leaves::Anywhere);
        for (line, leaves) in [
            ("callq *memcpy@GOTPCREL(%rip)", Some(Leaves::To("memcpy"))),
            ("callq memcpy@PLT", Some(Leaves::To("memcpy"))),
            ("jmpq *g@GOTPCREL(%rip)", Some(Leaves::To("g"))),
            ("jmp g", Some(Leaves::To("g"))),
            ("je g", Some(Leaves::To("g"))),
            ("je .LBB0_1", None),
            ("callq *%rax", Some(Leaves::Anywhere)),
            ("callq *24(%rax)", Some(Leaves::Anywhere)),
            ("jmpq *%rax", anywhere),
            ("jmpq *.LJTI0_0(,%rax,8)", None),
            ("movq %rax, %rbx", None),
        ] {
            let function = only(&format!("\t{line}\n"), Architecture::X86_64);
            assert_eq!(function.leaves(0, Architecture::X86_64), leaves, "{line}");
        }
        let loaded = "\tmovq g@GOTPCREL(%rip), %rbx\n\tpushq %rbx\n\tmovq %rax, %rcx\n\tcallq *%rbx\n\
                      \tpopq %rbx\n\tcallq *%rbx\n";
        let loaded = only(loaded, Architecture::X86_64);
        assert_eq!(loaded.leaves(3, Architecture::X86_64), Some(Leaves::To("g")));
        assert_eq!(loaded.leaves(5, Architecture::X86_64), Some(Leaves::Anywhere));
        let table = only("\taddq %r15, %rax\n\tjmpq *%rax\n", Architecture::X86_64);
        assert_eq!(table.leaves(1, Architecture::X86_64), None);
    }

    #[test]
    fn calls_of_aarch64_are_seen() {
        for (line, leaves) in [
            ("bl memcpy", Some(Leaves::To("memcpy"))),
            ("b g", Some(Leaves::To("g"))),
            ("b .LBB0_1", None),
            ("b.eq .LBB0_1", None),
            ("blr x8", Some(Leaves::Anywhere)),
            ("br x8", Some(Leaves::Anywhere)),
        ] {
            let function = only(&format!("\t{line}\n"), Architecture::Aarch64);
            assert_eq!(function.leaves(0, Architecture::Aarch64), leaves, "{line}");
        }
        let table = only("\tadd x9, x9, x10, lsl #2\n\tbr x9\n", Architecture::Aarch64);
        assert_eq!(table.leaves(1, Architecture::Aarch64), None);
    }

    #[test]
    fn spills_are_stores_of_vectors_to_the_stack() {
        let x86 = "\tmovdqa %xmm1, 32(%rsp)\n\tvmovdqu64 %zmm1, (%rsp)\n\tmovdqa 32(%rsp), %xmm1\n\
                   \tmovdqu %xmm1, (%rdi)\n\tmovq %rax, (%rsp)\n";
        let spills = |function: Function, architecture| {
            function.instructions.iter().filter(|it| it.spills(architecture)).count()
        };
        assert_eq!(spills(only(x86, Architecture::X86_64), Architecture::X86_64), 2);
        let arm = "\tstp q0, q1, [sp, #32]\n\tstr q0, [x0]\n\tldr q0, [sp]\n\tstp x0, x1, [sp]\n";
        assert_eq!(spills(only(arm, Architecture::Aarch64), Architecture::Aarch64), 1);
    }
}
