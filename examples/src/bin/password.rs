//! Stores passwords with PBKDF2-HMAC-SHA512, one line each: `$pbkdf2-sha512$i=210000$SALT$HASH`.
//!
//! ```text
//! password new > line < password
//! password check LINE-FILE < password       # prints a line that replaces it if its cost is outdated
//! password audit LINES-FILE < guesses       # which lines a list of common passwords opens
//! ```
//! An audit computes all lines of one cost in parallel lanes.
#![forbid(unsafe_code)]

use data_encoding::BASE64_NOPAD as BASE64;
use keylane::pbkdf2::{self, Job};
use keylane::sha2::Sha512;
use std::collections::BTreeMap;
use std::error::Error;
use std::num::NonZeroU32;
use std::{env, fmt, fs, io};
use zeroize::Zeroizing;

/// OWASP's recommendation of 2023 for HMAC-SHA512.
const ITERATIONS: NonZeroU32 = NonZeroU32::new(210_000).unwrap();

/// The record of a password.
struct Record {
    iterations: NonZeroU32,
    salt: Vec<u8>,
    hash: Vec<u8>,
}

impl Record {
    fn new(password: &str) -> Result<Self, Box<dyn Error>> {
        let (mut salt, mut hash) = (vec![0; 16], vec![0; 64]);
        getrandom::fill(&mut salt)?;
        pbkdf2::derive::<Sha512>(password.as_bytes(), &salt, ITERATIONS, &mut hash)?;
        Ok(Self { iterations: ITERATIONS, salt, hash })
    }

    fn parse(line: &str) -> Result<Self, Box<dyn Error>> {
        let fields: Vec<&str> = line.split('$').collect();
        let ["", "pbkdf2-sha512", iterations, salt, hash] = fields[..] else {
            return Err("not a line of pbkdf2-sha512".into());
        };
        Ok(Self {
            iterations: iterations.strip_prefix("i=").ok_or("no number of iterations")?.parse()?,
            salt: BASE64.decode(salt.as_bytes())?,
            hash: BASE64.decode(hash.as_bytes())?,
        })
    }

    fn verify(&self, password: &str) -> Result<(), keylane::Error> {
        pbkdf2::verify::<Sha512>(password.as_bytes(), &self.salt, self.iterations, &self.hash)
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (salt, hash) = (BASE64.encode(&self.salt), BASE64.encode(&self.hash));
        write!(f, "$pbkdf2-sha512$i={}${salt}${hash}", self.iterations)
    }
}

/// Returns the indexes of the records that match `guess`.
fn opened_by(guess: &str, records: &[Record]) -> Result<Vec<usize>, keylane::Error> {
    let mut derived: Vec<Vec<u8>> = records.iter().map(|record| vec![0; record.hash.len()]).collect();
    let mut by_cost: BTreeMap<NonZeroU32, Vec<Job<'_>>> = BTreeMap::new();
    for (Record { iterations, salt, .. }, out) in records.iter().zip(&mut derived) {
        by_cost.entry(*iterations).or_default().push(Job { password: guess.as_bytes(), salt, out });
    }
    for (iterations, mut jobs) in by_cost {
        pbkdf2::derive_many::<Sha512>(&mut jobs, iterations)?;
    }
    // An auditor has the records, so the comparison need not be constant time.
    Ok((0..records.len()).filter(|&i| derived[i] == records[i].hash).collect())
}

fn first_line(input: &str) -> Result<&str, &'static str> {
    input.lines().next().filter(|line| !line.is_empty()).ok_or("no password on the standard input")
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().collect();
    // Wiped when dropped. Memory that was too small while it grew may keep pieces of the password.
    let input = Zeroizing::new(io::read_to_string(io::stdin())?);
    // Editors on Windows begin a text with it.
    let input = input.strip_prefix('\u{feff}').unwrap_or(&input);
    match arguments.iter().skip(1).map(String::as_str).collect::<Vec<_>>()[..] {
        ["new"] => println!("{}", Record::new(first_line(input)?)?),
        ["check", file] => {
            let record = Record::parse(fs::read_to_string(file)?.trim_end())?;
            let password = first_line(input)?;
            record.verify(password)?;
            if record.iterations < ITERATIONS {
                println!("{}", Record::new(password)?);
            }
        }
        ["audit", file] => {
            let lines = fs::read_to_string(file)?;
            let records = lines.lines().map(Record::parse).collect::<Result<Vec<_>, _>>()?;
            for guess in input.lines() {
                for i in opened_by(guess, &records)? {
                    println!("line {}: {guess}", i + 1);
                }
            }
        }
        _ => return Err("usage: password new | check FILE | audit FILE".into()),
    }
    Ok(())
}
