//! What makes AES in counter mode fast here: vectors in flight, where counters, data and round keys come from. Writes the
//! tables of docs/notes/aes-ctr.md:
//!
//!     taskset -c 1 cargo run --release --manifest-path benches/Cargo.toml --bin ctr-study
#![forbid(unsafe_code)]

mod kernel;
mod tables;
mod variants;

use keylane_benches::{case, clock::Clock, cpu};
use std::{error::Error, fs, hint::black_box};
use variants::{RoundKeyBytes, Variant};

const NOTE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/notes/aes-ctr.md");
const BEGIN: &str = "<!-- What follows is written by ctr-study. -->\n";
const END: &str = "<!-- The end of what ctr-study writes. -->\n";

const ROUNDS: usize = 15;
/// Nanoseconds of a sample.
const SAMPLE: f64 = 150_000.0;
const BITS: [usize; 2] = [128, 256];
const LENGTHS: [usize; 3] = [64, 1024, 8192];

/// What is measured of each variant: key sizes, and for each the lengths.
fn columns() -> impl Iterator<Item = (usize, usize)> {
    (0..BITS.len()).flat_map(|bits| LENGTHS.into_iter().map(move |len| (bits, len)))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut variants = variants::here();
    if variants.is_empty() {
        return Err("no vectors of blocks on this CPU".into());
    }
    let round_keys: RoundKeyBytes =
        std::array::from_fn(|round| std::array::from_fn(|i| case::msg(240)[16 * round + i]));
    check(&variants, &round_keys)?;
    let mut clock = Clock::new();
    for (bits, len) in columns() {
        eprintln!("AES-{}, {len} bytes, {} variants", BITS[bits], variants.len());
        measure(&mut variants, &round_keys, bits, len, &mut clock);
    }
    let text = format!("\n{} {}.\n\n{}", cpu::name(), clock.describe(), tables::all(&variants));
    print!("{text}");
    let note = fs::read_to_string(NOTE)?;
    let (before, rest) = note.split_once(BEGIN).ok_or("the note has no line where the tables begin")?;
    let (_, after) = rest.split_once(END).ok_or("the note has no line where the tables end")?;
    fs::write(NOTE, format!("{before}{BEGIN}{text}\n{END}{after}"))?;
    Ok(())
}

/// All variants must agree, also where the counter runs over a byte, half the block or the whole.
fn check(variants: &[Variant], round_keys: &RoundKeyBytes) -> Result<(), String> {
    let starts = [0, 200, 0x1_0000_0000_0000_0000 - 100, u128::MAX - 33, u128::from_be_bytes(case::IV16)];
    for (bits, len) in columns() {
        for start in starts {
            let mut expected = None;
            for variant in variants {
                let mut data = case::msg(len);
                variant.encrypt[bits](round_keys, &start.to_be_bytes(), &mut data);
                if expected.get_or_insert_with(|| data.clone()) != &data {
                    return Err(format!(
                        "{variant} disagrees: AES-{}, {len} bytes from {start:x}",
                        BITS[bits]
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Interleaved rounds; medians.
fn measure(variants: &mut [Variant], round_keys: &RoundKeyBytes, bits: usize, len: usize, clock: &mut Clock) {
    let (mut data, start) = (case::msg(len), case::IV16);
    let mut time = |variant: &Variant, count: u64| {
        clock.time(|| {
            for _ in 0..count {
                variant.encrypt[bits](black_box(round_keys), black_box(&start), black_box(&mut data));
            }
        })
    };
    let counts: Vec<u64> = (variants.iter())
        .map(|variant| {
            let few = time(variant, 100).ns / 100.0;
            (SAMPLE / few) as u64 + 1
        })
        .collect();
    let mut cycles = vec![Vec::new(); variants.len()];
    for _ in 0..ROUNDS {
        for ((variant, &count), cycles) in variants.iter().zip(&counts).zip(&mut cycles) {
            cycles.push(time(variant, count).cycles / count as f64 / len as f64);
        }
    }
    for (variant, cycles) in variants.iter_mut().zip(&mut cycles) {
        cycles.sort_by(f64::total_cmp);
        variant.figures.push(cycles[ROUNDS / 2]);
    }
}
