//! Where C's pointers become Rust's references: all unsafe code of the C libraries, `keylane-ffi` and
//! `keylane-poly1305`.
//!
//! An exported function takes its pointers as the types below: opaque to Rust, plain pointers in C. Only C
//! makes values of these types, by calling an exported function, and the header states what C promises by the
//! call: a pointer is valid for the number of bytes that the length after it says, or that its type has, and
//! no other thread writes to them during the call. Every unsafe block here rests on that. An exported
//! function must pass each pointer with its own length, the argument after it.
//!
//! [`Call`] records the ranges that a call uses. It refuses a range that is written and overlaps another, so
//! Rust references never alias, and nothing is written before all ranges are accepted.

#[cfg(panic = "abort")]
compile_error!("build with panic = \"unwind\": C gets an error code, not the end of the process");

pub mod error;
mod messages;
#[cfg(test)]
mod tests;

use error::{
    Failure, KEYLANE_ERROR_INPUT_TOO_LONG, KEYLANE_ERROR_INTERNAL, KEYLANE_ERROR_NULL, KEYLANE_ERROR_OVERLAP,
    KEYLANE_ERROR_SELF_TEST, KEYLANE_ERROR_UNINITIALISED, KEYLANE_ERROR_WRONG_LENGTH,
};
use keylane_cpu::wipe::wipe;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_int};
use std::marker::PhantomData;
use std::mem::{MaybeUninit, offset_of};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// Bytes that are read: in C `const uint8_t *`, followed by their length. Null where that is 0.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Input(*const u8);

/// Bytes that are written, or read and written: in C `uint8_t *`, followed by their length. Null where that
/// is 0.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Output(*mut u8);

/// `N` bytes that are read: in C `const uint8_t name[N]`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Array<const N: usize>(*const [u8; N]);

/// `N` bytes that are written at the end of the call: in C `uint8_t name[N]`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct OutArray<const N: usize>(*mut [u8; N]);

/// Several runs of bytes that are read: in C `const keylane_bytes *`, followed by how many. Null where there
/// are none.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct List(*const keylane_bytes);

/// A string that ends with a zero byte: in C `const char *`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Name(*const c_char);

/// A struct that is read: in C `const T *`.
#[repr(transparent)]
pub struct Ref<T>(*const T);

/// Several structs that are read, any of them repeatedly: in C `const T *const *`, followed by how many. Null
/// where there are none.
#[repr(transparent)]
pub struct RefList<T>(*const *const T);

/// A struct that is written, or read and written: in C `T *`.
#[repr(transparent)]
pub struct Mut<T>(*mut T);

// Not derived: a derive would require `T: Clone`.
impl<T> Clone for Mut<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Mut<T> {}
impl<T> Clone for Ref<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Ref<T> {}
impl<T> Clone for RefList<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for RefList<T> {}

impl<const N: usize> Array<N> {
    /// Returns the bytes as an input and its length.
    #[must_use]
    pub const fn input(self) -> (Input, usize) {
        (Input(self.0.cast()), N)
    }
}

/// Some bytes: an element of a list. `data` may be null if `len` is 0.
#[derive(Clone, Copy)]
#[repr(C)]
#[allow(non_camel_case_types, reason = "the name is C's")]
pub struct keylane_bytes {
    data: *const u8,
    len: usize,
}

/// Messages of an AEAD: in C `const keylane_message *`, followed by how many. Null where there are none.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct MessageList(*const keylane_message);

/// One of many messages of an AEAD. `nonce` has the AEAD's nonce length, `tag` 16 bytes. `aad` and `text` may
/// be null if their length is 0. `text` is encrypted or decrypted in place; `tag` is written when encrypting,
/// read when decrypting.
#[derive(Clone, Copy)]
#[repr(C)]
#[allow(non_camel_case_types, reason = "the name is C's")]
pub struct keylane_message {
    nonce: *const u8,
    aad: *const u8,
    aad_len: usize,
    text: *mut u8,
    text_len: usize,
    tag: *mut u8,
}

