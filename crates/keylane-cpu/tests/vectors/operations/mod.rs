//! Every operation of every vector trait as a function from bytes to bytes, for a vector type and for the
//! model with which it is compared.

use keylane_cpu::Portable;
use keylane_cpu::lanes::portable::{PlainBlocks, U32s, U64s};
use keylane_cpu::lanes::*;
use models::{each_message, unused};

/// What kind of function an operation is, which determines the inputs that show that it equals the model.
/// Each is also compared on random words, which test that it is of that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A map over GF(2) that is linear, or linear and a constant: zero, and each bit alone.
    Linear,
    /// Each bit is a function of the bits in the same place of so many operands: all their values, in every
    /// place.
    Bitwise(usize),
    /// A sum of products of two bits each: zero, each bit alone, and every pair of bits.
    Bilinear,
    /// A sum of functions of one byte each: every value of every byte, with zeros elsewhere.
    Bytewise,
    /// Sums and products of integers: random words, of which half are next to a power of two.
    Arithmetic,
}
use Kind::*;

/// The operations of a trait.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) operations: &'static [(Kind, &'static [&'static str])],
}

/// Where an operation takes its operands from and puts its results.
pub(crate) struct Io<'a> {
    pub(crate) input: &'a [u8],
    pub(crate) output: &'a mut Vec<u8>,
}

impl Io<'_> {
    #[inline(always)]
    pub(crate) fn read<T: Data>(&mut self) -> T {
        T::read(self)
    }

    // Not inlined: at each of a hundred thousand numbers, that is a fifth of the code.
    #[inline(never)]
    fn take(&mut self, len: usize) -> &[u8] {
        let (first, rest) = self.input.split_at(len);
        self.input = rest;
        first
    }

    #[inline(never)]
    fn put(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
    }
}

