//! Interleaved rounds of all rivals on one case.

use crate::{
    case::{Case, msg},
    clock::{Clock, Stamp},
    rival::{Op, Rival},
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How long and how often.
pub struct Plan {
    pub rounds: usize,
    /// The length of one sample, in microseconds.
    pub sample: f64,
}

/// Calls in a sample with cold caches, most of whose time is not measured.
const COLD_CALLS: u64 = 15;

struct Runner<'a> {
    rival: &'a Rival,
    op: Op,
    buffer: Vec<u8>,
    n: u64,
    cycles: Vec<f64>,
}

/// Compares the results of all rivals, then times them: names and median cycles of a call. Those that fail or
/// disagree are left out, with a message.
pub fn run(case: &Case, rivals: &[Rival], clock: &mut Clock, plan: &Plan) -> Vec<(String, f64)> {
    let mut runners = prepare(case, rivals);
    for runner in &mut runners {
        if case.cold {
            runner.n = COLD_CALLS;
        } else {
            runner.calibrate(clock, plan.sample);
        }
    }
    let count = runners.len();
    for round in 0..plan.rounds {
        for i in 0..count {
            // Each round starts at another rival, so that none always follows the same neighbour.
            let runner = &mut runners[(i + round) % count];
            let time = runner.sample(clock, case.cold);
            runner.cycles.push(time.cycles / runner.n as f64);
        }
    }
    let median = |mut runner: Runner<'_>| {
        runner.cycles.sort_by(f64::total_cmp);
        (runner.rival.name.clone(), runner.cycles[plan.rounds / 2])
    };
    runners.into_iter().map(median).collect()
}

impl Runner<'_> {
    fn sample(&mut self, clock: &mut Clock, cold: bool) -> Stamp {
        self.rival.enter();
        match cold {
            true => clock.cold(self.n, || self.op.run_once(&mut self.buffer)),
            false => self.op.time(clock, self.n, &mut self.buffer),
        }
    }

    /// Finds how many calls make a sample, which also warms up.
    fn calibrate(&mut self, clock: &mut Clock, sample: f64) {
        loop {
            let time = self.sample(clock, false);
            if time.ns >= sample * 500.0 || self.n > 1 << 30 {
                self.n = ((self.n as f64 * sample * 1000.0 / time.ns).round() as u64).max(1);
                return;
            }
            self.n *= 2;
        }
    }
}

fn prepare<'a>(case: &Case, rivals: &'a [Rival]) -> Vec<Runner<'a>> {
    let mut runners: Vec<Runner<'_>> = Vec::new();
    for rival in rivals {
        rival.enter();
        let prepared = catch_unwind(AssertUnwindSafe(|| rival.prepare(case)));
        let Ok(Some(mut op)) = prepared else { continue };
        if case.cold && matches!(op, Op::Elsewhere(_)) {
            continue;
        }
        // The buffer starts as the message, so that in-place ciphers agree.
        let mut buffer = msg(case.out_len());
        if catch_unwind(AssertUnwindSafe(|| op.run_once(&mut buffer))).is_err() {
            eprintln!("{case}: {} failed, left out", rival.name);
            continue;
        }
        runners.push(Runner { rival, op, buffer, n: 1, cycles: vec![] });
        let checked = |runner: &Runner<'_>| runner.buffer[..case.checked_len()].to_vec();
        let (first, last) = (checked(&runners[0]), checked(&runners[runners.len() - 1]));
        if first != last {
            eprintln!("{case}: {} disagrees with {}, left out", rival.name, runners[0].rival.name);
            runners.pop();
        }
    }
    runners
}
