//! The loops.

// Assembly, one instruction beside the other.
#[rustfmt::skip]
mod wide;

use keylane_benches::clock::Clock;
use std::arch::asm;

const LOOPS: u64 = 20_000;

/// Cycles per repetition of `f`: the fourth of 15 runs, since an estimated clock may err to the low side, too.
fn best(clock: &mut Clock, f: impl Fn(u64)) -> f64 {
    f(1000);
    let mut runs: Vec<_> = (0..15).map(|_| clock.time(|| f(LOOPS)).cycles).collect();
    runs.sort_by(f64::total_cmp);
    runs[3] / LOOPS as f64
}

macro_rules! body {
    ($clock:expr, $what:expr, $per:expr, $($line:expr),+ $(,)?) => {{
        // SAFETY: `main` looked for the instructions; they touch the registers named below and no memory.
        let c = best($clock, |n| unsafe {
            asm!(
                "2:", $($line,)+ "dec {n}", "jnz 2b",
                n = inout(reg) n => _,
                out("rax") _, out("rcx") _, out("rdx") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
            )
        });
        let per = c / $per as f64;
        println!("{:<58} {per:>8.3}", $what);
        per
    }};
}

/// Two-operand: twelve independent destinations, then one chain.
macro_rules! two {
    ($clock:expr, $op:literal, $r:literal, $imm:literal) => {{
        body!(
            $clock,
            concat!($op, " ", $r, " throughput"),
            120,
            ".rept 10",
            concat!($op, " ", $r, "0,", $r, "15", $imm),
            concat!($op, " ", $r, "1,", $r, "15", $imm),
            concat!($op, " ", $r, "2,", $r, "15", $imm),
            concat!($op, " ", $r, "3,", $r, "15", $imm),
            concat!($op, " ", $r, "4,", $r, "15", $imm),
            concat!($op, " ", $r, "5,", $r, "15", $imm),
            concat!($op, " ", $r, "6,", $r, "15", $imm),
            concat!($op, " ", $r, "7,", $r, "15", $imm),
            concat!($op, " ", $r, "8,", $r, "15", $imm),
            concat!($op, " ", $r, "9,", $r, "15", $imm),
            concat!($op, " ", $r, "10,", $r, "15", $imm),
            concat!($op, " ", $r, "11,", $r, "15", $imm),
            ".endr"
        );
        body!(
            $clock,
            concat!($op, " ", $r, " latency"),
            100,
            ".rept 100",
            concat!($op, " ", $r, "0,", $r, "15", $imm),
            ".endr"
        );
    }};
}

macro_rules! three {
    ($clock:expr, $op:literal, $r:literal, $imm:literal) => {{
        body!(
            $clock,
            concat!($op, " ", $r, " throughput"),
            120,
            ".rept 10",
            concat!($op, " ", $r, "0,", $r, "0,", $r, "15", $imm),
            concat!($op, " ", $r, "1,", $r, "1,", $r, "15", $imm),
            concat!($op, " ", $r, "2,", $r, "2,", $r, "15", $imm),
            concat!($op, " ", $r, "3,", $r, "3,", $r, "15", $imm),
            concat!($op, " ", $r, "4,", $r, "4,", $r, "15", $imm),
            concat!($op, " ", $r, "5,", $r, "5,", $r, "15", $imm),
            concat!($op, " ", $r, "6,", $r, "6,", $r, "15", $imm),
            concat!($op, " ", $r, "7,", $r, "7,", $r, "15", $imm),
            concat!($op, " ", $r, "8,", $r, "8,", $r, "15", $imm),
            concat!($op, " ", $r, "9,", $r, "9,", $r, "15", $imm),
            concat!($op, " ", $r, "10,", $r, "10,", $r, "15", $imm),
            concat!($op, " ", $r, "11,", $r, "11,", $r, "15", $imm),
            ".endr"
        );
        body!(
            $clock,
            concat!($op, " ", $r, " latency"),
            100,
            ".rept 100",
            concat!($op, " ", $r, "0,", $r, "0,", $r, "15", $imm),
            ".endr"
        );
    }};
}

