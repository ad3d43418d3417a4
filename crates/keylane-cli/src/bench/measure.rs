//! Compares an operation's result with the portable implementation's, then measures it.

use super::clock;
use super::operations::{BATCH, Call, Operation, Work};
use crate::status::Failure;
use keylane::primitives;
use serde::Serialize;
use std::time::{Duration, Instant};

/// The time of a sample. It is shorter than a time slice, so that even on a busy machine most samples run
/// undisturbed, and so does the median.
const SAMPLE: Duration = Duration::from_micros(400);
const ROUNDS: u32 = 61;
/// The minimum number of rounds for a median, however slow the call.
const MIN_ROUNDS: u32 = 5;

/// The measurements of one operation.
#[derive(Serialize)]
pub(crate) struct Row {
    primitive: &'static str,
    pub(crate) operation: &'static str,
    pub(crate) implementation: &'static str,
    /// The length of each message in bytes.
    pub(crate) size: Option<usize>,
    pub(crate) messages: usize,
    /// The unit of `units`.
    pub(crate) unit: &'static str,
    pub(crate) units: u64,
    /// Cycles per call, like the other measurements.
    pub(crate) cycles_median: Option<f64>,
    cycles_best: Option<f64>,
    pub(crate) ns_median: f64,
    ns_best: f64,
    /// The throughput at the median.
    pub(crate) bytes_per_second: Option<f64>,
    cycles_per_byte: Option<f64>,
    #[serde(skip)]
    pub(crate) gigahertz: Option<f64>,
}

/// Time and cycles of a call.
struct Sample {
    nanoseconds: f64,
    gigahertz: Option<f64>,
}

/// Measures the implementation that runs by default.
pub(crate) fn run(operation: &Operation) -> Result<Row, Failure> {
    let primitive = primitives().iter().find(|it| it.name() == operation.primitive);
    let primitive = primitive.ok_or_else(|| Failure::input(format_args!("no {}", operation.primitive)))?;
    let (size, messages, unit, units) = match operation.work {
        Work::Messages { count, len } => (Some(len), count, "byte", (count * len) as u64),
        Work::Units { count, unit, messages } => (None, messages, unit, u64::from(count)),
    };
    let usable = || primitive.implementations().filter(|it| it.usable);
    let chosen = usable().find(|it| it.passes_self_test && it.from_messages <= messages);
    // The last implementation in the list is the portable one.
    let (Some(chosen), Some(portable)) = (chosen, usable().last()) else {
        return Err(Failure::VerificationFailed(format!(
            "{}: nothing passes its self-test",
            primitive.name()
        )));
    };
    let select = |implementation| {
        primitive.select(implementation).map_err(|error| {
            Failure::VerificationFailed(format!("{} on {implementation}: {error}", primitive.name()))
        })
    };
    let answer = |implementation| {
        select(implementation)?;
        let mut bench = Workbench::new(operation);
        bench.time(1);
        Ok::<_, Failure>((bench.answer, bench.data))
    };
    if answer(portable.name)? != answer(chosen.name)? {
        return Err(Failure::VerificationFailed(format!(
            "{} on {} gives another answer than on {}",
            operation.name, chosen.name, portable.name
        )));
    }
    let samples = Workbench::new(operation).samples();
    primitive.reset();

    let nanoseconds = || samples.iter().map(|sample| sample.nanoseconds);
    let cycles = || samples.iter().filter_map(|sample| Some(sample.nanoseconds * sample.gigahertz?));
    let (ns_median, cycles_median) = (median(nanoseconds()).unwrap_or(0.0), median(cycles()));
    Ok(Row {
        primitive: primitive.name(),
        operation: operation.name,
        implementation: chosen.name,
        size,
        messages,
        unit,
        units,
        cycles_median,
        cycles_best: cycles().min_by(f64::total_cmp),
        ns_median,
        ns_best: nanoseconds().fold(f64::INFINITY, f64::min),
        bytes_per_second: size.map(|_| units as f64 * 1e9 / ns_median),
        cycles_per_byte: size.and(cycles_median).map(|cycles| cycles / units as f64),
        gigahertz: median(samples.iter().filter_map(|sample| sample.gigahertz)),
    })
}

/// The data of one call, reused for all of them.
struct Workbench<'a> {
    operation: &'a Operation,
    data: Vec<u8>,
    answer: [[u8; 64]; BATCH],
}

impl<'a> Workbench<'a> {
    /// Returns data without equal blocks.
    fn new(operation: &'a Operation) -> Self {
        let data = (0..operation.data_len()).map(|i| (i % 251) as u8).collect();
        Self { operation, data, answer: [[0; 64]; BATCH] }
    }

    /// Returns the time for `calls` calls with a prepared key.
    fn time(&mut self, calls: u32) -> Duration {
        let mut run = (self.operation.prepare)();
        let size = match self.operation.work {
            Work::Messages { len, .. } => len,
            Work::Units { .. } => self.data.len(),
        };
        let mut call = Call { data: &mut self.data, size, answer: &mut self.answer };
        let start = Instant::now();
        for _ in 0..calls {
            run(&mut call);
        }
        start.elapsed()
    }

    fn samples(&mut self) -> Vec<Sample> {
        let mut calls = 1;
        let call = loop {
            let elapsed = self.time(calls);
            // This is long enough to extrapolate.
            if elapsed >= SAMPLE / 8 || calls >= 1 << 24 {
                break elapsed.max(Duration::from_nanos(1)).as_secs_f64() / f64::from(calls);
            }
            calls *= 4;
        };
        let calls = ((SAMPLE.as_secs_f64() / call) as u32).max(1);
        // The number of rounds is fixed in advance: a time limit would end the measurement early on a busy
        // CPU, where it needs the most rounds.
        let budget = SAMPLE.as_secs_f64() * f64::from(ROUNDS);
        let rounds = (budget / (call * f64::from(calls))) as u32;
        (0..rounds.clamp(MIN_ROUNDS, ROUNDS)).map(|_| self.sample(calls)).collect()
    }

    fn sample(&mut self, calls: u32) -> Sample {
        // Measuring the clock has used the caches: warm up first.
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

pub(crate) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<_> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    Some(sorted[(sorted.len() - 1) / 2].midpoint(upper))
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn medians() {
        assert_eq!(median([].into_iter()), None);
        assert_eq!(median([4.0].into_iter()), Some(4.0));
        assert_eq!(median([2.0, 1.0].into_iter()), Some(1.5));
        assert_eq!(median([9.0, 1.0, 2.0].into_iter()), Some(2.0));
    }
}