/// A C struct that holds a Rust value, followed by a mark that shows it is initialised. `fits` says how large
/// its array has to be.
pub trait Opaque: Sized {
    /// C may copy it and never drops it: it owns nothing, and C must have secrets in it wiped.
    type Value: Send + Sync + 'static;
    /// The mark of this struct alone. Memory that is uninitialised or was wiped does not hold it.
    const MARK: [u8; 8];
}

#[repr(C)]
struct Stored<T> {
    value: MaybeUninit<T>,
    mark: [u8; 8],
}

impl<T> Stored<T> {
    const LEN: usize = offset_of!(Self, mark) + 8;
}

/// A result that is written after the call's last read, so it may begin where an input begins.
struct Pending {
    bytes: [u8; MAX_RESULT_LEN],
    /// 0 if there is none.
    len: usize,
    to: *mut u8,
}

/// SHA-512's digest.
const MAX_RESULT_LEN: usize = 64;

/// Runs the body of an exported function once, catches panics, and returns 0 or the error code.
#[inline]
pub fn call(mut body: impl FnMut(&Call) -> Result<(), Failure>) -> c_int {
    run(&mut body)
}

/// The body of an exported function. A `dyn FnMut` has a second copy of its code, for `FnOnce`.
trait Body {
    fn run(&mut self, call: &Call) -> Result<(), Failure>;
}

impl<F: FnMut(&Call) -> Result<(), Failure>> Body for F {
    fn run(&mut self, call: &Call) -> Result<(), Failure> {
        self(call)
    }
}

/// The part that is the same in every call, compiled once.
#[inline(never)]
fn run(body: &mut dyn Body) -> c_int {
    let guarded = AssertUnwindSafe(|| {
        let call = Call::new();
        let done = body.run(&call);
        if done.is_ok() {
            call.write_result();
        }
        done
    });
    match catch_unwind(guarded) {
        Ok(Ok(())) => 0,
        Ok(Err(Failure(code))) => code,
        Err(_) => after_a_panic(),
    }
}

/// Whether every primitive has an implementation that passes its self-test.
pub fn works() -> bool {
    let one_passes = |primitive: &keylane::Primitive| {
        primitive.implementations().any(|found| found.chosen && found.from_messages == 1)
    };
    keylane::primitives().iter().all(one_passes)
}

/// A primitive without an implementation that passes its self-test panics rather than compute something
/// wrong.
#[cold]
fn after_a_panic() -> c_int {
    if works() { KEYLANE_ERROR_INTERNAL } else { KEYLANE_ERROR_SELF_TEST }
}

/// The ranges that one call uses. References from it live no longer than it does.
pub struct Call {
    /// The first `count` are initialised.
    ranges: [Cell<MaybeUninit<Range>>; MAX_RANGES],
    count: Cell<usize>,
    has_list: Cell<bool>,
    pending: RefCell<Pending>,
}

/// The most pointers that a function takes.
const MAX_RANGES: usize = 6;

#[derive(Clone, Copy)]
struct Range {
    start: usize,
    len: usize,
    access: Access,
}

#[derive(Clone, Copy, PartialEq)]
enum Access {
    Read,
    /// The elements of a list are read, `len` of them.
    ReadList,
    /// Messages are processed, `len` of them.
    Messages {
        nonce_len: usize,
    },
    /// The structs of a list are read, `len` of them, each so long.
    ReadStructs(usize),
    /// Exclusive: outputs, and structs, even those that are only read.
    Alone,
    WriteAtTheEnd,
}

impl Range {
    fn is_list(&self) -> bool {
        matches!(self.access, Access::ReadList | Access::ReadStructs(_) | Access::Messages { .. })
    }

    /// Whether they share no byte. The check of the length ensures that no end wraps.
    #[inline]
    fn is_apart(&self, other: &Self) -> bool {
        self.start + self.len <= other.start || other.start + other.len <= self.start
    }

    /// Whether one call may use both.
    #[inline(always)]
    fn goes_with(&self, other: &Self) -> bool {
        let lists = self.is_list() || other.is_list();
        self.is_apart(other) && !lists || self.goes_with_what_is_near(other)
    }

