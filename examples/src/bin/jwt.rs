//! Signs and verifies JSON Web Tokens with HS256 (RFC 7519, RFC 7515).
//!
//! ```text
//! jwt sign KEY-FILE < claims.json > token
//! jwt verify KEY-FILE [AUDIENCE] < token > claims.json
//! ```
//!
//! A verifier must observe this: the program chooses the algorithm, not the token; nothing in a token is
//! trusted before its tag is verified; a token that never expires, has expired, is not yet valid, or is meant
//! for another audience is refused.
#![forbid(unsafe_code)]

use data_encoding::BASE64URL_NOPAD as BASE64URL;
use keylane::hmac::HmacKey;
use keylane::secret;
use keylane::sha2::Sha256;
use serde_json::{Value, json};
use std::env;
use std::error::Error;
use std::fs::File;
use std::io::{self, Read};
use std::time::{SystemTime, UNIX_EPOCH};

const USAGE: &str = "usage: jwt sign KEY-FILE | verify KEY-FILE [AUDIENCE]";

fn sign(key: &HmacKey<Sha256>, claims: &Value) -> String {
    let header = json!({"alg": "HS256", "typ": "JWT"});
    let encode = |json: &Value| BASE64URL.encode(json.to_string().as_bytes());
    let signed = format!("{}.{}", encode(&header), encode(claims));
    let tag = key.mac(signed.as_bytes());
    format!("{signed}.{}", BASE64URL.encode(&tag))
}

/// Returns the claims if `token` is authentic, for this audience, and valid at `now`, in seconds since 1970.
fn verify(
    key: &HmacKey<Sha256>,
    token: &str,
    audience: Option<&str>,
    now: f64,
) -> Result<Value, Box<dyn Error>> {
    let (signed, tag) = token.rsplit_once('.').ok_or("not a token")?;
    key.verify(signed.as_bytes(), &BASE64URL.decode(tag.as_bytes())?)?;

    let (header, claims) = signed.split_once('.').ok_or("not a token")?;
    let decode = |part: &str| -> Result<Value, Box<dyn Error>> {
        Ok(serde_json::from_slice(&BASE64URL.decode(part.as_bytes())?)?)
    };
    let (header, claims) = (decode(header)?, decode(claims)?);
    // `crit` lists extensions that must be understood (RFC 7515 §4.1.11). This program supports none.
    if header["alg"] != "HS256" || header.get("crit").is_some() {
        return Err("another algorithm, or an unknown extension".into());
    }
    // Both may have a fraction (RFC 7519 §2, NumericDate).
    if now >= claims["exp"].as_f64().ok_or("a token without an end")? {
        return Err("expired".into());
    }
    if let Some(begins) = claims.get("nbf")
        && now < begins.as_f64().ok_or("a beginning that is no date")?
    {
        return Err("not yet valid".into());
    }
    if !is_for(&claims, audience) {
        return Err("for another audience".into());
    }
    Ok(claims)
}

/// Returns whether a token is for this audience (RFC 7519 §4.1.3): the claim is one name, or several names
/// that include ours. A program without a name accepts only tokens without an audience, a program with a name
/// only tokens for it.
fn is_for(claims: &Value, audience: Option<&str>) -> bool {
    match (claims.get("aud"), audience) {
        (None, None) => true,
        (Some(Value::Array(names)), Some(ours)) => names.iter().any(|name| name == ours),
        (Some(name), Some(ours)) => name == ours,
        (None, Some(_)) | (Some(_), None) => false,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (command, key_file, audience) = match arguments[..] {
        [command, key_file] => (command, key_file, None),
        ["verify", key_file, audience] => ("verify", key_file, Some(audience)),
        _ => return Err(USAGE.into()),
    };
    let key = secret::read_key(File::open(key_file)?)?;
    if key.len() < 32 {
        return Err("a key for HS256 has at least 32 bytes (RFC 7518 §3.2)".into());
    }
    let key = HmacKey::new(&key);
    let input = io::read_to_string(io::stdin().lock().take(64 * 1024))?;
    match command {
        "sign" => println!("{}", sign(&key, &serde_json::from_str(&input)?)),
        "verify" => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64();
            println!("{}", verify(&key, input.trim_end(), audience, now)?);
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}