/// Shift by immediate: dst, src, imm.
macro_rules! shift {
    ($clock:expr, $op:literal, $r:literal) => {
        body!(
            $clock,
            concat!($op, " ", $r, " throughput"),
            60,
            ".rept 10",
            concat!($op, " ", $r, "0,", $r, "0,7"),
            concat!($op, " ", $r, "1,", $r, "1,7"),
            concat!($op, " ", $r, "2,", $r, "2,7"),
            concat!($op, " ", $r, "3,", $r, "3,7"),
            concat!($op, " ", $r, "4,", $r, "4,7"),
            concat!($op, " ", $r, "5,", $r, "5,7"),
            ".endr"
        );
    };
}

pub(crate) fn main() {
    if !(is_x86_feature_detected!("sha")
        && is_x86_feature_detected!("vaes")
        && is_x86_feature_detected!("vpclmulqdq")
        && is_x86_feature_detected!("bmi2"))
    {
        eprintln!("this CPU lacks SHA-NI, VAES or BMI2");
        return;
    }
    let clock = &mut Clock::new();
    instructions(clock);
    sha256_block(clock);
    sha256_two_phase(clock);
    if wide::usable() {
        wide::all(clock);
    }
    println!("\nclock: {}", clock.describe());
}

#[rustfmt::skip]
fn instructions(clock: &mut Clock) {
    println!("-- one instruction (throughput = cycles per instruction when independent)");
    two!(clock, "aesenc", "xmm", "");
    three!(clock, "vaesenc", "ymm", "");
    two!(clock, "pclmulqdq", "xmm", ", 0");
    three!(clock, "vpclmulqdq", "ymm", ", 0");
    two!(clock, "sha1rnds4", "xmm", ", 0");
    two!(clock, "sha1nexte", "xmm", "");
    two!(clock, "sha1msg1", "xmm", "");
    two!(clock, "sha1msg2", "xmm", "");
    two!(clock, "sha256msg1", "xmm", "");
    two!(clock, "sha256msg2", "xmm", "");
    // sha256rnds2 reads xmm0 implicitly.
    body!(clock, "sha256rnds2 xmm throughput", 100, ".rept 10",
        "sha256rnds2 xmm1, xmm15", "sha256rnds2 xmm2, xmm15", "sha256rnds2 xmm3, xmm15", "sha256rnds2 xmm4, xmm15",
        "sha256rnds2 xmm5, xmm15", "sha256rnds2 xmm6, xmm15", "sha256rnds2 xmm7, xmm15", "sha256rnds2 xmm8, xmm15",
        "sha256rnds2 xmm9, xmm15", "sha256rnds2 xmm10, xmm15", ".endr");
    body!(clock, "sha256rnds2 xmm latency (chain as in SHA-256)", 100, ".rept 50",
        "sha256rnds2 xmm1, xmm2", "sha256rnds2 xmm2, xmm1", ".endr");
    body!(clock, "sha256rnds2 two chains, per instruction", 200, ".rept 50",
        "sha256rnds2 xmm1, xmm2", "sha256rnds2 xmm3, xmm4", "sha256rnds2 xmm2, xmm1", "sha256rnds2 xmm4, xmm3", ".endr");
    body!(clock, "sha256rnds2 three chains, per instruction", 300, ".rept 50",
        "sha256rnds2 xmm1, xmm2", "sha256rnds2 xmm3, xmm4", "sha256rnds2 xmm5, xmm6",
        "sha256rnds2 xmm2, xmm1", "sha256rnds2 xmm4, xmm3", "sha256rnds2 xmm6, xmm5", ".endr");
    body!(clock, "sha1rnds4+sha1nexte chain as in SHA-1, per 4 rounds", 100, ".rept 50",
        "movdqa xmm2, xmm0", "sha1nexte xmm1, xmm14", "sha1rnds4 xmm0, xmm1, 0",
        "movdqa xmm1, xmm0", "sha1nexte xmm2, xmm15", "sha1rnds4 xmm0, xmm2, 1", ".endr");
    three!(clock, "vpmuludq", "ymm", "");
    three!(clock, "vpaddd", "ymm", "");
    three!(clock, "vpaddq", "ymm", "");
    three!(clock, "vpxor", "ymm", "");
    three!(clock, "vpshufb", "ymm", "");
    three!(clock, "vpalignr", "ymm", ", 4");
    shift!(clock, "vpslld", "ymm");
    shift!(clock, "vpsrlq", "ymm");
    shift!(clock, "vpshufd", "ymm");
    body!(clock, "vpaddq + vpxor ymm mix, per instruction", 120, ".rept 10",
        "vpaddq ymm0,ymm0,ymm15", "vpxor ymm1,ymm1,ymm15", "vpaddq ymm2,ymm2,ymm15", "vpxor ymm3,ymm3,ymm15",
        "vpaddq ymm4,ymm4,ymm15", "vpxor ymm5,ymm5,ymm15", "vpaddq ymm6,ymm6,ymm15", "vpxor ymm7,ymm7,ymm15",
        "vpaddq ymm8,ymm8,ymm15", "vpxor ymm9,ymm9,ymm15", "vpaddq ymm10,ymm10,ymm15", "vpxor ymm11,ymm11,ymm15", ".endr");
    body!(clock, "vpslld + vpsrld + vpor ymm (rotate), per rotate", 40, ".rept 10",
        "vpslld ymm8,ymm0,7", "vpsrld ymm0,ymm0,25", "vpor ymm0,ymm0,ymm8",
        "vpslld ymm9,ymm1,7", "vpsrld ymm1,ymm1,25", "vpor ymm1,ymm1,ymm9",
        "vpslld ymm10,ymm2,7", "vpsrld ymm2,ymm2,25", "vpor ymm2,ymm2,ymm10",
        "vpslld ymm11,ymm3,7", "vpsrld ymm3,ymm3,25", "vpor ymm3,ymm3,ymm11", ".endr");
    body!(clock, "mulx r64 throughput", 40, ".rept 10", "mulx r8,rax,rdx", "mulx r9,rax,rdx", "mulx r10,rax,rdx", "mulx r11,rax,rdx", ".endr");
    body!(clock, "mulx r64 latency (low half)", 50, ".rept 50", "mulx r8,rdx,rdx", ".endr");
    body!(clock, "rorx+add r64 chain-free, per instruction", 80, ".rept 10",
        "rorx r8,rdx,7", "rorx r9,rdx,9", "rorx r10,rdx,11", "rorx r11,rdx,13", "add rax,rdx", "add rcx,rdx", "add rax,rdx", "add rcx,rdx", ".endr");

    println!("\n-- mixes (cycles per group)");
    // Do AES and CLMUL share ports? 6 vaesenc + 6 vpclmulqdq.
    body!(clock, "1 vaesenc ymm + 1 vpclmulqdq ymm", 60, ".rept 10",
        "vaesenc ymm0,ymm0,ymm15", "vpclmulqdq ymm6,ymm14,ymm15,0", "vaesenc ymm1,ymm1,ymm15", "vpclmulqdq ymm7,ymm14,ymm15,0",
        "vaesenc ymm2,ymm2,ymm15", "vpclmulqdq ymm8,ymm14,ymm15,0", "vaesenc ymm3,ymm3,ymm15", "vpclmulqdq ymm9,ymm14,ymm15,0",
        "vaesenc ymm4,ymm4,ymm15", "vpclmulqdq ymm10,ymm14,ymm15,0", "vaesenc ymm5,ymm5,ymm15", "vpclmulqdq ymm11,ymm14,ymm15,0", ".endr");
    body!(clock, "1 aesenc xmm + 1 pclmulqdq xmm", 60, ".rept 10",
        "aesenc xmm0,xmm15", "vpclmulqdq xmm6,xmm14,xmm15,0", "aesenc xmm1,xmm15", "vpclmulqdq xmm7,xmm14,xmm15,0",
        "aesenc xmm2,xmm15", "vpclmulqdq xmm8,xmm14,xmm15,0", "aesenc xmm3,xmm15", "vpclmulqdq xmm9,xmm14,xmm15,0",
        "aesenc xmm4,xmm15", "vpclmulqdq xmm10,xmm14,xmm15,0", "aesenc xmm5,xmm15", "vpclmulqdq xmm11,xmm14,xmm15,0", ".endr");
    body!(clock, "1 vaesenc ymm + 2 vpxor ymm", 60, ".rept 10",
        "vaesenc ymm0,ymm0,ymm15", "vpxor ymm6,ymm14,ymm15", "vpxor ymm7,ymm14,ymm15",
        "vaesenc ymm1,ymm1,ymm15", "vpxor ymm8,ymm14,ymm15", "vpxor ymm9,ymm14,ymm15",
        "vaesenc ymm2,ymm2,ymm15", "vpxor ymm6,ymm14,ymm15", "vpxor ymm7,ymm14,ymm15",
        "vaesenc ymm3,ymm3,ymm15", "vpxor ymm8,ymm14,ymm15", "vpxor ymm9,ymm14,ymm15",
        "vaesenc ymm4,ymm4,ymm15", "vpxor ymm10,ymm14,ymm15", "vpxor ymm11,ymm14,ymm15",
        "vaesenc ymm5,ymm5,ymm15", "vpxor ymm10,ymm14,ymm15", "vpxor ymm11,ymm14,ymm15", ".endr");
    body!(clock, "1 sha256rnds2 (2 chains) + 2 vpaddd", 100, ".rept 50",
        "sha256rnds2 xmm1, xmm2", "paddd xmm5, xmm15", "paddd xmm6, xmm15",
        "sha256rnds2 xmm3, xmm4", "paddd xmm7, xmm15", "paddd xmm8, xmm15", ".endr");
    body!(clock, "1 vpmuludq ymm + 1 vpaddq ymm", 60, ".rept 10",
        "vpmuludq ymm0,ymm14,ymm15", "vpaddq ymm6,ymm6,ymm0", "vpmuludq ymm1,ymm14,ymm15", "vpaddq ymm7,ymm7,ymm1",
        "vpmuludq ymm2,ymm14,ymm15", "vpaddq ymm8,ymm8,ymm2", "vpmuludq ymm3,ymm14,ymm15", "vpaddq ymm9,ymm9,ymm3",
        "vpmuludq ymm4,ymm14,ymm15", "vpaddq ymm10,ymm10,ymm4", "vpmuludq ymm5,ymm14,ymm15", "vpaddq ymm11,ymm11,ymm5", ".endr");

    body!(clock, "32 sha256rnds2 (4 chains) + 12 sha256msg2, one block's worth", 4, ".rept 16",
        "sha256rnds2 xmm1, xmm2", "sha256rnds2 xmm3, xmm4", "sha256rnds2 xmm5, xmm6", "sha256rnds2 xmm7, xmm8",
        "sha256msg2 xmm9, xmm15", "sha256msg2 xmm10, xmm15", "sha256msg2 xmm11, xmm15",
        "sha256rnds2 xmm2, xmm1", "sha256rnds2 xmm4, xmm3", "sha256rnds2 xmm6, xmm5", "sha256rnds2 xmm8, xmm7", ".endr");
    body!(clock, "same + 12 sha256msg1", 4, ".rept 16",
        "sha256rnds2 xmm1, xmm2", "sha256rnds2 xmm3, xmm4", "sha256rnds2 xmm5, xmm6", "sha256rnds2 xmm7, xmm8",
        "sha256msg2 xmm9, xmm15", "sha256msg2 xmm10, xmm15", "sha256msg2 xmm11, xmm15",
        "sha256msg1 xmm12, xmm15", "sha256msg1 xmm13, xmm15", "sha256msg1 xmm14, xmm15",
        "sha256rnds2 xmm2, xmm1", "sha256rnds2 xmm4, xmm3", "sha256rnds2 xmm6, xmm5", "sha256rnds2 xmm8, xmm7", ".endr");
    body!(clock, "SHA-1 4 rounds, 2 streams, per stream", 200, ".rept 50",
        "movdqa xmm2, xmm0", "sha1nexte xmm1, xmm14", "sha1rnds4 xmm0, xmm1, 0",
        "movdqa xmm5, xmm3", "sha1nexte xmm4, xmm14", "sha1rnds4 xmm3, xmm4, 0",
        "movdqa xmm1, xmm0", "sha1nexte xmm2, xmm15", "sha1rnds4 xmm0, xmm2, 1",
        "movdqa xmm4, xmm3", "sha1nexte xmm5, xmm15", "sha1rnds4 xmm3, xmm5, 1", ".endr");
    body!(clock, "SHA-1 4 rounds, 3 streams, per stream", 300, ".rept 50",
        "movdqa xmm2, xmm0", "sha1nexte xmm1, xmm14", "sha1rnds4 xmm0, xmm1, 0",
        "movdqa xmm5, xmm3", "sha1nexte xmm4, xmm14", "sha1rnds4 xmm3, xmm4, 0",
        "movdqa xmm8, xmm6", "sha1nexte xmm7, xmm14", "sha1rnds4 xmm6, xmm7, 0",
        "movdqa xmm1, xmm0", "sha1nexte xmm2, xmm15", "sha1rnds4 xmm0, xmm2, 1",
        "movdqa xmm4, xmm3", "sha1nexte xmm5, xmm15", "sha1rnds4 xmm3, xmm5, 1",
        "movdqa xmm7, xmm6", "sha1nexte xmm8, xmm15", "sha1rnds4 xmm6, xmm8, 1", ".endr");
    body!(clock, "4 vaesenc ymm + 1 vpclmulqdq ymm", 20, ".rept 10",
        "vaesenc ymm0,ymm0,ymm15", "vaesenc ymm1,ymm1,ymm15", "vpclmulqdq ymm8,ymm14,ymm15,0", "vaesenc ymm2,ymm2,ymm15", "vaesenc ymm3,ymm3,ymm15",
        "vaesenc ymm4,ymm4,ymm15", "vaesenc ymm5,ymm5,ymm15", "vpclmulqdq ymm9,ymm14,ymm15,0", "vaesenc ymm6,ymm6,ymm15", "vaesenc ymm7,ymm7,ymm15", ".endr");
    macro_rules! gcm {
        ($label:literal, $reps:literal, $a:literal, $cl:literal, $x:literal) => {{
            // Per 64 bytes: 2 chains of rounds on 8 accumulators, the carry-less products beside them.
            let v = body!(clock, concat!("per 256 B: ", $label), 1, concat!(".rept ", $reps),
                "vaesenc ymm0,ymm0,ymm15", "vaesenc ymm1,ymm1,ymm15", "vaesenc ymm2,ymm2,ymm15", "vaesenc ymm3,ymm3,ymm15",
                "vaesenc ymm4,ymm4,ymm15", "vaesenc ymm5,ymm5,ymm15", "vaesenc ymm6,ymm6,ymm15", "vaesenc ymm7,ymm7,ymm15",
                concat!(".rept ", $cl), "vpclmulqdq ymm8,ymm14,ymm15,0", ".endr",
                concat!(".rept ", $x), "vpxor ymm9,ymm14,ymm15", ".endr", ".endr");
            println!("{:<58} {:>8.4}", "  = per byte", v / 256.0);
        }};
    }
    println!("\n-- kernels on registers, 256 bytes = 8 ymm of counter blocks");
    gcm!("AES-128 rounds alone (10 x 8 vaesenc)", 10, 8, 0, 0);
    gcm!("AES-256 rounds alone (14 x 8 vaesenc)", 14, 8, 0, 0);
    gcm!("AES-128 + 30 vpclmulqdq (Karatsuba 24 + reduction)", 10, 8, 3, 0);
    gcm!("AES-128 + 30 vpclmulqdq + 40 vpxor", 10, 8, 3, 4);
    gcm!("AES-128 + 40 vpclmulqdq (schoolbook 32 + reduction)", 10, 8, 4, 0);
    gcm!("AES-256 + 28 vpclmulqdq (Karatsuba 24 + reduction)", 14, 8, 2, 0);
    gcm!("AES-256 + 28 vpclmulqdq + 42 vpxor", 14, 8, 2, 3);
    body!(clock, "Poly1305 4 blocks: 25 vpmuludq + 20 vpaddq", 1,
        ".rept 5", "vpmuludq ymm0,ymm14,ymm15", "vpmuludq ymm1,ymm14,ymm15", "vpaddq ymm6,ymm6,ymm0", "vpmuludq ymm2,ymm14,ymm15",
        "vpaddq ymm7,ymm7,ymm1", "vpmuludq ymm3,ymm14,ymm15", "vpaddq ymm8,ymm8,ymm2", "vpmuludq ymm4,ymm14,ymm15", "vpaddq ymm9,ymm9,ymm3", ".endr");
    // Carry: 6 x (shift, and, add) plus one x5 (shift, add); load/unpack of 64 B: 2 loads, 4 shuffles, 4 shifts, 5 and/or.
    body!(clock, "Poly1305 4 blocks: the same + carries and unpacking", 1,
        ".rept 5", "vpmuludq ymm0,ymm14,ymm15", "vpmuludq ymm1,ymm14,ymm15", "vpaddq ymm6,ymm6,ymm0", "vpmuludq ymm2,ymm14,ymm15",
        "vpaddq ymm7,ymm7,ymm1", "vpmuludq ymm3,ymm14,ymm15", "vpaddq ymm8,ymm8,ymm2", "vpmuludq ymm4,ymm14,ymm15", "vpaddq ymm9,ymm9,ymm3",
        "vpsrlq ymm10,ymm14,26", "vpand ymm11,ymm14,ymm15", "vpaddq ymm12,ymm14,ymm15",
        "vpunpcklqdq ymm13,ymm14,ymm15", "vpsrlq ymm10,ymm14,26", "vpand ymm11,ymm14,ymm15", "vpaddq ymm12,ymm14,ymm15", ".endr");
    body!(clock, "ChaCha20 8 blocks (512 B): 80 x quarter round on ymm", 1, ".rept 40",
        "vpaddd ymm0,ymm0,ymm4", "vpxor ymm12,ymm12,ymm0", "vpshufb ymm12,ymm12,ymm15",
        "vpaddd ymm1,ymm1,ymm5", "vpxor ymm13,ymm13,ymm1", "vpshufb ymm13,ymm13,ymm15",
        "vpaddd ymm8,ymm8,ymm12", "vpxor ymm4,ymm4,ymm8", "vpslld ymm10,ymm4,12", "vpsrld ymm4,ymm4,20", "vpor ymm4,ymm4,ymm10",
        "vpaddd ymm9,ymm9,ymm13", "vpxor ymm5,ymm5,ymm9", "vpslld ymm11,ymm5,12", "vpsrld ymm5,ymm5,20", "vpor ymm5,ymm5,ymm11",
        "vpaddd ymm0,ymm0,ymm4", "vpxor ymm12,ymm12,ymm0", "vpshufb ymm12,ymm12,ymm14",
        "vpaddd ymm1,ymm1,ymm5", "vpxor ymm13,ymm13,ymm1", "vpshufb ymm13,ymm13,ymm14",
        "vpaddd ymm8,ymm8,ymm12", "vpxor ymm4,ymm4,ymm8", "vpslld ymm10,ymm4,7", "vpsrld ymm4,ymm4,25", "vpor ymm4,ymm4,ymm10",
        "vpaddd ymm9,ymm9,ymm13", "vpxor ymm5,ymm5,ymm9", "vpslld ymm11,ymm5,7", "vpsrld ymm5,ymm5,25", "vpor ymm5,ymm5,ymm11", ".endr");
    body!(clock, "ChaCha20 same, independent operations (issue bound)", 1, ".rept 160",
        "vpaddd ymm0,ymm14,ymm15", "vpxor ymm1,ymm14,ymm15", "vpshufb ymm2,ymm14,ymm15", "vpaddd ymm3,ymm14,ymm15",
        "vpxor ymm4,ymm14,ymm15", "vpslld ymm5,ymm14,12", "vpsrld ymm6,ymm14,20", "vpor ymm7,ymm14,ymm15", ".endr");
    // SHA-512 on 4 lanes, per round: 22 shifts (or shuffles), 23 logic, 10 additions.
    body!(clock, "SHA-512 4 lanes, 80 rounds (512 B), independent operations", 1, ".rept 80",
        ".rept 10", "vpsrlq ymm0,ymm14,14", "vpxor ymm1,ymm14,ymm15", "vpsllq ymm2,ymm14,50", "vpxor ymm3,ymm14,ymm15", "vpaddq ymm4,ymm14,ymm15", ".endr",
        "vpsrlq ymm0,ymm14,14", "vpxor ymm1,ymm14,ymm15", "vpsllq ymm2,ymm14,50", "vpxor ymm3,ymm14,ymm15", "vpand ymm5,ymm14,ymm15", ".endr");
}

