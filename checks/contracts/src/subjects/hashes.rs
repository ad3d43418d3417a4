//! Hashes, HMAC, PBKDF2 and HKDF.

use super::{Call, Key, MAX_MESSAGES, Operation, Subject, Work, copy};
use crate::{Hash, HasherOf};
use keylane::any::{AnyHash, AnyHmacKey, AnyPrk, HashKind};
use keylane::hkdf::Prk;
use keylane::hmac::{self, Hmac, HmacKey, HmacKeyState};
use keylane::pbkdf2::{self, Attempt, Job};
use std::num::NonZeroU32;

const LENGTHS: &str = "equal lengths, below the limit";
const ITERATIONS: NonZeroU32 = NonZeroU32::new(1000).unwrap();
const FEW: NonZeroU32 = NonZeroU32::new(3).unwrap();

pub(crate) fn list<H: Hash>(all: &mut Vec<Subject>) {
    let hash = H::NAME;
    // Hashes that share a primitive differ in the initial value and the end.
    let first = hash == H::PRIMITIVE;
    let subject = |name: String, make| Subject::new(H::PRIMITIVE, name, make);
    let digest = |name, make| subject(name, make).class(format!("digest {hash}"));
    let digests = |name, make| subject(name, make).class(format!("digests {hash}")).work(Work::Batch);
    let mac = |name, make| subject(name, make).class(format!("hmac {hash}")).key(Key::Whole);
    let macs = |name, make| mac(name, make).class(format!("hmacs {hash}")).work(Work::Batch);
    all.extend([
        digest(hash.to_owned(), |_| Box::new(|call| call.answer(HasherOf::<H>::digest(call.data).as_ref()))),
        digest(format!("{hash}-pieces"), pieces::<H>).plain(false),
        digest(format!("{hash}-running"), running::<H>).plain(false).holds(&["keylane::hash::Hasher"]),
        digest(format!("{hash}-any"), any::<H>).plain(false).holds(&["keylane::any::AnyHash"]),
        digests(format!("{hash}-many"), digest_many::<H>).plain(first),
        digests(format!("{hash}-suffixes"), finalize_many::<H>)
            .plain(false)
            .class(format!("digests after a prefix {hash}")),
        mac(format!("hmac-{hash}-newkey"), |key| {
            let key = copy(key);
            Box::new(move |call| call.answer(HmacKey::<H>::new(&key).mac(call.data).as_ref()))
        })
        .plain(first),
        mac(format!("hmac-{hash}"), |key| {
            with_key::<H>(key, |key, call| call.answer(key.mac(call.data).as_ref()))
        })
        .holds(&["keylane::hmac::HmacKey"]),
        mac(format!("hmac-{hash}-pieces"), |key| {
            with_key::<H>(key, |key, call| {
                let (pieces, count) = call.pieces();
                call.answer(key.mac_parts(&pieces[..count]).as_ref());
            })
        })
        .plain(false),
        mac(format!("hmac-{hash}-running"), running_mac::<H>).plain(false).holds(&["keylane::hmac::Hmac"]),
        mac(format!("hmac-{hash}-verify"), verify::<H>).plain(false),
        mac(format!("hmac-{hash}-export"), export::<H>).plain(false).holds(&["keylane::hmac::HmacKeyState"]),
        mac(format!("hmac-{hash}-any"), any_mac::<H>).plain(false).holds(&[
            "keylane::any::AnyHmac",
            "keylane::any::AnyHmacKey",
            "keylane::any::Digest",
        ]),
        macs(format!("hmac-{hash}-many"), |key| {
            let none_yet = HasherOf::<H>::digest(&[]);
            with_key::<H>(key, move |key, call| {
                let (messages, count) = call.pieces();
                let mut tags = [none_yet; MAX_MESSAGES];
                key.mac_many(&messages[..count], &mut tags[..count]).expect(LENGTHS);
                call.mix(&tags[..count]);
            })
        }),
        macs(format!("hmac-{hash}-each"), mac_each::<H>)
            .plain(first)
            .class(format!("hmacs under two keys {hash}")),
        subject(format!("pbkdf2-hmac-{hash}"), |key| {
            let key = copy(key);
            Box::new(move |call| {
                let mut out = [0; 64];
                // One block, of which the last bytes may be missing.
                let out_len = H::OUTPUT_LEN - call.data.len() % 8;
                pbkdf2::derive::<H>(&key, call.data, ITERATIONS, &mut out[..out_len]).expect(LENGTHS);
                call.answer(&out);
            })
        })
        .key(Key::Whole)
        .work(Work::Fixed { units: ITERATIONS.get() }),
        subject(format!("pbkdf2-hmac-{hash}-many"), derive_eight::<H>)
            .key(Key::Whole)
            .work(Work::Fixed { units: 8 * ITERATIONS.get() }),
        subject(format!("pbkdf2-hmac-{hash}-verify"), derive_and_verify::<H>).key(Key::Whole).plain(false),
        subject(format!("hkdf-{hash}-expand"), |key| {
            let prk = Prk::<H>::extract(b"", key);
            expand(move |info, out| prk.expand(info, out).expect(LENGTHS))
        })
        .key(Key::Whole)
        .work(Work::Fixed { units: 1 })
        .plain(first)
        .class(format!("hkdf-{hash}"))
        .holds(&["keylane::hkdf::Prk"]),
        subject(format!("hkdf-{hash}-any"), |key| {
            let prk = AnyPrk::extract(algorithm::<H>(), b"", key);
            expand(move |info, out| prk.expand(info, out).expect(LENGTHS))
        })
        .key(Key::Whole)
        .plain(false)
        .class(format!("hkdf-{hash}"))
        .holds(&["keylane::any::AnyPrk"]),
        subject(format!("hkdf-{hash}-extract"), extract::<H>).key(Key::Whole).plain(false),
    ]);
}

