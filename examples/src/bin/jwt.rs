//! Signs and verifies JSON Web Tokens with HS256 (RFC 7519, RFC 7515).
//!
//! ```text
//! jwt sign KEY-FILE < claims.json > token
//! jwt verify KEY-FILE < token > claims.json
//! ```
//!
//! What a verifier must not forget: the algorithm is the program's choice, not the token's; nothing of a token is believed
//! before its tag is verified; and a token without an end, or after it, is refused.
#![forbid(unsafe_code)]

use data_encoding::BASE64URL_NOPAD as BASE64URL;
use keylane::hmac::HmacKey;
use keylane::sha2::Sha256;
use serde_json::{Value, json};
use std::error::Error;
use std::io::{self, Read};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs};

fn sign(key: &HmacKey<Sha256>, claims: &Value) -> String {
    let header = json!({"alg": "HS256", "typ": "JWT"});
    let encode = |json: &Value| BASE64URL.encode(json.to_string().as_bytes());
    let signed = format!("{}.{}", encode(&header), encode(claims));
    let tag = key.mac(signed.as_bytes());
    format!("{signed}.{}", BASE64URL.encode(&tag))
}

/// The claims, if `token` is authentic and has not ended at `now`, in seconds since 1970.
fn verify(key: &HmacKey<Sha256>, token: &str, now: u64) -> Result<Value, Box<dyn Error>> {
    let (signed, tag) = token.rsplit_once('.').ok_or("not a token")?;
    key.verify(signed.as_bytes(), &BASE64URL.decode(tag.as_bytes())?)?;

    let (header, claims) = signed.split_once('.').ok_or("not a token")?;
    let decode = |part: &str| -> Result<Value, Box<dyn Error>> {
        Ok(serde_json::from_slice(&BASE64URL.decode(part.as_bytes())?)?)
    };
    let (header, claims) = (decode(header)?, decode(claims)?);
    // Extensions that must be understood (RFC 7515 §4.1.11): none is.
    if header["alg"] != "HS256" || header.get("crit").is_some() {
        return Err("another algorithm, or an unknown extension".into());
    }
    // NumericDate may have a fraction.
    let expires = claims["exp"].as_f64().ok_or("a token without an end")?;
    if now as f64 >= expires {
        return Err("expired".into());
    }
    Ok(claims)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [command, key_file] = &arguments[..] else {
        return Err("usage: jwt sign|verify KEY-FILE".into());
    };
    let key = fs::read(key_file)?;
    if key.len() < 32 {
        return Err("a key for HS256 has at least 32 bytes (RFC 7518 §3.2)".into());
    }
    let key = HmacKey::new(&key);
    let input = io::read_to_string(io::stdin().lock().take(64 * 1024))?;
    match command.as_str() {
        "sign" => println!("{}", sign(&key, &serde_json::from_str(&input)?)),
        "verify" => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
            println!("{}", verify(&key, input.trim_end(), now)?);
        }
        _ => return Err("usage: jwt sign|verify KEY-FILE".into()),
    }
    Ok(())
}
