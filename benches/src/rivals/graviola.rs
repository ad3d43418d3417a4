use crate::{case::*, rival::*};
use graviola::aead::{AesGcm, ChaCha20Poly1305};
use graviola::hashing::{self, Sha256, Sha384, Sha512, hmac::Hmac};

pub(super) fn rival(name: &'static str) -> Option<Rival> {
    Some(Rival::new(name, super::version("graviola"), prepare))
}

fn hash<H: hashing::Hash + 'static>(case: &Case) -> Option<Op>
where
    Hmac<H>: Clone,
{
    Some(match case.table {
        "HMAC" => case.hmac(
            |key| Hmac::<H>::new(key),
            |hmac, m, out| {
                let mut hmac = hmac.into_owned();
                hmac.update(m);
                out.copy_from_slice(hmac.finish().as_ref())
            },
        ),
        "Hash" => case.messages(|m, out| out.copy_from_slice(H::hash(m).as_ref())),
        _ => return None,
    })
}

fn prepare(case: &Case) -> Option<Op> {
    Some(match case.algorithm {
        "chachapoly" => case.aead(
            |key| ChaCha20Poly1305::new(key.try_into().unwrap()),
            copying(|key: &ChaCha20Poly1305, text, tag| key.encrypt(&NONCE, &AAD, text, tag)),
            |key, out| {
                let (text, tag) = split(out);
                key.decrypt(&NONCE, &AAD, text, tag).unwrap()
            },
        ),
        "aes128gcm" | "aes256gcm" => case.aead(
            AesGcm::new,
            copying(|key: &AesGcm, text, tag| key.encrypt(&NONCE, &AAD, text, tag)),
            |key, out| {
                let (text, tag) = split(out);
                key.decrypt(&NONCE, &AAD, text, tag).unwrap()
            },
        ),
        _ => return case.by_hash([|_: &Case| None, hash::<Sha256>, hash::<Sha384>, hash::<Sha512>])?(case),
    })
}
