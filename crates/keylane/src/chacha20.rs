//! ChaCha20 (RFC 8439 §2.4) and XChaCha20 (draft-irtf-cfrg-xchacha-03): key streams that can seek to any
//! byte.

pub(crate) mod kernel;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
pub(crate) mod lanes;
pub(crate) mod portable;

pub(crate) use kernel::Kernel;

use crate::backend::backends;
use crate::error::Error;
use core::fmt;
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
#[cfg(target_feature = "simd128")]
use keylane_cpu::lanes::wasm32::U32x4;
use keylane_cpu::wipe::{Secret, wipe};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
use lanes::Groups;

backends! {
    pub(crate) static BACKENDS: Backends<Chosen>;
    "chacha20", passes, dyn Kernel:
    x86_64 [
        Groups<U32x16, 16, 4>,
        Groups<U32x8, 8, 2>,
        Groups<U32x4<Ssse3>, 4, 1>,
        Groups<U32x4<Sse2>, 4, 1>,
    ]
    aarch64 [Groups<U32x4, 4, 1>]
    wasm32 [Groups<U32x4, 4, 1>]
    portable [Portable]
}

/// Tests RFC 8439 §2.3.2 and HChaCha20's example (draft-irtf-cfrg-xchacha-03 §2.2.1); then key streams of
/// many lengths, around all group sizes and over the end of the counter, against those of the portable
/// implementation.
fn passes(kernel: &Chosen) -> bool {
    const LEN: usize = 64 * 33;
    const ANSWER: [u8; 16] = 0x10f1_e7e4_d13b_5915_500f_dd1f_a320_71c4_u128.to_be_bytes();
    const SUBKEY: [u8; 16] = 0x8241_3b42_27b2_7bfe_d30e_4250_8a87_7d73_u128.to_be_bytes();
    const COUNTER: u32 = u32::MAX - 21;

    let key: [u8; 32] = core::array::from_fn(|i| i as u8);
    let nonce = [0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0];
    let mut last = [0; 64];
    let mut block = [0; 64];
    kernel.xor_keystream(&key, &nonce, 1, &mut InOut::in_place(&mut block), &mut last);
    let mut good = block[..16] == ANSWER;
    let nonce_16 = [0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0, 0x31, 0x41, 0x59, 0x27];
    good &= portable::hchacha20::<u32>(&key, &nonce_16)[..16] == SUBKEY;

    // Encrypting twice returns zeros.
    let mut stream = [0; LEN];
    Portable.xor_keystream(&key, &nonce, COUNTER, &mut InOut::in_place(&mut stream), &mut last);
    for len in [LEN, LEN - 59, 64 * 21, 64 * 15 + 1, 64 * 11 - 1, 64 * 7 + 33, 64 * 4, 130, 63] {
        kernel.xor_keystream(&key, &nonce, COUNTER, &mut InOut::in_place(&mut stream[..len]), &mut last);
        good &= stream[..len].iter().all(|byte| *byte == 0);
        kernel.xor_keystream(&key, &nonce, COUNTER, &mut InOut::in_place(&mut stream[..len]), &mut last);
        if len % 64 != 0 {
            good &= stream[len / 64 * 64..].starts_with(&last);
        }
    }
    good
}

/// ChaCha20 with a nonce of 12 bytes and a counter of 32 bits (RFC 8439). Wiped when dropped.
///
/// How the bytes are divided among calls does not change the output. The counter begins with 0. Where the
/// RFC's examples begin with 1, use this key stream from byte 64 on.
///
/// # Security
/// Nothing is authenticated: flipping a bit of the ciphertext flips it in the text. Two texts encrypted with
/// one key and one nonce reveal the XOR of the plaintexts. Prefer
/// [`chacha20poly1305`](crate::chacha20poly1305).
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::chacha20::ChaCha20;
///
/// let mut data = *b"attack at dawn";
/// ChaCha20::new(&[7; 32], &[0; 12]).xor_keystream(&mut data)?;
///
/// let mut again = ChaCha20::new(&[7; 32], &[0; 12]);
/// again.seek(10)?;
/// again.xor_keystream(&mut data[10..])?;
/// assert_eq!(&data[10..], b"dawn");
/// # Ok(())
/// # }
/// ```
pub type ChaCha20 = KeyStream<12>;

/// ChaCha20 with a nonce of 24 bytes, which may be random (draft-irtf-cfrg-xchacha-03 §2.3). Wiped when
/// dropped.
///
/// # Security
/// Nothing is authenticated, and nonces must not repeat: see [`ChaCha20`].
///
/// ```
/// # fn main() -> Result<(), keylane::Error> {
/// use keylane::chacha20::XChaCha20;
///
/// let mut data = *b"attack at dawn";
/// XChaCha20::new(&[7; 32], &[9; 24]).xor_keystream(&mut data)?;
/// XChaCha20::new(&[7; 32], &[9; 24]).xor_keystream(&mut data)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok(())
/// # }
/// ```
pub type XChaCha20 = KeyStream<24>;

