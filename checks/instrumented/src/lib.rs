//! The subjects of the crates above `keylane`, for the programs that look where secrets go: `constant-time`
//! and `wiping`.
//!
//! What comes out of a call and is secret stands in the data and the answer. Nothing secret is compared here:
//! that would be a branch.

mod rustcrypto;

use keylane::aes_gcm::Aes128Gcm;
use keylane_contracts::{Call, Key, Operation, Subject, subjects};
use keylane_file::{Algorithm, Decryption, Encryption, HEADER_LEN, Key as FileKey};
use keylane_tls::quic::{self, Packet, Secret, protect_header, unprotect_header};
use keylane_tls::record::{Cipher, ContentType, RecordOpener, RecordSealer, TrafficKeys, Version};
use std::sync::LazyLock;
use zeroize::Zeroizing;

const FITS: &str = "lengths within the limits";
const AUTHENTIC: &str = "what was just sealed";

/// All subjects: those of `keylane`, and those of what is built on it.
pub fn all() -> impl Iterator<Item = &'static Subject> {
    static ABOVE: LazyLock<Vec<Subject>> = LazyLock::new(|| {
        const RECORD: &[&str] = &[
            "keylane_tls::record::TrafficKeys",
            "keylane_tls::record::RecordSealer",
            "keylane_tls::record::RecordOpener",
        ];
        const QUIC: &[&str] =
            &["keylane_tls::quic::Secret", "keylane_tls::quic::PacketKey", "keylane_tls::quic::HeaderKey"];
        use Cipher::{Aes128Gcm, Aes256Gcm, ChaCha20Poly1305};
        use Version::{Tls12, Tls13};
        let (gcm, chacha) = ("aes-gcm", "chacha20-poly1305");
        let new = |primitive, name: String, make| Subject::new(primitive, name, make).key(Key::First(32));
        let tls =
            |primitive, name, make| new(primitive, format!("record {name}"), make).in_place().holds(RECORD);
        let file = |primitive, name, make| {
            new(primitive, format!("file {name}"), make).in_place().holds(&["keylane_file"])
        };
        let quic =
            |primitive, name, make| new(primitive, format!("QUIC {name}"), make).in_place().holds(QUIC);
        let mut all = vec![
            tls(gcm, "1.2 aes-128-gcm", |key| record(Tls12, Aes128Gcm, key)),
            tls(gcm, "1.2 aes-256-gcm", |key| record(Tls12, Aes256Gcm, key)),
            tls(gcm, "1.3 aes-128-gcm", |key| record(Tls13, Aes128Gcm, key)),
            tls(gcm, "1.3 aes-256-gcm", |key| record(Tls13, Aes256Gcm, key)),
            tls(chacha, "1.2 chacha", |key| record(Tls12, ChaCha20Poly1305, key)),
            tls(chacha, "1.3 chacha", |key| record(Tls13, ChaCha20Poly1305, key)),
            tls(gcm, "with padding", padded_record).holds(&[]),
            file(gcm, "aes-256-gcm", |key| self::file(Algorithm::Aes256Gcm, key)),
            file(chacha, "chacha20-poly1305", |key| self::file(Algorithm::ChaCha20Poly1305, key)),
            quic(gcm, "aes-128-gcm", |key| packets(Aes128Gcm, key)),
            quic(gcm, "aes-256-gcm", |key| packets(Aes256Gcm, key)),
            quic(chacha, "chacha", |key| packets(ChaCha20Poly1305, key)),
        ];
        rustcrypto::list(&mut all);
        all
    });
    subjects().iter().chain(&*ABOVE)
}

/// The bytes of `key` from `at` on, filled up with sevens.
fn cut<const N: usize>(key: &[u8], at: usize) -> [u8; N] {
    keylane_contracts::cut(key, at, 7)
}

/// A record's text, in its place; the tag is the answer.
fn record(version: Version, cipher: Cipher, key: &[u8]) -> Operation {
    // The explicit nonces of TLS 1.2 are in the record, so they and their first value are public.
    let iv = if version == Version::Tls13 { cut(key, 32) } else { [9; 12] };
    let keys =
        Box::new(TrafficKeys::new(cipher, &cut::<32>(key, 0)[..cipher.key_len()], &iv).expect("a key"));
    let mut sealer = Box::new(RecordSealer::new(version, &keys, 0));
    let mut opener = Box::new(RecordOpener::new(version, &keys, 0));
    Box::new(move |call: &mut Call<'_>| {
        let len = call.data.len().min(1 << 14);
        let data = &mut call.data[..len];
        let mut record = Zeroizing::new(vec![0; len + sealer.overhead()]);
        sealer
            .seal(ContentType::ApplicationData, &[&data[..len / 2], &data[len / 2..]], &mut record)
            .expect(FITS);
        let mut forged = record.clone();
        *forged.last_mut().expect("a tag") ^= 1;
        let refused = RecordOpener::new(version, &keys, 0).open(&mut forged);
        assert!(refused.is_err(), "a forgery");
        let sealed = record.clone();
        let (_, place) = opener.open(&mut record).expect(AUTHENTIC);
        assert_eq!(place.len(), len);
        data.copy_from_slice(&sealed[place]);
        call.answer(&sealed[sealed.len() - 16..]);
    })
}