/// Numbers and arrays of them, the least significant byte first. Arrays are moved as a whole.
pub(crate) trait Data: Copy {
    fn read_all<const N: usize>(io: &mut Io<'_>) -> [Self; N];
    fn write_all<const N: usize>(all: [Self; N], io: &mut Io<'_>);

    #[inline(always)]
    fn read(io: &mut Io<'_>) -> Self {
        let [one] = Self::read_all(io);
        one
    }

    #[inline(always)]
    fn write(self, io: &mut Io<'_>) {
        Self::write_all([self], io);
    }
}

macro_rules! numbers {
    ($($W:ident)+) => { $(
        impl Data for $W {
            #[inline(always)]
            fn read_all<const N: usize>(io: &mut Io<'_>) -> [Self; N] {
                let numbers: &[[u8; size_of::<Self>()]] = io.take(N * size_of::<Self>()).as_chunks().0;
                numbers.first_chunk::<N>().expect("as many").map(
                    #[inline(always)]
                    |number| Self::from_le_bytes(number),
                )
            }

            #[inline(always)]
            fn write_all<const N: usize>(all: [Self; N], io: &mut Io<'_>) {
                io.put(all.map(Self::to_le_bytes).as_flattened());
            }
        }
    )+ };
}
numbers!(u8 u32 u64 u128);

impl<T: Data, const M: usize> Data for [T; M] {
    #[inline(always)]
    fn read_all<const N: usize>(io: &mut Io<'_>) -> [Self; N] {
        core::array::from_fn(
            #[inline(always)]
            |_| T::read_all(io),
        )
    }

    #[inline(always)]
    fn write_all<const N: usize>(all: [Self; N], io: &mut Io<'_>) {
        for one in all {
            T::write_all(one, io);
        }
    }
}

/// Compares the operations of a table with a model.
pub(crate) trait Checker<Isa> {
    fn check(
        &mut self,
        table: &Table,
        operation: impl Fn(&'static str, Isa, &mut Io<'_>),
        model: &dyn Fn(&'static str, &mut Io<'_>),
    );
}

/// Evaluates an expression for each count of bits.
macro_rules! each_count {
    ($R:ident in $($count:literal)+ => $do:expr) => { $({
        const $R: u32 = $count;
        $do;
    })+ };
}
macro_rules! to_31 {
    ($R:ident => $do:expr) => {
        each_count!($R in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
            => $do)
    };
}
macro_rules! to_63 {
    ($R:ident => $do:expr) => {
        to_31!($R => $do);
        each_count!($R in 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59
            60 61 62 63 => $do)
    };
}

pub(crate) mod models;

// ---- Lanes

pub(crate) const LANES: Table = Table {
    name: "Lanes",
    operations: &[
        (Linear, &["bitxor", "xor3", "pin"]),
        (Bitwise(2), &["bitand", "bitor"]),
        (Bitwise(3), &["choose", "majority"]),
        (Arithmetic, &["add"]),
    ],
};

#[inline(always)]
pub(super) fn lanes<V: Lanes>(name: &str, io: &mut Io<'_>, load: impl Fn(&mut Io<'_>) -> V) -> V {
    let x = load(io);
    match name {
        "pin" => x.pin(),
        "bitxor" => x ^ load(io),
        "bitand" => x & load(io),
        "bitor" => x | load(io),
        "add" => x + load(io),
        "xor3" => x.xor3(load(io), load(io)),
        "choose" => x.choose(load(io), load(io)),
        "majority" => x.majority(load(io), load(io)),
        _ => unused(name),
    }
}

const ROTATIONS: (Kind, &[&str]) = (Linear, &["rotate_right", "shift_right"]);
const WORDS: (Kind, &[&str]) = (
    Linear,
    &["splat", "load", "store", "rotate_right", "shift_right", "from_rows", "from_rows_be", "to_rows"],
);
pub(crate) const U32_LANES: Table = Table { name: "U32Lanes", operations: &[WORDS] };
pub(crate) const U64_LANES: Table = Table { name: "U64Lanes", operations: &[WORDS] };

macro_rules! word_lanes {
    (
        $check:ident, $operation:ident, $load:ident, $store:ident, $TABLE:ident:
        $Trait:ident, $Model:ident, $W:ident, $row:literal, $each:ident
    ) => {
        pub(crate) fn $check<V: $Trait<N>, const N: usize>(checker: &mut impl Checker<V::Isa>) {
            // Once for all vectors of a length.
            fn model<const N: usize>(name: &str, io: &mut Io<'_>) {
                $operation::<$Model<N>, N>(name, Portable, io);
            }
            for table in [LANES, $TABLE] {
                checker.check(&table, $operation::<V, N>, &model::<N>);
            }
        }

        #[inline(always)]
        fn $load<V: $Trait<N>, const N: usize>(isa: V::Isa, io: &mut Io<'_>) -> V {
            V::load(isa, &io.read())
        }

        #[inline(always)]
        fn $store<V: $Trait<N>, const N: usize>(x: V, io: &mut Io<'_>) {
            let mut lanes = [0; N];
            x.store(&mut lanes);
            lanes.write(io);
        }

        #[inline(always)]
        fn $operation<V: $Trait<N>, const N: usize>(name: &str, isa: V::Isa, io: &mut Io<'_>) {
            let load = $load::<V, N>;
            match name {
                "load" | "store" => $store(load(isa, io), io),
                "splat" => $store(V::splat(isa, io.read()), io),
                "rotate_right" => {
                    let x = load(isa, io);
                    $each!(R => $store(x.rotate_right::<R>(), io));
                }
                "shift_right" => {
                    let x = load(isa, io);
                    $each!(R => $store(x.shift_right::<R>(), io));
                }
                "from_rows" => {
                    for x in V::from_rows(isa, &io.read()) {
                        $store(x, io);
                    }
                }
                "from_rows_be" => {
                    let rows: [[u8; 32]; N] = io.read();
                    for x in V::from_rows_be(isa, rows.each_ref()) {
                        $store(x, io);
                    }
                }
                "to_rows" => {
                    let mut words = [V::splat(isa, 0); $row];
                    for word in &mut words {
                        *word = load(isa, io);
                    }
                    let mut rows = [[0; $row]; N];
                    V::to_rows(words, &mut rows);
                    rows.write(io);
                }
                _ => $store(lanes(name, io, #[inline(always)] |io| load(isa, io)), io),
            }
        }
    };
}
word_lanes!(u32_lanes, of_32_bits, load_32, store_32, U32_LANES: U32Lanes, U32s, u32, 8, to_31);
word_lanes!(u64_lanes, of_64_bits, load_64, store_64, U64_LANES: U64Lanes, U64s, u64, 4, to_63);

pub(crate) const ROW_LANES: Table = Table {
    name: "RowLanes",
    operations: &[(
        Linear,
        &[
            "every", "load_bytes", "store_bytes", "rotate_bytes", "turn", "transpose", "states_from_words",
            "states_from_rows",
        ],
    )],
};

pub(crate) fn row_lanes<V: RowLanes<N, B>, const N: usize, const B: usize>(
    checker: &mut impl Checker<V::Isa>,
) {
    #[inline(always)]
    fn operation<V: RowLanes<N, B>, const N: usize, const B: usize>(
        name: &str,
        isa: V::Isa,
        io: &mut Io<'_>,
    ) {
        #[inline(always)]
        fn vectors<V: U32Lanes<N>, const N: usize, const K: usize>(isa: V::Isa, io: &mut Io<'_>) -> [V; K] {
            let mut vectors = [V::splat(isa, 0); K];
            for vector in &mut vectors {
                *vector = load_32(isa, io);
            }
            vectors
        }
        #[inline(always)]
        fn store_all<V: U32Lanes<N>, const N: usize, const K: usize>(vectors: [V; K], io: &mut Io<'_>) {
            for vector in vectors {
                store_32(vector, io);
            }
        }
        match name {
            "every" => store_32(V::every(isa, io.read()), io),
            "load_bytes" => store_32(V::load_bytes(isa, &io.read()), io),
            "store_bytes" => {
                let mut bytes = [[0; 16]; B];
                load_32::<V, N>(isa, io).store_bytes(&mut bytes);
                bytes.write(io);
            }
            "rotate_bytes" => {
                let x: V = load_32(isa, io);
                each_count!(K in 1 2 3 => store_32(x.rotate_bytes::<{ 8 * K }>(), io));
            }
            "turn" => {
                let x: V = load_32(isa, io);
                each_count!(K in 1 2 3 => store_32(x.turn::<{ K as i32 }>(), io));
            }
            "transpose" => store_all(V::transpose(vectors(isa, io)), io),
            "states_from_words" => store_all(V::states_from_words(vectors(isa, io)), io),
            "states_from_rows" => store_all(V::states_from_rows(vectors(isa, io)), io),
            _ => unused(name),
        }
    }
    checker
        .check(&ROW_LANES, operation::<V, N, B>, &|name, io| operation::<U32s<N>, N, B>(name, Portable, io));
}

pub(crate) const PRODUCT_LANES: Table = Table {
    name: "ProductLanes",
    operations: &[
        (Linear, &["shift_left", "pin_factor", "from_blocks", "from_words"]),
        (Arithmetic, &["multiply_32", "sum"]),
    ],
};

/// Whether blocks are INTERLEAVED: those of the first half are in the even lanes.
pub(crate) fn product_lanes<V: ProductLanes<N>, const N: usize, const INTERLEAVED: bool>(
    checker: &mut impl Checker<V::Isa>,
) {
    #[inline(always)]
    fn operation<V: ProductLanes<N>, const N: usize, const INTERLEAVED: bool>(
        name: &str,
        isa: V::Isa,
        io: &mut Io<'_>,
    ) {
        let in_order = |x: V, io: &mut Io<'_>| {
            let mut lanes = [0; N];
            x.store(&mut lanes);
            for i in 0..N {
                lanes[if INTERLEAVED { 2 * (i % N.div_ceil(2)) + 2 * i / N } else { i }].write(io);
            }
        };
        match name {
            "shift_left" => {
                let x: V = load_64(isa, io);
                to_63!(L => store_64(x.shift_left::<L>(), io));
            }
            "pin_factor" => store_64(load_64::<V, N>(isa, io).pin_factor(), io),
            "from_blocks" => {
                let (low, high) = V::from_blocks(isa, &io.read());
                in_order(low, io);
                in_order(high, io);
            }
            "from_words" => in_order(V::from_words(isa, io.read()), io),
            "multiply_32" => {
                let (x, y): (V, V) = (load_64(isa, io), load_64(isa, io));
                store_64(x.multiply_32(y), io);
                // A sum of products, as in the kernels, for which the optimiser may choose another
                // instruction.
                store_64(x.multiply_32(y) + y.multiply_32(y) + x, io);
            }
            "sum" => load_64::<V, N>(isa, io).sum().write(io),
            _ => unused(name),
        }
    }
    checker.check(&PRODUCT_LANES, operation::<V, N, INTERLEAVED>, &|name, io| {
        operation::<U64s<N>, N, false>(name, Portable, io);
    });
}

pub(crate) const PRODUCT_52_LANES: Table = Table {
    name: "Product52Lanes",
    operations: &[(Linear, &["lanes", "gather"]), (Arithmetic, &["add_low_product", "add_high_product"])],
};

pub(crate) fn product_52_lanes<V: Product52Lanes<N>, const N: usize>(checker: &mut impl Checker<V::Ifma>) {
    #[inline(always)]
    fn operation<V: Product52Lanes<N>, const N: usize>(name: &str, ifma: V::Ifma, io: &mut Io<'_>) {
        let isa = V::lanes(ifma);
        let load = load_64::<V, N>;
        match name {
            "lanes" => store_64(load(isa, io), io),
            "gather" => {
                let blocks: [[u8; 16]; N] = io.read();
                let (low, high) = V::gather(isa, blocks.each_ref());
                store_64(low, io);
                store_64(high, io);
            }
            "add_low_product" => {
                store_64(load(isa, io).add_low_product(ifma, load(isa, io), load(isa, io)), io);
            }
            "add_high_product" => {
                store_64(load(isa, io).add_high_product(ifma, load(isa, io), load(isa, io)), io);
            }
            _ => unused(name),
        }
    }
    checker
        .check(&PRODUCT_52_LANES, operation::<V, N>, &|name, io| operation::<U64s<N>, N>(name, Portable, io));
}

// ---- Words of one message, or of two blocks

pub(crate) const BLOCK_WORDS: Table = Table {
    name: "BlockWords",
    operations: &[(Linear, &["load", "load_be", "repeat", "store", "straddle"]), ROTATIONS],
};

/// N is the number of words of a vector, WORDS that of a block.
macro_rules! block_words {
    ($check:ident: $W:ident, $WORDS:literal, $model:ident, $each:ident, straddle $($bytes:literal)+) => {
        pub(crate) fn $check<V: BlockWords<$W>, const N: usize>(checker: &mut impl Checker<V::Isa>) {
            #[inline(always)]
            fn operation<V: BlockWords<$W>, const N: usize>(name: &str, isa: V::Isa, io: &mut Io<'_>) {
                const { assert!(N == $WORDS * V::BLOCKS) }
                #[inline(always)]
                fn store<V: BlockWords<$W>, const N: usize>(x: V, io: &mut Io<'_>) {
                    let mut words = [0; N];
                    x.store(&mut words);
                    words.write(io);
                }
                let load = |io: &mut Io<'_>| V::load_be(isa, &io.read(), &io.read());
                match name {
                    "load_be" | "store" => store::<V, N>(load(io), io),
                    "load" => store::<V, N>(V::load(isa, &io.read::<[$W; N]>()), io),
                    "repeat" => store::<V, N>(V::repeat(isa, &io.read::<[$W; $WORDS]>()), io),
                    "straddle" => {
                        let (x, next) = (load(io), load(io));
                        $( store::<V, N>(x.straddle::<$bytes>(next), io); )+
                    }
                    "rotate_right" => {
                        let x = load(io);
                        $each!(R => store::<V, N>(x.rotate_right::<R>(), io));
                    }
                    "shift_right" => {
                        let x = load(io);
                        $each!(R => store::<V, N>(x.shift_right::<R>(), io));
                    }
                    _ => store::<V, N>(lanes(name, io, load), io),
                }
            }
            for table in [LANES, BLOCK_WORDS] {
                checker.check(&table, operation::<V, N>, &models::$model::<N>);
            }
        }
    };
}
block_words!(block_words_u32: u32, 4, block_words_32, to_31, straddle 4 8 12);
block_words!(block_words_u64: u64, 2, block_words_64, to_63, straddle 8);

pub(crate) const SHA_256_SCHEDULE: Table =
    Table { name: "Sha256Schedule", operations: &[(Linear, &["sigma1_of_upper", "sigma1_of_lower"])] };

pub(crate) fn sha256_schedule<V: Sha256Schedule, const N: usize>(checker: &mut impl Checker<V::Isa>) {
    #[inline(always)]
    fn operation<V: Sha256Schedule, const N: usize>(name: &str, isa: V::Isa, io: &mut Io<'_>) {
        let x = V::load_be(isa, &io.read(), &io.read());
        let sigma = match name {
            "sigma1_of_upper" => x.sigma1_of_upper(),
            "sigma1_of_lower" => x.sigma1_of_lower(),
            _ => unused(name),
        };
        let mut words = [0; N];
        sigma.store(&mut words);
        words.write(io);
    }
    checker.check(&SHA_256_SCHEDULE, operation::<V, N>, &models::sha256_schedule::<N>);
}

pub(crate) const SHA_1_WORDS: Table = Table {
    name: "Sha1Words",
    operations: &[
        (Linear, &["load_be", "load_padded", "words", "state", "state_words"]),
        (Linear, &["xor_state", "state_as_message", "schedule"]),
        (Arithmetic, &["four_rounds", "add_state"]),
    ],
};

/// Words are compared by four rounds with them, which are a permutation of the words: the trait cannot store
/// them. The state that rounds return may have another form than a fresh one, so states have both.
pub(crate) fn sha1_words<V: Sha1Words>(checker: &mut impl Checker<V::Isa>) {
    #[inline(always)]
    fn operation<V: Sha1Words>(name: &str, isa: V::Isa, io: &mut Io<'_>) {
        let show = |w: V, io: &mut Io<'_>| {
            V::state_words(V::four_rounds::<1>(V::state(isa, &[0; 5]), w)).write(io);
        };
        let load = |io: &mut Io<'_>| V::words(isa, io.read());
        match name {
            "words" => show(load(io), io),
            "load_be" => show(V::load_be(isa, &io.read()), io),
            "load_padded" => each_message(
                io,
                #[inline(always)]
                |message, at, io| show(V::load_padded(isa, message, at), io),
            ),
            "state" | "state_words" => V::state_words(V::state(isa, &io.read())).write(io),
            "schedule" => show(load(io).schedule(load(io), load(io), load(io)), io),
            "four_rounds" => {
                let (state, w) = (V::state(isa, &io.read()), load(io));
                V::state_words(V::four_rounds::<0>(state, w)).write(io);
                V::state_words(V::four_rounds::<1>(state, w)).write(io);
                V::state_words(V::four_rounds::<2>(state, w)).write(io);
                V::state_words(V::four_rounds::<3>(state, w)).write(io);
            }
            _ => {
                let (a, b, w) = (V::state(isa, &io.read()), V::state(isa, &io.read()), load(io));
                for a in [a, V::four_rounds::<3>(a, w)] {
                    for b in [b, V::four_rounds::<2>(b, w)] {
                        match name {
                            "add_state" => V::state_words(V::add_state(a, b)).write(io),
                            "xor_state" => V::state_words(V::xor_state(a, b)).write(io),
                            "state_as_message" => {
                                let [first, second] = V::state_as_message(a);
                                show(first, io);
                                show(second, io);
                            }
                            _ => unused(name),
                        }
                    }
                }
            }
        }
    }
    checker.check(&SHA_1_WORDS, operation::<V>, &models::sha1);
}

pub(crate) const SHA_256_WORDS: Table = Table {
    name: "Sha256Words",
    operations: &[
        (Linear, &["load_be", "load_padded", "words", "store", "reorder"]),
        (Arithmetic, &["rounds_begin", "rounds_end", "schedule"]),
    ],
};
pub(crate) const SHA_512_WORDS: Table = Table {
    name: "Sha512Words",
    operations: &[
        (Linear, &["load_padded", "words", "store", "reorder"]),
        (Arithmetic, &["four_rounds", "schedule"]),
    ],
};

macro_rules! sha2_words {
    ($check:ident: $Trait:ident, $TABLE:ident, $model:path, |$state:ident, $wk:ident| $rounds:expr
        $(, $load_be:ident)?) => {
        pub(crate) fn $check<V: $Trait>(checker: &mut impl Checker<V::Isa>) {
            #[inline(always)]
            fn operation<V: $Trait>(name: &str, isa: V::Isa, io: &mut Io<'_>) {
                let load = |io: &mut Io<'_>| V::words(isa, &io.read());
                let store = |x: V, io: &mut Io<'_>| {
                    let mut words = [0; 4];
                    x.store(&mut words);
                    words.write(io);
                };
                match name {
                    "words" | "store" => store(load(io), io),
                    $( "load_be" => store(V::$load_be(isa, &io.read()), io), )?
                    "load_padded" => each_message(
                        io,
                        #[inline(always)]
                        |message, at, io| store(V::load_padded(isa, message, at), io),
                    ),
                    "schedule" => store(load(io).schedule(load(io), load(io), load(io)), io),
                    "reorder" => {
                        let [first, second] = V::reorder(V::reorder([load(io), load(io)]));
                        store(first, io);
                        store(second, io);
                    }
                    "rounds_begin" | "rounds_end" | "four_rounds" => {
                        let ($state, $wk) = (V::reorder([load(io), load(io)]), load(io));
                        let [first, second] = V::reorder($rounds);
                        store(first, io);
                        store(second, io);
                    }
                    _ => store(lanes(name, io, load), io),
                }
            }
            for table in [LANES, $TABLE] {
                checker.check(&table, operation::<V>, &$model);
            }
        }
    };
}
sha2_words!(
    sha256_words: Sha256Words, SHA_256_WORDS, models::sha256,
    |state, wk| V::rounds_end(V::rounds_begin(state, wk), state, wk), load_be
);
sha2_words!(sha512_words: Sha512Words, SHA_512_WORDS, models::sha512, |state, wk| V::four_rounds(state, wk));

