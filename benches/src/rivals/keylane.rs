//! Keylane itself, through its public interface. Batches go through the interface for batches; the list of messages
//! is built inside the timing.
use crate::{OURS, Op, Rival, case::*, op};
use keylane::{
    Error, Primitive,
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

/// Keylane: what it chooses on this CPU, or one of its implementations.
pub struct Keylane {
    implementation: Option<&'static str>,
}

impl Keylane {
    pub const fn chosen() -> Self {
        Self { implementation: None }
    }

    /// One for each name of an implementation that this CPU can run, in the order of the lists.
    pub fn implementations() -> Vec<Self> {
        let mut names = Vec::new();
        for implementation in keylane::primitives().iter().flat_map(Primitive::implementations) {
            if implementation.usable && !names.contains(&implementation.name) {
                names.push(implementation.name);
            }
        }
        names.into_iter().map(|name| Self { implementation: Some(name) }).collect()
    }
}

/// What a case runs.
fn primitive(case: &Case) -> Option<&'static Primitive> {
    let name = match *case {
        Case::HmacNew { h, .. }
        | Case::HmacKeyed { h, .. }
        | Case::HmacBatch { h, .. }
        | Case::HmacKey { h }
        | Case::Digest { h, .. }
        | Case::DigestBatch { h, .. }
        | Case::Pbkdf2 { h, .. } => match h {
            Hash::Sha1 => "sha1",
            Hash::Sha256 => "sha256",
            Hash::Sha384 | Hash::Sha512 => "sha512",
        },
        Case::HkdfExpand { .. } => "sha256",
        _ => case.group(),
    };
    keylane::primitives().iter().find(|primitive| primitive.name() == name)
}

/// The most messages of a batch.
const MOST: usize = 64;

/// Messages that lie back to back.
fn split(messages: &[u8], n: usize, len: usize) -> [&[u8]; MOST] {
    let mut list = [&[][..]; MOST];
    for (entry, message) in list[..n].iter_mut().zip(messages.chunks_exact(len)) {
        *entry = message;
    }
    list
}

fn hash_cases<H, const N: usize>(case: &Case) -> Option<Op>
where
    H: keylane::Hash<Output = [u8; N]> + 'static,
{
    match *case {
        Case::HmacNew { len, .. } => {
            let (m, k) = (msg(len), key::<32>());
            op(move |out| out.copy_from_slice(&HmacKey::<H>::new(black_box(&k)).mac(&m)))
        }
        Case::HmacKeyed { len, .. } => {
            let (m, k) = (msg(len), HmacKey::<H>::new(&key::<32>()));
            op(move |out| out.copy_from_slice(&k.mac(&m)))
        }
        Case::HmacBatch { n, len, .. } => {
            let (m, k) = (msg(n * len), HmacKey::<H>::new(&key::<32>()));
            op(move |out| k.mac_many(&split(&m, n, len)[..n], out.as_chunks_mut().0).unwrap())
        }
        Case::HmacKey { .. } => op(move |_| {
            black_box(HmacKey::<H>::new(black_box(&key::<32>())));
        }),
        Case::Digest { len, .. } => {
            let m = msg(len);
            op(move |out| out.copy_from_slice(&H::digest(&m)))
        }
        Case::DigestBatch { n, len, .. } => {
            let m = msg(n * len);
            op(move |out| H::digest_many(&split(&m, n, len)[..n], out.as_chunks_mut().0).unwrap())
        }
        Case::Pbkdf2 { iters, blocks, batch, .. } => {
            let iters = NonZeroU32::new(iters).unwrap();
            op(move |out| {
                let passwords: Vec<_> = (0..batch).map(password).collect();
                let outs = out.chunks_exact_mut(N * blocks);
                let mut jobs: Vec<_> = (passwords.iter().zip(outs))
                    .map(|(password, out)| Job { password, salt: &SALT, out })
                    .collect();
                pbkdf2::derive_many::<H>(&mut jobs, iters).unwrap()
            })
        }
        _ => None,
    }
}

/// The authenticated ciphers, whose methods are the same.
trait Sealing: Sized + 'static {
    fn new(key: &[u8]) -> Self;
    fn seal(&self, data: &mut [u8]) -> Result<[u8; 16], Error>;
    fn seal_to(&self, text: &[u8], out: &mut [u8]) -> Result<(), Error>;
    fn open(&self, data: &mut [u8], tag: &[u8; 16]) -> Result<(), Error>;
}

