//! The cipher and the hash in turns, each by its own kernel, over pieces that stay in the level-1 cache.

#[cfg(target_arch = "x86_64")]
use super::first_group::{first_group, split};
use super::kernel::{Kernel, Progress, one_by_one};
#[cfg(target_arch = "x86_64")]
use super::many::crypt_many;
#[cfg(target_arch = "x86_64")]
use super::tile;
use crate::aead::{self, Direction, Tag};
#[cfg(target_arch = "x86_64")]
use crate::backend::Shape;
#[cfg(target_arch = "x86_64")]
use crate::chacha20::Kernel as _;
#[cfg(target_arch = "x86_64")]
use crate::chacha20::lanes::{Groups, StreamBuffer, Vector, wipe_stream};
#[cfg(target_arch = "x86_64")]
use crate::poly1305::shapes;
use crate::{chacha20, poly1305};
#[cfg(target_arch = "x86_64")]
use core::marker::PhantomData;
#[cfg(target_arch = "x86_64")]
use keylane_cpu::InstructionSet;
use keylane_cpu::Portable;
use keylane_cpu::in_out::InOut;
#[cfg(target_arch = "x86_64")]
use keylane_cpu::lanes::Product52Lanes;
use keylane_cpu::wipe::wipe;

/// The bytes of a piece: a multiple of all groups of ciphers and hashes.
const PIECE: usize = 8 * 1024;

impl Kernel for Portable {
    fn crypt(&self, direction: Direction, message: &mut Progress<'_>, aad: &[u8], text: &mut InOut<'_>) {
        crypt_by_words(self, direction, message, aad, text);
    }

    fn crypt_many(
        &self,
        direction: Direction,
        key: &[u8; 32],
        messages: &mut [aead::Message<'_>],
        tags: &mut [Tag],
    ) {
        one_by_one(self, direction, key, messages, tags);
    }
}

/// As [`Kernel::crypt`], with the portable hash.
#[inline(always)]
pub(crate) fn crypt_by_words(
    cipher: &impl chacha20::Kernel,
    direction: Direction,
    message: &mut Progress<'_>,
    aad: &[u8],
    text: &mut InOut<'_>,
) {
    if message.hash.is_none() {
        let (mut key, mut last) = ([0; 32], [0; 64]);
        let block = &mut InOut::in_place(&mut key);
        cipher.xor_keystream(message.key, message.nonce, 0, block, &mut last);
        message.begin(&poly1305::PORTABLE, &key, aad, &[]);
        message.counter = 1;
        wipe(&mut key);
        wipe(&mut last);
    }
    pieces(direction, cipher, &poly1305::PORTABLE, message, text);
}

/// How a batch is processed with a hash and the cipher over V.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Batches<V> {
    /// As [`Kernel::crypt_many`].
    const CRYPT_MANY: CryptMany;
}

#[cfg(target_arch = "x86_64")]
type CryptMany = fn(&dyn Kernel, Direction, &[u8; 32], &mut [aead::Message<'_>], &mut [Tag]);

#[cfg(target_arch = "x86_64")]
impl<V: Vector<16, 4> + 'static, W: Product52Lanes<8> + 'static> Batches<V> for shapes::Avx512Ifma<W> {
    const CRYPT_MANY: CryptMany = tile::crypt_many::<V, W>;
}

#[cfg(target_arch = "x86_64")]
impl<V: Vector<16, 4> + 'static, W> Batches<V> for shapes::Avx512<W> {
    const CRYPT_MANY: CryptMany = crypt_many::<V, 16, 4, 64, 2>;
}

/// One by one: SSE2 alone is too old a set for more code.
#[cfg(target_arch = "x86_64")]
impl<V, W> Batches<V> for shapes::Sse2<W> {
    const CRYPT_MANY: CryptMany = one_by_one;
}

/// The cipher by [`Groups`], the hash by H.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Sequential<V, H, const N: usize, const B: usize, const G: usize>(
    PhantomData<fn() -> (V, H)>,
);

