//! The list of a primitive's implementations, best first, portable last, and the choice among them.
//!
//! Every list is static. On first use, the first implementation is chosen that this CPU can run *and* that
//! passes its self-test. The choice is stored in atomics, so it needs no lock, no heap and no standard
//! library. If two threads choose at the same time, both do the same work and store the same result.

#[cfg(feature = "select")]
use crate::error::Error;
use core::fmt;
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};
use keylane_cpu::{InstructionSet, Portable, Portable32};

/// A type of kernel. Its only value is the kernel, which has no data, and whose methods enter the instruction
/// set.
pub(crate) trait Shape: Sized + 'static {
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

/// One implementation on a list of kernels `K`.
pub(crate) struct Entry<K: ?Sized + 'static> {
    /// The instruction set's name.
    pub(crate) name: &'static str,
    /// The smallest number of messages in one call for which the implementation is preferred, as measured; 1
    /// if the list states none.
    pub(crate) min_batch: usize,
    /// Returns whether this CPU has the instruction sets.
    pub(crate) usable: fn() -> bool,
    /// The kernel, which panics if this CPU lacks the instruction set.
    pub(crate) kernel: &'static K,
}

/// Builds a list: shapes by architecture, best first, then the portable ones. If there is a second portable
/// form, for registers of 32 bits, the one for the target's registers comes first.
///
/// `Lanes<U32x16, 16, 1>: min_batch 7` is preferred for seven or more messages. For one message, the first
/// usable entry without a `min_batch` is used. An entry has the name of its instruction set, or the one after
/// `as`. The architecture's instruction sets and vectors are in scope.
macro_rules! backends {
    (
        $name:literal, $self_test:path, dyn $Kernel:ty:
        x86_64 [$($X86:ty $(as $x86_name:literal)? $(: min_batch $x86_min:literal)?),* $(,)?]
        aarch64 [$($Arm:ty $(: min_batch $arm_min:literal)?),* $(,)?]
        portable [$Portable:ty $(, $Portable32:ty)?]
    ) => {
        $crate::backend::Backends::new(
            $name,
            &[
                $(
                    #[cfg(target_arch = "x86_64")]
                    $crate::backend::backends!(
                        @entry [keylane_cpu::x86_64::*, keylane_cpu::lanes::x86_64::*]
                        $X86 $(as $x86_name)? $(, $x86_min)?
                    ),
                )*
                $(
                    #[cfg(target_arch = "aarch64")]
                    $crate::backend::backends!(
                        @entry [keylane_cpu::aarch64::*, keylane_cpu::lanes::aarch64::*] $Arm $(, $arm_min)?
                    ),
                )*
                $(
                    #[cfg(not(target_pointer_width = "64"))]
                    $crate::backend::backends!(
                        @entry [keylane_cpu::*, keylane_cpu::lanes::portable::*] $Portable32
                    ),
                )?
                $crate::backend::backends!(
                    @entry [keylane_cpu::*, keylane_cpu::lanes::portable::*] $Portable
                ),
                $(
                    #[cfg(target_pointer_width = "64")]
                    $crate::backend::backends!(
                        @entry [keylane_cpu::*, keylane_cpu::lanes::portable::*] $Portable32
                    ),
                )?
            ],
            $self_test,
        )
    };
    (@entry [$($scope:tt)+] $Shape:ty $(as $name:literal)? $(, $min_batch:literal)?) => {{
        #[allow(unused_imports, reason = "each entry uses some of them")]
        use {$($scope)+};
        $crate::backend::Entry {
            name: $crate::backend::backends!(
                @or <<$Shape as $crate::backend::Shape>::Isa as keylane_cpu::InstructionSet>::NAME $(, $name)?
            ),
            min_batch: $crate::backend::backends!(@or 1 $(, $min_batch)?),
            usable: <$Shape as $crate::backend::Shape>::is_usable,
            kernel: <$Shape as $crate::backend::Shape>::KERNEL,
        }
    }};
    (@or $default:expr) => { $default };
    (@or $default:expr, $given:literal) => { $given };
}
pub(crate) use backends;

/// A list of implementations and the choice made from it.
pub struct Backends<K: ?Sized + 'static> {
    primitive: &'static str,
    entries: &'static [Entry<K>],
    self_test: fn(&K) -> bool,
    /// The choice for one message: its place in the list plus one, or 0 before the first use.
    chosen: AtomicU8,
    /// The selected implementation, likewise; 0 if none is selected.
    #[cfg(feature = "select")]
    selected: AtomicU8,
    /// Bit i: entry i's self-test has run. Bit 16 + i: it passed.
    verdicts: AtomicU32,
}

