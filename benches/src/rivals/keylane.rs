//! Keylane itself, through its public interface. Batches go through the interface for batches; the list of
//! messages is built inside the timing.

use crate::{OURS, case::*, lock, rival::*};
use keylane::{
    Primitive,
    aes::Aes,
    aes_ctr::AesCtr,
    aes_gcm::{Aes128Gcm, Aes256Gcm},
    chacha20::ChaCha20,
    chacha20poly1305::ChaCha20Poly1305,
    hkdf::Prk,
    hmac::HmacKey,
    pbkdf2::{self, Job},
    poly1305::Poly1305,
    sha1::Sha1,
    sha2::{Sha256, Sha384, Sha512},
};
use std::{hint::black_box, num::NonZeroU32};

/// Returns the list of primitives. Nothing else here uses it.
fn primitives() -> &'static [Primitive] {
    keylane::primitives()
}

/// What Keylane chooses on this CPU.
pub(super) fn chosen() -> Rival {
    let reset = || primitives().iter().for_each(Primitive::reset);
    Rival::new(OURS, lock::version("keylane", ""), prepare).entered_by(reset)
}

/// Each implementation that this CPU can run, in the order of the lists.
pub fn implementations() -> Vec<Rival> {
    let mut names = Vec::new();
    for implementation in primitives().iter().flat_map(Primitive::implementations) {
        if implementation.usable && !names.contains(&implementation.name) {
            names.push(implementation.name);
        }
    }
    let rival = |name: &'static str| {
        let has = move |primitive: &Primitive| {
            primitive
                .implementations()
                .any(|implementation| implementation.name == name && implementation.usable)
        };
        let prepare = move |case: &Case| primitive(case).filter(|it| has(it)).and_then(|_| prepare(case));
        let enter = move || {
            for primitive in primitives() {
                primitive.reset();
                // Those that do not have it are left out above.
                let _ = primitive.select(name);
            }
        };
        Rival::new(format!("{OURS}:{name}"), "", prepare).entered_by(enter)
    };
    names.into_iter().map(rival).collect()
}

/// What is chosen on this CPU, a text for each primitive.
pub fn choices() -> Vec<String> {
    let text = |primitive: &Primitive| {
        let chosen = primitive.implementations().filter(|implementation| implementation.chosen);
        let chosen: Vec<_> = chosen
            .map(|implementation| match implementation.from_messages {
                1 => implementation.name.to_string(),
                n => format!("{} from {n} messages", implementation.name),
            })
            .collect();
        format!("{}: {}", primitive.name(), chosen.join(", "))
    };
    primitives().iter().map(text).collect()
}

/// What a case runs.
fn primitive(case: &Case) -> Option<&'static Primitive> {
    let hash = |h| ["sha1", "sha256", "sha512", "sha512"][h as usize].to_string();
    let name = match case.work {
        Work::HmacNew(h) | Work::Hmac(h) | Work::HmacKey(h) | Work::Digest(h) | Work::Pbkdf2(h) => hash(h),
        Work::HkdfExpand => hash(Hash::Sha256),
        _ => case.group().to_lowercase(),
    };
    primitives().iter().find(|primitive| primitive.name() == name)
}

/// Messages that lie back to back, no more than 64.
fn split_messages(messages: &[u8], len: usize) -> [&[u8]; 64] {
    let mut list = [&[][..]; 64];
    list.iter_mut().zip(messages.chunks_exact(len)).for_each(|(entry, message)| *entry = message);
    list
}

fn hash<H, const N: usize>(case: &Case) -> Op
where
    H: keylane::Hash<Output = [u8; N]> + 'static,
{
    let (n, len) = (case.batch, case.len);
    match case.work {
        Work::HmacNew(_) => case.messages(|m, out| out.copy_from_slice(&HmacKey::<H>::new(new_key()).mac(m))),
        Work::Hmac(_) => {
            let key = HmacKey::<H>::new(&KEY);
            if n == 1 {
                return case.messages(move |m, out| out.copy_from_slice(&key.mac(m)));
            }
            let m = msg(n * len);
            op(move |out| key.mac_many(&split_messages(&m, len)[..n], out.as_chunks_mut().0).unwrap())
        }
        Work::HmacKey(_) => setup(|| HmacKey::<H>::new(new_key())),
        Work::Digest(_) if n == 1 => case.messages(|m, out| out.copy_from_slice(&H::digest(m))),
        Work::Digest(_) => {
            let m = msg(n * len);
            op(move |out| H::digest_many(&split_messages(&m, len)[..n], out.as_chunks_mut().0).unwrap())
        }
        _ => op(move |out| {
            let passwords: Vec<_> = (0..n).map(password).collect();
            let jobs = passwords.iter().zip(out.chunks_exact_mut(len));
            let mut jobs: Vec<_> = jobs.map(|(password, out)| Job { password, salt: &SALT, out }).collect();
            pbkdf2::derive_many::<H>(&mut jobs, NonZeroU32::new(ITERATIONS).unwrap()).unwrap()
        }),
    }
}

/// Three types with the same methods.
macro_rules! aead {
    ($case:ident, $a:ident, $Type:ty) => {{
        let new = move |key: &[u8]| <$Type>::new(key.try_into().unwrap());
        let key = new($a.key());
        match $case.work {
            Work::Seal(_) => op(move |out| {
                let (text, tag) = split(out);
                *tag = key.seal(&NONCE, &AAD, text).unwrap()
            }),
            Work::SealTo(_) => {
                $case.seal_to(move |text, out| key.seal_to(&NONCE, &AAD, &[text], out).unwrap())
            }
            Work::Open(_) => $case.open($a, move |out| {
                let (text, tag) = split(out);
                key.open(&NONCE, &AAD, text, tag).unwrap()
            }),
            _ => setup(move || new(black_box($a.key()))),
        }
    }};
}

fn prepare(case: &Case) -> Option<Op> {
    Some(match case.work {
        Work::HmacNew(h) | Work::Hmac(h) | Work::HmacKey(h) | Work::Digest(h) | Work::Pbkdf2(h) => match h {
            Hash::Sha1 => hash::<Sha1, 20>(case),
            Hash::Sha256 => hash::<Sha256, 32>(case),
            Hash::Sha384 => hash::<Sha384, 48>(case),
            Hash::Sha512 => hash::<Sha512, 64>(case),
        },
        Work::HkdfExpand => {
            let key = Prk::<Sha256>::from_bytes(&KEY).unwrap();
            op(move |out| key.expand(&[&INFO], out).unwrap())
        }
        Work::AesCtr(bits) => {
            // Keyed once, rewound for each message.
            let mut stream = AesCtr::new(&Aes::from_slice(&KEY[..bits / 8]).unwrap(), &IV16);
            op(move |out| {
                stream.seek(0);
                stream.xor_keystream(out)
            })
        }
        Work::ChaCha20 => {
            let mut stream = ChaCha20::new(&KEY, &NONCE);
            op(move |out| {
                stream.seek(64).unwrap();
                stream.xor_keystream(out).unwrap()
            })
        }
        Work::Seal(a) | Work::SealTo(a) | Work::Open(a) | Work::AeadKey(a) => match a {
            Aead::Aes128Gcm => aead!(case, a, Aes128Gcm),
            Aead::Aes256Gcm => aead!(case, a, Aes256Gcm),
            Aead::ChaChaPoly => aead!(case, a, ChaCha20Poly1305),
        },
        Work::Poly1305 => case.messages(|m, out| out.copy_from_slice(&Poly1305::mac(new_key(), m))),
        Work::Memcpy => return None,
    })
}
