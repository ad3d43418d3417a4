//! AES in counter mode over any vector of blocks, with every choice that is studied as a parameter.

use keylane_cpu::{
    in_out::{Group, InOut},
    lanes::AesBlocks,
};

/// Where the blocks to encrypt come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counters {
    /// The number is kept with its last byte last. One addition makes a vector, unless that byte runs over: then the
    /// vectors of the group are made as in `Shuffled`.
    BigEndian,
    /// Kept with its last byte first: one addition, and the bytes of each block are turned round.
    Shuffled,
    /// The same, each vector from the one before it rather than from the first and a constant.
    Chained,
    /// Block by block in general registers.
    Scalar,
}

/// When the data is read and added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Data {
    /// Read before the rounds, added after them.
    Before,
    /// Read and added after the rounds.
    After,
    /// Read after the rounds and added to the last round key.
    LastKey,
}

/// Where the round keys wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RoundKeys {
    /// In memory: each group of vectors loads them again.
    Loaded,
    /// In an array of vectors that is made before the loop.
    Kept,
}

impl Counters {
    pub(crate) const ALL: [Self; 4] = [Self::BigEndian, Self::Shuffled, Self::Chained, Self::Scalar];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::BigEndian => "big-endian",
            Self::Shuffled => "little-endian, shuffled",
            Self::Chained => "little-endian, shuffled, in a chain",
            Self::Scalar => "scalar",
        }
    }
}

impl Data {
    pub(crate) const ALL: [Self; 3] = [Self::Before, Self::After, Self::LastKey];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Before => "before the rounds",
            Self::After => "after the rounds",
            Self::LastKey => "in the last round key",
        }
    }
}

impl RoundKeys {
    pub(crate) const ALL: [Self; 2] = [Self::Loaded, Self::Kept];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Loaded => "loaded",
            Self::Kept => "kept",
        }
    }
}

/// One choice of each kind.
pub(crate) trait Choices {
    const COUNTERS: Counters;
    const DATA: Data;
    const ROUND_KEYS: RoundKeys;
}

/// The choices by their places in the lists.
pub(crate) struct Chosen<const COUNTERS: usize, const DATA: usize, const ROUND_KEYS: usize>;

impl<const C: usize, const D: usize, const K: usize> Choices for Chosen<C, D, K> {
    const COUNTERS: Counters = Counters::ALL[C];
    const DATA: Data = Data::ALL[D];
    const ROUND_KEYS: RoundKeys = RoundKeys::ALL[K];
}

/// The most blocks of a group.
const MOST: usize = 64;

/// 0, 1, 2 and so on, the last byte first.
static LITTLE_ENDIAN: [[u8; 16]; MOST] = numbers(0);
/// 0, 1, 2 and so on, the last byte last.
static BIG_ENDIAN: [[u8; 16]; MOST] = numbers(15);

const fn numbers(at: usize) -> [[u8; 16]; MOST] {
    let mut numbers = [[0; 16]; MOST];
    let mut i = 0;
    while i < MOST {
        numbers[i][at] = i as u8;
        i += 1;
    }
    numbers
}

#[inline(always)]
fn constant<V: AesBlocks<N>, const N: usize>(isa: V::Isa, table: &[[u8; 16]; MOST], at: usize) -> V {
    V::load(isa, table[at..].first_chunk().expect("no group is larger than the table"))
}

/// The round keys, both ways.
struct Keys<'a, V, const N: usize, const KEYS: usize> {
    bytes: &'a [[u8; 16]; KEYS],
    vectors: [V; KEYS],
}

impl<V: AesBlocks<N>, const N: usize, const KEYS: usize> Keys<'_, V, N, KEYS> {
    #[inline(always)]
    fn get<C: Choices>(&self, isa: V::Isa, round: usize) -> V {
        match C::ROUND_KEYS {
            // Pinned, or the optimiser takes the load out of the loop.
            RoundKeys::Loaded => V::broadcast(isa, &self.bytes[round]).pin(),
            RoundKeys::Kept => self.vectors[round],
        }
    }
}

/// The number of the next block, and the vector that a group's are made from.
struct Counter<V, const N: usize> {
    next: u128,
    first: V,
}

impl<V: AesBlocks<N>, const N: usize> Counter<V, N> {
    #[inline(always)]
    fn new<C: Choices>(isa: V::Isa, next: u128) -> Self {
        let first = match C::COUNTERS {
            Counters::BigEndian => V::broadcast(isa, &next.to_be_bytes()),
            Counters::Shuffled => V::broadcast(isa, &next.to_le_bytes()),
            Counters::Chained => {
                V::broadcast(isa, &next.to_le_bytes()).add64(constant(isa, &LITTLE_ENDIAN, 0))
            }
            Counters::Scalar => V::zero(isa),
        };
        Self { next, first }
    }