macro_rules! sealing {
    ($($Type:ty),+) => { $(
        impl Sealing for $Type {
            #[inline(always)]
            fn new(key: &[u8]) -> Self {
                Self::new(key.try_into().unwrap())
            }
            #[inline(always)]
            fn seal(&self, data: &mut [u8]) -> Result<[u8; 16], Error> {
                self.seal(&NONCE, &AAD, data)
            }
            #[inline(always)]
            fn seal_to(&self, text: &[u8], out: &mut [u8]) -> Result<(), Error> {
                self.seal_to(&NONCE, &AAD, &[text], out)
            }
            #[inline(always)]
            fn open(&self, data: &mut [u8], tag: &[u8; 16]) -> Result<(), Error> {
                self.open(&NONCE, &AAD, data, tag)
            }
        }
    )+ };
}
sealing!(Aes128Gcm, Aes256Gcm, ChaCha20Poly1305);

fn aead_cases<A: Sealing>(case: &Case) -> Option<Op> {
    match *case {
        Case::Seal { a, len } => {
            let k = A::new(&a.key());
            op(move |out| {
                let (text, tag) = out.split_at_mut(len);
                tag.copy_from_slice(&k.seal(text).unwrap())
            })
        }
        Case::SealTo { a, len } => {
            let (k, text) = (A::new(&a.key()), msg(len));
            op(move |out| k.seal_to(&text, out).unwrap())
        }
        Case::Open { a, len } => {
            let (k, ct) = (A::new(&a.key()), sealed(a, len));
            op(move |out| {
                out.copy_from_slice(&ct);
                let (text, tag) = out.split_at_mut(len);
                k.open(text, (&*tag).try_into().unwrap()).unwrap()
            })
        }
        Case::AeadKey { a } => {
            let k = a.key();
            op(move |_| {
                black_box(A::new(black_box(&k)));
            })
        }
        _ => None,
    }
}

impl Rival for Keylane {
    fn name(&self) -> String {
        self.implementation.map_or_else(|| OURS.into(), |name| format!("{OURS}:{name}"))
    }
    fn version(&self) -> String {
        self.implementation.map_or_else(|| crate::lock::version("keylane", ""), |_| String::new())
    }
    fn enter(&self) {
        for primitive in keylane::primitives() {
            primitive.reset();
            if let Some(name) = self.implementation {
                // Not every primitive has it: `prepare` leaves those out.
                let _ = primitive.select(name);
            }
        }
    }
    fn prepare(&self, case: &Case) -> Option<Op> {
        if let Some(name) = self.implementation {
            primitive(case)?
                .implementations()
                .find(|implementation| implementation.name == name && implementation.usable)?;
        }
        match *case {
            Case::HmacNew { h, .. }
            | Case::HmacKeyed { h, .. }
            | Case::HmacBatch { h, .. }
            | Case::HmacKey { h }
            | Case::Digest { h, .. }
            | Case::DigestBatch { h, .. }
            | Case::Pbkdf2 { h, .. } => match h {
                Hash::Sha1 => hash_cases::<Sha1, 20>(case),
                Hash::Sha256 => hash_cases::<Sha256, 32>(case),
                Hash::Sha384 => hash_cases::<Sha384, 48>(case),
                Hash::Sha512 => hash_cases::<Sha512, 64>(case),
            },
            Case::HkdfExpand { .. } => {
                let prk = Prk::<Sha256>::from_bytes(&key::<32>()).unwrap();
                op(move |out| prk.expand(&[&INFO], out).unwrap())
            }
            Case::AesCtr { bits, .. } => {
                let aes = Aes::from_slice(&key::<32>()[..bits / 8]).unwrap();
                // Keyed once, rewound for each message.
                let mut stream = AesCtr::new(&aes, &IV16);
                op(move |out| {
                    stream.seek(0);
                    stream.xor_keystream(out)
                })
            }
            Case::Seal { a, .. } | Case::SealTo { a, .. } | Case::Open { a, .. } | Case::AeadKey { a } => {
                match a {
                    Aead::Aes128Gcm => aead_cases::<Aes128Gcm>(case),
                    Aead::Aes256Gcm => aead_cases::<Aes256Gcm>(case),
                    Aead::ChaChaPoly => aead_cases::<ChaCha20Poly1305>(case),
                }
            }
            Case::ChaCha20 { .. } => {
                // Keyed once, rewound for each message.
                let mut stream = ChaCha20::new(&key::<32>(), &NONCE);
                op(move |out| {
                    stream.seek(64).unwrap();
                    stream.xor_keystream(out).unwrap()
                })
            }
            Case::Poly1305 { len } => {
                let (m, k) = (msg(len), key::<32>());
                op(move |out| out.copy_from_slice(&Poly1305::mac(black_box(&k), &m)))
            }
            Case::Memcpy { .. } => None,
        }
    }
}