// ---- Blocks

pub(crate) const BLOCKS: Table = Table {
    name: "Blocks",
    operations: &[
        (Linear, &["zero", "load", "store", "broadcast", "splat", "number"]),
        (Linear, &["load_front", "store_front", "keep_front", "every", "first", "front", "push", "split"]),
        (Linear, &["sum", "pin", "bitxor", "xor3", "reverse_bytes", "swap_halves"]),
        (Arithmetic, &["add32", "add64"]),
    ],
};
pub(crate) const CARRYLESS_BLOCKS: Table = Table {
    name: "CarrylessBlocks",
    operations: &[(Linear, &["reduce_low"]), (Bilinear, &["multiply_low", "multiply_high"])],
};
pub(crate) const AES_BLOCKS: Table = Table {
    name: "AesBlocks",
    operations: &[(
        Bytewise,
        &["encrypt_round", "encrypt_last_round", "decrypt_round", "decrypt_last_round"],
    )],
};
pub(crate) const AES_WORDS: Table = Table {
    name: "AesWords",
    operations: &[(Linear, &["inverse_mix_columns", "shuffle_bytes", "shift_up"]), (Bitwise(2), &["keep"])],
};

/// Returns the blocks in the form in which rounds leave them. SubBytes makes 0x52 zero, to which the blocks
/// are added as the key.
#[inline(always)]
fn after_rounds<V: AesBlocks<N>, const N: usize>(isa: V::Isa, blocks: &[[u8; 16]; N]) -> V {
    V::load(isa, &[[0x52; 16]; N]).encrypt_last_round(V::load(isa, blocks))
}

