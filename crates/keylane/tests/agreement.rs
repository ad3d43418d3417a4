//! Do the implementations agree with an independent one, at any length, offset and split?

use core::num::NonZeroU32;
use keylane::aes::Aes;
use keylane::hkdf::Prk;
use keylane::hmac::HmacKey;
use keylane::operations::Call;
use keylane::pbkdf2;
use keylane::poly1305::Poly1305;
use keylane::primitives;
use keylane_testkit::{Aead, LENGTHS, Oracle, Random, Stream, as_nonce, every_backend, painted};
use keylane_testkit::{decrypted_blocks, encrypted_blocks, expected_poly1305, poly1305_by_the_book};
use keylane_testkit::{for_every_aead, for_every_hash, for_every_stream};

for_every_hash!(every_length, every_offset, batches, macs, random_calls, derived_keys, expanded_keys);
for_every_stream!(every_keystream, long_keystreams, random_streams);
for_every_aead!(every_sealed_length, every_aad_length, long_texts, random_seals);

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
        let mut random = Random::new((21 + H::OUTPUT_LEN + H::BLOCK_LEN) as u64);
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

#[test]
fn aes() {
    let mut random = Random::new(30);
    let keys: Vec<_> = (0..24).map(|i| random.bytes([16, 24, 32][i % 3])).collect();
    let blocks: Vec<[u8; 16]> = (0..300).map(|_| random.array()).collect();
    let cases: Vec<_> = keys
        .iter()
        .map(|key| (key, encrypted_blocks(key, &blocks), decrypted_blocks(key, &blocks)))
        .collect();
    every_backend("aes", |_| {
        for (key, encrypted, decrypted) in &cases {
            let aes = Aes::from_slice(key).unwrap();
            for count in (0..=70).chain([127, 128, 129, 300]) {
                let from = (300 - count).min(count);
                let range = from..from + count;
                let mut output = blocks[range.clone()].to_vec();
                aes.encrypt_blocks(&mut output);
                assert_eq!(output, encrypted[range.clone()], "{count} blocks, a key of {}", key.len());
                output.copy_from_slice(&blocks[range.clone()]);
                aes.decrypt_blocks(&mut output);
                assert_eq!(output, decrypted[range], "{count} blocks, a key of {}", key.len());
            }
        }
    });
}

/// Every length up to 1100, and with the lengths every offset from 0 to 64.
#[test]
fn poly1305() {
    let (key, data) = (Random::new(50).array(), painted(1200));
    let cases: Vec<_> = (0..=1100)
        .map(|len| {
            let message = &data[len % 65..][..len];
            let expected = expected_poly1305(&key, message);
            assert_eq!(poly1305_by_the_book(&key, message), expected, "what is expected of {len} bytes");
            (message, expected)
        })
        .collect();
    every_backend("poly1305", |_| {
        for (message, expected) in &cases {
            let len = message.len();
            assert_eq!(Poly1305::mac(&key, message), *expected, "{len} bytes from {}", len % 65);
            let mut running = Poly1305::new(&key);
            running.update(message);
            assert_eq!(running.finalize(), *expected, "{len} bytes from {}", len % 65);
        }
    });
}

/// Keys, lengths, cuts, hints at random, and keys with many bits set or none.
#[test]
fn random_poly1305() {
    let (mut random, data) = (Random::new(51), Random::new(52).bytes(20_100));
    let cases: Vec<_> = (0..200)
        .map(|round| {
            let mut key: [u8; 32] = random.array();
            match round % 4 {
                0 => key[..16].iter_mut().for_each(|byte| *byte |= 0xf8),
                1 => key[..16].iter_mut().for_each(|byte| *byte &= 0x0c),
                _ => (),
            }
            let (from, len) = (random.below(65), random.length(if round < 20 { 20_000 } else { 5000 }));
            let message = &data[from..from + len];
            (key, message, expected_poly1305(&key, message))
        })
        .collect();
    every_backend("poly1305", |_| {
        let mut random = Random::new(53);
        for (round, (key, message, expected)) in cases.iter().enumerate() {
            let pieces = 1 + random.below(12);
            let mut running = Poly1305::with_hint(key, random.below(2) * message.len());
            for piece in random.split(message, pieces) {
                running.update(piece);
            }
            let what = format!("round {round}: {} bytes in {pieces}", message.len());
            assert_eq!(running.verify(expected), Ok(()), "{what}");
            assert_eq!(Poly1305::mac(key, message), *expected, "{what}");
        }
    });
}

fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// Every length up to 1100, and with the lengths every offset from 0 to 64.
fn every_keystream<S: Stream>() {
    let data = painted(1200);
    let (key, nonce) = (Random::new(31).bytes(S::KEY_LEN), Random::new(32).bytes(S::NONCE_LEN));
    let keystream = S::expected_keystream(&key, &nonce, 1100);
    let cases: Vec<_> = (0..=1100)
        .map(|len| {
            let offset = len % 65;
            (offset, &data[offset..offset + len], xor(&data[offset..offset + len], &keystream))
        })
        .collect();
    every_backend(S::PRIMITIVE, |_| {
        let (mut place, mut output) = (data.clone(), data.clone());
        for (offset, input, expected) in &cases {
            let range = *offset..offset + input.len();
            place.copy_from_slice(&data);
            S::new(&key, &nonce).xor_keystream(&mut place[range.clone()]).unwrap();
            assert_eq!(place[range.clone()], *expected, "{} bytes from {offset}", input.len());
            assert_eq!((&place[..*offset], &place[range.end..]), (&data[..*offset], &data[range.end..]));
            // The output at another offset than the input.
            let to = 64 - offset;
            output.copy_from_slice(&data);
            let range = to..to + input.len();
            S::new(&key, &nonce).xor_keystream_to(input, &mut output[range.clone()]).unwrap();
            assert_eq!(output[range.clone()], *expected, "{} bytes from {offset} to {to}", input.len());
            assert_eq!((&output[..to], &output[range.end..]), (&data[..to], &data[range.end..]));
        }
    });
}

fn long_keystreams<S: Stream>() {
    let data = painted(102_400);
    let (key, nonce) = (Random::new(33).bytes(S::KEY_LEN), Random::new(34).bytes(S::NONCE_LEN));
    let expected = xor(&data, &S::expected_keystream(&key, &nonce, data.len()));
    every_backend(S::PRIMITIVE, |_| {
        for len in [4095, 16_383, 16_384, 16_385, 102_400] {
            let mut output = data[..len].to_vec();
            S::new(&key, &nonce).xor_keystream(&mut output).unwrap();
            assert!(output == expected[..len], "{len} bytes");
            output.fill(0);
            S::new(&key, &nonce).xor_keystream_to(&data[..len], &mut output).unwrap();
            assert!(output == expected[..len], "{len} bytes, out of place");
        }
    });
}

/// Keys, counters, positions, lengths and cuts at random.
fn random_streams<S: Stream>() {
    let mut random = Random::new(35);
    let cases: Vec<_> = (0..100)
        .map(|_| {
            let (key, nonce) = (random.bytes(S::KEY_LEN), random.bytes(S::NONCE_LEN));
            let (from, data) = (random.below(3000), random.length(5000));
            let data = random.bytes(data);
            let keystream = S::expected_keystream(&key, &nonce, from + data.len());
            let expected = xor(&data, &keystream[from..]);
            (key, nonce, from, data, expected)
        })
        .collect();
    every_backend(S::PRIMITIVE, |_| {
        let mut random = Random::new(36);
        for (round, (key, nonce, from, data, expected)) in cases.iter().enumerate() {
            let (mut cipher, mut output) = (S::new(key, nonce), Vec::new());
            cipher.seek(*from as u64).unwrap();
            let pieces = 1 + random.below(12);
            for piece in random.split(data, pieces) {
                let mut place = piece.to_vec();
                if random.below(2) == 0 {
                    cipher.xor_keystream(&mut place).unwrap();
                } else {
                    cipher.xor_keystream_to(piece, &mut place).unwrap();
                }
                output.extend(place);
            }
            assert_eq!(output, *expected, "round {round}: {} bytes from {from} in {pieces}", data.len());
        }
    });
}