fn algorithm<H: Hash>() -> HashKind {
    HashKind::from_name(H::NAME).expect("the name of a hash")
}

/// Runs with a prepared key.
fn with_key<H: Hash>(key: &[u8], run: impl Fn(&HmacKey<H>, &mut Call<'_>) + 'static) -> Operation {
    let key = HmacKey::<H>::new(key);
    Box::new(move |call| run(&key, call))
}

/// The last hash lives on.
fn any<H: Hash>(_: &[u8]) -> Operation {
    let mut hash = AnyHash::new(algorithm::<H>());
    Box::new(move |call| {
        hash = AnyHash::new(hash.algorithm());
        hash.update(call.data);
        call.answer(hash.clone().finalize().as_bytes());
    })
}

/// A key, a running MAC and a tag.
fn any_mac<H: Hash>(key: &[u8]) -> Operation {
    let key = AnyHmacKey::new(algorithm::<H>(), key);
    let (mut mac, of_nothing) = (key.start(), key.mac(b""));
    Box::new(move |call| {
        key.verify(b"", of_nothing.as_bytes()).expect("its tag");
        mac.reset();
        mac.update(call.data);
        call.answer(mac.clone().finalize().as_bytes());
    })
}

fn pieces<H: Hash>(_: &[u8]) -> Operation {
    Box::new(|call| {
        let (pieces, count) = call.pieces();
        let mut hash = HasherOf::<H>::new();
        pieces[..count].iter().for_each(|piece| hash.update(piece));
        call.answer(hash.finalize().as_ref());
    })
}

/// Each call goes on where the one before it ended.
fn running<H: Hash>(_: &[u8]) -> Operation {
    let mut hash = HasherOf::<H>::new();
    Box::new(move |call| {
        hash.update(call.data);
        let mut other = hash.clone();
        other.update(b"elsewhere");
        call.answer(hash.clone().finalize().as_ref());
    })
}

fn digest_many<H: Hash>(_: &[u8]) -> Operation {
    Box::new(|call| {
        let (messages, count) = call.pieces();
        let mut digests = [HasherOf::<H>::digest(&[]); MAX_MESSAGES];
        HasherOf::<H>::digest_many(&messages[..count], &mut digests[..count]).expect(LENGTHS);
        call.mix(&digests[..count]);
    })
}

/// A prefix, which ends in any place of a block, and what follows it.
fn finalize_many<H: Hash>(_: &[u8]) -> Operation {
    Box::new(|call| {
        let (suffixes, count) = call.pieces();
        let mut digests = [HasherOf::<H>::digest(&[]); MAX_MESSAGES];
        let mut prefix = HasherOf::<H>::new();
        prefix.update(suffixes[0]);
        prefix.finalize_many(&suffixes[..count], &mut digests[..count]).expect(LENGTHS);
        call.mix(&digests[..count]);
    })
}

fn mac_each<H: Hash>(key: &[u8]) -> Operation {
    let keys = [HmacKey::<H>::new(key), HmacKey::new(&key[..key.len() / 2])];
    Box::new(move |call| {
        let (messages, count) = call.pieces();
        let jobs: [_; MAX_MESSAGES] = std::array::from_fn(|i| (&keys[i % 2], messages[i]));
        let mut tags = [HasherOf::<H>::digest(&[]); MAX_MESSAGES];
        hmac::mac_each(&jobs[..count], &mut tags[..count]).expect(LENGTHS);
        call.mix(&tags[..count]);
    })
}

fn running_mac<H: Hash>(key: &[u8]) -> Operation {
    let mut mac = Hmac::<H>::new(key);
    Box::new(move |call| {
        mac.update(b"forgotten");
        mac.reset();
        mac.update(call.data);
        let tag = mac.finalize_reset();
        mac.update(call.data);
        mac.clone().verify(tag.as_ref()).expect("the same message");
        let mut other = mac.clone();
        other.update(b"more");
        other.verify(tag.as_ref()).expect_err("another message");
        call.answer(tag.as_ref());
    })
}

fn verify<H: Hash>(key: &[u8]) -> Operation {
    with_key::<H>(key, |key, call| {
        let (message, tag) = (&*call.data, key.mac(call.data));
        let mut forged = tag;
        forged.as_mut()[H::OUTPUT_LEN - 1] ^= 1;
        let (tag, forged) = (tag.as_ref(), forged.as_ref());
        key.verify(message, tag).expect("its tag");
        key.verify_truncated(message, &tag[..10]).expect("its tag");
        key.verify_many(&[message, message], &[tag, tag]).expect("their tags");
        key.verify(message, forged).expect_err("another tag");
        key.verify_truncated(message, forged).expect_err("another tag");
        key.verify_many(&[message, message], &[tag, forged]).expect_err("another tag");
        let mut verified = [false; 2];
        key.verify_many_into(&[message, message], &[tag, forged], &mut verified).expect_err("another tag");
        assert_eq!(verified, [true, false]);
        let keys = [HmacKey::new(b"another"), key.clone()];
        assert_eq!(hmac::verify_any(&keys, message, &[forged, tag]), Ok(1));
        hmac::verify_any(&keys, message, &[forged]).expect_err("another tag");
        call.answer(tag);
    })
}

fn export<H: Hash>(key: &[u8]) -> Operation {
    let state = HmacKey::<H>::new(key).export();
    Box::new(move |call| {
        let read = HmacKeyState::<H>::from_bytes(state.as_bytes()).expect("as exported");
        call.answer(HmacKey::import(&read).expect("as exported").mac(call.data).as_ref());
    })
}

fn derive_eight<H: Hash>(key: &[u8]) -> Operation {
    let key = copy(key);
    Box::new(move |call| {
        let mut outs = [[0; 64]; 8];
        let (mut jobs, salt) = (0, &*call.data);
        let mut jobs = outs.each_mut().map(|out| {
            jobs += 1;
            Job { password: &key[..key.len().min(jobs)], salt, out: &mut out[..H::OUTPUT_LEN] }
        });
        pbkdf2::derive_many::<H>(&mut jobs, ITERATIONS).expect(LENGTHS);
        call.mix(&outs);
    })
}

fn derive_and_verify<H: Hash>(key: &[u8]) -> Operation {
    let key = copy(key);
    Box::new(move |call: &mut Call<'_>| {
        let (salt, mut out) = (&*call.data, [0; 100]);
        pbkdf2::derive::<H>(&key, salt, FEW, &mut out).expect(LENGTHS);
        pbkdf2::verify::<H>(&key, salt, FEW, &out).expect("the same key");
        out[99] ^= 1;
        pbkdf2::verify::<H>(&key, salt, FEW, &out).expect_err("another key");
        let (attempt, mut verified) = (Attempt { password: &key, salt, expected: &out }, [true]);
        pbkdf2::verify_many::<H>(&[attempt], FEW, &mut verified).expect_err("another key");
        call.answer(&out);
    })
}

fn expand(run: impl Fn(&[&[u8]], &mut [u8]) + 'static) -> Operation {
    Box::new(move |call: &mut Call<'_>| {
        let mut out = [0; 42];
        run(&[&call.data[..call.data.len().min(10)]], &mut out);
        call.answer(&out);
    })
}

fn extract<H: Hash>(key: &[u8]) -> Operation {
    let key = copy(key);
    Box::new(move |call| {
        let mut out = [0; 64];
        let prk = Prk::<H>::extract(call.data, &key);
        prk.expand(&[b"label", call.data], &mut out[..42]).expect(LENGTHS);
        let prk = Prk::<H>::from_bytes(HasherOf::<H>::digest(&key).as_ref()).expect("as long as a digest");
        prk.clone().expand(&[call.data], &mut out[42..]).expect(LENGTHS);
        call.answer(&out);
    })
}
