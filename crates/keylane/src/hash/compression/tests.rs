//! Tests that a kernel is not chosen if any of its operations is wrong.

use super::chain::Chain;
use super::{Compression, Context, Kernel, MAX_LANES, Outer, self_test};
use crate::sha1::Sha1Core;
use crate::sha2::Sha256Core;
use crate::sha2::Sha512Core;
use core::marker::PhantomData;
use keylane_cpu::Portable;

/// The operation whose result is corrupted, by one bit of one lane.
#[derive(Clone, Copy, Debug)]
enum Fault {
    None,
    /// Every compression of one message.
    Compress,
    /// Only the second block of a message.
    SecondBlock,
    /// Lane `lane`, if `of` messages are compressed in parallel.
    Lane {
        lane: usize,
        of: usize,
    },
    /// Chain `chain`, if `of` chains are iterated in parallel.
    Chain {
        chain: usize,
        of: usize,
    },
    /// Every chain of a truncated digest.
    ShortDigest,
    /// The second of several messages has the state of the first.
    OtherMessage,
    /// The end of a message of `len` bytes.
    Finish {
        len: usize,
    },
    /// The tag of a message that ends with `len` bytes.
    FinishOuter {
        len: usize,
    },
}

/// The portable kernel with a fault.
struct Corrupted<C>(Fault, PhantomData<C>);

impl<C> Corrupted<C> {
    const fn by(fault: Fault) -> Self {
        Self(fault, PhantomData)
    }
}

/// Flips the lowest bit of the state's last byte.
fn corrupt<C: Compression>(state: &mut C::State) {
    let mut bytes = vec![0; C::STATE_LEN];
    C::store(state, &mut bytes);
    bytes[C::STATE_LEN - 1] ^= 1;
    *state = C::load(&bytes);
}

impl<C: Compression + Send + Sync> Kernel<C> for Corrupted<C>
where
    Portable: Kernel<C>,
{
    fn compress(&self, state: &mut C::State, blocks: &[C::Block]) {
        for (i, block) in blocks.iter().enumerate() {
            Portable.compress(state, core::slice::from_ref(block));
            if matches!(self.0, Fault::Compress) || matches!(self.0, Fault::SecondBlock if i == 1) {
                corrupt::<C>(state);
            }
        }
    }

    fn compress_many(&self, states: &mut [C::State], blocks: &[&[C::Block]]) {
        Portable.compress_many(states, blocks);
        match self.0 {
            Fault::Lane { lane, of } if of == states.len() => corrupt::<C>(&mut states[lane]),
            Fault::OtherMessage if states.len() > 1 => states[1] = states[0],
            _ => {}
        }
    }

    fn finish(&self, state: &mut C::State, end: &[u8], length: u64, outer: Option<&Outer<'_, C>>) {
        Portable.finish(state, end, length, outer);
        match self.0 {
            Fault::Finish { len } if len == end.len() && outer.is_none() => corrupt::<C>(state),
            Fault::FinishOuter { len } if len == end.len() && outer.is_some() => corrupt::<C>(state),
            _ => {}
        }
    }

    fn iterate(&self, chains: &mut [Chain<C>], digest_len: usize, iterations: u32) {
        Portable.iterate(chains, digest_len, iterations);
        match self.0 {
            Fault::Chain { chain, of } if of == chains.len() => corrupt::<C>(&mut chains[chain].sum),
            Fault::ShortDigest if digest_len < C::STATE_LEN => chains.iter_mut().for_each(|chain| {
                let mut bytes = vec![0; C::STATE_LEN];
                C::store(&chain.sum, &mut bytes);
                bytes[digest_len - 1] ^= 1;
                chain.sum = C::load(&bytes);
            }),
            _ => {}
        }
    }
}

fn check<C: Compression>(fault: Fault, expected: bool)
where
    Portable: Kernel<C>,
{
    let kernel = Corrupted::<C>::by(fault);
    let passes = self_test::passes(&kernel) && self_test::passes_side_by_side(&kernel);
    assert_eq!(passes, expected, "{fault:?}");
}

fn every_compression(fault: Fault, expected: bool) {
    check::<Sha1Core>(fault, expected);
    check::<Sha256Core>(fault, expected);
    check::<Sha512Core>(fault, expected);
}

#[test]
fn without_a_fault_it_passes() {
    every_compression(Fault::None, true);
}

#[test]
fn a_bit_of_compress() {
    every_compression(Fault::Compress, false);
    every_compression(Fault::SecondBlock, false);
}

#[test]
fn a_bit_of_compress_many_in_any_lane_of_any_number() {
    for of in 1..=MAX_LANES {
        for lane in 0..of {
            every_compression(Fault::Lane { lane, of }, false);
        }
    }
}

#[test]
fn one_message_in_place_of_another() {
    every_compression(Fault::OtherMessage, MAX_LANES < 2);
}

#[test]
fn a_bit_of_iterate_in_any_chain_of_any_number() {
    for of in 1..=MAX_LANES {
        for chain in 0..of {
            check::<Sha1Core>(Fault::Chain { chain, of }, false);
            check::<Sha256Core>(Fault::Chain { chain, of }, false);
            check::<Sha512Core>(Fault::Chain { chain, of }, of > self_test::CHAINS_OF_64);
        }
    }
}

