//! The rules of the boundary, called as C would call.

use super::*;

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
            call.input((a_in, a_len)).unwrap();
            assert_eq!(code(call.output((b_out, b_len))), expected, "{a:?} read, {b:?} written");

            let call = Call::new();
            call.output((a_out, a_len)).unwrap();
            assert_eq!(code(call.input((b_in, b_len))), expected, "{a:?} written, {b:?} read");

            let call = Call::new();
            call.output((a_out, a_len)).unwrap();
            assert_eq!(code(call.output((b_out, b_len))), expected, "{a:?} and {b:?} written");

            let call = Call::new();
            call.output((a_out, a_len)).unwrap();
            assert_eq!(code(call.result((b_out, b_len))), expected, "{a:?} written, {b:?} at the end");

            let call = Call::new();
            call.input((a_in, a_len)).unwrap();
            assert_eq!(code(call.input((b_in, b_len))), 0, "{a:?} and {b:?} read");

            // Where both begin at one address they are one buffer.
            let in_place = a.0 == b.0;
            let expected = if in_place { 0 } else { expected };
            let call = Call::new();
            call.input((a_in, a_len)).unwrap();
            assert_eq!(code(call.result((b_out, b_len))), expected, "{a:?} read, {b:?} at the end");

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

#[test]
fn a_name_ends_before_its_zero_byte() {
    let memory = [c"sha256".to_bytes_with_nul(), b"more"].concat();
    let call = Call::new();
    assert_eq!(call.name(Name(memory.as_ptr().cast())), Ok(c"sha256"));
}

#[test]
fn null_is_for_nothing_only() {
    let call = Call::new();
    assert_eq!(code(call.name(Name(ptr::null()))), KEYLANE_ERROR_NULL);
    assert_eq!(call.input((Input(ptr::null()), 0)), Ok(&[][..]));
    assert_eq!(call.output((Output(ptr::null_mut()), 0)), Ok(&mut [][..]));
    assert_eq!(call.numbers(Numbers(ptr::null()), 0), Ok(&[][..]));
    assert_eq!(code(call.input((Input(ptr::null()), 1))), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.output((Output(ptr::null_mut()), 1))), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.array(Array::<4>(ptr::null()))), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.result_array(OutArray::<4>(ptr::null_mut()))), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.numbers(Numbers(ptr::null()), 1)), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.input((Input(ptr::null()).after(5).unwrap(), 1))), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.output((Output(ptr::null_mut()).after(5).unwrap(), 1))), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.put(Mut::<Struct>(ptr::null_mut()), &Value([0; 5]))), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.reads(Ref::<Struct>(ptr::null()), |_| ())), KEYLANE_ERROR_NULL);
    assert_eq!(code(call.table(Ref::<Struct>(ptr::null()), 1)), KEYLANE_ERROR_NULL);
    assert!(call.table(Ref::<Struct>(ptr::null()), 0).unwrap().get(0).is_err());
    wipe_struct(Mut::<Struct>(ptr::null_mut()));
}

#[test]
fn lengths_beyond_memory_are_refused() {
    let byte = [0];
    let call = Call::new();
    for len in [usize::MAX, isize::MAX as usize + 1, isize::MAX as usize] {
        let high = Input(ptr::without_provenance(usize::MAX - len / 2));
        assert_eq!(code(call.input((high, len))), KEYLANE_ERROR_INPUT_TOO_LONG);
        assert_eq!(code(high.after(len)), KEYLANE_ERROR_INPUT_TOO_LONG);
    }
    // Added, they would lead to before the beginning.
    for len in [usize::MAX, isize::MAX as usize + 1] {
        assert_eq!(code(Input(byte.as_ptr()).after(len)), KEYLANE_ERROR_INPUT_TOO_LONG);
        assert_eq!(code(Output(byte.as_ptr().cast_mut()).after(len)), KEYLANE_ERROR_INPUT_TOO_LONG);
    }
    assert_eq!(code(call.input((Input(byte.as_ptr()), usize::MAX))), KEYLANE_ERROR_INPUT_TOO_LONG);
    let numbers = Numbers((&raw const byte).cast());
    for count in [usize::MAX, usize::MAX / size_of::<usize>()] {
        assert_eq!(code(call.numbers(numbers, count)), KEYLANE_ERROR_INPUT_TOO_LONG);
        let structs = Ref::<Struct>((&raw const byte).cast());
        assert_eq!(code(call.table(structs, count)), KEYLANE_ERROR_INPUT_TOO_LONG);
    }
}

/// A value with an alignment, as an AES-GCM key has.
#[derive(Clone, Debug, PartialEq)]
#[repr(align(32))]
struct Value([u64; 5]);

#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Struct([u8; 128]);

impl Holder for Struct {
    type Value = Value;
    const MARK: u64 = 5;
}

fn reads<R>(place: Ref<Struct>, run: impl FnOnce(&Value) -> R) -> Result<R, Failure> {
    Call::new().reads(place, run)
}

