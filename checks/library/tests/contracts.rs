//! The contract of each kind of type, on every implementation, for any length, offset and split, and when
//! implementations take turns.

use keylane::aead::Message;
use keylane::any::{AeadKind, HashKind};
use keylane::{Primitive, primitives};
use keylane_contracts::{
    Aead, Choices, Hash, Random, Stream, aead, agreement, check, every_aead, every_hash,
    every_implementation, every_stream, hash, hkdf, mac, many, of, painted, pbkdf2, stream, subjects,
    tells_nothing,
};
use std::io::{Read, Write};

#[test]
fn hashes() {
    fn of<H: Hash>() {
        check(H::PRIMITIVE, hash::<H>);
    }
    every_hash!(of);
}

#[test]
fn macs() {
    fn of<H: Hash>() {
        check(H::PRIMITIVE, mac::<H>);
    }
    every_hash!(of);
}

#[test]
fn derived_keys() {
    fn of<H: Hash>() {
        every_implementation(H::PRIMITIVE, |_| {
            for seed in 0..100 {
                Choices::random(seed, None, None, hkdf::<H>);
                Choices::random(seed, None, None, pbkdf2::<H>);
            }
        });
    }
    every_hash!(of);
}

#[test]
fn key_streams() {
    fn of<S: Stream>() {
        check(S::PRIMITIVE, stream::<S>);
    }
    every_stream!(of);
}

#[test]
fn aeads() {
    fn of<A: Aead>() {
        check(A::PRIMITIVE, aead::<A>);
    }
    every_aead!(of);
}

#[test]
fn many_messages() {
    fn of<A: Aead>() {
        let mut random = Random::of_this_run();
        let of_this_run = [(); 20].map(|()| random.below(usize::MAX));
        every_implementation(A::PRIMITIVE, |_| {
            for seed in (0..150).chain(of_this_run) {
                Choices::random(seed, None, None, many::<A>);
            }
        });
    }
    every_aead!(of);
}

/// Lengths of keys, nonces, texts and additional data. No slice is as long as most limits, so that the errors
/// cannot be tested with each AEAD.
#[test]
fn lengths_of_every_aead() {
    // SP 800-38D §5.2.1.1: 2^39 - 256 bits and 2^64 - 1 bits. RFC 8452 §6. RFC 8439 §2.8.
    let (gcm, siv, chacha) =
        (((1 << 36) - 32, (1 << 61) - 1), (1 << 36, 1 << 36), (274_877_906_880, u64::MAX));
    for (kind, [key, nonce], limits) in [
        (AeadKind::Aes128Gcm, [16, 12], gcm),
        (AeadKind::Aes192Gcm, [24, 12], gcm),
        (AeadKind::Aes256Gcm, [32, 12], gcm),
        (AeadKind::Aes128GcmSiv, [16, 12], siv),
        (AeadKind::Aes256GcmSiv, [32, 12], siv),
        (AeadKind::ChaCha20Poly1305, [32, 12], chacha),
        (AeadKind::XChaCha20Poly1305, [32, 24], chacha),
        (AeadKind::Xaes256Gcm, [32, 24], gcm),
    ] {
        assert_eq!((kind.key_len(), kind.nonce_len()), (key, nonce), "{kind}");
        assert_eq!((kind.max_text_len(), kind.max_aad_len()), limits, "{kind}");
    }
}

/// The lists of types have all that can be chosen at run time.
#[test]
fn every_kind_is_on_the_list() {
    fn hash<H: Hash>(names: &mut Vec<&str>) {
        names.push(H::NAME);
    }
    fn aead<A: Aead>(names: &mut Vec<&str>) {
        names.push(A::NAME);
    }
    let (mut hashes, mut aeads) = (Vec::new(), Vec::new());
    every_hash!(hash, &mut hashes);
    every_aead!(aead, &mut aeads);
    assert!(
        HashKind::ALL.len() == hashes.len() && HashKind::ALL.iter().all(|it| hashes.contains(&it.name()))
    );
    assert!(AeadKind::ALL.len() == aeads.len() && AeadKind::ALL.iter().all(|it| aeads.contains(&it.name())));
}

