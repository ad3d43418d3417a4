//! Turns C's pointers into Rust's references: all unsafe code of the C library.
//!
//! An exported function's parameters have the types below, which are plain pointers in C and opaque to Rust.
//! Only C makes such values, by calling an exported function, and the header states what C promises with a
//! call: a pointer is valid for as many bytes as the length after it says, or as its type has, and no other
//! thread writes to them during the call. Every unsafe block here relies on that. An exported function must
//! pass each pointer with its own length.
//!
//! [`Call`] records the ranges that a call uses. It refuses a range that is written and overlaps another, so
//! Rust references never alias, and nothing is written before all ranges are accepted.

// In JavaScript's WebAssembly, a panic traps: an exception there.
#[cfg(all(panic = "abort", not(target_family = "wasm")))]
compile_error!("build with panic = \"unwind\": C gets an error code, not the end of the process");

#[cfg(test)]
mod tests;

use crate::error::*;
use keylane_cpu::wipe::wipe;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_int};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

/// Bytes to be read: in C `const uint8_t *`, with a length. May be null if that is 0.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Input(*const u8);

/// Bytes to be written, or read and written: in C `uint8_t *`, with a length. May be null if that is 0.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Output(*mut u8);

/// `N` bytes to be read: in C `const uint8_t name[N]`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Array<const N: usize>(*const [u8; N]);

/// `N` bytes to be written at the end of the call: in C `uint8_t name[N]`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct OutArray<const N: usize>(*mut [u8; N]);

/// Numbers to be read: in C `const size_t *`, with their number. May be null if that is 0.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Numbers(*const usize);

/// A zero-terminated string: in C `const char *`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Name(*const c_char);

/// A struct to be read: in C `const T *`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Ref<T>(*const T);

/// A struct to be written, or read and written: in C `T *`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Mut<T>(*mut T);

impl Input {
    /// Returns the pointer after the first `len` bytes; null for null. Fails if no object can have `len`
    /// bytes.
    pub fn after(self, len: usize) -> Result<Self, Failure> {
        if self.0.is_null() {
            return Ok(self);
        }
        check(self.0.addr(), len)?;
        Ok(Self(self.0.wrapping_add(len)))
    }
}

impl Output {
    /// Works like [`Input::after`].
    pub fn after(self, len: usize) -> Result<Self, Failure> {
        Ok(Self(Input(self.0).after(len)?.0.cast_mut()))
    }
}

/// Returns whether both pointers are null.
pub const fn are_null(bytes: Input, numbers: Numbers) -> bool {
    bytes.0.is_null() && numbers.0.is_null()
}

/// Exports functions that return 0 or an error code. `text[text_len]: Input` stands for two parameters, a
/// pointer and its length, which the body sees as a pair. The body also gets the [`Call`].
macro_rules! export {
    ($($(#[$attribute:meta])* fn $function:ident(
        $call:ident; $($name:ident $([$len:ident])?: $Type:ty),* $(,)?
    ) $body:block)+) => { $(
        $(#[$attribute])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $function($($name: $Type, $($len: usize,)?)*) -> std::ffi::c_int {
            $($(let $name = ($name, $len);)?)*
            $crate::boundary::call(move |$call| $body)
        }
    )+ };
}
pub(crate) use export;

/// A C struct with a value at its beginning and a mark at its end. C may copy it and never drops it, so the
/// value owns nothing, and C must call a function that wipes its secrets.
pub trait Holder: Copy + 'static {
    /// The value.
    type Value: Send + Sync + 'static;
    /// The mark, unique to this struct. Uninitialised or wiped memory does not have it.
    const MARK: u64;
}

