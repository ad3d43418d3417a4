//! What AEADs do besides `keylane::operations`, and what is built on them: streams, TLS records, files.

use crate::tool;
use crate::watch::{Secret, Watch, array, secret, secret_array, still_secret};
use keylane::Error;
use keylane::aead::Aead;
use keylane::aes_gcm::Aes128Gcm;
use keylane::rustcrypto::Aes256Gcm;
use keylane::rustcrypto::aead::array::Array;
use keylane::rustcrypto::aead::{Aead as _, KeyInit};
use keylane::stream::{ChunkCipher, Opener, Sealer};
use keylane_file::{Algorithm, HEADER_LEN, Key, Options};
use keylane_tls::record::{Cipher, ContentType, RecordOpener, RecordSealer, TrafficKeys, Version};
use keylane_tls::rustls::SupportedCipherSuite;
use keylane_tls::rustls::crypto::cipher::AeadKey;
use std::num::NonZeroUsize;

/// Texts that are gathered first, and longer ones; several groups of blocks, and a rest.
const LENGTHS: [usize; 7] = [0, 1, 16, 100, 513, 1000, 5001];

type SealTo<'a> = &'a dyn Fn(&[u8], &[&[u8]], &mut [u8]) -> Result<(), Error>;
type OpenTo<'a> = &'a dyn Fn(&[u8], &[u8], &mut [u8]) -> Result<(), Error>;
type SealAppend<'a> = &'a dyn Fn(&[u8], &[u8], &mut Vec<u8>) -> Result<(), Error>;

/// Forms of sealing and opening that the AEADs have in common.
pub struct Forms<'a> {
    pub name: &'static str,
    pub seal_to: SealTo<'a>,
    pub open_to: OpenTo<'a>,
    pub seal_append: SealAppend<'a>,
}

/// [`Forms`] of an AEAD.
macro_rules! forms {
    ($Aead:ident, $run:expr) => {
        for secret in Secret::EACH {
            let aead = $Aead::from_slice(&secret.key($Aead::KEY_LEN, 1)).expect("a key");
            let nonce = array(&secret.other($Aead::NONCE_LEN, 2));
            $run(
                Forms {
                    name: stringify!($Aead),
                    seal_to: &|aad, slices, out| aead.seal_to(&nonce, aad, slices, out),
                    open_to: &|aad, sealed, out| aead.open_to(&nonce, aad, sealed, out),
                    seal_append: &|aad, text, out| aead.seal_append(&nonce, aad, text, out),
                },
                secret,
            );
        }
    };
}
pub(crate) use forms as with_forms;

pub fn forms(watch: &mut Watch, implementation: &str, forms: &Forms<'_>, secret: Secret) {
    // A text without a whole block may leave parts of a tag without marks.
    for len in LENGTHS.into_iter().filter(|&len| secret != Secret::Text || len >= 16) {
        let name =
            format_args!("slices, {} by {implementation}, {len} bytes, secret: {secret:?}", forms.name);
        watch.case(name, || {
            let (aad, text) = (secret.other(len % 50, 3), secret.text(len, 4));
            let mut sealed = vec![0; len + 16];
            let slices = [&text[..len / 3], &text[len / 3..len / 2], &text[len / 2..]];
            (forms.seal_to)(&aad, &slices, &mut sealed).expect("it fits");
            let mut opened = vec![0; len];
            (forms.open_to)(&aad, &sealed, &mut opened).expect("it is authentic");
            let mut appended = Vec::new();
            (forms.seal_append)(&aad, &text, &mut appended).expect("not too long");
            let mut refused = vec![0; len];
            sealed[len] ^= 1;
            assert!((forms.open_to)(&aad, &sealed, &mut refused).is_err());
            still_secret(&mut sealed) & still_secret(&mut opened) & still_secret(&mut appended)
        });
    }
}

pub fn stream<A: Aead<Nonce = [u8; 12]>>(watch: &mut Watch, implementation: &str, secret: Secret, aead: impl Fn() -> A) {
    watch.case(format_args!("stream by {implementation}, secret: {secret:?}"), || {
        let prefix = array(&secret.other(7, 5));
        let (mut sealer, mut opener) =
            (Sealer::new(ChunkCipher::new(aead(), &prefix)), Opener::new(ChunkCipher::new(aead(), &prefix)));
        let (mut first, text) = (secret.text(100, 6), secret.text(1000, 7));
        let tag = sealer.seal_next(b"", &mut first).expect("the first chunk");
        let mut last = vec![0; text.len() + 16];
        sealer.seal_last_to(b"", &[&text], &mut last).expect("it fits");
        opener.open_next(b"", &mut first, &tag).expect("it is authentic");
        let mut opened = vec![0; text.len()];
        last[3] ^= 1;
        assert!(opener.open_next_to(b"", &last, &mut opened).is_err());
        last[3] ^= 1;
        opener.open_last_to(b"", &last, &mut opened).expect("it is authentic");
        still_secret(&mut first) & still_secret(&mut last) & still_secret(&mut opened)
    });
}

pub fn records(watch: &mut Watch, implementation: &str, ciphers: &[Cipher]) {
    for &cipher in ciphers {
        for version in [Version::Tls12, Version::Tls13] {
            for secret in Secret::EACH {
                for len in
                    [0, 1, 100, 3000, 16_384].into_iter().filter(|&len| secret != Secret::Text || len >= 16)
                {
                    let name = format_args!(
                        "record, {version:?}, {cipher:?} by {implementation}, {len} bytes, secret: {secret:?}"
                    );
                    watch.case(name, || record(version, cipher, secret, len));
                }
            }
        }
    }
}

