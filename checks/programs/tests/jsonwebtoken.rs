//! jsonwebtoken signs and verifies with Keylane's HMAC, compared with RFC 7515's appendix A.1 and OpenSSL.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{self, Signer, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use keylane::any::{AnyHmacKey, HashKind};
use serde_json::{Value, json};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| Ok(Key::new(key.as_bytes(), *algorithm)?),
    verifier_factory: |algorithm, key| Ok(Key::new(key.try_get_as_bytes()?, *algorithm)?),
    key_utils: KeyUtils::new_unimplemented(),
};
static CALLS: AtomicUsize = AtomicUsize::new(0);

struct Key(AnyHmacKey, Algorithm);

impl Key {
    fn new(key: &[u8], algorithm: Algorithm) -> Result<Box<Self>> {
        CALLS.fetch_add(1, Ordering::SeqCst);
        let hash = match algorithm {
            Algorithm::HS256 => HashKind::Sha256,
            Algorithm::HS384 => HashKind::Sha384,
            Algorithm::HS512 => HashKind::Sha512,
            _ => return Err(ErrorKind::InvalidAlgorithm.into()),
        };
        Ok(Box::new(Self(AnyHmacKey::new(hash, key), algorithm)))
    }
}

impl Signer<Vec<u8>> for Key {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, signature::Error> {
        Ok(self.0.mac(message).as_bytes().to_vec())
    }
}

impl Verifier<Vec<u8>> for Key {
    fn verify(&self, message: &[u8], tag: &Vec<u8>) -> std::result::Result<(), signature::Error> {
        self.0.verify(message, tag).map_err(signature::Error::from_source)
    }
}

impl JwtSigner for Key {
    fn algorithm(&self) -> Algorithm {
        self.1
    }
}

impl JwtVerifier for Key {
    fn algorithm(&self) -> Algorithm {
        self.1
    }
}

#[test]
fn tokens_are_those_of_others() {
    PROVIDER.install_default().unwrap();
    let token = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\
                 eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxl\
                 LmNvbS9pc19yb290Ijp0cnVlfQ.\
                 dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    let key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ+EstJQLr/T+1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow==";
    let mut validation = Validation::new(Algorithm::HS256);
    validation.validate_exp = false; // in 2011
    let read = |token: &str, key: &str| {
        decode::<Value>(token, &DecodingKey::from_base64_secret(key).unwrap(), &validation)
    };
    assert_eq!(read(token, key).unwrap().claims["iss"], "joe");
    let error = read(token, &key.replace("AyM", "ByM")).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::InvalidSignature);

    for (algorithm, name) in
        [(Algorithm::HS256, "sha256"), (Algorithm::HS384, "sha384"), (Algorithm::HS512, "sha512")]
    {
        let claims = json!({ "sub": "ada", "exp": 4_000_000_000_u64 });
        let token = encode(&Header::new(algorithm), &claims, &EncodingKey::from_secret(b"secret")).unwrap();
        let key = DecodingKey::from_secret(b"secret");
        assert_eq!(decode::<Value>(&token, &key, &Validation::new(algorithm)).unwrap().claims, claims);
        let (message, tag) = token.rsplit_once('.').unwrap();
        let openssl =
            format!("printf %s {message} | openssl dgst -{name} -mac HMAC -macopt key:secret -binary");
        let base64 = ["-c", &format!("{openssl} | basenc --base64url --wrap=0")];
        let expected = Command::new("sh").args(base64).output().unwrap().stdout;
        assert_eq!(tag, String::from_utf8(expected).unwrap().trim_end_matches('='));
    }
    assert_eq!(CALLS.load(Ordering::SeqCst), 8);
}
