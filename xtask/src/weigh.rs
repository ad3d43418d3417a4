//! `cargo xtask weigh`: measures what Keylane costs to compile, to ship and to read, and compares it with
//! `ci/weight.toml`: ceilings, which only a person lowers, and figures, which may grow by 5 %.

use crate::command::{cargo, output, program, root, run as run_command, step, target};
use crate::{asm, small};
use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;

const COMMITTED: &str = "ci/weight.toml";
const ABOUT: &str = "\
# What Keylane weighs. `cargo xtask weigh` fails where a ceiling is exceeded: people lower those by hand. It also
# fails where a figure has grown by more than 5 %: `--write` replaces the figures and leaves the ceilings alone.
# The time of a build, which other programs disturb, is shown and never fails.\n\n";
const BUILD: &str = "release build, times ring's";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Count only lines, words, manifests, traits and macros, which needs no build.
    #[arg(long, conflicts_with = "write")]
    lines: bool,
    /// Leave out what a build costs, which is measured with nothing beside it, and flash.
    #[arg(long, conflicts_with = "write")]
    no_build: bool,
    /// Write the figures of ci/weight.toml.
    #[arg(long)]
    write: bool,
}

type Figures = BTreeMap<String, f64>;

#[derive(Deserialize, Serialize)]
struct Weight {
    /// The figures are those of this compiler, on this kind of computer.
    rustc: String,
    ceilings: Figures,
    figures: Figures,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let mut committed: Weight = toml::from_str(&fs::read_to_string(root().join(COMMITTED))?)?;
    let mut now = lines()?;
    let mut rustc = committed.rustc.clone();
    if !options.lines {
        let version = output(program("rustc").arg("-vV"))?;
        let lines = version.lines().filter(|line| line.starts_with("host") || line.starts_with("rustc"));
        rustc = lines.collect::<Vec<_>>().join(", ");
        if !options.no_build {
            now.extend(step("weigh: compile", compiling)?);
            now.extend(step("weigh: flash", small::weigh)?);
        }
        now.extend(library()?);
    }
    let mut faults = Vec::new();
    for (name, ceiling) in &committed.ceilings {
        let Some(figure) = now.remove(name) else {
            if !options.lines && !options.no_build {
                faults.push(format!("{name}: nothing of this name is counted"));
            }
            continue;
        };
        println!("{name:36} {figure:12.2} of {ceiling:12.2}, {:12.2} left", ceiling - figure);
        if figure > *ceiling && name != BUILD {
            faults.push(format!("{name}: {figure} exceeds the ceiling, {ceiling}"));
        }
    }
    let is_comparable = rustc == committed.rustc;
    for (name, figure) in &now {
        let before = committed.figures.get(name).filter(|_| is_comparable).unwrap_or(figure);
        println!("{name:36} {figure:12.2}, committed {before:12.2}");
        if *figure > before * 1.05 && !options.write {
            faults.push(format!("{name} has grown from {before} to {figure}; if that is worth it: --write"));
        }
    }
    if options.write {
        (committed.rustc, committed.figures) = (rustc, now);
        fs::write(root().join(COMMITTED), ABOUT.to_owned() + &toml::to_string(&committed)?)?;
    } else if !is_comparable {
        println!("the figures are of {}: not compared", committed.rustc);
    }
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}

/// Compiles the library and ring from nothing, on the same machine in the same minutes.
fn compiling() -> Result<Figures> {
    // Before ring, as the peak is that of the largest process so far.
    let keylane = cpu_seconds("keylane")?;
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    let ring = cpu_seconds("ring")?;
    println!("CPU seconds: keylane {keylane:.1}, ring {ring:.1}");
    let figures = [(BUILD, keylane / ring), ("peak memory of rustc, MiB", peak as f64 / 1024.0)];
    Ok(figures.map(|(name, figure)| (name.to_owned(), (figure * 100.0).round() / 100.0)).into())
}

