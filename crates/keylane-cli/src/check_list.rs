//! Prints checksums of files, and checks lists in `sha256sum`'s format.

mod entry;

pub(crate) use entry::Kind;

use crate::checksum::Checksum;
use crate::descriptor::{STANDARD, open_input};
use crate::folders;
use crate::identity::leads_to_stdin;
use crate::lanes;
use crate::status::{Failure, Outcome, Status, complain, quoted};
use clap::Args;
use entry::{Entry, Format, escape, write_line};
use keylane::secret::utf8;
use std::borrow::Cow;
use std::cell::Cell;
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;
use zeroize::Zeroizing;

/// The options of a run on files or lists.
#[derive(Args, Debug)]
pub(crate) struct Files {
    /// Read lists of checksums from the files, and check the files listed
    #[arg(long, short)]
    pub(crate) check: bool,
    /// Write a list in the BSD format: `SHA256 (name) = HEX`
    #[arg(long, conflicts_with = "check")]
    pub(crate) tag: bool,
    /// End each line with a NUL instead of a newline, and do not escape names
    #[arg(long, short, conflicts_with = "check")]
    pub(crate) zero: bool,
    /// With --check: print no line for files that match
    #[arg(long, requires = "check")]
    pub(crate) quiet: bool,
    /// With --check: print no line for any file; the exit status has the result
    #[arg(long, requires = "check")]
    pub(crate) status: bool,
    /// With --check: skip files that do not exist
    #[arg(long, requires = "check")]
    pub(crate) ignore_missing: bool,
    /// With --check: exit with 2 if a line is improperly formatted
    #[arg(long, requires = "check")]
    pub(crate) strict: bool,
    /// With --check: report each improperly formatted line, not only their number
    #[arg(long, short, requires = "check")]
    pub(crate) warn: bool,
    /// Include the files in folders and subfolders, without links and without the output file
    #[arg(long, short, requires = "files", conflicts_with = "check")]
    pub(crate) recursive: bool,
    /// Number of threads; by default one per core
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Files, or with --check lists; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Whether the key was read from standard input: then no entry of a list can name it.
    #[arg(skip)]
    pub(crate) stdin_is_key: Cell<bool>,
}

impl Files {
    /// Computes checksums, or checks them with `--check`. Each file's checksum begins with a clone of
    /// `start`.
    pub(crate) fn run<C: Checksum>(&self, kind: Kind, start: &C, out: &mut dyn Write) -> Outcome {
        if self.check { self.check(kind, start, out) } else { self.compute(kind, start, out) }
    }

    /// Returns whether standard input is read as data or as a list.
    pub(crate) fn reads_stdin(&self) -> bool {
        self.files().iter().any(|file| leads_to_stdin(file))
    }

