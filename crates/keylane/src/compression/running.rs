//! A running hash: the state, and the bytes that do not fill a block yet.

use super::{Compression, MAX_LANES};
use keylane_cpu::wipe::wipe;

/// A hash that has absorbed some bytes. Wiped on drop: under HMAC its state is as good as the key.
pub struct Running<C: Compression> {
    state: C::State,
    /// Bytes absorbed in all. Those that do not fill a block stand at the start of `partial`.
    length: u64,
    partial: C::Block,
}

impl<C: Compression> Running<C> {
    /// Continues from `state`, in which `length` bytes were absorbed: whole blocks.
    #[inline]
    pub(crate) fn resume(state: C::State, length: u64) -> Self {
        debug_assert!(length.is_multiple_of(C::BLOCK_LEN as u64));
        Self { state, length, partial: C::ZERO_BLOCK }
    }

    #[inline]
    fn partial_len(&self) -> usize {
        (self.length % C::BLOCK_LEN as u64) as usize
    }

    pub(crate) fn update(&mut self, mut data: &[u8]) {
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
            C::backends().chosen().compress(&mut self.state, core::slice::from_ref(&self.partial));
        }
        let (blocks, rest) = C::split(data);
        if !blocks.is_empty() {
            C::backends().chosen().compress(&mut self.state, blocks);
        }
        self.partial.as_mut()[..rest.len()].copy_from_slice(rest);
    }

    /// Each hash absorbs its own data, whole blocks side by side in lanes.
    pub(crate) fn update_many<'a>(
        hashes: impl Iterator<Item = &'a mut Self>,
        data: impl Iterator<Item = &'a [u8]>,
    ) where
        C: 'a,
    {
        let mut pairs = hashes.zip(data);
        let mut waiting = true;
        while waiting {
            // Hashes with whole blocks left stand in front: their states, these blocks, and what comes after them.
            let mut states = [C::ZERO_STATE; MAX_LANES];
            let mut blocks: [&[C::Block]; MAX_LANES] = [&[]; MAX_LANES];
            let mut hashing: [Option<(&mut Self, &[u8])>; MAX_LANES] = [const { None }; MAX_LANES];
            let mut active = 0;
            while active < MAX_LANES {
                let Some((hash, data)) = pairs.next() else {
                    waiting = false;
                    break;
                };
                let filled = hash.partial_len();
                let head = if filled == 0 { 0 } else { data.len().min(C::BLOCK_LEN - filled) };
                hash.update(&data[..head]);
                let (whole, tail) = C::split(&data[head..]);
                if whole.is_empty() {
                    hash.update(tail);
                    continue;
                }
                hash.length = hash.length.wrapping_add(size_of_val(whole) as u64);
                (states[active], blocks[active]) = (hash.state, whole);
                hashing[active] = Some((hash, tail));
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
                    if let Some((hash, tail)) = hashing[at].take() {
                        hash.state = states[at];
                        hash.update(tail);
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

    /// The last state.
    pub(crate) fn finish(mut self) -> C::State {
        let end = &self.partial.as_ref()[..self.partial_len()];
        C::backends().chosen().finish(&mut self.state, end, self.length);
        self.state
    }

    /// What HMAC's outer hash makes of the digest.
    pub(crate) fn finish_hmac(mut self, outer: &C::State, digest_len: usize) -> C::State {
        let end = &self.partial.as_ref()[..self.partial_len()];
        C::backends().chosen().finish_hmac(&mut self.state, end, self.length, outer, digest_len);
        self.state
    }
}

impl<C: Compression> Clone for Running<C> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<C: Compression> Drop for Running<C> {
    #[inline]
    fn drop(&mut self) {
        wipe(&mut self.state);
        wipe(&mut self.partial);
    }
}

/// Defines a hash from a compression function, an initial value and the length of its digest.
macro_rules! merkle_damgard {
    (
        $(#[$doc:meta])*
        $Hash:ident, $name:literal, $Compression:ty, output $len:literal, initial $initial:expr, id $id:literal
    ) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $Hash($crate::compression::running::Running<$Compression>);

        impl $crate::hash::Hash for $Hash {
            type Output = [u8; $len];
            type Midstate = $crate::hmac::ChainingValue<$Compression>;

            const OUTPUT_LEN: usize = $len;
            const BLOCK_LEN: usize = <$Compression as $crate::compression::Compression>::BLOCK_LEN;
            const NAME: &'static str = $name;

            #[inline]
            fn new() -> Self {
                Self($crate::compression::running::Running::resume($initial, 0))
            }

            #[inline]
            fn update(&mut self, data: &[u8]) {
                self.0.update(data);
            }

            #[inline]
            fn finalize(self) -> [u8; $len] {
                <Self as $crate::hash::MerkleDamgard>::output(&self.0.finish())
            }

            fn digest(data: &[u8]) -> [u8; $len] {
                let mut state = $initial;
                <$Compression as $crate::compression::Compression>::backends()
                    .chosen()
                    .finish(&mut state, data, data.len() as u64);
                <Self as $crate::hash::MerkleDamgard>::output(&state)
            }

            fn digest_many(
                messages: &[impl AsRef<[u8]>],
                out: &mut [[u8; $len]],
            ) -> Result<(), $crate::Error> {
                $crate::Error::check_length("number of digests", messages.len(), out.len())?;
                $crate::compression::many::absorb_many::<$Compression>(&$initial, 0, messages, |i, state| {
                    out[i] = <Self as $crate::hash::MerkleDamgard>::output(state);
                });
                Ok(())
            }

            fn update_many<'a>(
                hashes: impl IntoIterator<Item = &'a mut Self, IntoIter: ExactSizeIterator>,
                data: &[impl AsRef<[u8]>],
            ) -> Result<(), $crate::Error> {
                let hashes = hashes.into_iter();
                $crate::Error::check_length("number of slices", hashes.len(), data.len())?;
                $crate::compression::running::Running::update_many(
                    hashes.map(|hash| &mut hash.0),
                    data.iter().map(AsRef::as_ref),
                );
                Ok(())
            }
        }

        impl $crate::hash::MerkleDamgard for $Hash {
            type Compression = $Compression;

            const ID: u8 = $id;
            const INITIAL: <$Compression as $crate::compression::Compression>::State = $initial;

            #[inline]
            fn output(state: &<$Compression as $crate::compression::Compression>::State) -> [u8; $len] {
                let mut output = [0; $len];
                <$Compression as $crate::compression::Compression>::store(state, &mut output);
                output
            }

            #[inline]
            fn from_running(running: $crate::compression::running::Running<$Compression>) -> Self {
                Self(running)
            }

            #[inline]
            fn into_running(self) -> $crate::compression::running::Running<$Compression> {
                self.0
            }
        }

        impl zeroize::ZeroizeOnDrop for $Hash {}

        impl Default for $Hash {
            fn default() -> Self {
                <Self as $crate::hash::Hash>::new()
            }
        }

        impl core::fmt::Debug for $Hash {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($Hash), " { .. }"))
            }
        }
    };
}
pub(crate) use merkle_damgard;
