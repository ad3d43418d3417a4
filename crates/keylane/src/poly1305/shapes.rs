//! The shapes over each CPU's vectors, with the number of blocks from which lanes are faster than scalar
//! code: measured on an AMD Zen 4 (decision 8), guessed for aarch64.

use super::parallel::Parallel;
use super::radix26::Radix26;
#[cfg(target_arch = "x86_64")]
use super::radix44::Radix44;
#[cfg(target_arch = "aarch64")]
use keylane_cpu::lanes::aarch64::U64x2;
#[cfg(target_arch = "x86_64")]
use keylane_cpu::lanes::x86_64::{U64x2, U64x4, U64x8};

#[cfg(target_arch = "x86_64")]
pub(crate) type Avx512Ifma<V = U64x8> = Parallel<Radix44<V>, 8, 24, 8>;
#[cfg(target_arch = "x86_64")]
pub(crate) type Avx512<V = U64x8> = Parallel<Radix26<V>, 8, 24, 8>;
#[cfg(target_arch = "x86_64")]
pub(crate) type Avx2<V = U64x4> = Parallel<Radix26<V>, 4, 17, 12>;
#[cfg(target_arch = "x86_64")]
pub(crate) type Sse2<V = U64x2<keylane_cpu::x86_64::Sse2>> = Parallel<Radix26<V>, 2, 64, 24>;
#[cfg(target_arch = "aarch64")]
pub(crate) type Neon = Parallel<Radix26<U64x2>, 2, 32, 16>;
