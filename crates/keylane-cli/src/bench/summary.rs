//! The summary: fifteen operations on one screen.

use super::clock;
use super::json::Machine;
use super::measure::Row;
use super::table;
use std::io::{self, Write};

/// From here on the time of a message is that of its bytes.
const LONG: usize = 1024;

pub(crate) fn write_heading(out: &mut dyn Write, machine: &Machine) -> io::Result<()> {
    table::write_machine(out, machine)?;
    let cost = if clock::MEASURABLE { "cycles (c)" } else { "time (ns)" };
    writeln!(out, "Speed: GB, or million messages, keys or iterations, a second; cost: {cost}\n")?;
    let heads = ["operation", "of", "what runs", "speed", "cost"];
    let [operation, of, runs, speed, cost] = heads;
    writeln!(out, "{operation:24} {of:>12}  {runs:16} {speed:>12} {cost:>6}")
}

/// Writes a line.
pub(crate) fn write(out: &mut dyn Write, rows: &[Row]) -> io::Result<()> {
    let Some(row) = rows.first() else { return Ok(()) };
    let of = match (row.size, row.messages) {
        (None, _) => format!("{}s", row.unit.split(' ').next().unwrap_or_default()),
        (Some(size), 1) if size >= LONG => format!("{} KiB", size / 1024),
        (Some(size), 1) => format!("{size} B"),
        (Some(size), messages) => format!("{messages} x {size} B"),
    };
    let (units, speed, per) = match row.size {
        Some(LONG..) => (row.units as f64, "GB/s", "/B"),
        Some(_) => (row.messages as f64, "M/s", ""),
        None => (row.units as f64, "M/s", ""),
    };
    let rate = table::number(units / row.ns_median * if per.is_empty() { 1e3 } else { 1.0 });
    let (cost, unit) = row.cycles_median.map_or((row.ns_median, "ns"), |cycles| (cycles, "c"));
    let (operation, runs, cost) = (row.operation, row.implementation, table::number(cost / units));
    writeln!(out, "{operation:24} {of:>12}  {runs:16} {rate:>7} {speed:4} {cost:>6} {unit}{per}")
}
