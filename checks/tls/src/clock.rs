//! CPU time, in user space and in the kernel.

use rustix::time::{ClockId, clock_gettime};
use std::{io, sync::LazyLock, time::Duration};

fn now(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

/// Returns the CPU time of this thread.
pub fn thread() -> Duration {
    now(ClockId::ThreadCPUTime)
}

/// Returns the CPU time of all threads of the process.
pub fn process() -> Duration {
    now(ClockId::ProcessCPUTime)
}

/// Returns the CPU time of this thread that `f` takes, without that of reading the clock.
///
/// # Errors
/// Those of `f`.
pub fn time(f: impl FnOnce() -> io::Result<()>) -> io::Result<Duration> {
    static OVERHEAD: LazyLock<Duration> =
        LazyLock::new(|| (0..1000).map(|_| thread().abs_diff(thread())).min().unwrap_or_default());
    let overhead = *OVERHEAD;
    let start = thread();
    f()?;
    Ok((thread() - start).saturating_sub(overhead))
}
