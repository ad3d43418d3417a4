//! What is left of a key: a hash that has absorbed one block.

use crate::compression::chain::Chain;
use crate::compression::{Compression, MAX_LANES, digest_block, many, running};
use crate::error::Error;
use crate::hash::{Hash, MerkleDamgard};
use crate::hmac::HmacKey;
use crate::pbkdf2::Job;
use keylane_cpu::wipe::wipe;
use zeroize::ZeroizeOnDrop;

/// RFC 2104's inner padding byte, and what turns it into the outer one (0x5c).
const INNER: u8 = 0x36;
const INNER_TO_OUTER: u8 = 0x36 ^ 0x5c;

/// The longest block of any hash that HMAC takes: SHAKE128's is 168 bytes.
const LONGEST_BLOCK: usize = 256;

/// What HMAC keeps of a hash `H` that has absorbed exactly one block.
///
/// A running hash is its own midstate: a hash that cannot export its state sets `type Midstate = Self;`. The
/// provided methods are overridden by this crate's hashes, which have faster ways.
///
/// ```
/// use keylane::{Hash, hmac::HmacKey, sha2::Sha512};
///
/// /// SHA-512 cut to 16 bytes: for HMAC, a hash from elsewhere.
/// #[derive(Clone)]
/// struct Cut(Sha512);
///
/// impl Hash for Cut {
///     type Output = [u8; 16];
///     type Midstate = Self;
///     const OUTPUT_LEN: usize = 16;
///     const BLOCK_LEN: usize = 128;
///     const NAME: &'static str = "sha512-cut";
///
///     fn new() -> Self {
///         Self(Sha512::new())
///     }
///     fn update(&mut self, data: &[u8]) {
///         self.0.update(data);
///     }
///     fn finalize(self) -> [u8; 16] {
///         *self.0.finalize().first_chunk().unwrap()
///     }
/// }
///
/// let key = HmacKey::<Cut>::new(b"key");
/// assert!(key.verify(b"message", &key.mac(b"message")).is_ok());
/// ```
pub trait Midstate<H: Hash<Midstate = Self>>: Clone {
    /// What is left of a new hash that has absorbed `block`, [`Hash::BLOCK_LEN`] bytes.
    fn after_block(block: &[u8]) -> Self;

    /// The running hash, to go on from here.
    fn resume(&self) -> H;

    /// HMAC's two midstates for a key no longer than a block.
    #[doc(hidden)]
    fn prepare(key: &[u8]) -> (Self, Self) {
        const { assert!(H::BLOCK_LEN <= LONGEST_BLOCK) }
        let mut block = [0; LONGEST_BLOCK];
        let block = &mut block[..H::BLOCK_LEN];
        pad_inner(key, block);
        let inner = Self::after_block(block);
        pad_outer(block);
        let outer = Self::after_block(block);
        wipe(block);
        (inner, outer)
    }

    /// The tag, where `self` is the outer midstate and `inner` has absorbed the message.
    #[doc(hidden)]
    fn finish(&self, inner: H) -> H::Output {
        let mut outer = self.resume();
        outer.update(inner.finalize().as_ref());
        outer.finalize()
    }

    /// The tag of a message in one piece.
    #[doc(hidden)]
    fn mac(inner: &Self, outer: &Self, message: &[u8]) -> H::Output {
        let mut running = inner.resume();
        running.update(message);
        outer.finish(running)
    }

    /// The tags of equally many messages.
    #[doc(hidden)]
    fn mac_many(inner: &Self, outer: &Self, messages: &[impl AsRef<[u8]>], tags: &mut [H::Output]) {
        for (message, tag) in messages.iter().zip(tags) {
            *tag = Self::mac(inner, outer, message.as_ref());
        }
    }

    /// PBKDF2 of every job; lengths are checked before.
    #[doc(hidden)]
    fn derive(jobs: &mut [Job<'_>], iterations: u32) {
        for job in jobs {
            let key = HmacKey::<H>::new(job.password);
            for (i, out) in job.out.chunks_mut(H::OUTPUT_LEN).enumerate() {
                let mut u = key.mac_parts(&[job.salt, &(i as u32 + 1).to_be_bytes()]);
                let mut sum = u;
                for _ in 1..iterations {
                    u = key.mac(u.as_ref());
                    for (sum, u) in sum.as_mut().iter_mut().zip(u.as_ref()) {
                        *sum ^= u;
                    }
                }
                out.copy_from_slice(&sum.as_ref()[..out.len()]);
                wipe(sum.as_mut());
                wipe(u.as_mut());
            }
        }
    }
}

/// K0 ^ ipad, without materialising K0's zeros.
#[inline]
fn pad_inner(key: &[u8], block: &mut [u8]) {
    block.fill(INNER);
    for (byte, key) in block.iter_mut().zip(key) {
        *byte ^= key;
    }
}

/// K0 ^ opad, from K0 ^ ipad.
#[inline]
fn pad_outer(block: &mut [u8]) {
    for byte in block {
        *byte ^= INNER_TO_OUTER;
    }
}

/// A running hash that has absorbed one block.
impl<H: Hash<Midstate = Self>> Midstate<Self> for H {
    fn after_block(block: &[u8]) -> Self {
        let mut hash = Self::new();
        hash.update(block);
        hash
    }

    fn resume(&self) -> Self {
        self.clone()
    }
}

/// The chaining value of SHA-1 or SHA-2 after one block: as long as the hash's state. Wiped on drop.
///
/// ```
/// use keylane::{Hash, sha2::Sha256};
///
/// assert_eq!(size_of::<<Sha256 as Hash>::Midstate>(), 32);
/// ```
pub struct ChainingValue<C: Compression>(pub(crate) C::State);

impl<C: Compression> Clone for ChainingValue<C> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl<C: Compression> Drop for ChainingValue<C> {
    #[inline]
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

impl<C: Compression> ZeroizeOnDrop for ChainingValue<C> {}

impl<C: Compression, H: MerkleDamgard<Compression = C>> Midstate<H> for ChainingValue<C> {
    fn after_block(block: &[u8]) -> Self {
        let mut state = H::INITIAL;
        C::backends().chosen().compress(&mut state, C::split(block).0);
        Self(state)
    }

