//! SHA-1 (FIPS 180-4 §6.1). Broken as a hash: collisions are practical. HMAC and PBKDF2 with SHA-1 are not
//! broken, and old protocols need them.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod hardware;
mod lanes;

use crate::backend::{Backends, token_backends};
use crate::compression::chain::Chain;
use crate::compression::{Compression, Kernel, self_test};
use crate::function::hash;
use keylane_cpu::Portable;
use keylane_cpu::lanes::portable::U32s;

hash! {
    /// SHA-1. Use it only for HMAC and PBKDF2 where a protocol requires it.
    ///
    /// ```
    /// use keylane::{Hash, sha1::Sha1};
    ///
    /// assert_eq!(Sha1::digest(b"abc")[..4], [0xa9, 0x99, 0x3e, 0x36]);
    /// ```
    ///
    /// # Security
    /// Anyone can make two messages with the same SHA-1 digest. Do not sign SHA-1 digests, or identify data
    /// by them.
    Sha1, "sha1", Compression1, output 20, initial INITIAL, id 1
}

/// The initial value (FIPS 180-4 §5.3.1).
const INITIAL: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// FIPS 180-4 §6.1.
#[derive(Clone, Copy, Debug)]
pub struct Compression1;

static BACKENDS: Backends<dyn Kernel<Compression1>> = token_backends!(
    "sha1", passes, dyn Kernel<Compression1>:
    x86_64 [Avx512 from 7, ShaNi, Avx2 from 3]
    aarch64 [NeonSha2, Neon from 3]
    Portable
);

/// The state after the self-test's message.
const ANSWER: [u32; 5] = [0xf362_70f1, 0x4f90_a96e, 0x4e18_90ef, 0xdc9c_4de4, 0xa4d7_dafa];

fn passes(kernel: &dyn Kernel<Compression1>) -> bool {
    self_test::passes(kernel, &ANSWER)
}

impl Compression for Compression1 {
    type State = [u32; 5];
    type Block = [u8; 64];

    const BLOCK_LEN: usize = 64;
    const LENGTH_LEN: usize = 8;
    const WORD_LEN: usize = 4;
    const STATE_LEN: usize = 20;
    const ZERO_BLOCK: [u8; 64] = [0; 64];
    const ZERO_STATE: [u32; 5] = [0; 5];

    #[inline]
    fn backends() -> &'static Backends<dyn Kernel<Self>> {
        &BACKENDS
    }

    #[inline]
    fn split(data: &[u8]) -> (&[[u8; 64]], &[u8]) {
        data.as_chunks()
    }

    #[inline]
    fn store(state: &[u32; 5], out: &mut [u8]) {
        let (words, rest) = out.as_chunks_mut();
        for (out, word) in words.iter_mut().zip(state) {
            *out = word.to_be_bytes();
        }
        if let Some(word) = state.get(words.len()) {
            rest.copy_from_slice(&word.to_be_bytes()[..rest.len()]);
        }
    }

    #[inline]
    fn load(bytes: &[u8]) -> [u32; 5] {
        let mut state = [0; 5];
        for (word, bytes) in state.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        state
    }

    #[inline]
    fn xor(a: &[u32; 5], b: &[u32; 5]) -> [u32; 5] {
        core::array::from_fn(|i| a[i] ^ b[i])
    }
}

impl Kernel<Compression1> for Portable {
    fn compress(&self, state: &mut [u32; 5], blocks: &[[u8; 64]]) {
        lanes::compress::<U32s<1>, 1>(Self, core::slice::from_mut(state), &[blocks]);
    }

