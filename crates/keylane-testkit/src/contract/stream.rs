//! What every stream cipher promises.

use super::{guarded_lengths, tells_nothing, usable};
use crate::{Guarded, LENGTHS, Random, Stream, exclusively, painted};
use keylane::Error;

/// Whether `S` keeps the promises of a stream cipher, on whatever implementation is selected.
///
/// # Panics
/// If it does not.
pub fn stream<S: Stream>() {
    every_split::<S>();
    data_does_not_steer::<S>();
    out_of_place::<S>();
    wrong_lengths::<S>();
    positions::<S>();
    clones::<S>();
    if let Some(max) = S::MAX_LEN {
        end::<S>(max);
    }
    guard_pages::<S>();
    tells_nothing(&started::<S>(), &key::<S>());
    tells_nothing(&started::<S>(), &keystream::<S>(300));
}

/// Whether a keystream begun on one implementation of the primitive and continued on another is the one keystream.
///
/// # Panics
/// If it is not.
pub fn stream_handed_over<S: Stream>() {
    exclusively(S::PRIMITIVE, |primitive| {
        let names = usable(primitive);
        let expected = keystream::<S>(3000);
        for first in &names {
            for second in &names {
                for cut in [0, 1, 15, 16, 17, 63, 64, 65, 100, 128, 511, 512, 513, 1000, 1024, 2999, 3000] {
                    primitive.select(first).unwrap();
                    let (mut cipher, mut bytes) = (new::<S>(), vec![0; 3000]);
                    cipher.xor_keystream(&mut bytes[..cut]).unwrap();
                    primitive.select(second).unwrap();
                    let mut other = cipher.clone();
                    cipher.xor_keystream(&mut bytes[cut..]).unwrap();
                    assert_eq!(bytes, expected, "{}: {first}, from {cut} {second}", S::NAME);
                    primitive.select(first).unwrap();
                    bytes[cut..].fill(0);
                    other.xor_keystream(&mut bytes[cut..]).unwrap();
                    assert_eq!(bytes, expected, "{}: {first}, cloned by {second} at {cut}", S::NAME);
                }
            }
        }
    });
}

fn key<S: Stream>() -> Vec<u8> {
    Random::new(70).bytes(S::KEY_LEN)
}

fn new<S: Stream>() -> S {
    S::new(&key::<S>(), &Random::new(71).bytes(S::NONCE_LEN))
}

/// In the middle of a block.
fn started<S: Stream>() -> S {
    let mut cipher = new::<S>();
    cipher.xor_keystream(&mut [0; 21]).unwrap();
    cipher
}

fn keystream<S: Stream>(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    new::<S>().xor_keystream(&mut bytes).unwrap();
    bytes
}

fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

fn every_split<S: Stream>() {
    let data = painted(5000);
    for &len in LENGTHS {
        let mut expected = data[..len].to_vec();
        new::<S>().xor_keystream(&mut expected).unwrap();
        let cuts = (0..=len).filter(|&cut| len <= 140 || cut < 18 || len - cut < 18 || cut % 128 == 0);
        for cut in cuts {
            let (mut cipher, mut bytes) = (new::<S>(), data[..len].to_vec());
            let (head, tail) = bytes.split_at_mut(cut);
            cipher.xor_keystream(head).unwrap();
            cipher.xor_keystream(tail).unwrap();
            assert_eq!(bytes, expected, "{}: {len} bytes cut at {cut}", S::NAME);
        }
    }
    let mut random = Random::new(72);
    let mut expected = data.clone();
    new::<S>().xor_keystream(&mut expected).unwrap();
    for pieces in 1..40 {
        let (mut cipher, mut bytes) = (new::<S>(), Vec::new());
        for piece in random.split(&data, pieces) {
            let mut piece = piece.to_vec();
            cipher.xor_keystream(&mut piece).unwrap();
            bytes.extend(piece);
        }
        assert_eq!(bytes, expected, "{}: {pieces} pieces", S::NAME);
    }
    for piece in [1, 3, 15, 16, 17, 64, 129] {
        let (mut cipher, mut bytes) = (new::<S>(), data.clone());
        bytes.chunks_mut(piece).for_each(|piece| cipher.xor_keystream(piece).unwrap());
        assert_eq!(bytes, expected, "{}: by {piece}", S::NAME);
    }
}

/// The keystream is the same over any data, and twice the same keystream is none.
fn data_does_not_steer<S: Stream>() {
    let data = Random::new(73).bytes(1500);
    let mut bytes = data.clone();
    new::<S>().xor_keystream(&mut bytes).unwrap();
    assert_eq!(bytes, xor(&data, &keystream::<S>(1500)), "{}", S::NAME);
    new::<S>().xor_keystream(&mut bytes).unwrap();
    assert_eq!(bytes, data, "{}", S::NAME);
}

