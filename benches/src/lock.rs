//! Versions of the rivals, from the lock file that they were built by.

/// The version of a crate that begins with `prefix`: two generations may stand side by side.
pub fn version(name: &str, prefix: &str) -> String {
    let mut packages = include_str!("../Cargo.lock").split("[[package]]");
    let field = |package: &str, field: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(field))?;
        Some(line.trim_start_matches(" = ").trim_matches('"').to_string())
    };
    packages
        .find_map(|package| {
            let version = field(package, "version")?;
            (field(package, "name")? == name && version.starts_with(prefix)).then_some(version)
        })
        .unwrap_or_else(|| "?".into())
}

/// Several crates of one project.
pub fn versions(crates: &[(&str, &str)]) -> String {
    let versions = crates.iter().map(|(name, prefix)| format!("{name} {}", version(name, prefix)));
    versions.collect::<Vec<_>>().join(", ")
}