/// Declares C structs, each with its size, alignment, mark and value, and optionally exports a function that
/// wipes it.
macro_rules! structs {
    ($($(#[$doc:meta])* $Struct:ident: $len:literal, $align:literal, $mark:literal, $Value:ty $(; $wipe:ident)?)+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(C, align($align))]
        pub struct $Struct {
            opaque: [u8; $len],
        }

        impl $crate::boundary::Holder for $Struct {
            type Value = $Value;
            const MARK: u64 = u64::from_ne_bytes(*$mark);
        }

        $(#[unsafe(no_mangle)]
        pub extern "C" fn $wipe(place: $crate::boundary::Mut<$Struct>) {
            $crate::boundary::wipe_struct(place);
        })?
    )+ };
}
pub(crate) use structs;

/// A result that is written after the call's last read, so it may begin where an input begins.
struct Pending {
    bytes: [u8; MAX_RESULT_LEN],
    /// The result's length, 0 if there is none.
    len: usize,
    to: *mut u8,
}

/// The length of the longest result, a SHA-512 digest.
const MAX_RESULT_LEN: usize = 64;

/// Runs the body of an exported function once, catches panics, and returns 0 or the error code.
#[inline]
pub fn call(mut body: impl FnMut(&Call) -> Result<(), Failure>) -> c_int {
    run(&mut body)
}

/// An exported function's body. A `dyn FnMut` would contain a second copy of its code, for `FnOnce`.
trait Body {
    fn run(&mut self, call: &Call) -> Result<(), Failure>;
}

impl<F: FnMut(&Call) -> Result<(), Failure>> Body for F {
    fn run(&mut self, call: &Call) -> Result<(), Failure> {
        self(call)
    }
}

/// Runs the part that all calls share, compiled once.
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
        // The message identifies the cause: calling every primitive's self-test would link all of them into
        // each program.
        Err(panic) => match panic.downcast_ref::<String>() {
            Some(message) if message.ends_with(REFUSED) => KEYLANE_ERROR_SELF_TEST,
            _ => KEYLANE_ERROR_INTERNAL,
        },
    }
}

/// The end of the panic message of a primitive whose implementations all fail their self-test.
const REFUSED: &str = "passes its self-test; refusing to compute";

/// Returns whether every primitive has an implementation that passes its self-test.
#[cfg(not(target_family = "wasm"))]
pub fn works() -> bool {
    let one_passes = |primitive: &keylane::Primitive| {
        primitive.implementations().any(|found| found.chosen && found.from_messages == 1)
    };
    keylane::primitives().iter().all(one_passes)
}

/// The ranges that one call uses. References from it do not outlive it.
pub struct Call {
    /// The first `count` are initialised.
    ranges: [Cell<MaybeUninit<Range>>; MAX_RANGES],
    count: Cell<usize>,
    pending: RefCell<Pending>,
}

/// The maximum number of pointers that a function takes.
const MAX_RANGES: usize = 8;

#[derive(Clone, Copy)]
struct Range {
    start: usize,
    len: usize,
    access: Access,
}

#[derive(Clone, Copy)]
enum Access {
    Read,
    /// Exclusive access, for outputs and for all structs, even those that are only read.
    Alone,
    WriteAtTheEnd,
}

impl Range {
    /// Returns whether they share no byte. Ends do not wrap, as [`check`] ensures.
    #[inline]
    fn is_apart(&self, other: &Self) -> bool {
        self.start + self.len <= other.start || other.start + other.len <= self.start
    }

    /// Returns whether one call may use both.
    fn goes_with(&self, other: &Self) -> bool {
        match (self.access, other.access) {
            (Access::Read, Access::Read) => true,
            (Access::Read, Access::WriteAtTheEnd) | (Access::WriteAtTheEnd, Access::Read)
                if self.start == other.start =>
            {
                true
            }
            // An empty range overlaps nothing, even inside another.
            _ => self.len == 0 || other.len == 0 || self.is_apart(other),
        }
    }
}

impl Call {
    #[inline]
    fn new() -> Self {
        Self {
            ranges: [const { Cell::new(MaybeUninit::uninit()) }; MAX_RANGES],
            count: Cell::new(0),
            pending: RefCell::new(Pending { bytes: [0; MAX_RESULT_LEN], len: 0, to: ptr::null_mut() }),
        }
    }

    /// Records a range if it is compatible with all earlier ones of this call.
    fn claim(&self, start: usize, len: usize, access: Access) -> Result<(), Failure> {
        check(start, len)?;
        let range = Range { start, len, access };
        if !self.earlier().all(|earlier| earlier.is_apart(&range)) {
            self.check_near(start, len, access)?;
        }
        let count = self.count.get();
        self.ranges[count].set(MaybeUninit::new(range));
        self.count.set(count + 1);
        Ok(())
    }

    /// Fails if the range overlaps an earlier one with which it is not compatible. It is passed in registers:
    /// in memory, it would be stored word by word and loaded as a vector, which stalls.
    #[inline(never)]
    fn check_near(&self, start: usize, len: usize, access: Access) -> Result<(), Failure> {
        let range = Range { start, len, access };
        let good = self.earlier().all(|earlier| earlier.goes_with(&range));
        if good { Ok(()) } else { Err(Failure(KEYLANE_ERROR_OVERLAP)) }
    }

    #[inline]
    fn earlier(&self) -> impl Iterator<Item = Range> {
        // SAFETY: `claim` has initialised `count` ranges.
        self.ranges[..self.count.get()].iter().map(|range| unsafe { range.get().assume_init() })
    }

