//! Progress bars, on standard error and only where that is a terminal.

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::fmt::Display;

pub(crate) type Bar = ProgressBar;

/// Faster work than this needs no bar.
const LARGE_FILE: u64 = 256 << 20;

pub(crate) fn hidden() -> Bar {
    ProgressBar::hidden()
}

/// For a file of `len` bytes.
pub(crate) fn of_file(name: impl Display, len: u64) -> Bar {
    if len < LARGE_FILE {
        return hidden();
    }
    // The end of a long name is shown: it tells files of one folder apart.
    let template = "{wide_msg:>} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
    styled(ProgressBar::new(len), template).with_message(name.to_string())
}

/// The bars of files that are read side by side.
pub(crate) struct Bars(MultiProgress);

impl Bars {
    pub(crate) fn new() -> Self {
        Self(MultiProgress::new())
    }

    /// Returns a bar, as [`of_file`].
    pub(crate) fn of_file(&self, name: impl Display, len: u64) -> Bar {
        let bar = of_file(name, len);
        if bar.is_hidden() { bar } else { self.0.add(bar) }
    }

    /// Writes to standard output, which may be the same terminal.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }
}

/// For data whose length is not known.
pub(crate) fn of_stream() -> Bar {
    styled(ProgressBar::no_length(), "{spinner} {bytes} {bytes_per_sec} {elapsed}")
}

/// For a number of equal steps.
pub(crate) fn of_steps(steps: u64) -> Bar {
    styled(ProgressBar::new(steps), "{bar:30} {pos}/{len} {wide_msg} {eta}")
}

fn styled(bar: Bar, template: &str) -> Bar {
    // The templates are constant; a bad one would only look wrong.
    bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()))
}