#[inline(always)]
fn store_blocks<V: Blocks<N>, const N: usize>(x: V, io: &mut Io<'_>) {
    let mut blocks = [[0; 16]; N];
    x.store(&mut blocks);
    blocks.write(io);
}

#[inline(always)]
fn of_blocks<V: CarrylessBlocks<N>, const N: usize>(
    name: &str,
    isa: V::Isa,
    io: &mut Io<'_>,
    load: impl Fn(V::Isa, &[[u8; 16]; N]) -> V,
) {
    let load = |io: &mut Io<'_>| load(isa, &io.read());
    let store = store_blocks::<V, N>;
    let store_one = store_blocks::<V::One, 1>;
    match name {
        "zero" => store(V::zero(isa), io),
        "load" | "store" => store(load(io), io),
        "broadcast" => store(V::broadcast(isa, &io.read()), io),
        "splat" => store(V::splat(isa, io.read()), io),
        "number" => load(io).number().write(io),
        "load_front" => {
            let blocks: [[u8; 16]; N] = io.read();
            let bytes = [blocks.as_flattened(), &[0xff; 9]].concat();
            for len in 0..=bytes.len() {
                store(V::load_front(isa, &bytes[..len]), io);
            }
        }
        "store_front" => {
            let x = load(io);
            for len in 0..=16 * N {
                // The bytes around them must not change.
                let mut bytes = [[0xa5; 18]; N];
                x.store_front(&mut bytes.as_flattened_mut()[1..len + 1]);
                bytes.write(io);
            }
        }
        "keep_front" => {
            let x = load(io);
            for len in 0..16 * N + 2 {
                store(x.keep_front(len), io);
            }
        }
        "every" => store(V::every(load(io).front()), io),
        "first" => store(V::first(load(io).front()), io),
        "front" => store_one(load(io).front(), io),
        "push" => store(load(io).push(load(io).front()), io),
        "split" => {
            for one in load(io).split() {
                store_one(one, io);
            }
        }
        "sum" => store_one(load(io).sum(), io),
        "pin" => store(load(io).pin(), io),
        "bitxor" => store(load(io) ^ load(io), io),
        "xor3" => store(load(io).xor3(load(io), load(io)), io),
        "add32" => store(load(io).add32(load(io)), io),
        "add64" => store(load(io).add64(load(io)), io),
        "reverse_bytes" => store(load(io).reverse_bytes(), io),
        "swap_halves" => store(load(io).swap_halves(), io),
        "multiply_low" => store(load(io).multiply_low(load(io)), io),
        "multiply_high" => store(load(io).multiply_high(load(io)), io),
        "reduce_low" => store(load(io).reduce_low(V::splat(isa, 1 << 63 | 1 << 62 | 1 << 57)), io),
        _ => unused(name),
    }
}