    fn files(&self) -> Cow<'_, [PathBuf]> {
        if self.files.is_empty() { Cow::Owned(vec![STANDARD.into()]) } else { Cow::Borrowed(&self.files) }
    }

    fn threads(&self) -> usize {
        self.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    fn compute<C: Checksum>(&self, kind: Kind, start: &C, out: &mut dyn Write) -> Outcome {
        let (files, mut status) = if self.recursive {
            let (files, status) = folders::files(&self.files, |_| true);
            (Cow::Owned(files), status)
        } else {
            (self.files(), Status::Done)
        };
        let format = Format { tag: self.tag, zero: self.zero };
        let finish = |_: &PathBuf, checksum: C| checksum.finish();
        lanes::run(&files, start, self.threads(), finish, |file, checksum| match checksum {
            Ok(checksum) => write_line(out, &checksum, file.as_os_str(), kind, format),
            Err(error) => {
                status = Failure::file(file, &error).report();
                Ok(())
            }
        })?;
        Ok(status)
    }

    fn check<C: Checksum>(&self, kind: Kind, start: &C, out: &mut dyn Write) -> Outcome {
        let mut status = Status::Done;
        for list in &*self.files() {
            status = status.and(match read_list(list.as_os_str()) {
                Ok(text) => self.check_list(list.as_os_str(), &text, kind, start, out)?,
                Err(error) => Failure::file(list, &error).report(),
            });
        }
        Ok(status)
    }

    /// Checks the files in one list.
    fn check_list<C: Checksum>(
        &self,
        list: &OsStr,
        text: &[u8],
        kind: Kind,
        start: &C,
        out: &mut dyn Write,
    ) -> Outcome {
        let mut tally = Tally::default();
        let (mut entries, mut one_blank) = (Vec::new(), None);
        for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            if let Some(entry) = Entry::parse(line, kind, &mut one_blank) {
                entries.push(entry);
                continue;
            }
            if self.warn {
                complain(format_args!("{}:{}: improperly formatted line", quoted(list), number + 1));
            }
            tally.malformed += 1;
        }
        let finish = |entry: &Entry, checksum: C| checksum.accepts(&entry.expected);
        lanes::run(&entries, start, self.threads(), finish, |Entry { name, .. }, accepted| {
            let stdin_is_key = self.stdin_is_key.get() && leads_to_stdin(Path::new(name));
            let verdict = match accepted {
                _ if stdin_is_key => {
                    complain(format_args!("{}: standard input was the key", quoted(name)));
                    tally.unreadable += 1;
                    "FAILED open or read"
                }
                Ok(true) => {
                    tally.matches += 1;
                    "OK"
                }
                Ok(false) => {
                    tally.mismatches += 1;
                    "FAILED"
                }
                Err(error) if self.ignore_missing && error.kind() == ErrorKind::NotFound => return Ok(()),
                Err(error) => {
                    Failure::file(name, &error).report();
                    tally.unreadable += 1;
                    "FAILED open or read"
                }
            };
            let is_told = verdict != "OK" || !self.quiet;
            if is_told && !self.status { write_verdict(out, name, verdict) } else { Ok(()) }
        })?;
        if entries.is_empty() {
            complain(format_args!("{}: no properly formatted line found", quoted(list)));
            return Ok(Status::WrongInput);
        }
        if !self.status {
            tally.summarise();
        }
        let is_unverified = self.ignore_missing && tally.matches == 0;
        if is_unverified && !self.status {
            complain(format_args!("{}: no file was verified", quoted(list)));
        }
        // A file that does not match outweighs a malformed line.
        Ok(if is_unverified || tally.mismatches + tally.unreadable > 0 {
            Status::VerificationFailed
        } else if self.strict && tally.malformed > 0 {
            Status::WrongInput
        } else {
            Status::Done
        })
    }
}

/// The result of checking a list.
#[derive(Default)]
struct Tally {
    matches: usize,
    mismatches: usize,
    unreadable: usize,
    malformed: usize,
}

impl Tally {
    fn summarise(&self) {
        for (count, one, several) in [
            (self.malformed, "line is improperly formatted", "lines are improperly formatted"),
            (self.unreadable, "listed file could not be read", "listed files could not be read"),
            (self.mismatches, "computed checksum did NOT match", "computed checksums did NOT match"),
        ] {
            if count > 0 {
                complain(format_args!("WARNING: {count} {}", if count == 1 { one } else { several }));
            }
        }
    }
}

/// Reads a list. Editors on Windows begin a text with a byte order mark, and PowerShell writes UTF-16.
fn read_list(list: &OsStr) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut text = Vec::new();
    open_input(list)?.read_to_end(&mut text)?;
    utf8(text.into())
}

/// Writes a line like coreutils: the name is escaped only if it would span several lines.
fn write_verdict(out: &mut dyn Write, name: &OsStr, verdict: &str) -> io::Result<()> {
    let name = name.as_encoded_bytes();
    if name.contains(&b'\n') {
        out.write_all(b"\\")?;
        out.write_all(&escape(name).1)?;
    } else {
        out.write_all(name)?;
    }
    writeln!(out, ": {verdict}")
}
