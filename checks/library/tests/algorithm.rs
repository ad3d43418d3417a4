//! Hashes chosen at run time, compared with the types.

use keylane::Error;
use keylane::any::{AnyHash, AnyHmac, AnyHmacKey, AnyPrk, HashKind};
use keylane::hkdf::Prk;
use keylane::hmac::{HmacKey, HmacKeyState};
use keylane::pbkdf2::{self, Job};
use keylane_contracts::{Hash, HasherOf, every_hash, painted};
use std::num::NonZeroU32;

macro_rules! for_every_hash {
    ($($name:ident is $check:ident)*) => { $(
        #[test]
        fn $name() {
            every_hash!($check);
        }
    )* };
}
for_every_hash! {
    names_and_lengths_are_the_types is names_and_lengths
    hashes_are_the_types is hashes
    macs_are_the_types is macs
    refusals_are_the_types is refusals
    keys_are_exported_and_imported is keys_as_bytes
    derived_keys_are_the_types is derivations
}

fn algorithm<H: Hash>() -> HashKind {
    HashKind::from_name(H::NAME).unwrap()
}

fn names_and_lengths<H: Hash>() {
    let algorithm = algorithm::<H>();
    assert_eq!((algorithm.name(), &*algorithm.to_string()), (H::NAME, H::NAME));
    assert_eq!((algorithm.output_len(), algorithm.block_len()), (H::OUTPUT_LEN, H::BLOCK_LEN));
    assert!(H::OUTPUT_LEN <= HashKind::MAX_OUTPUT_LEN);
    for name in ["", "sha-256", "SHA256", "md5", "sha2567"] {
        assert_eq!(HashKind::from_name(name), None);
    }
    let numbers = HashKind::ALL.map(|algorithm| algorithm as u8);
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6], "those of exported keys and of C");
}

fn hashes<H: Hash>() {
    let (algorithm, data) = (algorithm::<H>(), painted(1000));
    let messages: Vec<_> = (0..40).map(|i| &data[i..20 * i]).filter(|message| message.len() != 7).collect();
    let mut digests = vec![0; messages.len() * H::OUTPUT_LEN];
    algorithm.digest_many(&messages, &mut digests).unwrap();
    let mut prefix = AnyHash::new(algorithm);
    prefix.update(&data[..100]);
    let mut suffixed = digests.clone();
    prefix.finalize_many(&messages, &mut suffixed).unwrap();
    for (message, digest) in messages.iter().zip(suffixed.chunks(H::OUTPUT_LEN)) {
        assert_eq!(digest, HasherOf::<H>::digest(&[&data[..100], message].concat()).as_ref());
    }
    // Together with hashes of other kinds, which do not run in the same lanes.
    let mut running: Vec<_> = (0..messages.len())
        .map(|i| AnyHash::new(if i % 3 == 1 { HashKind::ALL[i % 6] } else { algorithm }))
        .collect();
    AnyHash::update_many(&mut running, &messages).unwrap();
    AnyHash::update_many(&mut [], &[[0; 0]; 0]).unwrap();
    for ((message, digest), hash) in messages.iter().zip(digests.chunks(H::OUTPUT_LEN)).zip(running) {
        assert_eq!(digest, HasherOf::<H>::digest(message).as_ref());
        assert_eq!(hash.algorithm().digest(message).as_bytes(), hash.finalize().as_bytes());
    }
}

fn macs<H: Hash>() {
    let (algorithm, data) = (algorithm::<H>(), painted(1000));
    for key_len in [0, 20, 64, 65, 128, 129, 300] {
        let secret = &data[..key_len];
        let (key, typed) = (AnyHmacKey::new(algorithm, secret), HmacKey::<H>::new(secret));
        let mut running = AnyHmac::new(algorithm, secret);
        assert_eq!((key.algorithm(), running.algorithm()), (algorithm, algorithm));
        for len in [0, 1, 55, 56, 192, 193, 700] {
            let message = &data[..len];
            let expected = H::expected_mac(secret, message);
            let tag = expected.as_ref();
            assert_eq!(key.mac(message).as_bytes(), tag);
            let (head, rest) = message.split_at(len / 3);
            assert_eq!(key.mac_parts(&[head, &[], rest]).as_bytes(), tag);
            assert_eq!(typed.mac_parts(&[head, &[], rest]).as_ref(), tag);
            // Otherwise it goes on after the one before, which `finalize_reset` has ended.
            if len % 2 == 1 {
                running.update(b"forgotten");
                running.reset();
            }
            AnyHmac::update_many([&mut running], &[head]).unwrap();
            running.update(rest);
            assert_eq!(running.clone().verify(tag), Ok(()));
            assert_eq!(running.clone().finalize().as_bytes(), tag);
            assert_eq!(running.finalize_reset().as_bytes(), tag);
        }
        let messages: Vec<_> = (0..70).map(|i| &data[i..i + 10 * (i % 7)]).collect();
        let mut tags = vec![0; 70 * H::OUTPUT_LEN];
        key.mac_many(&messages, &mut tags).unwrap();
        let tags: Vec<_> = tags.chunks(H::OUTPUT_LEN).collect();
        assert!(messages.iter().zip(&tags).all(|(message, tag)| typed.mac(message).as_ref() == *tag));
        assert_eq!(key.verify_many(&messages, &tags), Ok(()));
        let other = AnyHmacKey::new(algorithm, b"other");
        let jobs: Vec<_> = [&key, &other].into_iter().cycle().zip(messages.iter().copied()).collect();
        let mut each = vec![0; 70 * H::OUTPUT_LEN];
        AnyHmacKey::mac_each(&jobs, &mut each).unwrap();
        for ((key, message), tag) in jobs.iter().zip(each.chunks(H::OUTPUT_LEN)) {
            assert_eq!(key.mac(message).as_bytes(), tag);
        }
        for wrong in [0, 31, 32, 69] {
            let mut tags: Vec<_> = tags.iter().map(|tag| tag.to_vec()).collect();
            tags[wrong][H::OUTPUT_LEN - 1] ^= 1;
            assert_eq!(key.verify_many(&messages, &tags), Err(Error::AuthenticationFailed), "{wrong}");
        }
    }
}

