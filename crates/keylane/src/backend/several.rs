//! A list of several implementations, portable last, and the choice among them.
//!
//! Every list is static. On first use, the cheapest implementation is chosen that this CPU can run *and* that
//! passes its self-test. The choice is stored in atomics, so it needs no lock, no heap and no standard
//! library. If two threads choose at the same time, both do the same work and store the same result.

use super::{Backends, Entry, Implementation, List, SelfTestError, gains_from};
#[cfg(feature = "select")]
use crate::error::Error;
use core::ops::Range;
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering, Ordering::Relaxed};

/// The order of a choice and a selection.
const ORDER: Ordering = if cfg!(feature = "select") { Ordering::SeqCst } else { Relaxed };

/// The maximum number of messages that a choice tells apart: those of the widest kernel.
pub(crate) const MAX_BATCH: usize = 16;

/// The choice from a list. What every call reads is in one cache line with it.
pub(crate) struct State {
    /// The choices for one message, for two, and so on: places in the list plus one, 0 before the first use.
    chosen: [AtomicU8; MAX_BATCH],
    /// For one message, for two, and so on: the number of blocks of each from which they gain from being
    /// processed side by side; 0 before the first use.
    gains: [AtomicU8; MAX_BATCH],
    /// Bit i: entry i's self-test has run. Bit 16 + i: it passed. For each self-test.
    verdicts: [AtomicU32; 2],
    /// The selected implementation, as in `chosen`; 0 if none is selected.
    #[cfg(feature = "select")]
    selected: AtomicU8,
    /// The one that costs least for one message, as in `chosen`.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only x86-64 asks for it"))]
    usual: u8,
}

impl State {
    pub(super) const fn new<K: ?Sized>(entries: &[Entry<K>]) -> Self {
        assert!(!entries.is_empty() && entries.len() <= 16);
        let (mut usual, mut place) = (0, 1);
        while place < entries.len() {
            if entries[place].cost[0].alone < entries[usual].cost[0].alone {
                usual = place;
            }
            place += 1;
        }
        Self {
            chosen: [const { AtomicU8::new(0) }; MAX_BATCH],
            gains: [const { AtomicU8::new(0) }; MAX_BATCH],
            verdicts: [const { AtomicU32::new(0) }; 2],
            #[cfg(feature = "select")]
            selected: AtomicU8::new(0),
            usual: usual as u8 + 1,
        }
    }
}

/// Returns which of an entry's two costs is this CPU's.
fn this_cpu() -> usize {
    #[cfg(target_arch = "x86_64")]
    return keylane_cpu::x86_64::Features::of_this_cpu().contains(keylane_cpu::x86_64::Features::AMD).into();
    #[cfg(not(target_arch = "x86_64"))]
    0
}

impl<K: ?Sized + Sync + 'static> Backends<K> {
    /// Returns the implementation for one message.
    ///
    /// # Panics
    /// If no implementation passes its self-test: a wrong result would be worse.
    #[inline]
    pub(crate) fn chosen(&self) -> &'static K {
        self.chosen_for(1)
    }

    /// Does [`chosen`](Self::chosen), which is usually this kernel, the one that costs least for one message.
    /// A call of that one is direct, and does not wait for the list and for its table of functions, which may
    /// not be in the cache.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(crate) fn usually<S: super::Shape>(&self, kernel: impl Fn(&'static S) -> &'static K) -> &'static K {
        let usual = self.state.usual;
        debug_assert_eq!(
            self.entries[usize::from(usual) - 1].name,
            <S::Isa as keylane_cpu::InstructionSet>::NAME
        );
        if self.state.chosen[0].load(Relaxed) == usual { kernel(S::KERNEL) } else { self.unusual() }
    }

    // Not inlined, or the compiler would select one of two addresses and call that.
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    fn unusual(&self) -> &'static K {
        self.chosen()
    }

    /// Ensures that an implementation was chosen, and so has passed its self-test. For code outside of the
    /// list that every self-test runs as well.
    ///
    /// # Panics
    /// As [`chosen`](Self::chosen).
    #[inline]
    pub(crate) fn ensure_tested(&self) {
        if self.state.chosen[0].load(Relaxed) == 0 {
            self.choose_first(1);
        }
    }

    /// Returns the implementation for 1 to [`MAX_BATCH`] messages side by side.
    ///
    /// # Panics
    /// As [`chosen`](Self::chosen).
    #[inline]
    pub(crate) fn chosen_for(&self, messages: usize) -> &'static K {
        let chosen = usize::from(self.state.chosen[messages - 1].load(Relaxed));
        match self.entries.get(chosen.wrapping_sub(1)) {
            Some(entry) => entry.kernel,
            None => self.choose_first(messages),
        }
    }

    #[cold]
    fn choose_first(&self, messages: usize) -> &'static K {
        let list: &dyn List = self;
        self.entries[list.choose_first(messages)].kernel
    }

    /// Returns whether `messages` messages of so many blocks in all cost less if `side_by_side`, 1 to
    /// [`MAX_BATCH`], of them are processed at a time.
    #[inline]
    pub(crate) fn gain(&self, side_by_side: usize, messages: usize, blocks: usize) -> bool {
        let from = match self.state.gains[side_by_side - 1].load(Relaxed) {
            0 => {
                let list: &dyn List = self;
                list.compute_gain(side_by_side)
            }
            from => from,
        };
        from < u8::MAX && usize::from(from).saturating_mul(messages) <= blocks
    }
}

