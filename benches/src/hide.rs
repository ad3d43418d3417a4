//! Hides instructions, to measure as if on an older CPU: see `hide.txt`, whose head explains its columns.

use std::{env, error::Error, os::unix::process::CommandExt, process::Command, sync::OnceLock};

/// Other CPUs, and what `--hide` takes to be like them on a CPU with all of it.
pub const CLASSES: [[&str; 2]; 4] = [
    ["Alder Lake to Arrow Lake, Zen 3", "avx512"],
    ["Skylake-X, Cascade Lake", "sha-ni,vaes,avx512-ifma"],
    ["Haswell to Coffee Lake", "sha-ni,vaes,avx512"],
    ["Zen 1 and 2, small cores", "vaes,avx512"],
];

static NAMES: OnceLock<Vec<String>> = OnceLock::new();

/// Returns the lines of `hide.txt`.
pub fn rows() -> impl Iterator<Item = [&'static str; 4]> {
    let lines = include_str!("../hide.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().try_into().expect("four columns"))
}

/// Hides these for the rest of the process, which starts again with `OPENSSL_ia32cap`, as aws-lc reads it
/// before `main`, and with `KEYLANE_MASK`, so that Keylane's lists choose as on a CPU without them.
pub fn begin(names: &[String]) -> Result<(), Box<dyn Error>> {
    if let Some(name) = names.iter().find(|name| !rows().any(|[known, ..]| known == **name)) {
        return Err(format!("--hide {name}: hide.txt has no such line").into());
    }
    if !names.is_empty() && !cfg!(keylane_mask) {
        return Err("--hide: build with RUSTFLAGS='--cfg keylane_mask'".into());
    }
    NAMES.set(names.to_vec()).map_err(|_| "hidden twice")?;
    let variable = ("OPENSSL_ia32cap", format!("~0x0:~{:#x}", flags("OPENSSL_ia32cap", "all")));
    if names.is_empty() || env::var(variable.0).as_ref() == Ok(&variable.1) {
        return Ok(());
    }
    let mask: Vec<_> = orders("keylane", "all").collect();
    let mut again = Command::new(env::current_exe()?);
    again.args(env::args_os().skip(1)).env(variable.0, variable.1).env("KEYLANE_MASK", mask.join(","));
    Err(again.exec().into())
}

/// Returns how a library is kept from what is hidden, where it does this algorithm.
fn orders(library: &str, algorithm: &str) -> impl Iterator<Item = &'static str> {
    let names = NAMES.get().map_or(&[][..], Vec::as_slice);
    let is_meant = move |[name, of, _, part]: &[&str; 4]| {
        names.iter().any(|hidden| hidden == name)
            && *of == library
            && (*part == "all" || algorithm.contains(part))
    };
    rows().filter(is_meant).map(|[_, _, how, _]| how)
}

/// Returns whether a library would use what is hidden for this algorithm.
pub fn leaves_out(library: &str, algorithm: &str) -> bool {
    orders(library, algorithm).any(|how| how == "out")
}

/// Returns the flags that keep a library from what is hidden.
pub fn flags(library: &str, algorithm: &str) -> u64 {
    let flag = |how: &str| u64::from_str_radix(&how[2..], 16).expect("a number after 0x");
    orders(library, algorithm).map(flag).fold(0, |all, flag| all | flag)
}
