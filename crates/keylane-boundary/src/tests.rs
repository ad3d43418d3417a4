//! The rules of the boundary, called as C would call.

use super::*;
use std::array::from_fn;

/// The start of some memory, and how much of it.
type Part = (usize, usize);

/// All parts of eight bytes.
fn parts() -> impl Iterator<Item = Part> {
    (0..=8).flat_map(|start| (0..=8 - start).map(move |len| (start, len)))
}

/// Whether the parts have a byte in common.
fn share((a, a_len): Part, (b, b_len): Part) -> bool {
    (a..a + a_len).any(|byte| (b..b + b_len).contains(&byte))
}

fn input(memory: *mut [u8; 8], (start, len): Part) -> (Input, usize) {
    (Input(memory.cast_const().cast::<u8>().wrapping_add(start)), len)
}

fn output(memory: *mut [u8; 8], (start, len): Part) -> (Output, usize) {
    (Output(memory.cast::<u8>().wrapping_add(start)), len)
}

fn code<T>(result: Result<T, Failure>) -> c_int {
    result.map_or_else(|Failure(code)| code, |_| 0)
}

/// Every pair of parts, in either order: what is written shares no byte with what is read or written besides.
#[test]
fn overlap_is_refused_by_any_byte() {
    let memory = &raw mut *Box::new([0; 8]);
    let mut refused = 0;
    for a in parts() {
        for b in parts() {
            let expected = if share(a, b) { KEYLANE_ERROR_OVERLAP } else { 0 };
            let ((a_in, a_len), (a_out, _)) = (input(memory, a), output(memory, a));
            let ((b_in, b_len), (b_out, _)) = (input(memory, b), output(memory, b));

            let call = Call::new();
            call.input(a_in, a_len).unwrap();
            assert_eq!(code(call.output(b_out, b_len)), expected, "{a:?} read, {b:?} written");

            let call = Call::new();
            call.output(a_out, a_len).unwrap();
            assert_eq!(code(call.input(b_in, b_len)), expected, "{a:?} written, {b:?} read");

            let call = Call::new();
            call.output(a_out, a_len).unwrap();
            assert_eq!(code(call.output(b_out, b_len)), expected, "{a:?} and {b:?} written");

            let call = Call::new();
            call.output(a_out, a_len).unwrap();
            assert_eq!(code(call.result(b_out, b_len)), expected, "{a:?} written, {b:?} at the end");

            let call = Call::new();
            call.input(a_in, a_len).unwrap();
            assert_eq!(code(call.input(b_in, b_len)), 0, "{a:?} and {b:?} read");

            // Where both begin at one address they are one buffer.
            let in_place = a.0 == b.0;
            let expected = if in_place { 0 } else { expected };
            let call = Call::new();
            call.input(a_in, a_len).unwrap();
            assert_eq!(code(call.result(b_out, b_len)), expected, "{a:?} read, {b:?} at the end");

            let call = Call::new();
            let text = call.text((a_in, a_len), (b_out, b_len));
            match &text {
                Ok(Text::InPlace(buffer)) => assert!(in_place && buffer.len() == a_len.max(b_len)),
                Ok(Text::Apart(input, output)) => assert_eq!((input.len(), output.len()), (a_len, b_len)),
                Err(_) => refused += 1,
            }
            assert_eq!(code(text), expected, "{a:?} to {b:?}");
        }
    }
    assert!(refused > 100, "{refused} pairs were refused");
}

