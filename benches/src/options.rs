//! What the programs here are asked by their command line, and how a run is made again.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct Options {
    /// Run the cases of these groups, or whose name contains one of these (all without one)
    pub filters: Vec<String>,
    /// Print the names of the cases only
    #[arg(long)]
    pub list: bool,
    /// Libraries whose name contains one of these
    #[arg(long, value_delimiter = ',')]
    pub only: Vec<String>,
    /// Without libraries whose name contains one of these
    #[arg(long, value_delimiter = ',')]
    pub skip: Vec<String>,
    /// Write the results there
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the report and its chart there, named after the CPU
    #[arg(long, value_name = "FOLDER")]
    pub report: Option<PathBuf>,
}

impl Options {
    /// Whether a case is asked for.
    pub fn has_case(&self, group: &str, name: &str) -> bool {
        let asked = |filter: &String| *filter == group || name.contains(filter.as_str());
        self.filters.is_empty() || self.filters.iter().any(asked)
    }

    /// Whether a library is asked for.
    pub fn has_library(&self, name: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|part| name.contains(part.as_str()));
        (self.only.is_empty() || named(&self.only)) && !named(&self.skip)
    }
}

/// Returns the command that repeats this run of the binary `bin`, without the path of its JSON.
pub fn command(bin: &str) -> String {
    let mut command = format!("taskset -c 1 cargo run --release --manifest-path benches/Cargo.toml {bin}--");
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--json" => drop(args.next()),
            _ => command = command + " " + &arg,
        }
    }
    command
}