impl dyn List {
    /// Chooses for so many messages, and stores the choice.
    fn choose_first(&self, messages: usize) -> usize {
        let place = self.choose(messages).unwrap_or_else(|error| panic!("{error}"));
        let chosen = &self.state().chosen[messages - 1];
        chosen.store(place as u8 + 1, ORDER);
        // If another was selected meanwhile, this thread sees so, or that one stores after this.
        #[cfg(feature = "select")]
        if let selected @ 1.. = self.state().selected.load(ORDER) {
            chosen.store(selected, ORDER);
        }
        place
    }

    /// Returns the place of the entry that costs least for this number of messages, of those that this CPU
    /// can run and that pass their self-test; or of the one that is selected.
    pub(crate) fn choose(&self, messages: usize) -> Result<usize, SelfTestError> {
        #[cfg(feature = "select")]
        if let Some(place) = usize::from(self.state().selected.load(Relaxed)).checked_sub(1) {
            return self.choose_of(place..place + 1, messages);
        }
        self.choose_of(0..self.len(), messages)
    }

    /// Does [`choose`](Self::choose) among these places in the list.
    fn choose_of(&self, places: Range<usize>, messages: usize) -> Result<usize, SelfTestError> {
        loop {
            let failed = |verdicts: u32| verdicts & !(verdicts >> 16);
            let failed = self.needed(messages).fold(0, |all, verdicts| all | failed(verdicts.load(Relaxed)));
            let not_failed = places.clone().filter(|place| failed & (1 << place) == 0);
            match self.cheapest(not_failed, messages, this_cpu()) {
                None => return Err(SelfTestError { primitive: self.primitive(), implementation: None }),
                Some(place) if self.passes(place, messages) => return Ok(place),
                Some(_) => {}
            }
        }
    }

    /// Returns the first of these entries that cost least on this CPU or the other.
    fn cheapest(&self, places: impl Iterator<Item = usize>, messages: usize, cpu: usize) -> Option<usize> {
        places.min_by_key(|place| self.entry(*place).cost[cpu].side_by_side(messages))
    }

    #[cold]
    fn compute_gain(&self, messages: usize) -> u8 {
        let cpu = this_cpu();
        let cost = |n| match self.choose(n) {
            Ok(place) => self.entry(place).cost[cpu],
            Err(error) => panic!("{error}"),
        };
        let from = gains_from(messages, cost(1), cost(messages), cpu);
        self.state().gains[messages - 1].store(from, Relaxed);
        from
    }

    /// Returns the verdicts that count for so many messages.
    fn needed(&self, messages: usize) -> impl Iterator<Item = &AtomicU32> {
        self.state().verdicts.iter().take(messages)
    }

    /// Returns whether this CPU can run the entry and its kernel passes the self-tests for so many messages,
    /// each of which runs once.
    fn passes(&self, place: usize, messages: usize) -> bool {
        let (tested, passed) = (1 << place, 1 << (16 + place));
        self.needed(messages).enumerate().all(|(which, all)| {
            let verdicts = all.load(Relaxed);
            if verdicts & tested != 0 {
                return verdicts & passed != 0;
            }
            // A verdict that another thread stores at the same time may be lost, and its test is then
            // repeated.
            let store = |all: &AtomicU32, verdict| all.store(all.load(Relaxed) & !passed | verdict, Relaxed);
            let good = (self.entry(place).usable)() && self.run_self_test(place, which);
            if good {
                store(all, tested | passed);
            } else {
                // It is refused for any number of messages, also where it was chosen before.
                self.state().verdicts.iter().for_each(|all| store(all, tested));
                self.state().chosen.iter().for_each(|chosen| chosen.store(0, ORDER));
            }
            good
        })
    }

    /// Sets the choices for all numbers of messages, or 0 to choose anew.
    #[cfg(feature = "select")]
    fn set_choices(&self, chosen: u8) {
        self.state().chosen.iter().for_each(|choice| choice.store(chosen, ORDER));
        self.state().gains.iter().for_each(|gain| gain.store(0, Relaxed));
    }

    pub(crate) fn describe(&self, place: usize) -> Implementation {
        let Entry { name, usable, .. } = self.entry(place);
        let wins = |chosen| matches!(chosen, Ok(winner) if winner == place);
        let beats_later = |n: &usize| wins(self.choose_of(place..self.len(), *n));
        Implementation {
            name,
            usable: usable(),
            passes_self_test: self.passes(place, MAX_BATCH),
            chosen: (1..=MAX_BATCH).any(|n| wins(self.choose(n))),
            from_messages: (1..=MAX_BATCH).find(beats_later).unwrap_or(usize::MAX),
            place,
        }
    }

    pub(crate) fn test(&self) -> Result<(), SelfTestError> {
        let failed = |place: &usize| (self.entry(*place).usable)() && !self.passes(*place, MAX_BATCH);
        (0..self.len()).find(failed).map_or(Ok(()), |place| {
            let implementation = Some(self.entry(place).name);
            Err(SelfTestError { primitive: self.primitive(), implementation })
        })
    }

    #[cfg(feature = "select")]
    pub(crate) fn select(&self, place: usize) -> Result<(), Error> {
        let what = if place < self.len() && self.passes(place, MAX_BATCH) {
            self.state().selected.store(place as u8 + 1, ORDER);
            self.set_choices(place as u8 + 1);
            return Ok(());
        } else if place < self.len() && (self.entry(place).usable)() {
            "implementation: it fails its self-test"
        } else {
            "implementation: this CPU cannot run it"
        };
        Err(Error::InvalidParameter { what })
    }

    #[cfg(feature = "select")]
    pub(crate) fn reset(&self) {
        self.state().selected.store(0, Relaxed);
        self.set_choices(0);
    }
}

#[cfg(test)]
mod tests;