/// A list and its elements' bytes are inputs, whether the list is the first or the last argument.
#[test]
fn lists_overlap_by_their_elements_and_by_themselves() {
    let memory = &raw mut *Box::new([0; 8]);
    for a in parts() {
        for b in parts() {
            let (element, other) = (input(memory, a), output(memory, b));
            let list = [(Input(ptr::null()), 0), element, (Input(ptr::null()), 0)];
            let list = list.map(|(Input(data), len)| keylane_bytes { data, len });
            let expected = if share(a, b) { KEYLANE_ERROR_OVERLAP } else { 0 };

            let call = Call::new();
            call.list(List(list.as_ptr()), 3).unwrap();
            assert_eq!(code(call.output(other.0, other.1)), expected, "{a:?} listed, {b:?} written");

            let call = Call::new();
            call.output(other.0, other.1).unwrap();
            assert_eq!(
                code(call.list(List(list.as_ptr()), 3)),
                expected,
                "{a:?} listed, {b:?} written before"
            );

            let call = Call::new();
            call.list(List(list.as_ptr()), 3).unwrap();
            assert_eq!(code(call.list(List(list.as_ptr()), 3)), 0, "read twice");
        }
    }
    let mut list = [keylane_bytes { data: ptr::null(), len: 0 }; 2];
    let pointer = list.as_mut_ptr();
    let last_byte = Output(pointer.cast::<u8>().wrapping_add(size_of_val(&list) - 1));
    let call = Call::new();
    call.list(List(pointer), 2).unwrap();
    assert_eq!(code(call.output(last_byte, 1)), KEYLANE_ERROR_OVERLAP);
    assert_eq!(code(call.output(Output(last_byte.0.wrapping_add(1)), 1)), 0, "after the list");
}

#[test]
fn a_list_gives_its_elements_in_groups() {
    let bytes: [u8; 150] = from_fn(|i| i as u8);
    let list: [_; 150] = from_fn(|i| keylane_bytes { data: bytes[i..].as_ptr(), len: 150 - i });
    let call = Call::new();
    let slices = call.list(List(list.as_ptr()), list.len()).unwrap();
    let mut seen = 0;
    while seen < slices.count() {
        let (group, len) = slices.group(seen);
        assert!(len == GROUP || seen + len == 150);
        for slice in &group[..len] {
            assert_eq!(*slice, &bytes[seen..]);
            seen += 1;
        }
        assert!(group[len..].iter().all(|slice| slice.is_empty()));
    }
    assert_eq!(slices.count(), 150);
    assert_eq!(slices.total_len(), 150 * 151 / 2);
}

/// Whatever an address or a length of this machine can count.
#[test]
fn the_lengths_of_a_list_are_added_without_overflow() {
    // From a low address, such lengths end inside the address space of 32 bits as well.
    let list = [keylane_bytes { data: ptr::without_provenance(1), len: isize::MAX as usize }; 5];
    let call = Call::new();
    let slices = call.list(List(list.as_ptr()), 5).unwrap();
    assert_eq!(slices.total_len(), 5 * isize::MAX as u128);
}

#[test]
fn a_name_ends_before_its_zero_byte() {
    let memory = [c"sha256".to_bytes_with_nul(), b"more"].concat();
    let call = Call::new();
    assert_eq!(call.name(Name(memory.as_ptr().cast())), Ok(c"sha256"));
    let output = |at: usize| Output(memory.as_ptr().cast_mut().wrapping_add(at));
    assert_eq!(code(call.output(output(6), 1)), KEYLANE_ERROR_OVERLAP);
    assert_eq!(code(call.result(output(7), 1)), 0);
}

#[test]
fn null_is_for_nothing_only() {
    let call = Call::new();
    assert_eq!(code(call.name(Name(ptr::null()))), KEYLANE_ERROR_NULL);
    assert_eq!(call.input(Input(ptr::null()), 0), Ok(&[][..]));
    assert_eq!(call.output(Output(ptr::null_mut()), 0), Ok(&mut [][..]));
    assert_eq!(call.list(List(ptr::null()), 0).map(|list| list.count()), Ok(0));
    assert_eq!(code(call.input(Input(ptr::null()), 1)), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.output(Output(ptr::null_mut()), 1)), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.array(Array::<4>(ptr::null()))), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.result_array(OutArray::<4>(ptr::null_mut()))), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.list(List(ptr::null()), 1)), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.place(Mut::<Struct>(ptr::null_mut()))), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.with(Ref::<Struct>(ptr::null()), |_| Ok(()))), KEYLANE_ERROR_NULL);
    let list = [keylane_bytes { data: ptr::null(), len: 1 }];
    assert_eq!(code(call.list(List(list.as_ptr()), 1)), KEYLANE_ERROR_NULL);
    wipe_struct(Mut::<Struct>(ptr::null_mut()));
}

