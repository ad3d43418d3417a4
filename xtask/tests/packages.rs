//! The contents of packages in registries.

use cargo_metadata::{MetadataCommand, Package};
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn published() -> Vec<Package> {
    let mut packages = MetadataCommand::new().current_dir(root()).no_deps().exec().unwrap().packages;
    // `publish = false` is an empty list of registries.
    packages.retain(|package| package.publish.as_ref().is_none_or(|registries| !registries.is_empty()));
    packages
}

/// Unpacked, each package compiles with its unit tests and all features: it has every file that they include.
#[test]
#[ignore = "compiles aws-lc and more, for minutes: `.ci/long` runs it"]
fn packages_compile_alone() {
    fn run(command: &mut Command) {
        assert!(command.status().unwrap().success(), "{command:?}");
    }
    let (folder, packages) = (root().join("target/package"), published());
    let names = packages.iter().map(|package| package.name.as_str());
    let mut package = Command::new(env!("CARGO"));
    package.args(["package", "--quiet", "--no-verify", "--allow-dirty", "--target-dir", "target"]);
    run(package.current_dir(root()).args(names.clone().map(|name| format!("--package={name}"))));
    let folders = packages.iter().map(|package| format!("{}-{}", package.name, package.version));
    let mut patches = String::new();
    for (name, unpacked) in names.clone().zip(folders.clone()) {
        // Without files of an older one; and new, or Cargo would not compile what has the same dates.
        let _ = std::fs::remove_dir_all(folder.join(&unpacked));
        run(Command::new("tar").current_dir(&folder).arg("xzmf").arg(format!("{unpacked}.crate")));
        patches += &format!("{name} = {{ path = '{unpacked}' }}\n");
    }
    let members: Vec<_> = folders.collect();
    let manifest =
        format!("[workspace]\nresolver = '3'\nmembers = {members:?}\n[patch.crates-io]\n{patches}");
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    std::fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    for name in names {
        let mut check = Command::new(env!("CARGO"));
        check.args([
            "check", "--quiet", "--tests", "--all-features", "--target-dir", "target", "--package", name,
        ]);
        run(check.current_dir(&folder));
    }
}

#[test]
fn packages_are_complete() {
    let (root, packages) = (root(), published());
    for package in &packages {
        let name = &package.name;
        assert!(package.description.is_some(), "{name}: description");
        assert!(package.repository.is_none(), "{name}: ci/release/addresses.sh sets it");
        assert!(package.readme.is_some(), "{name}: readme");
        assert!(
            !package.keywords.is_empty() && !package.categories.is_empty(),
            "{name}: keywords, categories"
        );
        if package.targets.iter().any(cargo_metadata::Target::is_lib) {
            let docs_rs = &package.metadata["docs"]["rs"];
            assert_eq!(docs_rs["rustdoc-args"][1], "docsrs", "{name}: features on docs.rs");
        }

        let list = ["package", "--list", "--allow-dirty", "--offline", "--package", name.as_str()];
        let output = Command::new(env!("CARGO")).current_dir(root).args(list).output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let files = String::from_utf8(output.stdout).unwrap();
        for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
            assert!(files.lines().any(|line| line == file), "{name}: {file} is missing");
        }
        // Cargo's first resolver turns them on for every target: `long-products`, on a Cortex-M3.
        let ours = package.dependencies.iter().filter(|needed| needed.path.is_some());
        let by_target: Vec<_> = ours.filter(|it| it.target.is_some() && !it.features.is_empty()).collect();
        assert!(by_target.is_empty(), "{name}: features for some targets: {by_target:?}");
        // They need crates that are not published.
        assert!(!files.lines().any(|line| line.starts_with("tests")), "{name}: tests cannot build");
    }
    assert_eq!(packages.len(), 5, "keylane, keylane-cpu, keylane-file, keylane-tls, keylane-cli");
}

/// A release is one version of everything, which the changelog tells of.
#[test]
fn versions_are_one() {
    let root = root();
    let version = env!("CARGO_PKG_VERSION");
    for manifest in ["Cargo.toml", "crates/keylane-arrow/Cargo.toml"] {
        let metadata = MetadataCommand::new().manifest_path(root.join(manifest)).no_deps().exec().unwrap();
        for package in &metadata.packages {
            assert_eq!(package.version.to_string(), version, "{}", package.name);
            for needed in package.dependencies.iter().filter(|needed| needed.path.is_some()) {
                let wanted = needed.req.to_string();
                let is_right = wanted == "*" || wanted == format!("^{version}");
                assert!(is_right, "{}: {} {wanted}", package.name, needed.name);
            }
        }
    }
    let npm = std::fs::read_to_string(root.join("crates/keylane-wasm/npm/package.json")).unwrap();
    assert!(npm.contains(&format!("\n  \"version\": \"{version}\",\n")), "package.json");
    let changelog = std::fs::read_to_string(root.join("CHANGELOG.md")).unwrap();
    assert!(changelog.contains(&format!("\n## [{version}] - ")), "CHANGELOG.md has no section {version}");
}

/// Who does not know of them meets debug builds that are a hundred times slower.
#[test]
fn quick_starts_have_the_lines_for_debug_builds() {
    let root = root();
    for page in [
        "README.md",
        "crates/keylane/src/lib.rs",
        "crates/keylane-file/src/lib.rs",
        "crates/keylane-tls/src/lib.rs",
    ] {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        let flags = "opt-level = 3, debug = false, debug-assertions = false, overflow-checks = false";
        let lines = ["keylane", "keylane-cpu"].map(|name| format!("{name} = {{ {flags} }}"));
        for line in ["[profile.dev.package]", &lines[0], &lines[1]] {
            assert!(text.contains(line), "{page}: {line}");
        }
    }
}
