//! The measurements as one JSON document, with a description of the machine.

use super::clock;
use super::measure::{Row, median};
use serde::Serialize;
use std::env::consts::{ARCH, OS};
use std::fs;

/// Where the measurements were taken.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) cpu: Option<String>,
    pub(crate) architecture: &'static str,
    pub(crate) operating_system: &'static str,
    /// The measured core clock.
    pub(crate) gigahertz: Option<f64>,
}

#[derive(Serialize)]
struct Document<'a> {
    keylane: &'static str,
    machine: Machine,
    rows: &'a [Row],
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self { cpu: cpu_model(), architecture: ARCH, operating_system: OS, gigahertz: clock::gigahertz() }
    }

    /// For headings.
    pub(crate) fn name(&self) -> &str {
        self.cpu.as_deref().unwrap_or(self.architecture)
    }
}

/// Linux reports it for most CPUs; there is no portable way elsewhere.
fn cpu_model() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    let (_, model) = line.split_once(':')?;
    Some(model.trim().to_owned())
}

pub(crate) fn document(machine: &Machine, rows: &[Row]) -> String {
    let mut clocks: Vec<_> = rows.iter().filter_map(|row| row.gigahertz).collect();
    clocks.sort_by(f64::total_cmp);
    // The clock during the measurements, not the one before them.
    let machine = Machine { gigahertz: median(&clocks).or(machine.gigahertz), ..machine.clone() };
    let document = Document { keylane: env!("CARGO_PKG_VERSION"), machine, rows };
    // Strings, numbers and lists of them cannot fail.
    serde_json::to_string_pretty(&document).unwrap_or_default()
}