#[test]
fn lengths_beyond_memory_are_refused() {
    let byte = [0];
    let call = Call::new();
    for len in [usize::MAX, isize::MAX as usize + 1, isize::MAX as usize] {
        let high = Input(ptr::without_provenance(usize::MAX - len / 2));
        assert_eq!(code(call.input(high, len)), KEYLANE_ERROR_INPUT_TOO_LONG);
    }
    assert_eq!(code(call.input(Input(byte.as_ptr()), usize::MAX)), KEYLANE_ERROR_INPUT_TOO_LONG);
    let list = [keylane_bytes { data: byte.as_ptr(), len: usize::MAX }];
    assert_eq!(code(call.list(List(list.as_ptr()), 1)), KEYLANE_ERROR_INPUT_TOO_LONG);
    assert_eq!(code(call.list(List(list.as_ptr()), usize::MAX / 8)), KEYLANE_ERROR_INPUT_TOO_LONG);
}

/// A value with an alignment, as an AES-GCM key has.
#[derive(Clone, Debug, PartialEq)]
#[repr(align(32))]
struct Value([u64; 5]);

#[repr(C, align(32))]
struct Struct([u8; 128]);

impl Opaque for Struct {
    type Value = Value;
    const MARK: [u8; 8] = *b"a struct";
}

