//! Poly1305 against published answers, and with the largest possible numbers.

use core::fmt::Arguments;
use keylane::poly1305::Poly1305;
use keylane_contracts::{Random, every_implementation, hex, painted};
use num_bigint::BigUint;

/// In one call, and in pieces of all lengths up to three blocks.
fn check(key: &[u8; 32], message: &[u8], tag: &[u8; 16], what: Arguments<'_>) {
    assert_eq!(Poly1305::mac(key, message), *tag, "{what}");
    for piece in 1..=48 {
        let mut running = Poly1305::new(key);
        message.chunks(piece).for_each(|piece| running.update(piece));
        assert_eq!(running.verify(tag), Ok(()), "{what}, by {piece}");
    }
}

fn array<const N: usize>(digits: &str) -> [u8; N] {
    hex(digits).try_into().expect("as many bytes")
}

/// Checks keys, messages and tags.
fn published(cases: &[(&str, &[u8], &str)]) {
    every_implementation("poly1305", |_| {
        for (key, message, tag) in cases {
            check(&array(key), message, &array(tag), format_args!("{tag}"));
        }
    });
}

const SUBMISSION: &[u8] = b"Any submission to the IETF intended by the Contributor for publication as all or part of \
    an IETF Internet-Draft or RFC and any statement made within the context of an IETF activity is considered an \
    \"IETF Contribution\". Such statements include oral statements in IETF sessions, as well as written and \
    electronic communications made at any time or place, which are addressed to";

/// RFC 8439 §2.5.2 and appendix A.3, #1 to #4.
#[test]
fn rfc8439_texts() {
    published(&[
        (
            "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b",
            b"Cryptographic Forum Research Group",
            "a8061dc1305136c6c22b8baf0c0127a9",
        ),
        (
            "0000000000000000000000000000000000000000000000000000000000000000",
            &[0; 64],
            "00000000000000000000000000000000",
        ),
        (
            "0000000000000000000000000000000036e5f6b5c5e06070f0efca96227a863e",
            SUBMISSION,
            "36e5f6b5c5e06070f0efca96227a863e",
        ),
        (
            "36e5f6b5c5e06070f0efca96227a863e00000000000000000000000000000000",
            SUBMISSION,
            "f3477e7cd95417af89a6b8794c310cf0",
        ),
        (
            "1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0",
            b"'Twas brillig, and the slithy toves\nDid gyre and gimble in the wabe:\nAll mimsy were the \
                borogoves,\nAnd the mome raths outgrabe.",
            "4541669a7eaaee61e708dc7cbcc5eb62",
        ),
    ]);
}

/// RFC 8439, appendix A.3, #5 to #11: r, s, message, tag.
#[test]
fn rfc8439_reductions() {
    const ZEROS: &str = "00000000000000000000000000000000";
    const ONES: &str = "ffffffffffffffffffffffffffffffff";
    const ONE: &str = "01000000000000000000000000000000";
    const TWO: &str = "02000000000000000000000000000000";
    const THREE: &str = "03000000000000000000000000000000";
    const ONE_AND_FOUR: &str = "01000000000000000400000000000000";
    let cases = [
        (TWO, ZEROS, ONES, THREE),
        (TWO, ONES, TWO, THREE),
        (
            ONE,
            ZEROS,
            "fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff11000000000000000000000000000000",
            "05000000000000000000000000000000",
        ),
        (
            ONE,
            ZEROS,
            "fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe01010101010101010101010101010101",
            ZEROS,
        ),
        (TWO, ZEROS, "fdffffffffffffffffffffffffffffff", "faffffffffffffffffffffffffffffff"),
        (
            ONE_AND_FOUR,
            ZEROS,
            "e33594d7505e43b900000000000000003394d7505e4379cd01000000000000000000000000000000000000000000000001\
                000000000000000000000000000000",
            "14000000000000005500000000000000",
        ),
        (
            ONE_AND_FOUR,
            ZEROS,
            "e33594d7505e43b900000000000000003394d7505e4379cd010000000000000000000000000000000000000000000000",
            "13000000000000000000000000000000",
        ),
    ];
    every_implementation("poly1305", |_| {
        for (r, s, message, tag) in cases {
            check(&array(&[r, s].concat()), &hex(message), &array(tag), format_args!("{message}"));
        }
    });
}

/// The message that NaCl's tests of `onetimeauth` and `secretbox` share.
#[test]
fn nacl() {
    published(&[(
        "eea6a7251c1e72916d11c2cb214d3c252539121d8e234e652d651fa4c8cff880",
        &hex(
            "8e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c972\
            71d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da\
            99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5",
        ),
        "f3ffc7703f9400e52a7dfb4b3d3305d9",
    )]);
}

/// The self-test of poly1305-opt: under a last key, the tags of 256 messages, which are n times the byte n
/// under a key whose r is made of the byte n.
#[test]
fn tag_of_tags() {
    let key = array("01020304050607fffefdfcfbfaf9ffffffffffffffffffffffffffff00000000");
    let tag = array("c69dc3b975ee5f6b289957944127d75e");
    every_implementation("poly1305", |_| {
        let (mut total, mut tags) = (Poly1305::new(&key), Vec::new());
        for byte in 0..=255 {
            let mut key = [0xff; 32];
            key[..16].fill(byte);
            let tag = Poly1305::mac(&key, &vec![byte; byte.into()]);
            total.update(&tag);
            tags.extend(tag);
        }
        assert_eq!(total.verify(&tag), Ok(()));
        check(&key, &tags, &tag, format_args!("all in one call"));
    });
}

