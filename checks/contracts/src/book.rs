//! Poly1305 (RFC 8439 §2.5) for reading: every number is below p = 2^130 - 5 at every step, and a product is
//! made of doublings and sums. Slow, and not in constant time.

use core::ops::{Add, Mul, Sub};

/// A number modulo p, below p: what stands above bit 128, and what stands below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Residue {
    high: u8,
    low: u128,
}

const P: Residue = Residue { high: 3, low: u128::MAX - 4 };

impl Residue {
    /// A number that 128 bits hold.
    #[must_use]
    pub const fn new(low: u128) -> Self {
        Self { high: 0, low }
    }

    /// A block of a message, or its last bytes: little-endian, with a one above.
    ///
    /// # Panics
    /// If there are more than sixteen bytes.
    #[must_use]
    pub fn of_block(bytes: &[u8]) -> Self {
        let mut block = [0; 17];
        block[..bytes.len()].copy_from_slice(bytes);
        block[bytes.len()] = 1;
        let [low @ .., high] = block;
        Self { high, low: u128::from_le_bytes(low) }
    }

    /// The block that is this number without the one above it; `None` where no block is.
    #[must_use]
    pub fn to_block(self) -> Option<[u8; 16]> {
        (self.high == 1).then(|| self.low.to_le_bytes())
    }

    /// The number's lowest 128 bits.
    #[must_use]
    pub const fn low(self) -> u128 {
        self.low
    }

    /// 1/x, which is x^(p - 2); 0 of 0.
    #[must_use]
    pub fn inverse(self) -> Self {
        let exponent = P - Self::new(2);
        let mut power = Self::new(1);
        for bit in (0..130).rev() {
            power = power * power;
            if exponent.bit(bit) {
                power = power * self;
            }
        }
        power
    }

    const fn bit(self, bit: u32) -> bool {
        if bit < 128 { self.low >> bit & 1 == 1 } else { self.high >> (bit - 128) & 1 == 1 }
    }
}

impl Add for Residue {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (low, carry) = self.low.overflowing_add(other.low);
        let sum = Self { high: self.high + other.high + u8::from(carry), low };
        if sum >= P { sum - P } else { sum }
    }
}

impl Sub for Residue {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        if self < other {
            return P - (other - self);
        }
        let (low, borrow) = self.low.overflowing_sub(other.low);
        Self { high: self.high - other.high - u8::from(borrow), low }
    }
}

impl Mul for Residue {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let mut product = Self::new(0);
        for bit in (0..130).rev() {
            product = product + product;
            if other.bit(bit) {
                product = product + self;
            }
        }
        product
    }
}

/// The r of a key, clamped, and its s.
#[must_use]
pub fn poly1305_key(key: &[u8; 32]) -> (Residue, u128) {
    let (&[r, s], []) = key.as_chunks::<16>() else { unreachable!("two halves") };
    (Residue::new(u128::from_le_bytes(r) & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff), u128::from_le_bytes(s))
}

/// What a message adds up to, from a value on.
#[must_use]
pub fn poly1305_value(from: Residue, r: Residue, message: &[u8]) -> Residue {
    message.chunks(16).fold(from, |value, block| (value + Residue::of_block(block)) * r)
}

/// The tag, by [`poly1305_value`].
#[must_use]
pub fn poly1305_by_the_book(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let (r, s) = poly1305_key(key);
    poly1305_value(Residue::new(0), r, message).low.wrapping_add(s).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Random, expected_poly1305, hex};

    /// RFC 8439 §2.5.2 with all that stands between.
    #[test]
    fn step_by_step() {
        let key = hex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
        let (r, s) = poly1305_key(key[..].try_into().unwrap());
        assert_eq!(r, Residue::new(0x0806_d540_0e52_447c_036d_5554_08be_d685));
        assert_eq!(s, 0x1bf5_4941_aff6_bf4a_fdb2_0dfb_8a80_0301);
        let mut value = Residue::new(0);
        for (block, expected) in [
            (&b"Cryptographic Fo"[..], (2, 0xc88c_7784_9d64_ae91_47dd_eb88_e69c_83fc)),
            (b"rum Research Gro", (2, 0xd8ad_af23_b033_7fa7_cccf_b4ea_344b_30de)),
            (b"up", (2, 0x8d31_b7ca_ff94_6c77_c884_4335_369d_03a7)),
        ] {
            value = poly1305_value(value, r, block);
            assert_eq!((value.high, value.low), expected);
        }
        let tag = hex("a8061dc1305136c6c22b8baf0c0127a9");
        let message = b"Cryptographic Forum Research Group";
        assert_eq!(poly1305_by_the_book(key[..].try_into().unwrap(), message), tag[..]);
    }

    #[test]
    fn numbers_are_a_field() {
        let mut random = Random::new(120);
        for _ in 0..20 {
            let [a, b, c] = [(); 3].map(|()| Residue::of_block(&random.array::<16>()));
            assert_eq!((a + b) - b, a);
            assert_eq!(a - b, Residue::new(0) - (b - a));
            assert_eq!((a + b) * c, a * c + b * c);
            assert_eq!(a * b, b * a);
            assert_eq!(a * a.inverse(), Residue::new(1));
            assert!(a + b < P && a * b < P && a - b < P);
        }
        let last = Residue::new(0) - Residue::new(1);
        assert_eq!((last.high, last.low), (3, u128::MAX - 5));
        assert_eq!(last + Residue::new(2), Residue::new(1));
        assert_eq!(last * last, Residue::new(1));
    }

    #[test]
    fn the_book_and_rustcrypto_agree() {
        let mut random = Random::new(121);
        for len in 0..100 {
            let (key, message) = (random.array(), random.bytes(len));
            assert_eq!(
                poly1305_by_the_book(&key, &message),
                expected_poly1305(&key, &message),
                "{len} bytes"
            );
        }
    }
}