struct Other(#[expect(dead_code, reason = "the room for a value")] [u8; 128]);

impl Opaque for Other {
    type Value = Value;
    const MARK: [u8; 8] = *b"another!";
}

#[test]
fn a_struct_works_at_any_address() {
    #[repr(align(64))]
    struct Memory([u8; 256]);
    for offset in 0..64 {
        let mut memory = Memory([0xa5; 256]);
        let start = memory.0.as_mut_ptr().wrapping_add(offset);
        let place = Mut::<Struct>(start.cast());
        let read = || Ref::<Struct>(start.cast());
        Call::new().place(place).unwrap().put(&Value([1, 2, 3, 4, 5]));
        let seen = Call::new().with(read(), |value| {
            assert!(ptr::from_ref(value).is_aligned());
            Ok(value.clone())
        });
        assert_eq!(seen, Ok(Value([1, 2, 3, 4, 5])), "at {offset}");
        let changed = Call::new().with_mut(place, |value| {
            value.0[4] = 6;
            Err::<(), _>(Failure(-7))
        });
        assert_eq!(changed, Err(Failure(-7)));
        assert_eq!(code(Call::new().finish(place, |_| Err::<(), _>(Failure(-8)))), -8);
        assert_eq!(Call::new().finish(place, |value| Ok(value.0)), Ok([1, 2, 3, 4, 6]), "at {offset}");
        assert_eq!(code(Call::new().with(read(), |_| Ok(()))), KEYLANE_ERROR_UNINITIALISED);
        let wiped = offset..offset + size_of::<Struct>();
        for (i, byte) in memory.0.iter().enumerate() {
            assert_eq!(*byte, if wiped.contains(&i) { 0 } else { 0xa5 }, "byte {i} at {offset}");
        }
    }
}

/// Each at its own address, aligned or not, and any of them repeatedly.
#[test]
fn structs_of_a_list_are_values() {
    let mut memory = [const { Struct([0; 128]) }; 4];
    let start = memory.as_mut_ptr().cast::<u8>();
    let places: [*mut Struct; 2] = [start.cast(), start.wrapping_add(129).cast()];
    let list: [*const Struct; 70] = from_fn(|i| places[i % 2].cast_const());
    let structs = |call: &Call, list: &[*const Struct]| {
        let structs = call.structs(RefList(list.as_ptr()), list.len())?;
        let values = |start| {
            let mut all = Vec::new();
            let collect = &mut |values: &[&Value]| {
                all.extend(values.iter().map(|value| value.0[0]));
                Ok(())
            };
            structs.group(start, collect).unwrap();
            all
        };
        Ok((0..list.len()).step_by(GROUP).flat_map(|start| -> Vec<u64> { values(start) }).collect::<Vec<_>>())
    };
    Call::new().place(Mut(places[0])).unwrap().put(&Value([1; 5]));
    assert_eq!(structs(&Call::new(), &list), Err(Failure(KEYLANE_ERROR_UNINITIALISED)));
    Call::new().place(Mut(places[1])).unwrap().put(&Value([2; 5]));
    assert_eq!(structs(&Call::new(), &list), Ok((0..70).map(|i| 1 + i % 2).collect()));
    assert_eq!(structs(&Call::new(), &[]), Ok(vec![]));
    assert_eq!(structs(&Call::new(), &[places[0], ptr::null()]), Err(Failure(KEYLANE_ERROR_NULL)));
    let call = Call::new();
    structs(&call, &list).unwrap();
    assert_eq!(code(call.output(Output(start.wrapping_add(257)), 100)), 0, "after both");
    for (offset, len) in [(0, 1), (127, 1), (127, 9), (256, 1)] {
        let refused = call.output(Output(start.wrapping_add(offset)), len);
        assert_eq!(code(refused), KEYLANE_ERROR_OVERLAP, "{len} bytes at {offset}");
    }
    assert_eq!(code(call.output(Output(list.as_ptr().cast_mut().cast()), 8)), KEYLANE_ERROR_OVERLAP);
}

/// Only what `put` wrote for this struct is taken for a value.
#[test]
fn a_struct_holds_a_value_only_with_its_mark() {
    for byte in [0, 1, 0xa5, 0xff] {
        let mut memory = Struct([byte; 128]);
        assert_eq!(code(Call::new().with_mut(Mut(&raw mut memory), |_| Ok(()))), KEYLANE_ERROR_UNINITIALISED);
    }
    let mut memory = Struct([0; 128]);
    Call::new().place(Mut(&raw mut memory)).unwrap().put(&Value([7; 5]));
    let other = Ref::<Other>((&raw const memory).cast());
    assert_eq!(code(Call::new().with(other, |_| Ok(()))), KEYLANE_ERROR_UNINITIALISED);
    let copy = Struct(memory.0);
    wipe_struct(Mut(&raw mut memory));
    assert_eq!(memory.0, [0; 128]);
    assert_eq!(
        Call::new().with(Ref(&raw const copy), |value| Ok(value.0[0])),
        Ok(7),
        "a copy is a value, too"
    );
}

#[test]
fn a_result_is_written_at_the_end_if_all_went_well() {
    let mut tag = [9_u8; 16];
    let pointer = OutArray(&raw mut tag);
    assert_eq!(call(|call| call.result_array(pointer)?.set(&[1; 15])), KEYLANE_ERROR_WRONG_LENGTH);
    let failed = call(|call| {
        call.result_array(pointer)?.set(&[1; 16])?;
        Err(Failure(-9))
    });
    assert_eq!((failed, tag), (-9, [9; 16]));
    assert_eq!(call(|call| call.result_array(pointer)?.set(&[1; 16])), 0);
    assert_eq!(tag, [1; 16]);
}

#[test]
fn a_panic_becomes_an_error() {
    let mut tag = [9_u8; 16];
    let pointer = OutArray(&raw mut tag);
    let result = call(|call| {
        call.result_array(pointer)?.set(&[1; 16])?;
        panic!("a test panics");
    });
    assert_eq!((result, tag), (KEYLANE_ERROR_INTERNAL, [9; 16]));
}

/// Random messages in little memory, and one argument more: the rule is that of their bytes.
#[test]
fn messages_overlap_by_any_byte_that_is_written() {
    let mut state = 1_u64;
    let mut below = |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    };
    let memory = &raw mut *Box::new([0_u8; 300]);
    let mut seen = [[0; 2]; 2];
    for _ in 0..20_000 {
        let count = below(5);
        let in_order = below(2) == 0;
        // Ranges in the memory: nonce, additional data, text and tag of each.
        let parts: Vec<[Part; 4]> = (0..count)
            .map(|i| {
                let (near, away) =
                    if in_order { (40 * i, 20 * i + 200) } else { (60 * below(5), 60 * below(5)) };
                let nonce = if below(2) == 0 { near } else { away };
                let text = (near + 14 + below(10), below(20));
                [(nonce + below(3), 12), (near + below(16), below(4)), text, (away + below(45) / 11, 16)]
            })
            .collect();
        let other = (below(290), 1 + below(9));
        let at = |(start, _): Part| memory.cast::<u8>().wrapping_add(start);
        let list: Vec<_> = parts
            .iter()
            .map(|&[nonce, aad, text, tag]| keylane_message {
                nonce: at(nonce),
                aad: at(aad),
                aad_len: aad.1,
                text: at(text),
                text_len: text.1,
                tag: at(tag),
            })
            .collect();
        let all: Vec<_> = parts.iter().flatten().enumerate().map(|(i, &part)| (i % 4 > 1, part)).collect();
        let collides = |i: usize, other: (bool, Part)| {
            all[..i].iter().any(|part| (part.0 || other.0) && share(part.1, other.1))
        };
        let expected = (0..all.len()).any(|i| collides(i, all[i]));
        let call = Call::new();
        let found = code(call.messages(MessageList(list.as_ptr()), count, 12, (100, 100)));
        assert_eq!(found, if expected { KEYLANE_ERROR_OVERLAP } else { 0 }, "{parts:?}");
        if !expected {
            let again = Call::new();
            again.messages(MessageList(list.as_ptr()), count, 12, (100, 100)).unwrap();
            let found = [
                call.input(Input(at(other)), other.1).map(drop),
                again.output(Output(at(other)), other.1).map(drop),
            ];
            let expected = [false, true].map(|written| collides(all.len(), (written, other)));
            let expected = expected.map(|collides| if collides { KEYLANE_ERROR_OVERLAP } else { 0 });
            assert_eq!(found.map(code), expected, "{parts:?} and {other:?}");
        }
        seen[usize::from(in_order)][usize::from(expected)] += 1;
    }
    assert!(seen.as_flattened().iter().all(|&times| times > 1000), "{seen:?}");
}

