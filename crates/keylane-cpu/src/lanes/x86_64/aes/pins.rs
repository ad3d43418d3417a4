//! The pins of vectors of blocks, without `pure`, so that the compiler keeps their order. `asm!` needs the
//! register's feature on the enclosing function, so these are not `inline(always)`.

use crate::pin::opaque;
use core::arch::x86_64::{__m128i, __m256i, __m512i};

#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn pin_128(x: __m128i) -> __m128i {
    opaque!(xmm_reg, x)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn pin_256(x: __m256i) -> __m256i {
    opaque!(ymm_reg, x)
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn pin_512(x: __m512i) -> __m512i {
    opaque!(zmm_reg, x)
}
