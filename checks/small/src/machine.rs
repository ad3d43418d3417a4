//! The machines: how they start, count, print and end, and how their stack use is measured.

#[cfg(target_os = "none")]
pub(crate) use bare::{depth, print, ticks};

#[cfg(not(target_os = "none"))]
pub(crate) use host::{depth, print, ticks};

/// A host, of which only the answers matter.
#[cfg(not(target_os = "none"))]
mod host {
    pub(crate) fn print(text: &[u8]) {
        print!("{}", str::from_utf8(text).expect("ASCII"));
    }

    pub(crate) fn ticks() -> u32 {
        0
    }

    pub(crate) fn depth(work: impl FnOnce()) -> u32 {
        work();
        0
    }
}

#[cfg(target_os = "none")]
mod bare {
    use core::alloc::{GlobalAlloc, Layout};
    use core::arch::global_asm;
    use core::panic::PanicInfo;

    // What comes before the first Rust function.
    #[cfg(target_arch = "arm")]
    global_asm!(include_str!("../arm.s"));
    #[cfg(target_arch = "avr")]
    global_asm!(include_str!("../avr.s"));
    #[cfg(target_arch = "riscv32")]
    global_asm!(include_str!("../riscv32.s"));

    unsafe extern "C" {
        static stack_end: u32;
    }

    #[unsafe(no_mangle)]
    extern "C" fn start() -> ! {
        // SysTick, which counts down from there at the clock of the CPU.
        #[cfg(target_arch = "arm")]
        // SAFETY: these are its registers, on every Cortex-M.
        unsafe {
            (0xe000_e014 as *mut u32).write_volatile(0xff_ffff);
            (0xe000_e010 as *mut u32).write_volatile(5);
        }
        // The transmitter, and two timers: of cycles, and of every 1024th.
        #[cfg(target_arch = "avr")]
        // SAFETY: these are their registers on an ATmega1284P.
        unsafe {
            (0xc1 as *mut u8).write_volatile(8);
            (0x81 as *mut u8).write_volatile(1);
            (0x91 as *mut u8).write_volatile(5);
        }
        crate::run();
        exit(0)
    }

    #[unsafe(no_mangle)]
    extern "C" fn fault() -> ! {
        print(b"fault\n");
        exit(1)
    }

    #[panic_handler]
    fn panic(_: &PanicInfo<'_>) -> ! {
        print(b"panic\n");
        exit(1)
    }

    /// No heap. The library is compiled with what needs one, which these programs do not use.
    struct Heap;

    #[global_allocator]
    static HEAP: Heap = Heap;

    // SAFETY: it allocates nothing.
    unsafe impl GlobalAlloc for Heap {
        unsafe fn alloc(&self, _: Layout) -> *mut u8 {
            core::ptr::null_mut()
        }

        unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
    }

    pub(crate) fn print(text: &[u8]) {
        for byte in text {
            #[cfg(not(target_arch = "avr"))]
            semihosting::sys::arm_compat::sys_writec(*byte);
            #[cfg(target_arch = "avr")]
            // SAFETY: these are registers of the transmitter, of which the first says when the other is free.
            unsafe {
                while (0xc0 as *const u8).read_volatile() & 0x20 == 0 {}
                (0xc6 as *mut u8).write_volatile(*byte);
            }
        }
    }

    #[cfg(not(target_arch = "avr"))]
    use semihosting::process::exit;

    /// Ends the emulator, which has no exit status.
    #[cfg(target_arch = "avr")]
    fn exit(_: i32) -> ! {
        // SAFETY: it sleeps for good.
        unsafe { core::arch::asm!("cli", "sleep", options(noreturn)) }
    }

    /// Returns a number that grows with each instruction, by what the emulator was told.
    #[inline(always)]
    pub(crate) fn ticks() -> u32 {
        #[cfg(target_arch = "arm")]
        // SAFETY: it is SysTick's value, of 24 bits.
        return unsafe { !(0xe000_e018 as *const u32).read_volatile() << 8 };
        #[cfg(target_arch = "avr")]
        {
            // SAFETY: they are the values of the timers. The upper bits come from the second, where the first
            // says which.
            let (low, high) =
                unsafe { ((0x84 as *const u16).read_volatile(), (0x94 as *const u16).read_volatile()) };
            let about = u32::from(high) << 10;
            return about.wrapping_add_signed(i32::from(low.wrapping_sub(about as u16) as i16)) << 6;
        }
        #[cfg(target_arch = "riscv32")]
        {
            let count;
            // SAFETY: the register exists on every hart in machine mode.
            unsafe { core::arch::asm!("csrr {}, minstret", out(reg) count) };
            count
        }
    }

    const PAINT: u32 = 0x5aa5_a55a;

    /// Returns how many bytes of stack the work wrote, or a hundred, if it wrote fewer.
    #[inline(never)]
    pub(crate) fn depth(work: impl FnOnce()) -> u32 {
        let top = 0_u32;
        let top = &raw const top;
        paint();
        work();
        let mut end = &raw const stack_end;
        // SAFETY: it is the memory between the statics and this function's frame.
        unsafe {
            while end < top && end.read_volatile() == PAINT {
                end = end.add(1);
            }
            top.byte_offset_from_unsigned(end) as u32
        }
    }

    /// Paints the stack that is free.
    #[inline(never)]
    fn paint() {
        let top = 0_u32;
        // Below what this function keeps on the stack.
        let top = (&raw const top).wrapping_sub(16);
        let mut end = (&raw const stack_end).cast_mut();
        // SAFETY: no value lies below the frame of a function that calls none.
        unsafe {
            while end.cast_const() < top {
                end.write_volatile(PAINT);
                end = end.add(1);
            }
        }
    }
}
