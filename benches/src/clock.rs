//! Core cycles of this thread, so that neither a busy machine nor a boosting clock counts as slowness or
//! speed.
//!
//! Where the kernel lends a hardware counter (perf_event), it is read. Where it does not, as in many virtual
//! machines, cycles are estimated: the CPU time of the thread, times the core clock. The clock is measured
//! right before and right after, by a chain of dependent additions of known length, each of which takes one
//! cycle. Ticks of the time-stamp counter would not do: their rate is not the core's.

use crate::cold::forget_code;
use keylane_cpu::pin::pin_here;
use std::{hint::black_box, time::Instant};

/// A way to count core cycles.
pub struct Clock {
    #[cfg(target_os = "linux")]
    counter: Option<perf_event::Counter>,
    /// What reading the CPU time twice costs, in nanoseconds.
    overhead: f64,
    /// What an empty call costs in [`cold`](Self::cold), in nanoseconds.
    empty: f64,
    /// The core clocks of all samples, in GHz.
    seen: Vec<f64>,
}

/// A duration.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// CPU time of the thread.
    pub ns: f64,
    /// Core cycles.
    pub cycles: f64,
}

/// Additions in a chain: about 10 microseconds.
const CHAIN: u64 = 64 * 600;
/// A sample is taken again where the clocks before and after differ by more.
const TOLERANCE: f64 = 0.01;
/// But not more often than this.
const ATTEMPTS: usize = 5;

impl Clock {
    /// The best clock of this machine.
    pub fn new() -> Self {
        let mut clock = Self {
            #[cfg(target_os = "linux")]
            counter: counter(),
            overhead: 0.0,
            empty: 0.0,
            seen: vec![],
        };
        let gap = || {
            let start = cpu_ns();
            cpu_ns() - start
        };
        clock.overhead = (0..1000).map(|_| gap()).fold(f64::MAX, f64::min);
        let mut empty: Box<dyn FnMut()> = Box::new(|| ());
        clock.empty = clock.cold(200, black_box(&mut empty)).ns / 200.0;
        clock.seen.clear();
        clock
    }

    /// What is counted.
    pub fn describe(&self) -> String {
        #[cfg(target_os = "linux")]
        if self.counter.is_some() {
            return "core cycles, counted by the CPU (perf_event, user mode); Go's from its CPU time × the core clock"
                .into();
        }
        let mut seen = self.seen.clone();
        seen.sort_by(f64::total_cmp);
        let at = |part: f64| seen[(seen.len() as f64 * part) as usize];
        let seen = match seen.len() {
            0 => String::new(),
            _ => format!(", mostly {:.2} to {:.2} GHz", at(0.05), at(0.95)),
        };
        format!(
            "core cycles, estimated: CPU time of the thread × the core clock measured beside each sample{seen} \
             (no hardware counter here)"
        )
    }

    /// Runs `f` once or, where the core clock changed meanwhile, again.
    pub fn time(&mut self, mut f: impl FnMut()) -> Stamp {
        #[cfg(target_os = "linux")]
        if let Some(counter) = &mut self.counter {
            let (ns, cycles) = (cpu_ns(), counter.read().expect("the counter was readable before"));
            f();
            let cycles = counter.read().expect("the counter was readable before") - cycles;
            return Stamp { ns: cpu_ns() - ns, cycles: cycles as f64 };
        }
        let overhead = self.overhead;
        self.estimate(|| {
            let start = cpu_ns();
            f();
            cpu_ns() - start - overhead
        })
    }

    /// As [`time`](Self::time) without a hardware counter: `f` tells the nanoseconds of CPU time, on this
    /// core.
    pub fn estimate(&mut self, mut f: impl FnMut() -> f64) -> Stamp {
        let (mut best, mut least) = (Stamp { ns: 0.0, cycles: 0.0 }, f64::MAX);
        for _ in 0..ATTEMPTS {
            let before = self.core_ghz();
            let ns = f();
            let after = self.core_ghz();
            let drift = (before / after - 1.0).abs();
            if drift < least {
                let ghz = (before + after) / 2.0;
                (best, least) = (Stamp { ns, cycles: ns * ghz }, drift);
            }
            if drift <= TOLERANCE {
                break;
            }
        }
        self.seen.push(best.cycles / best.ns);
        best
    }

    /// `n` calls, each after other code: `n` times the mean of the middle half, in which no call was
    /// interrupted. By the wall clock, since asking for CPU time enters the kernel; asked twice, so that its
    /// own code is warm.
    pub fn cold(&mut self, n: u64, mut f: impl FnMut()) -> Stamp {
        let empty = self.empty;
        self.estimate(|| {
            let mut call = || {
                forget_code();
                black_box(Instant::now());
                let start = Instant::now();
                f();
                start.elapsed().as_nanos() as f64
            };
            let mut times: Vec<_> = (0..n).map(|_| call()).collect();
            times.sort_by(f64::total_cmp);
            let middle = &times[times.len() / 4..times.len() - times.len() / 4];
            n as f64 * (middle.iter().sum::<f64>() / middle.len() as f64 - empty)
        })
    }

    /// The core clock, now: the median of a few measurements, since an interruption slows one, and a kernel
    /// that settles its accounts of CPU time may seem to hurry one.
    fn core_ghz(&self) -> f64 {
        let mut times = [0.0; 5];
        for time in &mut times {
            let start = cpu_ns();
            chain(CHAIN);
            *time = cpu_ns() - start - self.overhead;
        }
        times.sort_by(f64::total_cmp);
        CHAIN as f64 / times[2]
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}

/// `n` additions, each of which needs the one before, 64 a turn. Of registers: some CPUs add constants for
/// free.
#[inline(never)]
fn chain(n: u64) {
    let (mut x, y) = (black_box(1u64), black_box(3u64));
    for _ in 0..n / 64 {
        macro_rules! add {
            ($($a:tt)*) => { $(let _ = $a; x = pin_here(x.wrapping_add(y));)* };
        }
        add!(0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0);
        add!(0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0);
    }
    black_box(x);
}

/// A counter of cycles that counts: some machines give one that stands still.
#[cfg(target_os = "linux")]
fn counter() -> Option<perf_event::Counter> {
    // The builder excludes kernel and hypervisor by default.
    let mut counter = perf_event::Builder::new(perf_event::events::Hardware::CPU_CYCLES).build().ok()?;
    counter.enable().ok()?;
    let n = 64 * 10_000;
    chain(n);
    let before = counter.read().ok()?;
    chain(n);
    let ratio = (counter.read().ok()? - before) as f64 / n as f64;
    (0.9..1.2).contains(&ratio).then_some(counter)
}

fn cpu_ns() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for a timespec, and the clock exists on every Unix.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    t.tv_sec as f64 * 1e9 + t.tv_nsec as f64
}
