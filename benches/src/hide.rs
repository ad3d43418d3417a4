//! Pretending to be a CPU that lacks instructions: `hide.txt`, whose head says what the columns mean.

use keylane::{Implementation, Primitive, primitives};
use std::{env, error::Error, os::unix::process::CommandExt, process::Command, sync::OnceLock};

static NAMES: OnceLock<Vec<String>> = OnceLock::new();

/// Returns the lines of `hide.txt`.
pub fn rows() -> impl Iterator<Item = [&'static str; 4]> {
    let lines = include_str!("../hide.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().try_into().expect("four columns"))
}

/// Hides these for the rest of the process, which starts again with `OPENSSL_ia32cap`, as aws-lc reads it
/// before `main`, and with `KEYLANE_MASK`, which Keylane obeys if it was built with `--cfg keylane_mask`.
pub fn begin(names: &[String]) -> Result<(), Box<dyn Error>> {
    if let Some(name) = names.iter().find(|name| !rows().any(|[known, ..]| known == **name)) {
        return Err(format!("--hide {name}: hide.txt has no such line").into());
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

/// Returns whether one of Keylane's implementations is hidden.
pub fn hides(implementation: &str) -> bool {
    orders("keylane", "all").any(|name| name == implementation)
}

/// Returns what runs here for so many messages in a call, without what is hidden.
pub fn choice(primitive: &Primitive, messages: usize) -> Option<Implementation> {
    let is_free = |it: &Implementation| it.passes_self_test && it.from_messages <= messages;
    primitive.implementations().find(|it| is_free(it) && !hides(it.name))
}

/// Makes Keylane choose without what is hidden. The lists do so themselves where they may.
pub fn restrain(messages: usize) {
    for primitive in primitives() {
        primitive.reset();
        if primitive.implementations().any(|it| hides(it.name)) {
            let choice = choice(primitive, messages).expect("the portable one");
            primitive.select(choice.name).expect("it passes its self-test");
        }
    }
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
