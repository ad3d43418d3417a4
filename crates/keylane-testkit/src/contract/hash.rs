//! What every hash promises.

use super::{batch, usable};
use crate::{Guarded, LENGTHS, Random, exclusively, painted};
use keylane::{Error, Hash};

/// Whether `H` keeps the promises of [`Hash`], on whatever implementation is selected.
///
/// # Panics
/// If it does not.
pub fn hash<H: Hash>() {
    constants::<H>();
    every_split::<H>();
    many::<H>();
    wrong_lengths::<H>();
    guard_pages::<H>();
    clones::<H>();
}

/// Whether a hash begun on one implementation of `primitive` and finished on another gives the digest.
///
/// # Panics
/// If it does not.
pub fn hash_handed_over<H: Hash>(primitive: &str) {
    let data = painted(1000);
    exclusively(primitive, |primitive| {
        let names = usable(primitive);
        for first in &names {
            for second in &names {
                for cut in [0, 1, 63, 64, 100, 128, 500, 936, 999, 1000] {
                    primitive.select(first).unwrap();
                    let expected = H::digest(&data);
                    let mut hash = H::new();
                    hash.update(&data[..cut / 2]);
                    hash.update(&data[cut / 2..cut]);
                    primitive.select(second).unwrap();
                    hash.update(&data[cut..]);
                    let other = hash.clone();
                    assert_eq!(hash.finalize(), expected, "{}: {first}, from {cut} {second}", H::NAME);
                    primitive.select(first).unwrap();
                    assert_eq!(other.finalize(), expected, "{}: {first}, {second}, {first}", H::NAME);
                }
            }
        }
    });
}

fn constants<H: Hash>() {
    assert_eq!(H::digest(b"").as_ref().len(), H::OUTPUT_LEN);
    assert_eq!(H::new().finalize(), H::digest(b""));
    assert!(H::BLOCK_LEN > H::OUTPUT_LEN);
}

fn every_split<H: Hash>() {
    let data = painted(5000);
    for &len in LENGTHS {
        let data = &data[..len];
        let expected = H::digest(data);
        // Every cut of a short message; of a long one those that are near its ends.
        let cuts =
            (0..=len).filter(|&cut| len <= 300 || LENGTHS.contains(&cut) || LENGTHS.contains(&(len - cut)));
        for cut in cuts {
            let mut hash = H::new();
            hash.update(&data[..cut]);
            hash.update(&data[cut..]);
            assert_eq!(hash.finalize(), expected, "{}: {len} bytes cut at {cut}", H::NAME);
        }
    }
    let mut random = Random::new(1);
    for pieces in 1..60 {
        let data = &data[..random.length(5000)];
        let mut hash = H::new();
        for piece in random.split(data, pieces) {
            hash.update(piece);
        }
        assert_eq!(hash.finalize(), H::digest(data), "{}: {} bytes in {pieces} pieces", H::NAME, data.len());
    }
    assert_eq!(data, painted(5000), "the input is as it was");
}

fn many<H: Hash>() {
    let (mut random, data) = (Random::new(2), painted(4500));
    for count in 0..=70 {
        let long = [0, 1, count / 8][count % 3];
        check_many::<H>(&batch(&mut random, &data, count, long));
    }
    // Equal lengths; one long among empty ones, at either end; each a byte longer than the last.
    for len in [0, 55, 64, 300] {
        check_many::<H>(&(0..40).map(|i| &data[i..i + len]).collect::<Vec<_>>());
    }
    for at in [0, 39] {
        let mut messages: Vec<&[u8]> = vec![&[]; 40];
        messages[at] = &data;
        check_many::<H>(&messages);
    }
    check_many::<H>(&(0..70).map(|i| &data[i..3 * i]).collect::<Vec<_>>());
    assert_eq!(data, painted(4500), "the input is as it was");
}

