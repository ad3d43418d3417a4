//! Every public type, from the documentation that cargo makes: a page for each.

use crate::steps::{self, run};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Their folders in the documentation.
const CRATES: [&str; 3] = ["keylane", "keylane_file", "keylane_tls"];

/// Public types that hold no secret of their own.
const NO_SECRET: &[&str] = &[
    "keylane::Error",
    "keylane::Implementation",
    "keylane::Primitive",
    "keylane::SelfTestError",
    // A tag.
    "keylane::aes_gcm::TruncatedTag",
    // States of whole blocks, which HMAC's types hold.
    "keylane::hmac::ChainingValue",
    // It borrows.
    "keylane::pbkdf2::Job",
    // Empty: it names a function.
    "keylane::sha1::Compression1",
    "keylane::stream::Chunk",
    "keylane_file::Algorithm",
    "keylane_file::Error",
    // Public: what stands in a file.
    "keylane_file::Header",
    "keylane_file::Kdf",
    // It borrows.
    "keylane_file::Key",
    "keylane_file::KeySource",
    "keylane_file::Options",
    "keylane_tls::Alert",
    "keylane_tls::Client",
    "keylane_tls::ConnectionInfo",
    "keylane_tls::Error",
    // Rustls' connection, which keeps its secrets itself, and a buffer of the kind that a session has.
    "keylane_tls::Handshake",
    "keylane_tls::Progress",
    "keylane_tls::Server",
    // A session and a transport.
    "keylane_tls::TlsStream",
    "keylane_tls::record::Cipher",
    "keylane_tls::record::ContentType",
    "keylane_tls::record::Version",
    "keylane_tls::session::Options",
    "keylane_tls::session::RecordSizing",
    "keylane_tls::session::Replies",
    "keylane_tls::session::Side",
    "keylane_tls::session::Status",
];

/// Fails on a public type that was not seen and is not known to hold no secret, and on a name of none.
pub(super) fn check(root: &Path, seen: &BTreeSet<&str>) -> Result<()> {
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec()?;
    let folder = metadata.target_directory.join("doc").into_std_path_buf();
    for name in CRATES {
        // A page of a type that is gone would stay.
        let _ = fs::remove_dir_all(folder.join(name));
    }
    let packages = CRATES.map(|name| format!("--package={}", name.replace('_', "-")));
    let arguments = ["doc", "--quiet", "--no-deps", "--features=keylane/rustcrypto,keylane-tls/tokio"];
    run(steps::cargo(root, &arguments).args(packages))?;
    let mut public = BTreeSet::new();
    for name in CRATES {
        pages(&folder.join(name), name, &mut public)?;
    }
    ensure!(public.len() > 20, "the documentation has only {} types", public.len());
    let complaints = complaints(&public, seen, NO_SECRET);
    ensure!(complaints.is_empty(), "{}", complaints.join("\n"));
    Ok(())
}

fn complaints(public: &BTreeSet<String>, seen: &BTreeSet<&str>, no_secret: &[&str]) -> Vec<String> {
    let known = |name: &str| seen.contains(name) || no_secret.contains(&name);
    let missing = public.iter().filter(|name| !known(name));
    let missing = missing.map(|name| format!("{name}: neither seen by `wiping` nor named in NO_SECRET"));
    let gone = no_secret.iter().filter(|name| !public.contains(**name) || seen.contains(**name));
    missing.chain(gone.map(|name| format!("{name}: named in NO_SECRET, but seen, or no type"))).collect()
}

/// The types whose pages lie in `folder`, the module `module`'s.
fn pages(folder: &Path, module: &str, types: &mut BTreeSet<String>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            pages(&entry.path(), &format!("{module}::{name}"), types)?;
        } else if let ["struct" | "enum" | "union", name, "html"] = name.split('.').collect::<Vec<_>>()[..] {
            // Where a type has a public name in another module, its own has a page that leads there.
            if !fs::read_to_string(entry.path())?.contains("http-equiv=\"refresh\"") {
                types.insert(format!("{module}::{name}"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_is_in_one_of_the_lists() {
        let public = ["a::Key", "a::Error"].map(str::to_owned).into();
        let seen = ["a::Key"].into();
        assert_eq!(complaints(&public, &seen, &["a::Error"]), [""; 0]);
        assert_eq!(
            complaints(&public, &seen, &[]),
            ["a::Error: neither seen by `wiping` nor named in NO_SECRET"]
        );
        assert_eq!(complaints(&public, &seen, &["a::Error", "a::Key", "a::Gone"]).len(), 2);
    }

    #[test]
    fn a_page_is_a_type() {
        let folder = std::env::temp_dir().join(format!("keylane-wiping-{}", std::process::id()));
        fs::create_dir_all(folder.join("inner")).unwrap();
        for page in ["struct.A.html", "trait.B.html", "index.html", "inner/enum.C.html"] {
            fs::write(folder.join(page), "").unwrap();
        }
        fs::write(folder.join("struct.D.html"), "<meta http-equiv=\"refresh\" content=\"0\">").unwrap();
        let mut types = BTreeSet::new();
        pages(&folder, "c", &mut types).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(types.into_iter().collect::<Vec<_>>(), ["c::A", "c::inner::C"]);
    }
}
