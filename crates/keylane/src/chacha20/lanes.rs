//! ChaCha20 over vectors, in two shapes.
//!
//! *Words*: sixteen vectors of N lanes, where vector i holds word i of N blocks. Every lane computes its own
//! block, nothing moves between lanes, and the N blocks are transposed at the end. For whole groups of N
//! blocks.
//!
//! *Rows*: each vector holds one row (four words) of B = N / 4 blocks. Rotating the rows turns diagonals into
//! columns. A set of four vectors is B blocks. For short texts and the ends of long ones.

use super::kernel::Kernel;
use super::portable::{CONSTANTS, state};
use crate::backend::Shape;
use crate::unroll::each;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use keylane_cpu::InstructionSet;
use keylane_cpu::in_out::{Group, InOut, any_bytes};
use keylane_cpu::lanes::RowLanes;
#[cfg(target_arch = "aarch64")]
use keylane_cpu::lanes::aarch64::U32x4;
#[cfg(target_feature = "simd128")]
use keylane_cpu::lanes::wasm32::U32x4;
#[cfg(target_arch = "x86_64")]
use keylane_cpu::lanes::x86_64::{Integers128Bits, U32x4, U32x8, U32x16};
use keylane_cpu::pin::{Scalar as _, align_frame, pin};
use keylane_cpu::wipe::wipe;
#[cfg(target_arch = "x86_64")]
use keylane_cpu::x86_64::Avx512;

/// A key, the number of the first block, and a nonce.
pub(crate) type First<'a> = (&'a [u8; 32], u32, &'a [u8; 12]);

/// Groups of N blocks over vectors of B rows.
pub(crate) struct Groups<V, const N: usize, const B: usize>(PhantomData<fn() -> V>);

impl<V: RowLanes<N, B> + 'static, const N: usize, const B: usize> Shape for Groups<V, N, B> {
    type Isa = V::Isa;
    const KERNEL: &'static Self = &Self(PhantomData);
}

impl<V: Vector<N, B> + 'static, const N: usize, const B: usize> Kernel for Groups<V, N, B> {
    fn xor_keystream(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        counter: u32,
        text: &mut InOut<'_>,
        last: &mut [u8; 64],
    ) {
        V::Isa::enter(
            #[inline(always)]
            move |isa| xor_keystream::<V, N, B>(isa, key, nonce, counter, text, last),
        );
    }
}

#[inline(always)]
fn xor_keystream<V: Vector<N, B>, const N: usize, const B: usize>(
    isa: V::Isa,
    key: &[u8; 32],
    nonce: &[u8; 12],
    mut counter: u32,
    text: &mut InOut<'_>,
    last: &mut [u8; 64],
) {
    let mut text = text.take_front(text.len());
    let mut buffer = StreamBuffer::<B>::new();
    let stream = buffer.stream();
    // The bytes of the last group that were XORed, if `stream` has the rest of its key stream.
    let mut done = None;
    let is_long = |len| if V::SHORT_LEN < 64 * N { len > V::SHORT_LEN } else { len >= 64 * N };
    if is_long(text.len()) {
        // Made once, not in each group: broadcasts and shuffles compete for one execution unit.
        let mut start = start::<V, N, B>(isa, (key, counter, nonce));
        while is_long(text.len()) {
            let words = words::<V, N, B, ()>(isa, &mut start, &[], |(), _| {});
            if let Some(mut group) = text.take::<B, 16>() {
                xor_group(isa, &mut group, &words);
                counter = counter.wrapping_add(N as u32);
            } else if V::SHORT_LEN < 64 * N {
                done = Some(xor_blocks(isa, &mut text, &V::states_from_words(words), stream));
            }
        }
    }
    if !text.is_empty() {
        let len = text.len();
        if done.is_none() {
            keystream::<V, N, B>(isa, key, nonce, counter, stream, len);
        }
        let bytes = &stream.as_flattened().as_flattened()[done.unwrap_or(0)..];
        text.xor(bytes);
        if len % 64 != 0 {
            *last = *bytes[len / 64 * 64..].first_chunk().expect("a block");
        }
        wipe_stream(stream, done.unwrap_or(0)..done.unwrap_or(0) + len);
    }
}

