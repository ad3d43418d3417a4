//! Compares secrets in constant time.

/// Returns whether `a` and `b` are equal. The time depends only on their lengths, not on where they differ.
///
/// Use it for secrets that this crate does not compare for you: tokens, fingerprints, other algorithms' tags.
/// This crate's `verify` methods compare in the same way.
///
/// ```
/// use keylane::constant_time;
///
/// let expected = b"b8e7ae12510bdfb1812e463a7f086122";
/// assert!(constant_time::eq(expected, b"b8e7ae12510bdfb1812e463a7f086122"));
/// assert!(!constant_time::eq(expected, b"b8e7ae12"));
/// ```
///
/// # Security
/// The lengths and the result are public: the caller may branch on the result.
#[must_use]
pub fn eq(a: &[u8], b: &[u8]) -> bool {
    keylane_cpu::constant_time::declassify(keylane_cpu::constant_time::equal(a, b))
}
