//! AVX-512, and the loops of ChaCha20 and Poly1305: the data flow is the algorithms', so latencies count, too. What is
//! not there is the beginning and the end of a message.

use super::best;
use keylane_benches::clock::Clock;
use std::arch::asm;

/// Cycles per repetition of the lines, with all 32 vectors at hand and `m` the address of 4 KiB.
macro_rules! cycles {
    ($clock:expr, $($line:expr),+ $(,)?) => {{
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma,bmi2")]
        fn turns(n: u64) {
            let mut memory = [0x0123_4567_89ab_cdefu64; 512];
            // SAFETY: `main` looked for the instructions; they touch the registers named below and `memory` alone.
            unsafe {
                asm!(
                    "2: /* {m} */", $($line,)+ "dec {n}", "jnz 2b", "vzeroupper",
                    n = inout(reg) n => _, m = in(reg) memory.as_mut_ptr(),
                    out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _, out("rdi") _, out("r8") _, out("r9") _,
                    out("r10") _, out("r11") _, out("r12") _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                    out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _, out("xmm16") _, out("xmm17") _,
                    out("xmm18") _, out("xmm19") _, out("xmm20") _, out("xmm21") _, out("xmm22") _, out("xmm23") _,
                    out("xmm24") _, out("xmm25") _, out("xmm26") _, out("xmm27") _, out("xmm28") _, out("xmm29") _,
                    out("xmm30") _, out("xmm31") _,
                )
            }
        }
        // SAFETY: `main` looked for the instructions.
        best($clock, |n| unsafe { turns(n) })
    }};
}

/// Twelve independent ones, then a chain.
macro_rules! instruction {
    ($clock:expr, $op:literal, $r:literal, $second:ident, $last:literal) => {{
        let throughput = cycles!($clock, ".rept 10",
            line!($second $op $r "0" $last), line!($second $op $r "1" $last), line!($second $op $r "2" $last),
            line!($second $op $r "3" $last), line!($second $op $r "4" $last), line!($second $op $r "5" $last),
            line!($second $op $r "6" $last), line!($second $op $r "7" $last), line!($second $op $r "8" $last),
            line!($second $op $r "9" $last), line!($second $op $r "10" $last), line!($second $op $r "11" $last),
            ".endr");
        println!("{:<58} {:>8.3}", concat!($op, " ", $r, " throughput"), throughput / 120.0);
        let latency = cycles!($clock, ".rept 100", line!($second $op $r "0" $last), ".endr");
        println!("{:<58} {:>8.3}", concat!($op, " ", $r, " latency"), latency / 100.0);
    }};
}

/// `itself`: the register is changed; `sum`: something that does not depend on it is added to it.
macro_rules! line {
    (itself $op:literal $r:literal $d:literal $last:literal) => {
        concat!($op, " ", $r, $d, ",", $r, $d, ",", $last)
    };
    (sum $op:literal $r:literal $d:literal $last:literal) => {
        concat!($op, " ", $r, $d, ",", $r, "14,", $last)
    };
}

fn kernel(what: &str, bytes: usize, cycles: f64) {
    println!("{what:<58} {cycles:>8.2} cycles, {:.3} c/B", cycles / bytes as f64);
}

/// Whether this CPU has what the loops here need.
pub(super) fn usable() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512ifma")
        && is_x86_feature_detected!("bmi2")
}

pub(super) fn all(clock: &mut Clock) {
    instructions(clock);
    chacha20(clock);
    poly1305(clock);
}

