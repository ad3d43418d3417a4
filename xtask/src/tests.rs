//! `cargo xtask tests`: the tests of the workspace, counted.

use crate::cpus::tally;
use crate::evidence::Evidence;
use crate::steps;
use anyhow::Result;
use std::path::Path;

pub(crate) fn run(root: &Path, record: bool) -> Result<()> {
    let mut programs = 0;
    let tests = tally::run(steps::cargo(root, &["test", "--workspace"]), |line| {
        println!("{line}");
        programs += usize::from(line.starts_with("test result: ok. ") && !line.contains(" 0 passed"));
    })?;
    println!("{} in {}", steps::count(tests, "test"), steps::count(programs, "program"));
    if record {
        let mut evidence = Evidence::of(root, "tests")?;
        evidence.figure("tests passed", tests);
        evidence.figure("test programs, the documentation's examples of a crate being one", programs);
        evidence.record(root)?;
    }
    Ok(())
}
