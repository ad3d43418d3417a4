//! What the checks found, as files that a reader and a later run can compare: `docs/assurance/NAME.toml` for each kind of
//! evidence, and `docs/assurance.md`, which is made from all of them.

mod kinds;
mod page;
mod platforms;

use crate::steps;
use anyhow::{Context, Result, ensure};
use kinds::{KINDS, Kind};
pub(crate) use platforms::{Platform, Ran};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the records lie.
const FOLDER: &str = "docs/assurance";
const PAGE: &str = "docs/assurance.md";
const PLATFORMS: &str = "docs/platforms.md";

/// All that commands write with a record, for git to leave out: they may run one after the other.
const WRITTEN: [&str; 5] = [
    ":!docs/assurance",
    ":!docs/assurance.md",
    ":!docs/platforms.md",
    ":!docs/coverage.md",
    ":!docs/mutants.md",
];

/// What one run of one command found.
#[derive(Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Evidence {
    #[serde(skip)]
    name: String,
    /// Of the run, by the calendar of UTC.
    date: String,
    /// What was checked out.
    commit: String,
    machine: String,
    #[serde(rename = "figure")]
    figures: Vec<Figure>,
    /// Of the kind "platforms" alone.
    #[serde(rename = "platform", default, skip_serializing_if = "Vec::is_empty")]
    platforms: Vec<Platform>,
}

#[derive(Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    what: String,
    value: String,
}

impl Evidence {
    /// Of the kind that `kinds.rs` describes by this name: begun before a run that is to be recorded, if it is. Fails if the
    /// sources are not those of a commit.
    pub(crate) fn begin(root: &Path, name: &str, record: bool) -> Result<Option<Self>> {
        ensure!(KINDS.iter().any(|kind| kind.name == name), "no kind of evidence is named {name}");
        if !record {
            return Ok(None);
        }
        Ok(Some(Self {
            name: name.to_owned(),
            date: steps::answer(Command::new("date").args(["--utc", "+%F"]))?,
            commit: checked_out(root)?,
            machine: machine()?,
            figures: Vec::new(),
            platforms: Vec::new(),
        }))
    }

    /// `what` was counted, and what it came to.
    pub(crate) fn figure(&mut self, what: impl Into<String>, value: impl ToString) {
        self.figures.push(Figure { what: what.into(), value: value.to_string() });
    }

    /// The tests ran on a platform.
    pub(crate) fn platform(&self, target: &str, cpu: String, ran: Ran) -> Platform {
        let (date, commit) = (self.date.clone(), self.commit.clone());
        Platform { target: target.to_owned(), cpu, ran, date, commit }
    }

    pub(crate) fn machine(&self) -> &str {
        &self.machine
    }

    /// Of this run and of earlier ones.
    pub(crate) fn platforms(&mut self, platforms: Vec<Platform>) {
        self.platforms = platforms;
    }

    /// Writes the record, and the pages anew. Fails if the sources are others than when the run began.
    pub(crate) fn record(&self, root: &Path) -> Result<()> {
        ensure!(!self.figures.is_empty(), "{}: nothing was counted", self.name);
        let (then, now) = (&self.commit, checked_out(root)?);
        ensure!(*then == now, "{}: begun at {then}, and now there is {now}: nothing is recorded", self.name);
        let path = file(root, &self.name);
        fs::create_dir_all(root.join(FOLDER))?;
        fs::write(&path, toml::to_string(self)?).with_context(|| path.display().to_string())?;
        write(root)?;
        println!("recorded in {FOLDER}/{}.toml and {PAGE}", self.name);
        Ok(())
    }
}

/// Where the tests ran by the last record.
pub(crate) fn recorded_platforms(root: &Path) -> Result<Vec<Platform>> {
    Ok(read(&file(root, "platforms"))?.map_or(Vec::new(), |evidence| evidence.platforms))
}

/// Fails if a page is not what the records make, or a record is of no known kind or of a commit of another history.
pub(crate) fn check(root: &Path) -> Result<()> {
    for entry in fs::read_dir(root.join(FOLDER)).context(FOLDER)? {
        let path = entry?.path();
        let known = KINDS.iter().any(|kind| file(root, kind.name) == path);
        ensure!(known, "{} is no record of a kind in kinds.rs", path.display());
    }
    for (page, content) in pages(root)? {
        let found = fs::read_to_string(root.join(page)).context(page)?;
        ensure!(found == content, "{page} is not what {FOLDER} makes: `cargo xtask assurance`");
    }
    check_history(root)
}

