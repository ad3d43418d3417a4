//! What HMAC promises over every hash.

use super::{batch, usable};
use crate::{Guarded, LENGTHS, Random, exclusively, painted};
use keylane::hmac::{Hmac, HmacKey};
use keylane::{Error, Hash};

/// Whether HMAC over `H` keeps its promises, on whatever implementation is selected.
///
/// # Panics
/// If it does not.
pub fn mac<H: Hash>() {
    every_split::<H>();
    many::<H>();
    wrong_lengths::<H>();
    guard_pages::<H>();
    clones_and_resets::<H>();
    every_bit_of_the_tag::<H>();
    truncated_tags::<H>();
    verify_many::<H>();
}

/// Whether a key prepared on one implementation of `primitive` and a MAC begun on another give the tag on a third.
///
/// # Panics
/// If they do not.
pub fn mac_handed_over<H: Hash>(primitive: &str) {
    let data = painted(700);
    exclusively(primitive, |primitive| {
        let names = usable(primitive);
        let (mut tag, messages) = (None, [&data[..], &data[1..], &data[..50], b""]);
        for first in &names {
            for second in &names {
                primitive.select(first).unwrap();
                let key = HmacKey::<H>::new(b"key");
                let expected = *tag.get_or_insert_with(|| key.mac(&data));
                primitive.select(second).unwrap();
                assert_eq!(key.mac(&data), expected, "{}: key by {first}, tag by {second}", H::NAME);
                let mut tags = [expected; 4];
                key.mac_many(&messages, &mut tags).unwrap();
                assert_eq!(tags[0], expected, "{}: key by {first}, tags by {second}", H::NAME);
                let mut mac = key.start();
                mac.update(&data[..300]);
                primitive.select(first).unwrap();
                mac.update(&data[300..]);
                assert_eq!(tags, messages.map(|message| key.mac(message)), "{}: {first}, {second}", H::NAME);
                assert_eq!(mac.finalize(), expected, "{}: {first}, {second}, {first}", H::NAME);
            }
        }
    });
}

/// Keys around a block's length: shorter ones are padded, longer ones hashed.
fn keys<H: Hash>() -> Vec<Vec<u8>> {
    [0, 1, 20, H::OUTPUT_LEN, H::BLOCK_LEN - 1, H::BLOCK_LEN, H::BLOCK_LEN + 1, 300].map(painted).into()
}

fn every_split<H: Hash>() {
    let data = painted(5000);
    for key in keys::<H>() {
        let prepared = HmacKey::<H>::new(&key);
        let expected = prepared.mac(&data[..333]);
        let mut mac = Hmac::<H>::new(&key);
        mac.update(&data[..100]);
        mac.update(&data[100..333]);
        assert_eq!(mac.finalize(), expected, "{}: a key of {} bytes", H::NAME, key.len());
    }
    let key = HmacKey::<H>::new(b"key");
    for &len in LENGTHS {
        let data = &data[..len];
        let expected = key.mac(data);
        let cuts = (0..=len).filter(|&cut| len <= 200 || cut < 18 || len - cut < 18 || cut % 64 == 0);
        for cut in cuts {
            let (head, tail) = data.split_at(cut);
            let mut mac = key.start();
            mac.update(head);
            mac.update(tail);
            assert_eq!(mac.finalize(), expected, "{}: {len} bytes cut at {cut}", H::NAME);
            assert_eq!(key.mac_parts(&[head, tail]), expected, "{}: {len} bytes cut at {cut}", H::NAME);
        }
    }
    let mut random = Random::new(3);
    for pieces in 1..40 {
        let data = &data[..random.length(5000)];
        let parts = random.split(data, pieces);
        assert_eq!(key.mac_parts(&parts), key.mac(data), "{}: {} bytes in {pieces}", H::NAME, data.len());
    }
    assert_eq!(key.mac_parts(&[]), key.mac(b""));
    assert_eq!(data, painted(5000), "the input is as it was");
}

fn many<H: Hash>() {
    let (mut random, data) = (Random::new(4), painted(4500));
    for count in 0..=70 {
        let key = HmacKey::<H>::new(&data[..count]);
        let long = [0, 1, count / 8][count % 3];
        check_many::<H>(&key, &batch(&mut random, &data, count, long));
    }
    let key = HmacKey::<H>::new(b"key");
    for at in [0, 39] {
        let mut messages: Vec<&[u8]> = vec![&[]; 40];
        messages[at] = &data;
        check_many::<H>(&key, &messages);
    }
    assert_eq!(data, painted(4500), "the input is as it was");
}

