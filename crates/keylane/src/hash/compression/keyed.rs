//! HMAC and PBKDF2 over a compression function. This code is compiled once per compression function: the
//! initial value and the digest's length, which differ between the hashes made from one, are arguments.

use super::chain::Chain;
use super::running::{Running, digest};
use super::{Block, Compression, MAX_LANES};
use core::fmt;
use keylane_cpu::wipe::{Secret, wipe};
use zeroize::ZeroizeOnDrop;

/// RFC 2104's inner padding byte, and its XOR with the outer one (0x5c).
const INNER: u8 = 0x36;
const INNER_TO_OUTER: u8 = 0x36 ^ 0x5c;

/// Writes K0 ^ ipad, without K0 itself.
pub(crate) fn pad_inner(key: &[u8], block: &mut [u8]) {
    block.fill(INNER);
    for (byte, key) in block.iter_mut().zip(key) {
        *byte ^= key;
    }
}

/// Turns K0 ^ ipad into K0 ^ opad.
pub(crate) fn pad_outer(block: &mut [u8]) {
    for byte in block {
        *byte ^= INNER_TO_OUTER;
    }
}

/// A prepared key: the states after its two padded blocks. Wiped on drop.
#[derive(Clone)]
pub struct Keyed<C: Compression> {
    inner: Secret<C::State>,
    outer: Secret<C::State>,
}

impl<C: Compression> Keyed<C> {
    /// Prepares a key of any length.
    pub(crate) fn new(initial: &C::State, digest_len: usize, key: &[u8]) -> Self {
        let mut block = C::Block::ZERO;
        if key.len() <= C::BLOCK_LEN {
            block.as_mut()[..key.len()].copy_from_slice(key);
        } else {
            let mut hashed = digest::<C>(initial, key);
            C::store(&hashed, &mut block.as_mut()[..digest_len]);
            wipe(&mut hashed);
        }
        // By the code that finishes messages, which is then in the cache.
        let mut keyed = Self { inner: Secret::new(*initial), outer: Secret::new(*initial) };
        let kernel = C::backends().chosen();
        for (state, pad) in [(&mut keyed.inner, INNER), (&mut keyed.outer, INNER_TO_OUTER)] {
            block.as_mut().iter_mut().for_each(|byte| *byte ^= pad);
            kernel.compress(state, core::slice::from_ref(&block));
        }
        wipe(&mut block);
        keyed
    }

    /// Returns the states of the inner and the outer hash, which have absorbed their blocks of the key.
    #[inline]
    pub(super) fn states(&self) -> (&C::State, &C::State) {
        (&self.inner, &self.outer)
    }

    /// Returns the inner hash, which has absorbed its block of the key.
    #[inline]
    pub(crate) fn start(&self) -> Running<C> {
        Running::resume(*self.inner, C::BLOCK_LEN as u64)
    }

    /// Returns a state that begins with the tag.
    #[inline]
    pub(crate) fn mac(&self, digest_len: usize, message: &[u8]) -> C::State {
        let mut state = *self.inner;
        let length = (C::BLOCK_LEN + message.len()) as u64;
        C::backends().chosen().finish_hmac(&mut state, message, length, &self.outer, digest_len);
        state
    }

    /// Returns a state that begins with the tag of what `inner` has absorbed.
    pub(crate) fn finish(&self, digest_len: usize, inner: &mut Running<C>) -> C::State {
        inner.finish_hmac(&self.outer, digest_len)
    }

    /// Writes both states. Words are big-endian.
    pub(crate) fn store(&self, out: &mut [u8]) {
        let (inner, outer) = out.split_at_mut(C::STATE_LEN);
        C::store(&self.inner, inner);
        C::store(&self.outer, outer);
    }

    /// Reads both states from the bytes that [`store`](Self::store) writes.
    pub(crate) fn load(bytes: &[u8]) -> Self {
        let (inner, outer) = bytes.split_at(C::STATE_LEN);
        Self { inner: Secret::new(C::load(inner)), outer: Secret::new(C::load(outer)) }
    }
}

impl<C: Compression> ZeroizeOnDrop for Keyed<C> {}

/// One derivation of a batch.
///
/// ```
/// use keylane::pbkdf2::{self, Job};
/// use keylane::sha2::Sha512;
/// use std::num::NonZeroU32;
///
/// let (mut alice, mut bob) = ([0; 64], [0; 64]);
/// let mut jobs = [
///     Job { password: b"hunter2", salt: b"alice's 16 bytes", out: &mut alice },
///     Job { password: b"hunter2", salt: b"bob's   16 bytes", out: &mut bob },
/// ];
/// pbkdf2::derive_many::<Sha512>(&mut jobs, NonZeroU32::new(1000).unwrap())?;
/// assert_ne!(alice, bob);
/// # Ok::<(), keylane::Error>(())
/// ```
pub struct Job<'a> {
    /// The password, of any length.
    pub password: &'a [u8],
    /// The salt, of any length.
    pub salt: &'a [u8],
    /// Receives the derived key.
    pub out: &'a mut [u8],
}

impl fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("out_len", &self.out.len()).finish_non_exhaustive()
    }
}

/// Computes PBKDF2 for every job. The caller has checked the lengths.
pub(crate) fn derive<C: Compression>(
    initial: &C::State,
    digest_len: usize,
    jobs: &mut [Job<'_>],
    iterations: u32,
) {
    // Each output block of each job is a chain, and the chains of all jobs fill the lanes.
    let mut chains = [Chain::<C>::EMPTY; MAX_LANES];
    let mut places = [(0, 0); MAX_LANES];
    let mut filled = 0;
    for job in 0..jobs.len() {
        let key = Keyed::<C>::new(initial, digest_len, jobs[job].password);
        for block in 0..jobs[job].out.len().div_ceil(digest_len) {
            let mut first = key.start();
            first.update(jobs[job].salt);
            first.update(&(block as u32 + 1).to_be_bytes());
            let u = key.finish(digest_len, &mut first);
            chains[filled] = Chain { inner: *key.inner, outer: *key.outer, u, sum: u };
            places[filled] = (job, block);
            filled += 1;
            if filled == MAX_LANES {
                run(&mut chains, &places, jobs, digest_len, iterations);
                filled = 0;
            }
        }
    }
    run(&mut chains[..filled], &places, jobs, digest_len, iterations);
    wipe(&mut chains);
}

/// Runs the chains and writes each result to its place.
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
