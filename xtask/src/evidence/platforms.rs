//! The platforms that the tests ran on, and `docs/platforms.md`: a table of them, and what it does not say.

use super::page::cell;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What ran on one platform. It stays in the record until another run on that platform replaces it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Platform {
    /// By the compiler's name.
    pub(crate) target: String,
    /// And who showed it.
    pub(crate) cpu: String,
    pub(crate) ran: Ran,
    /// Of the run, by the calendar of UTC.
    pub(crate) date: String,
    /// What was checked out.
    pub(crate) commit: String,
}

/// What the test programs said of themselves; all zero of a platform that it was only built for.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ran {
    pub(crate) tests: usize,
    /// Tests that were left out: filtered, or ignored with a reason.
    pub(crate) left_out: usize,
    pub(crate) programs: usize,
    /// That could run, and ran: the best first.
    pub(crate) implementations: Vec<String>,
}

const INTRODUCTION: &str = "\
# Platforms

Where the tests ran, and which implementations ran there by the test programs' own account. This page is made by
`cargo xtask cpus --record`; a run replaces the rows of the platforms that it covers.

| Target | CPU | Implementations | Tests passed (left out) | Programs | Run |
|---|---|---|---|---|---|
";

const NOTES: &str = "
An emulator computes what a CPU computes. It says nothing of time: [benchmarks](benchmarks) come from machines.

Rows with few programs: `agreement`, which compares every kernel with every other at every length; `dispatch`, which sees
that the expected implementation is chosen; and keylane-cpu's, which compare every vector operation with its definition.
The other rows are all tests of keylane-cpu and keylane, and on s390x and i686 those of the file format and of the C
interface in Rust.

Left out are Wycheproof's vectors of PBKDF2 under emulators, where their iterations take minutes (the RFCs' vectors run the
same kernels as often); on s390x and i686, files that are damaged in every way; a comparison with files, which the PC under Bochs does not have; and, on WebAssembly, tests that
need threads. There are no guard pages either: reads and writes past the end are looked for on the other platforms.

- **A Raspberry Pi 4** has no instructions for AES and SHA. No CPU of qemu's is without them, so the library's detection is
  told not to find them; builds for this have `--cfg keylane_mask`, users' builds have not.
- **x86-64 with instructions for SHA-512** (Arrow Lake, Lunar Lake): no implementation uses them. SHA-384 and SHA-512 run on
  AVX2 there, with several messages side by side.
- **WebAssembly** has the portable implementations; with simd128 the compiler makes what it can of them.
- **Other 64-bit and 32-bit CPUs**, of either byte order, have the portable implementations, which s390x (64 bits,
  big-endian), i686 and armv7 (32 bits, little-endian) stand for.
- **Bare metal**: with `core` alone and with `alloc`, RustCrypto's traits included either way. Built, not run. Without an
  operating system, aarch64 has the implementations that the compiler was told of (`-C target-feature`).
";

pub(super) fn page(platforms: &[Platform]) -> String {
    let mut page = INTRODUCTION.to_owned();
    write_tables(&mut page, platforms).expect("a string takes what it is given");
    page + NOTES
}

fn write_tables(page: &mut String, platforms: &[Platform]) -> std::fmt::Result {
    for Platform { target, cpu, ran, date, commit } in platforms {
        let implementations = match ran.programs {
            0 => "not run".to_owned(),
            _ => ran.implementations.join(", "),
        };
        let left_out = if ran.left_out == 0 { String::new() } else { format!(" ({})", ran.left_out) };
        let cpu = cell(cpu);
        let (tests, programs) = (ran.tests, ran.programs);
        writeln!(
            page,
            "| `{target}` | {cpu} | {implementations} | {tests}{left_out} | {programs} | {date}, {commit} |"
        )?;
    }
    page.push_str("\n| Implementation | CPUs that it ran on |\n|---|---|\n");
    let ran: Vec<_> = platforms.iter().filter(|platform| platform.ran.programs > 0).collect();
    let mut names: Vec<_> = ran.iter().flat_map(|platform| &platform.ran.implementations).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let on = ran.iter().filter(|platform| platform.ran.implementations.contains(name));
        let cpus: Vec<_> = on.map(|platform| platform.cpu.as_str()).collect();
        let cpus = if cpus.len() == ran.len() { "all of them".to_owned() } else { cell(&cpus.join("; ")) };
        writeln!(page, "| {name} | {cpus} |")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn platform(cpu: &str, programs: usize, implementations: &[&str]) -> Platform {
        let implementations = implementations.iter().map(|name| (*name).to_owned()).collect();
        let ran = Ran { tests: 9 * programs, left_out: programs / 2, programs, implementations };
        let (target, date, commit) = ("t".to_owned(), "2026-01-02".to_owned(), "abc".to_owned());
        Platform { target, cpu: cpu.to_owned(), ran, date, commit }
    }

    #[test]
    fn a_row_says_what_ran_and_an_implementation_where() {
        let platforms =
            [platform("a", 1, &["wide", "portable"]), platform("b", 2, &["portable"]), platform("c", 0, &[])];
        let page = page(&platforms);
        let lines = [
            "| `t` | a | wide, portable | 9 | 1 | 2026-01-02, abc |",
            "| `t` | b | portable | 18 (1) | 2 | 2026-01-02, abc |",
            "| `t` | c | not run | 0 | 0 | 2026-01-02, abc |",
            "| portable | all of them |",
            "| wide | a |",
        ];
        for line in lines {
            assert!(page.lines().any(|found| found == line), "{line}: {page}");
        }
    }
}
