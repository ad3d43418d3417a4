//! The cost of kernels that process several messages side by side, and whether that pays.

/// The cost of a block of each message, in cycles of an Emerald Rapids: long messages in a loop, at best.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    /// Of one message.
    alone: u16,
    /// Of up to `lanes` messages side by side.
    pass: u16,
    lanes: u16,
}

impl Cost {
    /// That of a list whose kernels process one message at a time: the first one is preferred.
    pub(crate) const NONE: Self = Self::of((1, 1, 1));

    /// Takes the cost of one message, and that of up to so many side by side.
    pub(crate) const fn of((alone, pass, lanes): (u16, u16, u16)) -> Self {
        Self { alone, pass, lanes }
    }

    /// Returns the cost of these messages by the kernel, which lets too few for a pass run alone.
    pub(super) fn side_by_side(self, messages: usize) -> usize {
        let [alone, pass, lanes] = [self.alone, self.pass, self.lanes].map(usize::from);
        pass * (messages / lanes) + pass.min(alone * (messages % lanes))
    }
}

/// The cost of setting up and wiping the lanes, per batch and per message, and how many blocks a message
/// may have at most for this to decide. As measured, like [`Cost`].
const SET_UP: usize = 400;
const SET_UP_EACH: usize = 60;
const MAX_BLOCKS: usize = 100;

/// Returns from how many blocks of each on so many messages cost less side by side, where a block of all of them
/// costs `alone` one by one and `beside` side by side. 255 if never.
#[inline]
pub(crate) fn gains_from(messages: usize, alone: usize, beside: usize) -> u8 {
    let set_up = SET_UP + SET_UP_EACH * messages;
    match alone.checked_sub(beside) {
        Some(gain @ 1..) if set_up / gain < MAX_BLOCKS - 1 => (set_up / gain + 1) as u8,
        _ => u8::MAX,
    }
}
