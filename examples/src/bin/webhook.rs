//! Verifies deliveries signed as GitHub signs its webhooks: `X-Hub-Signature-256: sha256=HEX`, an HMAC-SHA256
//! of the body.
//!
//! ```text
//! webhook SECRET-FILE < deliveries
//! ```
//!
//! A delivery is a line: the header's value, a space, the body. All are verified in one call, in parallel
//! lanes.
#![forbid(unsafe_code)]

use data_encoding::HEXLOWER_PERMISSIVE as HEX;
use keylane::hmac::HmacKey;
use keylane::secret;
use keylane::sha2::Sha256;
use std::env;
use std::error::Error;
use std::fs::File;
use std::io::{self, Read};
use std::process::ExitCode;

/// Returns the indexes of the bodies that are not authentic.
fn forged(key: &HmacKey<Sha256>, bodies: &[&[u8]], signatures: &[&str]) -> Vec<usize> {
    // A malformed signature becomes an empty tag, which no body has.
    let tag = |signature: &&str| {
        signature.strip_prefix("sha256=").and_then(|hex| HEX.decode(hex.as_bytes()).ok()).unwrap_or_default()
    };
    let tags: Vec<Vec<u8>> = signatures.iter().map(tag).collect();
    let mut authentic = vec![false; bodies.len()];
    match key.verify_many_into(bodies, &tags, &mut authentic) {
        Ok(()) => Vec::new(),
        Err(_) => (0..bodies.len()).filter(|&i| !authentic[i]).collect(),
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let secret = env::args().nth(1).ok_or("usage: webhook SECRET-FILE < deliveries")?;
    let secret = secret::read_text(File::open(secret)?)?;
    if secret.trim_ascii().is_empty() {
        return Err("the secret is empty: anyone could sign with it".into());
    }
    // Prepared once, when the service starts.
    let key = HmacKey::<Sha256>::new(&secret);

    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    let deliveries = input.lines().map(|line| line.split_once(' ').ok_or("a line without a body"));
    let (signatures, bodies): (Vec<&str>, Vec<&str>) =
        deliveries.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let bodies: Vec<&[u8]> = bodies.iter().map(|body| body.as_bytes()).collect();

    let forged = forged(&key, &bodies, &signatures);
    for i in &forged {
        println!("delivery {}: forged", i + 1);
    }
    println!("{} of {} deliveries are authentic", bodies.len() - forged.len(), bodies.len());
    Ok(if forged.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
