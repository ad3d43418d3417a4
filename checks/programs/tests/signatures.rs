//! p256 and rsa sign Keylane's hashes, compared with RFC 6979's appendix A.2.5 and verified by OpenSSL.

use keylane::rustcrypto::Sha256;
use keylane::rustcrypto::digest::Digest;
use keylane_program_checks::Identity;
use p256::ecdsa::signature::{DigestSigner, DigestVerifier};
use rsa::pkcs8::DecodePrivateKey;
use rsa::signature::{SignatureEncoding, Signer, Verifier};
use rsa::{Pkcs1v15Sign, PrivateKey};
use std::fs;
use std::process::Command;

const RSA_KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tls/keys/rsa-2048.pem");

fn sign(key: &p256::ecdsa::SigningKey, message: &[u8]) -> p256::ecdsa::Signature {
    key.sign_digest(|hash: &mut Sha256| Digest::update(hash, message))
}

fn sign_pss(key: rsa::PrivateKey, message: &[u8]) -> rsa::pss::Signature {
    rsa::pss::SigningKey::<Sha256>::new(key).sign(message)
}

#[test]
fn p256_signs_as_rfc_6979() {
    let key = hex("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721");
    let key = p256::ecdsa::SigningKey::from_slice(&key).unwrap();
    let signature = sign(&key, b"sample");
    let (r, s) = (
        hex("EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"),
        hex("F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"),
    );
    assert_eq!(signature.to_vec(), [r, s].concat());
    let verify = |message: &'static [u8]| {
        let absorb = |hash: &mut Sha256| {
            Digest::update(hash, message);
            Ok(())
        };
        key.verifying_key().verify_digest(absorb, &signature)
    };
    assert!(verify(b"sample").is_ok() && verify(b"simple").is_err());
}

fn hex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn openssl_verifies_rsa() {
    let key = PrivateKey::from_pkcs8_pem(&fs::read_to_string(RSA_KEY).unwrap()).unwrap();
    let signature = sign_pss(key.clone(), b"message");
    let verifier = rsa::pss::VerifyingKey::<Sha256>::new(key.to_public_key());
    verifier.verify(b"message", &signature).unwrap();
    verifier.verify(b"massage", &signature).unwrap_err();
    openssl_verifies(&signature.to_vec(), "pss");

    let signature = key.sign(Pkcs1v15Sign::new::<Sha256>(), &Sha256::digest(b"message")).unwrap();
    openssl_verifies(&signature, "pkcs1");
}

fn openssl_verifies(signature: &[u8], padding: &str) {
    let folder = Identity::new().folder;
    fs::write(folder.path().join("signature"), signature).unwrap();
    for (message, verdict) in [("message", "Verified OK\n"), ("massage", "Verification failure\n")] {
        fs::write(folder.path().join("message"), message).unwrap();
        let mut openssl = Command::new("openssl");
        openssl.current_dir(&folder).args(["dgst", "-sha256", "-prverify", RSA_KEY]);
        openssl.args([
            "-signature",
            "signature",
            "-sigopt",
            &format!("rsa_padding_mode:{padding}"),
            "message",
        ]);
        assert_eq!(String::from_utf8(openssl.output().unwrap().stdout).unwrap(), verdict);
    }
}
