//! AES by instructions: FIPS 197 in [`Bytes`], and the proofs of the list.

use super::bitsliced::{Bitsliced, Wide, prove_in};
use super::bytes::{Bytes, Form};
use super::memory::{input_array, output_bytes};
use super::prove::Fault;
use super::record::input_bytes;
use super::symbols::Symbol;
use super::vectors::{AesNi, Blocks1, Blocks2, Blocks4};
use crate::aes::rounds::Rounds;
use crate::aes::{Kernel, KeyBytes, RoundKeys};
use crate::backend::Shape;

pub(crate) use super::standards::Block;

/// The forms of input bytes that were made in the same order as these.
#[derive(Default)]
pub(crate) struct Inputs(u32);

impl Inputs {
    pub(crate) fn bytes(&mut self, bytes: &mut Bytes, count: usize) -> Vec<Form> {
        self.0 += count as u32;
        (self.0 - count as u32..self.0).map(|number| bytes.input(number, 0)).collect()
    }

    /// An input of several bytes, the least significant first.
    pub(crate) fn word(&mut self, bytes: &mut Bytes, len: usize) -> Vec<Form> {
        self.0 += 1;
        (0..len).map(|at| bytes.input(self.0 - 1, at)).collect()
    }
}

/// Returns new round keys.
pub(crate) fn input_keys(rounds: usize) -> RoundKeys {
    let mut keys = RoundKeys::EMPTY;
    keys.set_rounds(rounds).fill_with(input_array);
    keys
}

impl Inputs {
    /// The forms of [`input_keys`].
    pub(crate) fn keys(&mut self, bytes: &mut Bytes, rounds: usize) -> Vec<Block> {
        (0..=rounds).map(|_| self.bytes(bytes, 16)).collect()
    }
}

pub(crate) const FAULTS: [Fault; 3] = [Fault::Move, Fault::Xored, Fault::Inverse];

/// Proves an expansion of keys.
pub(crate) fn expands(key_len: usize, expand: impl Fn(KeyBytes<'_>) -> RoundKeys) {
    let rounds = key_len / 4 + 6;
    prove_in(
        &mut Bytes::default(),
        &FAULTS,
        || {
            let keys = expand(KeyBytes::from_slice(&input_bytes(key_len)).expect("a length"));
            assert!(keys.rounds == rounds);
            output_bytes(keys.keys.as_flattened());
        },
        |bytes| {
            let key = Inputs::default().bytes(bytes, key_len);
            let expanded = bytes.key_expansion(&key).concat();
            let mut expected = vec![bytes.constant(0); 16 * (14 - rounds)];
            expected.extend(expanded);
            bytes.outputs(&expected)
        },
    );
}

/// Proves the encryption and the decryption of blocks.
fn crypts<K: Shape + Kernel>(blocks: usize, rounds: usize, faults: &[Fault]) {
    for decrypt in [false, true] {
        prove_in(
            &mut Bytes::default(),
            if blocks > 0 { faults } else { &[] },
            || {
                let keys = input_keys(rounds);
                let mut data: Vec<[u8; 16]> = (0..blocks).map(|_| input_array()).collect();
                if decrypt {
                    K::KERNEL.decrypt_blocks(&keys, &mut data);
                } else {
                    K::KERNEL.encrypt_blocks(&keys, &mut data);
                }
                output_bytes(data.as_flattened());
            },
            |bytes| {
                let mut inputs = Inputs::default();
                let keys = inputs.keys(bytes, rounds);
                let mut expected = Vec::new();
                for _ in 0..blocks {
                    let block = inputs.bytes(bytes, 16);
                    expected.extend(match decrypt {
                        false => bytes.encrypt(&keys, &block),
                        true => bytes.decrypt(&keys, &block),
                    });
                }
                bytes.outputs(&expected)
            },
        );
    }
}

/// Proves a kernel over vectors of N blocks, for counts that reach each group and remainder.
fn aes<K: Shape + Kernel>(n: usize) {
    for key_len in [16, 24, 32] {
        expands(key_len, |key| K::KERNEL.expand(key));
    }
    let group = 8 * n;
    for rounds in [10, 12, 14] {
        crypts::<K>(group + group / 2 + n + 1, rounds, &FAULTS);
    }
    for blocks in [0, 1, n - 1, n, n + 1, group / 2 - 1, group / 2, group - 1, group, group + 1, 2 * group] {
        crypts::<K>(blocks, 10, &[]);
    }
}

macro_rules! proofs {
    ($($name:ident: $Kernel:ty; $n:literal)+) => {
        pub(crate) const PROVED: (&str, &[&str]) = ("aes", &[$(stringify!($Kernel),)+ "Portable"]);
        $(
        #[test]
        fn $name() {
            aes::<$Kernel>($n);
        }
    )+ };
}
/// The kernel of `Portable`, with groups of eight blocks, four or two.
fn portable<K: Shape + Kernel>() {
    for key_len in [16, 24, 32] {
        expands(key_len, |key| K::KERNEL.expand(key));
        crypts::<K>(5, key_len / 4 + 6, &FAULTS);
    }
    for blocks in [0, 1, 2, 3, 4, 8, 9] {
        crypts::<K>(blocks, 10, &[]);
    }
}

#[test]
fn portable_in_words_of_128_64_and_32() {
    portable::<Bitsliced<Wide>>();
    portable::<Bitsliced<Symbol<u64>>>();
    portable::<Bitsliced<Symbol<u32>>>();
}

proofs! {
    blocks_4: Rounds<Blocks4, 4>; 4
    blocks_2: Rounds<Blocks2, 2>; 2
    blocks_1: Rounds<Blocks1<AesNi>, 1>; 1
    blocks_1_of_arm: Rounds<Blocks1, 1>; 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constants(bytes: &mut Bytes, hex: impl IntoIterator<Item = u8>) -> Vec<Form> {
        hex.into_iter().map(|x| bytes.constant(x)).collect()
    }

    /// FIPS 197 appendix C.
    #[test]
    fn known_answers() {
        let bytes = &mut Bytes::default();
        let plaintext = constants(bytes, 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128.to_be_bytes());
        for (key_len, answer) in [
            (16, 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128),
            (24, 0xdda9_7ca4_864c_dfe0_6eaf_70a0_ec0d_7191),
            (32, 0x8ea2_b7ca_5167_45bf_eafc_4990_4b49_6089),
        ] {
            let (key, answer) = (constants(bytes, 0..key_len), constants(bytes, answer.to_be_bytes()));
            let keys = bytes.key_expansion(&key);
            assert_eq!(bytes.encrypt(&keys, &plaintext), answer);
            assert_eq!(bytes.decrypt(&keys, &answer), plaintext);
        }
    }

    #[test]
    fn decryption_is_the_inverse() {
        let (bytes, mut inputs) = (&mut Bytes::default(), Inputs::default());
        let (keys, block) = (inputs.keys(bytes, 10), inputs.bytes(bytes, 16));
        let encrypted = bytes.encrypt(&keys, &block);
        assert!(encrypted != block && bytes.decrypt(&keys, &encrypted) == block);
    }
}