fn instructions(clock: &mut Clock) {
    println!("\n-- one instruction, AVX-512");
    instruction!(clock, "vpmuludq", "xmm", itself, "xmm15");
    instruction!(clock, "vpmuludq", "ymm", itself, "ymm15");
    instruction!(clock, "vpmuludq", "zmm", itself, "zmm15");
    instruction!(clock, "vpmadd52luq", "xmm", sum, "xmm15");
    instruction!(clock, "vpmadd52luq", "ymm", sum, "ymm15");
    instruction!(clock, "vpmadd52luq", "zmm", sum, "zmm15");
    instruction!(clock, "vprold", "xmm", itself, "7");
    instruction!(clock, "vprold", "ymm", itself, "7");
    instruction!(clock, "vprold", "zmm", itself, "7");
    instruction!(clock, "vpaddd", "zmm", itself, "zmm15");
    instruction!(clock, "vpxord", "zmm", itself, "zmm15");
    instruction!(clock, "vpternlogq", "zmm", itself, "zmm15,0xa8");
    instruction!(clock, "vpsrlq", "zmm", itself, "7");
    instruction!(clock, "vpshufb", "zmm", itself, "zmm15");
    instruction!(clock, "vpunpcklqdq", "zmm", itself, "zmm15");
    instruction!(clock, "vaesenc", "zmm", itself, "zmm15");
    instruction!(clock, "vpclmulqdq", "zmm", itself, "zmm15,0");
    let c = cycles!(clock, ".rept 10", "mov rax,r8", "mul r9", "mov rax,r8", "mul r9", ".endr");
    println!("{:<58} {:>8.3}", "mul r64 throughput", c / 20.0);

    println!("\n-- mixes, AVX-512 (cycles per group)");
    let c = cycles!(clock, ".rept 10",
        "vpaddd zmm0,zmm14,zmm15", "vpxord zmm1,zmm14,zmm15", "vprold zmm2,zmm14,7",
        "vpaddd zmm3,zmm14,zmm15", "vpxord zmm4,zmm14,zmm15", "vprold zmm5,zmm14,7", ".endr");
    println!("{:<58} {:>8.3}", "vpaddd + vpxord + vprold zmm", c / 20.0);
    let c = cycles!(clock, ".rept 10",
        "vpaddd ymm0,ymm14,ymm15", "vpxord ymm1,ymm14,ymm15", "vprold ymm2,ymm14,7",
        "vpaddd ymm3,ymm14,ymm15", "vpxord ymm4,ymm14,ymm15", "vprold ymm5,ymm14,7", ".endr");
    println!("{:<58} {:>8.3}", "vpaddd + vpxord + vprold ymm", c / 20.0);
    let c = cycles!(clock, ".rept 10",
        "vpmadd52luq zmm0,zmm14,zmm15", "vpaddq zmm1,zmm14,zmm15",
        "vpmadd52luq zmm2,zmm14,zmm15", "vpaddq zmm3,zmm14,zmm15",
        "vpmadd52luq zmm4,zmm14,zmm15", "vpaddq zmm5,zmm14,zmm15",
        "vpmadd52luq zmm6,zmm14,zmm15", "vpaddq zmm7,zmm14,zmm15",
        "vpmadd52luq zmm8,zmm14,zmm15", "vpaddq zmm9,zmm14,zmm15",
        "vpmadd52luq zmm10,zmm14,zmm15", "vpaddq zmm11,zmm14,zmm15",
        ".endr");
    println!("{:<58} {:>8.3}", "vpmadd52luq + vpaddq zmm", c / 60.0);
    let c = cycles!(clock, ".rept 10", "vpaddd zmm0,zmm14,zmm15", "add r8,r9", "add r10,r9", "add r11,r9", ".endr");
    println!("{:<58} {:>8.3}", "vpaddd zmm + 3 add r64", c / 10.0);
    let c = cycles!(clock, "vzeroupper", ".rept 10", "vpaddd xmm0,xmm1,xmm1", "paddd xmm2,xmm3", ".endr");
    println!("{:<58} {:>8.3}", "VEX xmm + SSE, upper halves clean", c / 10.0);
    let c = cycles!(clock, ".rept 10", "vpaddd ymm0,ymm1,ymm1", "paddd xmm2,xmm3", ".endr");
    println!("{:<58} {:>8.3}", "VEX ymm + SSE, upper halves in use", c / 10.0);
    let c = cycles!(clock, ".rept 10", "vpaddd ymm0,ymm1,ymm1", "vzeroupper", "paddd xmm2,xmm3", ".endr");
    println!("{:<58} {:>8.3}", "VEX ymm + vzeroupper + SSE", c / 10.0);
}

