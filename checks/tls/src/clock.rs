//! CPU time, of this thread and of the process, and a transport whose own can be taken off.

use crate::contender::Io;
use rustix::time::{ClockId, clock_gettime};
use std::{
    io::{self, IoSlice, Read, Write},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

/// What reading the clock twice costs.
static OVERHEAD: LazyLock<Duration> = LazyLock::new(|| {
    let gap = |_| {
        let start = thread();
        thread() - start
    };
    (0..1000).map(gap).min().unwrap_or_default()
});

fn now(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

/// The CPU time of this thread, in user space and in the kernel.
pub fn thread() -> Duration {
    now(ClockId::ThreadCPUTime)
}

/// The CPU time of all threads of the process, in user space and in the kernel.
pub fn process() -> Duration {
    now(ClockId::ProcessCPUTime)
}

/// How much CPU time of this thread `f` takes.
pub fn time<T>(f: impl FnOnce() -> T) -> (T, Duration) {
    let overhead = *OVERHEAD;
    let start = thread();
    let result = f();
    (result, (thread() - start).saturating_sub(overhead))
}

/// How much CPU time of this thread `f` takes, without what its transport takes: waiting for the other end
/// costs, and is nobody's merit.
pub fn time_without_io<T>(io: Io, f: impl FnOnce(Io) -> T) -> (T, Duration) {
    let spent = Arc::new(AtomicU64::new(0));
    let metered = Box::new(Metered { io, spent: spent.clone() });
    let (result, all) = time(|| f(metered));
    (result, all.saturating_sub(Duration::from_nanos(spent.load(Relaxed))))
}

struct Metered {
    io: Io,
    /// Nanoseconds.
    spent: Arc<AtomicU64>,
}

impl Metered {
    fn spend<T>(&mut self, f: impl FnOnce(&mut Io) -> T) -> T {
        let start = thread();
        let result = f(&mut self.io);
        self.spent.fetch_add((thread() - start).as_nanos() as u64, Relaxed);
        result
    }
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.spend(|io| io.read(buffer))
    }
}

impl Write for Metered {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.spend(|io| io.write(data))
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.spend(|io| io.write_vectored(slices))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.io.flush()
    }
}
