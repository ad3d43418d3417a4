//! AES, AES-CTR and AES-GCM. What goes in beside the data (keys of the right length, nonces, counters, additional data)
//! is cut from the call's key.

use super::{Operation, Work, aad_of, answer_tag, cut};
use crate::aes::Aes;
use crate::aes_ctr::AesCtr;
use crate::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm};

macro_rules! aes {
    ($bits:literal, $new:ident) => {
        [
            Operation {
                name: concat!("aes-", $bits, "-encrypt"),
                answer: concat!("aes-", $bits, "-encrypt"),
                work: Work::Message,
                prepare: |key, run| {
                    let aes = Aes::$new(&cut(key, 0, 0));
                    run(&mut |call| {
                        aes.encrypt_blocks(call.data.as_chunks_mut().0);
                        call.answer_end_of_data();
                    });
                },
            },
            Operation {
                name: concat!("aes-", $bits, "-decrypt"),
                answer: concat!("aes-", $bits, "-decrypt"),
                work: Work::Message,
                prepare: |key, run| {
                    let aes = Aes::$new(&cut(key, 0, 0));
                    run(&mut |call| {
                        aes.decrypt_blocks(call.data.as_chunks_mut().0);
                        call.answer_end_of_data();
                    });
                },
            },
        ]
    };
}

macro_rules! aes_ctr {
    ($bits:literal, $new:ident) => {
        [
            Operation {
                name: concat!("aes-", $bits, "-ctr"),
                answer: concat!("aes-", $bits, "-ctr"),
                work: Work::Message,
                prepare: |key, run| {
                    let start = AesCtr::new(&Aes::$new(&cut(key, 0, 0)), &cut(key, 32, 0xff));
                    run(&mut |call| {
                        start.clone().xor_keystream(call.data);
                        call.answer_end_of_data();
                    });
                },
            },
            Operation {
                name: concat!("aes-", $bits, "-ctr-pieces"),
                answer: concat!("aes-", $bits, "-ctr"),
                work: Work::Message,
                prepare: |key, run| {
                    let start = AesCtr::new(&Aes::$new(&cut(key, 0, 0)), &cut(key, 32, 0xff));
                    run(&mut |call| {
                        let mut stream = start.clone();
                        call.each_piece(|piece| stream.xor_keystream(piece));
                        call.answer_end_of_data();
                    });
                },
            },
        ]
    };
}

macro_rules! aes_gcm {
    ($bits:literal, $Gcm:ident) => {
        [
            Operation {
                name: concat!("aes-", $bits, "-gcm-newkey"),
                answer: concat!("aes-", $bits, "-gcm"),
                work: Work::Message,
                prepare: |key, run| {
                    let (secret, nonce, aad) = (cut(key, 0, 0), cut(key, 32, 0), aad_of(key));
                    run(&mut |call| answer_tag(call, |data| $Gcm::new(&secret).seal(&nonce, aad, data)));
                },
            },
            Operation {
                name: concat!("aes-", $bits, "-gcm-seal"),
                answer: concat!("aes-", $bits, "-gcm"),
                work: Work::Message,
                prepare: |key, run| {
                    let (gcm, nonce, aad) = ($Gcm::new(&cut(key, 0, 0)), cut(key, 32, 0), aad_of(key));
                    run(&mut |call| answer_tag(call, |data| gcm.seal(&nonce, aad, data)));
                },
            },
            Operation {
                name: concat!("aes-", $bits, "-gcm-seal-open"),
                answer: concat!("aes-", $bits, "-gcm"),
                work: Work::Message,
                prepare: |key, run| {
                    let (gcm, nonce, aad) = ($Gcm::new(&cut(key, 0, 0)), cut(key, 32, 0), aad_of(key));
                    run(&mut |call| {
                        answer_tag(call, |data| {
                            let tag = gcm.seal(&nonce, aad, data)?;
                            gcm.open(&nonce, aad, data, &tag).map(|()| tag)
                        });
                    });
                },
            },
            Operation {
                name: concat!("aes-", $bits, "-gcm-forgery"),
                answer: concat!("aes-", $bits, "-gcm-forgery"),
                work: Work::Message,
                prepare: |key, run| {
                    let (gcm, nonce, aad) = ($Gcm::new(&cut(key, 0, 0)), cut(key, 32, 0), aad_of(key));
                    run(&mut |call| {
                        let opened = gcm.open(&nonce, aad, call.data, &cut(key, 44, 0));
                        call.answer(&[u8::from(opened.is_ok())]);
                    });
                },
            },
            Operation {
                name: concat!("aes-", $bits, "-gcm-nonce"),
                answer: concat!("aes-", $bits, "-gcm-nonce"),
                work: Work::Message,
                prepare: |key, run| {
                    let (gcm, nonce) = ($Gcm::new(&cut(key, 0, 0)), if key.is_empty() { &[0] } else { key });
                    run(&mut |call| answer_tag(call, |data| gcm.seal_any_nonce(nonce, b"", data)));
                },
            },
        ]
    };
}

pub(crate) const AES: &[Operation] =
    [aes!(128, new_128), aes!(192, new_192), aes!(256, new_256)].as_flattened();
pub(crate) const AES_CTR: &[Operation] =
    [aes_ctr!(128, new_128), aes_ctr!(192, new_192), aes_ctr!(256, new_256)].as_flattened();
pub(crate) const AES_GCM: &[Operation] =
    [aes_gcm!(128, Aes128Gcm), aes_gcm!(192, Aes192Gcm), aes_gcm!(256, Aes256Gcm)].as_flattened();
