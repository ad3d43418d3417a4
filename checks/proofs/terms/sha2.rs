//! SHA-2 (FIPS 180-4) in terms.

use super::words::{Word, Words};
use num_bigint::BigUint;

pub fn add(words: &mut Words, terms: &[Word]) -> Word {
    let zero = words.constant(0);
    terms.iter().fold(zero, |sum, &term| words.add(sum, term))
}

/// Rotations to the right, and with `shift` a shift, of which the exclusive or is taken.
pub fn sigma(words: &mut Words, x: Word, rotations: &[u32], shift: Option<u32>) -> Word {
    let mut moved: Vec<Word> = rotations.iter().map(|&by| words.rotate_right(x, by)).collect();
    moved.extend(shift.map(|by| words.shift_right(x, by)));
    let zero = words.constant(0);
    moved.into_iter().fold(zero, |sum, term| words.xor(sum, term))
}

/// §4.1: Ch, Parity and Maj.
pub fn ch(words: &mut Words, x: Word, y: Word, z: Word) -> Word {
    let ones = words.constant(u64::MAX);
    let (not_x, xy) = (words.xor(x, ones), words.and(x, y));
    let z = words.and(not_x, z);
    words.xor(xy, z)
}

pub fn maj(words: &mut Words, x: Word, y: Word, z: Word) -> Word {
    let (xy, xz, yz) = (words.and(x, y), words.and(x, z), words.and(y, z));
    let sum = words.xor(xy, xz);
    words.xor(sum, yz)
}

/// §6.2.2: SHA-256 of a block.
pub fn sha256(words: &mut Words, state: &[Word], block: &[Word]) -> Vec<Word> {
    let k: Vec<u64> = constants(64).map(|k| k >> 32).collect();
    sha2(words, state, block, &k, [[2, 13, 22], [6, 11, 25]], [([7, 18], 3), ([17, 19], 10)])
}

/// §5.3.3: SHA-256's initial value.
pub fn sha256_initial(words: &mut Words) -> Vec<Word> {
    primes(8).map(|prime| words.constant(root(prime, 2) >> 32)).collect()
}

/// §6.4.2: SHA-512 of a block.
pub fn sha512(words: &mut Words, state: &[Word], block: &[Word]) -> Vec<Word> {
    let k: Vec<u64> = constants(80).collect();
    sha2(words, state, block, &k, [[28, 34, 39], [14, 18, 41]], [([1, 8], 7), ([19, 61], 6)])
}

/// The fractional bits of the roots of the first primes, §4.2.3. SHA-256's are the upper halves, §4.2.2.
fn constants(count: usize) -> impl Iterator<Item = u64> {
    primes(count).map(|prime| root(prime, 3))
}

/// The rotations of Σ0 and Σ1, those of σ0 and σ1 and their shifts.
fn sha2(
    words: &mut Words,
    state: &[Word],
    block: &[Word],
    k: &[u64],
    [big0, big1]: [[u32; 3]; 2],
    [(small0, shift0), (small1, shift1)]: [([u32; 2], u32); 2],
) -> Vec<Word> {
    let mut w = block.to_vec();
    for t in 16..k.len() {
        let sigma1 = sigma(words, w[t - 2], &small1, Some(shift1));
        let sigma0 = sigma(words, w[t - 15], &small0, Some(shift0));
        let next = add(words, &[sigma1, w[t - 7], sigma0, w[t - 16]]);
        w.push(words.seal(next));
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state else { panic!("eight words") };
    for t in 0..k.len() {
        let (sigma1, ch, k) = (sigma(words, e, &big1, None), ch(words, e, f, g), words.constant(k[t]));
        let t1 = add(words, &[h, sigma1, ch, k, w[t]]);
        let (sigma0, maj) = (sigma(words, a, &big0, None), maj(words, a, b, c));
        let t2 = add(words, &[sigma0, maj]);
        let (next_e, next_a) = (add(words, &[d, t1]), add(words, &[t1, t2]));
        (h, g, f, e, d, c, b, a) = (g, f, e, words.seal(next_e), c, b, a, words.seal(next_a));
    }
    [a, b, c, d, e, f, g, h].iter().zip(state).map(|(&x, &y)| words.add(x, y)).collect()
}

pub fn primes(count: usize) -> impl Iterator<Item = u64> {
    (2..).filter(|n| (2..*n).all(|d| n % d != 0)).take(count)
}

/// Returns the first 64 bits of the fractional part of the square or the cube root of a small number.
pub fn root(n: u64, degree: u32) -> u64 {
    // The greatest x with x^degree <= n * 2^(64 * degree), whose lower 64 bits these are.
    let root = (BigUint::from(n) << (64 * degree)).nth_root(degree);
    root.iter_u64_digits().next().expect("a digit")
}
