//! The rules, applied.

use super::kernels::{Kernel, Kernels, last_names, trait_with_module};
use super::secrets;
use super::text::{Architecture, Function, Leaves};
use std::collections::BTreeMap;

pub(crate) struct Verdict {
    pub(crate) rows: Vec<Row>,
    pub(crate) failures: Vec<String>,
}

/// A line of the table: one `enter`.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) kernel: String,
    pub(crate) instructions: usize,
    /// Vector registers written to the stack.
    pub(crate) spills: usize,
    /// Panics and memory functions.
    pub(crate) calls: usize,
}

pub(crate) fn judge(functions: &[Function], kernels: &Kernels, architecture: Architecture) -> Verdict {
    let mut verdict = Verdict { rows: Vec::new(), failures: Vec::new() };
    let mut found: BTreeMap<Kernel, usize> = BTreeMap::new();
    for function in functions {
        let name = format!("{:#}", rustc_demangle::demangle(&function.symbol));
        let closure = entered(&name);
        let kernel = closure.and_then(kernel_of);
        let shown = match &kernel {
            Some(kernel) => kernel.to_string(),
            None => closure.unwrap_or(&name).to_owned(),
        };
        let sha = function.instructions.iter().any(|it| it.is_sha());
        if sha && let Some(wide) = function.instructions.iter().find(|it| it.is_wide()) {
            verdict.failures.push(format!(
                "{shown}: `{} {}` in a function with SHA instructions",
                wide.mnemonic, wide.operands
            ));
        }
        if closure.is_none() {
            continue;
        }
        let mut calls = 0;
        for at in 0..function.instructions.len() {
            match function.leaves(at, architecture) {
                None => {}
                Some(Leaves::To(symbol)) => {
                    let callee = format!("{:#}", rustc_demangle::demangle(symbol));
                    if may_be_called(&callee) {
                        calls += 1;
                    } else {
                        verdict.failures.push(format!("{shown}: calls {callee}, which was not inlined"));
                    }
                }
                Some(Leaves::Anywhere) => {
                    let it = &function.instructions[at];
                    let call = format!("{} {}", it.mnemonic, it.operands);
                    verdict.failures.push(format!("{shown}: calls through a pointer: `{call}`"));
                }
            }
        }
        let faults = secrets::faults(function, architecture).into_iter();
        verdict.failures.extend(faults.map(|fault| format!("{shown}: {fault}")));
        if let Some(kernel) = kernel {
            *found.entry(kernel).or_default() += 1;
        }
        verdict.rows.push(Row {
            kernel: shown,
            instructions: function.instructions.len(),
            spills: function.instructions.iter().filter(|it| it.spills(architecture)).count(),
            calls,
        });
    }
    for (kernel, runs) in kernels {
        let found = found.get(kernel).copied().unwrap_or(0);
        if found < *runs {
            verdict.failures.push(format!(
                "{kernel}: kernel not found: the source says `run` {runs} times, the assembly has {found}"
            ));
        }
    }
    verdict.rows.sort_by(|a, b| a.kernel.cmp(&b.kernel));
    verdict.failures = counted(verdict.failures);
    verdict
}

/// A fault that comes back, in an unrolled loop, is said once.
fn counted(failures: Vec<String>) -> Vec<String> {
    let mut counted: Vec<(String, usize)> = Vec::new();
    for failure in failures {
        match counted.iter_mut().find(|(known, _)| *known == failure) {
            Some((_, times)) => *times += 1,
            None => counted.push((failure, 1)),
        }
    }
    let say = |(failure, times)| if times == 1 { failure } else { format!("{failure} ({times} times)") };
    counted.into_iter().map(say).collect()
}

/// The closure that `enter` runs, if the function is one: the last of `enter`'s generic arguments.
fn entered(name: &str) -> Option<&str> {
    let (before, arguments) = name.split_once("::run::enter::<")?;
    if !before.contains("InstructionSet") {
        return None;
    }
    let arguments = arguments.strip_suffix('>')?;
    let mut depth = 0;
    let mut last = 0;
    for (at, character) in arguments.char_indices() {
        match character {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => last = at + 1,
            _ => {}
        }
    }
    Some(arguments[last..].trim())
}