/// The length of the padding is public once a record is open.
fn padded_record(key: &[u8]) -> Operation {
    let (key, iv): (Zeroizing<[u8; 16]>, [u8; 12]) = (Zeroizing::new(cut(key, 0)), cut(key, 32));
    Box::new(move |call: &mut Call<'_>| {
        let len = call.data.len().min(5000);
        let [high, low] = (len as u16 + 117).to_be_bytes();
        let header = [23, 3, 3, high, low];
        let mut record = Zeroizing::new(vec![0; header.len() + len + 117]);
        let (front, body) = record.split_at_mut(header.len());
        front.copy_from_slice(&header);
        // The nonce of record 0 is the IV.
        let text: [&[u8]; 3] = [&call.data[..len], &[23], &[0; 100]];
        Aes128Gcm::new(&key).seal_to(&iv, &header, &text, body).expect(FITS);
        let keys = TrafficKeys::new(Cipher::Aes128Gcm, &*key, &iv).expect("a key");
        let (_, place) = RecordOpener::new(Version::Tls13, &keys, 0).open(&mut record).expect(AUTHENTIC);
        assert_eq!(place.len(), len);
        call.data[..len].copy_from_slice(&record[place]);
    })
}

/// The text, as it was opened. A file's header is public.
fn file(algorithm: Algorithm, key: &[u8]) -> Operation {
    let key = Zeroizing::new(cut::<32>(key, 0));
    Box::new(move |call: &mut Call<'_>| {
        let key = FileKey::File(&*key);
        let decryption = || Decryption::new(key).threads(1);
        // With room for all of it: a vector that grows leaves copies.
        let room = |len| Zeroizing::new(Vec::with_capacity(len));
        let len = call.data.len();
        let (mut sealed, mut opened) = (room(len + HEADER_LEN + 16 * (1 + len / 4096)), room(len));
        let encryption = Encryption::new(key).algorithm(algorithm).threads(1);
        encryption.run(&*call.data, &mut *sealed).expect(FITS);
        decryption().run(&sealed[..], &mut *opened).expect(AUTHENTIC);
        call.data.copy_from_slice(&opened);
        let last = sealed.len() - 1;
        sealed[last] ^= 1;
        opened.clear();
        assert!(decryption().run(&sealed[..], &mut *opened).is_err(), "a forgery");
    })
}

/// Two packets' texts, in their place, and a packet number; their tags are the answer. How long a packet
/// number is becomes public.
fn packets(cipher: Cipher, key: &[u8]) -> Operation {
    let secret = Zeroizing::new(cut::<48>(key, 0));
    let secret = if cipher == Cipher::Aes256Gcm { &secret[..] } else { &secret[..32] };
    let secret = Box::new(Secret::new(cipher, quic::Version::V1, secret).expect("a secret"));
    let (key, header_key) = (Box::new(secret.next().packet_key()), Box::new(secret.header_key()));
    Box::new(move |call: &mut Call<'_>| {
        let (text, mut tags) = (&mut *call.data, [[0; 16]; 2]);
        key.seal_many(&mut in_halves(text, &mut tags)).expect(FITS);
        let (mut received, mut forged) = (Zeroizing::new(text.to_vec()), tags);
        forged[1][0] ^= 1;
        let mut opened = [false; 2];
        key.open_many(&mut in_halves(&mut received, &mut forged), &mut opened).expect_err("a forgery");
        assert_eq!(opened, [true, false]);
        // Short headers and numbers of four bytes. The samples are ciphertext: public.
        let mut masks = [[0; 5]; 2];
        header_key.masks(&[[9; 16], [8; 16]], &mut masks).expect("as many");
        let (mut first, mut number) = (0x43, cut::<4>(text, 0));
        protect_header(&masks[0], &mut first, &mut number);
        unprotect_header(&masks[0], &mut first, &mut number);
        call.answer(tags.as_flattened());
    })
}

fn in_halves<'a>(text: &'a mut [u8], tags: &'a mut [[u8; 16]; 2]) -> [Packet<'a>; 2] {
    let (one, other) = text.split_at_mut(text.len() / 2);
    let [tag, last] = tags;
    [
        Packet { number: 6, header: b"header", payload: one, tag },
        Packet { number: 7, header: b"header", payload: other, tag: last },
    ]
}
