//! Runs on files, and on lists of checksums in the format of `sha256sum`.

mod entry;
#[cfg(test)]
mod entry_tests;

use crate::checksum::Checksum;
use crate::status::{Failure, Outcome, Status, complain, quoted, reason};
use crate::stream::{Reader, STDIN, leads_to_stdin};
use clap::Args;
use entry::{Entry, escape, write_line};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

/// What a run on files or lists is told.
#[derive(Args, Debug)]
pub(crate) struct Files {
    /// Read lists of checksums from the files, and check what they list
    #[arg(long, short)]
    pub(crate) check: bool,
    /// With --check: no line for a file that is as listed
    #[arg(long, requires = "check")]
    pub(crate) quiet: bool,
    /// With --check: no line for any file; the exit status says it
    #[arg(long, requires = "check")]
    pub(crate) status: bool,
    /// Files, or with --check lists; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<OsString>,
}

impl Files {
    /// Computes, or with `--check` checks.
    pub(crate) fn run(&self, checksum: &mut dyn Checksum, out: &mut dyn Write) -> Outcome {
        if self.check { self.check(checksum, out) } else { self.compute(checksum, out) }
    }

    /// Whether standard input is read as data or as a list.
    pub(crate) fn reads_stdin(&self) -> bool {
        self.files.is_empty() || self.files.iter().any(|file| leads_to_stdin(Path::new(file)))
    }

    fn files(&self) -> impl Iterator<Item = &OsStr> {
        let stdin = self.files.is_empty().then_some(OsStr::new(STDIN));
        stdin.into_iter().chain(self.files.iter().map(OsString::as_os_str))
    }

    fn compute(&self, checksum: &mut dyn Checksum, out: &mut dyn Write) -> Outcome {
        let mut reader = Reader::new();
        let mut status = Status::Done;
        for file in self.files() {
            match reader.absorb(file, checksum) {
                Ok(()) => write_line(out, &checksum.finish(), file)?,
                Err(error) => {
                    complain(format_args!("{}: {}", quoted(file), reason(&error)));
                    status = Status::WrongInput;
                }
            }
        }
        Ok(status)
    }

    fn check(&self, checksum: &mut dyn Checksum, out: &mut dyn Write) -> Outcome {
        let mut reader = Reader::new();
        let mut total = Tally::default();
        for list in self.files() {
            match read_list(list) {
                Ok(text) => total.add(&self.check_list(list, &text, &mut reader, checksum, out)?),
                Err(error) => {
                    complain(format_args!("{}: {}", quoted(list), reason(&error)));
                    total.unusable_lists += 1;
                }
            }
        }
        if !self.status {
            total.summarise();
        }
        Ok(total.status())
    }

    /// Checks what one list names.
    fn check_list(
        &self,
        list: &OsStr,
        text: &[u8],
        reader: &mut Reader,
        checksum: &mut dyn Checksum,
        out: &mut dyn Write,
    ) -> Result<Tally, Failure> {
        let mut tally = Tally::default();
        for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let Some(Entry { expected, name }) = Entry::parse(line, checksum.len()) else {
                complain(format_args!("{}:{}: improperly formatted line", quoted(list), number + 1));
                tally.malformed += 1;
                continue;
            };
            tally.entries += 1;
            let verdict = match reader.absorb(&name, checksum) {
                Ok(()) if checksum.accepts(&expected) => "OK",
                Ok(()) => {
                    tally.mismatches += 1;
                    "FAILED"
                }
                Err(error) => {
                    complain(format_args!("{}: {}", quoted(&name), reason(&error)));
                    tally.unreadable += 1;
                    "FAILED open or read"
                }
            };
            let is_told = verdict != "OK" || !self.quiet;
            if is_told && !self.status {
                write_verdict(out, &name, verdict)?;
            }
        }
        if tally.entries == 0 {
            complain(format_args!("{}: no properly formatted line found", quoted(list)));
            tally.unusable_lists += 1;
        }
        Ok(tally)
    }
}

/// What was found wrong.
#[derive(Default)]
struct Tally {
    entries: usize,
    mismatches: usize,
    unreadable: usize,
    malformed: usize,
    /// Lists that cannot be read or list nothing.
    unusable_lists: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.entries += other.entries;
        self.mismatches += other.mismatches;
        self.unreadable += other.unreadable;
        self.malformed += other.malformed;
        self.unusable_lists += other.unusable_lists;
    }

    /// A file that is not as listed outweighs a list that is not as it should be.
    fn status(&self) -> Status {
        if self.mismatches + self.unreadable > 0 {
            Status::VerificationFailed
        } else if self.malformed + self.unusable_lists > 0 {
            Status::WrongInput
        } else {
            Status::Done
        }
    }

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

fn read_list(list: &OsStr) -> io::Result<Vec<u8>> {
    if list == STDIN {
        let mut text = Vec::new();
        io::stdin().lock().read_to_end(&mut text)?;
        return Ok(text);
    }
    fs::read(Path::new(list))
}

/// As coreutils: the name is escaped only where it would fill several lines.
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
