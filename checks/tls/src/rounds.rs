//! Contenders take turns, in another order each round: what slows the machine for a while slows all alike.

use crate::scenario::{Metric, Run};
use std::{
    hash::{BuildHasher, RandomState},
    io,
};

/// What was measured of one contender in one case, by one metric.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The contender's name.
    pub contender: String,
    /// What was measured.
    pub metric: Metric,
    /// The median of all rounds, in the metric's unit.
    pub median: f64,
}

/// Runs each of the prepared cases `rounds` times, in turns.
///
/// # Errors
/// The first contender's that fails, with its name.
pub fn interleave(mut runs: Vec<(String, Run)>, rounds: usize) -> io::Result<Vec<Row>> {
    let mut figures = vec![Vec::new(); runs.len()];
    let mut order: Vec<usize> = (0..runs.len()).collect();
    for _ in 0..rounds {
        let random = RandomState::new();
        order.sort_by_cached_key(|at| random.hash_one(at));
        for &at in &order {
            let (name, run) = &mut runs[at];
            let named = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
            figures[at].extend(run().map_err(named)?);
        }
    }
    let mut rows = Vec::new();
    for ((contender, _), figures) in runs.iter().zip(figures) {
        for metric in Metric::ALL {
            let of_metric = figures.iter().filter(|(measured, _)| *measured == metric);
            let mut values: Vec<f64> = of_metric.map(|(_, value)| *value).collect();
            values.sort_by(f64::total_cmp);
            if let Some(&median) = values.get(values.len() / 2) {
                rows.push(Row { contender: contender.clone(), metric, median });
            }
        }
    }
    Ok(rows)
}
