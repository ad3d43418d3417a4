use crate::{case::*, lock, rival::*};
use graviola::aead::{AesGcm, ChaCha20Poly1305};
use graviola::hashing::{self, Sha256, Sha384, Sha512, hmac::Hmac};
use std::hint::black_box;

pub(super) fn rival() -> Rival {
    Rival::new("graviola", lock::version("graviola", ""), prepare)
}

fn mac<H: hashing::Hash>(mut hmac: Hmac<H>, m: &[u8], out: &mut [u8]) {
    hmac.update(m);
    out.copy_from_slice(hmac.finish().as_ref())
}

fn hash<H: hashing::Hash + 'static>(case: &Case) -> Option<Op>
where
    Hmac<H>: Clone,
{
    Some(match case.work {
        Work::HmacNew(_) => case.messages(|m, out| mac(Hmac::<H>::new(new_key()), m, out)),
        Work::Hmac(_) => {
            let key = Hmac::<H>::new(KEY);
            case.messages(move |m, out| mac(key.clone(), m, out))
        }
        Work::HmacKey(_) => setup(|| Hmac::<H>::new(new_key())),
        Work::Digest(_) => case.messages(|m, out| out.copy_from_slice(H::hash(m).as_ref())),
        _ => return None,
    })
}

/// Two types with the same methods.
macro_rules! aead {
    ($case:ident, $a:ident, $new:expr) => {{
        let (new, case) = ($new, $case);
        let key = new(&KEY);
        match case.work {
            Work::Seal(_) => op(move |out| {
                let (text, tag) = split(out);
                key.encrypt(&NONCE, &AAD, text, tag)
            }),
            Work::Open(_) => case.open($a, move |out| {
                let (text, tag) = split(out);
                key.decrypt(&NONCE, &AAD, text, tag).unwrap()
            }),
            Work::AeadKey(_) => setup(move || new(new_key())),
            _ => return None,
        }
    }};
}

fn prepare(case: &Case) -> Option<Op> {
    Some(match case.work {
        Work::HmacNew(h) | Work::Hmac(h) | Work::HmacKey(h) | Work::Digest(h) => match h {
            Hash::Sha1 => return None,
            Hash::Sha256 => return hash::<Sha256>(case),
            Hash::Sha384 => return hash::<Sha384>(case),
            Hash::Sha512 => return hash::<Sha512>(case),
        },
        Work::Seal(a) | Work::Open(a) | Work::AeadKey(a) => match a {
            Aead::ChaChaPoly => aead!(case, a, |key: &[u8; 32]| ChaCha20Poly1305::new(*key)),
            _ => aead!(case, a, move |key: &[u8; 32]| AesGcm::new(&black_box(key)[..a.key().len()])),
        },
        _ => return None,
    })
}