/// SHA-256 compressions with SHA-NI for N independent streams, everything unrolled; K and the
/// message come from memory, as in real use.
fn sha256_block(clock: &mut Clock) {
    use std::arch::x86_64::*;

    type W<const N: usize> = [[__m128i; 4]; N];

    #[target_feature(enable = "sha,sse4.1,ssse3")]
    #[inline]
    fn step<const N: usize, const I: usize>(s: &mut [[__m128i; 2]; N], m: &mut W<N>, k: &[__m128i; 16]) {
        let mut t = [_mm_setzero_si128(); N];
        for j in 0..N {
            t[j] = _mm_add_epi32(m[j][I % 4], k[I]);
            s[j][1] = _mm_sha256rnds2_epu32(s[j][1], s[j][0], t[j]);
        }
        if I >= 3 && I < 15 {
            for m in m.iter_mut() {
                let x = _mm_alignr_epi8(m[I % 4], m[(I + 3) % 4], 4);
                m[(I + 1) % 4] = _mm_sha256msg2_epu32(_mm_add_epi32(m[(I + 1) % 4], x), m[I % 4]);
            }
        }
        for j in 0..N {
            s[j][0] = _mm_sha256rnds2_epu32(s[j][0], s[j][1], _mm_shuffle_epi32(t[j], 0x0e));
        }
        if I >= 1 && I < 13 {
            for m in m.iter_mut() {
                m[(I + 3) % 4] = _mm_sha256msg1_epu32(m[(I + 3) % 4], m[I % 4]);
            }
        }
    }

    #[target_feature(enable = "sha,sse4.1,ssse3")]
    #[inline(never)]
    fn blocks<const N: usize>(st: &mut [[__m128i; 2]; N], w: &W<N>, k: &[__m128i; 16], n: u64) {
        let mut s = *st;
        for _ in 0..n {
            let (s0, mut m) = (s, *std::hint::black_box(w));
            {
                step::<N, 0>(&mut s, &mut m, k);
                step::<N, 1>(&mut s, &mut m, k);
                step::<N, 2>(&mut s, &mut m, k);
                step::<N, 3>(&mut s, &mut m, k);
                step::<N, 4>(&mut s, &mut m, k);
                step::<N, 5>(&mut s, &mut m, k);
                step::<N, 6>(&mut s, &mut m, k);
                step::<N, 7>(&mut s, &mut m, k);
                step::<N, 8>(&mut s, &mut m, k);
                step::<N, 9>(&mut s, &mut m, k);
                step::<N, 10>(&mut s, &mut m, k);
                step::<N, 11>(&mut s, &mut m, k);
                step::<N, 12>(&mut s, &mut m, k);
                step::<N, 13>(&mut s, &mut m, k);
                step::<N, 14>(&mut s, &mut m, k);
                step::<N, 15>(&mut s, &mut m, k);
            }
            for j in 0..N {
                s[j][0] = _mm_add_epi32(s[j][0], s0[j][0]);
                s[j][1] = _mm_add_epi32(s[j][1], s0[j][1]);
            }
        }
        *st = s;
    }

    fn run<const N: usize>(clock: &mut Clock) {
        // SAFETY: `main` looked for the instructions.
        unsafe {
            let z = _mm_set1_epi32(0x1234567);
            let c = best(clock, |n| {
                let mut st = [[z; 2]; N];
                blocks::<N>(&mut st, &[[z; 4]; N], std::hint::black_box(&[z; 16]), n);
                std::hint::black_box(st);
            });
            println!(
                "{:<58} {:>8.2} cycles per block, {:.3} c/B",
                format!("SHA-256 compression, {N} interleaved stream(s)"),
                c / N as f64,
                c / N as f64 / 64.0
            );
        }
    }
    run::<1>(clock);
    run::<2>(clock);
    run::<3>(clock);
    run::<4>(clock);
}

