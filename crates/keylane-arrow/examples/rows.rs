//! Compares the time for columns of short strings with RustCrypto's, row by row, on one core: the Rust part
//! of `python/benchmarks/bench.py`. Prints a name and nanoseconds per row on each line.

use aes_gcm_siv::aead::{Aead, Payload};
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, StringArray};
use hmac::{KeyInit, Mac};
use keylane::any::{AnyHmacKey, HashKind};
use keylane_arrow::{Form, SealingKey, hmac, open, seal, token};
use std::hint::black_box;
use std::time::Instant;

const KEY: &[u8; 32] = &[7; 32];
const CASES: usize = 8;
const ROUNDS: usize = 5;
/// The number of rows per array, as in query engines.
const BATCH: usize = 65_536;

fn rivals_hmac(column: &StringArray) -> FixedSizeBinaryArray {
    let key = hmac::Hmac::<sha2::Sha256>::new_from_slice(KEY).expect("any length");
    let rows = column.iter().map(|row| {
        row.map(|row| {
            let mut mac = key.clone();
            mac.update(row.as_bytes());
            mac.finalize().into_bytes()
        })
    });
    FixedSizeBinaryArray::try_from_sparse_iter_with_size(rows, 32).expect("32 bytes")
}

fn rivals_seal(column: &StringArray) -> arrow_array::BinaryArray {
    let key = aes_gcm_siv::Aes256GcmSiv::new(KEY.into());
    let seal = |row: &str| {
        key.encrypt(&[0; 12].into(), Payload { msg: row.as_bytes(), aad: b"text:a" }).expect("short")
    };
    column.iter().map(|row| row.map(seal)).collect()
}

fn main() {
    let rows: usize =
        std::env::args().nth(1).map_or(1_000_000, |rows| rows.parse().expect("a number of rows"));
    let text = |i: usize| {
        let number = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut text = format!("{number:020}{number:020}");
        text.truncate(8 + (number >> 40) as usize % 33);
        text
    };
    let columns: Vec<StringArray> = (0..rows)
        .step_by(BATCH)
        .map(|first| (first..rows.min(first + BATCH)).map(|i| Some(text(i))).collect())
        .collect();
    let (mac_key, deterministic, random) =
        (AnyHmacKey::new(HashKind::Sha256, KEY), SealingKey::deterministic(KEY), SealingKey::random(KEY));
    let [sealed, sealed_randomly] = [&deterministic, &random].map(|key| {
        let sealed = columns.iter().map(|column| seal(key, "a", column).expect("strings"));
        sealed.collect::<Vec<_>>()
    });
    let each = |run: &dyn Fn(&StringArray)| columns.iter().for_each(run);
    let opened = |key, sealed: &[ArrayRef]| {
        for (sealed, column) in sealed.iter().zip(&columns) {
            drop(black_box(open(key, "a", sealed, column.data_type())));
        }
    };
    type Case<'a> = (&'a str, &'a dyn Fn());
    let cases: [Case<'_>; CASES] = [
        ("hmac", &|| each(&|column| drop(black_box(hmac(&mac_key, column))))),
        ("hmac, RustCrypto", &|| each(&|column| drop(black_box(rivals_hmac(column))))),
        ("token", &|| each(&|column| drop(black_box(token(&mac_key, column, Form::Hex { bytes: 16 }))))),
        ("seal, deterministic", &|| each(&|column| drop(black_box(seal(&deterministic, "a", column))))),
        ("seal, RustCrypto", &|| each(&|column| drop(black_box(rivals_seal(column))))),
        ("open, deterministic", &|| opened(&deterministic, &sealed)),
        ("seal, random", &|| each(&|column| drop(black_box(seal(&random, "a", column))))),
        ("open, random", &|| opened(&random, &sealed_randomly)),
    ];
    let mut times = [[0.0; ROUNDS]; CASES];
    for round in 0..ROUNDS {
        for ((_, run), times) in cases.iter().zip(&mut times) {
            let start = Instant::now();
            run();
            times[round] = start.elapsed().as_secs_f64() * 1e9 / rows as f64;
        }
    }
    for ((name, _), mut times) in cases.iter().zip(times) {
        times.sort_by(f64::total_cmp);
        println!("{name}\t{:.1}", times[ROUNDS / 2]);
    }
}
