//! ChaCha20: every kernel computes RFC 8439 §2.3 and §2.4, whatever the key, the nonce and the text.

pub(super) use super::key_stream::Streams;
use super::key_stream::permute;
use super::lanes::Recorded;
use super::memory::{input_array, output_bytes, processed};
use super::prove::{Fault, check};
use super::record::{input_bytes, record};
use super::symbols::Symbol;
use super::vectors::{Sse2, Ssse3, U32x4, U32x8, U32x16};
use super::words::Piece;
use crate::backend::Shape;
use crate::chacha20::Kernel;
use crate::chacha20::lanes::{First, Groups, Vector, wide_rows};
use crate::chacha20::portable;
use keylane_cpu::in_out::InOut;
use keylane_cpu::lanes::x86_64::U32x16 as Compiled;

impl Vector<4, 1> for Recorded<u32, 4> {}
impl Vector<8, 2> for Recorded<u32, 8> {}

impl Vector<16, 4> for Recorded<u32, 16> {
    const SHORT_LEN: usize = <Compiled as Vector<16, 4>>::SHORT_LEN;

    fn keystream(isa: keylane_cpu::Portable, first: First<'_>, stream: &mut [[u8; 16]], len: usize) {
        wide_rows::<Self, Recorded<u32, 8>>((isa, isa), first, stream, len);
    }
}

/// The portable kernel, over symbols.
pub(super) struct Portable;

impl Shape for Portable {
    type Isa = keylane_cpu::Portable;
    const KERNEL: &'static Self = &Self;
}

impl Kernel for Portable {
    fn xor_keystream(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        counter: u32,
        text: &mut InOut<'_>,
        last: &mut [u8; 64],
    ) {
        portable::xor_keystream::<Symbol<u32>>(key, nonce, counter, text, last);
    }
}

/// Proves a text of this length, in place or not, and the key stream of its last block if that is partial.
fn text(kernel: &dyn Kernel, streams: &mut Streams, counter: u32, len: usize, apart: bool, faults: &[Fault]) {
    let trace = record(&|| {
        let (key, nonce, text, mut last) = (input_array(), input_array(), input_bytes(len), [0; 64]);
        output_bytes(&processed(&text, apart, |mut text| {
            kernel.xor_keystream(&key, &nonce, counter, &mut text, &mut last);
        }));
        output_bytes(if len.is_multiple_of(64) { &[] } else { &last });
    });
    let text = streams.text(44, len);
    let mut expected = streams.xor(counter, 32, text);
    if !len.is_multiple_of(64) {
        expected.extend(streams.xor(counter.wrapping_add((len / 64) as u32), 32, [Piece::Known(0); 64]));
    }
    check(&trace, &mut streams.words, faults, |words, values| words.output_bytes(&trace, values) == expected);
}

/// Proves a kernel whose groups have N blocks.
fn kernel<K: Shape + Kernel>(n: usize) {
    let (kernel, mut streams) = (K::KERNEL, Streams::new());
    // Up to two groups and a block, with the counter's end in each place.
    for blocks in 0..=2 * n + 1 {
        let len = 64 * blocks + [0, 1, 63, 16, 15, 40][blocks % 6];
        text(kernel, &mut streams, u32::MAX - (blocks / 2) as u32, len, blocks % 2 == 0, &[]);
    }
    for len in [64 * n - 1, 64 * n, 64 * (2 * n + 1)] {
        text(kernel, &mut streams, 1, len, false, &Fault::ALL);
    }
}

fn every_length(kernel: &dyn Kernel) {
    let mut streams = Streams::new();
    for len in 0..=1100 {
        for (apart, counter) in [(true, 0), (false, 1), (true, u32::MAX - (len / 128) as u32)] {
            text(kernel, &mut streams, counter, len, apart, &[]);
        }
    }
}

/// HChaCha20 (draft-irtf-cfrg-xchacha-03 §2.2).
#[test]
fn hchacha20() {
    let trace = record(&|| output_bytes(&portable::hchacha20::<Symbol<u32>>(&input_array(), &input_array())));
    let mut streams = Streams::new();
    let last = streams.inputs(32);
    let state = streams.state(last);
    let words = permute(&mut streams.words, &state);
    let subkey = [&words[..4], &words[12..]].concat();
    let bytes = (0..32).map(|i| streams.words.xor_of_bytes(&[Piece::Of(subkey[i / 4], (i % 4) as u8)]));
    let expected: Vec<_> = bytes.collect();
    check(&trace, &mut streams.words, &Fault::ALL, |words, values| {
        words.output_bytes(&trace, values) == expected
    });
}

/// Proves the kernels of the list, which are named as there. After the semicolon: the blocks of a group.
macro_rules! proofs {
    ($($name:ident $every_length:ident: $Kernel:ty; $n:literal)+) => {
        pub(crate) const PROVED: (&str, &[&str]) = ("chacha20", &[$(stringify!($Kernel)),+]);
        $(
            #[test]
            fn $name() {
                kernel::<$Kernel>($n);
            }

            #[test]
            #[ignore = "takes long"]
            fn $every_length() {
                every_length(<$Kernel>::KERNEL);
            }
        )+
    };
}
proofs! {
    groups_of_16 groups_of_16_every_length: Groups<U32x16, 16, 4>; 16
    groups_of_8 groups_of_8_every_length: Groups<U32x8, 8, 2>; 8
    groups_of_4 groups_of_4_every_length: Groups<U32x4<Ssse3>, 4, 1>; 4
    groups_of_4_sse2 groups_of_4_sse2_every_length: Groups<U32x4<Sse2>, 4, 1>; 4
    groups_of_4_arm groups_of_4_arm_every_length: Groups<U32x4, 4, 1>; 4
    by_words by_words_every_length: Portable; 1
}