    fn goes_with_what_is_near(&self, other: &Self) -> bool {
        use Access::{Messages, Read, ReadList, ReadStructs, WriteAtTheEnd};
        match (self.access, other.access) {
            (Read | ReadList | ReadStructs(_), Read | ReadList | ReadStructs(_)) => true,
            // SAFETY: only `list` and `structs` make these, of a list that they have read through.
            (ReadList | ReadStructs(_), _) => unsafe { all_elements(self, |it| it.goes_with(other)) },
            (Messages { nonce_len }, _) => {
                let part_goes = |part: &Self| part.goes_with(other);
                // SAFETY: only `messages` makes this access, of a list that it has read through.
                unsafe { messages::all_parts(self.start, self.len, nonce_len, part_goes) }
            }
            (_, ReadList | ReadStructs(_) | Messages { .. }) => other.goes_with(self),
            (Read, WriteAtTheEnd) | (WriteAtTheEnd, Read) if self.start == other.start => true,
            // An empty range overlaps nothing, even inside another.
            _ => self.len == 0 || other.len == 0 || self.is_apart(other),
        }
    }
}

/// Whether the test holds for all ranges that are read for a list: the list and the bytes of its elements.
///
/// # Safety
/// The range is that of a list, which is readable.
#[inline(always)]
unsafe fn all_elements(list: &Range, test: impl Fn(&Range) -> bool) -> bool {
    let Range { start, len: count, access } = *list;
    let read = |start, len| Range { start, len, access: Access::Read };
    let bytes = matches!(access, Access::ReadList);
    let itself = read(start, count * if bytes { size_of::<keylane_bytes>() } else { size_of::<*const u8>() });
    let element = |i| match access {
        Access::ReadStructs(len) => {
            let first = ptr::with_exposed_provenance::<*const u8>(start);
            // SAFETY: as the caller promises, and `i` is below the count. C need not have aligned it.
            read(unsafe { first.add(i).read_unaligned() }.addr(), len)
        }
        _ => {
            let first = ptr::with_exposed_provenance::<keylane_bytes>(start);
            // SAFETY: likewise.
            let element = unsafe { first.add(i).read_unaligned() };
            read(element.data.addr(), element.len)
        }
    };
    test(&itself) && (0..count).all(|i| test(&element(i)))
}

impl Call {
    #[inline]
    fn new() -> Self {
        Self {
            ranges: [const { Cell::new(MaybeUninit::uninit()) }; MAX_RANGES],
            count: Cell::new(0),
            has_list: Cell::new(false),
            pending: RefCell::new(Pending { bytes: [0; MAX_RESULT_LEN], len: 0, to: ptr::null_mut() }),
        }
    }

    /// Accepts a range that goes with all earlier ones of this call.
    fn claim(&self, start: usize, len: usize, access: Access) -> Result<(), Failure> {
        check(start, len)?;
        let range = Range { start, len, access };
        if self.has_list.get() || !self.earlier().all(|earlier| earlier.is_apart(&range)) {
            return self.claim_near(start, len, access);
        }
        self.push(range);
        Ok(())
    }

    /// Does the same for a range that is a list, comes after one, or overlaps another.
    #[inline(never)]
    fn claim_near(&self, start: usize, len: usize, access: Access) -> Result<(), Failure> {
        let range = Range { start, len, access };
        if !self.earlier().all(|earlier| earlier.goes_with(&range)) {
            return Err(Failure(KEYLANE_ERROR_OVERLAP));
        }
        self.has_list.set(self.has_list.get() || range.is_list());
        self.push(range);
        Ok(())
    }

    #[inline]
    fn earlier(&self) -> impl Iterator<Item = Range> {
        // SAFETY: `push` has initialised so many.
        self.ranges[..self.count.get()].iter().map(|range| unsafe { range.get().assume_init() })
    }

    #[inline]
    fn push(&self, range: Range) {
        let count = self.count.get();
        self.ranges[count].set(MaybeUninit::new(range));
        self.count.set(count + 1);
    }

    /// The bytes of an input.
    #[inline]
    pub fn input(&self, input: Input, len: usize) -> Result<&[u8], Failure> {
        self.claim(input.0.addr(), len, Access::Read)?;
        // SAFETY: not null unless empty; readable, as C promises; what is written in this call does not
        // overlap it.
        Ok(unsafe { bytes(input.0, len) })
    }