/// Messages with the same additional data that were sealed one by one.
struct Batch<A: Aead> {
    aead: keylane::aead::Aead<A>,
    nonces: Vec<Vec<u8>>,
    aad: Vec<u8>,
    texts: Vec<Vec<u8>>,
    tags: Vec<[u8; 16]>,
}

impl<A: Aead> Batch<A> {
    fn new(nonces: Vec<Vec<u8>>, aad_len: usize, len: usize) -> Self {
        let aead = A::prepared(&[7; 32][..A::KEY_LEN]);
        let (aad, mut texts) = (painted(aad_len), vec![painted(len); nonces.len()]);
        let tags = nonces.iter().zip(&mut texts).map(|(nonce, text)| aead.seal(A::nonce(nonce), &aad, text));
        let tags = tags.map(|tag| tag.expect("short messages")).collect();
        Self { aead, nonces, aad, texts, tags }
    }

    /// Returns as many messages as there are texts.
    fn messages<'a>(&'a self, texts: &'a mut [Vec<u8>], tags: &'a mut [[u8; 16]]) -> Vec<Message<'a>> {
        let messages = self.nonces.iter().zip(texts).zip(tags);
        messages.map(|((nonce, text), tag)| Message { nonce, aad: &self.aad, text, tag }).collect()
    }
}

/// One forgery is found in every place of a batch. Successive nonces differ in any one byte, or not at all.
#[test]
fn one_forgery_of_many() {
    fn of<A: Aead>() {
        every_implementation(A::PRIMITIVE, |_| {
            for (count, twice) in
                [1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 17, 33, 65].into_iter().zip([1, 2].into_iter().cycle())
            {
                let nonce = |i| {
                    let mut nonce = vec![1; A::NONCE_LEN];
                    (0..i / twice).for_each(|n| nonce[A::NONCE_LEN - 1 - n % A::NONCE_LEN] += 1);
                    nonce
                };
                let batch = Batch::<A>::new((0..count).map(nonce).collect(), 3, 20);
                for forged in 0..=count {
                    let (mut texts, mut tags) = (batch.texts.clone(), batch.tags.clone());
                    tags.iter_mut().skip(forged).take(1).for_each(|tag| tag[forged % 16] ^= 1);
                    let mut opened = vec![forged == 0; count];
                    let done = batch.aead.open_many(&mut batch.messages(&mut texts, &mut tags), &mut opened);
                    let what = format!("{}: {forged} of {count}", A::NAME);
                    assert_eq!(done.is_ok(), forged == count, "{what}");
                    assert!(opened.iter().enumerate().all(|(i, &opened)| opened == (i != forged)), "{what}");
                    let text = |i| if i == forged { vec![0; 20] } else { painted(20) };
                    assert!(
                        texts.into_iter().enumerate().all(|(i, it)| it == text(i)),
                        "{what}: other texts"
                    );
                }
            }
        });
    }
    every_aead!(of);
}

/// Batches of the numbers and lengths around which another kernel is chosen, and one number or byte less and
/// more, are sealed as message by message.
#[test]
fn batches_around_every_limit() {
    fn of<A: Aead>() {
        const COUNTS: [usize; 11] = [3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17];
        // With as much additional data as those of texts allow.
        let texts = [192, 336, 448, 512, 768, 1024, 1536, 1920].map(|len| (48, len, false));
        let limits = texts
            .into_iter()
            .chain([0, 20, 448].into_iter().flat_map(|len| [(48, len, true), (512, len, true)]));
        let nonces: Vec<_> = (0..17).map(|i| vec![i; A::NONCE_LEN]).collect();
        every_implementation(A::PRIMITIVE, |_| {
            for (aad, len, of_aad) in limits.clone() {
                for off in 0..3 {
                    let (aad, len) = if of_aad { (aad + off - 1, len) } else { (aad, len + off - 1) };
                    let batch = Batch::<A>::new(nonces.clone(), aad, len);
                    for count in COUNTS {
                        let (mut texts, mut tags) = (vec![painted(len); count], vec![[0; 16]; count]);
                        let mut messages = batch.messages(&mut texts, &mut tags);
                        batch.aead.seal_many(&mut messages).expect("short messages");
                        let same = texts[..] == batch.texts[..count] && tags[..] == batch.tags[..count];
                        assert!(same, "{}: {count} of {len} bytes, {aad} of AAD", A::NAME);
                    }
                }
            }
        });
    }
    every_aead!(of);
}

