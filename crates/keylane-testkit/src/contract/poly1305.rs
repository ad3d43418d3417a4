//! What Poly1305 promises.

use super::{tells_nothing, usable};
use crate::{Guarded, LENGTHS, Random, exclusively, painted};
use keylane::Error;
use keylane::poly1305::Poly1305;

/// Whether Poly1305 keeps its promises, on whatever implementation is selected.
///
/// # Panics
/// If it does not.
pub fn poly1305() {
    every_split();
    hints();
    padding();
    clones();
    every_bit();
    guard_pages();
    let mut running = Poly1305::new(&key());
    tells_nothing(&running, &key());
    running.update(&Random::new(111).bytes(15));
    tells_nothing(&running, &Random::new(111).bytes(15));
}

/// Whether a message begun on one implementation and finished on another has the one tag.
///
/// # Panics
/// If it has not.
pub fn poly1305_handed_over() {
    let data = painted(3000);
    exclusively("poly1305", |primitive| {
        let names = usable(primitive);
        let expected = Poly1305::mac(&key(), &data);
        for first in &names {
            for second in &names {
                let (first, second) = (*first, *second);
                let check = |cuts: &[usize]| {
                    let (mut running, mut from) = (Poly1305::new(&key()), 0);
                    for (i, &cut) in cuts.iter().chain([&data.len()]).enumerate() {
                        primitive.select([first, second][i % 2]).unwrap();
                        running.update(&data[from..cut]);
                        from = cut;
                    }
                    let other = running.clone();
                    assert_eq!(
                        running.finalize(),
                        expected,
                        "{first} and {second} in turns, cut at {cuts:?}"
                    );
                    primitive.select(first).unwrap();
                    assert_eq!(other.finalize(), expected, "{first} and {second} in turns, cut at {cuts:?}");
                };
                // What one has prepared of the key may be less, or more, than another needs.
                for cut in
                    [0, 1, 15, 16, 17, 127, 128, 129, 256, 257, 512, 1000, 1024, 2048, 2871, 2872, 3000]
                {
                    check(&[cut]);
                }
                check(&[128, 640, 2000]);
                check(&[2000, 2128, 2640]);
                check(&[512, 1536, 1664]);
                check(&[145, 290, 1000, 1010, 1300, 2100, 2230]);
            }
        }
    });
}

fn key() -> [u8; 32] {
    Random::new(110).array()
}

/// The tag of the pieces in turn, from a start.
fn tag(mut running: Poly1305, pieces: &[&[u8]]) -> [u8; 16] {
    for piece in pieces {
        running.update(piece);
    }
    running.finalize()
}

fn every_split() {
    let data = painted(5000);
    let start = Poly1305::new(&key());
    for &len in LENGTHS {
        // At any alignment.
        let data = &data[len % 65..][..len];
        let expected = Poly1305::mac(&key(), data);
        assert_eq!(tag(start.clone(), &[data]), expected, "{len} bytes");
        let cuts = (0..=len).filter(|&cut| len <= 300 || cut < 18 || len - cut < 18 || cut % 64 == 0);
        for cut in cuts {
            let (head, tail) = data.split_at(cut);
            assert_eq!(tag(start.clone(), &[head, tail]), expected, "{len} bytes cut at {cut}");
            assert_eq!(tag(start.clone(), &[head, &[], tail, &[]]), expected, "{len} bytes cut at {cut}");
        }
        for piece in [1, 2, 7, 15, 16, 17, 31, 33, 127, 128, 129, 144] {
            let pieces: Vec<&[u8]> = data.chunks(piece).collect();
            assert_eq!(tag(start.clone(), &pieces), expected, "{len} bytes by {piece}");
        }
    }
    let mut random = Random::new(112);
    for pieces in 1..60 {
        let from = random.below(65);
        let data = &data[from..][..random.length(4900)];
        let split = random.split(data, pieces);
        let what = format!("{} bytes from {from} in {pieces} pieces", data.len());
        assert_eq!(tag(start.clone(), &split), Poly1305::mac(&key(), data), "{what}");
    }
    assert_eq!(start.finalize(), Poly1305::mac(&key(), b""));
    assert_eq!(data, painted(5000), "the input is as it was");
}

/// A hint that is too small, or too large, changes nothing.
fn hints() {
    let data = painted(2000);
    for len in [0, 1, 16, 100, 127, 128, 129, 256, 600, 1024, 2000] {
        let expected = Poly1305::mac(&key(), &data[..len]);
        for hint in [0, 1, 16, 127, 128, 129, 512, len, len.saturating_sub(1), len + 1, usize::MAX] {
            let start = || Poly1305::with_hint(&key(), hint);
            let (head, tail) = data[..len].split_at(len / 3);
            let what = format!("{len} bytes, hint {hint}");
            assert_eq!(tag(start(), &[&data[..len]]), expected, "{what}");
            assert_eq!(tag(start(), &[head, tail]), expected, "{what}, in two pieces");
            assert_eq!(tag(start(), &data[..len].chunks(5).collect::<Vec<_>>()), expected, "{what}, by 5");
        }
    }
}