fn out_of_place<S: Stream>() {
    let data = painted(4200);
    let keystream = keystream::<S>(4200);
    for &len in LENGTHS {
        let mut output = vec![0xa5; len];
        let mut cipher = new::<S>();
        cipher.xor_keystream_to(&data[..len], &mut output).unwrap();
        assert_eq!(output, xor(&data[..len], &keystream), "{}: {len} bytes", S::NAME);
        assert_eq!(cipher.position(), len as u128);
        // From the middle of a block on.
        let from = len / 3;
        let (mut cipher, mut output) = (new::<S>(), vec![0xa5; len]);
        cipher.xor_keystream_to(&data[..from], &mut output[..from]).unwrap();
        cipher.xor_keystream_to(&data[from..len], &mut output[from..]).unwrap();
        assert_eq!(output, xor(&data[..len], &keystream), "{}: {len} bytes cut at {from}", S::NAME);
    }
    assert_eq!(data, painted(4200), "the input is as it was");
}

fn wrong_lengths<S: Stream>() {
    let (input, keystream) = (painted(300), keystream::<S>(300));
    for (inputs, outputs) in [(0, 1), (1, 0), (15, 16), (17, 16), (16, 0), (300, 299), (128, 256), (7, 300)] {
        let (mut cipher, mut output) = (started::<S>(), painted(300));
        let refused = cipher.xor_keystream_to(&input[..inputs], &mut output[..outputs]);
        assert!(
            matches!(refused, Err(Error::WrongLength { min, max, actual, .. })
                if (min, max, actual) == (inputs, inputs, outputs)),
            "{}: {inputs} to {outputs}: {refused:?}",
            S::NAME
        );
        assert_eq!(output, painted(300), "{}: a refusal leaves the output alone", S::NAME);
        assert_eq!(cipher.position(), 21, "{}: a refusal leaves the position alone", S::NAME);
        let mut next = [0; 60];
        cipher.xor_keystream(&mut next).unwrap();
        assert_eq!(next, keystream[21..81], "{}: a refusal leaves the keystream alone", S::NAME);
    }
}

fn positions<S: Stream>() {
    let expected = keystream::<S>(5000);
    let mut cipher = new::<S>();
    assert_eq!(cipher.position(), 0);
    let mut random = Random::new(74);
    let mut from: Vec<usize> = (0..70).chain([127, 128, 129, 255, 256, 257, 1000, 4999, 5000]).collect();
    from.extend((0..200).map(|_| random.below(5000)));
    for from in from {
        cipher.seek(from as u64).unwrap();
        assert_eq!(cipher.position(), from as u128);
        // There and on, in two steps: the second begins wherever the first ended.
        let len = random.length(5000 - from);
        let (mut bytes, cut) = (vec![0; len], random.below(len + 1));
        cipher.xor_keystream(&mut bytes[..cut]).unwrap();
        assert_eq!(cipher.position(), (from + cut) as u128);
        cipher.xor_keystream(&mut bytes[cut..]).unwrap();
        assert_eq!(bytes, expected[from..from + len], "{}: {len} bytes from {from}, cut at {cut}", S::NAME);
        assert_eq!(cipher.position(), (from + len) as u128);
    }
    // Nothing is nothing, also in the middle of a block.
    cipher.seek(77).unwrap();
    cipher.xor_keystream(&mut []).unwrap();
    cipher.xor_keystream_to(&[], &mut []).unwrap();
    assert_eq!(cipher.position(), 77);
    let mut byte = [0];
    cipher.xor_keystream(&mut byte).unwrap();
    assert_eq!(byte, expected[77..78]);
}

fn clones<S: Stream>() {
    let expected = keystream::<S>(400);
    for cut in [0, 1, 15, 16, 17, 100, 256, 300] {
        let (mut cipher, mut bytes) = (new::<S>(), vec![0; 400]);
        cipher.xor_keystream(&mut bytes[..cut]).unwrap();
        let mut other = cipher.clone();
        other.xor_keystream(&mut [0; 33]).unwrap();
        cipher.xor_keystream(&mut bytes[cut..]).unwrap();
        assert_eq!(bytes, expected, "{}: cloned at {cut}", S::NAME);
        assert_eq!(other.position(), cut as u128 + 33);
        let mut rest = vec![0; 400 - cut - 33];
        drop(cipher);
        other.xor_keystream(&mut rest).unwrap();
        assert_eq!(rest, expected[cut + 33..], "{}: cloned at {cut}", S::NAME);
    }
}

