//! `keylane bench`

mod clock;
mod measure;
mod operations;
mod plot;
mod report;

use crate::progress;
use crate::status::{Failure, Outcome, Status};
use crate::target::Target;
use clap::Args;
use report::Machine;
use std::io::{self, Write};
use std::path::PathBuf;

/// Measure how fast Keylane is on this CPU
#[derive(Args, Debug)]
#[command(
    long_about = "Measure how fast Keylane is on this CPU.\n\n\
        Shows fifteen operations with the implementation in use, its speed and its cycles. Each result is \
        first checked against the portable implementation; the core clock is measured with every sample. \
        Operations named -many process many messages in one call.",
    after_help = "\
Examples:
  keylane bench
  keylane bench --json bench.json --plot bench.svg"
)]
pub(crate) struct Bench {
    /// Write the measurements as one JSON document to this file, replacing it; `-` is standard output, where
    /// only the document is printed
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw the throughput into this SVG file, replacing it; `-` is standard output, where only the chart is
    /// printed
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

impl Bench {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        if self.json.is_some() && self.json == self.plot {
            return Err(Failure::input("--json and --plot need a file each"));
        }
        let target =
            |file: &Option<PathBuf>| file.as_ref().map(|file| Target::new(Some(file), true)).transpose();
        let (json, plot) = (target(&self.json)?, target(&self.plot)?);
        let mut targets = json.iter().chain(&plot);
        // Fail before the measurements if a file cannot be written.
        targets.clone().try_for_each(Target::try_draft)?;
        let mut nowhere = io::sink();
        let out = if targets.any(Target::is_stdout) { &mut nowhere } else { out };

        let (machine, mut rows) = (Machine::new(), Vec::new());
        report::write_heading(out, &machine)?;
        let bar = progress::of_steps(operations::ALL.len() as u64);
        for operation in &operations::ALL {
            bar.set_message(operation.name);
            let row = measure::run(operation)?;
            bar.inc(1);
            bar.suspend(|| report::write_line(out, &row))?;
            rows.push(row);
        }
        bar.finish_and_clear();
        writeln!(out, "More: keylane bench --help")?;
        writeln!(out, "Other libraries, in Keylane's repository: docs/benchmarks")?;

        if let Some(target) = json {
            target.write((report::json(&machine, &rows) + "\n").as_bytes())?;
        }
        if let Some(target) = plot {
            target.write(plot::chart(&machine, &rows).as_bytes())?;
        }
        Ok(Status::Done)
    }
}
