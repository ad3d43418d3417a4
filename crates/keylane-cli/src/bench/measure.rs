//! Validates a case, then measures it: the implementations take turns, round by round.

use super::clock;
use super::operations::{BATCH, Call, Work};
use super::plan::{Case, Pace};
use crate::status::Failure;
use serde::Serialize;
use std::time::{Duration, Instant};

/// Fewer rounds would not give a median, however slow the call.
const MIN_ROUNDS: usize = 5;

/// The measurements of one implementation in one case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) primitive: &'static str,
    pub(crate) operation: &'static str,
    pub(crate) implementation: &'static str,
    /// Whether it is the one that runs by default.
    pub(crate) chosen: bool,
    /// The length of each message in bytes.
    pub(crate) size: Option<usize>,
    pub(crate) messages: usize,
    /// The unit that `units` counts in a call.
    pub(crate) unit: &'static str,
    pub(crate) units: u64,
    /// Of a call, as the other measurements.
    pub(crate) cycles_median: Option<f64>,
    pub(crate) cycles_best: Option<f64>,
    pub(crate) ns_median: f64,
    pub(crate) ns_best: f64,
    /// At the median.
    pub(crate) bytes_per_second: Option<f64>,
    pub(crate) cycles_per_byte: Option<f64>,
    #[serde(skip)]
    pub(crate) gigahertz: Option<f64>,
}

/// Time and cycles of a call.
#[derive(Clone, Copy)]
struct Sample {
    nanoseconds: f64,
    gigahertz: Option<f64>,
}

/// Restores the free choice of the primitive, however the measurement ends.
struct Selection<'a>(&'a Case);

impl Selection<'_> {
    fn set(&self, implementation: &str) -> Result<(), Failure> {
        let Case { primitive, .. } = self.0;
        primitive.select(implementation).map_err(|error| {
            Failure::VerificationFailed(format!("{} on {implementation}: {error}", primitive.name()))
        })
    }
}

impl Drop for Selection<'_> {
    fn drop(&mut self) {
        self.0.primitive.reset();
    }
}

/// Measures every implementation that runs here, or only the one that runs by default.
pub(crate) fn case(case: &Case, pace: Pace) -> Result<Vec<Row>, Failure> {
    let selection = Selection(case);
    let mut implementations = case.implementations();
    validate(&selection, &implementations)?;
    implementations.retain(|it| it.1 || !case.few);

    let mut bench = Workbench::new(case);
    let mut calls = Vec::new();
    let mut round = Duration::ZERO;
    for (name, _) in &implementations {
        selection.set(name)?;
        let (count, duration) = bench.calls_in(pace.sample);
        calls.push(count);
        round += duration.max(pace.sample);
    }
    // The time is shared out beforehand: a clock that ran while others had the CPU would end the measuring
    // when it is needed most.
    let budget = pace.sample * (pace.rounds * implementations.len()) as u32;
    let rounds = (budget.as_nanos() / round.as_nanos().max(1)) as usize;
    let mut samples = vec![Vec::new(); implementations.len()];
    for _ in 0..rounds.clamp(MIN_ROUNDS, pace.rounds) {
        for (((name, _), &calls), samples) in implementations.iter().zip(&calls).zip(&mut samples) {
            selection.set(name)?;
            samples.push(bench.sample(calls));
        }
    }
    Ok(implementations
        .iter()
        .zip(&samples)
        .map(|(&(name, chosen), samples)| row(case, name, chosen, samples))
        .collect())
}

/// Checks that this very call returns what the portable implementation returns.
fn validate(selection: &Selection<'_>, implementations: &[(&'static str, bool)]) -> Result<(), Failure> {
    let case = selection.0;
    let run = |name| {
        selection.set(name)?;
        let mut bench = Workbench::new(case);
        bench.time(1);
        Ok::<_, Failure>((bench.answer, bench.data))
    };
    // The list ends with the portable implementation.
    let Some((&(portable, _), others)) = implementations.split_last() else { return Ok(()) };
    let expected = run(portable)?;
    for (name, _) in others {
        if run(name)? != expected {
            return Err(Failure::VerificationFailed(format!(
                "{} on {name} gives another answer than on {portable} for {} x {} bytes",
                case.operation.name,
                case.messages,
                case.size.unwrap_or_else(|| case.data().len()),
            )));
        }
    }
    Ok(())
}