    fn resume(&self) -> H {
        H::from_running(running::Running::resume(self.0, C::BLOCK_LEN as u64))
    }

    fn prepare(key: &[u8]) -> (Self, Self) {
        let mut inner = C::ZERO_BLOCK;
        pad_inner(key, inner.as_mut());
        let mut outer = inner;
        pad_outer(outer.as_mut());
        // The two do not depend on each other: where the CPU can, they run side by side.
        let mut states = [H::INITIAL; 2];
        let blocks = [core::slice::from_ref(&inner), core::slice::from_ref(&outer)];
        C::backends().chosen_for(2).compress_many(&mut states, &blocks);
        let prepared = (Self(states[0]), Self(states[1]));
        wipe(&mut states);
        wipe(&mut inner);
        wipe(&mut outer);
        prepared
    }

    fn finish(&self, inner: H) -> H::Output {
        H::output(&inner.into_running().finish_hmac(&self.0, H::OUTPUT_LEN))
    }

    #[inline]
    fn mac(inner: &Self, outer: &Self, message: &[u8]) -> H::Output {
        let mut state = inner.0;
        let length = (C::BLOCK_LEN + message.len()) as u64;
        C::backends().chosen().finish_hmac(&mut state, message, length, &outer.0, H::OUTPUT_LEN);
        H::output(&state)
    }

    fn mac_many(inner: &Self, outer: &Self, messages: &[impl AsRef<[u8]>], tags: &mut [H::Output]) {
        many::absorb_many::<C>(&inner.0, C::BLOCK_LEN as u64, messages, |i, state| {
            tags[i] = H::output(state);
        });
        // The outer hashes are one block each. What is padding there stays; only the digests change.
        let mut blocks = [digest_block::<C>(&C::ZERO_STATE, H::OUTPUT_LEN); MAX_LANES];
        let mut states = [C::ZERO_STATE; MAX_LANES];
        for tags in tags.chunks_mut(MAX_LANES) {
            let count = tags.len();
            for (block, tag) in blocks.iter_mut().zip(&*tags) {
                block.as_mut()[..H::OUTPUT_LEN].copy_from_slice(tag.as_ref());
            }
            let mut slices: [&[C::Block]; MAX_LANES] = [&[]; MAX_LANES];
            for (slice, block) in slices.iter_mut().zip(&blocks) {
                *slice = core::slice::from_ref(block);
            }
            states[..count].fill(outer.0);
            C::backends().chosen_for(count).compress_many(&mut states[..count], &slices[..count]);
            for (tag, state) in tags.iter_mut().zip(&states) {
                *tag = H::output(state);
            }
        }
        wipe(&mut blocks);
        wipe(&mut states);
    }

    fn derive(jobs: &mut [Job<'_>], iterations: u32) {
        // Each output block of each job is a chain of its own; lanes take them as they come.
        let mut chains = [Chain::<C>::EMPTY; MAX_LANES];
        let mut places = [(0, 0); MAX_LANES];
        let mut filled = 0;
        for job in 0..jobs.len() {
            let key = HmacKey::<H>::new(jobs[job].password);
            let (inner, outer) = key.midstates();
            for block in 0..jobs[job].out.len().div_ceil(H::OUTPUT_LEN) {
                let mut first = key.mac_parts(&[jobs[job].salt, &(block as u32 + 1).to_be_bytes()]);
                let u = state_of::<C>(first.as_ref());
                wipe(first.as_mut());
                chains[filled] = Chain { inner: inner.0, outer: outer.0, u, sum: u };
                places[filled] = (job, block);
                filled += 1;
                if filled == MAX_LANES {
                    run::<C>(&mut chains, &places, jobs, H::OUTPUT_LEN, iterations);
                    filled = 0;
                }
            }
        }
        run::<C>(&mut chains[..filled], &places, jobs, H::OUTPUT_LEN, iterations);
        wipe(&mut chains);
    }
}

/// The state whose first words are the digest.
#[inline]
fn state_of<C: Compression>(digest: &[u8]) -> C::State {
    let mut bytes = C::ZERO_BLOCK;
    bytes.as_mut()[..digest.len()].copy_from_slice(digest);
    let state = C::load(&bytes.as_ref()[..C::STATE_LEN]);
    wipe(&mut bytes);
    state
}

/// Runs the chains to their ends and writes each to its place.
fn run<C: Compression>(
    chains: &mut [Chain<C>],
    places: &[(usize, usize)],
    jobs: &mut [Job<'_>],
    digest_len: usize,
    iterations: u32,
) {
    if chains.is_empty() {
        return;
    }
    C::backends().chosen_for(chains.len()).iterate(chains, digest_len, iterations - 1);
    for (chain, &(job, block)) in chains.iter().zip(places) {
        let out = &mut jobs[job].out[digest_len * block..];
        let len = out.len().min(digest_len);
        C::store(&chain.sum, &mut out[..len]);
    }
}

/// Refuses more blocks than PBKDF2's four-byte counter can number (RFC 8018 §5.2).
pub(crate) fn check_output_len<H: Hash>(out: &[u8]) -> Result<(), Error> {
    let max = u64::from(u32::MAX) * H::OUTPUT_LEN as u64;
    if out.len() as u64 > max { Err(Error::InputTooLong { max }) } else { Ok(()) }
}
