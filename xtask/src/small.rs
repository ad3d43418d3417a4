//! `cargo xtask cpus small`: tests and measures Keylane on devices without an operating system, beside
//! RustCrypto's crates: its answers, whether its instructions depend on secrets, and its cost
//! (`docs/benchmarks/small.md`).
//!
//! The programs of `checks/small` run in emulators, whose clocks count instructions.

use crate::command::{cargo, output, program, root, run as run_command, script, step, target};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "checks/small";
const EXAMPLE: &str = "examples/firmware";
const PAGE: &str = "docs/benchmarks/small.md";
/// Where programs for this computer are built.
const HOST: &str = "cpus/small/host";
const START: &str = "<!-- figures -->\n";

const OPERATIONS: [&str; 9] = [
    "sha256", "hmac-sha256", "hmac-sha512", "hkdf-sha256", "aes-128-ctr", "aes-128-gcm", "poly1305",
    "chacha20", "chacha20-poly1305",
];

/// A device, and what runs as if on it.
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    pub(crate) triple: &'static str,
    /// As the emulator names it.
    board: &'static str,
    /// How much the clock of its programs grows in an instruction.
    ticks: f64,
    /// Whether each of its instructions that Keylane uses takes the same time for all operands.
    is_constant: bool,
}

const fn machine(name: &'static str, triple: &'static str, board: &'static str, ticks: f64) -> Machine {
    Machine { name, triple, board, ticks, is_constant: true }
}

/// Its emulator counts cycles. All operations at once are longer than its flash.
const AVR: &str = "ATmega1284P";

/// An instruction takes 256 ns. A Cortex-M's clock grows by 256 in a cycle, of 62.5 ns on a micro:bit and of
/// 40 on the others.
const MACHINES: [Machine; 7] = [
    machine("Cortex-M0", "thumbv6m-none-eabi", "microbit", 256.0 * 256.0 / 62.5),
    machine("Cortex-M4", "thumbv7em-none-eabi", "mps2-an386", 256.0 * 256.0 / 40.0),
    machine("RV32IMAC", "riscv32imac-unknown-none-elf", "virt", 1.0),
    machine("Cortex-M3", "thumbv7m-none-eabi", "mps2-an385", 256.0 * 256.0 / 40.0),
    machine("RV32IMC", "riscv32imc-unknown-none-elf", "virt", 1.0),
    machine(AVR, "avr-none", "atmega1284p", 64.0),
    // It has no multiplication, and a function's time depends on its operands.
    Machine { is_constant: false, ..machine("RV32I", "riscv32i-unknown-none-elf", "virt", 1.0) },
];
/// The number of those that have tables and are compiled at both levels.
const QUICK: usize = 3;

/// A call of an operation: the length of its text, the bytes of the prepared key and of the stack, the
/// instructions that preparing the key took and using it, and what was computed.
struct Call {
    len: i64,
    key: i64,
    stack: i64,
    prepare: i64,
    run: i64,
    answer: i64,
}

/// By operation, the calls: first of growing texts, then of keys and texts of one length.
type Calls = BTreeMap<String, Vec<Call>>;
const GROWING: usize = 4;

/// The calls of all operations on this computer, whose answers those of the devices must be.
pub(crate) struct Answers(Calls);

impl Answers {
    pub(crate) fn new() -> Result<Self> {
        let folder = target().join(HOST);
        let mut build = cargo(&["build", "--quiet", "--locked", "--config=profile.dev.debug=0"]);
        build.arg("--manifest-path").arg(root().join(FOLDER).join("Cargo.toml"));
        let names = ["keylane-all", "keylane-others", "rustcrypto-all"];
        build.args(names.map(|name| format!("--bin={name}"))).arg("--target-dir").arg(&folder);
        run_command(&mut build)?;
        let mut answers = Calls::new();
        for name in names {
            answers.extend(calls(&output(&mut program(folder.join("debug").join(name)))?, 1.0)?);
        }
        let answers = Self(answers);
        for name in OPERATIONS {
            answers.agree(name, &answers.0[&format!("rustcrypto-{name}")])?;
        }
        Ok(answers)
    }