/// Builds a package in an empty target directory and returns the CPU time that it took, in all processes.
fn cpu_seconds(package: &str) -> Result<f64> {
    let folder = target().join("weigh");
    let _ = fs::remove_dir_all(&folder);
    let used = || -> Result<i64> {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
        Ok((usage.user_time() + usage.system_time()).num_milliseconds())
    };
    let before = used()?;
    let mut build = cargo(&["build", "--quiet", "--release", "--package", package]);
    run_command(build.env("CARGO_TARGET_DIR", &folder).env("CARGO_INCREMENTAL", "0"))?;
    let seconds = (used()? - before) as f64 / 1000.0;
    fs::remove_dir_all(&folder)?;
    Ok(seconds)
}

fn library() -> Result<Figures> {
    run_command(&mut cargo(&["build", "--quiet", "--release", "--package", "keylane-ffi"]))?;
    let library = target().join("release/libkeylane.so");
    let sizes = output(program("size").arg(&library))?;
    let text = sizes.lines().nth(1).and_then(|line| line.split_whitespace().next());
    let mut kernels = Vec::new();
    for line in output(program("nm").args(["--print-size", "--radix=d"]).arg(&library))?.lines() {
        if let [_, size, _, name] = line.split(' ').collect::<Vec<_>>()[..]
            && asm::is_kernel(name)
        {
            kernels.push(size.parse::<f64>()?);
        }
    }
    ensure!(!kernels.is_empty(), "no kernel: is it stripped?");
    Ok([
        ("text of libkeylane.so, KB", text.context("no text")?.parse::<f64>()? / 1000.0),
        ("kernels, bytes", kernels.iter().sum()),
        ("largest kernel, bytes", kernels.into_iter().fold(0.0, f64::max)),
    ]
    .map(|(name, figure)| (name.to_owned(), figure))
    .into())
}

/// Counts what people read, in the files that git has.
fn lines() -> Result<Figures> {
    let mut figures = Figures::new();
    for file in output(program("git").args(["ls-files"]))?.lines() {
        let is_comment =
            |line: &str| ["//", "/*", "* ", "*/", "#!", "# "].iter().any(|start| line.starts_with(start));
        let text = || fs::read_to_string(root().join(file)).context(file.to_owned());
        let Some(kind) = kind(file) else { continue };
        *figures.entry(kind.to_owned()).or_default() += match kind {
            "manifests" | "lock files" => 1,
            _ if file.ends_with(".md") => text()?.split_whitespace().count(),
            _ => text()?.lines().map(str::trim).filter(|it| !it.is_empty() && !is_comment(it)).count(),
        } as f64;
    }
    for (name, pattern) in [("traits", r"^\s*(pub\S* )?(unsafe )?trait "), ("macros", r"^\s*macro_rules!")] {
        let mut grep = program("git");
        let found = output(grep.args(["grep", "-hE", pattern, "--", "crates/keylane/src"]))?;
        figures.insert(format!("{name} of keylane"), found.lines().count() as f64);
    }
    Ok(figures)
}

/// Returns what a file counts as.
fn kind(file: &str) -> Option<&'static str> {
    let is_in = |folders: &[&str]| folders.iter().any(|folder| file.starts_with(folder));
    let ends_in = |ends: &[&str]| ends.iter().any(|end| file.ends_with(end));
    if ends_in(&["Cargo.toml"]) {
        Some("manifests")
    } else if ends_in(&["Cargo.lock"]) {
        Some("lock files")
    } else if ends_in(&[".md"]) {
        Some(if is_in(&["docs/benchmarks/"]) { "docs/benchmarks, words" } else { "other pages, words" })
    } else if file.contains("corpus")
        || !ends_in(&[".rs", ".py", ".c", ".h", ".go", ".sh", ".mjs", ".cjs", ".ts"]) && !is_in(&[".ci/"])
    {
        None
    } else if file.contains("/tests/") || ends_in(&["/tests.rs"]) || is_in(&["checks/proofs/"]) {
        Some("tests, lines")
    } else if is_in(&["xtask/", "ci/", ".ci/", "checks/", "benches/"]) {
        Some("workshop, lines")
    } else {
        let is_product = is_in(&["crates/"]) && (file.contains("/src/") || file.contains("/npm/"));
        let is_product = is_product || ends_in(&["keylane.h", "keylane-wasm/build.mjs"]);
        is_product.then_some("product, lines")
    }
}