/// Checks the operations on fresh vectors and on the results of rounds.
pub(crate) fn blocks<V: AesBlocks<N> + CarrylessBlocks<N>, const N: usize>(
    checker: &mut impl Checker<V::Isa>,
) {
    #[inline(always)]
    fn rounds<V: AesBlocks<N>, const N: usize>(
        name: &str,
        isa: V::Isa,
        io: &mut Io<'_>,
        load: impl Fn(V::Isa, &[[u8; 16]; N]) -> V,
    ) {
        let (x, key) = (load(isa, &io.read()), load(isa, &io.read()));
        let x = match name {
            "encrypt_round" => x.encrypt_round(key),
            "encrypt_last_round" => x.encrypt_last_round(key),
            "decrypt_round" => x.decrypt_round(key),
            "decrypt_last_round" => x.decrypt_last_round(key),
            _ => unused(name),
        };
        store_blocks(x, io);
    }
    fn model<const N: usize>(name: &str, io: &mut Io<'_>) {
        of_blocks::<PlainBlocks<N>, N>(name, Portable, io, Blocks::load);
    }
    for table in [BLOCKS, CARRYLESS_BLOCKS] {
        checker.check(
            &table,
            #[inline(always)]
            |name, isa, io| of_blocks::<V, N>(name, isa, io, V::load),
            &model::<N>,
        );
        checker.check(
            &table,
            #[inline(always)]
            |name, isa, io| of_blocks::<V, N>(name, isa, io, after_rounds),
            &model::<N>,
        );
    }
    checker.check(
        &AES_BLOCKS,
        #[inline(always)]
        |name, isa, io| rounds::<V, N>(name, isa, io, V::load),
        &models::aes::<N>,
    );
    checker.check(
        &AES_BLOCKS,
        #[inline(always)]
        |name, isa, io| rounds::<V, N>(name, isa, io, after_rounds),
        &models::aes::<N>,
    );
}

