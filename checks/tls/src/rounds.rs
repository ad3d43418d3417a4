//! Contenders take turns, and each round starts at another one: what slows the machine for a while slows all
//! alike.

use crate::{
    case::Case,
    certificates::Credentials,
    contender::Contender,
    scenario::{Metric, Run},
};
use std::io;

/// What was measured of one contender in one case, by one metric.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// What was measured.
    pub case: Case,
    /// Of whom.
    pub contender: String,
    /// By what.
    pub metric: Metric,
    /// Of all rounds, in the metric's unit.
    pub median: f64,
    /// Of all rounds: the highest speed, the lowest time.
    pub best: f64,
}

/// Checks and measures the contenders in one case.
///
/// # Errors
/// The first contender's that fails, with its name.
pub fn measure(
    case: Case,
    contenders: &[Contender],
    credentials: &Credentials,
    rounds: usize,
) -> io::Result<Vec<Row>> {
    let prepare = |contender: &Contender| {
        let name = contender.name.to_string();
        case.prepare(contender, credentials).map_err(|error| named(error, &name)).map(|run| (name, run))
    };
    let runs = contenders.iter().map(prepare).collect::<io::Result<Vec<_>>>()?;
    interleave(case, runs, rounds)
}

/// Runs what has been prepared, `rounds` times each, in turns.
///
/// # Errors
/// The first contender's that fails, with its name.
pub fn interleave(case: Case, mut runs: Vec<(String, Run)>, rounds: usize) -> io::Result<Vec<Row>> {
    let count = runs.len();
    let mut figures = vec![Vec::new(); count];
    for round in 0..rounds {
        for turn in 0..count {
            let at = (turn + round) % count;
            let (name, run) = &mut runs[at];
            figures[at].extend(run().map_err(|error| named(error, name))?);
        }
    }
    let mut rows = Vec::new();
    for ((contender, _), figures) in runs.into_iter().zip(figures) {
        for metric in Metric::ALL {
            let mut values: Vec<f64> =
                figures.iter().filter(|(of, _)| *of == metric).map(|(_, value)| *value).collect();
            values.sort_by(f64::total_cmp);
            if let (Some(&least), Some(&most)) = (values.first(), values.last()) {
                let (median, best) = (values[values.len() / 2], if metric.is_speed() { most } else { least });
                rows.push(Row { case, contender: contender.clone(), metric, median, best });
            }
        }
    }
    Ok(rows)
}

fn named(error: io::Error, contender: &str) -> io::Error {
    io::Error::new(error.kind(), format!("{contender}: {error}"))
}