    /// Returns an input's bytes.
    #[inline]
    pub fn input(&self, (input, len): (Input, usize)) -> Result<&[u8], Failure> {
        self.claim(input.0.addr(), len, Access::Read)?;
        // SAFETY: not null unless empty; readable, as C promises; what is written in this call does not
        // overlap it.
        Ok(if len == 0 { &[] } else { unsafe { slice::from_raw_parts(input.0, len) } })
    }

    /// Returns the numbers, each as bytes in the CPU's order, since they may not be aligned.
    pub fn numbers(&self, numbers: Numbers, count: usize) -> Result<&[[u8; size_of::<usize>()]], Failure> {
        let len = count.checked_mul(size_of::<usize>()).ok_or(Failure(KEYLANE_ERROR_INPUT_TOO_LONG))?;
        Ok(self.input((Input(numbers.0.cast()), len))?.as_chunks().0)
    }

    /// Returns the bytes of an input with a fixed length.
    pub fn array<const N: usize>(&self, array: Array<N>) -> Result<&[u8; N], Failure> {
        Ok(self.input((Input(array.0.cast()), N))?.try_into().expect("N bytes"))
    }

    /// Returns the string without its zero byte.
    pub fn name(&self, name: Name) -> Result<&CStr, Failure> {
        check(name.0.addr(), 1)?;
        // SAFETY: not null; ends with a zero byte, as C promises; nothing is written in a call that has one.
        Ok(unsafe { CStr::from_ptr(name.0) })
    }

    /// Returns an output's bytes, which hold the input of an operation in place.
    #[allow(clippy::mut_from_ref, reason = "each range is handed out once")]
    #[inline]
    pub fn output(&self, (output, len): (Output, usize)) -> Result<&mut [u8], Failure> {
        self.claim(output.0.addr(), len, Access::Alone)?;
        // SAFETY: not null unless empty; readable and writable, as C promises; this call touches it nowhere
        // else.
        Ok(if len == 0 { &mut [] } else { unsafe { slice::from_raw_parts_mut(output.0, len) } })
    }

