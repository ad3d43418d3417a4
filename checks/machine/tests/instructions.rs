//! Checks that instructions' operands, masks and flags are handled like on the CPU, or refused.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use keylane_machine::{Machine, Part, Values};
use keylane_terms::field::Field;
use keylane_terms::words::Words;
use std::panic::catch_unwind;

/// RSI's lower half, a mask of element 1, and its upper half.
const NUMBER: u64 = 5 << 32 | 2;

/// Returns what a program stores where RDI points to, if the machine goes on to the return and it is known.
fn stored(program: &'static [u8]) -> Option<u64> {
    let place = [0; 8];
    let known = catch_unwind(|| {
        let mut words = Words::new(4);
        let mut machine = Machine::new(&mut words);
        machine.call(program.as_ptr() as u64, &[place.as_ptr() as u64, NUMBER, 3]);
        let stored = machine.bytes(&place);
        stored.iter().rev().try_fold(0, |value, &byte| Some(value << 8 | u64::from(words.known(byte)?)))
    });
    known.ok().flatten()
}

#[test]
fn masks_select_elements_of_the_result() {
    // movq xmm0, rsi; kmovd k1, esi; vpunpcklqdq xmm0{k1}{z}, xmm0, xmm1; vmovq [rdi], xmm0; ret
    let quads = stored(b"\x66\x48\x0f\x6e\xc6\xc5\xfb\x92\xce\x62\xf1\xfd\x89\x6c\xc1\xc5\xf9\xd6\x07\xc3");
    assert_eq!(quads, Some(0));
    // mov [rdi], rsi; kmovd k1, esi; vpshufd xmm0{k1}{z}, [rdi], 0; vmovq [rdi], xmm0; ret
    let moved = stored(b"\x48\x89\x37\xc5\xfb\x92\xce\x62\xf1\x7d\x89\x70\x07\x00\xc5\xf9\xd6\x07\xc3");
    assert_eq!(moved, Some(2 << 32));
}

#[test]
fn what_is_not_defined_is_not_known() {
    // mov [rdi], rax; ret
    assert_eq!(stored(b"\x48\x89\x07\xc3"), None);
    // kmovq rax, k1; mov [rdi], rax; ret
    assert_eq!(stored(b"\xc4\xe1\xfb\x93\xc1\x48\x89\x07\xc3"), None);
}

#[test]
fn other_forms_and_flags_are_refused() {
    // A shift by a register: movq xmm0, rsi; movq xmm1, rdx; psrld xmm0, xmm1; movq [rdi], xmm0; ret
    let shifted = stored(b"\x66\x48\x0f\x6e\xc6\x66\x48\x0f\x6e\xca\x66\x0f\xd2\xc1\x66\x0f\xd6\x07\xc3");
    assert_eq!(shifted, None);
    // A rotation leaves the zero flag: mov eax, 0; cmp eax, eax; ror rsi, 4; sete al; mov [rdi], rax; ret
    let rotated = stored(b"\xb8\0\0\0\0\x39\xc0\x48\xc1\xce\x04\x0f\x94\xc0\x48\x89\x07\xc3");
    assert_eq!(rotated, None);
    // What leaves is not known, though the rest is: movzx eax, bl; shr eax, 8; setc [rdi]; ret
    assert_eq!(stored(b"\x0f\xb6\xc3\xc1\xe8\x08\x0f\x92\x07\xc3"), None);
    // INC leaves the carry: mov eax, 0; inc eax; adc eax, 0; mov [rdi], rax; ret
    let carried = stored(b"\xb8\0\0\0\0\xff\xc0\x83\xd0\x00\x48\x89\x07\xc3");
    assert_eq!(carried, None);
}

/// A register that was not set is no byte of a text.
#[test]
fn what_is_not_known_is_no_input() {
    let (place, mut field) = ([0; 8], Field::default());
    // mov [rdi], rax; ret
    let mut machine = Machine::new(&mut field);
    machine.call(b"\x48\x89\x07\xc3".as_ptr() as u64, &[place.as_ptr() as u64]);
    let stored = machine.bytes(&place);
    for number in 0..10_000 {
        assert!(!stored.contains(&Part::Byte(field.bytes.input(number, 0))), "input {number}");
    }
}
