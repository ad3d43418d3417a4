//! The summary: fifteen operations on one screen.

use super::json::Machine;
use super::measure::Row;
use super::table;
use std::io::{self, Write};

/// From here on the time of a message is that of its bytes.
const LONG: usize = 1024;

pub(crate) fn write_heading(out: &mut dyn Write, machine: &Machine) -> io::Result<()> {
    table::write_machine(out, machine)?;
    writeln!(out, "Speed: GB, or million messages, keys or iterations, a second\n")?;
    let heads = ["operation", "of", "what runs", "speed", "x portable"];
    let [operation, of, runs, speed, times] = heads;
    writeln!(out, "{operation:24} {of:>12}  {runs:16} {speed:>12} {times:>10}")
}

/// Writes a line. The last row is the portable implementation's.
pub(crate) fn write(out: &mut dyn Write, rows: &[Row]) -> io::Result<()> {
    let (Some(row), Some(portable)) = (rows.iter().find(|row| row.chosen), rows.last()) else {
        return Ok(());
    };
    let of = match (row.size, row.messages) {
        (None, _) => format!("{}s", row.unit.split(' ').next().unwrap_or_default()),
        (Some(size), 1) if size >= LONG => format!("{} KiB", size / 1024),
        (Some(size), 1) => format!("{size} B"),
        (Some(size), messages) => format!("{messages} x {size} B"),
    };
    let (speed, unit) = match (row.size, row.bytes_per_second) {
        (Some(LONG..), Some(rate)) => (rate / 1e9, "GB/s"),
        (Some(_), _) => (row.messages as f64 * 1e3 / row.ns_median, "M/s"),
        (None, _) => (row.units as f64 * 1e3 / row.ns_median, "M/s"),
    };
    let (operation, runs) = (row.operation, row.implementation);
    let (speed, times) = (table::number(speed), table::number(portable.ns_median / row.ns_median));
    writeln!(out, "{operation:24} {of:>12}  {runs:16} {speed:>7} {unit:4} {times:>10}")
}
