//! What a command shows: lines, or with `--json` a document.

use serde::Serialize;
use std::io::{self, Write};

pub(crate) trait Document: Serialize + Sized {
    fn print(&self, out: &mut dyn Write) -> io::Result<()>;

    fn write(&self, json: bool, out: &mut dyn Write) -> io::Result<()> {
        if !json {
            return self.print(out);
        }
        // Only writing can fail.
        serde_json::to_writer_pretty(&mut *out, self)?;
        writeln!(out)
    }
}
