//! Pairs of an input and an output of the same length, in the same memory or in memory that does not overlap.
//!
//! A kernel that uses [`InOut`] works in place and out of place, in safe code. It takes bytes off the front,
//! each once.

use crate::IS_SMALL;
pub use crate::any_bytes::any_bytes;
use crate::lanes::{Blocks, load_partial, store_partial};
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
    /// Readable and writable for `len` bytes. Equal to `input`, or not overlapping its bytes.
    output: *mut u8,
    len: usize,
    _borrowed: PhantomData<(&'a [u8], &'a mut [u8])>,
}

impl<'a> InOut<'a> {
    /// Returns a pair that reads and writes `data`.
    #[inline(always)]
    #[must_use]
    pub const fn in_place(data: &'a mut [u8]) -> Self {
        let output = data.as_mut_ptr();
        Self { input: output, output, len: data.len(), _borrowed: PhantomData }
    }

    /// Returns a pair that reads `input` and writes `output`.
    ///
    /// # Panics
    /// If the lengths differ.
    #[inline(always)]
    #[must_use]
    pub const fn apart(input: &'a [u8], output: &'a mut [u8]) -> Self {
        assert!(input.len() == output.len());
        Self { input: input.as_ptr(), output: output.as_mut_ptr(), len: input.len(), _borrowed: PhantomData }
    }

    /// Returns the number of bytes left.
    #[inline(always)]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether no bytes are left.
    #[inline(always)]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Reborrows the bytes, like `&mut *bytes` for slices.
    #[inline(always)]
    #[must_use]
    pub const fn reborrow(&mut self) -> InOut<'_> {
        InOut { input: self.input, output: self.output, len: self.len, _borrowed: PhantomData }
    }

    /// Returns the input.
    #[inline(always)]
    #[must_use]
    pub const fn input(&self) -> &[u8] {
        // SAFETY: `input` is readable for `len` bytes, and nothing writes to them while this reference lives.
        unsafe { core::slice::from_raw_parts(self.input, self.len) }
    }

    /// Returns the output, to read back what was written.
    #[inline(always)]
    #[must_use]
    pub const fn written(&self) -> &[u8] {
        // SAFETY: `output` is readable for `len` bytes, which were a byte slice, so they are initialised;
        // nothing writes to them while this reference lives.
        unsafe { core::slice::from_raw_parts(self.output, self.len) }
    }

    /// Takes the first `len` bytes off and returns them.
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

    /// Takes `W` vectors of `N` blocks of 16 bytes off the front. Returns `None` if fewer are left.
    #[inline(always)]
    #[must_use]
    pub const fn take<const N: usize, const W: usize>(&mut self) -> Option<Group<'a, N, W>> {
        const { assert!(N <= usize::MAX / 16 / W) }
        if self.len < 16 * N * W {
            return None;
        }
        let group = Group { input: self.input, output: self.output, _borrowed: PhantomData };
        self.advance(16 * N * W);
        Some(group)
    }

    /// Loads the first bytes of the input into a vector: as many as are left and fit, followed by zeros.
    #[inline(always)]
    pub fn load_front<V: Blocks<N>, const N: usize>(&self, isa: V::Isa) -> V {
        let len = self.len.min(16 * N);
        // SAFETY: `input` is readable for `len` bytes, and nothing writes to them while this reference lives.
        V::load_front(isa, unsafe { core::slice::from_raw_parts(self.input, len) })
    }

    /// Writes the front of a vector, as many bytes as [`load_front`](Self::load_front) loads, and takes them
    /// off.
    #[inline(always)]
    pub fn store_front<V: Blocks<N>, const N: usize>(&mut self, vector: V) {
        let len = self.len.min(16 * N);
        // SAFETY: `output` is writable for `len` bytes, and nothing else reaches them while this reference
        // lives.
        vector.store_front(unsafe { core::slice::from_raw_parts_mut(self.output, len) });
        self.advance(len);
    }

    /// XORs `stream` into all bytes left, and takes them off. Further bytes of `stream` are ignored.
    ///
    /// # Panics
    /// If `stream` is shorter.
    #[inline(always)]
    pub fn xor(&mut self, stream: &[u8]) {
        if const { IS_SMALL } {
            return self.xor_words(stream);
        }
        // A copy, whose fields stay in registers.
        let mut text = self.take_front(self.len);
        let mut rest = &stream[..text.len];
        // Not of 512 bits: a CPU waits for the first such vector in a while.
        while text.len >= 32 {
            let (piece, after) = rest.split_first_chunk::<32>().expect("as long as the text");
            text.xor_array(*piece);
            rest = after;
            // Pinned, since LLVM would add a loop for several pieces, and comparisons of all addresses.
            text.len = crate::pin::pin(text.len as u64) as usize;
        }
        if let Some((piece, after)) = rest.split_first_chunk::<16>() {
            text.xor_array(*piece);
            rest = after;
        }
        if !rest.is_empty() {
            text.xor_partial(rest);
        }
    }

    /// XORs fewer than 16 bytes into all bytes left.
    #[inline(never)]
    fn xor_partial(self, stream: &[u8]) {
        let ([low, high], [low_input, high_input]) = (load_partial(stream), load_partial(self.input()));
        // SAFETY: `output` is writable for `len` bytes, and nothing else reaches them while this reference
        // lives.
        let output = unsafe { core::slice::from_raw_parts_mut(self.output, self.len) };
        store_partial([low ^ low_input, high ^ high_input], output);
    }

    /// Does [`xor`](Self::xor) with little code.
    #[inline(never)]
    fn xor_words(&mut self, stream: &[u8]) {
        let (words, rest) = stream[..self.len].as_chunks::<4>();
        for (at, word) in words.iter().enumerate() {
            // SAFETY: both pointers reach as many words, and bytes have no alignment.
            unsafe {
                let input = self.input.cast::<[u8; 4]>().add(at).read();
                let word = u32::from_ne_bytes(*word) ^ u32::from_ne_bytes(input);
                self.output.cast::<[u8; 4]>().add(at).write(word.to_ne_bytes());
            }
        }
        self.advance(4 * words.len());
        for (at, byte) in rest.iter().enumerate() {
            // SAFETY: both pointers reach as many bytes.
            unsafe { self.output.add(at).write(self.input.add(at).read() ^ byte) }
        }
        self.advance(rest.len());
    }

    /// XORs `stream`, of whole words, into the first bytes, and takes them off.
    #[inline(always)]
    fn xor_array<const N: usize>(&mut self, mut stream: [u8; N]) {
        const { assert!(N.is_multiple_of(8)) }
        assert!(N <= self.len);
        // SAFETY: both pointers reach N bytes, and bytes have no alignment.
        unsafe {
            let input = self.input.cast::<[u8; N]>().read();
            // In words, since a compiler that optimises for size keeps a loop over bytes.
            for (word, input) in stream.as_chunks_mut::<8>().0.iter_mut().zip(input.as_chunks().0) {
                *word = (u64::from_ne_bytes(*word) ^ u64::from_ne_bytes(*input)).to_ne_bytes();
            }
            self.output.cast::<[u8; N]>().write(stream);
        }
        self.advance(N);
    }

    /// Moves past `len` bytes. The caller has checked that as many are left.
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