/// Padding is zeros up to the end of the block, and where a block ends it is nothing.
fn padding() {
    let data = painted(800);
    for len in (0..=50).chain([127, 128, 129, 145, 255, 256, 257, 300, 511, 512, 513]) {
        let mut padded = data[..len].to_vec();
        padded.resize(len.next_multiple_of(16), 0);
        for more in [0, 1, 15, 16, 17, 128, 150, 280] {
            let mut running = Poly1305::new(&key());
            running.update(&data[..len / 2]);
            running.update(&data[len / 2..len]);
            for _ in 0..=more % 2 {
                running.pad_to_block();
            }
            running.update(&data[len..len + more]);
            let what = format!("{len} bytes padded, {more} behind them");
            let whole = [&padded, &data[len..len + more]].concat();
            assert_eq!(running.clone().finalize(), Poly1305::mac(&key(), &whole), "{what}");
            // At the end, too.
            running.pad_to_block();
            let mut whole = whole;
            whole.resize(whole.len().next_multiple_of(16), 0);
            assert_eq!(running.finalize(), Poly1305::mac(&key(), &whole), "{what}, and again");
        }
    }
}

fn clones() {
    let data = painted(1000);
    for cut in [0, 1, 15, 16, 17, 127, 128, 129, 300, 512] {
        let mut running = Poly1305::new(&key());
        running.update(&data[..cut]);
        let mut other = running.clone();
        other.update(b"another way on");
        running.update(&data[cut..]);
        let third = running.clone();
        assert_eq!(running.finalize(), Poly1305::mac(&key(), &data), "cloned at {cut}");
        let expected = Poly1305::mac(&key(), &[&data[..cut], b"another way on"].concat());
        assert_eq!(other.finalize(), expected, "cloned at {cut}");
        assert_eq!(third.finalize(), Poly1305::mac(&key(), &data), "cloned at {cut}");
    }
}

fn every_bit() {
    let data = painted(700);
    for len in [0, 3, 16, 20, 127, 128, 300, 700] {
        let running = || {
            let mut running = Poly1305::new(&key());
            running.update(&data[..len]);
            running
        };
        let tag = Poly1305::mac(&key(), &data[..len]);
        assert_eq!(running().verify(&tag), Ok(()), "{len} bytes");
        for bit in 0..128 {
            let mut wrong = tag;
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(
                running().verify(&wrong),
                Err(Error::AuthenticationFailed),
                "bit {bit} of the tag, {len} bytes"
            );
        }
        // Of long messages some bits, in every byte.
        for bit in (0..8 * len).filter(|bit| len <= 20 || bit % 8 == bit / 8 % 8) {
            let mut message = data[..len].to_vec();
            message[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(Poly1305::mac(&key(), &message), tag, "bit {bit} of {len} bytes");
        }
        // A zero more is another message.
        assert_ne!(Poly1305::mac(&key(), &[&data[..len], &[0]].concat()), tag, "{len} bytes and a zero");
        // The key's bits, but for the 22 of r that RFC 8439 §2.5 clears; of an empty message r has no part.
        let mut unused = 0;
        for bit in 0..256 {
            let mut key = key();
            key[bit / 8] ^= 1 << (bit % 8);
            let cleared = match bit / 8 {
                3 | 7 | 11 | 15 => bit % 8 >= 4,
                4 | 8 | 12 => bit % 8 < 2,
                _ => false,
            };
            unused += usize::from(cleared);
            let without_part = cleared || bit < 128 && len == 0;
            assert_eq!(Poly1305::mac(&key, &data[..len]) == tag, without_part, "bit {bit} of the key, {len}");
        }
        assert_eq!(unused, 22);
    }
}

fn guard_pages() {
    let data = painted(4200);
    let (start, end) = (Guarded::at_start(&data), Guarded::at_end(&data));
    let lengths = (0..=600).chain(LENGTHS.iter().copied().filter(|&len| len > 600));
    for len in lengths {
        let (first, last) = (Poly1305::mac(&key(), &data[..len]), Poly1305::mac(&key(), &data[4200 - len..]));
        assert_eq!(Poly1305::mac(&key(), &start[..len]), first, "{len} bytes at the start");
        assert_eq!(Poly1305::mac(&key(), end.last(len)), last, "{len} bytes at the end");
        let (head, tail) = end.last(len).split_at(len / 2);
        assert_eq!(tag(Poly1305::new(&key()), &[head, tail]), last, "{len} bytes at the end, in two pieces");
        let (head, tail) = start[..len].split_at(len / 2);
        assert_eq!(
            tag(Poly1305::new(&key()), &[head, tail]),
            first,
            "{len} bytes at the start, in two pieces"
        );
    }
    // Every alignment at both ends.
    for offset in 0..=64 {
        let expected = Poly1305::mac(&key(), &data[offset..offset + 300]);
        assert_eq!(Poly1305::mac(&key(), &start[offset..offset + 300]), expected, "offset {offset}");
        let expected = Poly1305::mac(&key(), &data[3900 - offset..]);
        assert_eq!(Poly1305::mac(&key(), end.last(300 + offset)), expected, "offset {offset} from the end");
    }
    // The key, too.
    let guarded = Guarded::at_end(&key());
    let same = guarded.first_chunk().expect("32 bytes");
    assert_eq!(Poly1305::mac(same, &data), Poly1305::mac(&key(), &data));
}
