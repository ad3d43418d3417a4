//! What every AEAD promises.

use super::{guarded_lengths, tells_nothing, usable};
use crate::{Aead, Guarded, LENGTHS, Random, as_nonce, exclusively, painted};
use keylane::Error;
use std::ops::RangeInclusive;

const TAG_LEN: usize = 16;

/// Whether `A` keeps the promises of an AEAD, on whatever implementation is selected.
///
/// # Panics
/// If it does not.
pub fn aead<A: Aead>() {
    sealed_and_opened::<A>();
    every_cut::<A>();
    every_bit::<A>();
    other_lengths::<A>();
    wrong_lengths::<A>();
    keys::<A>();
    guard_pages::<A>();
    tells_nothing(&new::<A>(), &key::<A>());
}

/// Whether a key prepared on one implementation of the primitive, and cloned on another, seals and opens on all.
///
/// # Panics
/// If it does not.
pub fn aead_handed_over<A: Aead>() {
    let (nonce, data) = (nonce::<A>(), painted(5000));
    let mut random = Random::new(84);
    // All lengths where one implementation has prepared more, or less, than another takes at once.
    let cases: Vec<(&[u8], Vec<&[u8]>)> = LENGTHS
        .iter()
        .filter(|&&len| len <= 1100)
        .flat_map(|&len| [(len, len % 50), (len % 50, len), (len, len)])
        .chain([(2500, 0), (0, 2500), (5000, 20)])
        .map(|(len, aad)| (&data[..aad], random.split(&data[..len], 1 + len % 4)))
        .collect();
    exclusively(A::PRIMITIVE, |primitive| {
        let names = usable(primitive);
        let expected: Vec<_> =
            cases.iter().map(|(aad, pieces)| sealed::<A>(&nonce, aad, &pieces.concat())).collect();
        for first in &names {
            for second in &names {
                primitive.select(first).unwrap();
                let key = new::<A>();
                primitive.select(second).unwrap();
                let clone = key.clone();
                for ((aad, pieces), expected) in cases.iter().zip(&expected) {
                    let text = pieces.concat();
                    let what = format!(
                        "{} bytes, {} of AAD, key by {first}, text by {second}",
                        text.len(),
                        aad.len()
                    );
                    let mut sealed = vec![0; expected.len()];
                    key.seal_to(&nonce, aad, &[&text], &mut sealed).unwrap();
                    assert_eq!(sealed, *expected, "{}: {what}", A::NAME);
                    sealed.fill(0);
                    key.seal_to(&nonce, aad, pieces, &mut sealed).unwrap();
                    assert_eq!(sealed, *expected, "{}: {what}, in {} pieces", A::NAME, pieces.len());
                    let mut opened = vec![0; text.len()];
                    assert_eq!(
                        clone.open_to(&nonce, aad, expected, &mut opened),
                        Ok(()),
                        "{}: {what}",
                        A::NAME
                    );
                    assert_eq!(opened, text, "{}: {what}", A::NAME);
                }
            }
        }
    });
}

fn key<A: Aead>() -> Vec<u8> {
    Random::new(80).bytes(A::KEY_LEN)
}

fn nonce<A: Aead>() -> A::Nonce {
    *as_nonce::<A>(&Random::new(81).bytes(A::NONCE_LEN))
}

fn new<A: Aead>() -> A {
    A::from_slice(&key::<A>()).unwrap()
}

/// Text and tag, by the one-shot call.
fn sealed<A: Aead>(nonce: &A::Nonce, aad: &[u8], text: &[u8]) -> Vec<u8> {
    let mut sealed = text.to_vec();
    let tag = new::<A>().seal(nonce, aad, &mut sealed).unwrap();
    sealed.extend(tag);
    sealed
}

/// Opens in every way, which must all fail and leave no trace of a text.
fn refused<A: Aead>(aead: &A, nonce: &A::Nonce, aad: &[u8], sealed: &[u8], what: &str) {
    let (text, tag) = sealed.split_last_chunk().unwrap();
    let (mut data, failed) = (text.to_vec(), Err(Error::AuthenticationFailed));
    assert_eq!(aead.open(nonce, aad, &mut data, tag), failed, "{}: {what}", A::NAME);
    assert_eq!(data, vec![0; text.len()], "{}: {what}: not wiped", A::NAME);
    data.fill(0xa5);
    assert_eq!(aead.open_to(nonce, aad, sealed, &mut data), failed, "{}: {what}", A::NAME);
    assert_eq!(data, vec![0; text.len()], "{}: {what}: not wiped, out of place", A::NAME);
}

