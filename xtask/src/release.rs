//! `cargo xtask release --dry-run`: builds all of a release's files from the last commit, twice, in two
//! folders, compares them, and uses them as users do. A tag publishes them: `.github/workflows/release.yml`.

use crate::command::{cargo, output, program, python_packages, root, run as run_command, step, target};
use anyhow::{Context, Result, ensure};
use std::env;
use std::fs;

const TOOLS: &str = "ci/release/tools.txt";
/// Compiled here, in minutes.
const COMPONENTS: &str = "cargo-cyclonedx@0.5.9";
const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Publish nothing: only a tag publishes.
    #[arg(long, required = true)]
    dry_run: bool,
    /// The targets to build for.
    #[arg(default_values = TARGETS)]
    targets: Vec<String>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let notes = notes()?;
    let tools = python_packages(TOOLS)?;
    // Compiled on first use.
    let components = target().join("cargo-tools").join(COMPONENTS);
    run_command(cargo(&["install", "--quiet", "--locked", COMPONENTS, "--root"]).arg(&components))?;
    let path = env::var("PATH").unwrap_or_default();
    let path = format!("{}:{}:{path}", tools.join("bin").display(), components.join("bin").display());
    let folders = ["one", "two/of-another-length"].map(|name| target().join("release-twice").join(name));
    let mut sums = Vec::new();
    for folder in &folders {
        sums.push(step(&format!("release: {}", folder.display()), || {
            let _ = fs::remove_dir_all(folder);
            run_command(program("git").args(["clone", "--quiet"]).arg(root()).arg(folder))?;
            let mut build = program(folder.join("ci/release/build.sh"));
            build.arg("target/out").args(&options.targets).env("PATH", &path).env("PYTHONPATH", &tools);
            run_command(build.current_dir(folder))?;
            output(program("sh").args(["-c", "sha256sum *"]).current_dir(folder.join("target/out")))
        })?);
    }
    let differs = sums[0].lines().zip(sums[1].lines()).find(|(one, two)| one != two);
    ensure!(differs.is_none() && sums[0].len() == sums[1].len(), "two builds differ: {differs:?}");
    let (out, sums) = (folders[0].join("target/out"), &sums[0]);
    step("release: use", || {
        let mut attempt = program("ci/release/try.sh");
        run_command(attempt.arg(&out).args(&options.targets).env("PATH", &path).env("PYTHONPATH", &tools))
    })?;
    fs::write(out.join("NOTES.md"), notes)?;
    fs::write(out.join("SHA256SUMS"), sums)?;
    println!("{}:\n{sums}", out.display());
    Ok(())
}

/// Returns the version's section of the changelog.
fn notes() -> Result<String> {
    let version = env!("CARGO_PKG_VERSION");
    let changelog = fs::read_to_string(root().join("CHANGELOG.md"))?;
    let (_, section) = changelog
        .split_once(&format!("\n## [{version}] - "))
        .with_context(|| format!("CHANGELOG.md has no section {version}"))?;
    Ok(format!("# Keylane {version}, {}", section.split("\n## [").next().unwrap_or_default()))
}
