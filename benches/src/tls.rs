//! TLS: Keylane's streams, and rustls' own with several providers, in the scenarios of `checks/tls`.

use crate::{clock::Clock, results::Line};
use keylane_tls_checks::{
    case::{Case, Scenario},
    certificates::Credentials,
    contender::{self, Contender},
    scenario::{Metric, Run},
};
use rustls::crypto::aws_lc_rs;
use std::{error::Error, io};

/// Who takes part.
pub struct Tls {
    credentials: Credentials,
    contenders: Vec<Contender>,
}

/// Returns every case.
pub fn cases() -> Vec<Case> {
    Scenario::ALL.into_iter().flat_map(|scenario| scenario.cases(false)).collect()
}

impl Tls {
    /// Returns those whose name is wanted.
    pub fn new(wants: impl Fn(&str) -> bool) -> Result<Self, Box<dyn Error>> {
        let mut contenders = contender::all();
        contenders.push(contender::rustls("rustls+aws-lc-rs", aws_lc_rs::default_provider));
        contenders.retain(|contender| wants(contender.name));
        Ok(Self { credentials: Credentials::generate()?, contenders })
    }

    /// Checks and measures all of them in one case. Who fails is left out, with a message.
    pub fn measure(&self, case: Case, rounds: Option<u16>, clock: &Clock) -> io::Result<Vec<Line>> {
        let mut runs = Vec::new();
        for contender in &self.contenders {
            match case.prepare(contender, &self.credentials) {
                Ok(run) => runs.push((contender.name.into(), run)),
                Err(error) => eprintln!("{case}: {}: {error}, left out", contender.name),
            }
        }
        let usual = if case.scenario == Scenario::Records { 21 } else { 7 };
        let (rounds, count) = (usize::from(rounds.unwrap_or(usual)), runs.len());
        let (before, mut figures) = (clock.gigahertz(), vec![Vec::new(); count]);
        for turn in 0..rounds * count {
            // Each round starts at another one.
            let at = (turn + turn / count) % count;
            let (name, run): &mut (String, Run) = &mut runs[at];
            figures[at].extend(run().map_err(|error| io::Error::other(format!("{case}: {name}: {error}")))?);
        }
        let gigahertz = (before + clock.gigahertz()) / 2.0;
        let mut lines = Vec::new();
        for ((name, _), figures) in runs.into_iter().zip(figures) {
            for metric in Metric::ALL {
                let of_metric = figures.iter().filter(|(measured, _)| *measured == metric);
                let mut values: Vec<f64> = of_metric.map(|(_, value)| *value).collect();
                values.sort_by(f64::total_cmp);
                let Some(median) = values.get(values.len() / 2) else { continue };
                let (unit, factor) = match metric.unit {
                    "ns/B" => ("cycles per byte", gigahertz),
                    unit => (unit, 1.0),
                };
                lines.push(Line {
                    table: format!("TLS {}: {}, {unit}", case.scenario, metric.name),
                    case: format!("{case}/{}", metric.name),
                    is_speed: metric.is_speed,
                    is_charted: case.scenario.cases(true).contains(&case)
                        && ![Metric::WALL, Metric::BORROW].contains(&metric),
                    figures: [(name.clone(), vec![median * factor])].into(),
                    ..Line::default()
                });
            }
        }
        Ok(lines)
    }
}