/// The header is public, and so is the type inside once a record is open.
fn record(version: Version, cipher: Cipher, secret: Secret, len: usize) -> bool {
    // The explicit nonces of TLS 1.2 stand in the record: they are public, and so is where they start.
    let iv = if version == Version::Tls13 { array(&secret.other(12, 8)) } else { [9; 12] };
    let keys = TrafficKeys::new(cipher, &secret.key(cipher.key_len(), 9), &iv).expect("a key");
    let mut sealer = RecordSealer::new(version, &keys, 0);
    let opener = || RecordOpener::new(version, &keys, 0);
    let (text, mut record) = (secret.text(len, 10), vec![0; len + sealer.overhead()]);
    let slices = [&text[..len / 2], &text[len / 2..]];
    sealer.seal(ContentType::ApplicationData, &slices, &mut record).expect("it fits");
    let mut forged = record.clone();
    *forged.last_mut().expect("a tag") ^= 1;
    assert!(opener().open(&mut forged).is_err());
    // Behind the header and an explicit nonce. The type, which is sealed with the text, is public.
    let mut body = record[13..].to_vec();
    if secret == Secret::Text && version == Version::Tls13 {
        body.remove(body.len() - 17);
    }
    let (_, place) = opener().open(&mut record).expect("it is authentic");
    assert_eq!(place.len(), len);
    still_secret(&mut body) & still_secret(&mut record[place])
}

/// The length of the padding is public once a record is open.
pub fn padded_record(watch: &mut Watch, implementation: &str) {
    const HEADER: [u8; 5] = [23, 3, 3, 0, 217];
    watch.case(format_args!("record with padding by {implementation}"), || {
        let (key, iv) = (secret_array(9), secret_array(8));
        let (text, mut padding) = (secret(100, 10), vec![0; 100]);
        tool::mark(&mut padding);
        let mut record = vec![0; HEADER.len() + 217];
        record[..HEADER.len()].copy_from_slice(&HEADER);
        // The nonce of record 0 is the IV.
        Aes128Gcm::new(&key)
            .seal_to(&iv, &HEADER, &[&text, &[23], &padding], &mut record[HEADER.len()..])
            .expect("it fits");
        let keys = TrafficKeys::new(Cipher::Aes128Gcm, &key, &iv).expect("a key");
        let opened = RecordOpener::new(Version::Tls13, &keys, 0).open(&mut record);
        let (_, place) = opened.expect("it is authentic");
        assert_eq!(place.len(), text.len());
        still_secret(&mut record[place])
    });
}

/// A file under a key file. Its header is public.
pub fn file(watch: &mut Watch, implementation: &str, algorithm: Algorithm) {
    for (secret, len) in [
        (Secret::All, 0),
        (Secret::All, 1000),
        (Secret::All, 70_000),
        (Secret::Key, 70_000),
        (Secret::Text, 70_000),
    ] {
        let name = format_args!("file, {algorithm:?} by {implementation}, {len} bytes, secret: {secret:?}");
        watch.case(name, || {
            let (text, key_bytes) = (secret.text(len, 11), secret.key(32, 12));
            let (key, other) = (Key::File(&key_bytes), secret.key(32, 13));
            let threads = NonZeroUsize::new(1);
            let options = Options { algorithm, threads, ..Options::default() };
            let mut file = Vec::new();
            keylane_file::encrypt(&text[..], &mut file, key, &options, |_| ()).expect("it fits");
            let mut opened = Vec::new();
            keylane_file::decrypt(&file[..], &mut opened, key, threads, |_| ()).expect("it is authentic");
            assert!(
                keylane_file::decrypt(&file[..], Vec::new(), Key::File(&other), threads, |_| ()).is_err()
            );
            let last = file.len() - 1;
            file[last] ^= 1;
            assert!(keylane_file::decrypt(&file[..], Vec::new(), key, threads, |_| ()).is_err());
            // The commitment ends the header, and depends on the key alone.
            let header_len = if secret == Secret::Text { HEADER_LEN } else { HEADER_LEN - 32 };
            still_secret(&mut file[header_len..]) & still_secret(&mut opened)
        });
    }
}

/// RustCrypto's traits on an AEAD.
pub fn rustcrypto(watch: &mut Watch, implementation: &str) {
    for secret in Secret::EACH {
        watch.case(format_args!("RustCrypto's traits by {implementation}, secret: {secret:?}"), || {
            let aead = Aes256Gcm::new(&Array(array(&secret.key(32, 1))));
            let (nonce, text) = (Array(array(&secret.other(12, 2))), secret.text(512, 3));
            let mut sealed = aead.encrypt(&nonce, &text[..]).expect("not too long");
            let mut opened = aead.decrypt(&nonce, &sealed[..]).expect("it is authentic");
            sealed[3] ^= 1;
            assert!(aead.decrypt(&nonce, &sealed[..]).is_err());
            still_secret(&mut sealed) & still_secret(&mut opened)
        });
    }
}

/// The header of a QUIC packet, by rustls' traits. How long the packet's number is becomes public.
pub fn quic_header(watch: &mut Watch, implementation: &str, suite: SupportedCipherSuite) {
    watch.case(format_args!("QUIC header by {implementation}"), || {
        let quic = suite.tls13().and_then(|suite| suite.quic).expect("for QUIC, too");
        let key = quic.header_protection_key(AeadKey::from(secret_array(1)));
        // A short header and a number of four bytes.
        let (mut first, mut number) = (0x43, [1, 2, 3, 4]);
        key.encrypt_in_place(&[5; 16], &mut first, &mut number).expect("a sample");
        let protected = number;
        key.decrypt_in_place(&[5; 16], &mut first, &mut number).expect("a sample");
        still_secret(&mut { protected }) & still_secret(&mut number)
    });
}
