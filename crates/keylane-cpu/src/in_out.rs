//! One input and one output of the same length: the same memory, or memory apart.
//!
//! A kernel that reads its input and writes its output through this works in place and out of place alike,
//! and stays safe code: bytes are taken off the front, each once.

use crate::lanes::Blocks;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::marker::PhantomData;

/// Bytes to read, and as many bytes to write: the same bytes, or bytes that do not overlap.
///
/// ```
/// use keylane_cpu::in_out::InOut;
///
/// fn encrypt(mut text: InOut<'_>) {
///     text.take_front(4).xor(&[1; 4]);
///     text.xor(&[2; 16]);
/// }
/// let (input, mut output) = ([0; 6], [0; 6]);
/// encrypt(InOut::apart(&input, &mut output));
/// let mut data = input;
/// encrypt(InOut::in_place(&mut data));
/// assert!(data == [1, 1, 1, 1, 2, 2] && output == data);
/// ```
#[derive(Debug)]
pub struct InOut<'a> {
    /// Readable for `len` bytes.
    input: *const u8,
    /// Readable and writable for `len` bytes. Equal to `input`, or apart from all that it reaches.
    output: *mut u8,
    len: usize,
    _borrowed: PhantomData<(&'a [u8], &'a mut [u8])>,
}

impl<'a> InOut<'a> {
    /// Reads and writes `data`.
    #[inline(always)]
    #[must_use]
    pub const fn in_place(data: &'a mut [u8]) -> Self {
        let output = data.as_mut_ptr();
        Self { input: output, output, len: data.len(), _borrowed: PhantomData }
    }

    /// Reads `input` and writes `output`.
    ///
    /// # Panics
    /// If the lengths differ.
    #[inline(always)]
    #[must_use]
    pub const fn apart(input: &'a [u8], output: &'a mut [u8]) -> Self {
        assert!(input.len() == output.len());
        Self { input: input.as_ptr(), output: output.as_mut_ptr(), len: input.len(), _borrowed: PhantomData }
    }

