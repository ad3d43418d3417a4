//! The repository's workspaces.

/// Those beside the root's, by their folders: what they need is needed by nobody else.
pub(crate) const SEPARATE: [&str; 2] = ["benches", "checks/instrumented"];

#[cfg(test)]
mod tests {
    use super::SEPARATE;
    use std::path::Path;

    #[test]
    fn the_root_leaves_out_these() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let text = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = toml::from_str(&text).unwrap();
        let excluded = manifest["workspace"]["exclude"].as_array().unwrap();
        assert_eq!(excluded.iter().map(|folder| folder.as_str().unwrap()).collect::<Vec<_>>(), SEPARATE);
    }
}
