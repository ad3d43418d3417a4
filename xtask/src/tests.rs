//! `cargo xtask tests`: the tests of the workspace, counted.

use crate::evidence::Evidence;
use crate::{steps, tally};
use anyhow::Result;
use std::path::Path;

pub(crate) fn run(root: &Path, record: bool) -> Result<()> {
    let ran = tally::run(steps::cargo(root, &["test", "--workspace"]), |line| println!("{line}"))?;
    println!("{} in {}", steps::count(ran.tests, "test"), steps::count(ran.programs, "program"));
    if record {
        let mut evidence = Evidence::of(root, "tests")?;
        evidence.figure("tests passed", ran.tests);
        evidence.figure("test programs, a crate's examples in its documentation being one", ran.programs);
        evidence.record(root)?;
    }
    Ok(())
}