macro_rules! rotate {
    (vprold $r:literal $x:literal $t:literal $left:literal $right:literal) => {
        concat!("vprold ", $r, $x, ",", $r, $x, ",", $left, "\n")
    };
    (vpshufb $r:literal $x:literal $t:literal $left:literal $right:literal) => {
        concat!("vpshufb ", $r, $x, ",", $r, $x, ",", $r, "31\n")
    };
    (shifts $r:literal $x:literal $t:literal $left:literal $right:literal) => {
        concat!(
            "vpslld ", $r, $t, ",", $r, $x, ",", $left, "\n",
            "vpsrld ", $r, $x, ",", $r, $x, ",", $right, "\n",
            "vpord ", $r, $x, ",", $r, $x, ",", $r, $t, "\n"
        )
    };
}

/// Quarter rounds side by side on the state in registers 0 to 15: a, b, c, d, and a register for what is shifted.
macro_rules! quarters {
    ($bytes:ident $bits:ident $r:literal $(($a:literal $b:literal $c:literal $d:literal $t:literal))+) => {
        concat!(
            $("vpaddd ", $r, $a, ",", $r, $a, ",", $r, $b, "\n",)+
            $("vpxord ", $r, $d, ",", $r, $d, ",", $r, $a, "\n",)+
            $(rotate!($bytes $r $d $t "16" "16"),)+
            $("vpaddd ", $r, $c, ",", $r, $c, ",", $r, $d, "\n",)+
            $("vpxord ", $r, $b, ",", $r, $b, ",", $r, $c, "\n",)+
            $(rotate!($bits $r $b $t "12" "20"),)+
            $("vpaddd ", $r, $a, ",", $r, $a, ",", $r, $b, "\n",)+
            $("vpxord ", $r, $d, ",", $r, $d, ",", $r, $a, "\n",)+
            $(rotate!($bytes $r $d $t "8" "24"),)+
            $("vpaddd ", $r, $c, ",", $r, $c, ",", $r, $d, "\n",)+
            $("vpxord ", $r, $b, ",", $r, $b, ",", $r, $c, "\n",)+
            $(rotate!($bits $r $b $t "7" "25"),)+
        )
    };
}

/// A column round and a diagonal round.
macro_rules! double_round {
    ($bytes:ident $bits:ident $r:literal) => {
        concat!(
            quarters!($bytes $bits $r
                ("0" "4" "8" "12" "16") ("1" "5" "9" "13" "17") ("2" "6" "10" "14" "18") ("3" "7" "11" "15" "19")),
            quarters!($bytes $bits $r
                ("0" "5" "10" "15" "16") ("1" "6" "11" "12" "17") ("2" "7" "8" "13" "18") ("3" "4" "9" "14" "19"))
        )
    };
}

/// The same line for each of the 16 words of the state, whose number is `i`.
macro_rules! words {
    ($($part:tt)+) => {
        concat!(
            word!("0" $($part)+), word!("1" $($part)+), word!("2" $($part)+), word!("3" $($part)+),
            word!("4" $($part)+), word!("5" $($part)+), word!("6" $($part)+), word!("7" $($part)+),
            word!("8" $($part)+), word!("9" $($part)+), word!("10" $($part)+), word!("11" $($part)+),
            word!("12" $($part)+), word!("13" $($part)+), word!("14" $($part)+), word!("15" $($part)+)
        )
    };
}
macro_rules! word {
    ($i:literal $($part:tt)+) => { concat!($(part!($i $part),)+ "\n") };
}
macro_rules! part {
    ($i:literal i) => { $i };
    ($i:literal $text:literal) => { $text };
}

/// The first state: the rounds of one group of blocks do not wait for those of the group before.
macro_rules! begin {
    ($r:literal) => {
        words!("vmovdqa64 " $r i "," $r "30")
    };
}

/// What stands around the rounds: the state's words are added, transposed to blocks, and combined with the text.
macro_rules! around {
    ($r:literal $shuffles:literal) => {
        concat!(
            words!("vpaddd " $r i "," $r i "," $r "30"),
            ".rept ", $shuffles, "\n",
            words!("vpunpckldq " $r i "," $r i "," $r "29"),
            ".endr\n",
            words!("vpxord " $r i "," $r i ",[{m}+64*" i "]"),
            words!("vmovdqu64 [{m}+2048+64*" i "]," $r i)
        )
    };
}