/// XORs a group's key stream into the text's whole blocks, fewer than N, and stores the block after those if
/// the text goes on. Returns the number of bytes XORed.
#[inline(always)]
fn xor_blocks<V: RowLanes<N, B>, const N: usize, const B: usize>(
    isa: V::Isa,
    text: &mut InOut<'_>,
    words: &[V; 16],
    stream: &mut Stream<B>,
) -> usize {
    let len = text.len();
    each!(I in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] {
        // The beginning of the block that the vector is a part of.
        let block = B * I / 4 * 64;
        if len >= block + 64 {
            let mut part = text.take::<B, 1>().expect("a part of a block");
            (V::load_bytes(isa, &part.input()[0]) ^ words[I]).store_bytes(&mut part.output()[0]);
        } else if len > block {
            words[I].store_bytes(&mut stream[I]);
        }
    });
    len / 64 * 64
}

/// XORs the key stream of N blocks, whose words these are, into a group: square by square, so that the
/// vectors of one are stored before those of the next need registers.
#[inline(always)]
pub(crate) fn xor_group<V: RowLanes<N, B>, const N: usize, const B: usize>(
    isa: V::Isa,
    group: &mut Group<'_, B, 16>,
    words: &[V; 16],
) {
    each!(PART in [0 1 2 3] { if const { N * PART < 16 } {
        let columns = V::transpose(*words[N * PART..].first_chunk().expect("a square"));
        // Two at a time, since the compiler must assume that a store changes what it loads later.
        each!(K in [0 2 4 6 8 10 12 14] { if const { K < N } {
            let [i, j] = const { [16 / N * K + PART, 16 / N * (K + 1) + PART] };
            let inputs = [V::load_bytes(isa, &group.input()[i]), V::load_bytes(isa, &group.input()[j])];
            (inputs[0] ^ columns[K]).store_bytes(&mut group.output()[i]);
            (inputs[1] ^ columns[K + 1]).store_bytes(&mut group.output()[j]);
        } });
    } });
}

/// A group's key stream, as vectors of B rows.
pub(crate) type Stream<const B: usize> = [[[u8; 16]; B]; 16];

/// A buffer for a group's key stream. Aligned, since a store that crosses a cache line delays loads of its
/// bytes.
#[repr(align(64))]
pub(crate) struct StreamBuffer<const B: usize>([[[MaybeUninit<u8>; 16]; B]; 16]);

impl<const B: usize> StreamBuffer<B> {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self([[[MaybeUninit::uninit(); 16]; B]; 16])
    }

    /// Returns the buffer with unspecified contents: filling it would take longer than a short text's key
    /// stream.
    #[inline(always)]
    pub(crate) fn stream(&mut self) -> &mut Stream<B> {
        let (blocks, _) = any_bytes(self.0.as_flattened_mut().as_flattened_mut()).as_chunks_mut();
        blocks.as_chunks_mut().0.first_chunk_mut().expect("16 vectors")
    }
}

/// Wipes the sets of vectors that have these bytes of key stream.
#[inline(always)]
pub(crate) fn wipe_stream<const B: usize>(stream: &mut Stream<B>, bytes: core::ops::Range<usize>) {
    for set in bytes.start / (64 * B)..bytes.end.div_ceil(64 * B) {
        // The remainder, since LLVM would unroll a loop of four sets.
        wipe(&mut stream.as_chunks_mut::<4>().0[set % 4]);
    }
}