    /// The blocks of the next group.
    #[inline(always)]
    fn take<C: Choices, const VECTORS: usize>(&mut self, isa: V::Isa) -> [V; VECTORS] {
        let blocks = VECTORS * N;
        let mut vectors = [self.first; VECTORS];
        let stays_in_half = (self.next as u64).checked_add(blocks as u64).is_some();
        let stays_in_byte = self.next as u8 as usize + blocks <= 256;
        let start = self.next;
        self.next = self.next.wrapping_add(blocks as u128);
        match C::COUNTERS {
            Counters::BigEndian if stays_in_byte => {
                for (i, vector) in vectors.iter_mut().enumerate() {
                    *vector = self.first.add32(constant(isa, &BIG_ENDIAN, i * N));
                }
                self.first = self.first.add32(V::broadcast(isa, &{
                    let mut step = [0; 16];
                    step[15] = blocks as u8;
                    step
                }));
                if self.next as u8 == 0 {
                    self.first = V::broadcast(isa, &self.next.to_be_bytes());
                }
            }
            Counters::BigEndian if stays_in_half => {
                let first = V::broadcast(isa, &start.to_le_bytes());
                for (i, vector) in vectors.iter_mut().enumerate() {
                    *vector = first.add64(constant(isa, &LITTLE_ENDIAN, i * N)).reverse_bytes();
                }
                self.first = V::broadcast(isa, &self.next.to_be_bytes());
            }
            Counters::Shuffled if stays_in_half => {
                for (i, vector) in vectors.iter_mut().enumerate() {
                    *vector = self.first.add64(constant(isa, &LITTLE_ENDIAN, i * N)).reverse_bytes();
                }
                self.first = self.first.add64(V::broadcast(isa, &(blocks as u128).to_le_bytes()));
            }
            Counters::Chained if stays_in_half => {
                for vector in &mut vectors {
                    *vector = self.first.reverse_bytes();
                    self.first = self.first.add64(V::broadcast(isa, &(N as u128).to_le_bytes()));
                }
            }
            Counters::Scalar => {
                let mut next = start;
                for vector in &mut vectors {
                    let mut bytes = [[0; 16]; N];
                    for block in &mut bytes {
                        *block = next.to_be_bytes();
                        next = next.wrapping_add(1);
                    }
                    *vector = V::load(isa, &bytes);
                }
            }
            _ => {
                let bytes = far_counters(start);
                for (i, vector) in vectors.iter_mut().enumerate() {
                    *vector = constant(isa, &bytes, i * N);
                }
                self.first = Self::new::<C>(isa, self.next).first;
            }
        }
        vectors
    }
}

/// Counters that run over half a block. Inlined, the optimiser takes the sums out of the branch that is never taken.
#[cold]
#[inline(never)]
fn far_counters(start: u128) -> [[u8; 16]; MOST] {
    std::array::from_fn(|i| start.wrapping_add(i as u128).to_be_bytes())
}

#[inline(always)]
fn group<
    C: Choices,
    V: AesBlocks<N>,
    const N: usize,
    const VECTORS: usize,
    const BLOCKS: usize,
    const KEYS: usize,
>(
    isa: V::Isa,
    keys: &Keys<'_, V, N, KEYS>,
    counter: &mut Counter<V, N>,
    mut group: Group<'_, BLOCKS>,
) {
    let mut texts = [V::zero(isa); VECTORS];
    if C::DATA == Data::Before {
        for (i, text) in texts.iter_mut().enumerate() {
            *text = group.load::<V, N>(isa, i * N).pin();
        }
    }
    let mut vectors = counter.take::<C, VECTORS>(isa);
    let key = keys.get::<C>(isa, 0);
    for vector in &mut vectors {
        *vector = *vector ^ key;
    }
    for round in 1..KEYS - 1 {
        let key = keys.get::<C>(isa, round);
        for vector in &mut vectors {
            *vector = vector.encrypt_round(key);
        }
    }
    let key = keys.get::<C>(isa, KEYS - 1);
    for i in 0..VECTORS {
        let sum = match C::DATA {
            Data::Before => vectors[i].encrypt_last_round(key) ^ texts[i],
            Data::After => vectors[i].encrypt_last_round(key) ^ group.load(isa, i * N),
            Data::LastKey => vectors[i].encrypt_last_round(key ^ group.load(isa, i * N)),
        };
        group.store(i * N, sum);
    }
}

/// Adds the key stream that begins at block `start`: groups of `VECTORS` vectors, then of four, then single ones.
#[inline(always)]
pub(crate) fn xor_keystream<
    C: Choices,
    V: AesBlocks<N>,
    const N: usize,
    const VECTORS: usize,
    const BLOCKS: usize,
    const FOUR: usize,
    const KEYS: usize,
>(
    isa: V::Isa,
    round_keys: &[[u8; 16]; KEYS],
    start: &[u8; 16],
    mut data: InOut<'_>,
) {
    const { assert!(BLOCKS == VECTORS * N && FOUR == 4 * N && BLOCKS <= MOST) };
    assert!(data.len().is_multiple_of(16 * N), "the end of a message is not studied");
    let mut keys = Keys { bytes: round_keys, vectors: [V::zero(isa); KEYS] };
    for (vector, bytes) in keys.vectors.iter_mut().zip(round_keys) {
        *vector = V::broadcast(isa, bytes);
    }
    let mut counter = Counter::new::<C>(isa, u128::from_be_bytes(*start));
    while let Some(blocks) = data.take::<BLOCKS>() {
        group::<C, V, N, VECTORS, BLOCKS, KEYS>(isa, &keys, &mut counter, blocks);
    }
    if VECTORS > 4 {
        while let Some(blocks) = data.take::<FOUR>() {
            group::<C, V, N, 4, FOUR, KEYS>(isa, &keys, &mut counter, blocks);
        }
    }
    while let Some(blocks) = data.take::<N>() {
        group::<C, V, N, 1, N, KEYS>(isa, &keys, &mut counter, blocks);
    }
}