    /// The bytes of an input with a fixed length.
    pub fn array<const N: usize>(&self, array: Array<N>) -> Result<&[u8; N], Failure> {
        self.claim(array.0.addr(), N, Access::Read)?;
        // SAFETY: as in `input`; bytes have no alignment.
        Ok(unsafe { &*array.0 })
    }

    /// The string without its zero byte.
    pub fn name(&self, name: Name) -> Result<&CStr, Failure> {
        check(name.0.addr(), 1)?;
        // SAFETY: not null; ends with a zero byte, as C promises.
        let string = unsafe { CStr::from_ptr(name.0) };
        self.claim(name.0.addr(), string.to_bytes_with_nul().len(), Access::Read)?;
        Ok(string)
    }

    /// The bytes of an output, which hold the input of an operation in place.
    #[allow(clippy::mut_from_ref, reason = "each range is handed out once")]
    #[inline]
    pub fn output(&self, output: Output, len: usize) -> Result<&mut [u8], Failure> {
        self.claim(output.0.addr(), len, Access::Alone)?;
        // SAFETY: not null unless empty; readable and writable, as C promises; this call touches it nowhere
        // else.
        Ok(unsafe { bytes_mut(output.0, len) })
    }

    /// An input and an output: the same memory, or apart.
    #[inline]
    pub fn text(
        &self,
        (input, input_len): (Input, usize),
        (output, output_len): (Output, usize),
    ) -> Result<Text<'_>, Failure> {
        check(input.0.addr(), input_len)?;
        check(output.0.addr(), output_len)?;
        if input.0.addr() == output.0.addr() {
            let buffer = self.output(output, input_len.max(output_len))?;
            return Ok(Text::InPlace(buffer));
        }
        Ok(Text::Apart(self.input(input, input_len)?, self.output(output, output_len)?))
    }

    /// The place of a short result, which may begin where an input begins.
    #[inline]
    pub fn result(&self, output: Output, len: usize) -> Result<OutSlot<'_>, Failure> {
        self.claim(output.0.addr(), len, Access::WriteAtTheEnd)?;
        Ok(OutSlot { call: self, to: output.0, len })
    }

    /// Does [`result`](Self::result) for a result with a fixed length.
    pub fn result_array<const N: usize>(&self, array: OutArray<N>) -> Result<OutSlot<'_>, Failure> {
        self.result(Output(array.0.cast()), N)
    }

    /// Does [`result`](Self::result) for a number: eight bytes in the CPU's order.
    pub fn number(&self, number: Mut<u64>) -> Result<OutSlot<'_>, Failure> {
        self.result(Output(number.0.cast()), size_of::<u64>())
    }

    /// Does [`result_array`](Self::result_array) for one that may overlap anything.
    pub fn result_anywhere<const N: usize>(&self, array: OutArray<N>) -> Result<OutSlot<'_>, Failure> {
        check(array.0.addr(), N)?;
        Ok(OutSlot { call: self, to: array.0.cast(), len: N })
    }

    #[inline]
    fn write_result(&self) {
        let mut result = self.pending.borrow_mut();
        if result.len > 0 {
            // SAFETY: `to` is not null and writable for `len` bytes, as C promises; the call's references are
            // gone.
            unsafe { ptr::copy_nonoverlapping(result.bytes.as_ptr(), result.to, result.len) };
            // It may be a key.
            wipe(&mut result.bytes);
        }
    }

    /// The elements of a list.
    pub fn list(&self, list: List, count: usize) -> Result<Slices<'_>, Failure> {
        let size = count.checked_mul(size_of::<keylane_bytes>());
        check(list.0.addr(), size.ok_or(Failure(KEYLANE_ERROR_INPUT_TOO_LONG))?)?;
        for i in 0..count {
            // SAFETY: not null, and readable for `count` elements, as C promises. It need not have aligned
            // them.
            let element = unsafe { list.0.add(i).read_unaligned() };
            check(element.data.addr(), element.len)?;
        }
        self.claim_near(list.0.expose_provenance(), count, Access::ReadList)?;
        Ok(Slices { first: list.0, count, _borrowed: PhantomData })
    }

    /// The values in the structs of a list.
    pub fn structs<O: Opaque>(&self, list: RefList<O>, count: usize) -> Result<Structs<'_, O>, Failure> {
        let size = count.checked_mul(size_of::<*const O>());
        check(list.0.addr(), size.ok_or(Failure(KEYLANE_ERROR_INPUT_TOO_LONG))?)?;
        let structs = Structs { first: list.0, count, _borrowed: PhantomData };
        for i in 0..count {
            // SAFETY: readable for `count` pointers, as C promises.
            let place = unsafe { structs.pointer(i) };
            check(place.addr(), size_of::<O>())?;
            holds_value(place)?;
        }
        self.claim_near(list.0.expose_provenance(), count, Access::ReadStructs(size_of::<O>()))?;
        Ok(structs)
    }

    /// Runs `with` on the value in a struct.
    pub fn with<O: Opaque, R>(
        &self,
        place: Ref<O>,
        with: impl FnOnce(&O::Value) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let stored = self.stored::<O>(place.0)?;
        let mut copy = Copied::<O::Value>::EMPTY;
        let place = copy.aligned(stored);
        // SAFETY: the mark is there, so `put` wrote a value; it is aligned; nothing that this call writes
        // overlaps.
        let result = with(unsafe { (*place).value.assume_init_ref() });
        if place != stored {
            copy.wipe();
        }
        result
    }

    /// Runs `with` on the value in a struct, to change it.
    pub fn with_mut<O: Opaque, R>(
        &self,
        place: Mut<O>,
        with: impl FnOnce(&mut O::Value) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let stored = self.stored::<O>(place.0)?.cast_mut();
        let mut copy = Copied::<O::Value>::EMPTY;
        let place = copy.aligned(stored).cast_mut();
        // SAFETY: as in `with`; this call reaches the struct nowhere else.
        let result = with(unsafe { (*place).value.assume_init_mut() });
        if place != stored {
            copy.give_back(stored);
            copy.wipe();
        }
        result
    }

    /// Does [`with_mut`](Self::with_mut) for the last use: unless it fails, the struct is wiped.
    pub fn finish<O: Opaque, R>(
        &self,
        place: Mut<O>,
        with: impl FnOnce(&mut O::Value) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let result = self.with_mut(place, with)?;
        wipe_struct(place);
        Ok(result)
    }

    /// A struct that is to be initialised.
    pub fn place<O: Opaque>(&self, place: Mut<O>) -> Result<Place<'_, O>, Failure> {
        self.claim(place.0.addr(), size_of::<O>(), Access::Alone)?;
        Ok(Place { place, _borrowed: PhantomData })
    }

    /// Returns the place of a struct's value, if it holds one. It may not be aligned.
    fn stored<O: Opaque>(&self, place: *const O) -> Result<*const Stored<O::Value>, Failure> {
        self.claim(place.addr(), size_of::<O>(), Access::Alone)?;
        holds_value(place)
    }
}

