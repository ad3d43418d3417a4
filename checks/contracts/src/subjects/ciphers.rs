//! AES, key streams, Poly1305 and GHASH. Their inputs other than the data are cut from the call's key.

use super::{Key, Make, Operation, Subject, cut, scratch};
use crate::{Stream, every_stream};
use keylane::aes::Aes;
use keylane::aes_gcm::Ghash;
use keylane::poly1305::Poly1305;
use zeroize::Zeroizing;

pub(crate) fn list(all: &mut Vec<Subject>) {
    aes::<16>(all);
    aes::<24>(all);
    aes::<32>(all);
    every_stream!(stream, all);
    // Half of the key multiplies, and the other is added at the end.
    let poly1305 = |name, make| Subject::new("poly1305", name, make).class("poly1305").key(Key::First(16));
    const POLY1305: &[&str] = &["keylane::poly1305::Poly1305"];
    all.extend([
        poly1305("poly1305", |key| {
            let key = Zeroizing::new(cut(key, 0, 0));
            Box::new(move |call| call.answer(&Poly1305::mac(&key, call.data)))
        }),
        poly1305("poly1305-pieces", poly1305_pieces).plain(false).holds(POLY1305),
        poly1305("poly1305-hint", |key| {
            let key = Zeroizing::new(cut(key, 0, 0));
            Box::new(move |call| {
                // Too small for every other message.
                let mut running = Poly1305::with_hint(&key, call.data.len() % 2 * call.data.len());
                running.update(call.data);
                call.answer(&running.finalize());
            })
        }),
        poly1305("poly1305-running", poly1305_running).plain(false).holds(POLY1305),
        Subject::new("aes-gcm", "ghash", ghash)
            .key(Key::First(16))
            .plain(false)
            .holds(&["keylane::aes_gcm::Ghash"]),
    ]);
}

fn aes<const KEY_LEN: usize>(all: &mut Vec<Subject>) {
    let subject = |name, make: Make| {
        let name = format!("aes-{}-{name}", 8 * KEY_LEN);
        Subject::new("aes", name, make).key(Key::First(32)).in_place().holds(&["keylane::aes::Aes"])
    };
    all.push(subject("encrypt", |key| blocks::<KEY_LEN>(key, Aes::encrypt_blocks)));
    all.push(subject("decrypt", |key| blocks::<KEY_LEN>(key, Aes::decrypt_blocks)));
}

fn blocks<const KEY_LEN: usize>(key: &[u8], run: impl Fn(&Aes, &mut [[u8; 16]]) + 'static) -> Operation {
    let aes = Aes::from_slice(&cut::<KEY_LEN>(key, 0, 0)).expect("a key's length");
    Box::new(move |call| {
        run(&aes, call.data.as_chunks_mut().0);
        call.answer_end_of_data();
    })
}

/// A counter begins near its end.
fn start<S: Stream>(key: &[u8]) -> S {
    let filling = if S::MAX_LEN.is_none() { 0xff } else { 0 };
    S::new(&cut::<32>(key, 0, 0)[..S::KEY_LEN], &cut::<24>(key, 32, filling)[..S::NONCE_LEN])
}

fn stream<S: Stream>(all: &mut Vec<Subject>) {
    let key = if S::MAX_LEN.is_none() { Key::BeforeCounter } else { Key::First(32) };
    let subject = |name: String, make: Make| {
        Subject::new(S::PRIMITIVE, name, make).class(S::NAME).key(key).in_place().holds(S::TYPE)
    };
    all.extend([
        subject(S::NAME.to_owned(), |key| {
            let start = start::<S>(key);
            Box::new(move |call| {
                start.clone().xor_keystream(call.data).expect("far from the end");
                call.answer_end_of_data();
            })
        }),
        subject(format!("{}-pieces", S::NAME), |key| {
            let start = start::<S>(key);
            Box::new(move |call| {
                let mut stream = start.clone();
                call.each_piece(|piece| stream.xor_keystream(piece).expect("far from the end"));
                call.answer_end_of_data();
            })
        })
        .plain(false),
        subject(format!("{}-seek", S::NAME), |key| {
            let mut stream = start::<S>(key);
            Box::new(move |call| {
                // The second half first, to another place.
                let half = call.data.len() / 2;
                let (front, back) = call.data.split_at_mut(half);
                let mut apart = scratch(back.len());
                stream.seek(half as u64).expect("far from the end");
                stream.xor_keystream_to(back, &mut apart).expect("far from the end");
                back.copy_from_slice(&apart);
                stream.seek(0).expect("far from the end");
                stream.xor_keystream(front).expect("far from the end");
                call.answer_end_of_data();
            })
        })
        .plain(false),
    ]);
}

fn poly1305_pieces(key: &[u8]) -> Operation {
    let start = Poly1305::new(&cut(key, 0, 0));
    Box::new(move |call| {
        let mut running = start.clone();
        call.each_piece(|piece| running.update(piece));
        call.answer(&running.finalize());
    })
}

/// Before a call the powers of the key for long messages, after it the beginning of a block.
fn poly1305_running(key: &[u8]) -> Operation {
    let mut running = Poly1305::with_hint(&cut(key, 0, 0), 5000);
    let start = running.clone();
    Box::new(move |call| {
        // As long as it gets: a vector that grows leaves a copy.
        let mut padded = scratch(call.data.len().next_multiple_of(16));
        padded[..call.data.len()].copy_from_slice(call.data);
        let mut other = start.clone();
        other.update(call.data);
        let tag = other.clone().finalize();
        let mut forged = tag;
        forged[15] ^= 0x80;
        other.clone().verify(&forged).expect_err("another tag");
        other.pad_to_block();
        let mut whole = start.clone();
        whole.update(&padded);
        other.verify(&whole.finalize()).expect("zeros up to a block's end");
        running.update(call.data);
        call.answer(&tag);
    })
}

fn ghash(key: &[u8]) -> Operation {
    let mut ghash = Ghash::new(&cut(key, 0, 0));
    Box::new(move |call| {
        let (blocks, rest) = call.data.as_chunks();
        ghash.reset();
        ghash.update(blocks);
        ghash.update_padded(rest);
        call.answer(&ghash.clone().finalize());
    })
}
