//! `cargo xtask wiping`: reads the memory of every type that holds a secret, after it was dropped.
//!
//! The program `wiping` of `checks/instrumented` does. Here each public type, a page of cargo's
//! documentation, must be among those that it saw or among those that hold no secret.

use crate::check::documentation;
use crate::command::{cargo, output, require_all, step, target};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const MANIFEST: &str = "checks/instrumented/Cargo.toml";
/// Their folders in the documentation.
const CRATES: [&str; 3] = ["keylane", "keylane_file", "keylane_tls"];

/// Public types that hold no secret of their own.
const NO_SECRET: &[&str] = &[
    "keylane::Error",
    "keylane::Implementation",
    "keylane::Primitive",
    "keylane::SelfTestError",
    "keylane::hash::Algorithm",
    // Constants.
    "keylane::sha1::Sha1Function",
    "keylane::sha2::Sha224Function",
    "keylane::sha2::Sha256Function",
    "keylane::sha2::Sha384Function",
    "keylane::sha2::Sha512Function",
    "keylane::sha2::Sha512_256Function",
    // A tag.
    "keylane::aes_gcm::TruncatedTag",
    // They borrow.
    "keylane::aead::Message",
    "keylane::pbkdf2::Attempt",
    "keylane::pbkdf2::Job",
    "keylane_file::Algorithm",
    "keylane_file::Error",
    // Public: what stands in a file.
    "keylane_file::Header",
    "keylane_file::Kdf",
    // It borrows.
    "keylane_file::Key",
    "keylane_file::KeySource",
    "keylane_file::Options",
    // A client's first message, which is public.
    "keylane_tls::Accepted",
    "keylane_tls::Acceptor",
    "keylane_tls::Alert",
    "keylane_tls::Client",
    // The secret of exports and early data are in `Zeroizing`. They come from a handshake, of which no two runs
    // are alike, so that images cannot be compared.
    "keylane_tls::ConnectionInfo",
    "keylane_tls::EarlyData",
    "keylane_tls::Error",
    // Rustls' connection, which keeps its secrets itself, and a buffer of the kind that a session has.
    "keylane_tls::Handshake",
    "keylane_tls::Progress",
    "keylane_tls::Server",
    // A session and a transport, and halves that share them.
    "keylane_tls::ReadHalf",
    "keylane_tls::TlsStream",
    "keylane_tls::WriteHalf",
    // It borrows.
    "keylane_tls::quic::Packet",
    "keylane_tls::quic::Version",
    "keylane_tls::record::Cipher",
    "keylane_tls::record::ContentType",
    "keylane_tls::record::Version",
    "keylane_tls::session::Options",
    "keylane_tls::session::RecordSizing",
    "keylane_tls::session::PendingReplies",
    "keylane_tls::session::Side",
    "keylane_tls::session::Status",
    // A handshake and a transport, before and after the first message.
    "keylane_tls::tokio::Fallible",
    "keylane_tls::tokio::Handshaking",
    "keylane_tls::tokio::LazyConfigAcceptor",
    "keylane_tls::tokio::StartHandshake",
    // A session and a transport, and halves that share them.
    "keylane_tls::tokio::ReadHalf",
    "keylane_tls::tokio::TlsStream",
    "keylane_tls::tokio::WriteHalf",
    // Rustls' configurations. They have two names.
    "keylane_tls::tokio::TlsAcceptor",
    "keylane_tls::tokio::TlsConnector",
    "keylane_tls::tokio::client::TlsConnector",
    "keylane_tls::tokio::server::TlsAcceptor",
];

pub(crate) fn run() -> Result<()> {
    let printed = step("wiping: memory", || {
        let mut command = cargo(&["run", "--quiet", "--release", "--locked", "--manifest-path", MANIFEST]);
        command.args(["--package", "keylane-secrets", "--bin", "wiping"]);
        command.env("CARGO_TARGET_DIR", target().join("wiping"));
        require_all(&mut command)?;
        output(&mut command).context("a secret stays in memory, or one that was planted was not seen")
    })?;
    let count = |kind: &str| printed.lines().filter(|line| line.starts_with(kind)).count();
    let (uses, planted) = (count("seen\t"), count("planted\t"));
    ensure!(uses > 0 && planted > 0, "the program saw nothing");
    let types = printed.lines().filter_map(|line| line.strip_prefix("seen\t")?.split('\t').next());
    let seen: BTreeSet<&str> = types.collect();
    step("wiping: every public type", || {
        let public = public_types()?;
        let public: BTreeSet<&str> = public.iter().map(|name| &**name).collect();
        let no_secret: BTreeSet<&str> = NO_SECRET.iter().copied().collect();
        let unknown = &(&public - &seen) - &no_secret;
        ensure!(unknown.is_empty(), "neither seen by {MANIFEST} nor named in NO_SECRET: {unknown:?}");
        let wrong = &no_secret - &(&public - &seen);
        ensure!(wrong.is_empty(), "named in NO_SECRET, but seen, or no type: {wrong:?}");
        Ok(())
    })?;
    println!("wiping: {} types and modules in {uses} uses, {planted} planted faults", seen.len());
    Ok(())
}

fn public_types() -> Result<BTreeSet<String>> {
    let folder = target().join("doc");
    for name in CRATES {
        // A page of a type that is gone would stay.
        let _ = fs::remove_dir_all(folder.join(name));
    }
    documentation()?;
    let mut types = BTreeSet::new();
    for name in CRATES {
        pages(&folder.join(name), name, &mut types)?;
    }
    ensure!(types.len() > 20, "the documentation has only {} types", types.len());
    Ok(types)
}

/// Adds the types that have a page in `folder`, the module `module`'s.
fn pages(folder: &Path, module: &str, types: &mut BTreeSet<String>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
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
