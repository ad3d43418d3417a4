//! Limits on records that carry nothing: a peer could keep this end busy with them for ever.

use crate::alert::Alert;
use crate::error::Error;

/// How many empty records and key updates may come with no data between them.
const MAX_EMPTY: u8 = 32;
/// How many bytes of tickets may come with no data between them, their messages' headers included: a thousand
/// of 1 KiB.
///
/// A server may send many, so their number is no sign of a hostile one. What one costs here is a derived key,
/// a copy of the peer's certificates and a place in the client's store, which has a bound of its own.
const MAX_TICKETS_LEN: usize = 1 << 20;
/// A shorter ticket counts as this many bytes: it costs as much. The shortest has 18.
const MIN_TICKET_LEN: usize = 256;
/// How many warnings.
const MAX_WARNINGS: u8 = 4;

#[derive(Debug, Default)]
pub(super) struct Flood {
    empty: u8,
    tickets_len: usize,
    warnings: u8,
    renegotiations: u8,
}

impl Flood {
    /// Data came: the peer does more than keep this end busy.
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

    /// `len` is that of the whole message.
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