#[test]
fn a_bit_of_the_end_of_any_message_up_to_a_block() {
    for len in 0..=64 {
        every_compression(Fault::Finish { len }, false);
        every_compression(Fault::FinishOuter { len }, false);
    }
    for len in 65..=128 {
        check::<Sha512Core>(Fault::Finish { len }, false);
        check::<Sha512Core>(Fault::FinishOuter { len }, false);
    }
}

#[test]
fn a_bit_of_iterate_on_cut_digests() {
    every_compression(Fault::ShortDigest, false);
}

/// Lists of the portable kernel after a corrupted one.
#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn the_portable_kernel_is_chosen_over_a_corrupted_one() {
    use crate::backend::{Backends, Cost, Entry, List};
    static CORRUPTED: [Corrupted<Sha256Core>; 3] = [
        Corrupted::by(Fault::Compress),
        Corrupted::by(Fault::Lane { lane: 4, of: 5 }),
        Corrupted::by(Fault::Chain { chain: 15, of: 16 }),
    ];
    type List256 = Backends<dyn Kernel<Sha256Core>>;
    const fn list(entries: &'static [Entry<dyn Kernel<Sha256Core>>]) -> List256 {
        Backends::new(
            "sha256",
            entries,
            &[self_test::passes::<Sha256Core>, self_test::passes_side_by_side::<Sha256Core>],
        )
    }
    const PORTABLE: Entry<dyn Kernel<Sha256Core>> =
        Entry { name: "portable", cost: [Cost::NONE; 2], usable: || true, kernel: &Portable };
    static LISTS: [List256; 3] = [
        list(&[
            Entry { name: "corrupted", cost: [Cost::NONE; 2], usable: || true, kernel: &CORRUPTED[0] },
            PORTABLE,
        ]),
        list(&[
            Entry { name: "corrupted", cost: [Cost::NONE; 2], usable: || true, kernel: &CORRUPTED[1] },
            PORTABLE,
        ]),
        list(&[
            Entry { name: "corrupted", cost: [Cost::NONE; 2], usable: || true, kernel: &CORRUPTED[2] },
            PORTABLE,
        ]),
    ];
    // One message does not wait for the test of several side by side.
    let alone = |backends: &'static List256| (backends as &dyn List).choose(1).unwrap();
    assert_eq!([&LISTS[0], &LISTS[1], &LISTS[2]].map(alone), [1, 0, 0]);
    for backends in &LISTS {
        let list: &dyn List = backends;
        // Once that has failed, the kernel runs for none.
        backends.chosen();
        for messages in [2, 1, 16] {
            assert_eq!(list.choose(messages).unwrap(), 1, "{messages} messages");
        }
        assert!(list.select(0).is_err());
        assert_eq!(list.test().unwrap_err().implementation(), Some("corrupted"));
        let [corrupted, portable] = [list.describe(0), list.describe(1)];
        assert!(corrupted.usable && !corrupted.passes_self_test && !corrupted.chosen);
        assert!(portable.usable && portable.passes_self_test && portable.chosen);
        let mut state = [1; 8];
        let mut expected = state;
        backends.chosen().compress(&mut state, &[[2; 64]]);
        Kernel::<Sha256Core>::compress(&Portable, &mut expected, &[[2; 64]]);
        assert_eq!(state, expected);
    }
}

/// Hashes that have absorbed almost 2^32 bytes, and go on in pieces: the padding has the whole length.
#[test]
fn more_than_four_gibibytes_in_pieces() {
    fn check<C: Compression>() {
        let (state, data) = (C::ZERO_STATE, [5; 300]);
        for before in [u64::from(u32::MAX) + 1 - C::BLOCK_LEN as u64, 1 << 32, 3 << 33] {
            for len in [0, C::BLOCK_LEN - 1, C::BLOCK_LEN, 250, 300] {
                let mut expected = state;
                C::chosen().finish(&mut expected, &data[..len], before + len as u64, None);
                let mut hash = Context::<C>::resume(state, before);
                data[..len].chunks(37).for_each(|piece| hash.absorb(piece));
                assert!(hash.finish(None) == expected, "{len} bytes after {before}");
            }
        }
    }
    check::<Sha1Core>();
    check::<Sha256Core>();
    check::<Sha512Core>();
}

/// Suffixes of a hash that has absorbed 2^32 bytes, side by side: of different lengths, and of one.
#[test]
fn suffixes_after_more_than_four_gibibytes() {
    fn check<C: Compression>(len: fn(usize) -> usize) {
        let (data, before) = ([5; 300], (1 << 32) + 3 * C::BLOCK_LEN as u64);
        let hash = Context::<C>::resume(C::ZERO_STATE, before);
        let mut digests = vec![0; 40 * C::STATE_LEN];
        hash.finish_many(C::STATE_LEN, None, &|i| &data[..len(i)], &mut digests);
        for (i, digest) in digests.chunks(C::STATE_LEN).enumerate() {
            let mut expected = C::ZERO_STATE;
            C::chosen().finish(&mut expected, &data[..len(i)], before + len(i) as u64, None);
            assert!(C::load(digest) == expected, "a suffix of {} bytes", len(i));
        }
    }
    for len in [|i| 7 * i, |_| 200, |_| 256] {
        check::<Sha1Core>(len);
        check::<Sha256Core>(len);
        check::<Sha512Core>(len);
    }
}
