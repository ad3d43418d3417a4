//! Limits on records without data, with which a peer could keep this end busy forever.

use crate::alert::Alert;
use crate::error::Error;

/// The maximum number of empty records and key updates without data between them.
const MAX_EMPTY: u8 = 32;
/// The maximum length of all tickets without data between them, headers included: a thousand of 1 KiB.
///
/// An honest server may send many. Each costs a derived key, a copy of the peer's certificates and a place in
/// the client's store, which has its own limit.
const MAX_TICKETS_LEN: usize = 1 << 20;
/// A shorter ticket counts as this many bytes: it costs as much. The shortest has 18.
const MIN_TICKET_LEN: usize = 256;
/// The maximum number of warnings without data between them.
const MAX_WARNINGS: u8 = 4;

#[derive(Debug, Default)]
pub(super) struct Flood {
    empty: u8,
    tickets_len: usize,
    warnings: u8,
    renegotiations: u8,
}

impl Flood {
    /// Resets the counts, since data has arrived.
    #[inline]
    pub(super) fn data(&mut self) {
        (self.empty, self.tickets_len, self.warnings) = (0, 0, 0);
    }

    pub(super) fn empty_record(&mut self) -> Result<(), Error> {
        count(&mut self.empty, MAX_EMPTY, "too many empty records")
    }

    pub(super) fn key_update(&mut self) -> Result<(), Error> {
        count(&mut self.empty, MAX_EMPTY, "too many key updates")
    }

    /// Counts a ticket; `len` is the whole message's length.
    pub(super) fn ticket(&mut self, len: usize) -> Result<(), Error> {
        self.tickets_len += len.max(MIN_TICKET_LEN);
        if self.tickets_len > MAX_TICKETS_LEN {
            return Err(Error::protocol(Alert::UNEXPECTED_MESSAGE, "too many session tickets"));
        }
        Ok(())
    }

    pub(super) fn warning(&mut self) -> Result<(), Error> {
        count(&mut self.warnings, MAX_WARNINGS, "too many warning alerts")
    }

    /// Counts a request for renegotiation. The first is answered with a warning, a second ends the
    /// connection.
    pub(super) fn renegotiation(&mut self) -> Result<(), Error> {
        count(&mut self.renegotiations, 1, "repeated request for renegotiation")
    }
}

fn count(counter: &mut u8, limit: u8, what: &'static str) -> Result<(), Error> {
    if *counter == limit {
        return Err(Error::protocol(Alert::UNEXPECTED_MESSAGE, what));
    }
    *counter += 1;
    Ok(())
}
