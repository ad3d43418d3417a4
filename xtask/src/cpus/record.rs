//! What ran where, for the record: a run of some platforms leaves the others' rows as they were.

use super::bare_metal;
use super::platforms::{PLATFORMS, Runner};
use crate::evidence::{self, Evidence, Ran};
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::Path;

pub(super) fn record(root: &Path, done: &[(String, Ran)]) -> Result<()> {
    let mut evidence = Evidence::of(root, "platforms")?;
    let earlier = evidence::recorded_platforms(root)?;
    // In this order, and none that is no more.
    let all = PLATFORMS
        .iter()
        .map(|platform| {
            // A row of the machine itself is no other machine's.
            let cpu = match platform.runner {
                Runner::Native => format!("a machine: {}", evidence.machine()),
                _ => platform.cpu(),
            };
            (platform.name(), platform.build.triple(), cpu)
        })
        .chain(bare_metal::TARGETS.map(|target| (BARE_METAL.to_owned(), target, "built only".to_owned())));
    let rows: Vec<_> = all
        .filter_map(|(name, target, cpu)| match done.iter().find(|(done, _)| *done == name) {
            Some((_, ran)) => Some(evidence.platform(target, cpu, ran.clone())),
            None => earlier.iter().find(|row| row.target == target && row.cpu == cpu).cloned(),
        })
        .collect();
    let (run, built): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.ran.programs > 0);
    let implementations: BTreeSet<_> = run.iter().flat_map(|row| &row.ran.implementations).collect();
    let targets: BTreeSet<_> = run.iter().map(|row| &row.target).collect();
    evidence.figure("CPUs that the tests ran on", run.len());
    evidence.figure("targets of the compiler's among them", targets.len());
    evidence.figure("implementations that ran", implementations.len());
    evidence
        .figure("tests passed, on all of them together", run.iter().map(|row| row.ran.tests).sum::<usize>());
    evidence.figure("targets that were built for only", built.len());
    evidence.platforms(rows);
    evidence.record(root)
}

/// The name of what is done for all of them.
pub(super) const BARE_METAL: &str = "bare metal";
