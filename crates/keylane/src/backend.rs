//! The list of a primitive's implementations, best first, portable last, and the choice among them.
//!
//! Where CPUs of a target differ, the kernel is chosen at run time, and called through a table ([`several`]). On
//! other targets a list has one implementation: it is a type, its call is static, and there is nothing to choose
//! or to test ([`one`]). `Backends`, and the type that `backends!` names, hide which.

mod cost;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod one;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod several;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use one::{Backends, Choice, List, MAX_BATCH};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use several::{Backends, Choice, Entry, List, MAX_BATCH};

pub(crate) use cost::Cost;

use core::fmt;
use keylane_cpu::{InstructionSet, Portable, Portable8, Portable32};

/// A type of kernel. Its only value is the kernel, which has no data, and whose methods enter the instruction
/// set.
#[allow(unreachable_pub, reason = "where a list has one implementation, types name it")]
pub trait Shape: Sized + 'static {
    /// The instruction set that it is compiled for, whose name is also the implementation's.
    type Isa: InstructionSet;
    /// The kernel.
    const KERNEL: &'static Self;

    /// Returns whether this CPU has the instruction sets of this kernel and of the kernels that it calls.
    fn is_usable() -> bool {
        Self::Isa::is_usable()
    }
}

impl Shape for Portable {
    type Isa = Self;
    const KERNEL: &'static Self = &Self;
}

impl Shape for Portable32 {
    type Isa = Self;
    const KERNEL: &'static Self = &Self;
}

impl Shape for Portable8 {
    type Isa = Self;
    const KERNEL: &'static Self = &Self;
}

