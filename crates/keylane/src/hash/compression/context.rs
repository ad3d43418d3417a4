//! Hashing from an initial value: a whole message, a message in pieces, or several messages in parallel.

use super::{Compression, Kernel as _, MAX_LANES, Outer};
use crate::byte_array::ByteArray;
use crate::error::Error;
use keylane_cpu::wipe::{Secret, wipe};

/// A hash that has absorbed some bytes. Wiped on drop: under HMAC its state is as good as the key.
#[derive(Clone)]
pub struct Context<C: Compression> {
    state: Secret<C::State>,
    /// The number of bytes absorbed. Those that do not fill a block are at the start of `partial`.
    length: u64,
    partial: Secret<C::Block>,
}

impl<C: Compression> Context<C> {
    /// Continues from `state`, which has absorbed whole blocks, `length` bytes in all.
    #[inline]
    pub(crate) fn resume(state: C::State, length: u64) -> Self {
        debug_assert!(length.is_multiple_of(C::BLOCK_LEN as u64));
        Self { state: Secret::new(state), length, partial: Secret::new(C::Block::ZERO) }
    }

    #[inline]
    fn partial_len(&self) -> usize {
        (self.length % C::BLOCK_LEN as u64) as usize
    }

    pub(crate) fn absorb(&mut self, mut data: &[u8]) {
        let filled = self.partial_len();
        self.length = self.length.wrapping_add(data.len() as u64);
        if filled > 0 {
            let free = &mut self.partial.as_mut()[filled..];
            if data.len() < free.len() {
                free[..data.len()].copy_from_slice(data);
                return;
            }
            let (head, rest) = data.split_at(free.len());
            free.copy_from_slice(head);
            data = rest;
            C::chosen().compress(&mut self.state, core::slice::from_ref(&self.partial));
        }
        let (blocks, rest) = C::Block::split(data);
        if !blocks.is_empty() {
            C::chosen().compress(&mut self.state, blocks);
        }
        self.partial.as_mut()[..rest.len()].copy_from_slice(rest);
    }

    /// Lets each hash absorb its own data, with whole blocks in parallel lanes.
    pub(crate) fn absorb_many<'a, 'b>(pairs: &mut dyn Iterator<Item = (&'a mut Self, &'b [u8])>)
    where
        C: 'a,
    {
        let mut waiting = true;
        while waiting {
            // The hashes with whole blocks left: their states, these blocks, how long those are, and the rest
            // of their data. They count what they have absorbed, whatever `pairs` does meanwhile.
            let mut states = [C::ZERO_STATE; MAX_LANES];
            let mut blocks: [&[C::Block]; MAX_LANES] = [&[]; MAX_LANES];
            let mut hashing: [Option<(&mut Self, usize, &[u8])>; MAX_LANES] = [const { None }; MAX_LANES];
            let mut active = 0;
            while active < MAX_LANES {
                let Some((hash, data)) = pairs.next() else {
                    waiting = false;
                    break;
                };
                let filled = hash.partial_len();
                let head = if filled == 0 { 0 } else { data.len().min(C::BLOCK_LEN - filled) };
                hash.absorb(&data[..head]);
                let (whole, tail) = C::Block::split(&data[head..]);
                if whole.is_empty() {
                    hash.absorb(tail);
                    continue;
                }
                (states[active], blocks[active]) = (*hash.state, whole);
                hashing[active] = Some((hash, size_of_val(whole), tail));
                active += 1;
            }
            while active > 0 {
                let count = blocks[..active].iter().map(|blocks| blocks.len()).min().unwrap_or(0);
                let mut next = blocks;
                for (next, blocks) in next.iter_mut().zip(&mut blocks).take(active) {
                    (*next, *blocks) = blocks.split_at(count);
                }
                C::backends().chosen_for(active).compress_many(&mut states[..active], &next[..active]);
                for at in (0..active).rev() {
                    if !blocks[at].is_empty() {
                        continue;
                    }
                    if let Some((hash, len, tail)) = hashing[at].take() {
                        *hash.state = states[at];
                        hash.length = hash.length.wrapping_add(len as u64);
                        hash.absorb(tail);
                    }
                    active -= 1;
                    states.swap(at, active);
                    blocks.swap(at, active);
                    hashing.swap(at, active);
                }
            }
            wipe(&mut states);
        }
    }

    /// Returns the state after the end, or in HMAC that of the outer hash, which absorbs the digest.
    pub(crate) fn finish(&mut self, outer: Option<&Outer<'_, C>>) -> C::State {
        let end = &self.partial.as_ref()[..self.partial_len()];
        C::chosen().finish(&mut self.state, end, self.length, outer);
        *self.state
    }

    /// Returns the state, how many bytes were absorbed in all, and those that do not fill a block.
    pub(super) fn parts(&self) -> (&C::State, u64, &[u8]) {
        (&self.state, self.length, &self.partial.as_ref()[..self.partial_len()])
    }
}

impl<C: Compression> zeroize::ZeroizeOnDrop for Context<C> {}

/// Returns the final state of one message.
#[inline]
pub(crate) fn digest<C: Compression>(initial: &C::State, message: &[u8]) -> C::State {
    let mut state = *initial;
    C::chosen().finish(&mut state, message, message.len() as u64, None);
    state
}

/// Pairs each hash with its own element of `data`.
pub(crate) fn pairs<H>(
    hashes: impl ExactSizeIterator<Item = H>,
    data: &[impl AsRef<[u8]>],
) -> Result<impl Iterator<Item = (H, &[u8])>, Error> {
    Error::check_length("number of slices", hashes.len(), data.len())?;
    Ok(hashes.zip(data.iter().map(AsRef::as_ref)))
}