/// Writes at least `len` bytes of the key stream, from the block `counter` on, to `stream`; `len` is at most
/// [`SHORT_LEN`](Vector::SHORT_LEN). Not inlined, since every kernel calls it for short texts and for the
/// ends of long ones.
#[inline(always)]
pub(crate) fn keystream<V: Vector<N, B>, const N: usize, const B: usize>(
    isa: V::Isa,
    key: &[u8; 32],
    nonce: &[u8; 12],
    counter: u32,
    stream: &mut Stream<B>,
    len: usize,
) {
    const { assert!(N == 4 * B && V::SHORT_LEN <= 64 * N) }
    isa.run(
        #[inline(always)]
        move |isa| V::keystream(isa, (key, counter, nonce), stream.as_flattened_mut(), len),
    );
}

/// A vector for groups of N blocks, and the rows for fewer blocks.
pub(crate) trait Vector<const N: usize, const B: usize>: RowLanes<N, B> {
    /// The length of the longest key stream that [`keystream`] writes.
    const SHORT_LEN: usize = 64 * N;
    /// Whether four quarter rounds with nothing beside them are two and then two, eight steps later, which
    /// needs fewer registers: of AVX2's, 6 of a double round's vectors are in memory, and 10 in the other
    /// order.
    const IN_PAIRS: bool = false;

    /// Writes key stream like [`keystream`].
    #[inline(always)]
    fn keystream(isa: Self::Isa, first: First<'_>, stream: &mut [[u8; 16]], len: usize) {
        align_frame();
        match len.div_ceil(64 * B) {
            0 | 1 => rows::<Self, N, B, 1, ()>(isa, first, stream, &[], |(), _| {}),
            2 => rows::<Self, N, B, 2, ()>(isa, first, stream, &[], |(), _| {}),
            3 => rows::<Self, N, B, 3, ()>(isa, first, stream, &[], |(), _| {}),
            _ => {
                let words = words::<Self, N, B, ()>(isa, &mut start(isa, first), &[], |(), _| {});
                store(&Self::states_from_words(words), stream);
            }
        }
    }
}

/// Does [`Vector::keystream`] for a vector of 16 lanes, by rows of 256 bits up to 2 blocks: on a Zen 4, one
/// block takes 26 % longer in rows of 512 bits. There, 5 to 8 blocks take 5 to 15 % longer in these, on an
/// Emerald Rapids 3 to 8 blocks a quarter less time.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn wide_rows<V: RowLanes<16, 4>, H: RowLanes<8, 2>>(
    (isa, half): (V::Isa, H::Isa),
    first: First<'_>,
    stream: &mut [[u8; 16]],
    len: usize,
) {
    match len.div_ceil(64) {
        0..=2 => rows::<H, 8, 2, 1, ()>(half, first, stream, &[], |(), _| {}),
        3..=4 => rows::<V, 16, 4, 1, ()>(isa, first, stream, &[], |(), _| {}),
        5..=8 => rows::<V, 16, 4, 2, ()>(isa, first, stream, &[], |(), _| {}),
        _ => rows::<V, 16, 4, 3, ()>(isa, first, stream, &[], |(), _| {}),
    }
}

#[cfg(target_arch = "x86_64")]
impl Vector<16, 4> for U32x16 {
    const SHORT_LEN: usize = 64 * 12;

    #[inline(always)]
    fn keystream(isa: Avx512, first: First<'_>, stream: &mut [[u8; 16]], len: usize) {
        wide_rows::<Self, U32x8>((isa, isa.avx2()), first, stream, len);
    }
}

#[cfg(target_arch = "x86_64")]
impl Vector<8, 2> for U32x8 {
    const IN_PAIRS: bool = true;
}
#[cfg(target_arch = "x86_64")]
impl<I: Integers128Bits> Vector<4, 1> for U32x4<I> {}
#[cfg(any(target_arch = "aarch64", target_feature = "simd128"))]
impl Vector<4, 1> for U32x4 {}

