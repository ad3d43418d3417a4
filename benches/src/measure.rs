//! Interleaved rounds of all libraries on one case.

use crate::{
    case::{Case, msg},
    clock::{Clock, Stamp},
    hide,
    results::Line,
    rival::{Op, Rival},
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The length from which on the first call of a sample is not timed: it fetches the message into the level-2
/// cache, from which other libraries' messages have displaced it.
const LONG: usize = 1 << 20;
/// Calls in a sample with cold caches, most of whose time is not measured.
const COLD_CALLS: usize = 15;

struct Runner<'a> {
    rival: &'a Rival,
    op: Op,
    buffer: Vec<u8>,
    /// Calls in a sample.
    n: u64,
    cycles: Vec<f64>,
}

/// Compares the results of all libraries, then times them, samples being so many microseconds long: the
/// lower quartiles of the rounds, since a neighbour on the other hardware thread makes some of them slower
/// and none quicker. Those that fail or disagree are left out, with a message.
pub fn run(case: &Case, rivals: &[Rival], clock: &Clock, rounds: u16, sample: f64) -> Line {
    let (mut runners, mut result) = (Vec::<Runner<'_>>::new(), None);
    for rival in rivals.iter().filter(|rival| !hide::leaves_out(rival.name, case.algorithm)) {
        match catch_unwind(AssertUnwindSafe(|| Runner::new(case, rival))) {
            Err(_) => eprintln!("{}: {} failed, left out", case.name, rival.name),
            Ok(None) => {}
            Ok(Some(runner)) => match result.get_or_insert_with(|| runner.result(case).to_vec()) {
                result if *result == runner.result(case) => runners.push(runner),
                _ => eprintln!("{}: {} disagrees with those before it, left out", case.name, rival.name),
            },
        }
    }
    if !case.cold {
        runners.iter_mut().for_each(|runner| runner.calibrate(clock, sample));
    }
    let count = runners.len();
    for turn in 0..usize::from(rounds) * count {
        // Each round starts at another library, so that none always follows the same neighbour.
        let runner = &mut runners[(turn + turn / count) % count];
        if case.len >= LONG {
            (runner.op)(1, &mut runner.buffer);
        }
        let time = runner.sample(clock, case.cold);
        runner.cycles.push(time.cycles / runner.n as f64);
    }
    let units = case.units();
    let quartile = |mut runner: Runner<'_>| {
        runner.cycles.sort_by(f64::total_cmp);
        (runner.rival.name.into(), vec![runner.cycles[usize::from(rounds) / 4] / units])
    };
    Line {
        table: case.table.into(),
        case: case.name.clone(),
        bytes: case.bytes() as f64 / units,
        is_speed: false,
        is_charted: case.is_charted,
        figures: runners.into_iter().map(quartile).collect(),
    }
}

impl<'a> Runner<'a> {
    /// Runs the operation once, if the library offers it.
    fn new(case: &Case, rival: &'a Rival) -> Option<Self> {
        let mut op = (rival.prepare)(case)?;
        // The buffer starts as the message, so that in-place ciphers agree.
        let mut buffer = msg(case.out_len());
        op(1, &mut buffer);
        (rival.leave)();
        Some(Self { rival, op, buffer, n: 1, cycles: vec![] })
    }

    fn result(&self, case: &Case) -> &[u8] {
        &self.buffer[..case.checked_len()]
    }

    fn sample(&mut self, clock: &Clock, cold: bool) -> Stamp {
        let time = match cold {
            true => clock.cold(COLD_CALLS, || (self.op)(1, &mut self.buffer)),
            false => clock.time(|| (self.op)(self.n, &mut self.buffer)),
        };
        (self.rival.leave)();
        time
    }

    /// Finds how many calls make a sample, which also warms up.
    fn calibrate(&mut self, clock: &Clock, sample: f64) {
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
