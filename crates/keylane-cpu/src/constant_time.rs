//! Compares secrets in constant time, and declassifies values that may be public.

use core::hint::black_box;

/// Returns whether `a` and `b` are equal. The time depends only on the lengths, which are public.
///
/// ```
/// use keylane_cpu::constant_time::equal;
///
/// assert!(equal(b"a tag", b"a tag"));
/// assert!(!equal(b"a tag", b"A tag") && !equal(b"a tag", b"a tag and more"));
/// ```
#[inline]
#[must_use]
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut difference = 0u64;
    let (a_words, a_rest) = a.as_chunks::<8>();
    let (b_words, b_rest) = b.as_chunks::<8>();
    let mut i = 0;
    while i < a_words.len() {
        // Opaque at every step: an optimiser that knew `difference` to be non-zero could stop early.
        difference =
            black_box(difference | (u64::from_ne_bytes(a_words[i]) ^ u64::from_ne_bytes(b_words[i])));
        i += 1;
    }
    for (x, y) in a_rest.iter().zip(b_rest) {
        difference = black_box(difference | u64::from(x ^ y));
    }
    difference == 0
}

/// Declassifies `value`. A no-op at run time.
///
/// In code that handles secrets, a branch or an address may depend on a computed value only after it was
/// declassified, such as whether a tag is right or where padding ends. With `cfg(keylane_constant_time)`, the
/// value is passed to `keylane_declassify`, which the program that marks secrets defines.
///
/// ```
/// use keylane_cpu::constant_time::{equal, declassify};
///
/// assert!(declassify(equal(b"a tag", b"a tag")));
/// ```
#[inline(always)]
#[must_use]
pub fn declassify<T: Copy>(value: T) -> T {
    #[cfg(keylane_constant_time)]
    let value = {
        let mut value = value;
        // SAFETY: the function changes no byte.
        unsafe { keylane_declassify((&raw mut value).cast(), size_of::<T>()) };
        value
    };
    value
}

#[cfg(keylane_constant_time)]
unsafe extern "Rust" {
    /// Removes the marks from these bytes.
    fn keylane_declassify(bytes: *mut u8, len: usize);
}

#[cfg(test)]
mod tests {
    use super::equal;

    #[test]
    fn every_bit_of_every_length_counts() {
        for len in 0..40 {
            let a: Vec<u8> = (0..len).map(|i| i as u8 ^ 0x5a).collect();
            assert!(equal(&a, &a.clone()));
            for bit in 0..8 * len {
                let mut b = a.clone();
                b[bit / 8] ^= 1 << (bit % 8);
                assert!(!equal(&a, &b), "length {len}, bit {bit}");
            }
            let mut longer = a.clone();
            longer.push(0);
            assert!(!equal(&a, &longer));
        }
    }

    #[test]
    fn the_same_difference_in_two_places_counts() {
        let a = [0x5a; 600];
        for (i, j) in (0..600).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let mut b = a;
            b[i] ^= 0x81;
            b[j] ^= 0x81;
            assert!(!equal(&a, &b), "places {i} and {j}");
        }
    }
}
