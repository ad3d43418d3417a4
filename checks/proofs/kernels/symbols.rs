//! Recorded words in integer registers, and the hashes over them.

#![allow(unreachable_pub, reason = "types of a trait that is public")]

use super::lanes::Recorded;
use super::record::{Node, Op, load, node, stored};
use crate::backend::Backends;
use crate::hash::compression::lanes::{InLanes, States, Window};
use crate::hash::compression::{Compression, Kernel, compiled_here};
use crate::sha1::Sha1Core;
use crate::sha2::{Sha256Core, Sha512Core};
use core::ops::{BitAnd, BitXor, Not};
use keylane_cpu::Portable;
use keylane_cpu::lanes::Lanes;
use keylane_cpu::pin::Scalar;
use keylane_cpu::wipe::Wipe;

/// A word: a number, or a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Symbol<W> {
    Known(W),
    Node(Node),
}

/// A hash's compression function C, whose words are symbols.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbolic<C>(C);

/// A word that recording vectors load and store: a number, which stands for a node, or a symbol.
pub(crate) trait Memory: Copy {
    fn node(self) -> Node;
    fn of(node: Node) -> Self;
}

macro_rules! symbols {
    ($($W:ident),+) => { $(
        impl Memory for $W {
            fn node(self) -> Node {
                load(self.into(), size_of::<$W>())
            }

            fn of(node: Node) -> Self {
                stored(node) as $W
            }
        }

        impl Memory for Symbol<$W> {
            fn node(self) -> Node {
                match self {
                    Self::Known(x) => Memory::node(x),
                    Self::Node(node) => node,
                }
            }

            fn of(node: Node) -> Self {
                Self::Node(node)
            }
        }

        impl From<$W> for Symbol<$W> {
            fn from(x: $W) -> Self {
                Self::Node(Memory::node(x))
            }
        }

        impl From<Symbol<$W>> for $W {
            fn from(symbol: Symbol<$W>) -> Self {
                match symbol {
                    Symbol::Known(x) => x,
                    Symbol::Node(node) => Memory::of(node),
                }
            }
        }

        symbols!(@operator $W, BitXor bitxor Xor);
        symbols!(@operator $W, BitAnd bitand And);

        impl Not for Symbol<$W> {
            type Output = Self;

            fn not(self) -> Self {
                self ^ Self::Known($W::MAX)
            }
        }

        impl Scalar for Symbol<$W> {
            fn pin_here(self) -> Self {
                self
            }

            fn add_here(self, other: Self) -> Self {
                Scalar::add(self, other)
            }

            #[inline(never)]
            fn add(self, other: Self) -> Self {
                Self::Node(node(Op::Add(self.node(), other.node()), size_of::<$W>()))
            }

            #[inline(never)]
            fn rotate_right(self, bits: u32) -> Self {
                Self::Node(node(Op::RotateRight(self.node(), bits), size_of::<$W>()))
            }

            type Bytes = [u8; size_of::<$W>()];

            fn to_bytes(self) -> Self::Bytes {
                $W::of(self.node()).to_be_bytes()
            }

            fn from_bytes(bytes: &[u8]) -> Self {
                Self::Node(Memory::node($W::from_be_bytes(*bytes.first_chunk().expect("a word"))))
            }

            fn from_low(x: u64) -> Self {
                Self::Known(x as $W)
            }
        }

        impl Wipe for Symbol<$W> {
            fn set_zero(&mut self) {
                *self = Self::Known(0);
            }
        }
    )+ };
    (@operator $W:ident, $Trait:ident $name:ident $Op:ident) => {
        impl $Trait for Symbol<$W> {
            type Output = Self;

            #[inline(never)]
            fn $name(self, other: Self) -> Self {
                Self::Node(node(Op::$Op(self.node(), other.node()), size_of::<$W>()))
            }
        }
    };
}
symbols!(u32, u64);

macro_rules! symbolic {
    ($($Core:ident: $words:literal of $W:ident, block $block:literal);+) => { $(
        impl Compression for Symbolic<$Core> {
            type Word = Symbol<$W>;
            type Vector = Recorded<$W, 1>;
            type State = [Symbol<$W>; $words];
            type Block = [u8; $block];
            const WORD_LEN: usize = size_of::<$W>();
            const STATE_LEN: usize = $words * size_of::<$W>();
            const ZERO_STATE: Self::State = [Symbol::Known(0); $words];
            const ANSWER: Self::State = Self::ZERO_STATE;
            type Chosen = dyn Kernel<Self>;

            fn backends() -> &'static Backends<Self::Chosen> {
                unreachable!("a proof names its kernel")
            }

            compiled_here!();
        }

        /// The core's own functions, on numbers that stand for the symbols.
        impl<const N: usize> InLanes<Recorded<$W, N>, N> for Symbolic<$Core> {
            fn load_states(isa: Portable, states: &[Self::State; N]) -> States<Recorded<$W, N>> {
                <$Core>::load_states(isa, &states.map(|state| state.map($W::from)))
            }

            fn load_words(isa: Portable, words: &[Symbol<$W>; N]) -> Recorded<$W, N> {
                <$Core>::load_words(isa, &words.map($W::from))
            }

            fn store_words(vector: Recorded<$W, N>, words: &mut [Symbol<$W>; N]) {
                let mut numbers = [0; N];
                <$Core>::store_words(vector, &mut numbers);
                *words = numbers.map(Symbol::from);
            }

            fn store_states(isa: Portable, vectors: States<Recorded<$W, N>>, states: &mut [Self::State; N]) {
                let mut numbers = [[0; $words]; N];
                <$Core>::store_states(isa, vectors, &mut numbers);
                *states = numbers.map(|state| state.map(Symbol::from));
            }

            fn load_blocks(isa: Portable, blocks: [&Self::Block; N], w: &mut Window<Recorded<$W, N>>) {
                <$Core>::load_blocks(isa, blocks, w);
            }

            fn rounds(
                isa: Portable,
                states: States<Recorded<$W, N>>,
                window: &mut Window<Recorded<$W, N>>,
            ) -> States<Recorded<$W, N>> {
                <$Core>::rounds(isa, states, window)
            }
        }
    )+ };
}
symbolic! {
    Sha1Core: 5 of u32, block 64;
    Sha256Core: 8 of u32, block 64;
    Sha512Core: 8 of u64, block 128
}

