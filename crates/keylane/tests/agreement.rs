//! Do the implementations agree with an independent one, at any length, offset and split?

use core::num::NonZeroU32;
use keylane::hkdf::Prk;
use keylane::hmac::HmacKey;
use keylane::pbkdf2;
use keylane_testkit::{LENGTHS, Oracle, Random, every_backend, for_every_hash, painted};

for_every_hash!(every_length, every_offset, batches, macs, random_calls, derived_keys, expanded_keys);

fn every_length<H: Oracle>() {
    let data = painted(4200);
    let expected: Vec<_> = LENGTHS.iter().map(|&len| H::expected_digest(&data[..len])).collect();
    let messages: Vec<&[u8]> = LENGTHS.iter().map(|&len| &data[..len]).collect();
    every_backend(H::PRIMITIVE, |_| {
        for (message, expected) in messages.iter().zip(&expected) {
            assert_eq!(H::digest(message), *expected, "{} of {} bytes", H::NAME, message.len());
        }
        let mut digests = vec![H::digest(b""); messages.len()];
        H::digest_many(&messages, &mut digests).unwrap();
        assert_eq!(digests, expected);
    });
}

fn every_offset<H: Oracle>() {
    let data = painted(600);
    let lengths = [1, 31, 64, 129, 256, 500];
    let cases: Vec<_> = (0..=64).flat_map(|offset| lengths.map(|len| &data[offset..offset + len])).collect();
    let expected: Vec<_> = cases.iter().map(|message| H::expected_digest(message)).collect();
    every_backend(H::PRIMITIVE, |_| {
        for (i, (message, expected)) in cases.iter().zip(&expected).enumerate() {
            let (offset, len) = (i / lengths.len(), message.len());
            assert_eq!(H::digest(message), *expected, "{len} bytes from {offset}");
        }
        let mut digests = vec![H::digest(b""); cases.len()];
        H::digest_many(&cases, &mut digests).unwrap();
        assert_eq!(digests, expected);
    });
}

/// Every number of messages, each with content of its own, so that no lane can take another's place.
fn batches<H: Oracle>() {
    let data = Random::new(10).bytes(2000);
    let mut random = Random::new(11);
    let batches: Vec<Vec<&[u8]>> = (0..=40)
        .map(|count| {
            let message = |_| {
                let len = random.length(700);
                let from = random.below(data.len() - len);
                &data[from..from + len]
            };
            (0..count).map(message).collect()
        })
        .collect();
    let expected: Vec<Vec<_>> = batches
        .iter()
        .map(|batch| batch.iter().map(|message| H::expected_digest(message)).collect())
        .collect();
    every_backend(H::PRIMITIVE, |_| {
        for (batch, expected) in batches.iter().zip(&expected) {
            let mut digests = vec![H::digest(b""); batch.len()];
            H::digest_many(batch, &mut digests).unwrap();
            assert_eq!(digests, *expected, "{} messages", batch.len());
        }
    });
}

fn macs<H: Oracle>() {
    let data = painted(1000);
    let keys = [0, 1, 19, 20, 32, 63, 64, 65, 127, 128, 129, 200];
    let lengths: Vec<usize> = LENGTHS.iter().copied().filter(|&len| len <= 520).collect();
    let messages: Vec<&[u8]> = lengths.iter().map(|&len| &data[len % 7..][..len]).collect();
    let expected: Vec<Vec<_>> = keys
        .iter()
        .map(|&key| messages.iter().map(|message| H::expected_mac(&data[..key], message)).collect())
        .collect();
    every_backend(H::PRIMITIVE, |_| {
        for (&len, expected) in keys.iter().zip(&expected) {
            let key = HmacKey::<H>::new(&data[..len]);
            let tags: Vec<_> = messages.iter().map(|message| key.mac(message)).collect();
            assert_eq!(tags, *expected, "a key of {len} bytes");
            let mut tags = vec![key.mac(b""); messages.len()];
            key.mac_many(&messages, &mut tags).unwrap();
            assert_eq!(tags, *expected, "a key of {len} bytes, many messages");
        }
    });
}

/// Random lengths, offsets and splits: the same in every run, and other ones for every hash.
fn random_calls<H: Oracle>() {
    let data = Random::new(20).bytes(6000);
    every_backend(H::PRIMITIVE, |_| {
        let mut random = Random::new(21 + H::ID as u64);
        for round in 0..150 {
            let len = random.length(5000);
            let from = random.below(data.len() - len);
            let message = &data[from..from + len];
            let expected = H::expected_digest(message);
            assert_eq!(H::digest(message), expected, "round {round}: {len} bytes from {from}");
            let pieces = 1 + random.below(12);
            let mut hash = H::new();
            for piece in random.split(message, pieces) {
                hash.update(piece);
            }
            assert_eq!(hash.finalize(), expected, "round {round}: {len} bytes in {pieces} pieces");
            let key_len = random.length(300);
            let key = HmacKey::<H>::new(&data[..key_len]);
            let expected = H::expected_mac(&data[..key_len], message);
            assert_eq!(key.mac(message), expected, "round {round}: {len} bytes, key of {key_len}");
            assert_eq!(key.mac_parts(&random.split(message, pieces)), expected, "round {round}");
        }
    });
}

fn derived_keys<H: Oracle>() {
    let data = painted(300);
    // Password, salt, iterations, output: one block, a part of one, several, more than any kernel's lanes.
    let cases = [
        (8, 16, 1, H::OUTPUT_LEN),
        (8, 16, 2, H::OUTPUT_LEN),
        (0, 0, 3, 1),
        (64, 60, 5, H::OUTPUT_LEN - 1),
        (65, 64, 7, H::OUTPUT_LEN + 1),
        (129, 128, 100, 3 * H::OUTPUT_LEN),
        (130, 200, 3, 16 * H::OUTPUT_LEN),
        (20, 7, 4, 37 * H::OUTPUT_LEN + 5),
    ];
    let expected = cases.map(|(password, salt, iterations, len)| {
        let mut out = vec![0; len];
        H::expected_pbkdf2(&data[..password], &data[..salt], iterations, &mut out);
        out
    });
    every_backend(H::PRIMITIVE, |_| {
        for (case, expected) in cases.iter().zip(&expected) {
            let &(password, salt, iterations, len) = case;
            let (iterations, mut out) = (NonZeroU32::new(iterations).unwrap(), vec![0; len]);
            pbkdf2::derive::<H>(&data[..password], &data[..salt], iterations, &mut out).unwrap();
            assert_eq!(out, *expected, "{case:?}");
        }
    });
}

fn expanded_keys<H: Oracle>() {
    let data = painted(300);
    let cases = [(0, 0, 0, 0), (0, 22, 10, 42), (13, 80, 80, 82), (200, 5, 300, 255 * H::OUTPUT_LEN)];
    let expected = cases.map(|(salt, ikm, info, len)| {
        let mut out = vec![0; len];
        H::expected_hkdf(&data[..salt], &data[..ikm], &data[..info], &mut out);
        out
    });
    every_backend(H::PRIMITIVE, |_| {
        for (case, expected) in cases.iter().zip(&expected) {
            let &(salt, ikm, info, len) = case;
            let mut out = vec![0; len];
            Prk::<H>::extract(&data[..salt], &data[..ikm]).expand(&[&data[..info]], &mut out).unwrap();
            assert_eq!(out, *expected, "{case:?}");
        }
    });
}