impl<K: ?Sized + 'static> Backends<K> {
    pub(crate) const fn new(
        primitive: &'static str,
        entries: &'static [Entry<K>],
        self_test: fn(&K) -> bool,
    ) -> Self {
        assert!(!entries.is_empty() && entries.len() <= 16);
        assert!(entries[entries.len() - 1].min_batch == 1, "the last entry must take any number of messages");
        Self {
            primitive,
            entries,
            self_test,
            chosen: AtomicU8::new(0),
            #[cfg(feature = "select")]
            selected: AtomicU8::new(0),
            verdicts: AtomicU32::new(0),
        }
    }

    /// Returns the implementation for one message.
    ///
    /// # Panics
    /// If no implementation passes its self-test: a wrong result would be worse.
    #[inline]
    pub(crate) fn chosen(&self) -> &'static K {
        let chosen = usize::from(self.chosen.load(Relaxed));
        match self.entries.get(chosen.wrapping_sub(1)) {
            Some(entry) => entry.kernel,
            None => self.choose_first(),
        }
    }

    /// Ensures that an implementation was chosen, and so has passed its self-test. For code outside of the
    /// list that every self-test runs as well.
    ///
    /// # Panics
    /// As [`chosen`](Self::chosen).
    #[inline]
    pub(crate) fn ensure_tested(&self) {
        if self.chosen.load(Relaxed) == 0 {
            self.choose_first();
        }
    }

    #[cold]
    fn choose_first(&self) -> &'static K {
        match self.choose(1) {
            Ok((place, kernel)) => {
                // Fails if another was selected meanwhile.
                let _ = self.chosen.compare_exchange(0, place as u8 + 1, Relaxed, Relaxed);
                kernel
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns the implementation for `messages` messages in one call.
    ///
    /// # Panics
    /// As [`chosen`](Self::chosen).
    #[inline]
    pub(crate) fn chosen_for(&self, messages: usize) -> &'static K {
        if messages <= 1 {
            return self.chosen();
        }
        match self.choose(messages) {
            Ok((_, kernel)) => kernel,
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns the first entry for this number of messages that this CPU can run and that passes its
    /// self-test.
    #[inline(never)]
    pub(crate) fn choose(&self, messages: usize) -> Result<(usize, &'static K), SelfTestError> {
        #[cfg(feature = "select")]
        let selected = usize::from(self.selected.load(Relaxed));
        #[cfg(not(feature = "select"))]
        let selected = 0;
        for (place, entry) in self.entries.iter().enumerate() {
            let candidate =
                if selected != 0 { place + 1 == selected } else { entry.min_batch <= messages.max(1) };
            if candidate && self.passes(place) {
                return Ok((place, entry.kernel));
            }
        }
        Err(SelfTestError { primitive: self.primitive, implementation: None })
    }

    /// Returns whether this CPU can run the entry and its kernel passes the self-test, which runs once.
    fn passes(&self, place: usize) -> bool {
        let (tested, passed) = (1 << place, 1 << (16 + place));
        let verdicts = self.verdicts.load(Relaxed);
        if verdicts & tested != 0 {
            return verdicts & passed != 0;
        }
        let good = self.run_self_test(place);
        self.verdicts.fetch_or(if good { tested | passed } else { tested }, Relaxed);
        good
    }

    #[cold]
    fn run_self_test(&self, place: usize) -> bool {
        let entry = &self.entries[place];
        (entry.usable)() && (self.self_test)(entry.kernel)
    }
}

/// The operations on a list that [`Primitive`](crate::Primitive) needs, whatever the type of the kernels.
pub(crate) trait List: Sync {
    fn len(&self) -> usize;
    fn describe(&self, place: usize) -> Implementation;
    fn test(&self) -> Result<(), SelfTestError>;
    #[cfg(feature = "select")]
    fn select(&self, place: usize) -> Result<(), Error>;
    #[cfg(feature = "select")]
    fn reset(&self);
}

impl<K: ?Sized + Sync + 'static> List for Backends<K> {
    fn len(&self) -> usize {
        self.entries.len()
    }

    fn describe(&self, place: usize) -> Implementation {
        let entry = &self.entries[place];
        Implementation {
            name: entry.name,
            usable: (entry.usable)(),
            passes_self_test: self.passes(place),
            chosen: matches!(self.choose(entry.min_batch), Ok((chosen, _)) if chosen == place),
            from_messages: entry.min_batch,
            place,
        }
    }

    fn test(&self) -> Result<(), SelfTestError> {
        for (place, entry) in self.entries.iter().enumerate() {
            if (entry.usable)() && !self.passes(place) {
                return Err(SelfTestError { primitive: self.primitive, implementation: Some(entry.name) });
            }
        }
        Ok(())
    }

    #[cfg(feature = "select")]
    fn select(&self, place: usize) -> Result<(), Error> {
        match self.entries.get(place) {
            Some(_) if self.passes(place) => {
                self.selected.store(place as u8 + 1, Relaxed);
                self.chosen.store(place as u8 + 1, Relaxed);
                Ok(())
            }
            Some(entry) if (entry.usable)() => {
                Err(Error::InvalidParameter { what: "implementation: it fails its self-test" })
            }
            _ => Err(Error::InvalidParameter { what: "implementation: this CPU cannot run it" }),
        }
    }

    #[cfg(feature = "select")]
    fn reset(&self) {
        self.selected.store(0, Relaxed);
        self.chosen.store(0, Relaxed);
    }
}

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
    /// Whether it runs when a call has [`from_messages`](Self::from_messages) messages.
    pub chosen: bool,
    /// The smallest number of messages in one call for which it is preferred.
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
                write!(f, "no implementation of {} passes its self-test; refusing to compute", self.primitive)
            }
        }
    }
}

