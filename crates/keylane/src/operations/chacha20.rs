//! ChaCha20, Poly1305 and ChaCha20-Poly1305. What goes in beside the data (keys of the right length, nonces, additional
//! data) is cut from the call's key.

use super::{Operation, Work, aad_of, answer_tag, cut};
use crate::chacha20::{ChaCha20, XChaCha20};
use crate::chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use crate::poly1305::Poly1305;

macro_rules! stream {
    ($name:literal, $Stream:ident) => {
        [
            Operation {
                name: $name,
                answer: $name,
                work: Work::Message,
                prepare: |key, run| {
                    let start = $Stream::new(&cut(key, 0, 0), &cut(key, 32, 0));
                    run(&mut |call| {
                        // The data is shorter than the key stream.
                        let _ = start.clone().xor_keystream(call.data);
                        call.answer_end_of_data();
                    });
                },
            },
            Operation {
                name: concat!($name, "-pieces"),
                answer: $name,
                work: Work::Message,
                prepare: |key, run| {
                    let start = $Stream::new(&cut(key, 0, 0), &cut(key, 32, 0));
                    run(&mut |call| {
                        let mut stream = start.clone();
                        // As above.
                        call.each_piece(|piece| _ = stream.xor_keystream(piece));
                        call.answer_end_of_data();
                    });
                },
            },
        ]
    };
}

macro_rules! aead {
    ($name:literal, $Aead:ident) => {
        [
            Operation {
                name: concat!($name, "-seal"),
                answer: $name,
                work: Work::Message,
                prepare: |key, run| {
                    let (aead, nonce, aad) = ($Aead::new(&cut(key, 0, 0)), cut(key, 32, 0), aad_of(key));
                    run(&mut |call| answer_tag(call, |data| aead.seal(&nonce, aad, data)));
                },
            },
            Operation {
                name: concat!($name, "-seal-open"),
                answer: $name,
                work: Work::Message,
                prepare: |key, run| {
                    let (aead, nonce, aad) = ($Aead::new(&cut(key, 0, 0)), cut(key, 32, 0), aad_of(key));
                    run(&mut |call| {
                        answer_tag(call, |data| {
                            let tag = aead.seal(&nonce, aad, data)?;
                            aead.open(&nonce, aad, data, &tag).map(|()| tag)
                        });
                    });
                },
            },
            Operation {
                name: concat!($name, "-forgery"),
                answer: concat!($name, "-forgery"),
                work: Work::Message,
                prepare: |key, run| {
                    let (aead, nonce, aad) = ($Aead::new(&cut(key, 0, 0)), cut(key, 32, 0), aad_of(key));
                    run(&mut |call| {
                        let opened = aead.open(&nonce, aad, call.data, &cut(key, 44, 0));
                        call.answer(&[u8::from(opened.is_ok())]);
                    });
                },
            },
        ]
    };
}

pub(crate) const POLY1305: &[Operation] = &[
    Operation {
        name: "poly1305",
        answer: "poly1305",
        work: Work::Message,
        prepare: |key, run| {
            let key = cut(key, 0, 0);
            run(&mut |call| call.answer(&Poly1305::mac(&key, call.data)));
        },
    },
    Operation {
        name: "poly1305-pieces",
        answer: "poly1305",
        work: Work::Message,
        prepare: |key, run| {
            let key = cut(key, 0, 0);
            run(&mut |call| {
                let mut running = Poly1305::new(&key);
                call.each_piece(|piece| running.update(piece));
                call.answer(&running.finalize());
            });
        },
    },
    Operation {
        name: "poly1305-hint",
        answer: "poly1305",
        work: Work::Message,
        prepare: |key, run| {
            let key = cut(key, 0, 0);
            run(&mut |call| {
                // Too small for every other message.
                let mut running = Poly1305::with_hint(&key, call.data.len() % 2 * call.data.len());
                running.update(call.data);
                call.answer(&running.finalize());
            });
        },
    },
];
pub(crate) const CHACHA20: &[Operation] =
    [stream!("chacha20", ChaCha20), stream!("xchacha20", XChaCha20)].as_flattened();
pub(crate) const CHACHA20_POLY1305: &[Operation] =
    [aead!("chacha20-poly1305", ChaCha20Poly1305), aead!("xchacha20-poly1305", XChaCha20Poly1305)]
        .as_flattened();