#[cfg(target_arch = "x86_64")]
mod two_blocks {
    use super::*;
    use crate::hash::compression::two_blocks::{InTwoBlocks, Schedule};
    use crate::sha1::two_blocks as sha1;
    use crate::sha2::two_blocks::{DOUBLED32, DOUBLED64, next_words_256, next_words_512, rounds};
    use keylane_cpu::lanes::{BlockWords, Sha256Schedule};

    /// Words of one block or of two.
    macro_rules! block_words {
        ($W:ident $bytes:literal: $($lanes:literal)+) => { $(
            impl<X: Memory> BlockWords<X> for Recorded<$W, $lanes> {
                const BLOCKS: usize = $lanes * $bytes / 16;

                #[inline(never)]
                fn load_be(_: Portable, first: &[u8; 16], second: &[u8; 16]) -> Self {
                    let both = [*first, *second];
                    let words: &[[u8; $bytes]] = both.as_flattened().as_chunks().0;
                    let nodes: [Node; $lanes] =
                        core::array::from_fn(|i| Memory::node($W::from_be_bytes(words[i])));
                    nodes.into()
                }

                #[inline(never)]
                fn repeat(_: Portable, words: &[X]) -> Self {
                    let nodes: [Node; $lanes] = core::array::from_fn(|i| words[i % (16 / $bytes)].node());
                    nodes.into()
                }

                #[inline(never)]
                fn load(_: Portable, words: &[X]) -> Self {
                    let nodes: [Node; $lanes] = core::array::from_fn(|i| words[i].node());
                    nodes.into()
                }

                #[inline(never)]
                fn store(self, words: &mut [X]) {
                    assert!(words.len() >= $lanes);
                    for (word, node) in words.iter_mut().zip(self.nodes()) {
                        *word = X::of(node);
                    }
                }

                #[inline(never)]
                fn straddle<const N: i32>(self, next: Self) -> Self {
                    const WORDS: usize = 16 / $bytes;
                    let by = N as usize / $bytes;
                    let nodes: [Node; $lanes] = core::array::from_fn(|i| match i % WORDS + by {
                        place if place < WORDS => self.nodes()[i + by],
                        _ => next.nodes()[i + by - WORDS],
                    });
                    nodes.into()
                }

                #[inline(never)]
                fn rotate_right<const R: u32>(self) -> Self {
                    self.map(|x| Op::RotateRight(x, R))
                }

                #[inline(never)]
                fn shift_right<const R: u32>(self) -> Self {
                    self.map(|x| Op::ShiftRight(x, R))
                }
            }
        )+ };
    }
    block_words!(u32 4: 4 8);
    block_words!(u64 8: 4);

    impl<const N: usize> Sha256Schedule for Recorded<u32, N>
    where
        Self: BlockWords<u32>,
    {
        #[inline(never)]
        fn sigma1_of_upper(self) -> Self {
            self.sigma1([2, 3], [0, 1])
        }

        #[inline(never)]
        fn sigma1_of_lower(self) -> Self {
            self.sigma1([0, 1], [2, 3])
        }
    }

    impl<const N: usize> Recorded<u32, N> {
        /// Returns σ1 of two words of each block in other places, and zeros in the others.
        fn sigma1(self, from: [usize; 2], to: [usize; 2]) -> Self {
            let mut nodes = [load(0, 4); N];
            for block in (0..N).step_by(4) {
                for (from, to) in from.into_iter().zip(to) {
                    let x = self.nodes()[block + from];
                    let [a, b, c] = [Op::RotateRight(x, 17), Op::RotateRight(x, 19), Op::ShiftRight(x, 10)]
                        .map(|op| node(op, 4));
                    nodes[block + to] = node(Op::Xor(node(Op::Xor(a, b), 4), c), 4);
                }
            }
            nodes.into()
        }
    }

    macro_rules! in_two_blocks {
        ($($Core:ident of $W:ident: $state:literal; $V:ident: $Bound:path, $rounds:expr;)+) => { $(
            impl<$V: BlockWords<Symbol<$W>> + $Bound> InTwoBlocks<$V> for Symbolic<$Core> {
                fn rounds(
                    isa: $V::Isa,
                    state: &mut [Symbol<$W>; $state],
                    w: &mut [$V; 8],
                    wk: &mut Schedule<Symbol<$W>>,
                    block: usize,
                ) {
                    $rounds(isa, state, w, wk, block);
                }
            }
        )+ };
    }
    in_two_blocks! {
        Sha1Core of u32: 5; V: Lanes, sha1::rounds;
        Sha256Core of u32: 8; V: Sha256Schedule, |isa, state, w, wk, block| {
            rounds(isa, &DOUBLED32.map(Symbol::Known), next_words_256, state, w, wk, block);
        };
        Sha512Core of u64: 8; V: BlockWords<u64>, |isa, state, w, wk, block| {
            rounds(isa, &DOUBLED64.map(Symbol::Known), next_words_512, state, w, wk, block);
        };
    }
}