fn sealed_and_opened<A: Aead>() {
    let (aead, data) = (new::<A>(), painted(4200));
    let mut random = Random::new(82);
    for (i, &len) in LENGTHS.iter().enumerate() {
        let (nonce, aad) = (*as_nonce::<A>(&random.bytes(A::NONCE_LEN)), &data[..[0, 1, 13, 16, 300][i % 5]]);
        let (text, what) = (&data[..len], format!("{}: {len} bytes, {} of AAD", A::NAME, aad.len()));
        let mut sealed = text.to_vec();
        let tag = aead.seal(&nonce, aad, &mut sealed).unwrap();
        // In place.
        let mut opened = sealed.clone();
        aead.open(&nonce, aad, &mut opened, &tag).unwrap();
        assert_eq!(opened, text, "{what}");
        // Out of place.
        sealed.extend(tag);
        let mut output = vec![0xa5; len + TAG_LEN];
        aead.seal_to(&nonce, aad, &[text], &mut output).unwrap();
        assert_eq!(output, sealed, "{what}, out of place");
        opened.fill(0xa5);
        aead.open_to(&nonce, aad, &sealed, &mut opened).unwrap();
        assert_eq!(opened, text, "{what}, out of place");
        assert_eq!(output, sealed, "{what}: the input is as it was");
        // Behind what is there, with room for it and without.
        for mut output in [Vec::new(), b"before".to_vec(), Vec::with_capacity(5000)] {
            let before = output.clone();
            aead.seal_append(&nonce, aad, text, &mut output).unwrap();
            assert_eq!(output, [&before[..], &sealed].concat(), "{what}, appended");
            output.truncate(before.len());
            aead.open_append(&nonce, aad, &sealed, &mut output).unwrap();
            assert_eq!(output, [&before[..], text].concat(), "{what}, opened to the end");
            output.truncate(before.len());
            for forged in [&sealed[1..], &[&sealed[..], &[0]].concat(), &sealed[..TAG_LEN - 1]] {
                assert!(aead.open_append(&nonce, aad, forged, &mut output).is_err(), "{what}");
                assert_eq!(output, before, "{what}: a refusal leaves the output alone");
            }
        }
    }
    assert_eq!(data, painted(4200), "the inputs are as they were");
}

fn every_cut<A: Aead>() {
    let (aead, nonce, data) = (new::<A>(), nonce::<A>(), painted(5000));
    let check = |pieces: &[&[u8]], what: &str| {
        let text = pieces.concat();
        let mut output = vec![0xa5; text.len() + TAG_LEN];
        aead.seal_to(&nonce, b"aad", pieces, &mut output).unwrap();
        let expected = sealed::<A>(&nonce, b"aad", &text);
        assert_eq!(output, expected, "{}: {} bytes {what}", A::NAME, text.len());
    };
    check(&[], "in no piece");
    check(&[&[][..]; 3], "in empty pieces");
    for &len in LENGTHS {
        let cuts = (0..=len).filter(|&cut| len <= 66 || cut < 18 || len - cut < 18 || cut % 256 == 0);
        for cut in cuts {
            let (head, tail) = data[..len].split_at(cut);
            check(&[head, tail], &format!("cut at {cut}"));
        }
        for piece in [1, 7, 16, 33] {
            let pieces: Vec<&[u8]> = data[..len].chunks(piece).collect();
            check(&pieces, &format!("by {piece}"));
        }
    }
    // Many short pieces, empty ones among them.
    let mut random = Random::new(83);
    for pieces in 1..=40 {
        let len = random.length(5000);
        check(&random.split(&data[..len], pieces), &format!("in {pieces} pieces"));
    }
    assert_eq!(data, painted(5000), "the input is as it was");
}

fn every_bit<A: Aead>() {
    let (aead, nonce, data) = (new::<A>(), nonce::<A>(), painted(2000));
    let flipped = |bytes: &[u8], bit: usize| {
        let mut bytes = bytes.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    };
    for (len, aad_len) in [(0, 0), (0, 5), (1, 0), (33, 20), (600, 13), (1100, 150)] {
        let (aad, text) = (&data[..aad_len], &data[..len]);
        let sealed = sealed::<A>(&nonce, aad, text);
        // Of long inputs some bits, in every byte.
        let bits = |len: usize| {
            (0..8 * len)
                .filter(move |bit| len <= 33 || bit % 8 == bit / 8 % 8 && (bit / 8 % 16 == 5 || bit / 8 < 20))
        };
        for bit in bits(len) {
            refused(&aead, &nonce, aad, &flipped(&sealed, bit), &format!("bit {bit} of a text of {len}"));
        }
        for bit in 0..8 * TAG_LEN {
            let sealed = flipped(&sealed, 8 * len + bit);
            refused(&aead, &nonce, aad, &sealed, &format!("bit {bit} of the tag, a text of {len}"));
        }
        for bit in bits(aad_len) {
            refused(&aead, &nonce, &flipped(aad, bit), &sealed, &format!("bit {bit} of {aad_len} of AAD"));
        }
        for bit in 0..8 * A::NONCE_LEN {
            refused(
                &aead,
                as_nonce::<A>(&flipped(nonce.as_ref(), bit)),
                aad,
                &sealed,
                &format!("bit {bit} of the nonce"),
            );
        }
        // As it was, it opens.
        let mut opened = vec![0xa5; len];
        assert_eq!(aead.open_to(&nonce, aad, &sealed, &mut opened), Ok(()));
        assert_eq!(opened, text);
    }
}