fn check_many<H: Hash>(key: &HmacKey<H>, messages: &[&[u8]]) {
    let mut tags = vec![key.mac(b"not yet"); messages.len()];
    key.mac_many(messages, &mut tags).unwrap();
    for (i, (message, tag)) in messages.iter().zip(&tags).enumerate() {
        let (len, count) = (message.len(), messages.len());
        assert_eq!(*tag, key.mac(message), "{}: message {i} of {count}, {len} bytes", H::NAME);
    }
    // The same messages by running MACs, every other one of another key.
    let other = HmacKey::<H>::new(b"other");
    let keys: Vec<_> = [key, &other].into_iter().cycle().take(messages.len()).collect();
    let mut macs: Vec<_> = keys.iter().map(|key| key.start()).collect();
    Hmac::update_many(&mut macs, messages).unwrap();
    for (i, ((mac, key), message)) in macs.into_iter().zip(keys).zip(messages).enumerate() {
        assert_eq!(mac.finalize(), key.mac(message), "{}: running MAC {i}", H::NAME);
    }
}

fn wrong_lengths<H: Hash>() {
    let key = HmacKey::<H>::new(b"key");
    let before = [key.mac(b"before"); 5];
    for (messages, outs) in [(0, 1), (1, 0), (4, 5), (5, 4), (3, 5)] {
        let (mut tags, messages) = (before, vec![b"message".as_slice(); messages]);
        let (min, max) = (messages.len(), messages.len());
        let expected = Err(Error::WrongLength { what: "number of tags", min, max, actual: outs });
        assert_eq!(key.mac_many(&messages, &mut tags[..outs]), expected);
        assert_eq!(tags, before, "{}: a refusal leaves the tags alone", H::NAME);
        let tag = key.mac(b"message");
        assert_eq!(key.verify_many(&messages, &vec![tag.as_ref(); outs]), expected);
    }
}

fn guard_pages<H: Hash>() {
    let data = painted(4200);
    let (start, end) = (Guarded::at_start(&data), Guarded::at_end(&data));
    let key = HmacKey::<H>::new(b"key");
    for &len in LENGTHS {
        assert_eq!(key.mac(&start[..len]), key.mac(&data[..len]), "{}: {len} bytes", H::NAME);
        let expected = key.mac(&data[data.len() - len..]);
        assert_eq!(key.mac(end.last(len)), expected, "{}: {len} bytes at the end", H::NAME);
    }
    // The key, too; and at every alignment.
    for len in 0..=H::BLOCK_LEN + 64 {
        let expected = HmacKey::<H>::new(&data[data.len() - len..]).mac(b"message");
        assert_eq!(HmacKey::<H>::new(end.last(len)).mac(b"message"), expected, "{}: {len}", H::NAME);
    }
    for count in [1, 2, 3, 8, 16, 17] {
        check_many::<H>(&key, &(0..count).map(|i| end.last(60 * i + 5)).collect::<Vec<_>>());
        check_many::<H>(&key, &(0..count).map(|i| &start[..60 * i + 5]).collect::<Vec<_>>());
    }
    let tag = key.mac(b"message");
    assert_eq!(key.verify(b"message", &Guarded::at_end(tag.as_ref())), Ok(()));
    assert_eq!(key.verify(b"message", &Guarded::at_start(tag.as_ref())), Ok(()));
}

fn clones_and_resets<H: Hash>() {
    let data = painted(400);
    let key = HmacKey::<H>::new(b"key");
    let same = key.clone();
    drop(key);
    let key = same;
    for cut in [0, 1, 63, 64, 65, 127, 128, 200] {
        let mut mac = key.start();
        mac.update(&data[..cut]);
        let mut other = mac.clone();
        other.update(b"another way on");
        mac.update(&data[cut..]);
        assert_eq!(other.finalize(), key.mac(&[&data[..cut], b"another way on"].concat()));
        // As new after each tag, and after a reset in the middle of a message.
        let third = mac.clone();
        assert_eq!(mac.finalize_reset(), key.mac(&data), "{}: cloned at {cut}", H::NAME);
        assert_eq!(mac.clone().finalize(), key.mac(b""));
        mac.update(&data[cut..]);
        assert_eq!(mac.finalize_reset(), key.mac(&data[cut..]));
        mac.update(&data[..cut]);
        mac.reset();
        mac.update(b"message");
        assert_eq!(mac.finalize_reset(), key.mac(b"message"));
        assert_eq!(mac.finalize(), key.mac(b""));
        assert_eq!(third.finalize(), key.mac(&data));
    }
    assert_eq!(Hmac::<H>::new(b"key").finalize(), key.mac(b""));
}

