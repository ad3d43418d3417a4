//! The list of kernels.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::fused::Fused;
use super::kernel::Kernel;
use super::self_test;
#[cfg(any(target_arch = "x86_64", target_feature = "simd128"))]
use super::sequential::Sequential;
use crate::backend::backends;
#[cfg(target_feature = "simd128")]
use crate::poly1305;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::poly1305::shapes as hash;
#[cfg(not(target_feature = "simd128"))]
use keylane_cpu::Portable;
#[cfg(target_feature = "simd128")]
use keylane_cpu::lanes::wasm32::U32x4;

backends! {
    pub(crate) static BACKENDS: Backends<Chosen>;
    "chacha20-poly1305", self_test::passes => self_test::passes_side_by_side, dyn Kernel:
    x86_64 [
        Sequential<U32x16, hash::Avx512Ifma, 16, 4, 64>,
        Sequential<U32x16, hash::Avx512, 16, 4, 64>,
        Fused<U32x8, hash::Avx2, 8, 2, 32, 3>,
        Fused<U32x4<Ssse3>, hash::Sse2, 4, 1, 16, 2>,
        Sequential<U32x4<Sse2>, hash::Sse2, 4, 1, 16>,
    ]
    aarch64 [Fused<U32x4, hash::Neon, 4, 1, 16, 2>]
    wasm32 [Sequential<U32x4, poly1305::Scalar, 4, 1, 16>]
    portable [Portable]
}