/// Zeros at an end, and bytes that go over from AAD to text, are padding for nobody.
fn other_lengths<A: Aead>() {
    let (aead, nonce, zeros) = (new::<A>(), nonce::<A>(), [0; 40]);
    for (len, aad_len) in [(0, 0), (1, 15), (15, 1), (16, 16), (20, 20)] {
        let (aad, sealed) = (&zeros[..aad_len], sealed::<A>(&nonce, &zeros[..aad_len], &zeros[..len]));
        let (text, tag) = sealed.split_at(len);
        refused(&aead, &nonce, &zeros[..aad_len + 1], &sealed, "a zero more of AAD");
        refused(&aead, &nonce, aad, &[text, &[0], tag].concat(), "a zero more of text");
        if aad_len > 0 {
            refused(&aead, &nonce, &aad[1..], &sealed, "a zero less of AAD");
            refused(&aead, &nonce, &aad[1..], &[&[0], text, tag].concat(), "a byte of AAD become text");
        }
        if len > 0 {
            refused(&aead, &nonce, aad, &sealed[1..], "a byte less of text");
            refused(&aead, &nonce, aad, &[&text[..len - 1], tag].concat(), "a byte less of text");
            refused(&aead, &nonce, &[aad, &text[..1]].concat(), &sealed[1..], "a byte of text become AAD");
        }
    }
}

fn wrong_lengths<A: Aead>() {
    let (aead, nonce, data) = (new::<A>(), nonce::<A>(), painted(700));
    let wrong = |result, allowed: RangeInclusive<usize>, actual: usize, what: &str| {
        assert!(
            matches!(
                result,
                Err(Error::WrongLength { min, max, actual: a, .. }) if (min..=max, a) == (allowed.clone(), actual)
            ),
            "{}: {what}: {result:?}, expected {allowed:?}, got {actual}",
            A::NAME
        );
    };
    for len in [0, 1, 15, 16, 17, 300] {
        let pieces: [&[u8]; 3] = [&data[..len / 2], &[], &data[len / 2..len]];
        let room = len + TAG_LEN;
        for actual in [0, len, room - 1, room + 1, room + 16, 700] {
            // 0 and 16 bytes of room are right for no length here but 0's.
            if actual != room {
                let mut output = painted(actual);
                let result = aead.seal_to(&nonce, b"", &pieces, &mut output);
                wrong(result, room..=room, actual, "sealing to an output of a wrong length");
                assert_eq!(output, painted(actual), "{}: a refusal leaves the output alone", A::NAME);
            }
        }
        let sealed = sealed::<A>(&nonce, b"", &data[..len]);
        for actual in [0, len.wrapping_sub(1), len + 1, room, 700] {
            if actual != len && actual <= 700 {
                let mut output = painted(actual);
                let result = aead.open_to(&nonce, b"", &sealed, &mut output);
                wrong(result, len..=len, actual, "opening to an output of a wrong length");
                assert_eq!(output, painted(actual), "{}: a refusal leaves the output alone", A::NAME);
            }
        }
    }
    for actual in 0..TAG_LEN {
        for room in [0, 1, 16] {
            let mut output = painted(room);
            let result = aead.open_to(&nonce, b"", &data[..actual], &mut output);
            wrong(result, TAG_LEN..=usize::MAX, actual, "shorter than a tag");
            assert_eq!(output, painted(room), "{}: a refusal leaves the output alone", A::NAME);
        }
    }
}

fn keys<A: Aead>() {
    for actual in (0..=70).filter(|&len| len != A::KEY_LEN) {
        let refused = A::from_slice(&painted(actual)).err();
        assert!(
            matches!(
                refused,
                Some(Error::WrongLength { min, max, actual: a, .. }) if (min, max, a) == (A::KEY_LEN, A::KEY_LEN, actual)
            ),
            "{}: a key of {actual} bytes: {refused:?}",
            A::NAME
        );
    }
    // Every bit of the key counts.
    let (nonce, key) = (nonce::<A>(), key::<A>());
    let sealed = sealed::<A>(&nonce, b"aad", b"text");
    for bit in 0..8 * A::KEY_LEN {
        let mut key = key.clone();
        key[bit / 8] ^= 1 << (bit % 8);
        refused(&A::from_slice(&key).unwrap(), &nonce, b"aad", &sealed, &format!("bit {bit} of the key"));
    }
    // A clone is a key of its own, here in another thread, if there are threads.
    let original = new::<A>();
    let clone = original.clone();
    drop(original);
    let open = move || {
        let mut opened = [0; 4];
        clone.open_to(&nonce, b"aad", &sealed, &mut opened).map(|()| opened)
    };
    let opened = if cfg!(target_family = "wasm") {
        open()
    } else {
        std::thread::scope(|scope| scope.spawn(open).join().unwrap())
    };
    assert_eq!(opened, Ok(*b"text"), "{}: cloned", A::NAME);
}