/// The operation mix of a two-phase kernel: 4 streams do their rounds with W+K read from memory while the
/// schedules of 4 others are made through memory. Data are nonsense; the dependencies are the real ones.
#[rustfmt::skip]
fn sha256_two_phase(clock: &mut Clock) {
    #[repr(align(64))]
    struct Buf([u8; 16384]);
    let mut buf = Buf([1; 16384]);
    let p = buf.0.as_mut_ptr();
    // SAFETY: `main` looked for the instructions; the memory they touch lies in `buf`.
    let c = best(clock, |n| unsafe {
        asm!(
            "2:",
            ".rept 16",
                "movdqa xmm0,[{b}+1344]", "sha256rnds2 xmm1,xmm2",
                "movdqa xmm13,[{b}+0]", "sha256msg1 xmm13,[{b}+16]", "movdqa xmm15,xmm9", "palignr xmm15,[{b}+32],4",
                "paddd xmm13,xmm15", "sha256msg2 xmm13,xmm9", "movdqa [{b}+64],xmm13", "movdqa xmm9,xmm13", "paddd xmm13,xmm14", "movdqa [{b}+2432],xmm13",
                "movdqa xmm0,[{b}+1616]", "sha256rnds2 xmm3,xmm4",
                "movdqa xmm13,[{b}+336]", "sha256msg1 xmm13,[{b}+352]", "movdqa xmm15,xmm10", "palignr xmm15,[{b}+368],4",
                "paddd xmm13,xmm15", "sha256msg2 xmm13,xmm10", "movdqa [{b}+400],xmm13", "movdqa xmm10,xmm13", "paddd xmm13,xmm14", "movdqa [{b}+2704],xmm13",
                "movdqa xmm0,[{b}+1888]", "sha256rnds2 xmm5,xmm6",
                "movdqa xmm13,[{b}+672]", "sha256msg1 xmm13,[{b}+688]", "movdqa xmm15,xmm11", "palignr xmm15,[{b}+704],4",
                "paddd xmm13,xmm15", "sha256msg2 xmm13,xmm11", "movdqa [{b}+736],xmm13", "movdqa xmm11,xmm13", "paddd xmm13,xmm14", "movdqa [{b}+2976],xmm13",
                "movdqa xmm0,[{b}+2160]", "sha256rnds2 xmm7,xmm8",
                "movdqa xmm13,[{b}+1008]", "sha256msg1 xmm13,[{b}+1024]", "movdqa xmm15,xmm12", "palignr xmm15,[{b}+1040],4",
                "paddd xmm13,xmm15", "sha256msg2 xmm13,xmm12", "movdqa [{b}+1072],xmm13", "movdqa xmm12,xmm13", "paddd xmm13,xmm14", "movdqa [{b}+3248],xmm13",
                "movdqu xmm0,[{b}+1352]", "sha256rnds2 xmm2,xmm1",
                "movdqu xmm0,[{b}+1624]", "sha256rnds2 xmm4,xmm3",
                "movdqu xmm0,[{b}+1896]", "sha256rnds2 xmm6,xmm5",
                "movdqu xmm0,[{b}+2168]", "sha256rnds2 xmm8,xmm7",
                "add {b},16",
            ".endr",
            "sub {b},256", "dec {n}", "jnz 2b",
            n = inout(reg) n => _, b = inout(reg) p => _,
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
            out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
        )
    });
    println!(
        "{:<58} {:>8.2} cycles per block, {:.3} c/B",
        "SHA-256 two-phase mix, 4 rounds + 4 schedules via memory", c / 4.0, c / 256.0
    );
}