    /// Returns an input and an output, which are the same memory or do not overlap.
    #[inline]
    pub fn text(
        &self,
        (input, input_len): (Input, usize),
        (output, output_len): (Output, usize),
    ) -> Result<Text<'_>, Failure> {
        check(input.0.addr(), input_len)?;
        check(output.0.addr(), output_len)?;
        if input.0.addr() == output.0.addr() {
            return Ok(Text::InPlace(self.output((output, input_len.max(output_len)))?));
        }
        Ok(Text::Apart(self.input((input, input_len))?, self.output((output, output_len))?))
    }

    /// Returns the place of a short result, which may begin where an input begins.
    #[inline]
    pub fn result(&self, (to, len): (Output, usize)) -> Result<OutSlot<'_>, Failure> {
        self.claim(to.0.addr(), len, Access::WriteAtTheEnd)?;
        Ok(OutSlot { call: self, to: to.0, len })
    }

    /// Works like [`result`](Self::result) for a result with a fixed length.
    pub fn result_array<const N: usize>(&self, array: OutArray<N>) -> Result<OutSlot<'_>, Failure> {
        self.result((Output(array.0.cast()), N))
    }

    /// Returns the bytes of a number to be written, in the CPU's order.
    pub fn number<N>(&self, number: Mut<N>) -> Result<&mut [u8], Failure> {
        self.output((Output(number.0.cast()), size_of::<N>()))
    }

    /// Works like [`result_array`](Self::result_array) for a result that may overlap anything.
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

    /// Runs `run` on the value in a struct that is read.
    #[inline]
    pub fn reads<S: Holder, R>(&self, place: Ref<S>, run: impl FnOnce(&S::Value) -> R) -> Result<R, Failure> {
        let value = self.value_in(Mut(place.0.cast_mut()))?;
        if value.is_aligned() {
            // SAFETY: the mark is there, so `put` wrote a value; it is aligned; nothing that this call writes
            // overlaps.
            return Ok(run(unsafe { &*value }));
        }
        Ok(run(Aligned::of(value).value()))
    }

    /// Runs `run` on the value in a struct that is read and written.
    #[inline]
    pub fn changes<S: Holder, R>(
        &self,
        place: Mut<S>,
        run: impl FnOnce(&mut S::Value) -> R,
    ) -> Result<R, Failure> {
        let value = self.value_in(place)?;
        if value.is_aligned() {
            // SAFETY: as above; this call reaches the struct nowhere else.
            return Ok(run(unsafe { &mut *value }));
        }
        let mut copy = Aligned::of(value);
        let result = run(copy.value());
        // SAFETY: C lets this call write to the struct; as bytes a value has no alignment.
        unsafe {
            ptr::copy_nonoverlapping(copy.0.as_ptr().cast(), value.cast::<u8>(), size_of::<S::Value>())
        };
        Ok(result)
    }

    /// Runs `run` on the value in a struct, and wipes the struct unless that fails.
    pub fn finish<S: Holder, R>(
        &self,
        place: Mut<S>,
        run: impl FnOnce(&mut S::Value) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let result = self.changes(place, run)??;
        wipe_struct(place);
        Ok(result)
    }

    /// Claims a struct for this call alone and returns a pointer to its value, which may not be aligned.
    #[inline]
    fn value_in<S: Holder>(&self, place: Mut<S>) -> Result<*mut S::Value, Failure> {
        self.claim(place.0.addr(), size_of::<S>(), Access::Alone)?;
        // SAFETY: the struct is as large as C promises.
        unsafe { marked(place.0) }
    }

    /// Returns the values in `count` aligned structs, one after the other in memory. Each is checked only
    /// when it is used: there may be many more of them than messages.
    pub fn table<S: Holder>(&self, first: Ref<S>, count: usize) -> Result<Table<'_, S>, Failure> {
        let len = count.checked_mul(size_of::<S>()).ok_or(Failure(KEYLANE_ERROR_INPUT_TOO_LONG))?;
        self.claim(first.0.addr(), len, Access::Alone)?;
        if !first.0.is_aligned() {
            return Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER));
        }
        Ok(Table { first: first.0, count, _borrowed: PhantomData })
    }

    /// Initialises a struct with a copy of `value`, which the caller drops and thereby wipes. This must be
    /// the call's last step: a failing call writes nothing.
    pub fn put<S: Holder>(&self, place: Mut<S>, value: &S::Value) -> Result<(), Failure> {
        self.claim(place.0.addr(), size_of::<S>(), Access::Alone)?;
        const { fits::<S>() };
        // SAFETY: as large as C promises, and value and mark fit; as bytes they have no alignment. `Holder`
        // promises that the value may be copied.
        unsafe {
            ptr::copy_nonoverlapping(
                ptr::from_ref(value).cast::<u8>(),
                place.0.cast(),
                size_of::<S::Value>(),
            );
            mark_of(place.0).write_unaligned(S::MARK);
        }
        Ok(())
    }
}

/// Returns a pointer to a struct's value, which may not be aligned, if its mark is there.
///
/// # Safety
/// `place` must be readable for the struct's size.
#[inline]
unsafe fn marked<S: Holder>(place: *mut S) -> Result<*mut S::Value, Failure> {
    const { fits::<S>() };
    // SAFETY: as the caller promises; the mark is the last eight bytes.
    let mark = unsafe { mark_of(place).read_unaligned() };
    if mark == S::MARK { Ok(place.cast()) } else { Err(Failure(KEYLANE_ERROR_UNINITIALISED)) }
}

/// Returns a pointer to a struct's mark, which may not be aligned.
const fn mark_of<S>(place: *mut S) -> *mut u64 {
    place.cast::<u8>().wrapping_add(size_of::<S>() - size_of::<u64>()).cast()
}

/// Checks that a struct has room for its value and mark. `cargo build` evaluates this, `cargo check` does
/// not.
const fn fits<S: Holder>() {
    assert!(
        size_of::<S::Value>() + size_of::<u64>() <= size_of::<S>(),
        "the struct is too small for its value"
    );
}

/// Wipes a struct, initialised or not. Null is accepted.
pub fn wipe_struct<S>(place: Mut<S>) {
    if !place.0.is_null() {
        // SAFETY: not null, and writable for the size of the struct, as C promises.
        unsafe { wipe_memory(place.0) };
    }
}

/// # Safety
/// `start` must be writable for the type's size. The bytes may be uninitialised.
unsafe fn wipe_memory<T>(start: *mut T) {
    let (start, len) = (start.cast::<u8>(), size_of::<T>());
    // SAFETY: as the caller promises; after the first line all bytes are initialised.
    unsafe {
        ptr::write_bytes(start, 0, len);
        wipe(slice::from_raw_parts_mut(start, len));
    }
}

/// A copy of a value that is not aligned in its struct. Wiped when dropped.
struct Aligned<V>(MaybeUninit<V>);