/// Returns the place of a struct's value, which may not be aligned. Fails unless it holds one. The pointer
/// has been checked.
fn holds_value<O: Opaque>(place: *const O) -> Result<*const Stored<O::Value>, Failure> {
    const { fits::<O>() };
    let stored = place.cast::<Stored<O::Value>>();
    // SAFETY: the struct is as large as C promises, and the mark in bounds.
    let mark = unsafe { (&raw const (*stored).mark).read() };
    if mark == O::MARK { Ok(stored) } else { Err(Failure(KEYLANE_ERROR_UNINITIALISED)) }
}

/// Wipes a struct, whatever it holds.
pub fn wipe_struct<O: Opaque>(place: Mut<O>) {
    if !place.0.is_null() {
        // SAFETY: not null, and writable for the size of the struct, as C promises.
        unsafe { wipe_memory(place.0.cast(), size_of::<O>()) };
    }
}

/// # Safety
/// Writable for `len` bytes; there may be none of them initialised.
unsafe fn wipe_memory(start: *mut u8, len: usize) {
    // SAFETY: as the caller promises; after the first line all bytes are initialised.
    unsafe {
        ptr::write_bytes(start, 0, len);
        wipe(bytes_mut(start, len));
    }
}

/// Every struct has room for its value and mark: `size_of::<Value>() + 8`, rounded up to the value's
/// alignment. `cargo build` evaluates this, `cargo check` does not.
const fn fits<O: Opaque>() {
    assert!(size_of::<Stored<O::Value>>() <= size_of::<O>(), "the struct is too small for its value");
}

