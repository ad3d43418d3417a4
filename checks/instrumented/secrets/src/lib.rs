//! The subjects of the crates above `keylane`, for the programs that look where secrets go: `constant-time`
//! and `wiping`.
//!
//! What comes out of a call and is secret stands in the data and the answer. Nothing secret is compared here:
//! that would be a branch.

mod rustcrypto;

use keylane::aes_gcm::Aes128Gcm;
use keylane_file::{Algorithm, HEADER_LEN, Key as FileKey, Options, decrypt, encrypt};
use keylane_subjects::{Call, Key, Operation, Subject, subjects};
use keylane_tls::cipher_suite;
use keylane_tls::record::{Cipher, ContentType, RecordOpener, RecordSealer, TrafficKeys, Version};
use keylane_tls::rustls::SupportedCipherSuite;
use keylane_tls::rustls::crypto::cipher::AeadKey;
use std::num::NonZeroUsize;
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
            new(primitive, format!("QUIC header {name}"), make).holds(&["keylane_tls::provider"])
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
            quic("aes", "aes-256", |key| quic_header(cipher_suite::TLS13_AES_256_GCM_SHA384, key)),
            quic("chacha20", "chacha20", |key| {
                quic_header(cipher_suite::TLS13_CHACHA20_POLY1305_SHA256, key)
            }),
        ];
        rustcrypto::list(&mut all);
        all
    });
    subjects().iter().chain(&*ABOVE)
}

/// The bytes of `key` from `at` on, filled up with sevens.
fn cut<const N: usize>(key: &[u8], at: usize) -> [u8; N] {
    keylane_subjects::cut(key, at, 7)
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
        let (threads, key) = (NonZeroUsize::new(1), FileKey::File(&*key));
        let options = Options { algorithm, threads, ..Options::default() };
        // With room for all of it: a vector that grows leaves copies.
        let room = |len| Zeroizing::new(Vec::with_capacity(len));
        let len = call.data.len();
        let (mut sealed, mut opened) = (room(len + HEADER_LEN + 16 * (1 + len / 4096)), room(len));
        encrypt(&*call.data, &mut *sealed, key, &options, |_| ()).expect(FITS);
        decrypt(&sealed[..], &mut *opened, key, threads, |_| ()).expect(AUTHENTIC);
        call.data.copy_from_slice(&opened);
        let last = sealed.len() - 1;
        sealed[last] ^= 1;
        opened.clear();
        assert!(decrypt(&sealed[..], &mut *opened, key, threads, |_| ()).is_err(), "a forgery");
    })
}

/// A packet's number. How long it is becomes public.
fn quic_header(suite: SupportedCipherSuite, key: &[u8]) -> Operation {
    let quic = suite.tls13().and_then(|suite| suite.quic).expect("a suite of QUIC");
    let key = quic.header_protection_key(AeadKey::from(cut::<32>(key, 0)));
    Box::new(move |call| {
        // A short header and a number of four bytes. The sample is ciphertext: public.
        let (sample, mut first, mut number) = ([9; 16], 0x43, cut::<4>(call.data, 0));
        key.encrypt_in_place(&sample, &mut first, &mut number).expect("a sample");
        let protected = number;
        key.decrypt_in_place(&sample, &mut first, &mut number).expect("a sample");
        call.answer(&protected);
    })
}
