//! AEADs, and chunks over them. Key, nonce, additional data and a forged tag are cut from the call's key.

use super::{Call, Key, MAX_MESSAGES, Make, Operation, Subject, Work, boxed, copy, cut, scratch};
use crate::{Aead, FITS};
use keylane::aead::{self, Cipher, Message};
use keylane::aes_gcm::{Gcm, TruncatedTag};
use keylane::chunked::{self, Reader, Writer};
use std::io::{Cursor, Read, Seek, Write, sink};
use std::mem;

const AUTHENTIC: &str = "what was just sealed";

/// An AEAD with its key, a nonce and additional data.
struct Prepared<A: Aead> {
    aead: aead::Aead<A>,
    nonce: [u8; 24],
    aad: zeroize::Zeroizing<Vec<u8>>,
}

impl<A: Aead> Prepared<A> {
    fn new(key: &[u8]) -> Self {
        // Thirteen bytes, as in a TLS record, or what comes after the key.
        let aad = key.get(32..).filter(|rest| !rest.is_empty()).unwrap_or_else(|| &key[..key.len().min(13)]);
        Self { aead: aead(key), nonce: cut(key, 32, 0), aad: copy(aad) }
    }

    fn nonce(&self) -> &A::Nonce {
        A::nonce(&self.nonce[..A::NONCE_LEN])
    }

    fn seal(&self, data: &mut [u8]) -> [u8; 16] {
        self.aead.seal(self.nonce(), &self.aad, data).expect(FITS)
    }

    fn open(&self, data: &mut [u8], tag: &[u8; 16]) -> Result<(), keylane::Error> {
        self.aead.open(self.nonce(), &self.aad, data, tag)
    }
}

fn aead<A: Aead>(key: &[u8]) -> aead::Aead<A> {
    A::prepared(&cut::<32>(key, 0, 0)[..A::KEY_LEN])
}

fn subject<A: Aead>(name: &str, make: Make) -> Subject {
    let subject = Subject::new(A::PRIMITIVE, format!("{}-{name}", A::NAME), make);
    subject.class(A::NAME).key(Key::First(32)).in_place()
}

pub(crate) fn list<A: Aead>(all: &mut Vec<Subject>) {
    all.extend([
        subject::<A>("newkey", |key| {
            let (key, Prepared { nonce, aad, .. }) = (copy(key), Prepared::<A>::new(key));
            Box::new(move |call| {
                let tag =
                    aead::<A>(&key).seal(A::nonce(&nonce[..A::NONCE_LEN]), &aad, call.data).expect(FITS);
                call.answer(&tag);
            })
        }),
        subject::<A>("seal", |key| {
            let prepared = Prepared::<A>::new(key);
            Box::new(move |call| {
                let tag = prepared.seal(call.data);
                call.answer(&tag);
            })
        })
        .holds(A::TYPE),
        subject::<A>("seal-open", |key| {
            let prepared = Prepared::<A>::new(key);
            Box::new(move |call| {
                let tag = prepared.seal(call.data);
                prepared.open(call.data, &tag).expect(AUTHENTIC);
                call.answer(&tag);
            })
        })
        .holds(A::TYPE),
        subject::<A>("forgery", |key| {
            let (prepared, tag) = (Prepared::<A>::new(key), cut(key, 44, 0));
            Box::new(move |call| {
                let opened = prepared.open(call.data, &tag);
                call.answer(&[u8::from(opened.is_ok())]);
            })
        })
        .class(format!("{} forgery", A::NAME)),
        subject::<A>("slices", slices::<A>).plain(false).holds(A::TYPE),
        subject::<A>("any", |key| {
            let Prepared { nonce, aad, .. } = Prepared::<A>::new(key);
            let (any, nonce) =
                (boxed(|| A::any(&cut::<32>(key, 0, 0)[..A::KEY_LEN])), copy(&nonce[..A::NONCE_LEN]));
            Box::new(move |call| {
                let mut text = copy(call.data);
                let tag = any.seal(&nonce, &aad, call.data).expect(FITS);
                text.copy_from_slice(call.data);
                any.open(&nonce, &aad, &mut text, &tag).expect(AUTHENTIC);
                call.answer(&tag);
            })
        })
        .plain(false)
        .holds(&["keylane::any::AnyAead"]),
        subject::<A>("seal-many", |key| {
            batch(key, |aead: &aead::Aead<A>, messages| aead.seal_many(messages).expect(FITS))
        })
        .work(Work::Batch)
        .class(format!("{} batch", A::NAME))
        .holds(A::TYPE),
        subject::<A>("open-many", |key| batch(key, open_many::<A>))
            .work(Work::Batch)
            .class(format!("{} batch", A::NAME))
            .plain(false),
    ]);
}

