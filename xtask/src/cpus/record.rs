//! What ran where, for the record: a run of some platforms leaves the others' rows as they were.

use super::bare_metal;
use super::platforms::{PLATFORMS, Runner};
use crate::evidence::{self, Evidence, Platform, Ran};
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::Path;

/// Before a machine's name.
const MACHINE: &str = "a machine: ";

pub(super) fn record(root: &Path, mut evidence: Evidence, done: &[(String, Ran)]) -> Result<()> {
    let here = format!("{MACHINE}{}", evidence.machine());
    let rows = rows(&evidence::recorded_platforms(root)?, &here, |name, target, cpu| {
        let (_, ran) = done.iter().find(|(done, _)| done == name)?;
        Some(evidence.platform(target, cpu.to_owned(), ran.clone()))
    });
    let (run, built): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.ran.programs > 0);
    let implementations: BTreeSet<_> = run.iter().flat_map(|row| &row.ran.implementations).collect();
    let targets: BTreeSet<_> = run.iter().map(|row| &row.target).collect();
    evidence.figure("rows of platforms.md, each with its own commit", rows.len());
    evidence.figure("CPUs in them that the tests ran on", run.len());
    evidence.figure("targets of the compiler's among these", targets.len());
    evidence.figure("implementations that ran there", implementations.len());
    let tests: usize = run.iter().map(|row| row.ran.tests).sum();
    evidence.figure("tests passed, in all rows together", tests);
    evidence.figure("targets that were built for only", built.len());
    evidence.platforms(rows);
    evidence.record(root)
}

/// Other machines' rows as they were, then in this order those of the platforms that there are: of this run, by name, target
/// and CPU, or else of an earlier one.
fn rows(
    earlier: &[Platform],
    here: &str,
    of_this_run: impl Fn(&str, &str, &str) -> Option<Platform>,
) -> Vec<Platform> {
    let machines = earlier.iter().filter(|row| row.cpu.starts_with(MACHINE) && row.cpu != here).cloned();
    let platforms = PLATFORMS
        .iter()
        .map(|platform| {
            let cpu = match platform.runner {
                Runner::Native => here.to_owned(),
                _ => platform.cpu(),
            };
            (platform.name(), platform.build.triple(), cpu)
        })
        .chain(bare_metal::TARGETS.map(|target| (BARE_METAL.to_owned(), target, "built only".to_owned())))
        .filter_map(|(name, target, cpu)| {
            let earlier = || earlier.iter().find(|row| row.target == target && row.cpu == cpu).cloned();
            of_this_run(&name, target, &cpu).or_else(earlier)
        });
    machines.chain(platforms).collect()
}

/// The name of what is done for all of them.
pub(super) const BARE_METAL: &str = "bare metal";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ran_is_replaced_and_what_is_no_more_is_dropped() {
        let row = |cpu: &str, date: &str| Platform {
            target: "x86_64-unknown-linux-gnu".to_owned(),
            cpu: cpu.to_owned(),
            ran: Ran::default(),
            date: date.to_owned(),
            commit: String::new(),
        };
        let cpus = ["qemu's max", "a machine: this", "a machine: other", "qemu's no more"];
        let rows = rows(&cpus.map(|cpu| row(cpu, "then")), "a machine: this", |name, target, cpu| {
            (target == "x86_64-unknown-linux-gnu" && name.ends_with("itself")).then(|| row(cpu, "now"))
        });
        let told: Vec<_> = rows.iter().map(|row| (&*row.cpu, &*row.date)).collect();
        assert_eq!(told, [("a machine: other", "then"), ("a machine: this", "now"), ("qemu's max", "then")]);
    }
}
