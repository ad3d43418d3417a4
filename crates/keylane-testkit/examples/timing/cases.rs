//! What is measured: an operation, and the secret that it gets. One of each kind: not every length of key, nor every hash of a family.

use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::aes_gcm::{Aes128Gcm, Aes256Gcm, Ghash};
use keylane::chacha20::ChaCha20;
use keylane::chacha20poly1305::ChaCha20Poly1305;
use keylane::hkdf::Prk;
use keylane::hmac::HmacKey;
use keylane::pbkdf2;
use keylane::poly1305::Poly1305;
use keylane::sha1::Sha1;
use keylane::sha2::{Sha256, Sha512};
use keylane_testkit::{Aead, Oracle, as_nonce};
use std::hint::black_box;
use std::num::NonZeroU32;

/// What is given the secret.
type Run = Box<dyn FnMut(&[u8])>;

/// An operation on a secret of one length.
pub(crate) struct Case {
    pub(crate) name: String,
    /// The secret that comes again and again. Zeros, unless something else is as special.
    pub(crate) fixed: Vec<u8>,
    pub(crate) run: Run,
}

fn case(name: impl Into<String>, fixed: impl Into<Vec<u8>>, run: impl FnMut(&[u8]) + 'static) -> Case {
    Case { name: name.into(), fixed: fixed.into(), run: Box::new(run) }
}

/// What leaks: a run that does not see these would see nothing.
pub(crate) fn planted() -> Vec<Case> {
    // Larger than the nearer caches: an entry that was just read is there sooner than others.
    let table = vec![1_u8; 1 << 24];
    vec![
        case("a comparison that stops at the first difference", [0; 256], |secret| {
            black_box((0..256).all(|i| black_box(secret[i]) == 0));
        }),
        case("entries of a table, by the secret", [0; 32], move |secret| {
            let entry = |at: &[u8]| {
                let [a, b, ..] = *at else { return 0 };
                table[usize::from(a) << 16 | usize::from(b) << 8]
            };
            black_box(secret.chunks(2).map(entry).fold(0, u8::wrapping_add));
        }),
    ]
}

/// Those of a primitive.
pub(crate) fn of(primitive: &str) -> Vec<Case> {
    match primitive {
        "sha1" => hash::<Sha1>(),
        "sha256" => hash::<Sha256>(),
        "sha512" => hash::<Sha512>(),
        "aes" => vec![aes("aes-128", 16), aes("aes-256", 32), aes_text()],
        "aes-ctr" => vec![case("aes-256-ctr: key", [0; 32], |key| {
            let mut data = [7; 256];
            AesCtr::new(&Aes::from_slice(key).expect("a key's length"), &[0; 16]).xor_keystream(&mut data);
            black_box(data);
        })],
        "aes-gcm" => {
            let mut cases = aead::<Aes128Gcm>();
            cases.extend(aead::<Aes256Gcm>());
            cases.push(case("ghash: key", [0; 16], |key| {
                let mut ghash = Ghash::new(key.try_into().expect("a key's length"));
                ghash.update(&[[7; 16]; 16]);
                black_box(ghash.finalize());
            }));
            cases
        }
        "poly1305" => vec![
            case("poly1305: key", [0; 32], |key| {
                black_box(Poly1305::mac(key.try_into().expect("a key's length"), &[7; 300]));
            }),
            case("poly1305: message", [0; 300], |message| {
                black_box(Poly1305::mac(&[7; 32], message));
            }),
        ],
        "chacha20" => vec![case("chacha20: key", [0; 32], |key| {
            let mut data = [7; 256];
            let mut stream = ChaCha20::new(key.try_into().expect("a key's length"), &[0; 12]);
            stream.xor_keystream(&mut data).expect("a short text");
            black_box(data);
        })],
        "chacha20-poly1305" => aead::<ChaCha20Poly1305>(),
        // So that none is forgotten.
        _ => panic!("no case for {primitive}"),
    }
}

