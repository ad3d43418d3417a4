//! The subjects of the crates that use `keylane`, for the programs that follow secrets: `constant-time` and
//! `wiping`.
//!
//! A call's secret outputs are in the data and the answer. They are not compared here: that would be a
//! branch.

mod rustcrypto;

use keylane::aes_gcm::Aes128Gcm;
use keylane_contracts::{Call, Key, Operation, Subject, subjects};
use keylane_file::{Algorithm, Decryption, Encryption, HEADER_LEN, Key as FileKey};
use keylane_tls::cipher_suite::{TLS13_AES_256_GCM_SHA384, TLS13_CHACHA20_POLY1305_SHA256};
use keylane_tls::record::{Cipher, ContentType, RecordOpener, RecordSealer, TrafficKeys, Version};
use keylane_tls::rustls::SupportedCipherSuite;
use keylane_tls::rustls::crypto::cipher::{AeadKey, Iv};
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
        use Cipher::{Aes128Gcm, Aes256Gcm, ChaCha20Poly1305};
        use Version::{Tls12, Tls13};
        let (gcm, chacha) = ("aes-gcm", "chacha20-poly1305");
        let new = |primitive, name: String, make| Subject::new(primitive, name, make).key(Key::First(32));
        let tls =
            |primitive, name, make| new(primitive, format!("record {name}"), make).in_place().holds(RECORD);
        let file = |primitive, name, make| {
            new(primitive, format!("file {name}"), make).in_place().holds(&["keylane_file"])
        };
        let quic = |primitive, name, make| {
            new(primitive, format!("QUIC {name}"), make).in_place().holds(&["keylane_tls::provider"])
        };
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
            quic(gcm, "aes-256-gcm", |key| packets(TLS13_AES_256_GCM_SHA384, key)),
            quic(chacha, "chacha", |key| packets(TLS13_CHACHA20_POLY1305_SHA256, key)),
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

/// A packet's text, in its place, and a packet number; the tag is the answer. How long a packet number is
/// becomes public. rustls makes no key of 16 bytes from bytes.
fn packets(suite: SupportedCipherSuite, key: &[u8]) -> Operation {
    let quic = suite.tls13().and_then(|suite| suite.quic).expect("QUIC has it");
    let packet_key = quic.packet_key(AeadKey::from(cut::<32>(key, 0)), Iv::from([9; 12]));
    let header_key = quic.header_protection_key(AeadKey::from(cut::<32>(key, 0)));
    Box::new(move |call: &mut Call<'_>| {
        let text = &mut *call.data;
        let tag = packet_key.encrypt_in_place(6, b"header", text).expect(FITS);
        let mut received = Zeroizing::new([&*text, tag.as_ref()].concat());
        let mut forged = received.clone();
        *forged.last_mut().expect("a tag") ^= 1;
        packet_key.decrypt_in_place(6, b"header", &mut received).expect(AUTHENTIC);
        packet_key.decrypt_in_place(6, b"header", &mut forged).expect_err("a forgery");
        // A short header and a number of four bytes. The sample is ciphertext: public.
        let (mut first, mut number) = (0x43, cut::<4>(text, 0));
        header_key.encrypt_in_place(&[9; 16], &mut first, &mut number).expect(FITS);
        header_key.decrypt_in_place(&[9; 16], &mut first, &mut number).expect(FITS);
        call.answer(tag.as_ref());
    })
}
