//! Types that leave a secret in memory, each in its way. A run that does not report them is not valid.

use crate::watch::{Boxes, Case, Secret};
use std::hint::black_box;
use zeroize::Zeroizing;

pub(crate) fn planted() -> Vec<Case> {
    let of = |boxes, with, run| Case { types: &["planted"], with, primitive: None, boxes, run };
    let case = |with, run| of(Boxes::OfCase, with, run);
    vec![
        case("no wiping", unwiped),
        case("wiping that the optimiser removes", optimised_away),
        case("a vector that grew, and left a copy where it was", outgrown),
        case("one byte", all_but_one_byte),
        of(Boxes::OfLibrary, "eight bytes, in a library's box", eight_bytes),
        of(Boxes::OfLibrary, "many pieces of seven bytes, in a library's box", pieces),
    ]
}

fn unwiped(secret: &mut Secret) {
    let key = Box::new(secret.bytes::<32>());
    black_box(&key);
    secret.lives();
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

/// All of them differ between two secrets, as those of a key might not.
fn eight_bytes(secret: &mut Secret) {
    let [kind, ..] = secret.bytes::<1>();
    let mut key = Box::new([kind; 32]);
    black_box(&key);
    secret.lives();
    zeroize::Zeroize::zeroize(&mut key[8..]);
}

/// None of them is long enough alone.
fn pieces(secret: &mut Secret) {
    let [kind, ..] = secret.bytes::<1>();
    let mut key = Box::new([kind; 128]);
    black_box(&key);
    secret.lives();
    for piece in key.chunks_mut(8) {
        zeroize::Zeroize::zeroize(&mut piece[7]);
    }
}

fn all_but_one_byte(secret: &mut Secret) {
    struct Key([u8; 32]);
    impl Drop for Key {
        fn drop(&mut self) {
            zeroize::Zeroize::zeroize(&mut self.0[..31]);
        }
    }
    let mut bytes = secret.bytes::<32>();
    // Two random bytes may be equal.
    bytes[31] = bytes[0] & 1 | bytes[1] << 1;
    let key = Box::new(Key(bytes));
    black_box(&key.0);
    secret.lives();
}