fn hash<H: Oracle + 'static>() -> Vec<Case> {
    let name = |what: &str| format!("{}: {what}", H::NAME);
    let key = HmacKey::<H>::new(&[7; 32]);
    let message = [7; 100];
    let tag = key.mac(&message);
    // Wrong in its last byte, where a comparison that stops early would come last.
    let mut nearly_right = tag.as_ref().to_vec();
    *nearly_right.last_mut().expect("a tag") ^= 1;
    let mut wrong_at_first = tag.as_ref().to_vec();
    wrong_at_first[0] ^= 1;
    let verify = {
        let key = key.clone();
        move |tag: &[u8]| {
            let _ = black_box(key.verify(&message, tag));
        }
    };
    vec![
        case(name("message"), [0; 256], |message| {
            black_box(H::digest(message));
        }),
        case(name("hmac, key"), [0; 40], |key| {
            black_box(HmacKey::<H>::new(key).mac(&[7; 100]));
        }),
        case(name("hmac, message"), [0; 100], move |message| {
            black_box(key.mac(message));
        }),
        case(name("hmac, a tag whose last byte is wrong"), nearly_right, verify.clone()),
        case(name("hmac, a tag whose first byte is wrong"), wrong_at_first, verify),
        case(name("pbkdf2, password"), [0; 16], |password| {
            let (mut out, iterations) = ([0; 20], NonZeroU32::new(3).expect("not zero"));
            pbkdf2::derive::<H>(password, b"salt", iterations, &mut out).expect("a short key");
            black_box(out);
        }),
        case(name("hkdf, secret"), [0; 32], |secret| {
            let mut out = [0; 42];
            Prk::<H>::extract(b"salt", secret).expand(&[b"info"], &mut out).expect("a short key");
            black_box(out);
        }),
    ]
}

fn aes(name: &str, key_len: usize) -> Case {
    case(format!("{name}: key"), vec![0; key_len], |key| {
        let mut blocks = [[7; 16]; 4];
        let aes = Aes::from_slice(key).expect("a key's length");
        aes.encrypt_blocks(&mut blocks);
        aes.decrypt_blocks(&mut blocks[1..]);
        black_box(blocks);
    })
}

fn aes_text() -> Case {
    let aes = Aes::new_128(&[7; 16]);
    case("aes-128: text", [0; 64], move |text| {
        let mut blocks: [[u8; 16]; 4] =
            core::array::from_fn(|i| text[16 * i..][..16].try_into().expect("16"));
        aes.encrypt_blocks(&mut blocks);
        aes.decrypt_blocks(&mut blocks[1..]);
        black_box(blocks);
    })
}

fn aead<A: Aead + 'static>() -> Vec<Case> {
    let name = |what: &str| format!("{}: {what}", A::NAME);
    let nonce = *as_nonce::<A>(&[9; 24][..A::NONCE_LEN]);
    let aead = A::from_slice(&[7; 32][..A::KEY_LEN]).expect("a key's length");
    let mut sealed = [7; 200];
    let tag = aead.seal(&nonce, b"header", &mut sealed).expect("a short text");
    let (mut nearly_right, mut wrong_at_first) = (tag, tag);
    nearly_right[15] ^= 1;
    wrong_at_first[0] ^= 1;
    let open = {
        let aead = aead.clone();
        move |tag: &[u8]| {
            let mut text = sealed;
            let tag = tag.try_into().expect("a tag's length");
            assert!(aead.open(&nonce, b"header", black_box(&mut text), tag).is_err());
        }
    };
    vec![
        case(name("key"), vec![0; A::KEY_LEN], move |key| {
            let mut text = [7; 200];
            let aead = A::from_slice(key).expect("a key's length");
            black_box(aead.seal(&nonce, b"header", &mut text).expect("a short text"));
        }),
        case(name("text"), [0; 200], move |text| {
            let mut text: [u8; 200] = text.try_into().expect("its length");
            black_box(aead.seal(&nonce, b"header", &mut text).expect("a short text"));
        }),
        case(name("a tag whose last byte is wrong"), nearly_right, open.clone()),
        case(name("a tag whose first byte is wrong"), wrong_at_first, open),
    ]
}
