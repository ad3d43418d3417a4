//! Interleaved rounds of all rivals on one case.

use crate::{Op, Rival, case, case::Case, clock::Clock, results::Row};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How long and how often.
pub struct Plan {
    pub rounds: usize,
    /// The length of one sample, in microseconds.
    pub sample: f64,
}

struct Runner {
    name: String,
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
            let time = clock.time(|| (runner.op)(runner.n, &mut runner.buffer));
            runner.ns.push(time.ns / runner.n as f64);
            runner.cycles.push(time.cycles / runner.n as f64);
        }
    }
    let row = |mut runner: Runner| Row {
        case: case.id(),
        rival: runner.name,
        pass,
        ns: median(&mut runner.ns),
        cycles: median(&mut runner.cycles),
    };
    runners.into_iter().map(row).collect()
}

fn prepare(case: &Case, rivals: &[Box<dyn Rival>]) -> Vec<Runner> {
    let mut runners: Vec<Runner> = Vec::new();
    let mut expected: Option<(String, Vec<u8>)> = None;
    for rival in rivals {
        let name = rival.name();
        let Ok(Some(mut op)) = catch_unwind(AssertUnwindSafe(|| rival.prepare(case))) else { continue };
        // The buffer starts as the message, so that in-place ciphers agree.
        let mut buffer = case::msg(case.out_len());
        if catch_unwind(AssertUnwindSafe(|| op(1, &mut buffer))).is_err() {
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
        runners.push(Runner { name, op, buffer, n: 1, ns: vec![], cycles: vec![] });
    }
    runners
}

/// Finds how many operations make a sample, which also warms up.
fn calibrate(runner: &mut Runner, clock: &mut Clock, sample: f64) {
    loop {
        let time = clock.time(|| (runner.op)(runner.n, &mut runner.buffer));
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
