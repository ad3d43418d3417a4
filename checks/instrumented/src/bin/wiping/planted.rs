//! Types that leave a secret behind, each in a different way. A run that does not report them proves nothing.

use crate::watch::{Case, Secret};
use std::hint::black_box;
use zeroize::{Zeroize, Zeroizing};

pub(crate) fn planted() -> [Case; 5] {
    let case = |with, run: fn(&mut Secret)| Case::new(&["planted"], with, None, run);
    let boxed = |with, run| Case { has_padding: false, ..case(with, run) };
    [
        boxed("wiping that the optimiser removes", optimised_away),
        boxed("a vector that grew, and left a copy where it was", outgrown),
        boxed("one byte", all_but_one_byte),
        // All bytes of these differ between two secrets, as those of a key might not.
        case("eight bytes, in a library's box", |secret| {
            let mut key = Box::new([secret.bytes::<1>()[0]; 32]);
            black_box(&key);
            secret.lives();
            key[8..].zeroize();
        }),
        case("many pieces of seven bytes, in a library's box", |secret| {
            let mut key = Box::new([secret.bytes::<1>()[0]; 128]);
            black_box(&key);
            secret.lives();
            key.chunks_mut(8).for_each(|piece| piece[7].zeroize());
        }),
    ]
}

fn optimised_away(secret: &mut Secret) {
    struct Key([u8; 32]);
    impl Drop for Key {
        fn drop(&mut self) {
            self.0 = [0; 32];
        }
    }
    let key = Box::new(Key(secret.bytes()));
    black_box(&key.0);
    secret.lives();
}

fn outgrown(secret: &mut Secret) {
    let mut key = Zeroizing::new(secret.bytes::<32>().to_vec());
    key.reserve(1000);
    black_box(&key);
    secret.lives();
}

fn all_but_one_byte(secret: &mut Secret) {
    struct Key([u8; 32]);
    impl Drop for Key {
        fn drop(&mut self) {
            self.0[..31].zeroize();
        }
    }
    let mut bytes = secret.bytes::<32>();
    // Two random bytes may be equal.
    bytes[31] = bytes[0] & 1 | bytes[1] << 1;
    let key = Box::new(Key(bytes));
    black_box(&key.0);
    secret.lives();
}