/// `W` vectors of `N` blocks of 16 bytes to read, and as many to write. See [`InOut`].
///
/// ```
/// use keylane_cpu::Portable;
/// use keylane_cpu::in_out::InOut;
/// use keylane_cpu::lanes::{Blocks, portable::PlainBlocks};
///
/// let mut data = [7; 70];
/// let mut text = InOut::in_place(&mut data);
/// let mut group = text.take::<2, 2>().unwrap();
/// let second: PlainBlocks<2> = group.load(Portable, 1);
/// group.store(1, second ^ PlainBlocks::broadcast(Portable, &[1; 16]));
/// assert_eq!((text.len(), data[31], data[32], data[64]), (6, 7, 6, 7));
/// ```
#[derive(Debug)]
pub struct Group<'a, const N: usize, const W: usize> {
    /// The addresses, as in [`InOut`], of 16 × `N` × `W` bytes.
    input: *const u8,
    output: *mut u8,
    _borrowed: PhantomData<(&'a [u8], &'a mut [u8])>,
}

impl<'a, const N: usize, const W: usize> Group<'a, N, W> {
    /// Returns the input.
    #[inline(always)]
    #[must_use]
    pub const fn input(&self) -> &[[[u8; 16]; N]; W] {
        // SAFETY: `input` is readable for as many bytes, which have no alignment; nothing writes while this
        // reference lives.
        unsafe { &*self.input.cast() }
    }

    /// Returns the output.
    #[inline(always)]
    pub const fn output(&mut self) -> &mut [[[u8; 16]; N]; W] {
        // SAFETY: `output` is writable for as many bytes, which were a byte slice, so they are initialised,
        // and have no alignment; nothing else reaches them while this reference lives.
        unsafe { &mut *self.output.cast() }
    }

    /// Loads vector `j` of the input.
    ///
    /// # Panics
    /// If the group has fewer vectors. With a constant `j`, the check costs nothing.
    #[inline(always)]
    pub fn load<V: Blocks<N>>(&self, isa: V::Isa, j: usize) -> V {
        V::load(isa, &self.input()[j])
    }

    /// Stores vector `j` of the output.
    ///
    /// # Panics
    /// If the group has fewer vectors.
    #[inline(always)]
    pub fn store<V: Blocks<N>>(&mut self, j: usize, vector: V) {
        vector.store(&mut self.output()[j]);
    }

    /// Returns the output, to read back what was written.
    #[inline(always)]
    #[must_use]
    pub const fn written(self) -> &'a [[[u8; 16]; N]; W] {
        // SAFETY: as of `output`; this consumes the group, so nothing writes to the memory while it is
        // borrowed.
        unsafe { &*self.output.cast() }
    }
}

/// Appends `len` bytes to `output` and calls `write` to fill them. Before that, their contents are
/// unspecified: zeros, except on x86-64 and aarch64, where nothing fills them. If `write` fails, `output` is
/// unchanged.
///
/// # Errors
/// The error of `write`.
///
/// # Panics
/// Like [`Vec::reserve`].
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