/// Any number of messages, in any order, reach Rust once each.
#[test]
fn messages_are_passed_on_in_groups() {
    for (count, step) in [(0, 1), (1, 1), (GROUP, 5), (GROUP + 1, 1), (1000, 7), (1000, 999), (3000, 1)] {
        let mut memory = vec![[0_u8; 48]; count];
        let (nonces, start): (Vec<_>, _) =
            ((0..count).map(|i| (i as u64).to_le_bytes()).collect(), memory.as_mut_ptr());
        let mut list: Vec<_> = (0..count)
            .map(|i| {
                let text = start.wrapping_add(i * step % count).cast::<u8>();
                let (nonce, tag) = (nonces[i].as_ptr(), text.wrapping_add(32));
                keylane_message { nonce, aad: ptr::null(), aad_len: 0, text, text_len: 32, tag }
            })
            .collect();
        let call = Call::new();
        let mut messages = call.messages(MessageList(list.as_ptr()), count, 8, (32, 0)).unwrap();
        let mut next = 0;
        let done = messages.each_group(&mut |first, group| {
            assert!(first == next && group.len() <= GROUP);
            for message in group {
                assert_eq!(*message.nonce, (next as u64).to_le_bytes());
                assert_eq!((message.text.len(), *message.tag, message.aad), (32, [0; 16], &[][..]));
                message.text.fill(1);
                *message.tag = [2; 16];
                next += 1;
            }
            Ok(())
        });
        assert_eq!((done, next), (Ok(()), count));
        assert!(memory.iter().all(|place| place[..32] == [1; 32] && place[32..] == [2; 16]));
        if let [.., last] = &mut *list {
            last.text_len = 33;
            let code = |max| code(Call::new().messages(MessageList(list.as_ptr()), count, 8, (max, 0)));
            assert_eq!(code(32), KEYLANE_ERROR_INPUT_TOO_LONG);
            assert_eq!(code(33), KEYLANE_ERROR_OVERLAP);
        }
        if let [.., last] = &mut *list {
            last.nonce = ptr::null();
            assert_eq!(
                code(Call::new().messages(MessageList(list.as_ptr()), count, 8, (99, 0))),
                KEYLANE_ERROR_NULL
            );
        }
    }
}
