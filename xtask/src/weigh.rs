//! `cargo xtask weigh`: what Keylane costs to compile, to ship and to read, beside the figures in
//! `ci/weight.toml`.

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
# What Keylane weighs: `cargo xtask weigh` fails where a figure has grown by more than 5 %. A time, which
# other programs disturb, is shown and never fails. `--write` writes this file.\n\n";
const BUILD: &str = "release build, times ring's";
const FOLDERS: [&str; 6] = ["xtask", "ci", ".ci", "checks", "benches", "crates"];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only sizes and lines, not what compiling takes.
    #[arg(long, conflicts_with = "write")]
    sizes: bool,
    /// Write ci/weight.toml.
    #[arg(long)]
    write: bool,
}

/// The figures by name. Sizes and times are those of this compiler.
#[derive(Deserialize, Serialize)]
struct Weight {
    rustc: String,
    compiling: BTreeMap<String, f64>,
    library: BTreeMap<String, u64>,
    /// Of a Cortex-M4, by Debian's compiler.
    flash: BTreeMap<String, u64>,
    lines: BTreeMap<String, u64>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let text = fs::read_to_string(root().join(COMMITTED)).unwrap_or_default();
    let committed: Option<Weight> = if options.write { None } else { Some(toml::from_str(&text)?) };
    let now = Weight {
        rustc: output(program("rustc").arg("--version"))?.trim().to_owned(),
        compiling: if options.sizes { BTreeMap::new() } else { step("weigh: compile", compiling)? },
        library: library()?,
        flash: step("weigh: flash", small::weigh)?,
        lines: lines()?,
    };
    let Some(committed) = committed else {
        println!("{}", toml::to_string(&now)?);
        return fs::write(root().join(COMMITTED), ABOUT.to_owned() + &toml::to_string(&now)?)
            .context(COMMITTED);
    };
    let same_compiler = now.rustc == committed.rustc && cfg!(target_arch = "x86_64");
    if !same_compiler {
        println!(
            "{} is not the committed figures' {}: sizes and times are not compared",
            now.rustc, committed.rustc
        );
    }
    let mut grown = Vec::new();
    let mut compare = |name: &str, now: f64, before: Option<f64>, limit: f64| {
        let before = before.unwrap_or(now);
        println!("{name:36} {now:12.2}, committed {before:12.2}");
        if now > before * limit {
            grown.push(format!("{name} has grown from {before:.2} to {now:.2}"));
        }
    };
    for (name, figure) in &now.compiling {
        let limit = if name == BUILD { f64::INFINITY } else { 1.05 };
        compare(name, *figure, committed.compiling.get(name).copied().filter(|_| same_compiler), limit);
    }
    let library = (&now.library, &committed.library, same_compiler);
    let others = [(&now.flash, &committed.flash, true), (&now.lines, &committed.lines, true)];
    for (now, committed, is_comparable) in [library].into_iter().chain(others) {
        for (name, figure) in now {
            let before = committed.get(name).filter(|_| is_comparable).map(|before| *before as f64);
            compare(name, *figure as f64, before, 1.05);
        }
    }
    ensure!(grown.is_empty(), "{}\nIf that is worth it: cargo xtask weigh --write", grown.join("\n"));
    Ok(())
}

/// Compiles the library and ring from nothing, on the same machine in the same minutes.
fn compiling() -> Result<BTreeMap<String, f64>> {
    // Before ring, as the peak is that of the largest process so far.
    let keylane = cpu_seconds("keylane")?;
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    let ring = cpu_seconds("ring")?;
    println!("CPU seconds: keylane {keylane:.1}, ring {ring:.1}");
    Ok([(BUILD, keylane / ring), ("peak memory of rustc, MiB", peak as f64 / 1024.0)]
        .map(|(name, figure)| (name.to_owned(), (figure * 100.0).round() / 100.0))
        .into())
}

/// Builds a package in an empty target directory and returns the CPU time that it took, in all processes.
fn cpu_seconds(package: &str) -> Result<f64> {
    let folder = target().join("weigh").join("build");
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

fn library() -> Result<BTreeMap<String, u64>> {
    run_command(&mut cargo(&["build", "--quiet", "--release", "--package", "keylane-ffi"]))?;
    let library = target().join("release/libkeylane.so");
    let sections = output(program("size").arg("--format=sysv").arg(&library))?;
    let text = sections.lines().find_map(|line| line.strip_prefix(".text ")?.split_whitespace().next());
    let mut kernels = Vec::new();
    for line in output(program("nm").args(["--print-size", "--radix=d"]).arg(&library))?.lines() {
        if let [_, size, _, name] = line.split(' ').collect::<Vec<_>>()[..]
            && asm::is_kernel(name)
        {
            kernels.push(size.parse::<u64>()?);
        }
    }
    let stripped = target().join("weigh").join("libkeylane.so");
    fs::create_dir_all(target().join("weigh"))?;
    run_command(program("strip").arg("-o").arg(&stripped).arg(&library))?;
    Ok([
        ("text of libkeylane.so, bytes", text.context("no .text")?.parse()?),
        ("libkeylane.so, stripped, bytes", fs::metadata(stripped)?.len()),
        ("kernels, bytes", kernels.iter().sum()),
        ("largest kernel, bytes", kernels.into_iter().max().context("no kernel: is it stripped?")?),
    ]
    .map(|(name, figure)| (name.to_owned(), figure))
    .into())
}

/// Counts lines that are neither blank nor comments, in the files that git has.
fn lines() -> Result<BTreeMap<String, u64>> {
    let (mut product, mut workshop) = (0, 0);
    for file in output(program("git").args(["ls-files", "--"]).args(FOLDERS))?.lines() {
        let is_code = [".rs", ".py", ".c", ".go", ".sh"].iter().any(|end| file.ends_with(end))
            || file.starts_with(".ci/");
        if !is_code || file.contains("corpus") || file.contains("/tests/") {
            continue;
        }
        let count = match file.split('/').collect::<Vec<_>>()[..] {
            ["crates", _, "src", ..] => &mut product,
            ["crates", ..] => continue,
            _ => &mut workshop,
        };
        let text = fs::read_to_string(root().join(file)).unwrap_or_default();
        let is_comment = |line: &str| ["//", "#", "*"].iter().any(|start| line.starts_with(start));
        *count +=
            text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line)).count() as u64;
    }
    Ok([("product, lines".to_owned(), product), ("workshop, lines".to_owned(), workshop)].into())
}
