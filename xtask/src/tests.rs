//! `cargo xtask tests`: the tests of the workspace, counted.

use crate::evidence::Evidence;
use crate::{demands, steps, tally};
use anyhow::Result;
use std::path::Path;

pub(crate) fn run(root: &Path, record: bool) -> Result<()> {
    let evidence = Evidence::begin(root, "tests", record)?;
    let mut tests = steps::cargo(root, &["test", "--workspace"]);
    demands::add(root, &mut tests)?;
    let ran = tally::run(tests, |line| println!("{line}"))?;
    println!("{} in {}", steps::count(ran.tests, "test"), steps::count(ran.programs, "program"));
    if let Some(mut evidence) = evidence {
        evidence.figure("tests passed", ran.tests);
        evidence.figure("test programs, a crate's examples in its documentation being one", ran.programs);
        evidence.record(root)?;
    }
    Ok(())
}