fn chacha20(clock: &mut Clock) {
    println!("\n-- ChaCha20: ten double rounds; the whole: and the state added, transposed, combined with the text");
    let c = cycles!(clock, ".rept 10", double_round!(vprold vprold "zmm"), ".endr");
    kernel("16 blocks, zmm", 1024, c);
    let c = cycles!(clock, begin!("zmm"), ".rept 10", double_round!(vprold vprold "zmm"), ".endr", around!("zmm" "4"));
    kernel("16 blocks, zmm, the whole", 1024, c);
    let c = cycles!(clock, ".rept 10", double_round!(vprold vprold "ymm"), ".endr");
    kernel("8 blocks, ymm with vprold", 512, c);
    let c = cycles!(clock, begin!("ymm"), ".rept 10", double_round!(vprold vprold "ymm"), ".endr", around!("ymm" "3"));
    kernel("8 blocks, ymm with vprold, the whole", 512, c);
    let c = cycles!(clock, ".rept 10", double_round!(vpshufb shifts "ymm"), ".endr");
    kernel("8 blocks, ymm without vprold", 512, c);
    let c = cycles!(clock, begin!("ymm"), ".rept 10", double_round!(vpshufb shifts "ymm"), ".endr", around!("ymm" "3"));
    kernel("8 blocks, ymm without vprold, the whole", 512, c);
    let c = cycles!(clock, ".rept 10", double_round!(vprold vprold "xmm"), ".endr");
    kernel("4 blocks, xmm with vprold", 256, c);
}

/// The product of one limb with a number modulo 2^130 - 5 is added to the sums, from limbs of 44 bits.
macro_rules! ifma {
    ($x:literal: $r0:literal $r1:literal $r2:literal) => {
        concat!(
            "vpmadd52luq zmm8,zmm", $x, ",zmm", $r0, "\n", "vpmadd52huq zmm11,zmm", $x, ",zmm", $r0, "\n",
            "vpmadd52luq zmm9,zmm", $x, ",zmm", $r1, "\n", "vpmadd52huq zmm12,zmm", $x, ",zmm", $r1, "\n",
            "vpmadd52luq zmm10,zmm", $x, ",zmm", $r2, "\n", "vpmadd52huq zmm13,zmm", $x, ",zmm", $r2, "\n"
        )
    };
}

/// Three limbs of eight blocks. 14 and 15 are masks of 44 and 42 bits, 20 is 2^128.
macro_rules! ifma_blocks {
    ($at:literal: $x0:literal $x1:literal $x2:literal) => {
        concat!(
            "vmovdqu64 zmm18,[{m}+", $at, "]\n",
            "vpunpcklqdq zmm16,zmm18,[{m}+", $at, "+64]\n", "vpunpckhqdq zmm17,zmm18,[{m}+", $at, "+64]\n",
            "vpandq zmm", $x0, ",zmm16,zmm14\n",
            "vpsrlq zmm", $x1, ",zmm16,44\n", "vpsllq zmm19,zmm17,20\n", "vpternlogq zmm", $x1, ",zmm19,zmm14,0xa8\n",
            "vpsrlq zmm", $x2, ",zmm17,24\n", "vporq zmm", $x2, ",zmm", $x2, ",zmm20\n"
        )
    };
}

/// The blocks in 26 to 28 are added to the accumulator in 0 to 2.
macro_rules! ifma_add {
    () => { "vpaddq zmm0,zmm0,zmm26\nvpaddq zmm1,zmm1,zmm27\nvpaddq zmm2,zmm2,zmm28\n" };
}

macro_rules! ifma_clear {
    () => {
        "vpxor xmm8,xmm8,xmm8\nvpxor xmm9,xmm9,xmm9\nvpxor xmm10,xmm10,xmm10\n\
         vpxor xmm11,xmm11,xmm11\nvpxor xmm12,xmm12,xmm12\nvpxor xmm13,xmm13,xmm13\n"
    };
}