/// Makes a list, and the type of the kernel that its `chosen` returns. The shapes are listed by architecture,
/// best first; then come the portable ones, of which the first is the target's, and the only one where there
/// are no vectors. WebAssembly with vectors has the one that is listed for it, if there is one.
///
/// `Lanes<U32x8, 8>: cost (490, 1230, 8)` absorbs a block of one message in 490 cycles, and of up to eight in
/// 1230. For any number of messages, the usable entry is used that costs least, the first of equals. An entry
/// has the name of its instruction set. The architecture's instruction sets and vectors are in scope.
///
/// Before an entry is first used, it has to pass the self-test, and before it first processes several messages
/// side by side also the one after `=>`.
macro_rules! backends {
    (
        $(#[$attribute:meta])*
        $vis:vis static $LIST:ident: Backends<$Chosen:ident>;
        $name:literal, $self_test:path $(=> $side_by_side:path)?, $Kernel:ty:
        x86_64 [$($X86:ty $(: cost $x86_cost:tt)?),* $(,)?]
        aarch64 [$($Arm:ty $(: cost $arm_cost:tt)?),* $(,)?]
        $(wasm32 [$Wasm:ty $(: cost $wasm_cost:tt)?])?
        portable [$Portable:ty $(: cost $portable_cost:tt)? $(, $Other:ty)*]
    ) => {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        $vis type $Chosen = $Kernel;
        #[cfg(target_feature = "simd128")]
        $vis type $Chosen = $crate::backend::backends!(@first $([$Wasm])? [$Portable]);
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")))]
        $vis type $Chosen = $Portable;
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        const _: &$Kernel = <$Chosen as $crate::backend::Shape>::KERNEL;

        $(#[$attribute])*
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        $vis static $LIST: $crate::backend::Backends<$Chosen> = $crate::backend::Backends::new(
            $name,
            &[
                $(
                    #[cfg(target_arch = "x86_64")]
                    $crate::backend::backends!(
                        @entry [keylane_cpu::x86_64::*, keylane_cpu::lanes::x86_64::*]
                        $X86 $(, $x86_cost)?
                    ),
                )*
                $(
                    #[cfg(target_arch = "aarch64")]
                    $crate::backend::backends!(
                        @entry [keylane_cpu::aarch64::*, keylane_cpu::lanes::aarch64::*] $Arm $(, $arm_cost)?
                    ),
                )*
                $crate::backend::backends!(@entry [] $Portable $(, $portable_cost)?),
                $($crate::backend::backends!(@entry [] $Other),)*
            ],
            [$self_test, $crate::backend::backends!(@or |_| true $(, $side_by_side)?)],
        );
        $(#[$attribute])*
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        $vis static $LIST: $crate::backend::Backends<$Chosen> = $crate::backend::Backends::new(
            $name,
            $crate::backend::backends!(@cost $([$($wasm_cost)?])? [$($portable_cost)?]),
            [$self_test, $crate::backend::backends!(@or |_| true $(, $side_by_side)?)],
        );
    };
    (@first [$Shape:ty] $($others:tt)?) => { $Shape };
    (@entry [$($scope:tt)*] $Shape:ty $(, $cost:tt)?) => {{
        #[allow(unused_imports, reason = "each entry uses some of them")]
        use {$($scope)*};
        $crate::backend::Entry {
            name: <<$Shape as $crate::backend::Shape>::Isa as keylane_cpu::InstructionSet>::NAME,
            cost: $crate::backend::backends!(@cost [$($cost)?]),
            usable: <$Shape as $crate::backend::Shape>::is_usable,
            kernel: <$Shape as $crate::backend::Shape>::KERNEL,
        }
    }};
    (@cost [] $($others:tt)?) => { $crate::backend::Cost::NONE };
    (@cost [$cost:tt] $($others:tt)?) => { $crate::backend::Cost::of($cost) };
    (@or $default:expr) => { $default };
    (@or $default:expr, $given:expr) => { $given };
}
pub(crate) use backends;

/// The message of self-tests, the squares of numbers: in constant memory, since a thread's stack may be small.
pub(crate) static MESSAGE: [u8; 2368] = {
    let (mut message, mut i) = ([0; 2368], 0_u32);
    while i < 2368 {
        message[i as usize] = ((i * i) >> 3) as u8;
        i += 1;
    }
    message
};

/// One implementation of a primitive, and its state on this CPU.
///
/// ```
/// let aes_gcm = keylane::primitives().iter().find(|primitive| primitive.name() == "aes-gcm").unwrap();
/// let last = aes_gcm.implementations().last().unwrap();
/// assert!(last.name == "portable" && last.usable && last.passes_self_test);
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Implementation {
    /// The name of the instruction set: `"avx2"`, `"sha-ni"`, `"portable"`.
    pub name: &'static str,
    /// Whether this CPU and the operating system can run it.
    pub usable: bool,
    /// Whether it is usable and computes correct results here.
    pub passes_self_test: bool,
    /// Whether it runs for some number of messages side by side: the one that costs least for that number.
    pub chosen: bool,
    /// The smallest number of messages side by side that it processes in less time than those after it on the
    /// list. A batch of short messages may be processed one by one even so.
    pub from_messages: usize,
    pub(crate) place: usize,
}

/// A self-test failed: this machine, or this build, computes a wrong result.
///
/// ```
/// if let Err(error) = keylane::self_test() {
///     eprintln!("{}: {:?}", error.primitive(), error.implementation());
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfTestError {
    primitive: &'static str,
    implementation: Option<&'static str>,
}

impl SelfTestError {
    /// Returns the primitive's name.
    #[must_use]
    pub const fn primitive(&self) -> &'static str {
        self.primitive
    }

    /// Returns the implementation that failed, or `None` if none of the primitive's implementations passes.
    #[must_use]
    pub const fn implementation(&self) -> Option<&'static str> {
        self.implementation
    }
}

impl fmt::Display for SelfTestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.implementation {
            Some(name) => write!(f, "the implementation {name} of {} fails its self-test", self.primitive),
            None => {
                // `keylane-boundary` knows this error by the end of its message.
                write!(f, "no implementation of {} passes its self-test; refusing to compute", self.primitive)
            }
        }
    }
}

impl core::error::Error for SelfTestError {}