impl core::error::Error for SelfTestError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// A primitive that doubles, and its implementations, some of them broken.
    trait Double: Sync {
        fn double(&self, x: u32) -> u32;
    }
    struct Right;
    struct Wrong;
    struct Absent;
    impl Double for Right {
        fn double(&self, x: u32) -> u32 {
            2 * x
        }
    }
    impl Double for Wrong {
        fn double(&self, x: u32) -> u32 {
            2 * x + 1
        }
    }
    impl Double for Absent {
        fn double(&self, _: u32) -> u32 {
            unreachable!("this CPU lacks its instructions")
        }
    }
    fn self_test(kernel: &dyn Double) -> bool {
        kernel.double(21) == 42
    }
    const fn entry(
        name: &'static str,
        min_batch: usize,
        kernel: Option<&'static dyn Double>,
    ) -> Entry<dyn Double> {
        match kernel {
            Some(kernel) => Entry { name, min_batch, usable: || true, kernel },
            None => Entry { name, min_batch, usable: || false, kernel: &Absent },
        }
    }

    #[test]
    fn a_corrupted_candidate_is_skipped() {
        static LIST: Backends<dyn Double> = Backends::new(
            "double",
            &[
                entry("absent", 1, None),
                entry("corrupted", 1, Some(&Wrong)),
                entry("good", 1, Some(&Right)),
                entry("portable", 1, Some(&Right)),
            ],
            self_test,
        );
        assert_eq!(LIST.chosen().double(4), 8);
        let names: Vec<_> = (0..LIST.len()).map(|i| LIST.describe(i)).collect();
        assert_eq!(names.iter().map(|i| i.chosen).collect::<Vec<_>>(), [false, false, true, false]);
        assert_eq!(names.iter().map(|i| i.passes_self_test).collect::<Vec<_>>(), [false, false, true, true]);
        let error = LIST.test().unwrap_err();
        assert_eq!((error.primitive(), error.implementation()), ("double", Some("corrupted")));
        assert_eq!(error.to_string(), "the implementation corrupted of double fails its self-test");
    }

    #[test]
    fn if_all_fail_there_is_an_error_and_no_result() {
        static LIST: Backends<dyn Double> = Backends::new(
            "double",
            &[entry("fast", 1, Some(&Wrong)), entry("portable", 1, Some(&Wrong))],
            self_test,
        );
        let error = LIST.choose(1).err().unwrap();
        assert_eq!(
            error.to_string(),
            "no implementation of double passes its self-test; refusing to compute"
        );
        let panic = std::panic::catch_unwind(|| LIST.chosen().double(4)).unwrap_err();
        assert_eq!(panic.downcast_ref::<String>().unwrap(), &error.to_string());
        assert!(std::panic::catch_unwind(|| LIST.chosen_for(8).double(4)).is_err());
    }

    #[test]
    fn the_number_of_messages_chooses() {
        static LIST: Backends<dyn Double> = Backends::new(
            "double",
            &[entry("wide", 6, Some(&Right)), entry("narrow", 1, Some(&Right))],
            self_test,
        );
        for (messages, place) in [(0, 1), (1, 1), (5, 1), (6, 0), (600, 0)] {
            assert_eq!(LIST.choose(messages).unwrap().0, place, "{messages} messages");
        }
        assert!(LIST.describe(0).chosen && LIST.describe(1).chosen);
        LIST.select(0).unwrap();
        assert_eq!(LIST.choose(1).unwrap().0, 0);
        LIST.reset();
        assert_eq!(LIST.choose(1).unwrap().0, 1);
    }

    #[test]
    fn an_implementation_that_cannot_run_cannot_be_selected() {
        static LIST: Backends<dyn Double> = Backends::new(
            "double",
            &[
                entry("absent", 1, None),
                entry("corrupted", 1, Some(&Wrong)),
                entry("portable", 1, Some(&Right)),
            ],
            self_test,
        );
        assert!(LIST.select(0).is_err());
        assert!(LIST.select(1).is_err());
        assert!(LIST.select(7).is_err());
        assert_eq!(LIST.chosen().double(1), 2);
    }

    #[test]
    #[cfg_attr(target_family = "wasm", ignore = "no threads")]
    fn threads_may_choose_at_the_same_time() {
        static LIST: Backends<dyn Double> = Backends::new(
            "double",
            &[entry("corrupted", 1, Some(&Wrong)), entry("portable", 1, Some(&Right))],
            self_test,
        );
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| assert_eq!(LIST.chosen().double(5), 10));
            }
        });
    }
}
