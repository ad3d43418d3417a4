//! Cases that no subject covers: sessions, the TLS provider's objects for rustls, keys from passphrases. They
//! branch on values that other libraries make public, or take too long for the tools that follow secrets.

use crate::memory::unwatched;
use crate::watch::{Case, Secret};
use keylane_contracts::boxed;
use keylane_file::{Encryption, Kdf, Key, MIN_ITERATIONS};
use keylane_tls::cipher_suite::{
    TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    TLS13_AES_256_GCM_SHA384, TLS13_CHACHA20_POLY1305_SHA256,
};
use keylane_tls::record::{Cipher, TrafficKeys, Version};
use keylane_tls::rustls::crypto::cipher::{
    InboundOpaqueMessage, Iv, MessageDecrypter, MessageEncrypter, OutboundChunks, OutboundPlainMessage,
};
use keylane_tls::rustls::crypto::tls13::OkmBlock;
use keylane_tls::rustls::{self, ProtocolVersion, SupportedCipherSuite};
use keylane_tls::session::{KeySchedule, Receiver, Sender, Session, Side, Status};
use keylane_tls::{Error, Options};
use std::hint::black_box;
use std::io::{self, IoSlice};
use zeroize::Zeroizing;

pub(crate) fn cases() -> Vec<Case> {
    const SESSION: &[&str] =
        &["keylane_tls::session::Session", "keylane_tls::session::Sender", "keylane_tls::session::Receiver"];
    const PROVIDER: &[&str] = &["keylane_tls::provider"];
    let pbkdf2 = |secret: &mut Secret| passphrase(secret, Kdf::Pbkdf2 { iterations: MIN_ITERATIONS });
    let argon2id = |secret: &mut Secret| passphrase(secret, Kdf::default());
    let mut cases = vec![
        Case::new(&["keylane_file"], "a passphrase by PBKDF2", Some("sha512"), pbkdf2),
        Case::new(&["keylane_file"], "a passphrase by Argon2id", None, argon2id),
    ];
    // What goes together, by the names of the primitives.
    let gcm = (Cipher::Aes256Gcm, TLS13_AES_256_GCM_SHA384, TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384);
    let chacha = (
        Cipher::ChaCha20Poly1305,
        TLS13_CHACHA20_POLY1305_SHA256,
        TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    );
    let suites = [("aes-gcm", "sha512", gcm), ("chacha20-poly1305", "sha256", chacha)];
    for (aead, hash, (cipher, tls13, tls12)) in suites {
        cases.extend([
            Case::new(SESSION, aead, Some(aead), move |secret| session(secret, cipher)),
            Case::new(PROVIDER, "records", Some(aead), move |secret| provider_records(secret, tls13, tls12)),
            Case::new(PROVIDER, "key schedule", Some(hash), move |secret| key_schedule(secret, tls13, tls12)),
        ]);
    }
    cases
}

/// The secret that the keys come from: anything that wipes itself.
struct Schedule(Zeroizing<[u8; 32]>, Cipher);

impl Schedule {
    fn next(&mut self) -> Result<TrafficKeys, Error> {
        self.0[0] = self.0[0].wrapping_add(1);
        let iv = self.0.first_chunk().expect("it is longer");
        TrafficKeys::new(self.1, &self.0[..self.1.key_len()], iv)
    }
}

impl KeySchedule for Schedule {
    fn next_send_keys(&mut self) -> Result<TrafficKeys, Error> {
        self.next()
    }

    fn next_receive_keys(&mut self) -> Result<TrafficKeys, Error> {
        self.next()
    }

    fn keep_ticket(&mut self, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }
}

/// Data, new keys and more data, from one end to the other; some of it is never taken.
fn session(secret: &mut Secret, cipher: Cipher) {
    let (up, down, next) = (secret.bytes(), secret.bytes(), secret.bytes());
    let keys = |bytes: &[u8; 32]| {
        let iv = bytes.first_chunk().expect("it is longer");
        TrafficKeys::new(cipher, &bytes[..cipher.key_len()], iv).expect("its length")
    };
    let options = Options::default();
    let session = |side, send, receive| {
        let schedule = Schedule(Zeroizing::new(next), cipher);
        boxed(|| Session::new(Version::Tls13, side, keys(send), keys(receive), schedule, &options))
    };
    let mut client = session(Side::Client, &up, &down);
    let mut server = session(Side::Server, &down, &up);
    let text = secret.bytes::<700>();
    // The bytes that a sender keeps are sealed, and so public; a short record allocates the buffer.
    unwatched(|| client.sender.write(&[IoSlice::new(b"a")]).expect("a short text"));
    client.sender.write(&[IoSlice::new(&text[..300])]).expect("a short text");
    carry(&mut client.sender, &mut server.receiver);
    assert_eq!(taken(&mut server.receiver), 301);
    client.sender.update_keys(false).expect("the schedule has keys");
    client.sender.write(&[IoSlice::new(&text)]).expect("a short text");
    carry(&mut client.sender, &mut server.receiver);
    assert_eq!(taken(&mut server.receiver), 700);
    client.sender.write(&[IoSlice::new(&text)]).expect("a short text");
    carry(&mut client.sender, &mut server.receiver);
    assert_eq!(server.receiver.process().expect("as it was sealed"), Status::Data);
    secret.lives();
}

