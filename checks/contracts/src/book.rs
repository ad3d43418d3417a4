//! Poly1305 (RFC 8439 §2.5) for reading: whole numbers modulo p. Slow, and not in constant time.

use num_bigint::BigUint;

/// p = 2^130 - 5.
#[must_use]
pub fn poly1305_modulus() -> BigUint {
    (BigUint::from(1_u8) << 130) - 5_u8
}

/// The r of a key, clamped, and its s.
#[must_use]
pub fn poly1305_key(key: &[u8; 32]) -> (BigUint, u128) {
    let (&[r, s], []) = key.as_chunks::<16>() else { unreachable!("two halves") };
    let r = u128::from_le_bytes(r) & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
    (r.into(), u128::from_le_bytes(s))
}

/// What a message adds up to, from a value on: each block is a number with a one above it.
#[must_use]
pub fn poly1305_value(from: &BigUint, r: &BigUint, message: &[u8]) -> BigUint {
    let p = poly1305_modulus();
    message
        .chunks(16)
        .fold(from.clone(), |value, block| (value + BigUint::from_bytes_le(&[block, &[1]].concat())) * r % &p)
}

/// The tag for a value: its lowest 128 bits and s.
///
/// # Panics
/// Never: they are 128.
#[must_use]
pub fn poly1305_tag(value: &BigUint, s: u128) -> [u8; 16] {
    let low = u128::try_from(value % (BigUint::from(1_u8) << 128)).expect("128 bits");
    low.wrapping_add(s).to_le_bytes()
}

/// The tag, by [`poly1305_value`].
#[must_use]
pub fn poly1305_by_the_book(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let (r, s) = poly1305_key(key);
    poly1305_tag(&poly1305_value(&BigUint::ZERO, &r, message), s)
}