impl<V> Aligned<V> {
    #[cold]
    fn of(value: *const V) -> Self {
        let mut copy = Self(MaybeUninit::uninit());
        // SAFETY: `marked` returned the pointer, so there is a value; as bytes it has no alignment.
        unsafe { ptr::copy_nonoverlapping(value.cast::<u8>(), copy.0.as_mut_ptr().cast(), size_of::<V>()) };
        copy
    }

    fn value(&mut self) -> &mut V {
        // SAFETY: `of` has copied one; `Holder` promises that it may be copied.
        unsafe { self.0.assume_init_mut() }
    }
}

impl<V> Drop for Aligned<V> {
    fn drop(&mut self) {
        // SAFETY: the value is not used again.
        unsafe { wipe_memory(&raw mut self.0) };
    }
}

/// The values in structs.
pub struct Table<'a, S> {
    first: *const S,
    count: usize,
    _borrowed: PhantomData<&'a S>,
}

impl<'a, S: Holder> Table<'a, S> {
    /// Returns the value in struct `i`. INVALID_PARAMETER if there is no such struct.
    pub fn get(&self, i: usize) -> Result<&'a S::Value, Failure> {
        const { assert!(align_of::<S>() >= align_of::<S::Value>(), "a struct is aligned for its value") };
        if i >= self.count {
            return Err(Failure(KEYLANE_ERROR_INVALID_PARAMETER));
        }
        // SAFETY: the structs are as many as C promises. The mark is there, so `put` wrote a value; `table`
        // has seen to the alignment; nothing that this call writes overlaps.
        unsafe { Ok(&*marked(self.first.wrapping_add(i).cast_mut())?) }
    }
}

/// The number of messages that are processed together, more than any implementation's lanes.
pub(crate) const GROUP: usize = 64;

/// Room for up to [`GROUP`] values on the stack. Unused places cost no time.
pub(crate) struct Group<T>([MaybeUninit<T>; GROUP]);

impl<T> Group<T> {
    /// Returns an empty group.
    #[inline]
    pub(crate) const fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; GROUP])
    }

    /// Stores the first values and returns them. They are not dropped.
    #[inline]
    pub(crate) fn fill(&mut self, values: impl IntoIterator<Item = T>) -> &mut [T] {
        const { assert!(!std::mem::needs_drop::<T>(), "they are not dropped") };
        let mut len = 0;
        for (place, value) in self.0.iter_mut().zip(values) {
            place.write(value);
            len += 1;
        }
        // SAFETY: `len` values are initialised.
        unsafe { slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), len) }
    }

    /// Works like [`fill`](Self::fill) for values that may fail, up to the first that does.
    pub(crate) fn try_fill<E>(
        &mut self,
        values: impl IntoIterator<Item = Result<T, E>>,
    ) -> Result<&mut [T], E> {
        let mut failed = None;
        let good = values.into_iter().map_while(|value| value.map_err(|error| failed = Some(error)).ok());
        let filled = self.fill(good);
        failed.map_or(Ok(filled), Err)
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

    /// Stores `result`, which has the output's length. It is written at the end of the call unless the call
    /// fails.
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
    /// Both begin at the same address; the slice has the longer length.
    InPlace(&'a mut [u8]),
    /// They share no byte.
    Apart(&'a [u8], &'a mut [u8]),
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

/// WebAssembly memory for JavaScript, which passes pointers into it.
#[cfg(target_family = "wasm")]
pub mod web {
    use super::*;
    use std::alloc::{Layout, alloc_zeroed, dealloc};

    /// An alignment that suffices for all C structs.
    const ALIGN: usize = 64;

    /// Allocates `len` zero bytes; null if memory is exhausted.
    #[unsafe(no_mangle)]
    pub extern "C" fn keylane_allocate(len: usize) -> *mut u8 {
        match Layout::from_size_align(len, ALIGN) {
            // SAFETY: the layout is not empty.
            Ok(layout) if len > 0 => unsafe { alloc_zeroed(layout) },
            _ => ptr::null_mut(),
        }
    }

    /// Wipes and frees memory that `keylane_allocate` returned for the same `len`.
    #[unsafe(no_mangle)]
    pub extern "C" fn keylane_free(start: *mut u8, len: usize) {
        // SAFETY: the package's JavaScript passes each pointer once, with its length, and no other call runs.
        // So its bytes are initialised, nothing refers to them, and this is their allocation's layout.
        unsafe {
            wipe(slice::from_raw_parts_mut(start, len));
            dealloc(start, Layout::from_size_align_unchecked(len, ALIGN));
        }
    }
}