/// The messages that the data is cut into, with a nonce each.
fn batch<A: Aead>(key: &[u8], run: impl Fn(&aead::Aead<A>, &mut [Message<'_>]) + 'static) -> Operation {
    let prepared = Prepared::<A>::new(key);
    Box::new(move |call: &mut Call<'_>| {
        let (mut nonces, mut tags) = ([prepared.nonce; MAX_MESSAGES], [[0; 16]; MAX_MESSAGES]);
        nonces.iter_mut().enumerate().for_each(|(i, nonce)| nonce[A::NONCE_LEN - 1] ^= i as u8);
        // Nothing is allocated: a message in every place, of which those after the last cut are not used.
        let count = call.cuts.len().min(MAX_MESSAGES - 1) + 1;
        let ends = call.cuts[..count - 1].iter().copied().chain(std::iter::repeat(usize::MAX));
        let (mut from, mut rest) = (0, &mut *call.data);
        let mut parts = nonces.iter().zip(ends);
        let mut messages = tags.each_mut().map(|tag| {
            let (nonce, end) = parts.next().expect("as many as tags");
            let (text, after) = {
                let len = end.saturating_sub(from).min(rest.len());
                mem::take(&mut rest).split_at_mut(len)
            };
            (from, rest) = (from + text.len(), after);
            Message { nonce: &nonce[..A::NONCE_LEN], aad: &prepared.aad, text, tag }
        });
        run(&prepared.aead, &mut messages[..count]);
        call.mix(&tags[..count]);
    })
}

/// Seals, opens, and seals again; and refuses a forgery.
fn open_many<A: Aead>(aead: &aead::Aead<A>, messages: &mut [Message<'_>]) {
    aead.seal_many(messages).expect(FITS);
    let mut opened = [false; MAX_MESSAGES];
    let opened = &mut opened[..messages.len()];
    aead.open_many(messages, opened).expect(AUTHENTIC);
    assert!(opened.iter().all(|&opened| opened));
    aead.seal_many(messages).expect(FITS);
    let (text, tag) = (&mut [7; 20], &mut [7; 16]);
    let forgery = Message { nonce: messages[0].nonce, aad: &[], text, tag };
    aead.open_many(&mut [forgery], &mut opened[..1]).expect_err("no tag of this message");
    assert!(!opened[0] && *text == [0; 20]);
}

/// Out of place and to the end of a vector.
fn slices<A: Aead>(key: &[u8]) -> Operation {
    let prepared = Prepared::<A>::new(key);
    Box::new(move |call: &mut Call<'_>| {
        let (Prepared { aead, aad, .. }, nonce) = (&prepared, prepared.nonce());
        let (text, len) = (copy(call.data), call.data.len());
        let (mut sealed, mut appended, mut opened) = (scratch(len + 16), scratch(0), scratch(len));
        let (pieces, count) = call.pieces();
        aead.seal_to(nonce, aad, &pieces[..count], &mut sealed).expect(FITS);
        aead.seal_append(nonce, aad, &text, &mut appended).expect(FITS);
        aead.open_to(nonce, aad, &appended, &mut opened).expect(AUTHENTIC);
        call.data.copy_from_slice(&opened);
        appended[len] ^= 1;
        aead.open_to(nonce, aad, &appended, &mut opened).expect_err("another tag");
        assert!(opened.iter().all(|&byte| byte == 0), "what was refused is wiped");
        call.data.copy_from_slice(&sealed[..len]);
        call.answer(&sealed[len..]);
    })
}

/// Every length of nonces and tags.
pub(crate) fn list_any_nonce<const N: usize>(all: &mut Vec<Subject>)
where
    Gcm<N>: Aead,
{
    // In a box of its own: after a value aligned to 64 bytes, a closure has padding, which a move copies from
    // the stack.
    fn prepared<A: Aead>(key: &[u8]) -> (Box<aead::Aead<A>>, zeroize::Zeroizing<Vec<u8>>) {
        (Box::new(aead::<A>(key)), copy(if key.is_empty() { &[0] } else { key }))
    }
    let class = format!("{} any nonce", Gcm::<N>::NAME);
    all.extend([
        subject::<Gcm<N>>("nonce", |key| {
            let (aead, nonce) = prepared::<Gcm<N>>(key);
            Box::new(move |call| {
                let tag = aead.seal_any_nonce(&nonce, b"", call.data).expect(FITS);
                call.answer(&tag);
            })
        })
        .class(&class),
        subject::<Gcm<N>>("nonce-open", |key| {
            let (aead, nonce) = prepared::<Gcm<N>>(key);
            Box::new(move |call| {
                let data = &mut *call.data;
                let tag = aead.seal_any_nonce(&nonce, b"", data).expect(FITS);
                aead.open_any_nonce(&nonce, b"", data, &tag).expect(AUTHENTIC);
                let same = aead.seal_any_nonce(&nonce, b"", data).expect(FITS);
                for len in [4, 8, 15] {
                    let mut text = copy(data);
                    let cut = TruncatedTag::short(&same[..len]).expect("long enough");
                    aead.open_truncated_any_nonce(&nonce, b"", &mut text, &cut).expect(AUTHENTIC);
                    let mut wrong = tag;
                    wrong[len - 1] ^= 1;
                    let cut = TruncatedTag::short(&wrong[..len]).expect("long enough");
                    aead.open_truncated_any_nonce(&nonce, b"", &mut text, &cut).expect_err("another tag");
                }
                call.answer(&tag);
            })
        })
        .class(class)
        .plain(false)
        .holds(&["keylane::aes_gcm::Gcm"]),
    ]);
}

/// Messages of C2SP's chunked encryption, by the key's length.
pub(crate) fn list_chunked(all: &mut Vec<Subject>) {
    for (name, make) in [("chunked-128", chunked::<16> as Make), ("chunked-256", chunked::<32>)] {
        let subject = Subject::new("aes-gcm", name, make).key(Key::First(32)).in_place().plain(false);
        all.push(subject.holds(&[
            "keylane::chunked::ChunkCipher",
            "keylane::chunked::Reader",
            "keylane::chunked::Writer",
        ]));
    }
}

/// A chunk in place of the data. The reader's text is the key's, the writer's is the data.
fn chunked<const KEY_LEN: usize>(key: &[u8]) -> Operation {
    let (salt, own_text) = (cut(key, 32, 0), copy(&cut::<20>(key, 0, 0)));
    let key = copy(&cut::<KEY_LEN>(key, 0, 0));
    let cipher = boxed(|| chunked::ChunkCipher::new(&key, &salt, b"context").expect(FITS));
    let mut message = scratch(chunked::HEADER_LEN + 36);
    chunked::seal_to(&key, &salt, b"context", &own_text, &mut message).expect(FITS);
    chunked::open_to(&key, b"context", &message, &mut scratch(20)).expect(AUTHENTIC);
    let mut reader = boxed(|| Reader::new(Cursor::new(message), &key, b"context").expect(AUTHENTIC));
    let mut writer = boxed(|| Writer::new(sink(), &key, &salt, b"context").expect(FITS));
    let mut number = 0;
    Box::new(move |call: &mut Call<'_>| {
        let len = call.data.len();
        writer.write_all(call.data).expect(FITS);
        let (mut sealed, mut text) = (scratch(len + 16), scratch(len));
        cipher.seal(number, call.data, &mut sealed).expect(FITS);
        cipher.open(number, &sealed, &mut text).expect(AUTHENTIC);
        cipher.open(number + 1, &sealed, &mut text).expect_err("another chunk");
        call.data.copy_from_slice(&sealed[..len]);
        number += 1;
        let mut answer = [0; 16];
        reader.rewind().expect(AUTHENTIC);
        reader.read_exact(&mut answer).expect(AUTHENTIC);
        answer.iter_mut().zip(&sealed[len..]).for_each(|(byte, tag)| *byte ^= tag);
        call.answer(&answer);
    })
}