/// The sums become limbs again.
macro_rules! ifma_carry {
    () => {
        "vpsllq zmm11,zmm11,8\nvpsrlq zmm18,zmm8,44\nvpandq zmm0,zmm8,zmm14\n\
         vpaddq zmm9,zmm9,zmm11\nvpaddq zmm9,zmm9,zmm18\n\
         vpsllq zmm12,zmm12,8\nvpsrlq zmm18,zmm9,44\nvpandq zmm1,zmm9,zmm14\n\
         vpaddq zmm10,zmm10,zmm12\nvpaddq zmm10,zmm10,zmm18\n\
         vpsllq zmm13,zmm13,10\nvpsrlq zmm18,zmm10,42\nvpandq zmm2,zmm10,zmm15\nvpaddq zmm18,zmm18,zmm13\n\
         vpaddq zmm0,zmm0,zmm18\nvpsllq zmm18,zmm18,2\nvpaddq zmm0,zmm0,zmm18\n\
         vpsrlq zmm18,zmm0,44\nvpandq zmm0,zmm0,zmm14\nvpaddq zmm1,zmm1,zmm18\n"
    };
}

/// The product of one limb with a number in memory, from limbs of 26 bits, is added to the sums in 5 to 9.
macro_rules! muludq {
    (first $r:literal $x:literal: $($sum:literal $at:literal)+) => {
        concat!($("vpmuludq ", $r, $sum, ",", $r, $x, ",[{m}+2048+64*", $at, "]\n",)+)
    };
    (then $r:literal $x:literal: $($sum:literal $at:literal)+) => {
        concat!($(
            "vpmuludq ", $r, "10,", $r, $x, ",[{m}+2048+64*", $at, "]\n",
            "vpaddq ", $r, $sum, ",", $r, $sum, ",", $r, "10\n",
        )+)
    };
}

/// The halves of blocks in 12 and 13, the lower ones first.
macro_rules! muludq_halves {
    ($r:literal $at:literal $next:literal) => {
        concat!(
            "vmovdqu64 ", $r, "14,[{m}+", $at, "]\n",
            "vpunpcklqdq ", $r, "12,", $r, "14,[{m}+", $at, "+", $next, "]\n",
            "vpunpckhqdq ", $r, "13,", $r, "14,[{m}+", $at, "+", $next, "]\n"
        )
    };
}

/// A limb of the blocks: 11 is a mask of 26 bits, 15 is 2^128.
macro_rules! muludq_limb {
    ($r:literal "0" $x:literal) => { concat!("vpandq ", $r, $x, ",", $r, "12,", $r, "11\n") };
    ($r:literal "1" $x:literal) => {
        concat!("vpsrlq ", $r, $x, ",", $r, "12,26\n", "vpandq ", $r, $x, ",", $r, $x, ",", $r, "11\n")
    };
    (avx2 $r:literal "2" $x:literal) => {
        concat!(
            "vpsrlq ", $r, $x, ",", $r, "12,52\n", "vpsllq ", $r, "12,", $r, "13,12\n",
            "vporq ", $r, $x, ",", $r, $x, ",", $r, "12\n", "vpandq ", $r, $x, ",", $r, $x, ",", $r, "11\n"
        )
    };
    (avx512 $r:literal "2" $x:literal) => {
        concat!(
            "vpsrlq ", $r, $x, ",", $r, "12,52\n", "vpsllq ", $r, "12,", $r, "13,12\n",
            "vpternlogq ", $r, $x, ",", $r, "12,", $r, "11,0xa8\n"
        )
    };
    ($r:literal "3" $x:literal) => {
        concat!("vpsrlq ", $r, $x, ",", $r, "13,14\n", "vpandq ", $r, $x, ",", $r, $x, ",", $r, "11\n")
    };
    ($r:literal "4" $x:literal) => {
        concat!("vpsrlq ", $r, $x, ",", $r, "13,40\n", "vporq ", $r, $x, ",", $r, $x, ",", $r, "15\n")
    };
}