    /// How many bytes are left.
    #[inline(always)]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is left.
    #[inline(always)]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The same bytes, for as long as they are borrowed from here.
    #[inline(always)]
    #[must_use]
    pub const fn reborrow(&mut self) -> InOut<'_> {
        InOut { input: self.input, output: self.output, len: self.len, _borrowed: PhantomData }
    }

    /// The bytes to read.
    #[inline(always)]
    #[must_use]
    pub const fn input(&self) -> &[u8] {
        // SAFETY: `input` is readable for `len` bytes, and nothing writes to them while this reference lives.
        unsafe { core::slice::from_raw_parts(self.input, self.len) }
    }

    /// The output, as it was written.
    #[inline(always)]
    #[must_use]
    pub const fn written(&self) -> &[u8] {
        // SAFETY: `output` is readable for `len` bytes, which were a byte slice, so they are initialised;
        // nothing writes to them while this reference lives.
        unsafe { core::slice::from_raw_parts(self.output, self.len) }
    }

    /// Takes the first `len` bytes off.
    ///
    /// # Panics
    /// If fewer are left.
    #[inline(always)]
    #[must_use]
    pub const fn take_front(&mut self, len: usize) -> Self {
        assert!(len <= self.len);
        let front = Self { input: self.input, output: self.output, len, _borrowed: PhantomData };
        self.advance(len);
        front
    }

    /// Takes the first blocks off, if there are as many.
    #[inline(always)]
    #[must_use]
    pub const fn take<const BLOCKS: usize>(&mut self) -> Option<Group<'a, BLOCKS>> {
        const { assert!(BLOCKS <= usize::MAX / 16) }
        if self.len < 16 * BLOCKS {
            return None;
        }
        let group = Group { input: self.input, output: self.output, _borrowed: PhantomData };
        self.advance(16 * BLOCKS);
        Some(group)
    }

    /// Reads the first bytes into the front of a vector, as many as fit and are there, with zeros after them.
    #[inline(always)]
    pub fn load_front<V: Blocks<N>, const N: usize>(&self, isa: V::Isa) -> V {
        let len = self.len.min(16 * N);
        // SAFETY: `input` is readable for `len` bytes, and nothing writes to them while this reference lives.
        V::load_front(isa, unsafe { core::slice::from_raw_parts(self.input, len) })
    }

    /// Writes the front of a vector, as many bytes as [`load_front`](Self::load_front) reads, and takes them
    /// off.
    #[inline(always)]
    pub fn store_front<V: Blocks<N>, const N: usize>(&mut self, vector: V) {
        let len = self.len.min(16 * N);
        // SAFETY: `output` is writable for `len` bytes, and nothing else reaches them while this reference
        // lives.
        vector.store_front(unsafe { core::slice::from_raw_parts_mut(self.output, len) });
        self.advance(len);
    }

    /// XORs the first bytes of `stream` into all bytes, and takes them off.
    ///
    /// # Panics
    /// If `stream` is shorter.
    #[inline(always)]
    pub fn xor(&mut self, stream: &[u8]) {
        let (pieces, rest) = stream[..self.len].as_chunks::<64>();
        for piece in pieces {
            self.xor_array(*piece);
        }
        let (pieces, rest) = rest.as_chunks::<16>();
        for piece in pieces {
            self.xor_array(*piece);
        }
        let (pieces, rest) = rest.as_chunks::<4>();
        for piece in pieces {
            self.xor_array(*piece);
        }
        for byte in rest {
            self.xor_array([*byte]);
        }
    }

    /// Adds `stream` to the first bytes, and takes them off.
    #[inline(always)]
    fn xor_array<const N: usize>(&mut self, mut stream: [u8; N]) {
        assert!(N <= self.len);
        // SAFETY: both pointers reach N bytes, and bytes have no alignment.
        unsafe {
            let input = self.input.cast::<[u8; N]>().read();
            for i in 0..N {
                stream[i] ^= input[i];
            }
            self.output.cast::<[u8; N]>().write(stream);
        }
        self.advance(N);
    }

    /// Moves past `len` bytes, which the caller has seen to be there.
    #[inline(always)]
    const fn advance(&mut self, len: usize) {
        // SAFETY: at most one past the end of what the pointers reach.
        unsafe {
            self.input = self.input.add(len);
            self.output = self.output.add(len);
        }
        self.len -= len;
    }
}

/// `BLOCKS` blocks to read and to write.
///
/// ```
/// use keylane_cpu::Portable;
/// use keylane_cpu::in_out::InOut;
/// use keylane_cpu::lanes::{Blocks, portable::PlainBlocks};
///
/// let mut data = [7; 40];
/// let mut text = InOut::in_place(&mut data);
/// let mut group = text.take::<2>().unwrap();
/// let blocks: PlainBlocks<2> = group.load(Portable, 0);
/// group.store(0, blocks ^ PlainBlocks::broadcast(Portable, &[1; 16]));
/// assert_eq!((text.len(), data[31], data[32]), (8, 6, 7));
/// ```
#[derive(Debug)]
pub struct Group<'a, const BLOCKS: usize> {
    /// As in [`InOut`], for 16 × `BLOCKS` bytes.
    input: *const u8,
    output: *mut u8,
    _borrowed: PhantomData<(&'a [u8], &'a mut [u8])>,
}

impl<'a, const BLOCKS: usize> Group<'a, BLOCKS> {
    /// The input from block `at` on.
    ///
    /// # Panics
    /// If the group ends before; a constant `at` costs no check.
    #[inline(always)]
    #[must_use]
    pub const fn input<const N: usize>(&self, at: usize) -> &[[u8; 16]; N] {
        assert!(N <= BLOCKS && at <= BLOCKS - N);
        // SAFETY: in bounds by the assertion; bytes have no alignment; nothing writes while this reference
        // lives.
        unsafe { &*self.input.add(16 * at).cast::<[[u8; 16]; N]>() }
    }

