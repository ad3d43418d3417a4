//! The programs that the peers are, and where they come from.

use super::process::Stage;
use crate::steps::{self, run as run_command};
use anyhow::{Result, bail};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Those that are taken from the path, and the packages of Debian that have them.
const NEEDED: [(&str, &str); 4] =
    [("openssl", "openssl"), ("stdbuf", "coreutils"), ("curl", "curl"), ("go", "golang-go")];

pub(crate) struct Tools {
    pub(crate) keylane: PathBuf,
    pub(crate) go_peer: PathBuf,
    pub(crate) nginx: PathBuf,
}

impl Tools {
    pub(crate) fn find(root: &Path, target: &Path, folder: &Path) -> Result<Self> {
        let mut missing: Vec<_> =
            NEEDED.iter().filter(|(tool, _)| in_path(tool).is_none()).map(|(_, package)| *package).collect();
        let nginx = nginx(folder);
        if nginx.is_none() {
            missing.push("nginx");
        }
        let (Some(nginx), true) = (nginx, missing.is_empty()) else {
            bail!("not installed: apt-get install {}", missing.join(" "));
        };
        let keylane = steps::keylane(root, target)?;
        fs::create_dir_all(folder)?;
        let go_peer = folder.join("go-peer");
        let mut build = Command::new("go");
        build.current_dir(root.join("ci/peers/go")).env("GOTOOLCHAIN", "local").args([
            "build",
            "-buildvcs=false",
            "-o",
        ]);
        run_command(build.arg(&go_peer).arg("."))?;
        Ok(Self { keylane, go_peer, nginx })
    }
}

/// Installed, or unpacked from Debian's package, which needs no root.
fn nginx(folder: &Path) -> Option<PathBuf> {
    let unpacked = folder.join("nginx-package");
    let program = unpacked.join("usr/sbin/nginx");
    let installed =
        in_path("nginx").or_else(|| Some("/usr/sbin/nginx".into()).filter(|path: &PathBuf| path.is_file()));
    if installed.is_some() || program.is_file() {
        return installed.or(Some(program));
    }
    fs::create_dir_all(&unpacked).ok()?;
    let stage = Stage::default();
    stage.run(Command::new("apt-get").args(["download", "nginx"]).current_dir(&unpacked)).ok()?;
    let mut entries = fs::read_dir(&unpacked).ok()?.flatten();
    let package =
        entries.find(|entry| entry.path().extension().is_some_and(|extension| extension == "deb"))?;
    stage.run(Command::new("dpkg").arg("-x").arg(package.path()).arg(&unpacked)).ok()?;
    Some(program).filter(|program| program.is_file())
}

fn in_path(tool: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(tool)).find(|program| program.is_file())
}