/// The data of one call, reused for all of them.
struct Workbench<'a> {
    case: &'a Case,
    data: Vec<u8>,
    answer: [[u8; 64]; BATCH],
}

impl<'a> Workbench<'a> {
    fn new(case: &'a Case) -> Self {
        Self { case, data: case.data(), answer: [[0; 64]; BATCH] }
    }

    /// Returns how long `calls` calls take, with the key prepared.
    fn time(&mut self, calls: u32) -> Duration {
        let mut run = (self.case.operation.prepare)();
        let size = self.data.len() / self.case.size.map_or(1, |_| self.case.messages);
        let mut call = Call { data: &mut self.data, size, answer: &mut self.answer };
        let start = Instant::now();
        for _ in 0..calls {
            run(&mut call);
        }
        start.elapsed()
    }

    /// Returns how many calls fill `sample` and how long they take, at least one call.
    fn calls_in(&mut self, sample: Duration) -> (u32, Duration) {
        let mut calls = 1;
        loop {
            let elapsed = self.time(calls);
            // Long enough to scale from.
            if elapsed >= sample / 8 || calls >= 1 << 24 {
                let call = elapsed.max(Duration::from_nanos(1)).as_secs_f64() / f64::from(calls);
                let count = ((sample.as_secs_f64() / call) as u32).max(1);
                return (count, Duration::from_secs_f64(call * f64::from(count)));
            }
            calls *= 4;
        }
    }

    fn sample(&mut self, calls: u32) -> Sample {
        // The implementation selected before used other code on this data: warm up first.
        self.time(calls / 16);
        let before = clock::gigahertz();
        let elapsed = self.time(calls);
        let after = clock::gigahertz();
        Sample {
            nanoseconds: elapsed.as_nanos() as f64 / f64::from(calls),
            gigahertz: before.zip(after).map(|(before, after)| before.midpoint(after)),
        }
    }
}

fn row(case: &Case, implementation: &'static str, chosen: bool, samples: &[Sample]) -> Row {
    let nanoseconds = sorted(samples.iter().map(|sample| sample.nanoseconds));
    let cycles = sorted(samples.iter().filter_map(|sample| Some(sample.nanoseconds * sample.gigahertz?)));
    let bytes = case.size.map(|size| (size * case.messages) as u64);
    let (unit, units) = match case.operation.work {
        Work::Fixed { units, unit, .. } => (unit, u64::from(units)),
        Work::Message | Work::Batch => ("byte", bytes.unwrap_or(0)),
    };
    let (ns_median, cycles_median) = (median(&nanoseconds).unwrap_or(0.0), median(&cycles));
    Row {
        primitive: case.primitive.name(),
        operation: &case.operation.name,
        implementation,
        chosen,
        size: case.size,
        messages: case.size.map_or(1, |_| case.messages),
        unit,
        units,
        cycles_median,
        cycles_best: cycles.first().copied(),
        ns_median,
        ns_best: nanoseconds.first().copied().unwrap_or(0.0),
        bytes_per_second: bytes.map(|bytes| bytes as f64 * 1e9 / ns_median),
        cycles_per_byte: bytes.zip(cycles_median).map(|(bytes, cycles)| cycles / bytes as f64),
        gigahertz: median(&sorted(samples.iter().filter_map(|sample| sample.gigahertz))),
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The median of sorted values.
pub(crate) fn median(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(lower.midpoint(upper))
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[4.0]), Some(4.0));
        assert_eq!(median(&[1.0, 2.0]), Some(1.5));
        assert_eq!(median(&[1.0, 2.0, 9.0]), Some(2.0));
    }
}
