//! Runs of bytes, one after the other in a buffer, given by the offsets of their ends: they cannot overlap.

use crate::boundary::{Call, GROUP, Group, Input, Numbers, Output};
use crate::error::{Failure, KEYLANE_ERROR_INVALID_PARAMETER, KEYLANE_ERROR_WRONG_LENGTH};
use keylane::Error;
use std::mem::take;

/// Numbers in C's memory, which need not be aligned.
pub(crate) type Sizes<'a> = &'a [[u8; size_of::<usize>()]];

/// Returns one of the numbers.
#[inline]
pub(crate) fn size(sizes: Sizes<'_>, i: usize) -> usize {
    usize::from_ne_bytes(sizes[i])
}

/// Returns the offsets, the first offset, and the total length. There is one more offset than runs, or none
/// if there are no runs.
fn read(call: &Call, offsets: Numbers, count: usize) -> Result<(Sizes<'_>, usize, usize), Failure> {
    if count == 0 {
        return Ok((&[], 0, 0));
    }
    let offsets = call.numbers(offsets, count.saturating_add(1))?;
    if !offsets.is_sorted_by_key(|offset| usize::from_ne_bytes(*offset)) {
        return Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER));
    }
    let first = size(offsets, 0);
    Ok((offsets, first, size(offsets, count) - first))
}

/// Runs of bytes to be read.
pub(crate) struct Batch<'a> {
    bytes: &'a [u8],
    offsets: Sizes<'a>,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(call: &'a Call, bytes: Input, offsets: Numbers, count: usize) -> Result<Self, Failure> {
        let (offsets, start, len) = read(call, offsets, count)?;
        Ok(Self { bytes: call.input((bytes.after(start)?, len))?, offsets })
    }

    /// Returns the number of runs.
    fn count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Returns a run.
    ///
    /// # Panics
    /// If there is no such run.
    pub(crate) fn get(&self, i: usize) -> &'a [u8] {
        let at = |i| size(self.offsets, i) - size(self.offsets, 0);
        &self.bytes[at(i)..at(i + 1)]
    }

    /// Returns the length of the longest run.
    pub(crate) fn max_len(&self) -> usize {
        max_len(self.offsets)
    }

    /// Returns the next runs from `start` on.
    pub(crate) fn group<'b>(&self, group: &'b mut Group<&'a [u8]>, start: usize) -> &'b [&'a [u8]] {
        group.fill((start..self.count()).map(|i| self.get(i)))
    }

    /// Calls `run` for groups of runs, with the place for their results of `len` bytes each. WRONG_LENGTH
    /// unless `results` has room for all.
    pub(crate) fn each_group(
        &self,
        len: usize,
        results: &mut [u8],
        mut run: impl FnMut(&[&[u8]], &mut [u8]) -> Result<(), Error>,
    ) -> Result<(), Failure> {
        check_many(len, self.count(), results.len())?;
        for (i, results) in results.chunks_mut(GROUP * len).enumerate() {
            run(self.group(&mut Group::new(), GROUP * i), results)?;
        }
        Ok(())
    }
}

/// Fails unless `all` is the length of `count` results of `len` bytes.
pub(crate) fn check_many(len: usize, count: usize, all: usize) -> Result<(), Failure> {
    if count.checked_mul(len) == Some(all) { Ok(()) } else { Err(Failure(KEYLANE_ERROR_WRONG_LENGTH)) }
}

/// Runs of bytes to be read and written.
pub(crate) struct BatchMut<'a> {
    rest: &'a mut [u8],
    offsets: Sizes<'a>,
}

impl<'a> BatchMut<'a> {
    pub(crate) fn new(
        call: &'a Call,
        bytes: Output,
        offsets: Numbers,
        count: usize,
    ) -> Result<Self, Failure> {
        let (offsets, start, len) = read(call, offsets, count)?;
        Ok(Self { rest: call.output((bytes.after(start)?, len))?, offsets })
    }

    /// Returns the length of the longest run.
    pub(crate) fn max_len(&self) -> usize {
        max_len(self.offsets)
    }
}

fn max_len(offsets: Sizes<'_>) -> usize {
    offsets.windows(2).map(|ends| size(ends, 1) - size(ends, 0)).max().unwrap_or(0)
}

impl<'a> Iterator for BatchMut<'a> {
    type Item = &'a mut [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a mut [u8]> {
        let [start, rest @ ..] = self.offsets else { return None };
        let len = size(rest.get(..1)?, 0) - usize::from_ne_bytes(*start);
        let (run, after) = take(&mut self.rest).split_at_mut(len);
        (self.rest, self.offsets) = (after, rest);
        Some(run)
    }
}
