//! The measurements as tables: a row a size, a column an implementation.

use super::clock;
use super::json::Machine;
use super::measure::Row;
use super::plan::Plan;
use keylane::{Primitive, primitives};
use std::io::{self, Write};

/// Two figures and their separator.
const COLUMN: usize = 17;

/// Instructions that a CPU may lack, by the names of the implementations that need them, and what that costs:
/// in the reports of Zen 4 in `docs/benchmarks`, with and as if without; of AES and AVX2, in this command's
/// rows.
const INSTRUCTIONS: [(&str, &str); 5] = [
    ("aes-ni neon-aes", "AES instructions: AES-GCM takes about 35 times as long"),
    ("sha-ni neon-sha2", "SHA instructions: SHA-256 of one message takes about 3.2 times as long"),
    ("avx2", "AVX2: ChaCha20-Poly1305 takes about 1.8 times as long"),
    ("vaes-avx2 vaes-avx512", "VAES: AES-GCM of a long message takes about twice as long"),
    ("avx512", "AVX-512: ChaCha20-Poly1305 takes about 1.4 times as long, batches of SHA-512 1.8 times"),
];

/// Returns what a CPU lacks that can run those of these implementations that are marked.
fn lacking(all: &[(&str, bool)]) -> impl Iterator<Item = &'static str> {
    let any = |names: &str, usable: bool| {
        all.iter().any(|(name, runs)| names.split(' ').any(|known| known == *name) && (*runs || !usable))
    };
    INSTRUCTIONS
        .iter()
        .filter(move |(names, _)| any(names, false) && !any(names, true))
        .map(|(_, text)| *text)
}

pub(crate) fn write_heading(out: &mut dyn Write, machine: &Machine, plan: &Plan) -> io::Result<()> {
    writeln!(out, "How fast each implementation is here; * marks the one that runs when you choose none.")?;
    write_machine(out, machine)?;
    let all = primitives().iter().flat_map(Primitive::implementations).map(|it| (it.name, it.usable));
    for text in lacking(&all.collect::<Vec<_>>()) {
        writeln!(out, "This CPU lacks {text}.")?;
    }
    let cost = if clock::MEASURABLE { "c/B is cycles a byte" } else { "ns/B is nanoseconds a byte" };
    writeln!(out, "Median of up to {} rounds. {cost}; every answer was checked first.", plan.pace.rounds)
}

pub(crate) fn write_machine(out: &mut dyn Write, machine: &Machine) -> io::Result<()> {
    write!(out, "CPU: {}", machine.name())?;
    match machine.gigahertz {
        Some(clock) => writeln!(out, ", running at {clock:.2} GHz (measured)"),
        None if cfg!(debug_assertions) => {
            writeln!(out, "\nThis is an unoptimised build: cycles are not known, times are too long")
        }
        None => writeln!(out, "\nCycles are not known on {}", machine.architecture),
    }
}

/// Writes one table: the rows of one operation, or of a primitive's operations without a size.
pub(crate) fn write(out: &mut dyn Write, rows: &[Row]) -> io::Result<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let sized = first.size.is_some();
    let lines: Vec<&[Row]> = rows.chunk_by(|a, b| (a.operation, a.size) == (b.operation, b.size)).collect();
    let labels: Vec<String> = lines.iter().map(|line| label(&line[0])).collect();
    let width = labels.iter().map(String::len).max().unwrap_or(0).max(if sized { 10 } else { 40 });

    writeln!(out)?;
    match (sized, first.messages) {
        (true, 1) => writeln!(out, "{}", first.operation)?,
        (true, messages) => writeln!(out, "{}: {messages} messages at once", first.operation)?,
        (false, _) => writeln!(out, "{}: work of fixed size", first.primitive)?,
    }
    write!(out, "{:>width$}", "")?;
    for row in lines[0] {
        write!(out, "  {:>COLUMN$}", row.implementation)?;
    }
    let unit = match (sized, clock::MEASURABLE) {
        (true, true) => ["c/B", "GB/s"],
        (true, false) => ["ns/B", "GB/s"],
        (false, true) => ["cycles", "ns"],
        (false, false) => ["ns", ""],
    };
    write!(out, "\n{:>width$}", if sized { "bytes" } else { "" })?;
    for _ in lines[0] {
        write!(out, "  {:>8}{:>8} ", unit[0], unit[1])?;
    }
    writeln!(out, "{}", if sized { "   ns a call *" } else { "" })?;
    for (line, label) in lines.iter().zip(&labels) {
        write!(out, "{label:>width$}")?;
        for row in *line {
            let [left, right] = figures(row);
            write!(out, "  {left:>8}{right:>8}{}", if row.chosen { '*' } else { ' ' })?;
        }
        match line.iter().find(|row| row.chosen) {
            Some(row) if sized => writeln!(out, "  {:>12}", number(row.ns_median))?,
            _ => writeln!(out)?,
        }
    }
    Ok(())
}

fn label(row: &Row) -> String {
    match row.size {
        Some(size) => grouped(size),
        None => format!("{}, per {}", row.operation, row.unit),
    }
}

/// The cost, and the throughput or the time.
fn figures(row: &Row) -> [String; 2] {
    let units = row.units as f64;
    let cycles = row.cycles_median.map(|cycles| number(cycles / units));
    let nanoseconds = number(row.ns_median / units);
    match row.bytes_per_second {
        Some(rate) => [cycles.unwrap_or(nanoseconds), number(rate / 1e9)],
        None => match cycles {
            Some(cycles) => [cycles, nanoseconds],
            None => [nanoseconds, String::new()],
        },
    }
}

/// Three significant digits, or more before the point.
pub(crate) fn number(value: f64) -> String {
    let decimals = match value {
        100.0.. => 0,
        10.0.. => 1,
        0.1.. => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

/// Groups of three digits: 1 048 576.
fn grouped(value: usize) -> String {
    let digits = value.to_string();
    let threes = digits.as_bytes().rchunks(3).rev().map(|three| String::from_utf8_lossy(three));
    threes.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_lacks_what_is_needed_by_nothing_that_it_runs() {
        let zen_2 = [("vaes-avx512", false), ("vaes-avx2", false), ("aes-ni", true), ("sha-ni", true)];
        assert!(lacking(&zen_2).eq([INSTRUCTIONS[3].1]));
        let alder_lake = [("vaes-avx512", false), ("vaes-avx2", true), ("avx512", false)];
        assert!(lacking(&alder_lake).eq([INSTRUCTIONS[4].1]));
        assert!(lacking(&[("sha-ni", false), ("portable", true)]).eq([INSTRUCTIONS[1].1]));
    }

    #[test]
    fn numbers() {
        for (value, text) in [(12345.6, "12346"), (99.94, "99.9"), (1.234, "1.23"), (0.0123, "0.012")] {
            assert_eq!(number(value), text);
        }
        for (value, text) in [(7, "7"), (1024, "1 024"), (1_048_576, "1 048 576")] {
            assert_eq!(grouped(value), text);
        }
    }
}