    /// Compares calls of an operation with this computer's.
    fn agree(&self, operation: &str, calls: &[Call]) -> Result<()> {
        let ours = self.0.get(&format!("keylane-{operation}")).context("a program of another operation")?;
        let is_same = |(a, b): (&Call, &Call)| (a.len, a.answer) == (b.len, b.answer);
        let agree = ours.len() == calls.len() && ours.iter().zip(calls).all(is_same);
        ensure!(agree, "{operation}: another answer than on this computer");
        Ok(())
    }
}

/// Reads what a program printed. An instruction is as many ticks of its clock.
fn calls(printed: &str, ticks: f64) -> Result<Calls> {
    let mut calls = Calls::new();
    // What it takes to measure comes first.
    let mut empty = (0, 0);
    for line in printed.lines() {
        let (name, numbers) = line.split_once(' ').context(line.to_owned())?;
        let numbers = numbers.split(' ').map(|number| i64::from_str_radix(number, 16));
        let [len, key, stack, prepare, run, answer] = numbers.collect::<Result<Vec<_>, _>>()?[..] else {
            bail!("{line}");
        };
        let [prepare, run] = [prepare, run].map(|of| (of as f64 / ticks).round() as i64);
        if name == "empty" {
            empty = (prepare, run);
        }
        let call = Call { len, key, stack, prepare: prepare - empty.0, run: run - empty.1, answer };
        calls.entry(name.to_owned()).or_default().push(call);
    }
    Ok(calls)
}

