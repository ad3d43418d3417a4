//! `keylane bench`

mod clock;
mod json;
mod measure;
mod operations;
mod plan;
mod plot;
mod summary;
mod table;

use crate::progress;
use crate::status::{Failure, Outcome, Status};
use crate::target::Target;
use clap::Args;
use measure::Row;
use plan::{Case, Plan};
use std::io::Write;
use std::path::PathBuf;

/// Measure how fast Keylane is on this CPU
#[derive(Args, Debug)]
#[command(
    long_about = "Measure how fast Keylane is on this CPU.\n\n\
        Without arguments: fifteen operations on one screen, with the implementation that runs, its speed \
        and its cost in cycles. With any argument: tables of every implementation that runs here, in cycles \
        per byte, GB/s and ns per call, of the operations named, or of all, which takes minutes.\n\n\
        Each result is first compared with that of the portable implementation. The implementations take \
        turns, and the core clock is measured with every sample, so that neither a changing clock nor other \
        load on the machine favours one of them. Operations named -many process many messages in one call.",
    after_help = "\
Examples:
  keylane bench
  keylane bench hmac-sha256 --sizes 64,1K,64K --plot hmac.svg"
)]
pub(crate) struct Bench {
    /// Only operations whose name, or whose primitive's name, contains one of these
    #[arg(value_name = "PRIMITIVE-OR-OPERATION")]
    names: Vec<String>,
    /// Every operation, as tables: minutes
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// Message sizes in bytes, up to 16M; 1K is 1024, and 1M is 1024K
    #[arg(long, value_name = "BYTES,…", value_delimiter = ',', value_parser = size)]
    sizes: Vec<usize>,
    /// Write the measurements as one JSON document to this file, which is replaced if it exists; `-` is
    /// standard output, without the tables
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw throughput by message size into this SVG file, which is replaced if it exists; `-` is standard
    /// output, without the tables
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Tables of fewer sizes, in fewer rounds: about ten seconds in all
    #[arg(long)]
    quick: bool,
}

/// The largest message; a batch has 64.
const LARGEST: usize = 16 << 20;

fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    let size = digits.parse::<usize>().ok().and_then(|size| size.checked_mul(unit));
    match size {
        Some(size) if (1..=LARGEST).contains(&size) => Ok(size),
        _ => Err("a size is 1 to 16M".to_owned()),
    }
}

impl Bench {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        let is_told = self.all || self.quick || !self.names.is_empty() || !self.sizes.is_empty();
        if !is_told && self.json.is_none() && self.plot.is_none() {
            return self.summary(out);
        }
        let plan = Plan::new(&self.names, &self.sizes, self.quick)?;
        if self.plot.is_some() && !plan.cases.iter().any(|case| case.size.is_some()) {
            return Err(Failure::input(
                "nothing to plot: the cost of these operations does not depend on a size",
            ));
        }
        if let (Some(json), Some(plot)) = (&self.json, &self.plot)
            && json == plot
        {
            return Err(Failure::input("--json and --plot need a file each"));
        }
        let (json, plot) = (target(&self.json)?, target(&self.plot)?);
        let mut targets = json.iter().chain(&plot);
        // Report a file that cannot be written now, not after the measurements.
        targets.clone().try_for_each(Target::try_draft)?;
        let machine = json::Machine::new();
        let rows = if targets.any(Target::is_stdout) {
            self.measure(&plan, &mut std::io::sink())?
        } else {
            table::write_heading(out, &machine, &plan)?;
            self.measure(&plan, out)?
        };
        if let Some(target) = json {
            target.write((json::document(&machine, &rows) + "\n").as_bytes())?;
        }
        if let Some(target) = plot {
            target.write(plot::chart(&machine, &rows).map_err(Failure::input)?.as_bytes())?;
        }
        Ok(Status::Done)
    }

    fn summary(&self, out: &mut dyn Write) -> Outcome {
        summary::write_heading(out, &json::Machine::new())?;
        let plan = Plan::summary();
        let bar = progress::of_steps(plan.cases.len() as u64);
        for case in &plan.cases {
            bar.set_message(&*case.operation.name);
            let rows = measure::case(case, plan.pace)?;
            bar.inc(1);
            bar.suspend(|| summary::write(out, &rows))?;
        }
        bar.finish_and_clear();
        writeln!(out, "More: keylane bench --help")?;
        writeln!(
            out,
            concat!("Other libraries: ", env!("CARGO_PKG_REPOSITORY"), "/tree/main/docs/benchmarks")
        )?;
        Ok(Status::Done)
    }

    /// Measures table by table, and writes each as soon as it is complete.
    fn measure(&self, plan: &Plan, out: &mut dyn Write) -> Result<Vec<Row>, Failure> {
        let bar = progress::of_steps(plan.cases.len() as u64);
        let mut rows = Vec::new();
        for cases in plan.cases.chunk_by(Case::shares_table) {
            let from = rows.len();
            for case in cases {
                bar.set_message(&*case.operation.name);
                rows.extend(measure::case(case, plan.pace)?);
                bar.inc(1);
            }
            bar.suspend(|| table::write(out, &rows[from..]))?;
        }
        bar.finish_and_clear();
        Ok(rows)
    }
}

fn target(file: &Option<PathBuf>) -> Result<Option<Target>, Failure> {
    file.as_deref().map(|file| Target::new(Some(file), true)).transpose()
}
