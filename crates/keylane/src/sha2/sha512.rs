//! SHA-512's compression function and the list of its implementations.

use super::lanes;
use crate::backend::{Backends, token_backends};
use crate::compression::chain::Chain;
use crate::compression::{Compression, Kernel, self_test};
use keylane_cpu::Portable;
use keylane_cpu::lanes::portable::U64s;

/// FIPS 180-4 §6.4: SHA-384, SHA-512 and SHA-512/256.
#[derive(Clone, Copy, Debug)]
pub struct Compression512;

static BACKENDS: Backends<dyn Kernel<Compression512>> = token_backends!(
    "sha512", passes, dyn Kernel<Compression512>:
    x86_64 [Avx512 from 3, Avx2]
    aarch64 [NeonSha512, Neon from 2]
    Portable
);

/// The state after the self-test's message.
const ANSWER: [u64; 8] = [
    0xcaa5_cb45_4d6b_d57b,
    0x5bb0_11d5_b5f7_eb19,
    0x0996_9842_38f7_4db1,
    0x5eb4_7c8a_5ab2_fc1a,
    0x20e6_b900_990d_70ad,
    0x079e_4173_035a_95af,
    0x53c9_e05f_4d7b_4bfc,
    0x5576_466e_6f06_8ea9,
];

fn passes(kernel: &dyn Kernel<Compression512>) -> bool {
    self_test::passes(kernel, &ANSWER)
}

impl Compression for Compression512 {
    type State = [u64; 8];
    type Block = [u8; 128];

    const BLOCK_LEN: usize = 128;
    const LENGTH_LEN: usize = 16;
    const WORD_LEN: usize = 8;
    const STATE_LEN: usize = 64;
    const ZERO_BLOCK: [u8; 128] = [0; 128];
    const ZERO_STATE: [u64; 8] = [0; 8];

    #[inline]
    fn backends() -> &'static Backends<dyn Kernel<Self>> {
        &BACKENDS
    }

    #[inline]
    fn split(data: &[u8]) -> (&[[u8; 128]], &[u8]) {
        data.as_chunks()
    }

    #[inline]
    fn store(state: &[u64; 8], out: &mut [u8]) {
        let (words, rest) = out.as_chunks_mut();
        for (out, word) in words.iter_mut().zip(state) {
            *out = word.to_be_bytes();
        }
        if let Some(word) = state.get(words.len()) {
            rest.copy_from_slice(&word.to_be_bytes()[..rest.len()]);
        }
    }

    #[inline]
    fn load(bytes: &[u8]) -> [u64; 8] {
        let mut state = [0; 8];
        for (word, bytes) in state.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_be_bytes(*bytes);
        }
        state
    }

    #[inline]
    fn xor(a: &[u64; 8], b: &[u64; 8]) -> [u64; 8] {
        core::array::from_fn(|i| a[i] ^ b[i])
    }
}

impl Kernel<Compression512> for Portable {
    fn compress(&self, state: &mut [u64; 8], blocks: &[[u8; 128]]) {
        lanes::compress::<_, U64s<1>, 1>(Self, core::slice::from_mut(state), &[blocks]);
    }

