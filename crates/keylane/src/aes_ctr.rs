//! AES in counter mode (NIST SP 800-38A §6.5): a key stream that can seek to any byte.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod lanes;

use crate::aes::{Aes, Order, RoundKeys, add, portable};
use crate::backend::backends;
use crate::error::Error;
use core::fmt;
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
use keylane_cpu::wipe::{Secret, wipe};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use lanes::Lanes;

/// An implementation of AES-CTR.
pub(crate) trait Kernel: Sync {
    /// XORs the key stream into a text, whose place and counter are unspecified after the call.
    fn xor_keystream(&self, part: &mut Part<'_>);
}

/// A text for a kernel. Passed by reference, since its parts would be stored and loaded again.
pub(crate) struct Part<'a> {
    pub(crate) keys: &'a RoundKeys,
    pub(crate) order: Order,
    /// The counter of the first block.
    pub(crate) counter: u128,
    pub(crate) text: InOut<'a>,
    /// If the last block is partial, its key stream is stored here.
    pub(crate) last: &'a mut [u8; 16],
}

backends! {
    pub(crate) static BACKENDS: Backends<Chosen>;
    "aes-ctr", passes, dyn Kernel:
    x86_64 [Lanes<Blocks4, 4>, Lanes<Blocks2, 2>, Lanes<Blocks1<AesNi>, 1>]
    aarch64 [Lanes<Blocks1, 1>]
    wasm32 [Portable]
    portable [Portable]
}

/// The length of the longest key stream that is tested.
const MAX_LEN: usize = 16 * 77 + 5;

/// Tests the beginning of SP 800-38A §F.5.1; then long streams of each key length against their counter
/// blocks encrypted alone, with all carries and every number of vectors at the end.
fn passes(kernel: &Chosen) -> bool {
    const KEY: [u8; 16] = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128.to_be_bytes();
    const COUNTER: u128 = 0xf0f1_f2f3_f4f5_f6f7_f8f9_fafb_fcfd_feff;
    const PLAINTEXT: u128 = 0x6bc1_bee2_2e40_9f96_e93d_7e11_7393_172a;
    const CIPHERTEXT: u128 = 0x874d_6191_b620_e326_1bef_6864_990d_b6ce;

    let mut last = [0; 16];
    let mut block = PLAINTEXT.to_be_bytes();
    let aes = Aes::new_128(&KEY);
    let text = InOut::in_place(&mut block);
    let (keys, counter, last) = (&aes.keys, COUNTER, &mut last);
    kernel.xor_keystream(&mut Part { keys, order: Order::Big, counter, text, last });
    let mut good = block == CIPHERTEXT.to_be_bytes();
    for counter in [COUNTER, (1 << 32) - 9, (1 << 64) - 40, u128::MAX - 70] {
        good &= is_right(kernel, &aes, Order::Big, counter, MAX_LEN);
    }
    // Up to the last number of 32 bits; the counter after it is in no block.
    good &= is_right(kernel, &aes, Order::Little, (COUNTER << 32) - MAX_LEN.div_ceil(16) as u128, MAX_LEN);
    for key_len in [16, 24, 32] {
        let Ok(aes) = Aes::from_slice(&[7; 32][..key_len]) else { return false };
        // Both ways to count, with one to eight vectors, whole and partial.
        for len in (16..MAX_LEN).step_by(100) {
            good &= [0, 0xfe].into_iter().all(|counter| is_right(kernel, &aes, Order::Big, counter, len));
            good &= is_right(kernel, &aes, Order::Little, COUNTER, len);
        }
    }
    good
}

/// Compares a key stream with blocks of counters, encrypted.
#[inline(never)]
fn is_right(kernel: &Chosen, aes: &Aes, order: Order, counter: u128, len: usize) -> bool {
    let (mut blocks, mut last) = ([[0; 16]; MAX_LEN.div_ceil(16)], [0; 16]);
    let blocks = &mut blocks[..len.div_ceil(16)];
    for (i, block) in blocks.iter_mut().enumerate() {
        let counter = add(counter, i as u128);
        *block = if order == Order::Big { counter.to_be_bytes() } else { counter.to_le_bytes() };
    }
    aes.encrypt_blocks(blocks);
    let last_block = blocks[blocks.len() - 1];
    let stream = &mut blocks.as_flattened_mut()[..len];
    let text = InOut::in_place(stream);
    kernel.xor_keystream(&mut Part { keys: &aes.keys, order, counter, text, last: &mut last });
    stream.iter().all(|byte| *byte == 0) && (len.is_multiple_of(16) || last == last_block)
}