fn guard_pages<A: Aead>() {
    let (key, nonce) = (Guarded::at_end(&key::<A>()), Guarded::at_end(nonce::<A>().as_ref()));
    let nonce = as_nonce::<A>(&nonce);
    let (aead, data) = (A::from_slice(&key).unwrap(), painted(4200 + TAG_LEN));
    let inputs = (Guarded::at_start(&data), Guarded::at_end(&data));
    let mut sealings = (Guarded::at_start(&data), Guarded::at_end(&data));
    let mut openings = (Guarded::at_start(&data), Guarded::at_end(&data));
    let aads = (Guarded::at_start(&data[..600]), Guarded::at_end(&data[..600]));
    for len in guarded_lengths() {
        let (first, last, room) = (&data[..len], &data[data.len() - len..], len + TAG_LEN);
        let aad_len = len % 41;
        let (first_aad, last_aad) = (&aads.0[..aad_len], aads.1.last(aad_len));
        let what = |way: &str| format!("{}: {len} bytes {way}", A::NAME);
        let expected = sealed::<A>(nonce, first_aad, first);
        let (text, tag) = expected.split_last_chunk().unwrap();
        // In place, at the start.
        let place = &mut sealings.0[..len];
        place.copy_from_slice(first);
        assert_eq!(aead.seal(nonce, first_aad, place).unwrap(), *tag, "{}", what("at the start"));
        assert_eq!(place, text, "{}", what("at the start"));
        aead.open(nonce, first_aad, place, tag).unwrap();
        assert_eq!(place, first, "{}", what("at the start"));
        // From the start to the end, and back.
        sealings.1.copy_from_slice(&data);
        openings.0.copy_from_slice(&data);
        aead.seal_to(nonce, first_aad, &[&inputs.0[..len]], sealings.1.last_mut(room)).unwrap();
        assert_eq!(sealings.1.last(room), expected, "{}", what("from the start to the end"));
        aead.open_to(nonce, first_aad, sealings.1.last(room), &mut openings.0[..len]).unwrap();
        assert_eq!(openings.0[..len], *first, "{}", what("from the end to the start"));
        assert_eq!(sealings.1[..data.len() - room], data[..data.len() - room], "{}", what("written before"));
        assert_eq!(openings.0[len..], data[len..], "{}", what("written behind"));

        let expected = sealed::<A>(nonce, last_aad, last);
        let (text, tag) = expected.split_last_chunk().unwrap();
        // In place, at the end.
        let place = sealings.1.last_mut(len);
        place.copy_from_slice(last);
        assert_eq!(aead.seal(nonce, last_aad, place).unwrap(), *tag, "{}", what("at the end"));
        assert_eq!(place, text, "{}", what("at the end"));
        aead.open(nonce, last_aad, place, tag).unwrap();
        assert_eq!(place, last, "{}", what("at the end"));
        // From the end to the start, and back.
        sealings.0.copy_from_slice(&data);
        openings.1.copy_from_slice(&data);
        aead.seal_to(nonce, last_aad, &[inputs.1.last(len)], &mut sealings.0[..room]).unwrap();
        assert_eq!(sealings.0[..room], expected, "{}", what("from the end to the start"));
        aead.open_to(nonce, last_aad, &sealings.0[..room], openings.1.last_mut(len)).unwrap();
        assert_eq!(openings.1.last(len), last, "{}", what("from the start to the end"));
        assert_eq!(sealings.0[room..], data[room..], "{}", what("written behind"));
        assert_eq!(openings.1[..data.len() - len], data[..data.len() - len], "{}", what("written before"));
    }
    // AAD of every length at both ends.
    for len in 0..=600 {
        let sealed = sealed::<A>(nonce, &data[..len], b"text");
        let (text, tag) = sealed.split_last_chunk().unwrap();
        assert_eq!(aead.open(nonce, &aads.0[..len], &mut text.to_vec(), tag), Ok(()), "{len} of AAD");
        let sealed = self::sealed::<A>(nonce, &data[600 - len..600], b"text");
        let (text, tag) = sealed.split_last_chunk().unwrap();
        assert_eq!(aead.open(nonce, aads.1.last(len), &mut text.to_vec(), tag), Ok(()), "{len} of AAD");
    }
}
