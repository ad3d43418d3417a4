//! `keylane tls bench`

use crate::status::{Failure, Outcome, Status};
use clap::Args;
use keylane_tls_checks::case::{Case, Scenario};
use keylane_tls_checks::certificates::Credentials;
use keylane_tls_checks::contender::{self, Contender};
use keylane_tls_checks::rounds;
use keylane_tls_checks::scenario::Metric;
use std::io::Write;

/// Measure Keylane's TLS against rustls
#[derive(Args, Debug)]
#[command(
    long_about = "Measure Keylane's TLS against rustls: its streams, rustls with Keylane's ciphers, and \
        rustls with ring's.\n\n\
        Everything runs in this process, over loopback TCP or in memory, and is checked before it is \
        measured. The libraries take turns, and the median is shown.",
    after_help = "\
Examples:
  keylane tls bench records throughput --quick"
)]
pub(crate) struct Bench {
    /// Only these scenarios, records, throughput, handshakes, parallel or latency, or cases whose name contains
    /// one of these
    #[arg(value_name = "SCENARIO-OR-CASE")]
    names: Vec<String>,
    /// Fewer cases and fewer rounds
    #[arg(long)]
    quick: bool,
    /// How many turns each library gets
    #[arg(long, value_name = "ROUNDS", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
}

impl Bench {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Outcome {
        let cases: Vec<_> =
            Scenario::ALL.into_iter().flat_map(|scenario| scenario.cases(self.quick)).collect();
        let chosen: Vec<_> = cases.into_iter().filter(|case| self.wants(case)).collect();
        if chosen.is_empty() {
            return Err(Failure::input("no scenario and no case has such a name"));
        }
        let credentials = Credentials::generate().map_err(Failure::input)?;
        let contenders = contender::all();
        write!(out, "{:60} {:10} {:17}", "case", "of", "in")?;
        for contender in &contenders {
            write!(out, " {:>14}", contender.name)?;
        }
        writeln!(out)?;
        let rounds = usize::from(self.rounds.unwrap_or(if self.quick { 3 } else { 9 }));
        for case in chosen {
            let rows = rounds::measure(case, &contenders, &credentials, rounds)
                .map_err(|error| Failure::VerificationFailed(format!("{case}: {error}")))?;
            for metric in Metric::ALL {
                let median = |contender: &Contender| {
                    rows.iter().find(|row| row.metric == metric && row.contender == contender.name)
                };
                let medians: Vec<_> = contenders.iter().map(median).collect();
                if medians.iter().all(Option::is_none) {
                    continue;
                }
                write!(out, "{:60} {:10} {:17}", case.to_string(), metric.name, metric.unit)?;
                for median in medians {
                    let figure = median.map_or_else(|| "-".to_owned(), |row| figure(row.median));
                    write!(out, " {figure:>14}")?;
                }
                writeln!(out)?;
            }
            out.flush()?;
        }
        Ok(Status::Done)
    }

    fn wants(&self, case: &Case) -> bool {
        let names = |name: &String| *name == case.scenario.to_string() || case.to_string().contains(name);
        self.names.is_empty() || self.names.iter().any(names)
    }
}

/// Three digits, or more before the point.
fn figure(value: f64) -> String {
    let decimals = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else if value >= 1.0 {
        2
    } else {
        3
    };
    format!("{value:.decimals$}")
}
