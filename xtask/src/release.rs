//! `cargo xtask release --dry-run`: everything that a release has, made of the last commit in two folders,
//! compared, and used as its users do. A tag publishes it: `.github/workflows/release.yml`.

use crate::command::{cargo, output, program, python_packages, root, run as run_command, step, target};
use anyhow::{Context, Result, ensure};
use std::env;
use std::fs;
use std::path::PathBuf;

const TOOLS: &str = "ci/release/tools.txt";
/// Compiled here, in minutes.
const COMPONENTS: &str = "cargo-cyclonedx@0.5.9";
const SEMVER: &str = "cargo-semver-checks@0.51.0";
const MANIFESTS: [&str; 2] = ["Cargo.toml", "crates/keylane-arrow/Cargo.toml"];
const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Publish nothing: what a tag is for.
    #[arg(long, required = true)]
    dry_run: bool,
    /// The release to compare the public interface with; without, the last tag.
    #[arg(long)]
    baseline: Option<String>,
    /// What to build for.
    #[arg(default_values = TARGETS)]
    targets: Vec<String>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let notes = notes()?;
    let tools = python_packages(TOOLS)?;
    let path = env::var("PATH").unwrap_or_default();
    let path = format!("{}:{}:{path}", tools.join("bin").display(), tool(COMPONENTS)?.display());
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
    let breaks = step("release: public interface", || {
        let last = output(program("git").args(["tag", "--list", "--sort=-creatordate", "v*"]))?;
        let baseline = options.baseline.as_deref().or_else(|| last.lines().next());
        baseline.map_or_else(
            || Ok("There is no release to compare with.".into()),
            |baseline| breaks(baseline, &path),
        )
    })?;
    fs::write(out.join("NOTES.md"), format!("{}\n\n### Breaks\n\n{breaks}\n", notes.trim_end()))?;
    fs::write(out.join("SHA256SUMS"), sums)?;
    println!("{}:\n{sums}", out.display());
    Ok(())
}

/// Returns what of the public interface would break a program. Fails if the version does not say so.
fn breaks(baseline: &str, path: &str) -> Result<String> {
    let path = format!("{}:{path}", tool(SEMVER)?.display());
    let mut breaks = String::new();
    for manifest in MANIFESTS {
        let mut semver =
            cargo(&["semver-checks", "--workspace", "--baseline-rev", baseline, "--manifest-path"]);
        semver.arg(manifest).env("PATH", &path);
        run_command(&mut semver)?;
        breaks += &String::from_utf8_lossy(&semver.args(["--release-type", "minor"]).output()?.stdout);
    }
    Ok(if breaks.trim().is_empty() { "None.".into() } else { format!("```text\n{}\n```", breaks.trim()) })
}

/// Returns the folder of a tool that cargo compiles on first use.
fn tool(name: &str) -> Result<PathBuf> {
    let folder = target().join("cargo-tools").join(name);
    run_command(cargo(&["install", "--quiet", "--locked", name, "--root"]).arg(&folder))?;
    Ok(folder.join("bin"))
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