/// The blocks in 12 and 13 are added to the accumulator in 0 to 4.
macro_rules! muludq_add {
    ($set:ident $r:literal) => {
        concat!(
            muludq_limb!($r "0" "14"), "vpaddq ", $r, "0,", $r, "0,", $r, "14\n",
            muludq_limb!($r "1" "14"), "vpaddq ", $r, "1,", $r, "1,", $r, "14\n",
            muludq_limb!($set $r "2" "14"), "vpaddq ", $r, "2,", $r, "2,", $r, "14\n",
            muludq_limb!($r "3" "14"), "vpaddq ", $r, "3,", $r, "3,", $r, "14\n",
            muludq_limb!($r "4" "14"), "vpaddq ", $r, "4,", $r, "4,", $r, "14\n"
        )
    };
}

/// The accumulator times r^N.
macro_rules! muludq_product {
    ($r:literal) => {
        concat!(
            muludq!(first $r "0": "5" "0" "6" "1" "7" "2" "8" "3" "9" "4"),
            muludq!(then $r "1": "5" "8" "6" "0" "7" "1" "8" "2" "9" "3"),
            muludq!(then $r "2": "5" "7" "6" "8" "7" "0" "8" "1" "9" "2"),
            muludq!(then $r "3": "5" "6" "6" "7" "7" "8" "8" "0" "9" "1"),
            muludq!(then $r "4": "5" "5" "6" "6" "7" "7" "8" "8" "9" "0")
        )
    };
}

/// The blocks in 12 and 13 times another power, added to the sums.
macro_rules! muludq_blocks {
    ($set:ident $r:literal) => {
        concat!(
            muludq_limb!($r "0" "14"), muludq!(then $r "14": "5" "9" "6" "10" "7" "11" "8" "12" "9" "13"),
            muludq_limb!($r "1" "14"), muludq!(then $r "14": "5" "17" "6" "9" "7" "10" "8" "11" "9" "12"),
            muludq_limb!($set $r "2" "14"), muludq!(then $r "14": "5" "16" "6" "17" "7" "9" "8" "10" "9" "11"),
            muludq_limb!($r "3" "14"), muludq!(then $r "14": "5" "15" "6" "16" "7" "17" "8" "9" "9" "10"),
            muludq_limb!($r "4" "14"), muludq!(then $r "14": "5" "14" "6" "15" "7" "16" "8" "17" "9" "9")
        )
    };
}

/// What is above 26 bits of one sum is added to another.
macro_rules! muludq_carry {
    ($r:literal $($from:literal $limb:literal $to:literal)+) => {
        concat!($(
            "vpsrlq ", $r, "10,", $r, $from, ",26\n", "vpandq ", $r, $limb, ",", $r, $from, ",", $r, "11\n",
            "vpaddq ", $r, $to, ",", $r, $to, ",", $r, "10\n",
        )+)
    };
}

/// The sums in 5 to 9 become limbs in 0 to 4 again.
macro_rules! muludq_reduce {
    ($r:literal) => {
        concat!(
            muludq_carry!($r "8" "3" "9" "5" "0" "6"),
            // 2^130 is 5.
            "vpsrlq ", $r, "10,", $r, "9,26\n", "vpandq ", $r, "4,", $r, "9,", $r, "11\n",
            "vpaddq ", $r, "0,", $r, "0,", $r, "10\n", "vpsllq ", $r, "10,", $r, "10,2\n",
            "vpaddq ", $r, "0,", $r, "0,", $r, "10\n",
            muludq_carry!($r "6" "1" "7" "0" "0" "1" "7" "2" "3" "3" "3" "4")
        )
    };
}

