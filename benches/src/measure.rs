//! Interleaved rounds of all rivals on one case.

use crate::{
    Op, Rival, case,
    case::Case,
    clock::{Clock, Stamp},
    op,
    results::Row,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How long and how often.
pub struct Plan {
    pub rounds: usize,
    /// The length of one sample, in microseconds.
    pub sample: f64,
}

struct Runner<'a> {
    rival: &'a dyn Rival,
    op: Op,
    buffer: Vec<u8>,
    n: u64,
    ns: Vec<f64>,
    cycles: Vec<f64>,
}

/// Compares the results of all rivals, then times them. Who fails or disagrees is left out, loudly.
pub fn run(case: &Case, rivals: &[Box<dyn Rival>], clock: &mut Clock, plan: &Plan, pass: usize) -> Vec<Row> {
    let mut runners = prepare(case, rivals);
    for runner in &mut runners {
        calibrate(runner, clock, plan.sample);
    }
    let count = runners.len();
    for round in 0..plan.rounds {
        for i in 0..count {
            // Each round starts at another rival, so that no one always follows the same neighbour.
            let runner = &mut runners[(i + round) % count];
            let time = runner.sample(clock);
            runner.ns.push(time.ns / runner.n as f64);
            runner.cycles.push(time.cycles / runner.n as f64);
        }
    }
    let row = |mut runner: Runner<'_>| Row {
        case: case.id(),
        rival: runner.rival.name(),
        pass,
        ns: median(&mut runner.ns),
        cycles: median(&mut runner.cycles),
    };
    runners.into_iter().map(row).collect()
}

impl Runner<'_> {
    fn sample(&mut self, clock: &mut Clock) -> Stamp {
        self.rival.enter();
        self.op.time(clock, self.n, &mut self.buffer)
    }
}

fn prepare<'a>(case: &Case, rivals: &'a [Box<dyn Rival>]) -> Vec<Runner<'a>> {
    let mut runners: Vec<Runner> = Vec::new();
    let mut expected: Option<(String, Vec<u8>)> = None;
    for rival in rivals {
        let name = rival.name();
        rival.enter();
        let prepared =
            catch_unwind(AssertUnwindSafe(|| rival.prepare(case).or_else(|| by_copy(case, &**rival))));
        let Ok(Some(mut op)) = prepared else { continue };
        // The buffer starts as the message, so that in-place ciphers agree.
        let mut buffer = case::msg(case.out_len());
        if catch_unwind(AssertUnwindSafe(|| op.run_once(&mut buffer))).is_err() {
            eprintln!("{}: {name} failed, left out", case.id());
            continue;
        }
        let got = &buffer[..case.checked_len()];
        match &expected {
            None => expected = Some((name.clone(), got.to_vec())),
            Some((who, want)) if want != got => {
                eprintln!("{}: {name} disagrees with {who}, left out", case.id());
                continue;
            }
            Some(_) => {}
        }
        runners.push(Runner { rival: &**rival, op, buffer, n: 1, ns: vec![], cycles: vec![] });
    }
    runners
}

/// Sealing into another buffer, where a library can only seal in place: a copy first.
fn by_copy(case: &Case, rival: &dyn Rival) -> Option<Op> {
    let Case::SealTo { a, len } = *case else { return None };
    let (mut seal, text) = (rival.prepare(&Case::Seal { a, len })?, case::msg(len));
    op(move |out| {
        out[..len].copy_from_slice(&text);
        seal.run_once(out)
    })
}

/// Finds how many operations make a sample, which also warms up.
fn calibrate(runner: &mut Runner<'_>, clock: &mut Clock, sample: f64) {
    loop {
        let time = runner.sample(clock);
        if time.ns >= sample * 500.0 || runner.n > 1 << 30 {
            runner.n = ((runner.n as f64 * sample * 1000.0 / time.ns).round() as u64).max(1);
            return;
        }
        runner.n *= 2;
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
