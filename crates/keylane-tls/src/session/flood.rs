//! Limits on records that carry nothing: a peer could keep this end busy with them for ever.

use crate::alert::Alert;
use crate::error::Error;

/// How many empty records, tickets and key updates may come with no data between them.
const MAX_EMPTY: u8 = 32;
/// How many warnings.
const MAX_WARNINGS: u8 = 4;

#[derive(Debug, Default)]
pub(super) struct Flood {
    empty: u8,
    warnings: u8,
    renegotiations: u8,
}

impl Flood {
    /// Data came: nobody is only keeping us busy.
    #[inline]
    pub(super) fn data(&mut self) {
        (self.empty, self.warnings) = (0, 0);
    }

    pub(super) fn empty_record(&mut self) -> Result<(), Error> {
        count(&mut self.empty, MAX_EMPTY, "too many empty records")
    }

    pub(super) fn control_message(&mut self) -> Result<(), Error> {
        count(&mut self.empty, MAX_EMPTY, "too many key updates or tickets")
    }

    pub(super) fn warning(&mut self) -> Result<(), Error> {
        count(&mut self.warnings, MAX_WARNINGS, "too many warning alerts")
    }

    /// One request is refused politely.
    pub(super) fn renegotiation(&mut self) -> Result<(), Error> {
        count(&mut self.renegotiations, 1, "asked again for a renegotiation that was refused")
    }
}

fn count(counter: &mut u8, limit: u8, what: &'static str) -> Result<(), Error> {
    if *counter == limit {
        return Err(Error::protocol(Alert::UNEXPECTED_MESSAGE, what));
    }
    *counter += 1;
    Ok(())
}
