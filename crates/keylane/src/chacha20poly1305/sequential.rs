//! The cipher in vectors and the hash in turns. Before the first piece, a group of key stream that is no
//! longer than the text needs.

use super::first_group::{first_group, split};
use super::kernel::{Kernel, Part, Progress, one_by_one};
#[cfg(target_arch = "x86_64")]
use super::many::crypt_many;
use super::pieces::{PIECE, pieces};
#[cfg(target_arch = "x86_64")]
use super::tile;
use crate::aead::{self, Direction, Tag};
use crate::backend::Shape;
use crate::chacha20::Kernel as _;
#[cfg(target_arch = "x86_64")]
use crate::chacha20::lanes::Groups;
use crate::chacha20::lanes::{StreamBuffer, Vector, wipe_stream};
use crate::poly1305;
#[cfg(target_arch = "x86_64")]
use crate::poly1305::shapes;
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::Lanes;
#[cfg(target_arch = "x86_64")]
use keylane_cpu::lanes::Product52Lanes;
use keylane_cpu::wipe::wipe;

/// How a batch is processed with a hash and the cipher over V.
pub(crate) trait Batches<V> {
    /// Does [`Kernel::crypt_many`], by `kernel` where one by one takes less time.
    fn crypt_many(
        kernel: &(impl Kernel + 'static),
        direction: Direction,
        key: &[u8; 32],
        messages: &mut [aead::Message<'_>],
        tags: &mut [Tag],
    );
}

/// Implements [`Batches`] by a function.
macro_rules! batches {
    ($($(#[$cfg:meta])? [$($generics:tt)*] $Hash:ty: $function:path);+) => { $(
        $(#[$cfg])?
        impl<$($generics)*> Batches<V> for $Hash {
            fn crypt_many(
                kernel: &(impl Kernel + 'static),
                direction: Direction,
                key: &[u8; 32],
                messages: &mut [aead::Message<'_>],
                tags: &mut [Tag],
            ) {
                $function(kernel, direction, key, messages, tags);
            }
        }
    )+ };
}
batches! {
    #[cfg(target_arch = "x86_64")]
    [V: Vector<16, 4> + 'static, W: Product52Lanes<8> + 'static] shapes::Avx512Ifma<W>:
        tile::crypt_many::<V, W>;
    #[cfg(target_arch = "x86_64")]
    [V: Vector<16, 4> + 'static, W] shapes::Avx512<W>: crypt_many::<V, 16, 4, 64>;
    // SSE2 alone is too old a set for more code.
    #[cfg(target_arch = "x86_64")]
    [V, W] shapes::Sse2<W>: one_by_one;
    [V] poly1305::Scalar: one_by_one
}

/// The cipher by [`Groups`], the hash by H.
pub(crate) struct Sequential<V, H, const N: usize, const B: usize, const G: usize>(
    PhantomData<fn() -> (V, H)>,
);

impl<V: Lanes + 'static, H: Shape, const N: usize, const B: usize, const G: usize> Shape
    for Sequential<V, H, N, B, G>
{
    #[cfg(target_arch = "x86_64")]
    type Isa = H::Isa;
    #[cfg(target_feature = "simd128")]
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

impl<V, H, const N: usize, const B: usize, const G: usize> Kernel for Sequential<V, H, N, B, G>
where
    V: Vector<N, B> + 'static,
    H: poly1305::Kernel + Shape + Batches<V>,
{
    fn crypt(&self, part: &mut Part<'_, '_>) {
        #[cfg(target_arch = "x86_64")]
        enter::<V, N, B, G>(const { &(H::KERNEL as _) }, part);
        #[cfg(target_feature = "simd128")]
        enter::<V, N, B, G>(const { &poly1305::Chosen::KERNEL }, part);
    }

    fn crypt_many(
        &self,
        direction: Direction,
        key: &[u8; 32],
        messages: &mut [aead::Message<'_>],
        tags: &mut [Tag],
    ) {
        H::crypt_many(self, direction, key, messages, tags);
    }
}

/// The cipher's kernel is the same for every hash.
#[inline]
fn enter<V: Vector<N, B> + 'static, const N: usize, const B: usize, const G: usize>(
    kernel: &&'static poly1305::Chosen,
    part: &mut Part<'_, '_>,
) {
    V::Isa::enter(
        #[inline(always)]
        move |isa| crypt::<V, N, B, G>(isa, kernel, part),
    );
}

#[inline(always)]
fn crypt<V: Vector<N, B> + 'static, const N: usize, const B: usize, const G: usize>(
    isa: V::Isa,
    kernel: &&'static poly1305::Chosen,
    part: &mut Part<'_, '_>,
) {
    #[cfg(target_arch = "x86_64")]
    let cipher = Groups::<V, N, B, G>::KERNEL;
    #[cfg(target_feature = "simd128")]
    let cipher = crate::chacha20::Chosen::KERNEL;
    if part.message.hash.is_none() {
        let mut buffer = StreamBuffer::<G>::new();
        let stream = buffer.stream();
        let mut piece = part.text.take_front(part.text.len().min(PIECE - 64));
        // Whole groups follow: as many blocks come first as fill no group, if those are a short key stream.
        let short = V::SHORT_LEN / 64;
        let blocks = match 1 + piece.len().div_ceil(64) {
            all if all <= short => all,
            all if !all.is_multiple_of(N) && all % N <= short => all % N,
            _ => N,
        };
        let head_len = piece.len().min(64 * (blocks - 1));
        first_group::<V, N, B, G>(isa, part.message, stream, head_len);
        let (key, stream_of_text) = split(stream);
        if part.direction != Direction::Seal {
            part.begin(*kernel, key, piece.input());
        }
        let mut rest = piece.reborrow();
        rest.take_front(head_len).xor(stream_of_text);
        if !rest.is_empty() {
            let mut last = [0; 64];
            let (Progress { key, nonce, .. }, counter) = (&*part.message, 1 + head_len.div_ceil(64) as u32);
            cipher.xor_keystream(key, nonce, counter, &mut rest, &mut last);
            wipe(&mut last);
        }
        if part.direction == Direction::Seal {
            part.begin(*kernel, key, piece.written());
        }
        part.message.counter = 1 + (piece.len() / 64) as u32;
        wipe_stream::<B, G>(stream, 64 + head_len);
        if part.text.is_empty() {
            return;
        }
    }
    pieces(cipher, *kernel, part);
}