fn poly1305(clock: &mut Clock) {
    println!("\n-- Poly1305: blocks from memory, the accumulator from step to step");
    let c = cycles!(clock, ".rept 16",
        "add r8,[{m}]", "adc r9,[{m}+8]", "adc r10,1",
        "mov rdx,r8", "mulx rcx,rax,[{m}+2048]", "mulx rdi,rsi,[{m}+2056]",
        "mov rdx,r9", "mulx r12,r11,[{m}+2064]", "add rax,r11", "adc rcx,r12",
        "mulx r12,r11,[{m}+2048]", "add rsi,r11", "adc rdi,r12",
        "mov r11,r10", "imul r11,[{m}+2064]", "imul r10,[{m}+2048]", "add rsi,r11", "adc rdi,0",
        "add rsi,rcx", "adc r10,rdi",
        "mov r11,r10", "mov rcx,r10", "shr r11,2", "and rcx,-4", "add r11,rcx", "and r10,3",
        "mov r8,rax", "mov r9,rsi", "add r8,r11", "adc r9,0", "adc r10,0", ".endr");
    kernel("limbs of 64 bits, a block a step", 16, c / 16.0);
    for_ymm(clock);
    let c = cycles!(clock, ".rept 4", muludq_halves!("zmm" "0" "64"), muludq_add!(avx512 "zmm"), muludq_product!("zmm"),
        muludq_reduce!("zmm"), ".endr");
    kernel("vpmuludq zmm, 8 blocks a step", 128, c / 4.0);
    let c = cycles!(clock, ".rept 2", muludq_halves!("zmm" "0" "64"), muludq_add!(avx512 "zmm"), muludq_product!("zmm"),
        muludq_halves!("zmm" "128" "64"), muludq_blocks!(avx512 "zmm"), muludq_reduce!("zmm"), ".endr");
    kernel("vpmuludq zmm, 16 blocks a step", 256, c / 2.0);
    for_ifma(clock);
}

fn for_ymm(clock: &mut Clock) {
    let c = cycles!(clock, ".rept 4", muludq_halves!("ymm" "0" "32"), muludq_add!(avx2 "ymm"), muludq_product!("ymm"),
        muludq_reduce!("ymm"), ".endr");
    kernel("vpmuludq ymm, 4 blocks a step", 64, c / 4.0);
    let c = cycles!(clock, ".rept 2", muludq_halves!("ymm" "0" "32"), muludq_add!(avx2 "ymm"), muludq_product!("ymm"),
        muludq_halves!("ymm" "128" "32"), muludq_blocks!(avx2 "ymm"), muludq_reduce!("ymm"), ".endr");
    kernel("vpmuludq ymm, 8 blocks a step", 128, c / 2.0);
}

fn for_ifma(clock: &mut Clock) {
    let c = cycles!(clock, ".rept 4", ifma_blocks!("0": "26" "27" "28"), ifma_add!(), ifma_clear!(),
        ifma!("0": "3" "4" "5"), ifma!("1": "7" "3" "4"), ifma!("2": "6" "7" "3"), ifma_carry!(), ".endr");
    kernel("IFMA zmm, 8 blocks a step", 128, c / 4.0);
    let c = cycles!(clock, ".rept 2", ifma_blocks!("0": "26" "27" "28"), ifma_add!(), ifma_clear!(),
        ifma!("0": "3" "4" "5"), ifma!("1": "7" "3" "4"), ifma!("2": "6" "7" "3"),
        ifma_blocks!("128": "26" "27" "28"),
        ifma!("26": "21" "22" "23"), ifma!("27": "25" "21" "22"), ifma!("28": "24" "25" "21"), ifma_carry!(), ".endr");
    kernel("IFMA zmm, 16 blocks a step", 256, c / 2.0);
    let c = cycles!(clock, ".rept 2", ifma_blocks!("0": "26" "27" "28"), ifma_add!(), ifma_clear!(),
        ifma!("0": "3" "4" "5"), ifma!("1": "7" "3" "4"), ifma!("2": "6" "7" "3"),
        ifma_blocks!("128": "26" "27" "28"),
        ifma!("26": "21" "22" "23"), ifma!("27": "25" "21" "22"), ifma!("28": "24" "25" "21"),
        ifma_blocks!("256": "26" "27" "28"),
        ifma!("26": "21" "22" "23"), ifma!("27": "25" "21" "22"), ifma!("28": "24" "25" "21"),
        ifma_blocks!("384": "26" "27" "28"),
        ifma!("26": "21" "22" "23"), ifma!("27": "25" "21" "22"), ifma!("28": "24" "25" "21"), ifma_carry!(), ".endr");
    kernel("IFMA zmm, 32 blocks a step", 512, c / 2.0);
}