/// The keystream's last byte is there; beyond it nothing is given, and nothing changes.
fn end<S: Stream>(max: u64) {
    const FROM_END: usize = 3000;
    let at = |from_end: usize| {
        let mut cipher = new::<S>();
        cipher.seek(max - from_end as u64).unwrap();
        cipher
    };
    // In pieces of less than a block, which no group of blocks can take beyond the end.
    let (mut expected, mut cipher) = (vec![0; FROM_END], at(FROM_END));
    expected.chunks_mut(50).for_each(|piece| cipher.xor_keystream(piece).unwrap());
    assert_eq!(cipher.position(), max.into());

    let data = painted(FROM_END + 1);
    let lengths =
        (0..=130).chain((3..=17).flat_map(|blocks| [64 * blocks - 1, 64 * blocks, 64 * blocks + 1]));
    for len in lengths.chain([2047, 2048, 2049, FROM_END]) {
        let (what, text) = (format!("{}: {len} bytes before the end", S::NAME), &data[..len]);
        let expected = xor(text, &expected[FROM_END - len..]);
        let (mut cipher, mut output) = (at(len), data.clone());
        let refused = Err(Error::InputTooLong { max: len as u64 });
        assert_eq!(cipher.xor_keystream(&mut output[..len + 1]), refused, "{what}");
        assert_eq!(cipher.xor_keystream_to(&data[..len + 1], &mut output[..len + 1]), refused, "{what}");
        assert_eq!(output, data, "{what}: a refusal leaves the data alone");
        assert_eq!(cipher.position(), u128::from(max) - len as u128, "{what}: and the position");
        cipher.xor_keystream(&mut output[..len]).unwrap();
        assert_eq!(output[..len], expected, "{what}");
        assert_eq!(cipher.position(), max.into(), "{what}");
        output.fill(0xa5);
        at(len).xor_keystream_to(text, &mut output[..len]).unwrap();
        assert_eq!(output[..len], expected, "{what}, out of place");
        // Nothing is left, and nothing can be done with it.
        assert_eq!(cipher.xor_keystream(&mut []), Ok(()));
        assert_eq!(cipher.xor_keystream(&mut [0]), Err(Error::InputTooLong { max: 0 }), "{what}");
        // And back.
        cipher.seek(0).unwrap();
        cipher.xor_keystream_to(text, &mut output[..len]).unwrap();
        assert_eq!(output[..len], xor(text, &keystream::<S>(len)), "{what}");
    }

    let (mut cipher, expected) = (started::<S>(), keystream::<S>(100));
    for beyond in [max + 1, max + 64, u64::MAX] {
        assert_eq!(cipher.seek(beyond), Err(Error::InputTooLong { max }), "{}", S::NAME);
        assert_eq!(cipher.position(), 21, "{}: a refusal leaves the position alone", S::NAME);
    }
    let mut next = [0; 79];
    cipher.xor_keystream(&mut next).unwrap();
    assert_eq!(next, expected[21..], "{}: a refusal leaves the keystream alone", S::NAME);
}

fn guard_pages<S: Stream>() {
    let (data, keystream) = (painted(4200), keystream::<S>(4200));
    let inputs = (Guarded::at_start(&data), Guarded::at_end(&data));
    let mut outputs = (Guarded::at_start(&data), Guarded::at_end(&data));
    for len in guarded_lengths() {
        let check = |bytes: &[u8], input: &[u8], what: &str| {
            assert_eq!(bytes, xor(input, &keystream), "{}: {len} bytes {what}", S::NAME);
        };
        let (first, last) = (&data[..len], &data[data.len() - len..]);
        outputs.0.copy_from_slice(&data);
        outputs.1.copy_from_slice(&data);
        new::<S>().xor_keystream(&mut outputs.0[..len]).unwrap();
        check(&outputs.0[..len], first, "at the start");
        new::<S>().xor_keystream(outputs.1.last_mut(len)).unwrap();
        check(outputs.1.last(len), last, "at the end");
        new::<S>().xor_keystream_to(&inputs.0[..len], outputs.1.last_mut(len)).unwrap();
        check(outputs.1.last(len), first, "from the start to the end");
        new::<S>().xor_keystream_to(inputs.1.last(len), &mut outputs.0[..len]).unwrap();
        check(&outputs.0[..len], last, "from the end to the start");
        // Beyond the bytes asked for nothing is written.
        assert_eq!(outputs.0[len..], data[len..], "{}: {len} bytes", S::NAME);
        assert_eq!(outputs.1[..data.len() - len], data[..data.len() - len], "{}: {len} bytes", S::NAME);
    }
    // Every alignment at both ends.
    for offset in 0..=64 {
        let range = offset..offset + 300;
        new::<S>().xor_keystream_to(&inputs.0[range.clone()], outputs.1.last_mut(300)).unwrap();
        assert_eq!(outputs.1.last(300), xor(&data[range], &keystream), "{}: offset {offset}", S::NAME);
        new::<S>().xor_keystream_to(inputs.1.last(300), &mut outputs.0[offset..offset + 300]).unwrap();
        let expected = xor(&data[data.len() - 300..], &keystream);
        assert_eq!(outputs.0[offset..offset + 300], expected, "{}: offset {offset}", S::NAME);
    }
    // Key and nonce, too.
    let (key, nonce) = (key::<S>(), Random::new(71).bytes(S::NONCE_LEN));
    for at in [Guarded::at_start, Guarded::at_end] {
        let mut bytes = [0; 100];
        S::new(&at(&key), &at(&nonce)).xor_keystream(&mut bytes).unwrap();
        assert_eq!(bytes, keystream[..100], "{}", S::NAME);
    }
}