fn check_many<H: Hash>(messages: &[&[u8]]) {
    let mut digests = vec![H::digest(b"not yet"); messages.len()];
    H::digest_many(messages, &mut digests).unwrap();
    for (i, (message, digest)) in messages.iter().zip(&digests).enumerate() {
        let (len, count) = (message.len(), messages.len());
        assert_eq!(*digest, H::digest(message), "{}: message {i} of {count}, {len} bytes", H::NAME);
    }
    // The same messages by running hashes, each in three pieces.
    let mut hashes = vec![H::new(); messages.len()];
    for third in 0..3 {
        let piece = |message: &&'_ [u8]| third * message.len() / 3..(third + 1) * message.len() / 3;
        let pieces: Vec<_> = messages.iter().map(|message| &message[piece(message)]).collect();
        H::update_many(&mut hashes, &pieces).unwrap();
    }
    for (i, (hash, digest)) in hashes.into_iter().zip(&digests).enumerate() {
        assert_eq!(hash.finalize(), *digest, "{}: running hash {i} of {}", H::NAME, messages.len());
    }
}

fn wrong_lengths<H: Hash>() {
    let before = [H::digest(b"before"); 5];
    for (messages, outs) in [(0, 1), (1, 0), (4, 5), (5, 4), (3, 5)] {
        let mut out = before;
        let result = H::digest_many(&vec![b"message".as_slice(); messages], &mut out[..outs]);
        let (min, max) = (messages, messages);
        let expected = Error::WrongLength { what: "number of digests", min, max, actual: outs };
        assert_eq!(result, Err(expected));
        assert_eq!(out, before, "{}: a refusal leaves the output alone", H::NAME);
        let mut hashes = vec![H::new(); messages];
        let expected = Error::WrongLength { what: "number of slices", min, max, actual: outs };
        assert_eq!(H::update_many(&mut hashes, &vec![b"data"; outs]), Err(expected));
        for hash in hashes {
            assert_eq!(hash.finalize(), H::digest(b""), "{}: a refusal absorbs nothing", H::NAME);
        }
    }
}

fn guard_pages<H: Hash>() {
    let data = painted(4200);
    let (start, end) = (Guarded::at_start(&data), Guarded::at_end(&data));
    for &len in LENGTHS {
        assert_eq!(H::digest(&start[..len]), H::digest(&data[..len]), "{}: {len} bytes", H::NAME);
        let expected = H::digest(&data[data.len() - len..]);
        assert_eq!(H::digest(end.last(len)), expected, "{}: {len} bytes at the end", H::NAME);
        let mut hash = H::new();
        hash.update(end.last(len));
        assert_eq!(hash.finalize(), expected, "{}: {len} bytes at the end", H::NAME);
    }
    // Every alignment at both ends.
    for offset in 0..=64 {
        let at_start = H::digest(&data[offset..offset + 200]);
        assert_eq!(H::digest(&start[offset..offset + 200]), at_start, "{}: offset {offset}", H::NAME);
        let at_end = H::digest(&data[data.len() - 200 - offset..]);
        assert_eq!(H::digest(end.last(200 + offset)), at_end, "{}: offset {offset}", H::NAME);
    }
    // Side by side: all messages end, or begin, at a guard page.
    for count in [1, 2, 3, 4, 5, 8, 16, 17] {
        check_many::<H>(&(0..count).map(|i| end.last(60 * i + 5)).collect::<Vec<_>>());
        check_many::<H>(&(0..count).map(|i| &start[..60 * i + 5]).collect::<Vec<_>>());
        check_many::<H>(&vec![end.last(256); count]);
    }
}

fn clones<H: Hash>() {
    let data = painted(400);
    for cut in [0, 1, 63, 64, 65, 127, 128, 200] {
        let mut hash = H::new();
        hash.update(&data[..cut]);
        let mut other = hash.clone();
        other.update(b"another way on");
        hash.update(&data[cut..]);
        let third = hash.clone();
        assert_eq!(hash.finalize(), H::digest(&data), "{}: cloned at {cut}", H::NAME);
        assert_eq!(other.finalize(), H::digest(&[&data[..cut], b"another way on"].concat()));
        assert_eq!(third.finalize(), H::digest(&data));
    }
}
