//! Measures time in core cycles of this thread, so that neither a busy machine nor a boosted clock distorts
//! the results.
//!
//! Cycles are the thread's CPU time multiplied by the core clock. The clock is measured just before and just
//! after, with a chain of dependent additions of known length, each of which takes one cycle. This also works
//! on virtual machines without hardware counters. The time-stamp counter would not do, since its rate is not
//! the core's.

use keylane_tls_checks::clock::thread;
use std::{arch::asm, hint::black_box, time::Instant};

/// Counts core cycles.
pub struct Clock {
    /// What reading the CPU time twice costs, in nanoseconds.
    overhead: f64,
}

/// A duration.
#[derive(Clone, Copy)]
pub struct Stamp {
    pub ns: f64,
    pub cycles: f64,
}

/// Additions in a chain: about 10 microseconds.
const CHAIN: u64 = 64 * 600;
/// A sample is taken again where the core clocks before and after differ by more.
const TOLERANCE: f64 = 0.01;
/// But not more often than this.
const ATTEMPTS: usize = 5;

impl Clock {
    /// Measures what it costs to measure.
    pub fn calibrate() -> Self {
        let overhead = (0..1000).map(|_| cpu_ns(|| ())).fold(f64::MAX, f64::min);
        Self { overhead }
    }

    /// Says what is counted.
    pub fn describe(&self) -> String {
        let clock = self.gigahertz();
        format!(
            "core cycles: CPU time of the thread × the core clock beside each sample, {clock:.2} GHz at last"
        )
    }

    /// Times `f`.
    pub fn time(&self, mut f: impl FnMut()) -> Stamp {
        let overhead = self.overhead;
        self.count(|| cpu_ns(&mut f) - overhead)
    }

    /// Runs `n` calls, each after other code, and returns the mean of the middle half, in which no call was
    /// interrupted, less that of as many empty calls. By the wall clock, since asking for CPU time enters the
    /// kernel; asked twice, so that its own code is warm.
    pub fn cold(&self, n: usize, mut f: impl FnMut()) -> Stamp {
        let mut empty: Box<dyn FnMut()> = Box::new(|| ());
        self.count(|| {
            let (mut times, mut of_empty) = (Vec::with_capacity(n), Vec::with_capacity(n));
            for _ in 0..n {
                times.push(after_other_code(&mut f));
                of_empty.push(after_other_code(black_box(&mut empty)));
            }
            middle(times) - middle(of_empty)
        })
    }

    /// Turns the nanoseconds that `f` measures into cycles. Where the core clock changed meanwhile, or the
    /// kernel settled its accounts, it is measured again.
    fn count(&self, mut f: impl FnMut() -> f64) -> Stamp {
        let (mut best, mut least) = (Stamp { ns: 0.0, cycles: 0.0 }, f64::MAX);
        for _ in 0..ATTEMPTS {
            let (before, ns, after) = (self.gigahertz(), f(), self.gigahertz());
            let drift = (before / after - 1.0).abs();
            if drift < least {
                (best, least) = (Stamp { ns, cycles: ns * (before + after) / 2.0 }, drift);
            }
            if drift <= TOLERANCE {
                break;
            }
        }
        best
    }

    /// Measures the core clock: the median of a few measurements, since an interruption slows one, and a
    /// kernel that settles its accounts of CPU time may seem to hurry one.
    pub fn gigahertz(&self) -> f64 {
        let mut times = [(); 5].map(|()| cpu_ns(|| chain(CHAIN)) - self.overhead);
        times.sort_by(f64::total_cmp);
        CHAIN as f64 / times[2]
    }
}

/// Returns the time that `f` takes after other code, in nanoseconds.
fn after_other_code(f: &mut dyn FnMut()) -> f64 {
    forget_code();
    black_box(Instant::now());
    let start = Instant::now();
    f();
    start.elapsed().as_nanos() as f64
}

/// Returns the mean of the middle half.
fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    let middle = &times[times.len() / 4..times.len() - times.len() / 4];
    middle.iter().sum::<f64>() / middle.len() as f64
}

/// Returns the CPU time of this thread that `f` takes, in nanoseconds.
fn cpu_ns(f: impl FnOnce()) -> f64 {
    let start = thread();
    f();
    (thread() - start).as_nanos() as f64
}

/// Runs `n` additions, each of which needs the one before, 64 a turn. Of registers: some CPUs add constants
/// for free.
fn chain(n: u64) {
    let mut x = 1u64;
    for _ in 0..n / 64 {
        // SAFETY: additions, which touch no memory and not the stack.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            asm!(".rept 64", "add {x}, {y}", ".endr", x = inout(reg) x, y = in(reg) 3u64);
            #[cfg(target_arch = "aarch64")]
            asm!(".rept 64", "add {x}, {x}, {y}", ".endr", x = inout(reg) x, y = in(reg) 3u64);
        }
    }
    black_box(x);
}

/// Runs through 2.5 MiB of code, a jump in each of its 40960 cache lines: more than the level-2 cache of a
/// server core (1 or 2 MiB), which holds data too. A call after it takes its code, its tables and its keys
/// from level 3, as a program does that works on other things between two messages: it pays for each line
/// that it touches. With 256 KiB, which only empty level 1, cold and warm rows differ by less than 40 cycles
/// on Zen 4: the core fetches ahead from level 2.
#[inline(never)]
fn forget_code() {
    // SAFETY: jumps forward, each to the next line, which touch no register and no memory.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!(".p2align 6", ".rept 40960", "jmp 2f", ".p2align 6", "2:", ".endr", options(nomem, nostack));
        #[cfg(target_arch = "aarch64")]
        asm!(".p2align 6", ".rept 40960", "b 2f", ".p2align 6", "2:", ".endr", options(nomem, nostack));
    }
}
