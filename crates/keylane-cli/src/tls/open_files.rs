//! How many files a server may have open.

use crate::status::Failure;

/// The standard streams, the listening socket, the runtime's descriptors, logs, and files that are read again.
#[cfg(unix)]
const OTHERS: u64 = 32;

/// Raises the process's limit of open files where it is too low for this many connections with this many
/// requests each, as far as the system allows. Returns how many files all requests together may open, at least
/// two.
///
/// # Errors
///
/// If the limit is too low for the connections alone.
#[cfg(unix)]
pub(crate) fn limit(connections: u32, requests: u32) -> Result<usize, Failure> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let taken = OTHERS + u64::from(connections);
    let wanted = taken + u64::from(connections) * u64::from(requests);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let mut most = current.unwrap_or(wanted);
    // macOS refuses more than OPEN_MAX, even where it reports no limit.
    let settable = if cfg!(target_vendor = "apple") { wanted.min(10_240) } else { wanted };
    let highest = maximum.unwrap_or(settable).min(settable);
    if most < highest && setrlimit(Resource::Nofile, Rlimit { current: Some(highest), maximum }).is_ok() {
        most = highest;
    }
    match most.min(wanted).checked_sub(taken) {
        Some(files @ 2..) => Ok(usize::try_from(files).unwrap_or(usize::MAX)),
        _ => Err(Failure::input(format_args!(
            "{connections} connections need {} open files, and this process may open {most}: \
             give --max-connections, or raise the limit (ulimit -n)",
            taken + 2
        ))),
    }
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub(crate) fn limit(connections: u32, requests: u32) -> Result<usize, Failure> {
    let files = u64::from(connections) * u64::from(requests);
    Ok(usize::try_from(files).unwrap_or(usize::MAX))
}
