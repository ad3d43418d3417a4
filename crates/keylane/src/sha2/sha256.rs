//! SHA-256's compression function and the list of its implementations.

use super::lanes;
use crate::backend::{Backends, token_backends};
use crate::compression::chain::Chain;
use crate::compression::{Compression, Kernel, self_test};
use keylane_cpu::Portable;
use keylane_cpu::lanes::portable::U32s;

/// FIPS 180-4 §6.2: SHA-224 and SHA-256.
#[derive(Clone, Copy, Debug)]
pub struct Compression256;

static BACKENDS: Backends<dyn Kernel<Compression256>> = token_backends!(
    "sha256", passes, dyn Kernel<Compression256>:
    x86_64 [Avx512 from 7, ShaNi, Avx2 from 3]
    aarch64 [NeonSha2, Neon from 3]
    Portable
);

/// The state after the self-test's message.
const ANSWER: [u32; 8] =
    [0xb0be_b222, 0x5e0d_0739, 0x173e_6684, 0x68fb_2920, 0x0464_3006, 0xbffb_54af, 0x3f89_0a48, 0xf7f3_98a3];

fn passes(kernel: &dyn Kernel<Compression256>) -> bool {
    self_test::passes(kernel, &ANSWER)
}

impl Compression for Compression256 {
    type State = [u32; 8];
    type Block = [u8; 64];

    const BLOCK_LEN: usize = 64;
    const LENGTH_LEN: usize = 8;
    const WORD_LEN: usize = 4;
    const STATE_LEN: usize = 32;
    const ZERO_BLOCK: [u8; 64] = [0; 64];
    const ZERO_STATE: [u32; 8] = [0; 8];

    #[inline]
    fn backends() -> &'static Backends<dyn Kernel<Self>> {
        &BACKENDS
    }

    #[inline]
    fn split(data: &[u8]) -> (&[[u8; 64]], &[u8]) {
        data.as_chunks()
    }

    #[inline]
    fn store(state: &[u32; 8], out: &mut [u8]) {
        let (words, rest) = out.as_chunks_mut();
        for (out, word) in words.iter_mut().zip(state) {
            *out = word.to_be_bytes();
        }
        if let Some(word) = state.get(words.len()) {
            rest.copy_from_slice(&word.to_be_bytes()[..rest.len()]);
        }
    }

    #[inline]
    fn load(bytes: &[u8]) -> [u32; 8] {
        let mut state = [0; 8];
        for (word, bytes) in state.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        state
    }

    #[inline]
    fn xor(a: &[u32; 8], b: &[u32; 8]) -> [u32; 8] {
        core::array::from_fn(|i| a[i] ^ b[i])
    }
}

impl Kernel<Compression256> for Portable {
    fn compress(&self, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
        lanes::compress::<_, U32s<1>, 1>(Self, core::slice::from_mut(state), &[blocks]);
    }