/// Each r with two s, none and all bits set. Small r, which leave sums of blocks; every bit that may be set,
/// in all of r and in each part of it; any.
fn keys() -> Vec<[u8; 32]> {
    [
        "01000000000000000000000000000000",
        "02000000000000000000000000000000",
        "00000000040000000000000000000000",
        "00000000000000000400000000000000",
        "ffffffffffffffffffffffffffffffff",
        "ffffff0f000000000000000000000000",
        "00000000fcffff0f0000000000000000",
        "0000000000000000fcffff0ffcffff0f",
        "000000000000000000000000fcffff0f",
        "0000000000000000000000000000000c",
        "faffffff00000000ffffff0ffeffff07",
        "1032547698badcfe0123456789abcdef",
    ]
    .into_iter()
    .flat_map(|r| {
        ["00000000000000000000000000000000", "ffffffffffffffffffffffffffffffff"]
            .map(|s| array(&[r, s].concat()))
    })
    .collect()
}

/// Whole, and in two parts, so that a value is handed over in the middle, too.
fn check_parts(key: &[u8; 32], message: &[u8], tag: &[u8; 16], what: Arguments<'_>) {
    let blocks = message.len() / 16;
    assert_eq!(Poly1305::mac(key, message), *tag, "{what}");
    for cut in [blocks / 3, blocks.saturating_sub(2), blocks.saturating_sub(8)] {
        let mut running = Poly1305::new(key);
        running.update(&message[..16 * cut]);
        running.update(&message[16 * cut..]);
        assert_eq!(running.finalize(), *tag, "{what}, cut after {cut} blocks");
    }
}

/// Five blocks that bring the value from `from` to `to`. Where r is small, fewer do not reach every value.
fn last_blocks(
    random: &mut Random,
    from: &BigUint,
    r: &BigUint,
    inverse: &BigUint,
    to: &BigUint,
) -> [u8; 80] {
    let p = modulus();
    (0..1000)
        .find_map(|_| {
            let mut extreme = || [[0, 0xff][random.below(2)]; 16];
            let (a, b) = (extreme(), extreme());
            let first = [a, b, random.array(), random.array()];
            let last = (to * inverse + &p - value_after(from, r, first.as_flattened())) % &p;
            // A block has a one above it.
            let bytes: [u8; 17] = last.to_bytes_le().try_into().ok()?;
            let last = bytes.strip_suffix(&[1])?;
            Some([first.as_flattened(), last].concat().try_into().expect("five blocks"))
        })
        .expect("for every fourth beginning, or sixteenth, there is an end")
}

/// Messages of many numbers of blocks, under all keys, whose value is p - 2, p - 1, 0 … 5: before the last
/// reduction 0 … 4 may as well be 2^130 - 5 … 2^130 - 1.
#[test]
fn values_around_the_modulus() {
    let blocks = [5, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 20, 23, 24, 25, 31, 32, 33, 34, 48, 64, 65, 67];
    let heads = [vec![0; 1040], vec![0xff; 1040], painted(1040)];
    let p = modulus();
    let values = [&p - 2_u8, &p - 1_u8].into_iter().chain((0..=5_u8).map(BigUint::from));
    let values: Vec<_> = values.collect();
    let (mut cases, mut random, keys) = (Vec::new(), Random::new(131), keys());
    for keys in keys.as_chunks::<2>().0 {
        let (r, _) = numbers(&keys[0]);
        let inverse = r.modinv(&p).expect("p is prime");
        for blocks in blocks {
            for head in &heads {
                let head = &head[..16 * (blocks - 5)];
                let from = value_after(&BigUint::ZERO, &r, head);
                for value in &values {
                    let last = last_blocks(&mut random, &from, &r, &inverse, value);
                    assert_eq!(value_after(&from, &r, &last), *value, "what is expected");
                    for key in keys {
                        let tag = tag_of(value, numbers(key).1);
                        cases.push((key, [head, &last].concat(), tag));
                    }
                }
            }
        }
    }
    assert_eq!(cases.len(), 24 * 24 * 3 * 8);
    every_implementation("poly1305", |_| {
        for (key, message, tag) in &cases {
            check_parts(
                key,
                message,
                tag,
                format_args!("{} blocks, key {:x?}", message.len() / 16, &key[..17]),
            );
        }
    });
}

// By the book, for reading: whole numbers modulo p. Slow, and not in constant time.

/// p = 2^130 - 5.
fn modulus() -> BigUint {
    (BigUint::from(1_u8) << 130) - 5_u8
}

/// The r of a key, clamped, and its s.
fn numbers(key: &[u8; 32]) -> (BigUint, u128) {
    let (&[r, s], []) = key.as_chunks::<16>() else { unreachable!("two halves") };
    let r = u128::from_le_bytes(r) & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
    (r.into(), u128::from_le_bytes(s))
}

/// What a message adds up to, from a value on: each block is a number with a one above it.
fn value_after(from: &BigUint, r: &BigUint, message: &[u8]) -> BigUint {
    let p = modulus();
    message
        .chunks(16)
        .fold(from.clone(), |value, block| (value + BigUint::from_bytes_le(&[block, &[1]].concat())) * r % &p)
}

/// The tag for a value: its lowest 128 bits and s.
fn tag_of(value: &BigUint, s: u128) -> [u8; 16] {
    let low = u128::try_from(value % (BigUint::from(1_u8) << 128)).expect("128 bits");
    low.wrapping_add(s).to_le_bytes()
}
