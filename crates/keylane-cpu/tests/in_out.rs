//! Tests that an `InOut` reads and writes the right bytes, each once, in place and out of place.

use keylane_contracts::painted;
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::Blocks;
use keylane_cpu::lanes::portable::PlainBlocks;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Longer than the vectors and groups below.
const LONGEST: usize = 150;
/// Fills the memory around the output.
const GUARD: u8 = 0xa5;

/// The change that the tests make to every byte.
fn inverted(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| byte ^ 0xff).collect()
}

/// Lets `f` change every byte, in place and out of place, at every length; nothing else may change.
fn check(f: impl Fn(InOut<'_>)) {
    let bytes = painted(LONGEST + 2);
    for len in 0..=LONGEST {
        let expected = inverted(&bytes[1..=len]);

        let mut both = bytes.clone();
        f(InOut::in_place(&mut both[1..=len]));
        assert_eq!(both[1..=len], expected, "{len} in place");
        assert_eq!((both[0], &both[len + 1..]), (bytes[0], &bytes[len + 1..]), "beside {len} in place");

        let (input, mut output) = (bytes.clone(), vec![GUARD; LONGEST + 2]);
        f(InOut::apart(&input[1..=len], &mut output[1..=len]));
        assert_eq!(output[1..=len], expected, "{len} apart");
        assert_eq!(output[0], GUARD, "before {len} apart");
        assert!(output[len + 1..].iter().all(|byte| *byte == GUARD), "after {len} apart");
        assert_eq!(input, bytes, "{len} apart: the input");
    }
}

fn ones<const N: usize>() -> PlainBlocks<N> {
    PlainBlocks([u128::MAX; N])
}

/// A vector at a time, the last one partial.
fn by_vectors<const N: usize>(mut text: InOut<'_>) {
    while !text.is_empty() {
        let len = text.len();
        let input: PlainBlocks<N> = text.load_front(Portable);
        assert_eq!(text.len(), len, "loading takes nothing off");
        assert_eq!(input.keep_front(len), input, "zeros follow");
        text.store_front(input ^ ones());
        assert_eq!(text.len(), len.saturating_sub(16 * N));
    }
    // An empty `InOut` stays empty.
    text.store_front(text.load_front::<PlainBlocks<N>, N>(Portable));
    assert!(text.is_empty());
}

#[test]
fn vectors_at_the_front() {
    check(by_vectors::<1>);
    check(by_vectors::<2>);
    check(by_vectors::<4>);
}

#[test]
fn groups_loaded_and_stored() {
    check(|mut text| {
        while let Some(mut group) = text.take::<2, 3>() {
            let before = *group.input();
            let vectors: [PlainBlocks<2>; 3] = [0, 1, 2].map(|j| group.load(Portable, j));
            assert_eq!(vectors, before.map(|blocks| PlainBlocks::load(Portable, &blocks)));
            [2, 0, 1].into_iter().for_each(|j| group.store(j, vectors[j] ^ ones()));
            let written = before.map(|blocks| blocks.map(|block| block.map(|byte| !byte)));
            assert_eq!(*group.output(), written);
            assert_eq!(*group.written(), written);
        }
        assert!(text.len() < 96);
        by_vectors::<1>(text);
    });
}

/// Cut anywhere, with the pieces in any order.
#[test]
fn pieces() {
    for cut in 0..=LONGEST {
        check(|mut text| {
            let (len, cut) = (text.len(), cut.min(text.len()));
            let front = text.take_front(cut);
            assert_eq!((front.len(), text.len()), (cut, len - cut));
            by_vectors::<2>(text);
            by_vectors::<1>(front);
        });
    }
}

#[test]
fn a_stream() {
    let longer = [0xff; LONGEST + 1];
    check(|mut text| {
        let mut front = text.take_front(text.len() / 2);
        front.xor(&longer);
        assert!(front.is_empty());
        text.xor(&longer[..text.len()]);
        assert!(text.is_empty());
    });
}

#[test]
fn what_is_seen_of_it() {
    check(|mut text| {
        let before = text.input().to_vec();
        text.reborrow().xor(&[0xff; LONGEST]);
        assert_eq!(text.len(), before.len(), "what was borrowed is not taken off");
        assert_eq!(text.written(), inverted(&before));
    });
}

#[test]
fn what_is_not_there_is_refused() {
    let panics = |f: &mut dyn FnMut()| catch_unwind(AssertUnwindSafe(f)).is_err();
    let (input, mut output) = ([1; 40], [2; 40]);
    assert!(panics(&mut || _ = InOut::apart(&input, &mut output[1..])));
    assert!(panics(&mut || _ = InOut::apart(&input[1..], &mut output)));
    assert!(panics(&mut || _ = InOut::apart(&input, &mut output).take_front(41)));
    assert!(panics(&mut || InOut::apart(&input, &mut output).xor(&[0; 39])));
    assert!(InOut::apart(&input, &mut output).take::<1, 3>().is_none());
    let mut both = InOut::apart(&input, &mut output);
    let mut group = both.take::<1, 2>().expect("there are two");
    assert!(both.take::<1, 1>().is_none());
    for j in [2, usize::MAX] {
        assert!(panics(&mut || _ = group.load::<PlainBlocks<1>>(Portable, j)));
        assert!(panics(&mut || group.store(j, ones::<1>())));
    }
    assert_eq!(output, [2; 40]);
}

#[cfg(feature = "alloc")]
#[test]
fn appending() {
    use keylane_cpu::in_out::append;

    for (before, len) in [(0, 0), (0, 1), (5, 0), (5, 4096), (4096, 100_000), (100, 1 << 20)] {
        let mut output = painted(before);
        let failed: Result<(), u8> = append(&mut output, len, |room| {
            room.fill(GUARD);
            Err(7)
        });
        assert_eq!((failed, &output), (Err(7), &painted(before)));
        let written: Result<(), u8> = append(&mut output, len, |room| {
            assert_eq!(room.len(), len);
            // The bytes are unspecified, but do not change between two reads.
            let seen = room.to_vec();
            assert_eq!(room, seen);
            room.copy_from_slice(&painted(len));
            Ok(())
        });
        assert_eq!(written, Ok(()));
        assert_eq!(output, [painted(before), painted(len)].concat());
    }
}