/// Stores vectors one after the other.
#[inline(always)]
pub(crate) fn store<V: RowLanes<N, B>, const N: usize, const B: usize>(
    vectors: &[V],
    stream: &mut [[u8; 16]],
) {
    each!(I in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] { if I < vectors.len() {
        vectors[I].store_bytes(stream[B * I..].first_chunk_mut().expect("as many as fit"));
    } });
}

/// Returns the initial states of N blocks.
#[inline(always)]
pub(crate) fn start<V: RowLanes<N, B>, const N: usize, const B: usize>(
    isa: V::Isa,
    (key, counter, nonce): First<'_>,
) -> [V; 16] {
    let input = state(key, counter, nonce);
    let mut ahead = [0; N];
    for i in 0..N {
        ahead[i] = i as u32;
    }
    let mut v = [V::load(isa, &ahead) + V::splat(isa, counter); 16];
    each!(I in [0 1 2 3 4 5 6 7 8 9 10 11 13 14 15] {
        // LLVM for aarch64 would make the constants anew for each group.
        v[I] = V::splat(isa, if const { I < 4 } { input[I].pin_here() } else { input[I] });
    });
    v
}

/// The number of double rounds.
pub(crate) const DOUBLE_ROUNDS: usize = 10;

/// Returns the words of N blocks, and advances `start` to the next N. `beside` has an item for each
/// of the first double rounds: `work` takes it before either half, as work for the CPU's integer units while
/// its vector units run the rounds.
#[inline(always)]
pub(crate) fn words<V: Vector<N, B>, const N: usize, const B: usize, T>(
    isa: V::Isa,
    start: &mut [V; 16],
    beside: &[T],
    work: impl FnMut(&T, usize),
) -> [V; 16] {
    let blocks = blocks::<V, N, B, T>(start, beside, work);
    start[12] = start[12] + V::splat(isa, N as u32);
    blocks
}

/// Returns the words of the N blocks of these initial states.
#[inline(always)]
pub(crate) fn blocks<V: Vector<N, B>, const N: usize, const B: usize, T>(
    start: &[V; 16],
    beside: &[T],
    mut work: impl FnMut(&T, usize),
) -> [V; 16] {
    let mut v = *start;
    debug_assert!(beside.len() <= DOUBLE_ROUNDS);
    for item in beside {
        work(item, 0);
        round::<V, N, B, false>(&mut v, 0);
        work(item, 1);
        round::<V, N, B, false>(&mut v, 1);
    }
    for _ in beside.len()..DOUBLE_ROUNDS {
        round::<V, N, B, true>(&mut v, 0);
        round::<V, N, B, true>(&mut v, 1);
    }
    each!(I in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] {
        v[I] = v[I] + start[I];
    });
    v
}

/// Runs four quarter rounds, of the columns (0) or of the diagonals (1), each two steps after the one before
/// or, with nothing beside them, perhaps two and then two.
#[inline(always)]
fn round<V: Vector<N, B>, const N: usize, const B: usize, const ALONE: bool>(v: &mut [V; 16], turn: usize) {
    each!(T in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19] {
        each!(Q in [0 1 2 3] {
            let (a, b) = (Q, (Q + turn) % 4 + 4);
            let (c, d) = ((Q + 2 * turn) % 4 + 8, (Q + 3 * turn) % 4 + 12);
            // There are twelve steps. A step before the first wraps to a number above them.
            match const { T.wrapping_sub(if ALONE && V::IN_PAIRS { Q / 2 * 8 } else { 2 * Q }) } {
                0 | 6 => v[a] = v[a] + v[b],
                1 | 7 => v[d] = v[d] ^ v[a],
                2 if const { ALONE } => v[d] = v[d].rotate_bytes::<16>(),
                2 => v[d] = v[d].rotate_right::<16>(),
                3 | 9 => v[c] = v[c] + v[d],
                4 | 10 => v[b] = v[b] ^ v[c],
                5 => v[b] = v[b].rotate_right::<20>(),
                8 if const { ALONE } => v[d] = v[d].rotate_bytes::<24>(),
                8 => v[d] = v[d].rotate_right::<24>(),
                11 => v[b] = v[b].rotate_right::<25>(),
                _ => {}
            }
        });
    });
}