    fn iterate(&self, chains: &mut [Chain<Compression1>], digest_len: usize, iterations: u32) {
        for chain in chains {
            lanes::iterate::<U32s<1>, 1>(Self, core::slice::from_mut(chain), digest_len, iterations);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::*;
    use crate::compression::{finish_hmac_apart, in_groups, iterate_in_groups, iterate_whole_digests};
    use keylane_cpu::InstructionSet;
    use keylane_cpu::lanes::x86_64::{ShaWords, U32x8, U32x16};
    use keylane_cpu::x86_64::{Avx2, Avx512, ShaNi};

    impl Kernel<Compression1> for ShaNi {
        fn compress(&self, state: &mut [u32; 5], blocks: &[[u8; 64]]) {
            self.run(
                #[inline(always)]
                |isa| hardware::compress::<ShaWords>(isa, state, blocks),
            );
        }

        fn compress_many(&self, states: &mut [[u32; 5]], blocks: &[&[[u8; 64]]]) {
            self.run(
                #[inline(always)]
                |isa| hardware::compress_many::<ShaWords>(isa, states, blocks),
            );
        }

        fn finish(&self, state: &mut [u32; 5], end: &[u8], length: u64) {
            self.run(
                #[inline(always)]
                |isa| hardware::finish::<ShaWords>(isa, state, end, length),
            );
        }

        fn finish_hmac(
            &self,
            inner: &mut [u32; 5],
            end: &[u8],
            length: u64,
            outer: &[u32; 5],
            digest_len: usize,
        ) {
            if digest_len != Compression1::STATE_LEN {
                return finish_hmac_apart::<Compression1, _>(self, inner, end, length, outer, digest_len);
            }
            self.run(
                #[inline(always)]
                |isa| hardware::finish_hmac::<ShaWords>(isa, inner, end, length, outer),
            );
        }

        fn iterate(&self, chains: &mut [Chain<Compression1>], digest_len: usize, iterations: u32) {
            iterate_whole_digests(self, chains, digest_len, iterations, |chains| {
                self.run(
                    #[inline(always)]
                    |isa| hardware::iterate::<ShaWords>(isa, chains, iterations),
                );
            });
        }
    }

    impl Kernel<Compression1> for Avx2 {
        fn compress(&self, state: &mut [u32; 5], blocks: &[[u8; 64]]) {
            Kernel::<Compression1>::compress(&Portable, state, blocks);
        }

        fn compress_many(&self, states: &mut [[u32; 5]], blocks: &[&[[u8; 64]]]) {
            in_groups::<8, 3, Compression1, _>(states, blocks, &Portable, |states, blocks| {
                self.run(
                    #[inline(always)]
                    |isa| lanes::compress::<U32x8, 8>(isa, states, blocks),
                );
            });
        }

        fn iterate(&self, chains: &mut [Chain<Compression1>], digest_len: usize, iterations: u32) {
            iterate_in_groups::<8, 3, Compression1, _>(chains, digest_len, iterations, &Portable, |chains| {
                self.run(
                    #[inline(always)]
                    |isa| {
                        lanes::iterate::<U32x8, 8>(isa, chains, digest_len, iterations);
                    },
                );
            });
        }
    }

    impl Kernel<Compression1> for Avx512 {
        fn compress(&self, state: &mut [u32; 5], blocks: &[[u8; 64]]) {
            Kernel::<Compression1>::compress_many(self, core::slice::from_mut(state), &[blocks]);
        }

        fn compress_many(&self, states: &mut [[u32; 5]], blocks: &[&[[u8; 64]]]) {
            self.run(
                #[inline(always)]
                |isa| lanes::compress::<U32x16, 16>(isa, states, blocks),
            );
        }

        fn iterate(&self, chains: &mut [Chain<Compression1>], digest_len: usize, iterations: u32) {
            self.run(
                #[inline(always)]
                |isa| {
                    lanes::iterate::<U32x16, 16>(isa, chains, digest_len, iterations);
                },
            );
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use super::*;
    use crate::compression::{finish_hmac_apart, in_groups, iterate_in_groups, iterate_whole_digests};
    use keylane_cpu::InstructionSet;
    use keylane_cpu::aarch64::{Neon, NeonSha2};
    use keylane_cpu::lanes::aarch64::{Sha2Words, U32x4};

    impl Kernel<Compression1> for NeonSha2 {
        fn compress(&self, state: &mut [u32; 5], blocks: &[[u8; 64]]) {
            self.run(
                #[inline(always)]
                |isa| hardware::compress::<Sha2Words>(isa, state, blocks),
            );
        }

        fn compress_many(&self, states: &mut [[u32; 5]], blocks: &[&[[u8; 64]]]) {
            self.run(
                #[inline(always)]
                |isa| hardware::compress_many::<Sha2Words>(isa, states, blocks),
            );
        }

        fn finish(&self, state: &mut [u32; 5], end: &[u8], length: u64) {
            self.run(
                #[inline(always)]
                |isa| hardware::finish::<Sha2Words>(isa, state, end, length),
            );
        }

        fn finish_hmac(
            &self,
            inner: &mut [u32; 5],
            end: &[u8],
            length: u64,
            outer: &[u32; 5],
            digest_len: usize,
        ) {
            if digest_len != Compression1::STATE_LEN {
                return finish_hmac_apart::<Compression1, _>(self, inner, end, length, outer, digest_len);
            }
            self.run(
                #[inline(always)]
                |isa| hardware::finish_hmac::<Sha2Words>(isa, inner, end, length, outer),
            );
        }

        fn iterate(&self, chains: &mut [Chain<Compression1>], digest_len: usize, iterations: u32) {
            iterate_whole_digests(self, chains, digest_len, iterations, |chains| {
                self.run(
                    #[inline(always)]
                    |isa| hardware::iterate::<Sha2Words>(isa, chains, iterations),
                );
            });
        }
    }

    impl Kernel<Compression1> for Neon {
        fn compress(&self, state: &mut [u32; 5], blocks: &[[u8; 64]]) {
            Kernel::<Compression1>::compress(&Portable, state, blocks);
        }

        fn compress_many(&self, states: &mut [[u32; 5]], blocks: &[&[[u8; 64]]]) {
            in_groups::<4, 3, Compression1, _>(states, blocks, &Portable, |states, blocks| {
                self.run(
                    #[inline(always)]
                    |isa| lanes::compress::<U32x4, 4>(isa, states, blocks),
                );
            });
        }

        fn iterate(&self, chains: &mut [Chain<Compression1>], digest_len: usize, iterations: u32) {
            iterate_in_groups::<4, 3, Compression1, _>(chains, digest_len, iterations, &Portable, |chains| {
                self.run(
                    #[inline(always)]
                    |isa| {
                        lanes::iterate::<U32x4, 4>(isa, chains, digest_len, iterations);
                    },
                );
            });
        }
    }
}
