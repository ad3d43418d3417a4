//! `cargo xtask public-api`: writes `docs/public-api.txt`, the public items of the crates that users call, in
//! which a review sees changes of the interface.

use crate::command::{cargo, root, run as run_command, target};
use anyhow::{Context, Result, ensure};
use std::fs;

pub(crate) const COMMITTED: &str = "docs/public-api.txt";
const ABOUT: &str = "\
# The public interface, one item a line, on x86-64: without automatic traits, blanket implementations and the\n\
# items of implementations of traits. `cargo xtask public-api` writes this file.\n";
/// The crates that users call, with the features of their documentation. keylane-arrow's `datafusion` is not
/// among them: it compiles DataFusion for one function.
const CRATES: [(&str, &str); 4] = [
    ("keylane", "getrandom,rustcrypto,select"),
    ("keylane-file", ""),
    ("keylane-tls", "tokio"),
    ("keylane-arrow", "parallel"),
];

/// Writes the file, or with `check` fails if it is not what the sources say.
pub(crate) fn run(check: bool) -> Result<()> {
    let mut text = ABOUT.to_owned();
    for (package, features) in CRATES {
        let mut doc = cargo(&["rustdoc", "--quiet", "--lib", "--features", features, "--manifest-path"]);
        doc.arg(root().join("crates").join(package).join("Cargo.toml")).arg("--target-dir").arg(target());
        run_command(doc.env("RUSTDOC", root().join("ci/release/rustdoc-json.sh")))?;
        let json = target().join("doc").join(package.replace('-', "_")).with_extension("json");
        let api = public_api::Builder::from_rustdoc_json(json)
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(true)
            .build()
            .with_context(|| format!("{package}: does the crate `public-api` know this rustdoc's format?"))?;
        text += &format!("\n# {package}, features: {features}\n");
        // The type of the implementation of a trait whose items follow.
        let mut of_trait = String::new();
        for line in api.to_string().lines() {
            if line.starts_with("impl") {
                let after = line.split_once(" for ").map(|(_, name)| name.split(" where ").next());
                of_trait = after.flatten().map_or_else(String::new, |name| format!(" {name}::"));
            } else if !of_trait.is_empty() && line.contains(&of_trait) {
                continue;
            }
            text += &format!("{line}\n");
        }
    }
    if !check {
        return fs::write(root().join(COMMITTED), text).context(COMMITTED);
    }
    let current = fs::read_to_string(root().join(COMMITTED)).context(COMMITTED)?;
    ensure!(current == text, "{COMMITTED} is not current: run `cargo xtask public-api`");
    Ok(())
}
