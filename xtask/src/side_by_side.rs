//! Jobs beside each other, one on each of this machine's cores.

use anyhow::{Result, ensure};
use std::sync::Mutex;
use std::thread;

/// Does the jobs, which have names: `work` writes what one may want to read to the text, and gives a line and what came of
/// it; each job's are printed when it is done. Fails after all are done, if one has failed; else gives what came of each, in
/// the jobs' order.
pub(crate) fn run<J: Send, T: Send>(
    jobs: Vec<(String, J)>,
    work: impl Fn(J, &mut String) -> Result<(String, T)> + Sync,
) -> Result<Vec<(String, T)>> {
    let total = jobs.len();
    let next = Mutex::new(jobs.into_iter().enumerate());
    let (passed, failed) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let worker = || {
        // Not in the loop's condition, where the lock would be held while the job runs.
        let take = || next.lock().expect("no panic while a job is taken").next();
        while let Some((place, (name, job))) = take() {
            let mut text = String::new();
            let done = work(job, &mut text);
            // In one piece: others print, too.
            match done {
                Ok((told, value)) => {
                    println!("{text}{name}: {told}");
                    passed.lock().expect("no panic while a job is added").push((place, name, value));
                }
                Err(error) => {
                    println!("{text}{name}: FAILED: {error:#}");
                    failed.lock().expect("no panic while a name is added").push(name);
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from).min(total) {
            scope.spawn(worker);
        }
    });
    let failed = failed.into_inner().expect("no panic while a name is added");
    ensure!(failed.is_empty(), "{} of {total} failed: {}", failed.len(), failed.join(", "));
    let mut passed = passed.into_inner().expect("no panic while a job is added");
    passed.sort_by_key(|(place, ..)| *place);
    Ok(passed.into_iter().map(|(_, name, value)| (name, value)).collect())
}