/// A value at its own alignment.
struct Copied<T>(Stored<T>);

impl<T> Copied<T> {
    const EMPTY: Self = Self(Stored { value: MaybeUninit::uninit(), mark: [0; 8] });

    /// Returns where the stored value is aligned: where it is, or here, where it is copied to then.
    #[inline(always)]
    fn aligned(&mut self, stored: *const Stored<T>) -> *const Stored<T> {
        if stored.is_aligned() {
            return stored;
        }
        self.fill(stored);
        &raw mut self.0
    }

    #[inline(always)]
    fn fill(&mut self, stored: *const Stored<T>) {
        // SAFETY: both are that large; as bytes neither has an alignment.
        unsafe {
            ptr::copy_nonoverlapping(stored.cast::<u8>(), (&raw mut self.0).cast::<u8>(), Stored::<T>::LEN);
        }
    }

    fn give_back(&self, stored: *mut Stored<T>) {
        // SAFETY: as in `fill`; `stored` is writable where a copy is given back.
        unsafe {
            ptr::copy_nonoverlapping((&raw const self.0).cast::<u8>(), stored.cast::<u8>(), Stored::<T>::LEN);
        }
    }

    fn wipe(&mut self) {
        // SAFETY: in bounds; the value is not read again.
        unsafe { wipe_memory((&raw mut self.0.value).cast(), size_of::<T>()) };
    }
}

/// Where a struct is to be initialised.
pub struct Place<'a, O> {
    place: Mut<O>,
    _borrowed: PhantomData<&'a mut O>,
}

impl<O: Opaque> Place<'_, O> {
    /// Initialises the struct with a copy of `value`, which the caller drops and thereby wipes.
    pub fn put(self, value: &O::Value) {
        const { fits::<O>() };
        let stored = self.place.0.cast::<Stored<O::Value>>();
        // SAFETY: as large as C promises, and value and mark fit; as bytes they have no alignment. `Opaque`
        // promises that the value may be copied.
        unsafe {
            ptr::copy_nonoverlapping(
                ptr::from_ref(value).cast::<u8>(),
                (&raw mut (*stored).value).cast::<u8>(),
                size_of::<O::Value>(),
            );
            (&raw mut (*stored).mark).write(O::MARK);
        }
    }
}

/// The place of a result.
pub struct OutSlot<'a> {
    call: &'a Call,
    to: *mut u8,
    len: usize,
}

impl OutSlot<'_> {
    /// Fails unless the output has length `len`.
    pub fn expect(&self, len: usize) -> Result<(), Failure> {
        if self.len == len { Ok(()) } else { Err(Failure(KEYLANE_ERROR_WRONG_LENGTH)) }
    }

    /// Writes `result`, which has the output's length, at the end of the call unless that fails.
    pub fn set(self, result: &[u8]) -> Result<(), Failure> {
        self.expect(result.len())?;
        let mut pending = self.call.pending.borrow_mut();
        pending.bytes[..self.len].copy_from_slice(result);
        (pending.len, pending.to) = (self.len, self.to);
        Ok(())
    }
}

/// An input and an output.
pub enum Text<'a> {
    /// Both begin here; the slice has the longer length.
    InPlace(&'a mut [u8]),
    /// They share no byte.
    Apart(&'a [u8], &'a mut [u8]),
}

/// The elements of a list, each as long as it says.
#[derive(Clone, Copy)]
pub struct Slices<'a> {
    first: *const keylane_bytes,
    count: usize,
    _borrowed: PhantomData<&'a [u8]>,
}

/// The number of slices that are processed together: more than any implementation has lanes.
pub const GROUP: usize = 64;

