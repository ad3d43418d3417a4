//! The list of AES-GCM's implementations.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::fused::Fused;
use super::kernel::Kernel;
use super::self_test;
use crate::backend::{Backends, backends};

pub(crate) static BACKENDS: Backends<dyn Kernel> = backends!(
    "aes-gcm", self_test::passes, dyn Kernel:
    x86_64 [Fused<Blocks4, 4, 16, 32, 32>, Fused<Blocks2, 2, 8, 16, 16>, Fused<Blocks1<AesNi>, 1, 4, 8, 16>]
    aarch64 [Fused<Blocks1, 1, 4, 8, 16>]
    portable [Portable]
);
