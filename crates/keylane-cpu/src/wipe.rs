//! Overwrites secrets with zeros in a way that the optimiser does not remove.

use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

/// Values that can be set to zero: integers, arrays and slices of them, and types made of these.
///
/// ```
/// use keylane_cpu::wipe::{Wipe, wipe};
///
/// struct Key([u32; 8]);
/// impl Wipe for Key {
///     fn set_zero(&mut self) {
///         self.0.set_zero();
///     }
/// }
/// let mut key = Key([7; 8]);
/// wipe(&mut key);
/// assert_eq!(key.0, [0; 8]);
/// ```
pub trait Wipe {
    /// Sets every byte to zero. The optimiser may remove this if nothing reads the value again: use [`wipe`].
    fn set_zero(&mut self);

    /// Calls [`set_zero`](Self::set_zero) for every item.
    #[doc(hidden)]
    #[inline(always)]
    fn set_all_zero(items: &mut [Self])
    where
        Self: Sized,
    {
        for item in items {
            item.set_zero();
        }
    }
}

macro_rules! integers {
    ($($Integer:ty)*) => { $(
        impl Wipe for $Integer {
            #[inline(always)]
            fn set_zero(&mut self) {
                *self = 0;
            }

            // Without optimisation, a loop over bytes would cost more than the work on the secret.
            #[inline(always)]
            fn set_all_zero(items: &mut [Self]) {
                // SAFETY: the slice has that length, and zeros are a valid integer.
                unsafe { items.as_mut_ptr().write_bytes(0, items.len()) }
            }
        }
    )* };
}
integers!(u8 u16 u32 u64 u128 usize);

impl<T: Wipe, const N: usize> Wipe for [T; N] {
    #[inline(always)]
    fn set_zero(&mut self) {
        T::set_all_zero(self);
    }

    #[inline(always)]
    fn set_all_zero(items: &mut [Self]) {
        T::set_all_zero(items.as_flattened_mut());
    }
}

impl<T: Wipe> Wipe for [T] {
    #[inline(always)]
    fn set_zero(&mut self) {
        T::set_all_zero(self);
    }
}

/// Sets every byte of `secret` to zero, even if nothing reads it again. Earlier copies are not wiped.
///
/// ```
/// let mut key = [7_u8; 32];
/// keylane_cpu::wipe::wipe(&mut key);
/// assert_eq!(key, [0; 32]);
/// ```
#[inline(always)]
pub fn wipe<T: Wipe + ?Sized>(secret: &mut T) {
    secret.set_zero();
    observe(secret);
}

/// A value whose memory is overwritten with zeros after it is dropped, including padding between fields and
/// after a short variant.
///
/// Rust moves a value by copying it, and does not wipe the old place. To leave no copy, build a secret in
/// place: return it by the name of its variable, or fill a boxed `Secret` of zeros.
///
/// ```
/// use keylane_cpu::wipe::Secret;
///
/// let mut key = Box::new(Secret::new([0_u8; 32]));
/// key.copy_from_slice(&[7; 32]); // never anywhere else
/// assert_eq!(**key, [7; 32]);
/// ```
#[repr(transparent)]
pub struct Secret<T>(MaybeUninit<T>);

impl<T> Secret<T> {
    /// Wraps a secret, or zeros to be filled.
    #[inline(always)]
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self(MaybeUninit::new(value))
    }

    /// Returns a reference to the secret, like `Deref`, but also in a `const fn`.
    #[inline(always)]
    #[must_use]
    pub const fn get(&self) -> &T {
        // SAFETY: `new` has initialised it, and only `drop` ends that.
        unsafe { self.0.assume_init_ref() }
    }
}

impl<T> Deref for Secret<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        self.get()
    }
}

impl<T> DerefMut for Secret<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `get`.
        unsafe { self.0.assume_init_mut() }
    }
}

impl<T: Clone> Clone for Secret<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Self::new(self.get().clone())
    }
}

impl<T> Drop for Secret<T> {
    #[inline]
    fn drop(&mut self) {
        /// Overwrites when dropped, so also if the value's drop panics.
        struct Overwrite<'a, T>(&'a mut MaybeUninit<T>);

        impl<T> Drop for Overwrite<'_, T> {
            #[inline(always)]
            fn drop(&mut self) {
                // SAFETY: it is memory without a value, all of it writable.
                unsafe { self.0.as_mut_ptr().write_bytes(0, 1) };
                observe(self.0);
            }
        }

        let memory = Overwrite(&mut self.0);
        // SAFETY: it is initialised, as in `get`, and not used again.
        unsafe { memory.0.assume_init_drop() };
    }
}

/// Makes the compiler assume that `value`'s memory is read here. Costs no instruction.
#[inline(always)]
pub(crate) fn observe<T: ?Sized>(value: &mut T) {
    #[cfg(all(
        any(
            target_arch = "x86_64",
            target_arch = "x86",
            target_arch = "aarch64",
            target_arch = "arm",
            target_arch = "riscv32",
            target_arch = "riscv64",
            target_arch = "loongarch64",
            target_arch = "s390x",
        ),
        not(any(miri, keylane_no_asm)),
    ))]
    {
        let address = core::ptr::from_mut(value).cast::<u8>();
        // SAFETY: no instruction is emitted; without `nomem` the compiler must have stored what the pointer
        // reaches.
        unsafe { core::arch::asm!("/* {0} */", in(reg) address, options(nostack, preserves_flags)) };
        return;
    }
    // Without inline assembly, this is the closest that the language offers.
    #[allow(unreachable_code, reason = "reached only without inline assembly")]
    {
        core::hint::black_box(value);
    }
}

#[cfg(test)]
pub(crate) mod tests;