/// Every length up to 1100, and with the lengths every offset from 0 to 64, in every way to seal and open.
fn every_sealed_length<A: Aead>() {
    let data = painted(1200);
    let (key, nonce) =
        (Random::new(40).bytes(A::KEY_LEN), *as_nonce::<A>(&Random::new(41).bytes(A::NONCE_LEN)));
    let cases: Vec<_> = (0..=1100)
        .map(|len| {
            let offset = len % 65;
            let (aad, text) = (&data[..7 * len % 90], &data[offset..offset + len]);
            (offset, aad, text, A::expected_sealed(&key, nonce.as_ref(), aad, text))
        })
        .collect();
    every_backend(A::PRIMITIVE, |_| {
        let aead = A::from_slice(&key).unwrap();
        let (mut place, mut output) = (data.clone(), data.clone());
        for (offset, aad, text, sealed) in &cases {
            let (cipher, tag) = sealed.split_last_chunk().unwrap();
            let range = *offset..offset + text.len();
            let what = format!("{} bytes from {offset}, {} of AAD", text.len(), aad.len());
            place.copy_from_slice(&data);
            assert_eq!(aead.seal(&nonce, aad, &mut place[range.clone()]), Ok(*tag), "{what}");
            assert_eq!(place[range.clone()], *cipher, "{what}");
            assert_eq!((&place[..*offset], &place[range.end..]), (&data[..*offset], &data[range.end..]));
            assert_eq!(aead.open(&nonce, aad, &mut place[range.clone()], tag), Ok(()), "{what}");
            assert_eq!(place, data, "{what}");
            // The output at another offset than the input.
            let to = 64 - offset;
            output.copy_from_slice(&data);
            let range = to..to + sealed.len();
            aead.seal_to(&nonce, aad, &[text], &mut output[range.clone()]).unwrap();
            assert_eq!(output[range.clone()], *sealed, "{what}, to {to}");
            assert_eq!((&output[..to], &output[range.end..]), (&data[..to], &data[range.end..]));
            output.copy_from_slice(&data);
            let range = to..to + text.len();
            aead.open_to(&nonce, aad, sealed, &mut output[range.clone()]).unwrap();
            assert_eq!(output[range.clone()], **text, "{what}, to {to}");
            assert_eq!((&output[..to], &output[range.end..]), (&data[..to], &data[range.end..]));
        }
    });
}

fn every_aad_length<A: Aead>() {
    let data = painted(5000);
    let (key, nonce) =
        (Random::new(42).bytes(A::KEY_LEN), *as_nonce::<A>(&Random::new(43).bytes(A::NONCE_LEN)));
    let lengths = (0..=600).chain(LENGTHS.iter().copied().filter(|&len| len > 600));
    let cases: Vec<_> = lengths
        .map(|len| {
            let (aad, text) = (&data[len % 65..][..len], &data[..[0, 1, 16, 100, 300][len % 5]]);
            (aad, text, A::expected_sealed(&key, nonce.as_ref(), aad, text))
        })
        .collect();
    every_backend(A::PRIMITIVE, |_| {
        let aead = A::from_slice(&key).unwrap();
        for (aad, text, expected) in &cases {
            let (mut sealed, mut opened) = (vec![0; expected.len()], vec![0; text.len()]);
            aead.seal_to(&nonce, aad, &[text], &mut sealed).unwrap();
            assert_eq!(sealed, *expected, "{} bytes of AAD", aad.len());
            assert_eq!(
                aead.open_to(&nonce, aad, expected, &mut opened),
                Ok(()),
                "{} bytes of AAD",
                aad.len()
            );
            assert_eq!(opened, **text, "{} bytes of AAD", aad.len());
        }
    });
}