    /// The output from block `at` on.
    ///
    /// # Panics
    /// As [`input`](Self::input).
    #[inline(always)]
    pub const fn output<const N: usize>(&mut self, at: usize) -> &mut [[u8; 16]; N] {
        assert!(N <= BLOCKS && at <= BLOCKS - N);
        // SAFETY: in bounds by the assertion; the memory was a byte slice, so it is initialised; nothing else
        // reaches these bytes while this reference lives.
        unsafe { &mut *self.output.add(16 * at).cast::<[[u8; 16]; N]>() }
    }

    /// The input from block `at` on.
    ///
    /// # Panics
    /// As [`input`](Self::input).
    #[inline(always)]
    pub fn load<V: Blocks<N>, const N: usize>(&self, isa: V::Isa, at: usize) -> V {
        V::load(isa, self.input(at))
    }

    /// Writes the output from block `at` on.
    ///
    /// # Panics
    /// As [`input`](Self::input).
    #[inline(always)]
    pub fn store<V: Blocks<N>, const N: usize>(&mut self, at: usize, vector: V) {
        vector.store(self.output(at));
    }

    /// The output, as it was written.
    #[inline(always)]
    #[must_use]
    pub const fn written(self) -> &'a [[u8; 16]; BLOCKS] {
        // SAFETY: the memory was a byte slice, so it is initialised; bytes have no alignment; with the group
        // gone, nothing writes to it for as long as it is borrowed.
        unsafe { &*self.output.cast::<[[u8; 16]; BLOCKS]>() }
    }
}

/// Makes room for `len` more bytes at the end of `output` and has them written; their first value is
/// unspecified (filling them costs nothing on x86-64 and aarch64; elsewhere they are zeros). If `write`
/// fails, `output` is as it was.
///
/// # Errors
/// What `write` returns.
///
/// # Panics
/// If the vector cannot grow so far, as [`Vec::reserve`].
///
/// ```
/// let mut message = b"text".to_vec();
/// keylane_cpu::in_out::append(&mut message, 2, |room| {
///     room.copy_from_slice(b", ");
///     Ok::<(), ()>(())
/// })?;
/// assert_eq!(message, b"text, ");
/// # Ok::<(), ()>(())
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn append<E>(
    output: &mut Vec<u8>,
    len: usize,
    write: impl FnOnce(&mut [u8]) -> Result<(), E>,
) -> Result<(), E> {
    output.reserve(len);
    let end = output.len();
    let room = &mut output.spare_capacity_mut()[..len];
    write(any_bytes(room))?;
    // SAFETY: `reserve` made the room, and `any_bytes` initialised it.
    unsafe { output.set_len(end + len) };
    Ok(())
}

/// Initialises memory with whatever it holds, for those who then write to all of it: filling it costs nothing
/// on x86-64 and aarch64; elsewhere, and under Miri, it becomes zeros.
///
/// No value passes through this assembly, so builds for MemorySanitizer keep it: what is not written to
/// afterwards stays undefined to it.
#[inline]
pub fn any_bytes(memory: &mut [core::mem::MaybeUninit<u8>]) -> &mut [u8] {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        // A page that the allocator gave back lazily may still become zeros under a reader: one write keeps
        // it. Pages are no smaller than this.
        for page in memory.chunks_mut(4096) {
            page[0].write(0);
        }
        if let Some(last) = memory.last_mut() {
            last.write(0);
        }
        // SAFETY: no instruction is emitted. Without `nomem` the compiler must take it that the memory was
        // written: with the bytes that are there, which stay as they are, since every page has been written
        // to.
        unsafe {
            core::arch::asm!("/* {0} */", in(reg) memory.as_mut_ptr(), options(nostack, preserves_flags));
        }
    }
    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
    for byte in &mut *memory {
        byte.write(0);
    }
    // SAFETY: every byte was written, here or by the assembly block as far as the language can tell.
    unsafe { &mut *(core::ptr::from_mut(memory) as *mut [u8]) }
}