    fn iterate(&self, chains: &mut [Chain<Compression512>], digest_len: usize, iterations: u32) {
        for chain in chains {
            lanes::iterate::<_, U64s<1>, 1>(Self, core::slice::from_mut(chain), digest_len, iterations);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::*;
    use crate::compression::{in_groups, iterate_in_groups};
    use crate::sha2::two_blocks;
    use keylane_cpu::InstructionSet;
    use keylane_cpu::lanes::x86_64::{U64x4, U64x8};
    use keylane_cpu::x86_64::{Avx2, Avx512};

    impl Kernel<Compression512> for Avx2 {
        fn compress(&self, state: &mut [u64; 8], blocks: &[[u8; 128]]) {
            self.run(
                #[inline(always)]
                |isa| two_blocks::compress::<U64x4>(isa, state, blocks),
            );
        }

        fn compress_many(&self, states: &mut [[u64; 8]], blocks: &[&[[u8; 128]]]) {
            in_groups::<4, 4, Compression512, _>(states, blocks, self, |states, blocks| {
                self.run(
                    #[inline(always)]
                    |isa| lanes::compress::<_, U64x4, 4>(isa, states, blocks),
                );
            });
        }

        fn iterate(&self, chains: &mut [Chain<Compression512>], digest_len: usize, iterations: u32) {
            for chains in chains.chunks_mut(4) {
                if chains.len() > 2 {
                    self.run(
                        #[inline(always)]
                        |isa| {
                            lanes::iterate::<_, U64x4, 4>(isa, chains, digest_len, iterations);
                        },
                    );
                } else {
                    for chain in chains {
                        self.run(
                            #[inline(always)]
                            |isa| {
                                two_blocks::iterate::<U64x4>(isa, chain, digest_len, iterations);
                            },
                        );
                    }
                }
            }
        }
    }

    impl Kernel<Compression512> for Avx512 {
        fn compress(&self, state: &mut [u64; 8], blocks: &[[u8; 128]]) {
            Kernel::<Compression512>::compress(&self.avx2(), state, blocks);
        }

        fn compress_many(&self, states: &mut [[u64; 8]], blocks: &[&[[u8; 128]]]) {
            in_groups::<8, 3, Compression512, _>(states, blocks, &self.avx2(), |states, blocks| {
                self.run(
                    #[inline(always)]
                    |isa| lanes::compress::<_, U64x8, 8>(isa, states, blocks),
                );
            });
        }

        fn iterate(&self, chains: &mut [Chain<Compression512>], digest_len: usize, iterations: u32) {
            iterate_in_groups::<8, 3, Compression512, _>(
                chains,
                digest_len,
                iterations,
                &self.avx2(),
                |chains| {
                    self.run(
                        #[inline(always)]
                        |isa| {
                            lanes::iterate::<_, U64x8, 8>(isa, chains, digest_len, iterations);
                        },
                    );
                },
            );
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use super::*;
    use crate::compression::{in_groups, iterate_whole_digests};
    use crate::sha2::hardware512;
    use keylane_cpu::InstructionSet;
    use keylane_cpu::aarch64::{Neon, NeonSha512};
    use keylane_cpu::lanes::aarch64::{U64x2, WordPair};

    impl Kernel<Compression512> for NeonSha512 {
        fn compress(&self, state: &mut [u64; 8], blocks: &[[u8; 128]]) {
            self.run(
                #[inline(always)]
                |isa| hardware512::compress::<WordPair>(isa, state, blocks),
            );
        }

        fn compress_many(&self, states: &mut [[u64; 8]], blocks: &[&[[u8; 128]]]) {
            self.run(
                #[inline(always)]
                |isa| hardware512::compress_many::<WordPair>(isa, states, blocks),
            );
        }

        fn iterate(&self, chains: &mut [Chain<Compression512>], digest_len: usize, iterations: u32) {
            iterate_whole_digests(self, chains, digest_len, iterations, |chains| {
                self.run(
                    #[inline(always)]
                    |isa| hardware512::iterate::<WordPair>(isa, chains, iterations),
                );
            });
        }
    }

    impl Kernel<Compression512> for Neon {
        fn compress(&self, state: &mut [u64; 8], blocks: &[[u8; 128]]) {
            Kernel::<Compression512>::compress(&Portable, state, blocks);
        }

        fn compress_many(&self, states: &mut [[u64; 8]], blocks: &[&[[u8; 128]]]) {
            in_groups::<2, 2, Compression512, _>(states, blocks, &Portable, |states, blocks| {
                self.run(
                    #[inline(always)]
                    |isa| lanes::compress::<_, U64x2, 2>(isa, states, blocks),
                );
            });
        }

        fn iterate(&self, chains: &mut [Chain<Compression512>], digest_len: usize, iterations: u32) {
            for chains in chains.chunks_mut(2) {
                self.run(
                    #[inline(always)]
                    |isa| {
                        lanes::iterate::<_, U64x2, 2>(isa, chains, digest_len, iterations);
                    },
                );
            }
        }
    }
}