impl Machine {
    /// Returns the operations that have programs of their own, and that of all.
    fn operations(&self) -> Vec<&'static str> {
        let operations = OPERATIONS.iter().chain(&["all"]).copied();
        operations.filter(|name| self.name != AVR || *name != "all").collect()
    }

    /// Returns flags of rustc, those of docs/embedded.md for an M4.
    fn flags(&self) -> &'static str {
        if self.name == "Cortex-M4" { "-Dwarnings --cfg keylane_long_products" } else { "-Dwarnings" }
    }

    /// Builds programs, with more of cargo's arguments, and returns the folder where they are.
    fn build(&self, level: &str, names: &[impl Display], more: &[&str]) -> Result<PathBuf> {
        let mut build = script("cargo.sh", &format!("small/{}", self.triple));
        build.current_dir(root().join(FOLDER)).args(["bare-metal", "build", "--quiet", "--locked"]);
        build.args(["--target", self.triple, "--profile", level]).args(more);
        build.env("STD", "core,alloc").env("XFLAGS", self.flags());
        run_command(build.args(names.iter().map(|name| format!("--bin={name}"))))?;
        Ok(target().join("cpus/small").join(self.triple).join(self.triple).join(level))
    }

    /// Runs a program, compares its answers, and looks for what depends on secrets.
    fn run(&self, path: &Path, answers: &Answers) -> Result<Calls> {
        let mut command = program("ci/cpus/emulate.sh");
        let calls = calls(&output(command.args([self.triple, self.board]).arg(path))?, self.ticks)?;
        for (name, calls) in &calls {
            let took: BTreeSet<_> = calls[GROWING..].iter().map(|call| (call.prepare, call.run)).collect();
            if name == "planted" {
                ensure!(took.len() > 1, "the planted branch was not seen");
            } else if let Some((library @ ("keylane" | "rustcrypto"), operation)) = name.split_once('-') {
                let may_vary = library == "rustcrypto" || !self.is_constant;
                ensure!(may_vary || took.len() == 1, "instructions of {name} depend on secrets: {took:?}");
                answers.agree(operation, calls)?;
            }
        }
        Ok(calls)
    }

    /// Builds and runs all operations in one program, and a planted branch. An ATmega has no room for that
    /// program: its table runs each operation.
    fn check(&self, level: &str, answers: &Answers) -> Result<String> {
        let names = ["planted", "keylane-all", "keylane-others"];
        let names = if self.name == AVR { &names[..1] } else { &names };
        let folder = self.build(level, names, &[])?;
        let mut calls = Calls::new();
        for name in names {
            calls.extend(self.run(&folder.join(name), answers)?);
        }
        let ran = calls.keys().filter(|name| name.starts_with("keylane-")).count();
        ensure!(self.name == AVR || ran == OPERATIONS.len() + 1, "{ran} operations ran");
        Ok(format!("{ran} operations, {} calls", calls.values().map(Vec::len).sum::<usize>()))
    }

    /// Builds a program for each operation of a library, and one of all. Returns where they are, and how much
    /// flash the operation takes.
    fn flash(&self, level: &str, library: &str, more: &[&str]) -> Result<Vec<(PathBuf, u64)>> {
        let mut names = vec!["empty".to_owned()];
        names.extend(self.operations().iter().map(|operation| format!("{library}-{operation}")));
        let folder = self.build(level, &names, more)?;
        let extension = if self.name == AVR { "elf" } else { "" };
        let files = names.iter().map(|name| folder.join(name).with_extension(extension));
        let table = output(program("size").args(files))?;
        // Of each file, what lies in flash: text, data.
        let columns =
            table.lines().skip(1).map(|line| line.split_whitespace().take(2).map(str::parse::<u64>));
        let sizes: Vec<u64> = columns.map(Iterator::sum::<Result<_, _>>).collect::<Result<_, _>>()?;
        let sizes = names.iter().zip(&sizes).skip(1).map(|(name, size)| (folder.join(name), size - sizes[0]));
        Ok(sizes.collect())
    }

    /// Returns what each operation of a library costs, as cells of the table.
    fn costs(&self, library: &str, more: &[&str], answers: &Answers) -> Result<Vec<Vec<String>>> {
        let mut rows = Vec::new();
        for (path, flash) in self.flash(LEVELS[0].0, library, more)? {
            let calls = self.run(&path, answers)?;
            let name = path.file_name().context("a program")?.to_string_lossy();
            let mut row = vec![flash as i64];
            let mut per_byte = None;
            if let Some([first, second, third, fourth, ..]) = calls.get(&*name).map(|calls| &calls[..]) {
                let (stack, first_call) = (first.stack.max(fourth.stack), first.prepare + first.run);
                row.extend([stack, second.key, first_call, second.prepare, second.run]);
                let in_one = (fourth.run - third.run) as f64 / (fourth.len - third.len) as f64;
                per_byte = Some(format!("{in_one:.1}"));
            }
            rows.push(row.into_iter().map(grouped).chain(per_byte).collect());
        }
        Ok(rows)
    }

    /// Returns the table of this device: of Keylane, of RustCrypto's crates, and of these told to be compact.
    fn table(&self, answers: &Answers) -> Result<String> {
        let flag = |name| format!("package.{name}.rustflags=['--cfg={name}_backend_soft=\"compact\"']");
        let compact = ["sha2", "aes"].map(|name| format!("--config=profile.{}.{}", LEVELS[0].0, flag(name)));
        let compact = ["-Zprofile-rustflags", &compact[0], &compact[1]];
        let keylane = self.costs("keylane", &[], answers)?;
        let (mut theirs, mut small) = (Vec::new(), Vec::new());
        // Their HMAC-SHA-512 is longer than its flash.
        if self.name != AVR {
            theirs = self.costs("rustcrypto", &[], answers)?;
            small = self.costs("rustcrypto", &compact, answers)?;
        }
        let mut table = format!("\n## {}\n\n{HEAD}", self.name);
        for (at, operation) in self.operations().iter().enumerate() {
            table += &format!("| {operation} |");
            for (column, cell) in keylane[at].iter().enumerate() {
                table += &format!(" {cell}");
                if let (Some(theirs), Some(small)) = (theirs.get(at), small.get(at)) {
                    table += &format!("; {}", theirs[column]);
                    // The program of all operations has flash alone.
                    if theirs.len() == 1 || theirs[1..] != small[1..] {
                        table += &format!(" ({})", small[column]);
                    }
                }
                table += " |";
            }
            table += "\n";
        }
        Ok(table)
    }
}

