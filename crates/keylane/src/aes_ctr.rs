//! AES in counter mode (NIST SP 800-38A §6.5): a key stream that can seek to any byte.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod lanes;

use crate::aes::{Aes, RoundKeys, portable};
use crate::backend::{Backends, token_backends};
use crate::error::Error;
use core::fmt;
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::wipe;

/// What differs by CPU.
pub(crate) trait Kernel: Sync {
    /// Adds the key stream from the block `counter` on. If the last block is not whole, `last` becomes its key stream.
    fn xor_keystream(&self, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>, last: &mut [u8; 16]);
}

pub(crate) static BACKENDS: Backends<dyn Kernel> = token_backends!(
    "aes-ctr", passes, dyn Kernel:
    x86_64 [VaesAvx512, VaesAvx2, AesNi]
    aarch64 [NeonAes]
    Portable
);

/// SP 800-38A §F.5.1 at the beginning; then every counter of a long stream against its block encrypted by itself, over
/// all carries.
fn passes(kernel: &dyn Kernel) -> bool {
    const KEY: [u8; 16] = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128.to_be_bytes();
    const COUNTER: u128 = 0xf0f1_f2f3_f4f5_f6f7_f8f9_fafb_fcfd_feff;
    const PLAINTEXT: u128 = 0x6bc1_bee2_2e40_9f96_e93d_7e11_7393_172a;
    const CIPHERTEXT: u128 = 0x874d_6191_b620_e326_1bef_6864_990d_b6ce;
    const LEN: usize = 16 * 77 + 5;

    let aes = Aes::new_128(&KEY);
    let mut last = [0; 16];
    let mut block = PLAINTEXT.to_be_bytes();
    kernel.xor_keystream(&aes.keys, COUNTER, &mut InOut::in_place(&mut block), &mut last);
    let mut good = block == CIPHERTEXT.to_be_bytes();
    for counter in [COUNTER, (1 << 32) - 9, (1 << 64) - 40, u128::MAX - 70] {
        let mut stream = [0; LEN];
        kernel.xor_keystream(&aes.keys, counter, &mut InOut::in_place(&mut stream), &mut last);
        let mut blocks = [[0; 16]; LEN.div_ceil(16)];
        for (i, block) in blocks.iter_mut().enumerate() {
            *block = counter.wrapping_add(i as u128).to_be_bytes();
        }
        aes.encrypt_blocks(&mut blocks);
        good &= stream == blocks.as_flattened()[..LEN] && last == blocks[LEN / 16];
    }
    good
}

/// AES-CTR with a 128-bit big-endian counter that wraps, as NIST SP 800-38A and OpenSSL count. Wiped when dropped.
///
/// How the bytes are divided among calls does not change the output.
///
/// # Security
/// Nothing is authenticated: whoever flips a bit of the ciphertext flips it in the text. Two texts under one
/// key whose counters overlap reveal the XOR of the plaintexts. Prefer [`aes_gcm`](crate::aes_gcm).
///
/// ```
/// use keylane::{aes::Aes, aes_ctr::AesCtr};
///
/// let aes = Aes::new_256(&[7; 32]);
/// let mut data = *b"attack at dawn";
/// AesCtr::new(&aes, &[0; 16]).xor_keystream(&mut data);
///
/// let mut again = AesCtr::new(&aes, &[0; 16]);
/// again.seek(10);
/// again.xor_keystream(&mut data[10..]);
/// assert_eq!(&data[10..], b"dawn");
/// ```
#[derive(Clone)]
pub struct AesCtr {
    keys: RoundKeys,
    /// The first counter block, as a number.
    first: u128,
    /// Bytes of key stream before the next one.
    position: u128,
    /// The key stream of the block at `position`, if that is inside a block.
    last: [u8; 16],
}

impl AesCtr {
    /// Begins a key stream whose first block is the encryption of `counter_block`.
    #[must_use]
    pub fn new(aes: &Aes, counter_block: &[u8; 16]) -> Self {
        Self {
            keys: aes.keys.clone(),
            first: u128::from_be_bytes(*counter_block),
            position: 0,
            last: [0; 16],
        }
    }

