//! The hash of the handshake's transcript.

use keylane::hash::{Function, Hash, Hasher};
use keylane::sha2::{Sha256, Sha384};
use rustls::crypto::hash::{self, HashAlgorithm, Output};
use std::marker::PhantomData;

pub(super) static SHA256: Transcript<Sha256> = Transcript::new(HashAlgorithm::SHA256);
pub(super) static SHA384: Transcript<Sha384> = Transcript::new(HashAlgorithm::SHA384);

/// Begins hashes.
pub(super) struct Transcript<H> {
    algorithm: HashAlgorithm,
    hash: PhantomData<fn() -> H>,
}

impl<H> Transcript<H> {
    const fn new(algorithm: HashAlgorithm) -> Self {
        Self { algorithm, hash: PhantomData }
    }
}

impl<H: Hash> hash::Hash for Transcript<H> {
    fn start(&self) -> Box<dyn hash::Context> {
        Box::new(Running(Hasher::<H::Function>::new()))
    }

    fn hash(&self, data: &[u8]) -> Output {
        Output::new(Hasher::<H::Function>::digest(data).as_ref())
    }

    fn output_len(&self) -> usize {
        H::OUTPUT_LEN
    }

    fn algorithm(&self) -> HashAlgorithm {
        self.algorithm
    }
}

struct Running<F: Function>(Hasher<F>);

impl<F: Function> hash::Context for Running<F> {
    fn fork_finish(&self) -> Output {
        Output::new(self.0.clone().finalize().as_ref())
    }

    fn fork(&self) -> Box<dyn hash::Context> {
        Box::new(Self(self.0.clone()))
    }

    /// Of a copy: to take it out of its box would leave one there.
    fn finish(self: Box<Self>) -> Output {
        self.fork_finish()
    }

    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}
