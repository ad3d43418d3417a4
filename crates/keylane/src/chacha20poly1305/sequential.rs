//! The cipher in vectors and the hash in turns. First comes a group of key stream, no longer than the text
//! needs.

use super::kernel::{Kernel, Part, Progress, one_by_one};
#[cfg(target_arch = "x86_64")]
use super::many::crypt_many;
use super::pieces::{PIECE, first_group, pieces, split};
use crate::aead::{Batch, Direction};
use crate::backend::Shape;
use crate::chacha20::Kernel as _;
#[cfg(target_arch = "x86_64")]
use crate::chacha20::lanes::Groups;
use crate::chacha20::lanes::{StreamBuffer, Vector, wipe_stream};
use crate::poly1305;
use core::marker::PhantomData;
use keylane_cpu::InstructionSet;
use keylane_cpu::lanes::Lanes;
use keylane_cpu::wipe::wipe;

/// The cipher by [`Groups`], the hash by H.
pub(crate) struct Sequential<V, H, const N: usize, const B: usize>(PhantomData<fn() -> (V, H)>);

impl<V: Lanes + 'static, H: Shape, const N: usize, const B: usize> Shape for Sequential<V, H, N, B> {
    #[cfg(target_arch = "x86_64")]
    type Isa = H::Isa;
    #[cfg(target_feature = "simd128")]
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

impl<V, H, const N: usize, const B: usize> Kernel for Sequential<V, H, N, B>
where
    V: Vector<N, B> + 'static,
    H: poly1305::Kernel + Shape,
{
    fn crypt(&self, part: &mut Part<'_, '_>) {
        #[cfg(target_arch = "x86_64")]
        enter::<V, N, B>(const { &(H::KERNEL as _) }, part);
        #[cfg(target_feature = "simd128")]
        enter::<V, N, B>(const { &poly1305::Chosen::KERNEL }, part);
    }

    fn crypt_many(&self, key: &[u8; 32], batch: &mut Batch<'_, '_>) {
        // SSE2 alone is too old a set for more code.
        #[cfg(target_arch = "x86_64")]
        if const { N == 16 } {
            return crypt_many::<V, N, B>(self, key, batch);
        }
        one_by_one(self, key, batch);
    }
}

/// The cipher's kernel is the same for every hash.
#[inline]
fn enter<V: Vector<N, B> + 'static, const N: usize, const B: usize>(
    kernel: &&'static poly1305::Chosen,
    part: &mut Part<'_, '_>,
) {
    V::Isa::enter(
        #[inline(always)]
        move |isa| crypt::<V, N, B>(isa, kernel, part),
    );
}

#[inline(always)]
fn crypt<V: Vector<N, B> + 'static, const N: usize, const B: usize>(
    isa: V::Isa,
    kernel: &&'static poly1305::Chosen,
    part: &mut Part<'_, '_>,
) {
    #[cfg(target_arch = "x86_64")]
    let cipher = Groups::<V, N, B>::KERNEL;
    #[cfg(target_feature = "simd128")]
    let cipher = crate::chacha20::Chosen::KERNEL;
    if part.message.hash.is_none() {
        let mut buffer = StreamBuffer::<B>::new();
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
        first_group::<V, N, B>(isa, part.message, stream, head_len);
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
        wipe_stream(stream, 0..64 + head_len);
        if part.text.is_empty() {
            return;
        }
    }
    pieces(cipher, *kernel, part);
}