fn every_bit_of_the_tag<H: Hash>() {
    let (key, message) = (HmacKey::<H>::new(b"key"), b"message");
    let tag = key.mac(message);
    let mac = || {
        let mut mac = key.start();
        mac.update(message);
        mac
    };
    assert_eq!(key.verify(message, tag.as_ref()), Ok(()));
    assert_eq!(key.verify_truncated(message, tag.as_ref()), Ok(()));
    assert_eq!(mac().verify(tag.as_ref()), Ok(()));
    for bit in 0..8 * H::OUTPUT_LEN {
        let mut wrong = tag;
        wrong.as_mut()[bit / 8] ^= 1 << (bit % 8);
        let refused = Err(Error::AuthenticationFailed);
        assert_eq!(key.verify(message, wrong.as_ref()), refused, "{}: bit {bit}", H::NAME);
        assert_eq!(key.verify_truncated(message, wrong.as_ref()), refused, "{}: bit {bit}", H::NAME);
        assert_eq!(mac().verify(wrong.as_ref()), refused, "{}: bit {bit}", H::NAME);
    }
    assert_eq!(key.verify(b"massage", tag.as_ref()), Err(Error::AuthenticationFailed));
    assert_eq!(HmacKey::<H>::new(b"kez").verify(message, tag.as_ref()), Err(Error::AuthenticationFailed));
    // Only the whole tag.
    for len in (0..H::OUTPUT_LEN).chain([H::OUTPUT_LEN + 1]) {
        let cut: Vec<u8> = tag.as_ref().iter().copied().chain([0]).take(len).collect();
        let refused = Err(wrong_tag_length::<H>(H::OUTPUT_LEN, len));
        assert_eq!(key.verify(message, &cut), refused);
        assert_eq!(mac().verify(&cut), refused);
    }
}

fn truncated_tags<H: Hash>() {
    let (key, message) = (HmacKey::<H>::new(b"key"), b"message");
    let tag = key.mac(message);
    for len in 0..=H::OUTPUT_LEN {
        let cut = &tag.as_ref()[..len];
        if len < 10 {
            assert_eq!(key.verify_truncated(message, cut), Err(wrong_tag_length::<H>(10, len)));
            continue;
        }
        assert_eq!(key.verify_truncated(message, cut), Ok(()), "{}: {len} bytes", H::NAME);
        for at in [0, len / 2, len - 1] {
            let mut wrong = cut.to_vec();
            wrong[at] ^= 0x80;
            assert_eq!(key.verify_truncated(message, &wrong), Err(Error::AuthenticationFailed));
        }
        // The leftmost bytes, not others.
        if len < H::OUTPUT_LEN {
            let rightmost = &tag.as_ref()[H::OUTPUT_LEN - len..];
            assert_eq!(key.verify_truncated(message, rightmost), Err(Error::AuthenticationFailed));
        }
    }
    let long = [tag.as_ref(), &[0]].concat();
    let refused = wrong_tag_length::<H>(10, H::OUTPUT_LEN + 1);
    assert_eq!(key.verify_truncated(message, &long), Err(refused));
}

fn wrong_tag_length<H: Hash>(min: usize, actual: usize) -> Error {
    Error::WrongLength { what: "length of the tag in bytes", min, max: H::OUTPUT_LEN, actual }
}

fn verify_many<H: Hash>() {
    let (key, data) = (HmacKey::<H>::new(b"key"), painted(300));
    for count in [0, 1, 2, 16, 31, 32, 33, 64, 70] {
        let messages: Vec<&[u8]> = (0..count).map(|i| &data[i..3 * i]).collect();
        let tags: Vec<H::Output> = messages.iter().map(|message| key.mac(message)).collect();
        let slices = |tags: &[H::Output]| tags.iter().map(|tag| tag.as_ref().to_vec()).collect::<Vec<_>>();
        let verify = |tags: &[Vec<u8>]| {
            key.verify_many(&messages, &tags.iter().map(Vec::as_slice).collect::<Vec<_>>())
        };
        assert_eq!(verify(&slices(&tags)), Ok(()), "{}: {count} messages", H::NAME);
        for wrong in 0..count {
            let mut tags = slices(&tags);
            let bit = 37 * wrong % (8 * H::OUTPUT_LEN);
            tags[wrong][bit / 8] ^= 1 << (bit % 8);
            let refused = Err(Error::AuthenticationFailed);
            assert_eq!(verify(&tags), refused, "{}: tag {wrong} of {count}", H::NAME);
            tags[wrong].pop();
            let refused = Err(wrong_tag_length::<H>(H::OUTPUT_LEN, H::OUTPUT_LEN - 1));
            assert_eq!(verify(&tags), refused, "{}: tag {wrong} of {count}", H::NAME);
        }
        if count >= 2 {
            let mut tags = slices(&tags);
            tags.swap(0, count - 1);
            assert_eq!(verify(&tags), Err(Error::AuthenticationFailed), "{}: {count}, swapped", H::NAME);
        }
    }
}
