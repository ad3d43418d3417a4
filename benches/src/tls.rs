//! TLS: Keylane's streams, and rustls' own with several providers, in the scenarios of `checks/tls`.

use crate::{clock::Clock, is_ours, results::Line};
use keylane_tls_checks::{
    case::{Case, Scenario},
    certificates::Credentials,
    contender::{self, Contender},
    rounds::{Row, interleave},
    scenario::Metric,
};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use std::{error::Error, io};

/// Keylane's symmetric half beside aws-lc-rs' asymmetric one.
fn keylane_and_aws_lc_rs() -> CryptoProvider {
    keylane_tls::provider_with(aws_lc_rs::default_provider())
}

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
        contenders.push(contender::keylane("keylane+aws-lc-rs", keylane_and_aws_lc_rs));
        contenders.push(contender::rustls("rustls+keylane+aws-lc-rs", keylane_and_aws_lc_rs));
        contenders.retain(|contender| wants(contender.name));
        Ok(Self { credentials: Credentials::generate()?, contenders })
    }

    /// Checks and measures all of them in one case. Who fails is left out, with a message.
    pub fn measure(&self, case: Case, rounds: Option<u16>, clock: &Clock) -> io::Result<Vec<Line>> {
        let mut runs = Vec::new();
        // The asymmetric half has no part in what follows a handshake.
        let has_part = |contender: &&Contender| {
            let is_mixed = is_ours(contender.name) && contender.name.ends_with("aws-lc-rs");
            !is_mixed || matches!(case.scenario, Scenario::Handshakes | Scenario::Parallel)
        };
        for contender in self.contenders.iter().filter(has_part) {
            match case.prepare(contender, &self.credentials) {
                Ok(run) => runs.push((contender.name.into(), run)),
                Err(error) => eprintln!("{case}: {}: {error}, left out", contender.name),
            }
        }
        let usual = match case.scenario {
            Scenario::Records | Scenario::Bulk | Scenario::Handshakes => 21,
            Scenario::Throughput | Scenario::Parallel => 7,
            Scenario::Latency => 5,
        };
        let before = clock.gigahertz();
        let rows = interleave(runs, rounds.unwrap_or(usual).into())?;
        let gigahertz = (before + clock.gigahertz()) / 2.0;
        let line = |Row { contender, metric, median }: Row| {
            let (unit, factor) = match metric.unit {
                "ns/B" => ("cycles per byte", gigahertz),
                unit => (unit, 1.0),
            };
            Line {
                table: format!("TLS {}: {}, {unit}", case.scenario, metric.name),
                case: format!("{case}/{}", metric.name),
                is_speed: metric.is_speed,
                is_charted: case.scenario.cases(true).contains(&case)
                    && ![Metric::WALL, Metric::CLIENT, Metric::BORROW].contains(&metric),
                figures: [(contender, vec![median * factor])].into(),
                ..Line::default()
            }
        };
        Ok(rows.into_iter().map(line).collect())
    }
}