impl<'a> Slices<'a> {
    /// How many elements.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// The total length of all elements, which may be the same memory repeatedly, so more than an object can
    /// have.
    pub fn total_len(&self) -> u128 {
        // SAFETY: `list` has read through it, and no thread changes it meanwhile, as C promises.
        let len = |i| unsafe { self.first.add(i).read_unaligned() }.len;
        (0..self.count).map(|i| len(i) as u128).sum()
    }

    /// The elements from `start` on: the array's first ones, at most [`GROUP`], and how many.
    pub fn group(&self, start: usize) -> ([&'a [u8]; GROUP], usize) {
        let mut group = [&[][..]; GROUP];
        let len = GROUP.min(self.count - start);
        for i in 0..len {
            group[i] = self.get(start + i);
        }
        (group, len)
    }

    /// # Panics
    /// If there is no such element.
    pub fn get(&self, i: usize) -> &'a [u8] {
        assert!(i < self.count);
        // SAFETY: `list` has read through it and checked the element, which no thread changes meanwhile, as C
        // promises.
        unsafe {
            let element = self.first.add(i).read_unaligned();
            bytes(element.data, element.len)
        }
    }
}

/// The structs of a list, which hold values.
pub struct Structs<'a, O> {
    first: *const *const O,
    count: usize,
    _borrowed: PhantomData<&'a O>,
}

/// The function that is called with some of the values.
type With<'w, V> = &'w mut dyn FnMut(&[&V]) -> Result<(), Failure>;

impl<O: Opaque> Structs<'_, O> {
    /// Runs `with` on the values from `start` on, at most [`GROUP`] and at least one.
    ///
    /// # Panics
    /// If there is none.
    pub fn group(&self, start: usize, with: With<'_, O::Value>) -> Result<(), Failure> {
        let stored = |i: usize| {
            assert!(i < self.count);
            // SAFETY: `structs` has read through the list, which no thread changes meanwhile, as C promises.
            unsafe { self.pointer(i) }.cast::<Stored<O::Value>>()
        };
        let len = GROUP.min(self.count - start);
        let mut copies = [const { Copied::EMPTY }; GROUP];
        let is_copied = |i: usize| !stored(start + i).is_aligned();
        for (i, copy) in copies.iter_mut().enumerate().take(len).filter(|(i, _)| is_copied(*i)) {
            copy.fill(stored(start + i));
        }
        let place = |i| if is_copied(i) { &raw const copies[i].0 } else { stored(start + i) };
        // SAFETY: the mark is there, so `put` wrote a value; it is aligned; this call only reads it.
        let value = |i| unsafe { (*place(i)).value.assume_init_ref() };
        let mut values = [value(0); GROUP];
        for (i, place) in values.iter_mut().enumerate().take(len) {
            *place = value(i);
        }
        let result = with(&values[..len]);
        for (_, copy) in copies.iter_mut().enumerate().take(len).filter(|(i, _)| is_copied(*i)) {
            copy.wipe();
        }
        result
    }

    /// # Safety
    /// The list is readable up to this pointer.
    unsafe fn pointer(&self, i: usize) -> *const O {
        // SAFETY: as the caller promises. C need not have aligned it.
        unsafe { self.first.add(i).read_unaligned() }
    }
}

/// Fails if the pointer is null and `len` is not 0, or if no Rust object can have `len` bytes.
#[inline]
fn check(start: usize, len: usize) -> Result<(), Failure> {
    if start == 0 && len > 0 {
        return Err(Failure(KEYLANE_ERROR_NULL));
    }
    if len > isize::MAX as usize || start.checked_add(len).is_none() {
        return Err(Failure(KEYLANE_ERROR_INPUT_TOO_LONG));
    }
    Ok(())
}

/// # Safety
/// As for `slice::from_raw_parts`, but any pointer will do if `len` is 0.
unsafe fn bytes<'a>(pointer: *const u8, len: usize) -> &'a [u8] {
    // SAFETY: as the caller promises.
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(pointer, len) } }
}

/// # Safety
/// As for `slice::from_raw_parts_mut`, but any pointer will do if `len` is 0.
unsafe fn bytes_mut<'a>(pointer: *mut u8, len: usize) -> &'a mut [u8] {
    // SAFETY: as the caller promises.
    if len == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(pointer, len) } }
}