/// Keys of different algorithms are tried together, each with its own length of tags.
#[test]
fn any_of_several_keys_verifies() {
    let keys = HashKind::ALL.map(|algorithm| AnyHmacKey::new(algorithm, b"key"));
    for (at, key) in keys.iter().enumerate() {
        let tag = key.mac(b"message");
        let verified = |tag: &[u8]| AnyHmacKey::verify_any(&keys, b"message", &[b"junk", tag]);
        assert_eq!(verified(tag.as_bytes()), Ok(at));
        assert_eq!(verified(&tag.as_bytes()[1..]), Err(Error::AuthenticationFailed));
    }
}

/// The errors are the same as the types'.
fn refusals<H: Hash>() {
    let (key, typed) = (AnyHmacKey::new(algorithm::<H>(), b"key"), HmacKey::<H>::new(b"key"));
    let tag = typed.mac(b"message");
    let mut long = tag.as_ref().to_vec();
    long.push(0);
    for len in 0..=long.len() {
        let tag = &long[..len];
        assert_eq!(key.verify(b"message", tag), typed.verify(b"message", tag));
        assert_eq!(key.verify(b"massage", tag), typed.verify(b"massage", tag));
        assert_eq!(key.verify_truncated(b"message", tag), typed.verify_truncated(b"message", tag));
        assert_eq!(key.verify_truncated(b"massage", tag), typed.verify_truncated(b"massage", tag));
        let (messages, tags) = ([b"message"; 2], [&long[..H::OUTPUT_LEN], tag]);
        assert_eq!(key.verify_many(&messages, &tags), typed.verify_many(&messages, &tags));
        assert_eq!(key.verify_many(&messages[..1], &tags), typed.verify_many(&messages[..1], &tags));
        let mut mac = typed.start();
        mac.update(b"message");
        let mut any = key.start();
        any.update(b"message");
        assert_eq!(any.verify(tag), mac.verify(tag));
    }
    let mut out = vec![1; 3 * H::OUTPUT_LEN];
    for len in [0, H::OUTPUT_LEN, 2 * H::OUTPUT_LEN - 1, 2 * H::OUTPUT_LEN + 1, 3 * H::OUTPUT_LEN] {
        let (min, max, actual) = (2 * H::OUTPUT_LEN, 2 * H::OUTPUT_LEN, len);
        let refused = |what| Err(Error::WrongLength { what, min, max, actual });
        let digests = algorithm::<H>().digest_many(&["one", "two"], &mut out[..len]);
        assert_eq!(digests, refused("length of the output in bytes"));
        assert_eq!(key.mac_many(&["one", "two"], &mut out[..len]), refused("length of the output in bytes"));
        let jobs: [(_, &[u8]); 2] = [(&key, b"one"), (&key, b"two")];
        let tags = AnyHmacKey::mac_each(&jobs, &mut out[..len]);
        assert_eq!(tags, refused("length of the output in bytes"));
        assert_eq!(AnyHmacKey::mac_each(&[], &mut out[..len]).is_ok(), len == 0);
    }
    for algorithm in HashKind::ALL.into_iter().filter(|other| *other != key.algorithm()) {
        let other = AnyHmacKey::new(algorithm, b"key");
        let mixed = AnyHmacKey::mac_each(&[(&key, b"one"), (&other, b"two")], &mut out[..2 * H::OUTPUT_LEN]);
        assert!(matches!(mixed, Err(Error::InvalidParameter { .. })), "{algorithm}");
        let jobs: [(_, &[u8]); 3] = [(&key, b"one"), (&key, b"two"), (&other, b"three")];
        let mixed = AnyHmacKey::mac_each(&jobs, &mut out);
        assert!(matches!(mixed, Err(Error::InvalidParameter { .. })), "{algorithm}, later");
    }
    assert!(out.iter().all(|&byte| byte == 1), "an error changed the output");
    let mut hash = AnyHash::new(algorithm::<H>());
    assert!(AnyHash::update_many([&mut hash], &["one", "two"]).is_err());
    assert_eq!(hash.finalize().as_bytes(), HasherOf::<H>::digest(b"").as_ref());
}