/// Fails if a record is of sources that are not in the history of what is checked out.
fn check_history(root: &Path) -> Result<()> {
    let git = |arguments: &[&str]| Command::new("git").current_dir(root).args(arguments).output();
    let complete = git(&["rev-parse", "--is-shallow-repository"])
        .is_ok_and(|output| output.status.success() && output.stdout == b"false\n");
    if !complete {
        println!("not looked at without git's whole history: whether the records' commits are in it");
        return Ok(());
    }
    for (kind, evidence) in records(root)? {
        let Some(evidence) = evidence else { continue };
        let rows = evidence.platforms.iter().map(|row| &row.commit);
        let commits: BTreeSet<_> = rows.chain([&evidence.commit]).collect();
        for commit in commits {
            let is_in_it = git(&["merge-base", "--is-ancestor", commit, "HEAD"])?.status.success();
            ensure!(
                is_in_it,
                "{FOLDER}/{}.toml is of commit {commit}, which HEAD does not descend from",
                kind.name
            );
        }
    }
    Ok(())
}

/// The commit that is checked out. Fails if something was changed since, but for what the records themselves change.
fn checked_out(root: &Path) -> Result<String> {
    let git = |arguments: &[&str]| steps::answer(Command::new("git").current_dir(root).args(arguments));
    let others = [&["status", "--porcelain", "--", "."], &WRITTEN[..]].concat();
    let changed = git(&others)?;
    ensure!(changed.is_empty(), "only what is committed can be recorded, and there are changes:\n{changed}");
    git(&["rev-parse", "--short=10", "HEAD"])
}

/// Writes the pages anew.
pub(crate) fn write(root: &Path) -> Result<()> {
    pages(root)?.into_iter().try_for_each(|(page, content)| fs::write(root.join(page), content).context(page))
}

fn pages(root: &Path) -> Result<[(&'static str, String); 2]> {
    Ok([(PAGE, page::page(&records(root)?)), (PLATFORMS, platforms::page(&recorded_platforms(root)?))])
}

/// Every kind, with what was last recorded of it.
fn records(root: &Path) -> Result<Vec<(&'static Kind, Option<Evidence>)>> {
    KINDS.iter().map(|kind| Ok((kind, read(&file(root, kind.name))?))).collect()
}

fn read(path: &Path) -> Result<Option<Evidence>> {
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(path)?;
    toml::from_str(&text).map(Some).with_context(|| path.display().to_string())
}

fn file(root: &Path, name: &str) -> PathBuf {
    root.join(FOLDER).join(name).with_extension("toml")
}

fn machine() -> Result<String> {
    let info = fs::read_to_string("/proc/cpuinfo").context("/proc/cpuinfo")?;
    let field = |name: &str| {
        let line = info.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.and_then(|line| line.split_once(':')).map_or("unknown", |(_, value)| value.trim())
    };
    Ok(format!("{}, family {} model {}", field("model name"), field("cpu family"), field("model")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_with_changes_is_no_commit() {
        let root = std::env::temp_dir().join(format!("keylane-evidence-{}", std::process::id()));
        fs::create_dir_all(root.join(FOLDER)).unwrap();
        let git = |arguments: &[&str]| steps::run(Command::new("git").current_dir(&root).args(arguments));
        git(&["init", "--quiet"]).unwrap();
        fs::write(root.join("source.rs"), "").unwrap();
        git(&["add", "."]).unwrap();
        let author = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"];
        git(&[&author[..], &["commit", "--quiet", "--message=a"]].concat()).unwrap();
        let commit = checked_out(&root).unwrap();
        for page in [PAGE, PLATFORMS, "docs/coverage.md", "docs/mutants.md", "docs/assurance/tests.toml"] {
            fs::write(root.join(page), "").unwrap();
        }
        assert_eq!(checked_out(&root).unwrap(), commit);
        for other in ["docs/format.md", "source.rs", "new.rs"] {
            fs::write(root.join(other), "changed").unwrap();
            assert!(checked_out(&root).unwrap_err().to_string().contains("there are changes"), "{other}");
            let _ = fs::remove_file(root.join(other));
            fs::write(root.join("source.rs"), "").unwrap();
        }
        fs::remove_dir_all(root).unwrap();
    }
}
