//! How long each phase of a connection takes.

use std::fmt;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(crate) struct Timing {
    start: Instant,
    phase_start: Instant,
    phases: Vec<(&'static str, Duration)>,
}

impl Timing {
    pub(crate) fn start() -> Self {
        let start = Instant::now();
        Self { start, phase_start: start, phases: Vec::new() }
    }

    /// Ends a phase, and begins the next.
    pub(crate) fn passed(&mut self, phase: &'static str) {
        let now = Instant::now();
        self.phases.push((phase, now - self.phase_start));
        self.phase_start = now;
    }
}

/// `name 0.1 ms, TCP 0.2 ms, …, total 12.3 ms`, as of now.
impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (phase, time) in self.phases.iter().chain([&("total", self.start.elapsed())]) {
            let end = if *phase == "total" { "" } else { ", " };
            write!(f, "{phase} {:.1} ms{end}", time.as_secs_f64() * 1e3)?;
        }
        Ok(())
    }
}
