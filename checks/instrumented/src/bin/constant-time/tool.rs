//! Marks on secrets, and the tool that follows them: valgrind's memcheck, or MemorySanitizer. Both treat a
//! marked byte as uninitialised, and report branches and addresses that depend on it.

#[cfg(feature = "memory-sanitizer")]
pub(crate) use memory_sanitizer::*;
#[cfg(not(feature = "memory-sanitizer"))]
pub(crate) use valgrind::*;

/// Called by `keylane_cpu::constant_time::declassify`.
#[unsafe(no_mangle)]
fn keylane_declassify(bytes: *mut u8, len: usize) {
    // SAFETY: it points to a value of this length, which its caller alone has.
    unmark(unsafe { std::slice::from_raw_parts_mut(bytes, len) });
}

#[cfg(not(feature = "memory-sanitizer"))]
mod valgrind {
    //! Valgrind takes requests by instructions that do nothing elsewhere ("The Client Request mechanism" in
    //! its manual).

    /// The numbers of valgrind.h and memcheck.h.
    const RUNNING_ON_VALGRIND: usize = 0x1001;
    const COUNT_ERRORS: usize = 0x1201;
    const MEMCHECK: usize = (b'M' as usize) << 24 | (b'C' as usize) << 16;
    const MAKE_MEM_UNDEFINED: usize = MEMCHECK + 1;
    const MAKE_MEM_DEFINED: usize = MEMCHECK + 2;
    const GET_VBITS: usize = MEMCHECK + 8;

    fn request(number: usize, first: usize, second: usize, third: usize) -> usize {
        let request = [number, first, second, third, 0, 0];
        let mut answer = 0;
        // SAFETY: four rotations of a register by 128 bits in all, and an exchange of one with itself.
        // Valgrind reads the request, writes the answer, and does to the program's memory what the request
        // says.
        unsafe {
            core::arch::asm!(
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                in("rax") request.as_ptr(),
                inout("rdx") answer,
                options(nostack),
            );
        }
        answer
    }

    /// Marks every byte as a secret.
    pub(crate) fn mark(bytes: &mut [u8]) {
        request(MAKE_MEM_UNDEFINED, bytes.as_mut_ptr().expose_provenance(), bytes.len(), 0);
    }

    /// Takes the marks off.
    pub(crate) fn unmark(bytes: &mut [u8]) {
        request(MAKE_MEM_DEFINED, bytes.as_mut_ptr().expose_provenance(), bytes.len(), 0);
    }

    /// Returns the marked bits of each byte.
    pub(crate) fn marks(bytes: &[u8]) -> Vec<u8> {
        let mut marks = vec![0; bytes.len()];
        // Valgrind reads what it knows of the first and writes to the second, which has the same length.
        let answer =
            request(GET_VBITS, bytes.as_ptr().addr(), marks.as_mut_ptr().expose_provenance(), bytes.len());
        assert!(bytes.is_empty() || answer == 1, "valgrind has no marks to show");
        marks
    }

    /// Returns how many reports there were.
    pub(crate) fn reports() -> usize {
        request(COUNT_ERRORS, 0, 0, 0)
    }

    /// Whether the tool is at work.
    pub(crate) fn is_there() -> bool {
        request(RUNNING_ON_VALGRIND, 0, 0, 0) != 0
    }
}

#[cfg(feature = "memory-sanitizer")]
mod memory_sanitizer {
    //! MemorySanitizer is in the program: `sanitizer/msan_interface.h`.

    use std::ffi::{c_char, c_void};
    use std::ptr;
    use std::sync::atomic::{AtomicUsize, Ordering};

    unsafe extern "C" {
        fn __msan_poison(bytes: *const c_void, len: usize);
        fn __msan_unpoison(bytes: *const c_void, len: usize);
        /// The place of the first marked byte, or -1.
        fn __msan_test_shadow(bytes: *const c_void, len: usize) -> isize;
    }

    /// Lines of reports; only whether there are more of them counts.
    static PRINTED: AtomicUsize = AtomicUsize::new(0);

    /// The run-time library calls this for all that it prints, and it prints nothing but reports.
    #[unsafe(no_mangle)]
    extern "C" fn __sanitizer_on_print(_: *const c_char) {
        PRINTED.fetch_add(1, Ordering::Relaxed);
    }

    /// The program says how it ends: reports of planted leaks are no failure.
    #[unsafe(no_mangle)]
    extern "C" fn __msan_default_options() -> *const c_char {
        c"exitcode=0".as_ptr()
    }

    pub(crate) fn mark(bytes: &mut [u8]) {
        // SAFETY: the bytes are there, and none changes.
        unsafe { __msan_poison(bytes.as_ptr().cast(), bytes.len()) }
    }

    pub(crate) fn unmark(bytes: &mut [u8]) {
        // SAFETY: as above.
        unsafe { __msan_unpoison(bytes.as_ptr().cast(), bytes.len()) }
    }

    /// The interface tells only of whole bytes whether any bit is marked: all are set then.
    pub(crate) fn marks(bytes: &[u8]) -> Vec<u8> {
        // SAFETY: a byte that is there.
        let marked = |byte: &u8| unsafe { __msan_test_shadow(ptr::from_ref(byte).cast(), 1) == 0 };
        bytes.iter().map(|byte| if marked(byte) { 0xff } else { 0 }).collect()
    }

    pub(crate) fn reports() -> usize {
        PRINTED.load(Ordering::Relaxed)
    }

    /// Without it, the program would not have been linked.
    pub(crate) fn is_there() -> bool {
        true
    }
}
