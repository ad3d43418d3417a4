//! The list of implementations.

use super::kernel::Kernel;
use super::self_test;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::shape::InTurns;
use crate::backend::backends;
use keylane_cpu::Portable;

backends! {
    pub(crate) static BACKENDS: Backends<Chosen>;
    "aes-gcm-siv", self_test::passes, dyn Kernel:
    x86_64 [
        InTurns<Blocks4, 4, 16, 32, 32>,
        InTurns<Blocks2, 2, 8, 16, 16>,
        InTurns<Blocks1<AesNi>, 1, 4, 8, 16>,
    ]
    aarch64 [InTurns<Blocks1, 1, 4, 8, 16>]
    wasm32 [Portable]
    portable [Portable]
}