/// What a transport would do.
fn carry(sender: &mut Sender, receiver: &mut Receiver) {
    let len = sender.pending().len();
    receiver.space()[..len].copy_from_slice(sender.pending());
    receiver.filled(len);
    sender.sent(len);
}

fn taken(receiver: &mut Receiver) -> usize {
    let mut taken = 0;
    while receiver.process().expect("as it was sealed") == Status::Data {
        let len = receiver.data().len();
        receiver.consume(len);
        taken += len;
    }
    taken
}

/// rustls cuts other keys than those of 32 bytes; they go the same way.
fn provider_records(secret: &mut Secret, tls13: SupportedCipherSuite, tls12: SupportedCipherSuite) {
    let (key, iv) = (secret.bytes::<32>(), secret.bytes::<12>());
    let suite = tls13.tls13().expect("of TLS 1.3").aead_alg;
    let sealer = suite.encrypter(key.into(), Iv::new(iv));
    provider_record(secret, sealer, suite.decrypter(key.into(), Iv::new(iv)));
    let SupportedCipherSuite::Tls12(suite) = tls12 else { unreachable!("of TLS 1.2") };
    let suite = suite.aead_alg;
    let shape = suite.key_block_shape();
    let (fixed, explicit) = (&iv[..shape.fixed_iv_len], &[5; 12][..shape.explicit_nonce_len]);
    let sealer = suite.encrypter(key.into(), fixed, explicit);
    provider_record(secret, sealer, suite.decrypter(key.into(), fixed));
}

fn provider_record(
    secret: &mut Secret,
    mut sealer: Box<dyn MessageEncrypter>,
    mut opener: Box<dyn MessageDecrypter>,
) {
    let (short, long) = (secret.bytes::<300>(), secret.bytes::<9000>());
    for (number, text) in [&short[..], &long].into_iter().enumerate() {
        let message = OutboundPlainMessage {
            typ: rustls::ContentType::ApplicationData,
            version: ProtocolVersion::TLSv1_2,
            payload: OutboundChunks::Single(text),
        };
        let mut sealed = sealer.encrypt(message, number as u64).expect("a short text");
        let mut record = [0; 9100];
        let record = &mut record[..sealed.payload.as_ref().len()];
        record.copy_from_slice(sealed.payload.as_ref());
        // It is public, and other bytes for another secret.
        sealed.payload.as_mut().fill(0);
        let message = InboundOpaqueMessage::new(sealed.typ, ProtocolVersion::TLSv1_2, record);
        let opened = opener.decrypt(message, number as u64).expect("just sealed");
        assert_eq!(opened.payload, text);
    }
    secret.lives();
}

fn key_schedule(secret: &mut Secret, tls13: SupportedCipherSuite, tls12: SupportedCipherSuite) {
    let suite = tls13.tls13().expect("of TLS 1.3");
    let hkdf = suite.hkdf_provider;
    let early = hkdf.extract_from_secret(None, &secret.bytes::<32>());
    let block: OkmBlock = early.expand_block(&[b"derived"]);
    let expander = hkdf.expander_for_okm(&block);
    expander.expand_slice(&[b"key"], &mut [0; 32]).expect("a short key");
    black_box(hkdf.hmac_sign(&block, b"finished"));
    let mut transcript = suite.common.hash_provider.start();
    transcript.update(&secret.bytes::<301>());
    black_box((transcript.fork().finish(), transcript.fork_finish()));
    let SupportedCipherSuite::Tls12(suite) = tls12 else { unreachable!("of TLS 1.2") };
    suite.prf_provider.for_secret(&mut [0; 100], &secret.bytes::<48>(), b"key expansion", b"seed");
    secret.lives();
    black_box(transcript.finish());
}

/// Once, and no more than that: with Argon2id an image holds 64 MiB.
fn passphrase(secret: &mut Secret, kdf: Kdf) {
    let passphrase = secret.bytes::<20>();
    let text = secret.bytes::<4096>();
    let encryption = Encryption::new(Key::Passphrase(&passphrase)).kdf(kdf).threads(1);
    encryption.progress(|_| secret.lives()).run(&text[..], io::sink()).expect("nothing fails");
}
