//! `cargo xtask fuzz`: runs libFuzzer with AddressSanitizer, without a nightly toolchain. Every run has to
//! find a planted fault first.

use crate::command::{parallel, program, root, run as run_command, step, target, verdict};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::PathBuf;

/// A folder of inputs for each target. A test of `keylane-fuzz` compares these with the targets.
const CORPORA: &str = "checks/fuzz/corpus";
const MANIFEST: &str = "checks/instrumented/Cargo.toml";
const PROGRAM: &str = "x86_64-unknown-linux-gnu/fuzz/keylane";
const PLANTED: &str = "planted";
/// The planted fault takes less than a second.
const PLANTED_SECONDS: u32 = 120;

fn folder() -> PathBuf {
    target().join("fuzz")
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The targets, by the names of the folders in checks/fuzz/corpus; none for all.
    targets: Vec<String>,
    /// The time for each target, in seconds.
    #[arg(long, default_value_t = 240)]
    seconds: u32,
}

/// Runs a target from its corpus on. Returns whether it ended well, and its log.
fn fuzz(name: &str, seconds: u32) -> Result<(bool, String)> {
    // New inputs are written there.
    let inputs = folder().join("work").join(name);
    let _ = fs::remove_dir_all(&inputs);
    fs::create_dir_all(&inputs)?;
    let mut command = program(folder().join(PROGRAM));
    // No input is longer than 4 KB: code that allocates 64 MB has trusted a forged length.
    command.args(["-timeout=60", "-rss_limit_mb=2048", "-malloc_limit_mb=64"]).env("KEYLANE_FUZZ", name);
    command.arg("-print_final_stats=1").arg(format!("-max_total_time={seconds}"));
    command.arg(format!("-artifact_prefix={}/found/{name}-", folder().display()));
    command.arg(&inputs).args(Some(root().join(CORPORA).join(name)).filter(|_| name != PLANTED));
    verdict(&mut command)
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let mut names = options.targets.clone();
    if names.is_empty() {
        let folders = fs::read_dir(root().join(CORPORA)).context(CORPORA)?;
        names = folders.map(|it| Ok(it?.file_name().to_string_lossy().into())).collect::<Result<_>>()?;
    }
    step("fuzz: build", || {
        let mut build = program("ci/cpus/cargo.sh");
        build.args(["fuzzer", "build", "--quiet", "--profile=fuzz", "--locked", "--manifest-path", MANIFEST]);
        build.arg("--package=keylane-fuzzer");
        run_command(build.env("CARGO_TARGET_DIR", folder()))
    })?;
    fs::create_dir_all(folder().join("found"))?;
    step("fuzz: planted fault", || {
        let (ended, log) = fuzz(PLANTED, PLANTED_SECONDS)?;
        ensure!(!ended && log.contains("AddressSanitizer: heap-buffer-overflow"), "it was not found:\n{log}");
        Ok(())
    })?;
    let work = |name: String| {
        let (ended, log) = fuzz(&name, options.seconds)?;
        // It names the file with the input, which the program takes as its argument.
        let program = folder().join(PROGRAM);
        ensure!(ended, "{log}\nagain: KEYLANE_FUZZ={name} {} FILE", program.display());
        // `#512 DONE cov: 14 ft: 21 corp: 4/9b …`
        let last = log.lines().rfind(|line| line.contains(" ft: ")).context("libFuzzer said nothing")?;
        Ok(last.to_owned())
    };
    step("fuzz", || parallel(names.into_iter().map(|name| (name.clone(), name)).collect(), work))
}
