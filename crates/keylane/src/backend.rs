//! Each primitive's list of implementations, portable last, and the choice among them.
//!
//! If a target's CPUs differ, the kernel is chosen at run time and called through a table ([`several`]). On
//! other targets, a list has a single implementation, which is called statically, without a choice or a test
//! ([`one`]). `Backends`, and the type that `backends!` names, hide the difference.

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod one;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod several;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use one::MAX_BATCH;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use several::MAX_BATCH;

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

/// A list of implementations, whose kernels are `K`, and the choice made from it, which is in one cache line
/// with what every call reads.
#[repr(C, align(64))]
pub struct Backends<K: ?Sized + 'static> {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    state: several::State,
    entries: &'static [Entry<K>],
    /// That of messages one by one, and perhaps that of several side by side, which most programs never
    /// process and which takes more of the stack.
    self_tests: &'static [fn(&K) -> bool],
    primitive: &'static str,
}

/// One implementation on a list, in a cache line.
#[repr(align(64))]
pub(crate) struct Entry<K: ?Sized + 'static> {
    /// The instruction set's name.
    pub(crate) name: &'static str,
    /// The cost on an Emerald Rapids and on a Zen 3. The first is that of all CPUs that are not AMD's: see
    /// decision 2.
    pub(crate) cost: [Cost; 2],
    /// Returns whether this CPU has the instruction sets.
    pub(crate) usable: fn() -> bool,
    /// The kernel, which panics if this CPU lacks the instruction set.
    pub(crate) kernel: &'static K,
}

impl<K: ?Sized + 'static> Entry<K> {
    /// Makes the entry of a shape, whose kernel is given as a `K`.
    pub(crate) const fn of<S: Shape>(kernel: &'static K) -> Self {
        Self { name: <S::Isa as InstructionSet>::NAME, cost: [Cost::NONE; 2], usable: S::is_usable, kernel }
    }

    pub(crate) const fn costing(self, cost: Cost) -> Self {
        Self { cost: [cost; 2], ..self }
    }

    /// Names the entry, where an instruction set has several.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    #[cfg(any(test, target_arch = "x86_64"))]
    pub(crate) const fn on_amd(self, cost: Cost) -> Self {
        Self { cost: [self.cost[0], cost], ..self }
    }
}

/// Makes a list, and the type of the kernel that its `chosen` returns. The shapes are listed by architecture,
/// best first; then come the portable ones, of which the first is the target's, and the only one where there
/// are no vectors. WebAssembly with vectors has the one that is listed for it.
///
/// `Lanes<U32x8, 8>: cost { alone: 490, together: 1230, lanes: 8 }` absorbs a block of one message in 490
/// cycles, and of up to eight in 1230, and if `amd` and another cost follow, in that on AMD's CPUs. For any
/// number of messages, the usable entry is used that costs least, the first of equals. An entry has the name
/// of its instruction set. The architecture's instruction sets and vectors are in scope.
///
/// Before an entry is first used, it has to pass the self-test, and before it first processes several
/// messages side by side also the one after `=>`.
macro_rules! backends {
    (
        $vis:vis static $LIST:ident: Backends<$Chosen:ident>;
        $name:literal, $self_test:path $(=> $side_by_side:path)?, $Kernel:ty:
        x86_64 [$($X86:ty $(as $x86_name:literal)? $(: cost $x86_cost:tt $(amd $amd:tt)?)?),* $(,)?]
        aarch64 [$($Arm:ty $(: cost $arm_cost:tt)?),* $(,)?]
        wasm32 [$Wasm:ty $(: cost $wasm_cost:tt)?]
        portable [$Portable:ty $(: cost $portable_cost:tt)? $(, $Other:ty)*]
    ) => {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        $vis type $Chosen = $Kernel;
        #[cfg(target_feature = "simd128")]
        $vis type $Chosen = $Wasm;
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")))]
        $vis type $Chosen = $Portable;
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        const _: &$Kernel = <$Chosen as $crate::backend::Shape>::KERNEL;

        $vis static $LIST: $crate::backend::Backends<$Chosen> = {
            use $crate::backend::{Backends, Entry, Shape};
            #[cfg(target_arch = "aarch64")]
            #[allow(unused_imports, reason = "each list uses some of them")]
            use keylane_cpu::{aarch64::*, lanes::aarch64::*};
            #[cfg(target_arch = "x86_64")]
            #[allow(unused_imports, reason = "each list uses some of them")]
            use keylane_cpu::{lanes::x86_64::*, x86_64::*};

            const ENTRIES: &[Entry<$Chosen>] = &[
                $(
                    #[cfg(target_arch = "x86_64")]
                    Entry::<$Chosen>::of::<$X86>(<$X86 as Shape>::KERNEL)$(.named($x86_name))?
                        $(.costing($crate::backend::Cost $x86_cost)$(.on_amd($crate::backend::Cost $amd))?)?,
                )*
                $(
                    #[cfg(target_arch = "aarch64")]
                    Entry::<$Chosen>::of::<$Arm>(<$Arm as Shape>::KERNEL)$(.costing($crate::backend::Cost $arm_cost))?,
                )*
                #[cfg(target_feature = "simd128")]
                Entry::<$Chosen>::of::<$Wasm>(<$Wasm as Shape>::KERNEL)$(.costing($crate::backend::Cost $wasm_cost))?,
                #[cfg(not(target_feature = "simd128"))]
                Entry::<$Chosen>::of::<$Portable>(<$Portable as Shape>::KERNEL)$(.costing($crate::backend::Cost $portable_cost))?,
                $(
                    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
                    Entry::<$Chosen>::of::<$Other>(<$Other as Shape>::KERNEL),
                )*
            ];
            Backends::new($name, ENTRIES, &[$self_test $(, $side_by_side)?])
        };
    };
}
pub(crate) use backends;