fn keys_as_bytes<H: Hash>() {
    let (algorithm, key) = (algorithm::<H>(), AnyHmacKey::new(algorithm::<H>(), b"key"));
    assert_eq!(AnyHmacKey::exported_len(algorithm), HmacKeyState::<H>::LEN);
    let mut bytes = vec![0; HmacKeyState::<H>::LEN];
    key.export(&mut bytes).unwrap();
    assert_eq!(bytes, HmacKey::<H>::new(b"key").export().as_bytes());
    let imported = AnyHmacKey::import(algorithm, &bytes).unwrap();
    assert_eq!(imported.mac(b"message").as_bytes(), key.mac(b"message").as_bytes());
    for other in HashKind::ALL.into_iter().filter(|other| *other != algorithm) {
        let same_length = AnyHmacKey::exported_len(other) == bytes.len();
        let refused = AnyHmacKey::import(other, &bytes).unwrap_err();
        assert_eq!(matches!(refused, Error::InvalidParameter { .. }), same_length, "{other}: {refused}");
    }
    let len = bytes.len();
    bytes.push(0);
    for other in [len - 1, len + 1] {
        assert!(matches!(key.export(&mut bytes[..other]), Err(Error::WrongLength { .. })));
        assert!(matches!(AnyHmacKey::import(algorithm, &bytes[..other]), Err(Error::WrongLength { .. })));
    }
}

fn derivations<H: Hash>() {
    let (algorithm, iterations) = (algorithm::<H>(), NonZeroU32::new(3).unwrap());
    let (mut expected, mut out) = ([0; 150], [0; 150]);
    H::expected_pbkdf2(b"password", b"salt", 3, &mut expected);
    algorithm.pbkdf2(b"password", b"salt", iterations, &mut out).unwrap();
    assert_eq!(out, expected);
    assert_eq!(algorithm.pbkdf2_verify(b"password", b"salt", iterations, &expected), Ok(()));
    for (password, expected) in
        [(&b"passwort"[..], &expected[..]), (b"password", &[]), (b"password", &[0; 1025])]
    {
        let typed = pbkdf2::verify::<H>(password, b"salt", iterations, expected);
        assert!(typed.is_err());
        assert_eq!(algorithm.pbkdf2_verify(password, b"salt", iterations, expected), typed);
    }
    let mut outs = [[0; 50]; 20];
    let mut jobs: Vec<_> =
        outs.iter_mut().map(|out| Job { password: b"password", salt: b"salt", out }).collect();
    algorithm.pbkdf2_many(&mut jobs, iterations).unwrap();
    assert!(outs.iter().all(|out| *out == expected[..50]));

    for info in [&b"info"[..], &[7; 300]] {
        H::expected_hkdf(b"salt", b"secret", info, &mut expected);
        let prk = AnyPrk::extract(algorithm, b"salt", b"secret");
        prk.expand(&[&info[..3], &info[3..]], &mut out).unwrap();
        assert_eq!((prk.algorithm(), out), (algorithm, expected));
        let extracted = AnyHmacKey::new(algorithm, b"salt").mac(b"secret");
        let prk = AnyPrk::from_bytes(algorithm, extracted.as_bytes()).unwrap();
        prk.expand(&[info], &mut out).unwrap();
        assert_eq!(out, expected);
        out.fill(0);
        let any = AnyPrk::from_bytes(algorithm, &[7; 200]).and_then(|prk| prk.expand(&[info], &mut out));
        let typed = Prk::<H>::from_bytes(&[7; 200]).and_then(|prk| prk.expand(&[info], &mut expected));
        assert_eq!((any, typed, out), (Ok(()), Ok(()), expected));
    }
    let (short, mut long) = (vec![0; H::OUTPUT_LEN - 1], vec![0; 255 * H::OUTPUT_LEN + 1]);
    assert_eq!(AnyPrk::from_bytes(algorithm, &short).err(), Prk::<H>::from_bytes(&short).err());
    let (any, typed) = (AnyPrk::extract(algorithm, b"", b""), Prk::<H>::extract(b"", b""));
    assert!(any.expand(&[], &mut long).is_err());
    assert_eq!(any.expand(&[], &mut long), typed.expand(&[], &mut long));
    assert_eq!(any.expand(&[], &mut long[1..]), Ok(()));
}

#[test]
fn debug_output_has_no_keys_or_digests() {
    let key = AnyHmacKey::new(HashKind::Sha512_256, b"key");
    let prk = AnyPrk::extract(HashKind::Sha1, b"", b"");
    assert_eq!(format!("{key:?}"), "AnyHmacKey(sha512-256) { .. }");
    assert_eq!(format!("{:?}", key.start()), "AnyHmac(sha512-256) { .. }");
    assert_eq!(format!("{prk:?}"), "AnyPrk(sha1) { .. }");
    assert_eq!(format!("{:?}", AnyHash::new(HashKind::Sha256)), "AnyHash(sha256) { .. }");
    assert_eq!(format!("{:?}", key.mac(b"")), "Digest { .. }");
}