/// AES-CTR with a 128-bit big-endian counter that wraps, as in NIST SP 800-38A and OpenSSL. Wiped when
/// dropped.
///
/// How the bytes are divided among calls does not change the output.
///
/// # Security
/// Nothing is authenticated: flipping a bit of the ciphertext flips it in the text. Two texts under one key
/// whose counters overlap reveal the XOR of the plaintexts. Prefer [`aes_gcm`](crate::aes_gcm).
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
    keys: Secret<RoundKeys>,
    /// The first counter block, as a number.
    first: u128,
    /// The position in the key stream, in bytes.
    position: u128,
    /// The key stream of the block at `position`, if that is inside a block.
    last: Secret<[u8; 16]>,
}

impl AesCtr {
    /// Returns a key stream whose first block is the encryption of `counter_block`.
    #[must_use]
    pub fn new(aes: &Aes, counter_block: &[u8; 16]) -> Self {
        Self {
            keys: aes.keys.clone(),
            first: u128::from_be_bytes(*counter_block),
            position: 0,
            last: Secret::new([0; 16]),
        }
    }

    /// XORs the next bytes of the key stream into `data`, which encrypts or decrypts it.
    pub fn xor_keystream(&mut self, data: &mut [u8]) {
        self.xor(InOut::in_place(data));
    }

    /// XORs the next bytes of the key stream with `input` into `output`.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if the lengths differ.
    pub fn xor_keystream_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        Error::check_length("length of the output in bytes", input.len(), output.len())?;
        self.xor(InOut::apart(input, output));
        Ok(())
    }

    /// Moves to a position in the key stream, in bytes from its beginning.
    pub fn seek(&mut self, position: u64) {
        self.seek_far(u128::from(position));
    }

    /// Moves to a position like [`seek`](Self::seek), also beyond 2^64 bytes.
    pub(crate) fn seek_far(&mut self, position: u128) {
        self.position = position & !15;
        if !position.is_multiple_of(16) {
            let mut byte = [0];
            self.xor_keystream(&mut byte);
            wipe(&mut byte);
        }
        self.position = position;
    }

    /// Returns the position in the key stream, in bytes.
    #[must_use]
    pub const fn position(&self) -> u128 {
        self.position
    }

    #[inline(always)]
    fn xor(&mut self, text: InOut<'_>) {
        // Built once, in its place: words that are copied as a vector soon after they were stored would take
        // as long as a block.
        let (keys, order, counter, last) = (&*self.keys, Order::Big, 0, &mut *self.last);
        let mut part = Part { keys, order, counter, text, last };
        if !self.position.is_multiple_of(16) {
            let used = part.xor_last((self.position % 16) as usize);
            self.position = add(self.position, used as u128);
        }
        let len = part.text.len();
        if len > 0 {
            part.counter = add(self.first, self.position / 16);
            BACKENDS.chosen().xor_keystream(&mut part);
            self.position = add(self.position, len as u128);
        }
    }
}

impl Part<'_> {
    /// XORs the rest of the last block's key stream, `used` bytes of which were used, into the text. Returns
    /// how many bytes it takes off.
    #[inline(never)]
    fn xor_last(&mut self, used: usize) -> usize {
        let len = self.text.len().min(16 - used);
        self.text.take_front(len).xor(&self.last[used..]);
        len
    }
}

impl zeroize::ZeroizeOnDrop for AesCtr {}

impl fmt::Debug for AesCtr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AesCtr").field("position", &self.position).finish_non_exhaustive()
    }
}

impl Kernel for Portable {
    fn xor_keystream(&self, Part { keys, order, counter, text, last }: &mut Part<'_>) {
        portable::xor_keystream::<portable::Register, { portable::GROUP }>(
            keys, *order, *counter, text, last,
        );
    }
}
