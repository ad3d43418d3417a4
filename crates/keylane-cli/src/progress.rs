//! Progress bars, on standard error if that is a terminal. They leave room for a name even on 40 columns, and
//! their parts have fixed widths.

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::env;
use std::fmt::Display;

pub(crate) type Bar = ProgressBar;

/// The file length from which a bar is shown.
const LARGE_FILE: u64 = 256 << 20;

/// Returns a bar for a file of `len` bytes.
pub(crate) fn of_file(name: impl Display, len: u64) -> Bar {
    if len < LARGE_FILE {
        return Bar::hidden();
    }
    // The end of a long name is shown, which distinguishes files in one folder.
    let template = "{wide_msg:>} {bar:8} {percent:>3}% {decimal_bytes_per_sec:>11} {eta:>3}";
    styled(ProgressBar::new(len), template).with_message(name.to_string())
}

/// The bars of files that are read side by side.
pub(crate) struct Bars(MultiProgress);

impl Bars {
    pub(crate) fn new() -> Self {
        Self(MultiProgress::new())
    }

    /// Returns a bar, like [`of_file`].
    pub(crate) fn of_file(&self, name: impl Display, len: u64) -> Bar {
        let bar = of_file(name, len);
        if bar.is_hidden() { bar } else { self.0.add(bar) }
    }

    /// Hides the bars during a write to standard output, which may be the same terminal.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }
}

/// Returns a bar for data of unknown length.
pub(crate) fn of_stream() -> Bar {
    styled(ProgressBar::no_length(), "{spinner} {decimal_bytes:>9} {decimal_bytes_per_sec:>11} {elapsed:>3}")
}

/// Returns a bar for a number of equal steps.
pub(crate) fn of_steps(steps: u64) -> Bar {
    styled(ProgressBar::new(steps), "{bar:8} {pos:>3}/{len} {wide_msg} {eta:>3}")
}

fn styled(bar: Bar, template: &str) -> Bar {
    // The templates are constant; a bad one would only look wrong.
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(if is_utf8() { style } else { style.progress_chars("#-").tick_chars(r"-\|/ ") })
}

/// Returns whether the terminal shows more than ASCII, judged by the locale.
fn is_utf8() -> bool {
    let set = |name| env::var(name).ok().filter(|locale| !locale.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default();
    cfg!(windows) || locale.to_lowercase().replace('-', "").contains("utf8")
}