impl<K: ?Sized + Sync + 'static> Backends<K> {
    pub(crate) const fn new(
        primitive: &'static str,
        entries: &'static [Entry<K>],
        self_tests: &'static [fn(&K) -> bool],
    ) -> Self {
        Self {
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            state: several::State::new(entries),
            entries,
            self_tests,
            primitive,
        }
    }

    /// Returns every kernel that this CPU has.
    #[cfg(test)]
    pub(crate) fn usable(&self) -> impl Iterator<Item = &'static K> {
        self.entries.iter().filter(|entry| (entry.usable)()).map(|entry| entry.kernel)
    }
}

/// A list with any type of kernels; generic code is compiled for each type.
pub(crate) trait List: Sync {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn state(&self) -> &several::State;
    fn primitive(&self) -> &'static str;
    fn len(&self) -> usize;
    /// Returns an entry without its kernel.
    fn entry(&self, place: usize) -> Entry<()>;
    /// Returns whether the kernel, which this CPU can run, passes one of the two self-tests.
    fn run_self_test(&self, place: usize, which: usize) -> bool;
}

impl<K: ?Sized + Sync + 'static> List for Backends<K> {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn state(&self) -> &several::State {
        &self.state
    }

    fn primitive(&self) -> &'static str {
        self.primitive
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn entry(&self, place: usize) -> Entry<()> {
        let Entry { name, cost, usable, .. } = self.entries[place];
        Entry { name, cost, usable, kernel: &() }
    }

    fn run_self_test(&self, place: usize, which: usize) -> bool {
        self.self_tests.get(which).is_none_or(|passes| passes(self.entries[place].kernel))
    }
}

/// The cost of a block of each message, in cycles: long messages in a loop, at best.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    /// Of one message.
    pub(crate) alone: u16,
    /// Of up to `lanes` messages side by side.
    pub(crate) together: u16,
    pub(crate) lanes: u16,
}

impl Cost {
    /// That of a list whose kernels process one message at a time: the first one is preferred.
    pub(crate) const NONE: Self = Self { alone: 1, together: 1, lanes: 1 };

    /// Returns the cost of these messages by the kernel, which lets too few for a pass run alone.
    fn side_by_side(self, messages: usize) -> usize {
        let [alone, together, lanes] = [self.alone, self.together, self.lanes].map(usize::from);
        together * (messages / lanes) + together.min(alone * (messages % lanes))
    }
}

/// The cost of setting up and wiping the lanes, per batch and per message, and how many blocks a message may
/// have at most for this to decide. As measured, on the CPUs of [`Entry::cost`]. On a Zen 3 this includes 30
/// cycles that a call for a single message takes less than its blocks, since it overlaps with the next.
const SET_UP: usize = 400;
const SET_UP_EACH: [usize; 2] = [60, 90];
const MAX_BLOCKS: usize = 100;

/// Returns the number of blocks per message from which `messages` messages cost less side by side, 255 if
/// never.
#[inline]
fn gains_from(messages: usize, alone: Cost, together: Cost, cpu: usize) -> u8 {
    let set_up = SET_UP + SET_UP_EACH[cpu] * messages;
    match (messages * alone.side_by_side(1)).checked_sub(together.side_by_side(messages)) {
        Some(gain @ 1..) if set_up / gain < MAX_BLOCKS - 1 => (set_up / gain + 1) as u8,
        _ => u8::MAX,
    }
}

/// The message of self-tests, the squares of numbers: in constant memory, since a thread's stack may be
/// small.
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
    /// The name of the instruction set, such as `"avx2"`, `"sha-ni"` or `"portable"`; `"sha-ni-4"` processes
    /// four messages at a time.
    pub name: &'static str,
    /// Whether this CPU and the operating system can run it.
    pub usable: bool,
    /// Whether it is usable and computes correct results here.
    pub passes_self_test: bool,
    /// Whether it is used for some number of messages side by side, because it costs least for that number.
    pub chosen: bool,
    /// The smallest number of messages side by side for which it is faster than the implementations after it
    /// in the list; `usize::MAX` if it never is here. A batch of short messages may still be processed one by
    /// one.
    pub from_messages: usize,
    pub(crate) place: usize,
}

/// The error of a failed self-test: this machine or this build computes a wrong result.
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
                // `boundary.rs` of `keylane-ffi` knows this error by the end of its message.
                write!(f, "no implementation of {} passes its self-test; refusing to compute", self.primitive)
            }
        }
    }
}

impl core::error::Error for SelfTestError {}
