//! Measures time and stack.

/// SysTick, which counts down.
const CONTROL: *mut u32 = 0xe000_e010 as *mut u32;
const RELOAD: *mut u32 = 0xe000_e014 as *mut u32;
const VALUE: *mut u32 = 0xe000_e018 as *mut u32;

/// Returns what the work returns, and how many instructions it took in the emulator, where each takes 256 ns,
/// and SysTick counts in 62.5. On a board, SysTick counts cycles.
pub(crate) fn measured<T>(work: impl FnOnce() -> T) -> (T, u32) {
    // SAFETY: these are SysTick's registers, which no other code uses.
    let before = unsafe {
        RELOAD.write_volatile(0xff_ffff);
        CONTROL.write_volatile(5);
        VALUE.read_volatile()
    };
    let result = work();
    // SAFETY: as above.
    let after = unsafe { VALUE.read_volatile() };
    // It has 24 bits.
    let ticks = before.wrapping_sub(after) & 0xff_ffff;
    (result, (ticks * 125 + 256) / 512)
}

/// Returns how many bytes of stack have been used since the start. `cortex-m-rt` has painted them.
pub(crate) fn stack() -> usize {
    let (mut end, top) = (cortex_m_rt::heap_start().cast_const(), 0x2000_4000 as *const u32);
    // SAFETY: it is the memory after the statics.
    unsafe {
        while end < top && end.read_volatile() == cortex_m_rt::STACK_PAINT_VALUE {
            end = end.add(1);
        }
        top.byte_offset_from_unsigned(end)
    }
}