/// The kernel that a closure `<Isa as Trait>::method::{closure#0}` belongs to.
fn kernel_of(closure: &str) -> Option<Kernel> {
    let mut depth = 0;
    let end = closure.char_indices().find_map(|(at, character)| {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let (isa, of) = closure.get(1..end)?.split_once(" as ")?;
    let method = closure[end + 1..].strip_prefix("::")?;
    let method = method.split(['<', ':']).next()?;
    Some(Kernel { isa: last_names(isa), of: trait_with_module(of), method: method.to_owned() })
}

/// Whether a kernel may call it: another kernel, which has its own instructions; what ends the program; and the
/// compiler's memory functions.
fn may_be_called(callee: &str) -> bool {
    const MEMORY: [&str; 6] = ["memcpy", "memmove", "memset", "bcmp", "memcmp", "__rust_probestack"];
    MEMORY.contains(&callee)
        || begins_a_kernel(callee)
        || callee.starts_with("core::panicking::")
        || callee.starts_with("core::")
            && callee
                .rsplit("::")
                .next()
                .is_some_and(|last| last.ends_with("_fail") || last.ends_with("_failed"))
}

/// Whether it is a method of a kernel's trait, `<Avx2 as poly1305::Kernel>::absorb`, or the `enter` that it calls.
fn begins_a_kernel(callee: &str) -> bool {
    let Some((isa, rest)) = callee.strip_prefix('<').and_then(|callee| callee.split_once(" as ")) else {
        return false;
    };
    let Some((of, method)) = rest.split_once(">::") else { return false };
    isa.starts_with("keylane_cpu::")
        && (of.starts_with("keylane::") && of.ends_with("::Kernel") && !method.contains("::")
            || of == "keylane_cpu::instruction_set::InstructionSet" && method.starts_with("run::enter"))
}

/// The table as text.
pub(crate) fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.kernel.len()).max().unwrap_or(0).max(6);
    let mut text = format!("{:width$} {:>12} {:>7} {:>6}\n", "kernel", "instructions", "spills", "calls");
    for Row { kernel, instructions, spills, calls } in rows {
        text += &format!("{kernel:width$} {instructions:>12} {spills:>7} {calls:>6}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::kernels::tests::kernel;
    use crate::asm::text::functions;

    const ENTER: &str = "_RINvNvXs2_NtCsczy9kH9oair_11keylane_cpu6x86_64NtB8_5ShaNiNtNtBa_15instruction_set14\
        InstructionSet3run5enterBI_uNCNCNvXNtNtNtCs25YOtgkj1qh_7keylane4sha26sha2566x86_64BI_INtNtB1Y_11\
        compression6KernelNtB1U_14Compression256E7iterate00EB1Y_";
    const PANIC: &str = "_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check";

    fn enter(body: &[&str]) -> Verdict {
        function(ENTER, body)
    }

    fn function(symbol: &str, body: &[&str]) -> Verdict {
        let text =
            format!("\t.type {symbol},@function\n{symbol}:\n\t{}\n\t.size {symbol}, 1\n", body.join("\n\t"));
        let kernels = Kernels::from([(kernel("ShaNi", "compression::Kernel<Compression256>", "iterate"), 1)]);
        judge(&functions(&text, Architecture::X86_64), &kernels, Architecture::X86_64)
    }

    #[test]
    fn a_clean_kernel_passes_and_is_counted() {
        let panic = format!("callq *{PANIC}@GOTPCREL(%rip)");
        let verdict = enter(&[
            "pushq %rbx",
            "movdqa %xmm1, 32(%rsp)",
            "sha256rnds2 %xmm0, %xmm1, %xmm2",
            "callq *memcpy@GOTPCREL(%rip)",
            &panic,
            "ja .LBB0_2",
            "addq %r15, %rax",
            "jmpq *%rax",
        ]);
        assert_eq!(verdict.failures, [""; 0]);
        let [row] = &verdict.rows[..] else { panic!("one row") };
        assert_eq!(row.kernel, "compression::Kernel<Compression256> for ShaNi: iterate");
        assert_eq!((row.instructions, row.spills, row.calls), (8, 1, 2));
    }

    #[test]
    fn an_outlined_call_fails() {
        let outlined = "_RNvNtNtCs25YOtgkj1qh_7keylane4sha25lanes5round";
        for line in [
            format!("callq {outlined}"),
            format!("jmp {outlined}"),
            format!("callq *{outlined}@GOTPCREL(%rip)"),
        ] {
            let failures = enter(&[&line]).failures;
            let expected = "compression::Kernel<Compression256> for ShaNi: iterate: calls keylane::sha2::lanes::round, \
                            which was not inlined";
            assert_eq!(failures, [expected], "{line}");
        }
        let failures = enter(&[&format!("callq {outlined}"), &format!("callq {outlined}")]).failures;
        assert!(failures.len() == 1 && failures[0].ends_with("not inlined (2 times)"), "{failures:?}");
    }

    #[test]
    fn a_call_of_another_kernel_passes() {
        for (callee, may) in [
            ("<keylane_cpu::x86_64::Sse2 as keylane::poly1305::Kernel>::absorb", true),
            ("<keylane_cpu::x86_64::Sse2 as keylane::poly1305::Kernel>::absorb::{closure#0}", false),
            (
                "<keylane_cpu::x86_64::Avx2 as keylane_cpu::instruction_set::InstructionSet>::run::enter::<(), ()>",
                true,
            ),
            ("<keylane_cpu::lanes::x86_64::U32x8 as keylane_cpu::lanes::U32Lanes<8>>::splat", false),
            ("<keylane::poly1305::Hash>::absorb_block", false),
        ] {
            assert_eq!(may_be_called(callee), may, "{callee}");
        }
    }

    #[test]
    fn a_call_through_a_pointer_fails() {
        for line in ["callq *%rax", "callq *24(%rax)", "jmpq *%rax"] {
            let failures = enter(&[line]).failures;
            assert_eq!(failures.len(), 1);
            assert!(failures[0].ends_with(&format!("calls through a pointer: `{line}`")), "{failures:?}");
        }
    }

    #[test]
    fn a_wide_register_beside_sha_instructions_fails() {
        for line in ["vmovups (%rsi), %ymm0", "vmovdqu64 %zmm16, (%rsp)"] {
            let failures = enter(&["sha1rnds4 $0, %xmm0, %xmm1", line]).failures;
            let expected = "compression::Kernel<Compression256> for ShaNi: iterate: `";
            assert_eq!(failures, [format!("{expected}{line}` in a function with SHA instructions")]);
        }
        assert_eq!(enter(&["vmovups (%rsi), %ymm0"]).failures, [""; 0]);
        // In any function, not in kernels alone.
        assert_eq!(function("f", &["sha1msg1 %xmm0, %xmm1", "vpxor %ymm0, %ymm0, %ymm0"]).failures.len(), 2);
    }

    #[test]
    fn a_kernel_that_is_not_there_fails() {
        let failures = function("f", &["ret"]).failures;
        let expected = "compression::Kernel<Compression256> for ShaNi: iterate: kernel not found: the source says \
                        `run` 1 times, the assembly has 0";
        assert_eq!(failures, [expected]);
    }

    #[test]
    fn closures_of_plain_functions_are_named_in_full() {
        assert_eq!(
            entered("<a::Isa as a::InstructionSet>::run::enter::<a::Isa, (), b::f::{closure#0}>"),
            Some("b::f::{closure#0}")
        );
        assert_eq!(kernel_of("b::f::{closure#0}"), None);
        assert_eq!(entered("b::run::enter::<a::Isa>"), None);
    }
}
