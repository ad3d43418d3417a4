//! Writes the measurements as lines of text or as one JSON document.

use super::clock;
use super::measure::{Row, median};
use serde::Serialize;
use std::env::consts::{ARCH, OS};
use std::fs;
use std::io::{self, Write};

/// The length from which a message's time is proportional to its length.
const LONG: usize = 1024;

/// The machine on which the measurements were taken.
#[derive(Clone, Serialize)]
pub(crate) struct Machine {
    cpu: Option<String>,
    architecture: &'static str,
    operating_system: &'static str,
    /// The measured core clock.
    pub(crate) gigahertz: Option<f64>,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self { cpu: cpu_model(), architecture: ARCH, operating_system: OS, gigahertz: clock::gigahertz() }
    }

    /// Returns the CPU's name for headings.
    pub(crate) fn name(&self) -> &str {
        self.cpu.as_deref().unwrap_or(self.architecture)
    }
}

/// Returns the CPU's model, which Linux reports for most CPUs; other systems have no portable way.
fn cpu_model() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let (_, model) = info.lines().find(|line| line.starts_with("model name"))?.split_once(':')?;
    Some(model.trim().to_owned())
}

pub(crate) fn write_heading(out: &mut dyn Write, machine: &Machine) -> io::Result<()> {
    write!(out, "CPU: {}", machine.name())?;
    match machine.gigahertz {
        Some(clock) => writeln!(out, ", running at {clock:.2} GHz (measured)")?,
        None if cfg!(debug_assertions) => {
            writeln!(out, "\nThis is an unoptimised build: cycles are not known, times are too long")?;
        }
        None => writeln!(out, "\nCycles are not known on {}", machine.architecture)?,
    }
    let cost = if clock::MEASURABLE { "cycles (c)" } else { "time (ns)" };
    writeln!(out, "Speed: GB, or million messages, keys or iterations, a second; cost: {cost}\n")?;
    let [operation, of, runs, speed, cost] = ["operation", "of", "what runs", "speed", "cost"];
    writeln!(out, "{operation:24} {of:>12}  {runs:16} {speed:>12} {cost:>6}")
}

pub(crate) fn write_line(out: &mut dyn Write, row: &Row) -> io::Result<()> {
    let (units, speed, per) = match row.size {
        Some(LONG..) => (row.units as f64, "GB/s", "/B"),
        Some(_) => (row.messages as f64, "M/s", ""),
        None => (row.units as f64, "M/s", ""),
    };
    let rate = number(units / row.ns_median * if per.is_empty() { 1e3 } else { 1.0 });
    let (cost, unit) = row.cycles_median.map_or((row.ns_median, "ns"), |cycles| (cycles, "c"));
    let (operation, runs, cost, of) = (row.operation, row.implementation, number(cost / units), row.of());
    writeln!(out, "{operation:24} {of:>12}  {runs:16} {rate:>7} {speed:4} {cost:>6} {unit}{per}")
}

impl Row {
    /// Returns the work's unit.
    pub(crate) fn of(&self) -> String {
        match (self.size, self.messages) {
            (None, _) => format!("{}s", self.unit.split(' ').next().unwrap_or_default()),
            (Some(size), 1) if size >= LONG => format!("{} KiB", size / 1024),
            (Some(size), 1) => format!("{size} B"),
            (Some(size), messages) => format!("{messages} x {size} B"),
        }
    }
}

/// Formats a number with three significant digits, or more before the point.
pub(crate) fn number(value: f64) -> String {
    let decimals = match value {
        100.0.. => 0,
        10.0.. => 1,
        0.1.. => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

#[derive(Serialize)]
struct Document<'a> {
    keylane: &'static str,
    machine: Machine,
    rows: &'a [Row],
}

pub(crate) fn json(machine: &Machine, rows: &[Row]) -> String {
    // The clock during the measurements, not the one before them.
    let gigahertz = median(rows.iter().filter_map(|row| row.gigahertz)).or(machine.gigahertz);
    let machine = Machine { gigahertz, ..machine.clone() };
    let document = Document { keylane: env!("CARGO_PKG_VERSION"), machine, rows };
    // Serialising strings, numbers and lists cannot fail.
    serde_json::to_string_pretty(&document).unwrap_or_default()
}