pub(crate) fn aes_words<V: AesWords>(checker: &mut impl Checker<V::Isa>) {
    #[inline(always)]
    fn operation<V: AesWords>(
        name: &str,
        isa: V::Isa,
        io: &mut Io<'_>,
        load: impl Fn(V::Isa, &[[u8; 16]; 1]) -> V,
    ) {
        let x = load(isa, &io.read());
        match name {
            "inverse_mix_columns" => store_blocks(x.inverse_mix_columns(), io),
            "shift_up" => {
                macro_rules! each {
                    ($($bytes:literal)+) => { $( store_blocks(x.shift_up::<$bytes>(), io); )+ };
                }
                each!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
            }
            "shuffle_bytes" => {
                // In one of these orders, each place has each index.
                for first in 0..16 {
                    let order = core::array::from_fn(|i| (i as u8 + first) % 16);
                    store_blocks(x.shuffle_bytes(V::load(isa, &[order])), io);
                }
            }
            "keep" => store_blocks(x.keep(load(isa, &io.read())), io),
            _ => unused(name),
        }
    }
    checker.check(
        &AES_WORDS,
        #[inline(always)]
        |name, isa, io| operation::<V>(name, isa, io, V::load),
        &models::aes_words,
    );
    checker.check(
        &AES_WORDS,
        #[inline(always)]
        |name, isa, io| operation::<V>(name, isa, io, after_rounds),
        &models::aes_words,
    );
}

