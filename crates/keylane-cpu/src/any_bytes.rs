//! Memory whose contents do not matter.

/// Initialises memory with unspecified contents, for callers that then write to all of it. On x86-64 and
/// aarch64, the memory keeps its contents, which costs next to nothing; elsewhere, and under Miri, it is
/// filled with zeros.
///
/// Builds for MemorySanitizer keep this assembly, since no value passes through it: bytes that are not
/// written afterwards stay undefined to the tool.
#[inline]
pub fn any_bytes(memory: &mut [core::mem::MaybeUninit<u8>]) -> &mut [u8] {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        // A page that the allocator has freed lazily may turn into zeros between two reads. One write to it
        // prevents that. Pages are no smaller than this.
        for page in memory.chunks_mut(4096) {
            page[0].write(0);
        }
        if let Some(last) = memory.last_mut() {
            last.write(0);
        }
        // SAFETY: no instruction is emitted. Without `nomem` the compiler must assume that the memory was
        // written. Its bytes are stable, since every page has been written to.
        unsafe {
            core::arch::asm!("/* {0} */", in(reg) memory.as_mut_ptr(), options(nostack, preserves_flags));
        }
    }
    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
    for byte in &mut *memory {
        byte.write(0);
    }
    // SAFETY: every byte was written, by this loop or, as far as the compiler knows, by the assembly.
    unsafe { &mut *(core::ptr::from_mut(memory) as *mut [u8]) }
}