#[test]
fn one_time_tags() {
    check("poly1305", keylane_contracts::poly1305);
}

/// Messages longer than those of the tests above.
#[test]
fn long_messages() {
    fn of_hash<H: Hash>() {
        every_implementation(H::PRIMITIVE, |_| Choices::random(1, Some(70_001), None, hash::<H>));
    }
    fn of_stream<S: Stream>() {
        every_implementation(S::PRIMITIVE, |_| Choices::random(1, Some(102_400), None, stream::<S>));
    }
    fn of_aead<A: Aead>() {
        every_implementation(A::PRIMITIVE, |_| {
            for len in [8191, 8192, 8193, 8192 + 449, 16_383, 16_384, 16_385, 33_000, 102_400] {
                Choices::random(len, Some(len), None, aead::<A>);
            }
        });
    }
    every_hash!(of_hash);
    every_stream!(of_stream);
    every_aead!(of_aead);
}

/// Every subject computes the same on all implementations, and so do all subjects of a class.
#[test]
fn subjects_agree() {
    for primitive in primitives() {
        assert!(of(primitive).next().is_some(), "{} has no subject", primitive.name());
        for seed in 0..40 {
            Choices::random(seed, None, None, |choices| agreement(primitive.name(), choices));
        }
        for subject in of(primitive) {
            let mut first = None;
            every_implementation(primitive.name(), |name| {
                let cuts = [20, 90, 700, 701, 1000, 1200];
                let answer = subject.run(&Random::new(90).bytes(61), &mut painted(1500), &cuts);
                assert_eq!(*first.get_or_insert(answer), answer, "{subject:?} on {name}");
            });
        }
    }
    let mut names: Vec<_> = subjects().iter().map(|subject| &subject.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), subjects().len(), "two subjects have one name");
}

/// Only names, lengths and positions, which a log may contain.
#[test]
fn debug_output_has_no_secrets() {
    use keylane::aes_gcm::Ghash;
    use keylane::{
        aes::Aes,
        chunked::{Reader, Writer},
        hmac::{Hmac, HmacKey},
        pbkdf2::{Attempt, Job},
        sha2::Sha256,
    };

    let job = Job { password: b"password", salt: b"salt", out: &mut [0; 20] };
    assert_eq!(format!("{job:?}"), "Job { out_len: 20, .. }");
    let attempt = Attempt { password: b"password", salt: b"salt", expected: &[0; 20] };
    assert_eq!(format!("{attempt:?}"), "Attempt { expected_len: 20, .. }");
    let message = Message { nonce: &[1; 2], aad: &[2], text: &mut [3; 4], tag: &mut [4; 16] };
    assert_eq!(format!("{message:?}"), "Message { nonce: [1, 1], aad: [2], .. }");
    let mut writer = Writer::new(Vec::new(), &[7; 32], &[9; 24], b"").unwrap();
    writer.write_all(&[5; 100]).unwrap();
    assert_eq!(format!("{writer:?}"), "Writer { .. }");
    let sealed = writer.finish().unwrap();
    let mut reader = Reader::new(&sealed[..], &[7; 32], b"").unwrap();
    reader.read_exact(&mut [0; 50]).unwrap();
    assert_eq!(format!("{reader:?}"), "Reader { .. }");
    assert_eq!(format!("{:?}", Ghash::new(&[7; 16])), "Ghash { .. }");
    assert_eq!(format!("{:?}", Sha256::new()), "Hasher<sha256> { .. }");
    tells_nothing(&Hmac::<Sha256>::new(b"\x07\x07\x07\x07"), &[7; 4]);
    let state = HmacKey::<Sha256>::new(b"key").export();
    tells_nothing(&state, &state.as_bytes()[8..]);
    tells_nothing(&Aes::from_slice(&[7; 16]).unwrap(), &[7; 4]);
    let primitive: &Primitive = &primitives()[0];
    assert_eq!(format!("{primitive:?}"), format!("Primitive {{ name: {:?}, .. }}", primitive.name()));
}