fn put(place: Mut<Struct>, value: [u64; 5]) {
    Call::new().put(place, &Value(value)).unwrap();
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
        put(place, [1, 2, 3, 4, 5]);
        let seen = reads(read(), |value| {
            assert!(ptr::from_ref(value).is_aligned());
            value.clone()
        });
        assert_eq!(seen, Ok(Value([1, 2, 3, 4, 5])), "at {offset}");
        assert_eq!(Call::new().changes(place, |value| value.0[4] = 6), Ok(()));
        assert_eq!(code(Call::new().finish(place, |_| Err::<(), _>(Failure(-8)))), -8);
        let last = Call::new().finish(place, |value| Ok(value.0));
        assert_eq!(last, Ok([1, 2, 3, 4, 6]), "at {offset}");
        assert_eq!(code(reads(read(), |_| ())), KEYLANE_ERROR_UNINITIALISED);
        let wiped = offset..offset + size_of::<Struct>();
        for (i, byte) in memory.0.iter().enumerate() {
            assert_eq!(*byte, if wiped.contains(&i) { 0 } else { 0xa5 }, "byte {i} at {offset}");
        }
    }
}

/// At their alignment, and initialised.
#[test]
fn structs_of_a_table_are_values() {
    let mut memory = [const { Struct([0; 128]) }; 3];
    let first = memory.as_mut_ptr();
    let table = || Ref::<Struct>(first);
    for i in 0..3 {
        let get = |call: &Call| call.table(table(), 3)?.get(i).map(|_| ());
        assert_eq!(code(get(&Call::new())), KEYLANE_ERROR_UNINITIALISED);
        put(Mut(first.wrapping_add(i)), [i as u64; 5]);
    }
    let call = Call::new();
    let values = call.table(table(), 3).unwrap();
    for i in 0..5 {
        let (value, refused) = (Value([i as u64; 5]), Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER)));
        assert_eq!(values.get(i), if i < 3 { Ok(&value) } else { refused });
    }
    for (offset, len) in [(0, 1), (127, 9), (383, 9)] {
        let refused = call.output((Output(first.cast::<u8>().wrapping_add(offset)), len));
        assert_eq!(code(refused), KEYLANE_ERROR_OVERLAP, "{len} bytes at {offset}");
    }
    assert_eq!(code(call.output((Output(first.cast::<u8>().wrapping_add(384)), 100))), 0, "after all");
    let unaligned = Ref::<Struct>(first.cast::<u8>().wrapping_add(16).cast());
    assert_eq!(code(Call::new().table(unaligned, 1)), KEYLANE_ERROR_INVALID_PARAMETER);
}

#[test]
fn numbers_need_not_be_aligned() {
    let mut memory = [0_u8; 40];
    for start in 0..8 {
        let bytes = [7_usize, usize::MAX, 0].map(usize::to_ne_bytes);
        memory[start..start + size_of_val(&bytes)].copy_from_slice(bytes.as_flattened());
        let numbers = Numbers(memory.as_ptr().wrapping_add(start).cast());
        assert_eq!(Call::new().numbers(numbers, 3), Ok(&bytes[..]));
    }
}

/// Only what `put` wrote for this struct is taken for a value.
#[test]
fn a_struct_holds_a_value_only_with_its_mark() {
    for byte in [0, 1, 0xa5, 0xff] {
        let mut memory = Struct([byte; 128]);
        let changed = Call::new().changes(Mut(&raw mut memory), |_| ());
        assert_eq!(code(changed), KEYLANE_ERROR_UNINITIALISED);
    }
    let mut memory = Struct([0; 128]);
    put(Mut(&raw mut memory), [7; 5]);
    let copy = Struct(memory.0);
    memory.0[127] ^= 1;
    assert_eq!(code(reads(Ref(&raw const memory), |_| ())), KEYLANE_ERROR_UNINITIALISED);
    wipe_struct(Mut(&raw mut memory));
    assert_eq!(memory.0, [0; 128]);
    assert_eq!(reads(Ref(&raw const copy), |value| value.0[0]), Ok(7), "a copy is a value");
}

/// A group: as many as it has room for.
#[test]
fn a_group_is_its_values() {
    for len in [0, 1, GROUP - 1, GROUP, GROUP + 1] {
        let (mut left, mut group) = (0..len, Group::new());
        let filled = group.fill(left.by_ref());
        assert!(filled.iter().copied().eq(0..len.min(GROUP)));
        assert_eq!(left.len(), len.saturating_sub(GROUP), "no value is lost");
        let mut values = (0..len).map(|i| if i < 5 { Ok(i) } else { Err(i) });
        assert_eq!(
            group.try_fill(values.by_ref()).map(|filled| filled.len()),
            if len < 6 { Ok(len) } else { Err(5) }
        );
    }
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
    let refused = "no implementation of double passes its self-test; refusing to compute".to_owned();
    for (message, code) in [
        ("a test panics".to_owned(), KEYLANE_ERROR_INTERNAL),
        (format!("{refused}?"), KEYLANE_ERROR_INTERNAL),
        (refused, KEYLANE_ERROR_SELF_TEST),
    ] {
        let result = call(|call| {
            call.result_array(pointer)?.set(&[1; 16])?;
            panic!("{message}");
        });
        assert_eq!((result, tag), (code, [9; 16]), "{message}");
    }
}