#[cfg(target_arch = "x86_64")]
impl<V: 'static, H: Shape, const N: usize, const B: usize, const G: usize> Shape
    for Sequential<V, H, N, B, G>
{
    type Isa = H::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

#[cfg(target_arch = "x86_64")]
impl<V, H, const N: usize, const B: usize, const G: usize> Kernel for Sequential<V, H, N, B, G>
where
    V: Vector<N, B> + 'static,
    H: poly1305::Kernel + Shape + Batches<V>,
{
    fn crypt(&self, direction: Direction, message: &mut Progress<'_>, aad: &[u8], text: &mut InOut<'_>) {
        enter::<V, N, B, G>(H::KERNEL, direction, message, aad, text);
    }

    fn crypt_many(
        &self,
        direction: Direction,
        key: &[u8; 32],
        messages: &mut [aead::Message<'_>],
        tags: &mut [Tag],
    ) {
        H::CRYPT_MANY(self, direction, key, messages, tags);
    }
}

/// The cipher's kernel is the same for every hash.
#[cfg(target_arch = "x86_64")]
#[inline]
fn enter<V: Vector<N, B> + 'static, const N: usize, const B: usize, const G: usize>(
    kernel: &dyn poly1305::Kernel,
    direction: Direction,
    message: &mut Progress<'_>,
    aad: &[u8],
    text: &mut InOut<'_>,
) {
    V::Isa::enter(
        #[inline(always)]
        move |isa| crypt::<V, N, B, G>(isa, kernel, direction, message, aad, text),
    );
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn crypt<V: Vector<N, B> + 'static, const N: usize, const B: usize, const G: usize>(
    isa: V::Isa,
    kernel: &dyn poly1305::Kernel,
    direction: Direction,
    message: &mut Progress<'_>,
    aad: &[u8],
    text: &mut InOut<'_>,
) {
    let cipher = Groups::<V, N, B, G>::KERNEL;
    if message.hash.is_none() {
        let mut buffer = StreamBuffer::<G>::new();
        let stream = buffer.stream();
        let mut piece = text.take_front(text.len().min(PIECE - 64));
        // Whole groups follow: as many blocks come first as fill no group, if those are a short key stream.
        let short = V::SHORT_LEN / 64;
        let blocks = match 1 + piece.len().div_ceil(64) {
            // Two short key streams take as long, by half the code.
            all if N == 16 && all > 20 && all <= 2 * short => short,
            all if !all.is_multiple_of(N) && all % N <= short => all % N,
            _ => N,
        };
        let head_len = piece.len().min(64 * (blocks - 1));
        first_group::<V, N, B, G>(isa, message, stream, head_len);
        let (key, stream_of_text) = split(stream);
        if direction == Direction::Open {
            message.begin(kernel, key, aad, piece.input());
        }
        let mut rest = piece.reborrow();
        rest.take_front(head_len).xor(stream_of_text);
        if !rest.is_empty() {
            let mut last = [0; 64];
            cipher.xor_keystream(message.key, message.nonce, message.counter, &mut rest, &mut last);
            wipe(&mut last);
        }
        if direction == Direction::Seal {
            message.begin(kernel, key, aad, piece.written());
        }
        message.counter = 1 + (piece.len() / 64) as u32;
        wipe_stream::<B, G>(stream, 64 + head_len);
    }
    if !text.is_empty() {
        pieces(direction, cipher, kernel, message, text);
    }
}

/// Processes the rest of a message whose beginning was processed.
#[inline(never)]
fn pieces(
    direction: Direction,
    cipher: &dyn chacha20::Kernel,
    kernel: &dyn poly1305::Kernel,
    message: &mut Progress<'_>,
    text: &mut InOut<'_>,
) {
    let hash = message.hash.as_mut().expect("begun");
    while !text.is_empty() {
        let mut piece = text.take_front(text.len().min(PIECE));
        if direction == Direction::Open {
            hash.absorb_padded(kernel, piece.input());
        }
        let mut last = [0; 64];
        cipher.xor_keystream(message.key, message.nonce, message.counter, &mut piece.reborrow(), &mut last);
        wipe(&mut last);
        if direction == Direction::Seal {
            hash.absorb_padded(kernel, piece.written());
        }
        message.counter = message.counter.wrapping_add((piece.len() / 64) as u32);
    }
}