/// A key stream and a position in it, for nonces of 12 bytes ([`ChaCha20`]) or 24 bytes ([`XChaCha20`]).
/// Wiped when dropped.
#[derive(Clone)]
pub struct KeyStream<const NONCE_LEN: usize> {
    key: Secret<[u8; 32]>,
    nonce: [u8; 12],
    /// The position in the key stream, in bytes.
    position: u64,
    /// The key stream of the block at `position`, if that is inside a block.
    last: Secret<[u8; 64]>,
}

impl<const NONCE_LEN: usize> KeyStream<NONCE_LEN> {
    /// The length of a key in bytes.
    pub const KEY_LEN: usize = 32;
    /// The length of a nonce in bytes.
    pub const NONCE_LEN: usize = NONCE_LEN;
    /// The length of the key stream in bytes: 2^32 blocks of 64 bytes.
    pub const MAX_LEN: u64 = 1 << 38;

    /// XORs the next bytes of the key stream into `data`, which encrypts or decrypts it.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] if the key stream ends before the data does; `data` is unchanged.
    pub fn xor_keystream(&mut self, data: &mut [u8]) -> Result<(), Error> {
        self.xor(&mut InOut::in_place(data))
    }

    /// XORs the next bytes of the key stream with `input` into `output`.
    ///
    /// # Errors
    /// [`Error::WrongLength`] if the lengths differ, [`Error::InputTooLong`] as for
    /// [`xor_keystream`](Self::xor_keystream).
    pub fn xor_keystream_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
        Error::check_length("length of the output in bytes", input.len(), output.len())?;
        self.xor(&mut InOut::apart(input, output))
    }

    /// Moves to a position in the key stream, in bytes from its beginning.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] beyond [`MAX_LEN`](Self::MAX_LEN); the position is unchanged.
    pub fn seek(&mut self, position: u64) -> Result<(), Error> {
        if position > Self::MAX_LEN {
            return Err(Error::InputTooLong { max: Self::MAX_LEN });
        }
        self.position = position;
        if !position.is_multiple_of(64) {
            let mut byte = [0];
            self.run(&mut InOut::in_place(&mut byte));
            wipe(&mut byte);
        }
        Ok(())
    }

    /// Returns the position in the key stream, in bytes.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    #[inline]
    fn xor(&mut self, text: &mut InOut<'_>) -> Result<(), Error> {
        let left = Self::MAX_LEN - self.position;
        if text.len() as u64 > left {
            return Err(Error::InputTooLong { max: left });
        }
        let used = (self.position % 64) as usize;
        if used != 0 {
            let mut head = text.take_front(text.len().min(64 - used));
            self.position += head.len() as u64;
            head.xor(&self.last[used..]);
        }
        if !text.is_empty() {
            let len = text.len() as u64;
            self.run(text);
            self.position += len;
        }
        Ok(())
    }

    /// XORs the key stream into `text`, from the beginning of the block at `position` on.
    #[inline]
    fn run(&mut self, text: &mut InOut<'_>) {
        // Below 2^32, since a text that is not empty begins before the end of the key stream.
        let counter = (self.position / 64) as u32;
        BACKENDS.chosen().xor_keystream(&self.key, &self.nonce, counter, text, &mut self.last);
    }
}

impl<const NONCE_LEN: usize> zeroize::ZeroizeOnDrop for KeyStream<NONCE_LEN> {}

impl<const NONCE_LEN: usize> fmt::Debug for KeyStream<NONCE_LEN> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(if NONCE_LEN == 12 { "ChaCha20" } else { "XChaCha20" })
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

impl ChaCha20 {
    /// Returns a key stream that begins at position 0.
    #[must_use]
    pub const fn new(key: &[u8; 32], nonce: &[u8; 12]) -> Self {
        Self { key: Secret::new(*key), nonce: *nonce, position: 0, last: Secret::new([0; 64]) }
    }
}

impl XChaCha20 {
    /// Returns a key stream that begins at position 0.
    #[must_use]
    pub fn new(key: &[u8; 32], nonce: &[u8; 24]) -> Self {
        let (key, nonce) = extended(key, nonce);
        Self { key, nonce, position: 0, last: Secret::new([0; 64]) }
    }
}

/// Derives the key and the nonce of ChaCha20 from a key and a nonce of 24 bytes (draft-irtf-cfrg-xchacha-03
/// §2.3).
#[inline(always)]
pub(crate) fn extended(key: &[u8; 32], nonce: &[u8; 24]) -> (Secret<[u8; 32]>, [u8; 12]) {
    let (first, rest) = nonce.split_first_chunk::<16>().expect("16 of 24");
    let mut inner = [0; 12];
    inner[4..].copy_from_slice(rest);
    (Secret::new(portable::hchacha20::<u32>(key, first)), inner)
}