// ---- Inputs

/// Calls `f` with all inputs of a kind, and with as many random ones as have `words` words of 64 bits.
fn inputs(kind: Kind, len: usize, words: usize, f: &mut dyn FnMut(&[u8])) {
    let mut input = vec![0; len];
    f(&input);
    let flip = |input: &mut [u8], bit: usize| input[bit / 8] ^= 1 << (bit % 8);
    match kind {
        Linear | Bilinear => {
            for bit in 0..8 * len {
                flip(&mut input, bit);
                f(&input);
                for other in 0..if kind == Bilinear { bit } else { 0 } {
                    flip(&mut input, other);
                    f(&input);
                    flip(&mut input, other);
                }
                flip(&mut input, bit);
            }
        }
        Bitwise(operands) => {
            let bits = 8 * len / operands;
            for place in 0..bits {
                for value in 1..1 << operands {
                    let set = |input: &mut [u8]| {
                        (0..operands)
                            .filter(|i| value >> i & 1 == 1)
                            .for_each(|i| flip(input, bits * i + place));
                    };
                    set(&mut input);
                    f(&input);
                    set(&mut input);
                }
            }
        }
        Bytewise => {
            for place in 0..len {
                for value in 1..=255 {
                    input[place] = value;
                    f(&input);
                }
                input[place] = 0;
            }
        }
        Arithmetic => {}
    }
    let mut random = keylane_contracts::Random::new(len as u64);
    for _ in 0..(8 * words).div_ceil(len.max(1)) {
        for bytes in input.chunks_mut(8) {
            let power = 1_u64 << random.below(64);
            let number = match random.below(6) {
                0 => power,
                1 => power - 1,
                2 => power.wrapping_neg(),
                _ => random.next(),
            };
            bytes.copy_from_slice(&number.to_le_bytes()[..bytes.len()]);
        }
        f(&input);
    }
}

/// Returns how many bytes an operation reads.
pub(crate) fn length(model: &dyn Fn(&mut Io<'_>)) -> usize {
    let zeros = [0; 4096];
    let mut io = Io { input: &zeros, output: &mut Vec::new() };
    model(&mut io);
    zeros.len() - io.input.len()
}

/// Compares what an operation makes of inputs with what the model makes of them.
pub(crate) fn compare(
    name: &str,
    kind: Kind,
    words: usize,
    operation: &mut dyn FnMut(&[u8], &mut Vec<u8>),
    model: &dyn Fn(&mut Io<'_>),
) {
    let (mut got, mut expected) = (Vec::new(), Vec::new());
    inputs(kind, length(model), words, &mut |input| {
        got.clear();
        expected.clear();
        operation(input, &mut got);
        model(&mut Io { input, output: &mut expected });
        assert!(got == expected, "{name} of {input:x?}:\n{got:x?}, but the model\n{expected:x?}");
    });
}