/// Stores S × B blocks, one after the other. `beside` and `work` are as in [`words`].
#[inline(always)]
pub(crate) fn rows<V: RowLanes<N, B>, const N: usize, const B: usize, const S: usize, T>(
    isa: V::Isa,
    (key, counter, nonce): First<'_>,
    stream: &mut [[u8; 16]],
    beside: &[T],
    mut work: impl FnMut(&T, usize),
) {
    let mut ahead = [0; N];
    for i in 0..B {
        ahead[4 * i] = i as u32;
    }
    let first = V::load(isa, &ahead);
    let [_, _, _, _, k0, k1, k2, k3, k4, k5, k6, k7, counter, n0, n1, n2] = state(key, counter, nonce);
    let start = [
        V::every(isa, CONSTANTS),
        V::every(isa, [k0, k1, k2, k3]),
        V::every(isa, [k4, k5, k6, k7]),
        V::every(isa, [counter, n0, n1, n2]) + first,
    ];
    let mut counters = [start[3]; S];
    each!(K in [1 2 3] { if const { K < S } {
        counters[K] = counters[K - 1] + V::every(isa, [B as u32, 0, 0, 0]);
    } });
    let mut sets = [start; S];
    each!(K in [1 2 3] { if const { K < S } {
        sets[K][3] = counters[K];
    } });
    for item in beside {
        work(item, 0);
        round_of_rows::<V, N, B, S, 3, 1>(&mut sets);
        work(item, 1);
        round_of_rows::<V, N, B, S, 1, 3>(&mut sets);
    }
    // Pinned, since LLVM unrolls a loop of ten double rounds of one set.
    for _ in beside.len()..pin(DOUBLE_ROUNDS as u64) as usize {
        round_of_rows::<V, N, B, S, 3, 1>(&mut sets);
        round_of_rows::<V, N, B, S, 1, 3>(&mut sets);
    }
    each!(K in [0 1 2 3] { if const { K < S } {
        each!(I in [0 1 2] { sets[K][I] = sets[K][I] + start[I]; });
        sets[K][3] = sets[K][3] + counters[K];
        sets[K] = V::states_from_rows(sets[K]);
    } });
    store(sets.as_flattened(), stream);
}

/// Runs the quarter rounds of all columns of all sets, and rotates the rows from columns to diagonals (3, 1),
/// or back (1, 3). The second row stays and the others are rotated relative to it: it is the last that a
/// quarter round computes and the first that the next one needs.
#[inline(always)]
fn round_of_rows<
    V: RowLanes<N, B>,
    const N: usize,
    const B: usize,
    const S: usize,
    const FIRST: i32,
    const THIRD: i32,
>(
    sets: &mut [[V; 4]; S],
) {
    for [a, b, _, d] in sets.iter_mut() {
        *a = *a + *b;
        *d = (*d ^ *a).rotate_right::<16>();
    }
    for [_, b, c, d] in sets.iter_mut() {
        *c = *c + *d;
        *b = (*b ^ *c).rotate_right::<20>();
    }
    for [a, b, _, d] in sets.iter_mut() {
        *a = *a + *b;
        *d = (*d ^ *a).rotate_right::<24>();
    }
    for [_, b, c, d] in sets.iter_mut() {
        *c = *c + *d;
        *b = (*b ^ *c).rotate_right::<25>();
    }
    each!(K in [0 1 2 3] { if const { K < S } {
        sets[K][0] = sets[K][0].turn::<FIRST>();
        sets[K][2] = sets[K][2].turn::<THIRD>();
        sets[K][3] = sets[K][3].turn::<2>();
    } });
}