fn long_texts<A: Aead>() {
    let data = painted(102_400);
    let (key, nonce) =
        (Random::new(44).bytes(A::KEY_LEN), *as_nonce::<A>(&Random::new(45).bytes(A::NONCE_LEN)));
    let cases: Vec<_> = [(16_383, 0), (16_384, 13), (16_385, 5), (102_400, 20), (10, 102_400), (5000, 5000)]
        .into_iter()
        .map(|(len, aad)| {
            (&data[..len], &data[..aad], A::expected_sealed(&key, nonce.as_ref(), &data[..aad], &data[..len]))
        })
        .collect();
    every_backend(A::PRIMITIVE, |_| {
        let aead = A::from_slice(&key).unwrap();
        for (text, aad, expected) in &cases {
            let what = format!("{} bytes, {} of AAD", text.len(), aad.len());
            let (cipher, tag) = expected.split_last_chunk().unwrap();
            let mut place = text.to_vec();
            assert_eq!(aead.seal(&nonce, aad, &mut place), Ok(*tag), "{what}");
            assert!(place == cipher, "{what}");
            assert_eq!(aead.open(&nonce, aad, &mut place, tag), Ok(()), "{what}");
            assert!(place == **text, "{what}");
            let (mut sealed, halves) = (vec![0; expected.len()], text.split_at(text.len() / 2));
            aead.seal_to(&nonce, aad, &[halves.0, halves.1], &mut sealed).unwrap();
            assert!(sealed == *expected, "{what}, in halves");
            place.fill(0);
            assert_eq!(aead.open_to(&nonce, aad, expected, &mut place), Ok(()), "{what}");
            assert!(place == **text, "{what}, out of place");
        }
    });
}

/// Keys, nonces, lengths, cuts at random: no cut, empty pieces and single bytes among them.
fn random_seals<A: Aead>() {
    let data = Random::new(46).bytes(6000);
    let mut random = Random::new(47);
    let cases: Vec<_> = (0..150)
        .map(|_| {
            let (key, nonce) = (random.bytes(A::KEY_LEN), *as_nonce::<A>(&random.bytes(A::NONCE_LEN)));
            let (len, aad) = (random.length(5000), random.length(300));
            let from = random.below(data.len() - len);
            let (text, aad) = (&data[from..from + len], &data[from / 2..][..aad]);
            let expected = A::expected_sealed(&key, nonce.as_ref(), aad, text);
            (key, nonce, aad, text, expected)
        })
        .collect();
    every_backend(A::PRIMITIVE, |_| {
        let mut random = Random::new(48);
        for (round, (key, nonce, aad, text, expected)) in cases.iter().enumerate() {
            let aead = A::from_slice(key).unwrap();
            let cuts = random.below(12);
            let mut pieces = random.split(text, 1 + cuts);
            if round % 4 == 0 {
                // The first piece byte by byte.
                let (first, rest) = (pieces[0], pieces.split_off(1));
                pieces = first.chunks(1).chain(rest).collect();
            }
            let what = format!("round {round}: {} bytes, {} of AAD, {cuts} cuts", text.len(), aad.len());
            let (mut sealed, mut opened) = (vec![0; expected.len()], vec![0; text.len()]);
            aead.seal_to(nonce, aad, &pieces, &mut sealed).unwrap();
            assert_eq!(sealed, *expected, "{what}");
            assert_eq!(aead.open_to(nonce, aad, &sealed, &mut opened), Ok(()), "{what}");
            assert_eq!(opened, **text, "{what}");
            let (mut output, before) = (data[..random.below(40)].to_vec(), sealed.len());
            let start = output.len();
            aead.seal_append(nonce, aad, text, &mut output).unwrap();
            assert_eq!(output.len(), start + before, "{what}, appended");
            assert_eq!(
                (&output[..start], &output[start..]),
                (&data[..start], &expected[..]),
                "{what}, appended"
            );
        }
    });
}

/// What is measured is the same on each implementation, or measurements would compare different things.
#[test]
fn operations() {
    for primitive in primitives() {
        for operation in primitive.operations() {
            let mut first = None;
            every_backend(primitive.name(), |implementation| {
                let (key, mut data, mut answer) = (Random::new(90).bytes(48), painted(1500), [0xa5; 64]);
                (operation.prepare)(&key, &mut |call| {
                    let cuts = &[20, 90, 700, 701, 1000, 1200];
                    call(&mut Call { data: &mut data, cuts, answer: &mut answer });
                });
                assert_ne!(answer, [0xa5; 64], "{operation:?}");
                assert_eq!(*first.get_or_insert(answer), answer, "{operation:?} on {implementation}");
            });
        }
    }
}