/// Profiles of the programs, and their levels of optimisation. The page has the first.
const LEVELS: [(&str, &str); 2] = [("release", "\"s\""), ("three", "3")];

const HEAD: &str = "\
| | flash | stack | key | first call | new key | 64 bytes | a byte |
|---|---|---|---|---|---|---|---|
";

/// Runs everything on every device. Writes the page, or fails if it is not current.
pub(crate) fn run(answers: &Answers, write: bool) -> Result<()> {
    let text = fs::read_to_string(root().join(PAGE))?;
    let (before, _) = text.split_once(START).context("no place for the figures")?;
    let mut page = before.to_owned() + START;
    for (at, machine) in MACHINES.iter().enumerate() {
        for (level, number) in LEVELS.into_iter().take(if at < QUICK { 2 } else { 1 }) {
            let name = format!("{}, opt-level {number}", machine.name);
            println!("{}", step(&name, || machine.check(level, answers))?);
            if level == LEVELS[0].0 && (at < QUICK || machine.name == AVR) {
                page += &step("its table", || machine.table(answers))?;
                if write {
                    fs::write(root().join(PAGE), &page)?;
                }
            }
        }
    }
    let is_current = without_flash(&page) == without_flash(&text);
    ensure!(write || is_current, "{PAGE} is not current: cargo xtask cpus small --write\n{page}");
    Ok(())
}

/// Returns a page without flash, of which the checkout's path decides some bytes by the order of functions.
/// `cargo xtask weigh` watches it.
fn without_flash(page: &str) -> Vec<String> {
    let rest =
        |line: &str| line.split('|').enumerate().filter(|(at, _)| *at != 2).map(|(_, cell)| cell).collect();
    page.lines().map(rest).collect()
}

/// Runs the example and compares what it prints with its page.
pub(crate) fn firmware() -> Result<()> {
    let mut command = script("cargo.sh", &format!("small/{}", MACHINES[0].triple));
    command.current_dir(root().join(EXAMPLE)).args(["bare-metal", "run", "--quiet", "--locked", "--release"]);
    let runner = root().join("ci/cpus/emulate.sh").display().to_string();
    let runner = format!("{runner} {} {}", MACHINES[0].triple, MACHINES[0].board);
    command.env("CARGO_TARGET_THUMBV6M_NONE_EABI_RUNNER", runner);
    let printed = output(command.env("STD", "core,alloc").env("XFLAGS", "-Dwarnings"))?;
    let page = fs::read_to_string(root().join(EXAMPLE).join("README.md"))?;
    println!("{printed}");
    let is_in_page = |line: &str| page.contains(line.trim());
    ensure!(printed.contains("\n0000") && printed.lines().all(is_in_page), "its page says other figures");
    Ok(())
}

/// Returns how many bytes of flash the operations take on a Cortex-M4, by name.
pub(crate) fn weigh() -> Result<BTreeMap<String, f64>> {
    let sizes = MACHINES[1].flash("release", "keylane", &[])?.into_iter();
    let name = |path: PathBuf| Some(format!("{}, bytes of flash", path.file_name()?.display()));
    Ok(sizes.filter_map(|(path, size)| Some((name(path)?, size as f64))).collect())
}

fn grouped(number: i64) -> String {
    match number {
        ..1000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1000), number % 1000),
    }
}