    /// XORs the next bytes of the key stream into `data`, which encrypts or decrypts it.
    pub fn xor_keystream(&mut self, data: &mut [u8]) {
        self.xor(&mut InOut::in_place(data));
    }

    /// As [`xor_keystream`](Self::xor_keystream), from `input` to `output`.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if the lengths differ.
    pub fn xor_keystream_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        Error::check_length("length of the output in bytes", input.len(), output.len())?;
        self.xor(&mut InOut::apart(input, output));
        Ok(())
    }

    /// Moves to the byte `position` of the key stream, counted from 0.
    pub fn seek(&mut self, position: u64) {
        self.seek_far(u128::from(position));
    }

    /// As [`seek`](Self::seek), to any byte at all.
    pub(crate) fn seek_far(&mut self, position: u128) {
        self.position = position;
        if !position.is_multiple_of(16) {
            let mut block = [0];
            BACKENDS.chosen().xor_keystream(
                &self.keys,
                self.counter(),
                &mut InOut::in_place(&mut block),
                &mut self.last,
            );
            wipe(&mut block);
        }
    }

    /// Returns how many bytes of the key stream come before the next one.
    #[must_use]
    pub const fn position(&self) -> u128 {
        self.position
    }

    /// The counter of the block at `position`.
    #[inline]
    const fn counter(&self) -> u128 {
        self.first.wrapping_add(self.position / 16)
    }

    #[inline]
    fn xor(&mut self, text: &mut InOut<'_>) {
        let used = (self.position % 16) as usize;
        if used != 0 {
            let mut head = text.take_front(text.len().min(16 - used));
            self.position = self.position.wrapping_add(head.len() as u128);
            head.xor(&self.last[used..]);
        }
        if text.is_empty() {
            return;
        }
        let len = text.len() as u128;
        BACKENDS.chosen().xor_keystream(&self.keys, self.counter(), text, &mut self.last);
        self.position = self.position.wrapping_add(len);
    }
}

impl Drop for AesCtr {
    fn drop(&mut self) {
        wipe(&mut self.last);
    }
}

impl zeroize::ZeroizeOnDrop for AesCtr {}

impl fmt::Debug for AesCtr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AesCtr").field("position", &self.position).finish_non_exhaustive()
    }
}

impl Kernel for Portable {
    fn xor_keystream(&self, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>, last: &mut [u8; 16]) {
        portable::xor_keystream(keys, counter, text, last);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::*;
    use keylane_cpu::InstructionSet;
    use keylane_cpu::lanes::x86_64::{Blocks1, Blocks2, Blocks4};
    use keylane_cpu::x86_64::{AesNi, VaesAvx2, VaesAvx512};

    impl Kernel for AesNi {
        fn xor_keystream(&self, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>, last: &mut [u8; 16]) {
            self.run(
                #[inline(always)]
                |isa| lanes::xor_keystream::<Blocks1<Self>, 1, 8>(isa, keys, counter, text, last),
            );
        }
    }

    impl Kernel for VaesAvx2 {
        fn xor_keystream(&self, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>, last: &mut [u8; 16]) {
            self.run(
                #[inline(always)]
                |isa| lanes::xor_keystream::<Blocks2, 2, 16>(isa, keys, counter, text, last),
            );
        }
    }

    impl Kernel for VaesAvx512 {
        fn xor_keystream(&self, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>, last: &mut [u8; 16]) {
            self.run(
                #[inline(always)]
                |isa| lanes::xor_keystream::<Blocks4, 4, 32>(isa, keys, counter, text, last),
            );
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use super::*;
    use keylane_cpu::InstructionSet;
    use keylane_cpu::aarch64::NeonAes;
    use keylane_cpu::lanes::aarch64::Blocks1;

    impl Kernel for NeonAes {
        fn xor_keystream(&self, keys: &RoundKeys, counter: u128, text: &mut InOut<'_>, last: &mut [u8; 16]) {
            self.run(
                #[inline(always)]
                |isa| lanes::xor_keystream::<Blocks1, 1, 8>(isa, keys, counter, text, last),
            );
        }
    }
}
