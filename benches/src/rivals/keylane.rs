//! Keylane itself, through its public interface. Batches go through the interface for batches; the list of
//! messages is built inside the timing.

use crate::{case::*, rival::*};
use keylane::{
    Primitive,
    aead::{Aead, Algorithm, ByteArray, Message},
    aes::Aes,
    aes_ctr::AesCtr,
    aes_gcm::Gcm,
    aes_gcm_siv::GcmSiv,
    chacha20::ChaCha20,
    chacha20poly1305::ChaChaPoly,
    hash::{Hash, Hasher},
    hkdf::Prk,
    hmac::{self, HmacKey},
    pbkdf2::{self, Job},
    poly1305::Poly1305,
    primitives,
    sha1::Sha1,
    sha2::{Sha256, Sha384, Sha512},
    xaes::Xaes,
};
use std::num::NonZeroU32;

pub(super) fn rival(name: &'static str) -> Option<Rival> {
    Some(Rival::new(name, super::version("keylane"), prepare))
}

/// Says what is chosen on this CPU, a text for each primitive.
pub fn choices() -> Vec<String> {
    let text = |primitive: &Primitive| {
        let chosen = primitive.implementations().filter(|it| it.chosen).map(|implementation| {
            match implementation.from_messages {
                1 => implementation.name.to_string(),
                n => format!("{} from {n} messages", implementation.name),
            }
        });
        format!("{}: {}", primitive.name(), chosen.collect::<Vec<_>>().join(", "))
    };
    primitives().iter().map(text).collect()
}

/// Splits messages that lie back to back, no more than 64.
fn split_messages(messages: &[u8], len: usize) -> [&[u8]; 64] {
    let mut list = [&[][..]; 64];
    list.iter_mut().zip(messages.chunks_exact(len)).for_each(|(entry, message)| *entry = message);
    list
}

fn hash<H: Hash<Output = [u8; N]>, const N: usize>(case: &Case) -> Op {
    let (n, len) = (case.batch, case.len);
    match case.table {
        "HMAC" if n == 1 => {
            case.hmac(|key| HmacKey::<H>::new(key), |key, m, out| out.copy_from_slice(&key.mac(m)))
        }
        "HMAC" if case.operation.starts_with("each") => {
            let (keys, m): ([_; 64], _) = (std::array::from_fn(|_| HmacKey::<H>::new(&KEY)), msg(n * len));
            op(move |out| {
                let messages = split_messages(&m, len);
                let jobs: [_; 64] = std::array::from_fn(|i| (&keys[i], messages[i]));
                hmac::mac_each(&jobs[..n], out.as_chunks_mut().0).unwrap()
            })
        }
        "HMAC" => {
            let (key, m) = (HmacKey::<H>::new(&KEY), msg(n * len));
            op(move |out| key.mac_many(&split_messages(&m, len)[..n], out.as_chunks_mut().0).unwrap())
        }
        "Hash" if n == 1 => case.messages(|m, out| out.copy_from_slice(&Hasher::<H::Function>::digest(m))),
        "Hash" => {
            let m = msg(n * len);
            op(move |out| {
                Hasher::<H::Function>::digest_many(&split_messages(&m, len)[..n], out.as_chunks_mut().0)
                    .unwrap()
            })
        }
        _ => op(move |out| {
            let passwords: Vec<_> = (0..n).map(password).collect();
            let jobs = passwords.iter().zip(out.chunks_exact_mut(len));
            let mut jobs: Vec<_> = jobs.map(|(password, out)| Job { password, salt: &SALT, out }).collect();
            pbkdf2::derive_many::<H>(&mut jobs, NonZeroU32::new(ITERATIONS).unwrap()).unwrap()
        }),
    }
}

fn aead<A: Algorithm>(case: &Case) -> Op {
    let nonce = A::Nonce::from_slice(&NONCE24[..A::Nonce::LEN]).unwrap();
    if case.batch > 1 {
        return aead_batch::<A>(case, nonce);
    }
    case.aead(
        |key| Aead::<A>::from_slice(key).unwrap(),
        move |key, from, out| match from {
            Some(from) => key.seal_to(nonce, &AAD, &[from], out).unwrap(),
            None => {
                let (text, tag) = split(out);
                *tag = key.seal(nonce, &AAD, text).unwrap()
            }
        },
        move |key, out| {
            let (text, tag) = split(out);
            key.open(nonce, &AAD, text, tag).unwrap()
        },
    )
}

fn aead_batch<A: Algorithm>(case: &Case, nonce: &'static A::Nonce) -> Op {
    fn run<R>(out: &mut [u8], len: usize, nonce: &[u8], run: impl FnOnce(&mut [Message<'_>]) -> R) -> R {
        let message = |out| {
            let (text, tag) = split(out);
            Message { nonce, aad: &AAD, text, tag }
        };
        run(&mut out.chunks_exact_mut(len).map(message).collect::<Vec<_>>())
    }
    let (key, len, nonce) = (Aead::<A>::from_slice(case.key()).unwrap(), case.len + 16, nonce.as_ref());
    if !case.operation.starts_with("open") {
        return op(move |out| run(out, len, nonce, |messages| key.seal_many(messages).unwrap()));
    }
    let mut sealed = vec![0; case.out_len()];
    sealed.chunks_exact_mut(len).for_each(|out| split(out).0.copy_from_slice(&msg(len - 16)));
    run(&mut sealed, len, nonce, |messages| key.seal_many(messages).unwrap());
    op(move |out| {
        out.copy_from_slice(&sealed);
        run(out, len, nonce, |messages| key.open_many(messages, &mut [false; 64]).unwrap())
    })
}

fn prepare(case: &Case) -> Option<Op> {
    Some(match case.algorithm {
        "hkdf-sha256" => {
            let key = Prk::<Sha256>::from_bytes(&KEY).unwrap();
            op(move |out| key.expand(&[&INFO], out).unwrap())
        }
        "aes128ctr" | "aes256ctr" => {
            // Keyed once, rewound for each message.
            let mut stream = AesCtr::new(&Aes::from_slice(case.key()).unwrap(), &IV16);
            op(move |out| {
                stream.seek(0);
                stream.xor_keystream(out)
            })
        }
        "chacha20" => {
            let mut stream = ChaCha20::new(&KEY, &NONCE);
            op(move |out| {
                stream.seek(64).unwrap();
                stream.xor_keystream(out).unwrap()
            })
        }
        "aes128gcm" => aead::<Gcm<16>>(case),
        "aes256gcm" => aead::<Gcm<32>>(case),
        "aes128gcmsiv" => aead::<GcmSiv<16>>(case),
        "aes256gcmsiv" => aead::<GcmSiv<32>>(case),
        "xaes256gcm" => aead::<Xaes>(case),
        "chachapoly" => aead::<ChaChaPoly>(case),
        "poly1305" => case.messages(|m, out| out.copy_from_slice(&Poly1305::mac(new_key(), m))),
        _ => case.by_hash([hash::<Sha1, 20>, hash::<Sha256, 32>, hash::<Sha384, 48>, hash::<Sha512, 64>])?(
            case,
        ),
    })
}
