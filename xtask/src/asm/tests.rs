//! Lines of objdump whose fault is known.

use super::faults;

/// Lines of a kernel, and what is wrong with each.
const LINES: [(&str, &str); 14] = [
    ("  4:\tcall   *0x0(%rip)        # a", ""),
    ("\t\t\t6: R_X86_64_GOTPCREL\t_ZN4core9panicking18panic_bounds_check17h2e7c88ec6c72cc8bE-0x4", ""),
    ("\t\t\t6: R_X86_64_GOTPCREL\t_ZN7keylane4sha25cores3K6417h8a4955d3b31fd1cbE-0x4", ""),
    ("\t\t\t6: R_X86_64_PLT32\t<keylane_cpu::Sse2 as keylane::poly1305::Kernel>::absorb-0x4", ""),
    ("\t\t\t6: R_X86_64_PC32\t.LCPI25_0-0x4", ""),
    ("\t\t\t6: R_X86_64_GOTPCREL\tmemcpy-0x4", ""),
    (
        "\t\t\t6: R_X86_64_PLT32\t.text._ZN7keylane4sha25lanes5round17h2e7c88ec6c72cc8bE-0x4",
        "calls keylane::sha2::lanes::round, which was not inlined",
    ),
    ("\t\t\t6: R_X86_64_GOTPCRELX\t<A as keylane::aes::Kernel>::run::{{closure}}-0x4", "was not inlined"),
    ("  6:\tdiv    %rcx", "its time depends on its operands"),
    ("  6:\tidivl  0x8(%rsp)", "its time depends on its operands"),
    ("  6:\tdivq   %rcx", "its time depends on its operands"),
    ("  6:\tvmovdqu %ymm1,0x20(%rsp)", "the stack is not aligned"),
    ("  2:\tand    $0xffffffffffffffc0,%rsp\n  6:\tvmovdqu %ymm1,0x20(%rsp)", ""),
    ("  6:\tmovdqa %xmm1,0x20(%rsp)", ""),
];

#[test]
fn faults_of_kernels_are_found() {
    let kernel = "_ZN11keylane_cpu6x86_648VaesAvx213with_features17h2e7c88ec6c72cc8bE";
    let other = "0000000000000000 <other>:\n  0:\tdiv    %rcx";
    for (line, fault) in LINES {
        let (kernels, found) = faults(&format!("{other}\n\n0000000000000000 <{kernel}>:\n{line}"));
        assert_eq!((kernels, found.len()), (1, usize::from(!fault.is_empty())), "{line}: {found:?}");
        assert!(found.iter().all(|found| found.ends_with(fault)), "{line}: {found:?}");
    }
}
