//! The list of AES-GCM's implementations.

use super::kernel::Kernel;
use super::self_test;
use crate::backend::{Backends, token_backends};

pub(crate) static BACKENDS: Backends<dyn Kernel> = token_backends!(
    "aes-gcm", self_test::passes, dyn Kernel:
    x86_64 [VaesAvx512, VaesAvx2, AesNi]
    aarch64 [NeonAes]
    Portable
);

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::super::fused;
    use super::super::kernel::{Key, Progress};
    use super::*;
    use crate::aes::KeyBytes;
    use crate::ghash::HashKey;
    use keylane_cpu::InstructionSet;
    use keylane_cpu::in_out::InOut;
    use keylane_cpu::lanes::x86_64::{Blocks1, Blocks2, Blocks4};
    use keylane_cpu::x86_64::{AesNi, VaesAvx2, VaesAvx512};

    impl Kernel for AesNi {
        fn prepare(&self, key: KeyBytes<'_>) -> Key {
            self.run(
                #[inline(always)]
                |isa| fused::prepare::<Blocks1<Self>, 1, 16>(isa, key),
            )
        }

        fn powers(&self, h: &[u8; 16]) -> HashKey {
            self.run(
                #[inline(always)]
                |isa| fused::powers_of::<Blocks1<Self>, 1, 16>(isa, h),
            )
        }

        fn seal(
            &self,
            key: &Key,
            progress: &mut Progress,
            aad: &[u8],
            text: &mut InOut<'_>,
            lengths: Option<&u128>,
        ) -> [u8; 16] {
            self.run(
                #[inline(always)]
                |isa| fused::seal::<Blocks1<Self>, 1, 8>(isa, key, progress, aad, text, lengths),
            )
        }

        fn open(
            &self,
            key: &Key,
            progress: &Progress,
            aad: &[u8],
            text: &mut InOut<'_>,
            lengths: u128,
        ) -> [u8; 16] {
            self.run(
                #[inline(always)]
                |isa| fused::open::<Blocks1<Self>, 1, 8>(isa, key, progress, aad, text, lengths),
            )
        }
    }

    impl Kernel for VaesAvx2 {
        fn prepare(&self, key: KeyBytes<'_>) -> Key {
            self.run(
                #[inline(always)]
                |isa| fused::prepare::<Blocks2, 2, 16>(isa, key),
            )
        }

        fn powers(&self, h: &[u8; 16]) -> HashKey {
            self.run(
                #[inline(always)]
                |isa| fused::powers_of::<Blocks2, 2, 16>(isa, h),
            )
        }

        fn seal(
            &self,
            key: &Key,
            progress: &mut Progress,
            aad: &[u8],
            text: &mut InOut<'_>,
            lengths: Option<&u128>,
        ) -> [u8; 16] {
            self.run(
                #[inline(always)]
                |isa| fused::seal::<Blocks2, 2, 16>(isa, key, progress, aad, text, lengths),
            )
        }

        fn open(
            &self,
            key: &Key,
            progress: &Progress,
            aad: &[u8],
            text: &mut InOut<'_>,
            lengths: u128,
        ) -> [u8; 16] {
            self.run(
                #[inline(always)]
                |isa| fused::open::<Blocks2, 2, 16>(isa, key, progress, aad, text, lengths),
            )
        }
    }

    impl Kernel for VaesAvx512 {
        fn prepare(&self, key: KeyBytes<'_>) -> Key {
            self.run(
                #[inline(always)]
                |isa| fused::prepare::<Blocks4, 4, 32>(isa, key),
            )
        }

        fn powers(&self, h: &[u8; 16]) -> HashKey {
            self.run(
                #[inline(always)]
                |isa| fused::powers_of::<Blocks4, 4, 32>(isa, h),
            )
        }

        fn seal(
            &self,
            key: &Key,
            progress: &mut Progress,
            aad: &[u8],
            text: &mut InOut<'_>,
            lengths: Option<&u128>,
        ) -> [u8; 16] {
            self.run(
                #[inline(always)]
                |isa| fused::seal::<Blocks4, 4, 32>(isa, key, progress, aad, text, lengths),
            )
        }

        fn open(
            &self,
            key: &Key,
            progress: &Progress,
            aad: &[u8],
            text: &mut InOut<'_>,
            lengths: u128,
        ) -> [u8; 16] {
            self.run(
                #[inline(always)]
                |isa| fused::open::<Blocks4, 4, 32>(isa, key, progress, aad, text, lengths),
            )
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use super::super::fused;
    use super::super::kernel::{Key, Progress};
    use super::*;
    use crate::aes::KeyBytes;
    use crate::ghash::HashKey;
    use keylane_cpu::InstructionSet;
    use keylane_cpu::aarch64::NeonAes;
    use keylane_cpu::in_out::InOut;
    use keylane_cpu::lanes::aarch64::Blocks1;

    impl Kernel for NeonAes {
        fn prepare(&self, key: KeyBytes<'_>) -> Key {
            self.run(
                #[inline(always)]
                |isa| fused::prepare::<Blocks1, 1, 16>(isa, key),
            )
        }

        fn powers(&self, h: &[u8; 16]) -> HashKey {
            self.run(
                #[inline(always)]
                |isa| fused::powers_of::<Blocks1, 1, 16>(isa, h),
            )
        }

        fn seal(
            &self,
            key: &Key,
            progress: &mut Progress,
            aad: &[u8],
            text: &mut InOut<'_>,
            lengths: Option<&u128>,
        ) -> [u8; 16] {
            self.run(
                #[inline(always)]
                |isa| fused::seal::<Blocks1, 1, 8>(isa, key, progress, aad, text, lengths),
            )
        }

        fn open(
            &self,
            key: &Key,
            progress: &Progress,
            aad: &[u8],
            text: &mut InOut<'_>,
            lengths: u128,
        ) -> [u8; 16] {
            self.run(
                #[inline(always)]
                |isa| fused::open::<Blocks1, 1, 8>(isa, key, progress, aad, text, lengths),
            )
        }
    }
}