    fn iterate(&self, chains: &mut [Chain<Compression256>], digest_len: usize, iterations: u32) {
        for chain in chains {
            lanes::iterate::<_, U32s<1>, 1>(Self, core::slice::from_mut(chain), digest_len, iterations);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::*;
    use crate::compression::{finish_hmac_apart, in_groups, iterate_in_groups, iterate_whole_digests};
    use crate::sha2::hardware256;
    use keylane_cpu::InstructionSet;
    use keylane_cpu::lanes::x86_64::{ShaWords, U32x8, U32x16};
    use keylane_cpu::x86_64::{Avx2, Avx512, ShaNi};

    impl Kernel<Compression256> for ShaNi {
        fn compress(&self, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
            self.run(
                #[inline(always)]
                |isa| hardware256::compress::<ShaWords>(isa, state, blocks),
            );
        }

        fn compress_many(&self, states: &mut [[u32; 8]], blocks: &[&[[u8; 64]]]) {
            self.run(
                #[inline(always)]
                |isa| hardware256::compress_many::<ShaWords>(isa, states, blocks),
            );
        }

        fn finish(&self, state: &mut [u32; 8], end: &[u8], length: u64) {
            self.run(
                #[inline(always)]
                |isa| hardware256::finish::<ShaWords>(isa, state, end, length),
            );
        }

        fn finish_hmac(
            &self,
            inner: &mut [u32; 8],
            end: &[u8],
            length: u64,
            outer: &[u32; 8],
            digest_len: usize,
        ) {
            if digest_len != Compression256::STATE_LEN {
                return finish_hmac_apart::<Compression256, _>(self, inner, end, length, outer, digest_len);
            }
            self.run(
                #[inline(always)]
                |isa| hardware256::finish_hmac::<ShaWords>(isa, inner, end, length, outer),
            );
        }

        fn iterate(&self, chains: &mut [Chain<Compression256>], digest_len: usize, iterations: u32) {
            iterate_whole_digests(self, chains, digest_len, iterations, |chains| {
                self.run(
                    #[inline(always)]
                    |isa| hardware256::iterate::<ShaWords>(isa, chains, iterations),
                );
            });
        }
    }

    impl Kernel<Compression256> for Avx2 {
        fn compress(&self, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
            Kernel::<Compression256>::compress(&Portable, state, blocks);
        }

        fn compress_many(&self, states: &mut [[u32; 8]], blocks: &[&[[u8; 64]]]) {
            in_groups::<8, 3, Compression256, _>(states, blocks, &Portable, |states, blocks| {
                self.run(
                    #[inline(always)]
                    |isa| lanes::compress::<_, U32x8, 8>(isa, states, blocks),
                );
            });
        }

        fn iterate(&self, chains: &mut [Chain<Compression256>], digest_len: usize, iterations: u32) {
            iterate_in_groups::<8, 3, Compression256, _>(
                chains,
                digest_len,
                iterations,
                &Portable,
                |chains| {
                    self.run(
                        #[inline(always)]
                        |isa| {
                            lanes::iterate::<_, U32x8, 8>(isa, chains, digest_len, iterations);
                        },
                    );
                },
            );
        }
    }

    impl Kernel<Compression256> for Avx512 {
        fn compress(&self, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
            Kernel::<Compression256>::compress_many(self, core::slice::from_mut(state), &[blocks]);
        }

        fn compress_many(&self, states: &mut [[u32; 8]], blocks: &[&[[u8; 64]]]) {
            self.run(
                #[inline(always)]
                |isa| lanes::compress::<_, U32x16, 16>(isa, states, blocks),
            );
        }

        fn iterate(&self, chains: &mut [Chain<Compression256>], digest_len: usize, iterations: u32) {
            self.run(
                #[inline(always)]
                |isa| {
                    lanes::iterate::<_, U32x16, 16>(isa, chains, digest_len, iterations);
                },
            );
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use super::*;
    use crate::compression::{finish_hmac_apart, in_groups, iterate_in_groups, iterate_whole_digests};
    use crate::sha2::hardware256;
    use keylane_cpu::InstructionSet;
    use keylane_cpu::aarch64::{Neon, NeonSha2};
    use keylane_cpu::lanes::aarch64::{Sha2Words, U32x4};

    impl Kernel<Compression256> for NeonSha2 {
        fn compress(&self, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
            self.run(
                #[inline(always)]
                |isa| hardware256::compress::<Sha2Words>(isa, state, blocks),
            );
        }

        fn compress_many(&self, states: &mut [[u32; 8]], blocks: &[&[[u8; 64]]]) {
            self.run(
                #[inline(always)]
                |isa| hardware256::compress_many::<Sha2Words>(isa, states, blocks),
            );
        }

        fn finish(&self, state: &mut [u32; 8], end: &[u8], length: u64) {
            self.run(
                #[inline(always)]
                |isa| hardware256::finish::<Sha2Words>(isa, state, end, length),
            );
        }

        fn finish_hmac(
            &self,
            inner: &mut [u32; 8],
            end: &[u8],
            length: u64,
            outer: &[u32; 8],
            digest_len: usize,
        ) {
            if digest_len != Compression256::STATE_LEN {
                return finish_hmac_apart::<Compression256, _>(self, inner, end, length, outer, digest_len);
            }
            self.run(
                #[inline(always)]
                |isa| hardware256::finish_hmac::<Sha2Words>(isa, inner, end, length, outer),
            );
        }

        fn iterate(&self, chains: &mut [Chain<Compression256>], digest_len: usize, iterations: u32) {
            iterate_whole_digests(self, chains, digest_len, iterations, |chains| {
                self.run(
                    #[inline(always)]
                    |isa| hardware256::iterate::<Sha2Words>(isa, chains, iterations),
                );
            });
        }
    }

    impl Kernel<Compression256> for Neon {
        fn compress(&self, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
            Kernel::<Compression256>::compress(&Portable, state, blocks);
        }

        fn compress_many(&self, states: &mut [[u32; 8]], blocks: &[&[[u8; 64]]]) {
            in_groups::<4, 3, Compression256, _>(states, blocks, &Portable, |states, blocks| {
                self.run(
                    #[inline(always)]
                    |isa| lanes::compress::<_, U32x4, 4>(isa, states, blocks),
                );
            });
        }

        fn iterate(&self, chains: &mut [Chain<Compression256>], digest_len: usize, iterations: u32) {
            iterate_in_groups::<4, 3, Compression256, _>(
                chains,
                digest_len,
                iterations,
                &Portable,
                |chains| {
                    self.run(
                        #[inline(always)]
                        |isa| {
                            lanes::iterate::<_, U32x4, 4>(isa, chains, digest_len, iterations);
                        },
                    );
                },
            );
        }
    }
}
