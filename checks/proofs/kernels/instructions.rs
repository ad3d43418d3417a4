//! Recording vectors for the traits of hash instructions. A model does what the instructions of four rounds
//! do together; the two orders of the halves are those of x86 and of Arm.

use super::lanes::Recorded;
use super::record::{Node, Op, load, node, stored};
use core::marker::PhantomData;
use core::ops::{Add, BitAnd, BitOr, BitXor};
use keylane_cpu::Portable;
use keylane_cpu::lanes::{Lanes, Sha1Words, Sha256Words, Sha512Words};

/// x86's order: two rounds take h, g, d, c and f, e, b, a, and return the new f, e, b, a.
#[derive(Clone, Copy, Debug)]
pub(crate) struct X86;

/// Arm's order: one instruction returns the new a to d, another the new e to h.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arm;

/// Four words of one message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Four<W, Cpu>(Recorded<W, 4>, PhantomData<Cpu>);

impl<W, Cpu> Four<W, Cpu> {
    fn of(nodes: [Node; 4]) -> Self
    where
        Recorded<W, 4>: From<[Node; 4]>,
    {
        Self(nodes.into(), PhantomData)
    }
}

macro_rules! operators {
    ($($Trait:ident $name:ident),+) => { $(
        impl<W, Cpu> $Trait for Four<W, Cpu>
        where
            Recorded<W, 4>: $Trait<Output = Recorded<W, 4>>,
        {
            type Output = Self;

            #[inline(never)]
            fn $name(self, other: Self) -> Self {
                Self($Trait::$name(self.0, other.0), PhantomData)
            }
        }
    )+ };
}
operators!(Add add, BitXor bitxor, BitAnd bitand, BitOr bitor);

impl<W: Copy, Cpu: Copy> Lanes for Four<W, Cpu>
where
    Recorded<W, 4>: Lanes,
{
    type Isa = Portable;
}

/// Operations on nodes of `len` bytes.
#[derive(Clone, Copy)]
struct Nodes {
    len: usize,
    /// The rotations of Σ0, Σ1, σ0 and σ1; the last two of these end with a shift.
    sigmas: [[u32; 3]; 4],
}

const SHA256: Nodes = Nodes { len: 4, sigmas: [[2, 13, 22], [6, 11, 25], [7, 18, 3], [17, 19, 10]] };
const SHA512: Nodes = Nodes { len: 8, sigmas: [[28, 34, 39], [14, 18, 41], [1, 8, 7], [19, 61, 6]] };

impl Nodes {
    fn all(self, op: impl Fn(Node, Node) -> Op, nodes: &[Node]) -> Node {
        nodes.iter().copied().reduce(|x, y| node(op(x, y), self.len)).expect("operands")
    }

    fn rotate(self, x: Node, by: u32) -> Node {
        node(Op::RotateRight(x, by), self.len)
    }

    /// Σ0, Σ1, σ0 or σ1.
    fn sigma(self, number: usize, x: Node) -> Node {
        let [a, b, c] = self.sigmas[number];
        let last = if number < 2 { Op::RotateRight(x, c) } else { Op::ShiftRight(x, c) };
        self.all(Op::Xor, &[self.rotate(x, a), self.rotate(x, b), node(last, self.len)])
    }

    fn choose(self, x: Node, y: Node, z: Node) -> Node {
        let different = self.all(Op::Xor, &[y, z]);
        let chosen = self.all(Op::And, &[x, different]);
        self.all(Op::Xor, &[chosen, z])
    }

    fn majority(self, x: Node, y: Node, z: Node) -> Node {
        let (or, and) = (self.all(Op::Or, &[y, z]), self.all(Op::And, &[y, z]));
        let either = self.all(Op::And, &[x, or]);
        self.all(Op::Or, &[either, and])
    }

    #[inline(never)]
    fn round(self, [a, b, c, d, e, f, g, h]: [Node; 8], wk: Node) -> [Node; 8] {
        let t1 = self.all(Op::Add, &[h, self.sigma(1, e), self.choose(e, f, g), wk]);
        let t2 = self.all(Op::Add, &[self.sigma(0, a), self.majority(a, b, c)]);
        [self.all(Op::Add, &[t1, t2]), a, b, c, self.all(Op::Add, &[d, t1]), e, f, g]
    }

    #[inline(never)]
    fn schedule(self, words: [[Node; 4]; 4]) -> [Node; 4] {
        let mut w = words.as_flattened().to_vec();
        for t in 16..20 {
            let (sigma1, sigma0) = (self.sigma(3, w[t - 2]), self.sigma(2, w[t - 15]));
            w.push(self.all(Op::Add, &[sigma1, w[t - 7], sigma0, w[t - 16]]));
        }
        [w[16], w[17], w[18], w[19]]
    }
}

/// Returns the bytes from `at` on of a message that is followed by a one bit and zeros.
fn padded<const LEN: usize>(message: &[u8], at: usize) -> [u8; LEN] {
    core::array::from_fn(|i| match message.get(at + i) {
        Some(byte) => *byte,
        None if at + i == message.len() => 0x80,
        None => 0,
    })
}

/// Loads big-endian words.
#[inline(never)]
fn big_endian<const N: usize>(bytes: &[u8]) -> [Node; N] {
    let len = bytes.len() / N;
    core::array::from_fn(|i| {
        load(bytes[len * i..len * (i + 1)].iter().fold(0, |x, &byte| x << 8 | u64::from(byte)), len)
    })
}

/// [`Sha256Words`] but for the rounds.
macro_rules! sha256_words {
    () => {
        #[inline(never)]
        fn load_be(_: Portable, bytes: &[u8; 16]) -> Self {
            Self::of(big_endian(bytes))
        }

        #[inline(never)]
        fn load_padded(_: Portable, message: &[u8], at: usize) -> Self {
            Self::of(big_endian(&padded::<16>(message, at)))
        }

        #[inline(never)]
        fn words(_: Portable, words: &[u32; 4]) -> Self {
            Self::of(words.map(|x| load(x.into(), 4)))
        }

        #[inline(never)]
        fn store(self, words: &mut [u32; 4]) {
            *words = self.0.nodes().map(|node| stored(node) as u32);
        }

        fn schedule(self, w1: Self, w2: Self, w3: Self) -> Self {
            Self::of(SHA256.schedule([self, w1, w2, w3].map(|w| w.0.nodes())))
        }
    };
}

impl Sha256Words for Four<u32, X86> {
    sha256_words!();

    fn reorder(halves: [Self; 2]) -> [Self; 2] {
        let [[a, b, c, d], [e, f, g, h]] = halves.map(|half| half.0.nodes());
        [Self::of([h, g, d, c]), Self::of([f, e, b, a])]
    }

    #[inline(never)]
    fn rounds_begin([hgdc, feba]: [Self; 2], wk: Self) -> [Self; 2] {
        let [[h, g, d, c], [f, e, b, a]] = [hgdc, feba].map(|half| half.0.nodes());
        let [first, second, ..] = wk.0.nodes();
        let [a, b, _, _, e, f, ..] = SHA256.round(SHA256.round([a, b, c, d, e, f, g, h], first), second);
        [Self::of([f, e, b, a]), feba]
    }

    fn rounds_end([feba, hgdc]: [Self; 2], _: [Self; 2], wk: Self) -> [Self; 2] {
        let [.., third, fourth] = wk.0.nodes();
        let [next, _] = Self::rounds_begin([hgdc, feba], Self::of([third, fourth, third, fourth]));
        [feba, next]
    }
}

impl Sha256Words for Four<u32, Arm> {
    sha256_words!();

    fn reorder(halves: [Self; 2]) -> [Self; 2] {
        halves
    }

    #[inline(never)]
    fn rounds_begin([abcd, efgh]: [Self; 2], wk: Self) -> [Self; 2] {
        let [[a, b, c, d], [e, f, g, h]] = [abcd, efgh].map(|half| half.0.nodes());
        let [a, b, c, d, ..] =
            wk.0.nodes().iter().fold([a, b, c, d, e, f, g, h], |s, &wk| SHA256.round(s, wk));
        [Self::of([a, b, c, d]), efgh]
    }

    #[inline(never)]
    fn rounds_end([abcd, efgh]: [Self; 2], [before, _]: [Self; 2], wk: Self) -> [Self; 2] {
        let [[a, b, c, d], [e, f, g, h]] = [before, efgh].map(|half| half.0.nodes());
        let [.., e, f, g, h] =
            wk.0.nodes().iter().fold([a, b, c, d, e, f, g, h], |s, &wk| SHA256.round(s, wk));
        [abcd, Self::of([e, f, g, h])]
    }
}

impl<Cpu: Copy> Sha512Words for Four<u64, Cpu> {
    #[inline(never)]
    fn load_padded(_: Portable, message: &[u8], at: usize) -> Self {
        Self::of(big_endian(&padded::<32>(message, at)))
    }

    #[inline(never)]
    fn words(_: Portable, words: &[u64; 4]) -> Self {
        Self::of(words.map(|x| load(x, 8)))
    }

    #[inline(never)]
    fn store(self, words: &mut [u64; 4]) {
        *words = self.0.nodes().map(stored);
    }

    fn reorder(halves: [Self; 2]) -> [Self; 2] {
        halves
    }

    #[inline(never)]
    fn four_rounds([abcd, efgh]: [Self; 2], wk: Self) -> [Self; 2] {
        let [[a, b, c, d], [e, f, g, h]] = [abcd, efgh].map(|half| half.0.nodes());
        let [a, b, c, d, e, f, g, h] =
            wk.0.nodes().iter().fold([a, b, c, d, e, f, g, h], |s, &wk| SHA512.round(s, wk));
        [Self::of([a, b, c, d]), Self::of([e, f, g, h])]
    }

    fn schedule(self, w1: Self, w2: Self, w3: Self) -> Self {
        Self::of(SHA512.schedule([self, w1, w2, w3].map(|w| w.0.nodes())))
    }
}

impl<Cpu: Copy> Sha1Words for Four<u32, Cpu> {
    type State = [Node; 5];

    #[inline(never)]
    fn load_be(_: Portable, bytes: &[u8; 16]) -> Self {
        Self::of(big_endian(bytes))
    }

    #[inline(never)]
    fn load_padded(_: Portable, message: &[u8], at: usize) -> Self {
        Self::of(big_endian(&padded::<16>(message, at)))
    }

    #[inline(never)]
    fn words(_: Portable, words: [u32; 4]) -> Self {
        Self::of(words.map(|x| load(x.into(), 4)))
    }

    #[inline(never)]
    fn state(_: Portable, state: &[u32; 5]) -> [Node; 5] {
        state.map(|x| load(x.into(), 4))
    }

    #[inline(never)]
    fn state_words(state: [Node; 5]) -> [u32; 5] {
        state.map(|node| stored(node) as u32)
    }

    #[inline(never)]
    fn four_rounds<const STAGE: i32>(state: [Node; 5], w: Self) -> [Node; 5] {
        let k = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6][STAGE as usize];
        w.0.nodes().into_iter().fold(state, |[a, b, c, d, e], w| {
            let f = match STAGE {
                0 => SHA256.choose(b, c, d),
                2 => SHA256.majority(b, c, d),
                _ => SHA256.all(Op::Xor, &[b, c, d]),
            };
            let sum = SHA256.all(Op::Add, &[SHA256.rotate(a, 27), f, e, load(k, 4), w]);
            [sum, a, SHA256.rotate(b, 2), c, d]
        })
    }

    fn add_state(after: [Node; 5], before: [Node; 5]) -> [Node; 5] {
        core::array::from_fn(|i| SHA256.all(Op::Add, &[after[i], before[i]]))
    }

    fn xor_state(a: [Node; 5], b: [Node; 5]) -> [Node; 5] {
        core::array::from_fn(|i| SHA256.all(Op::Xor, &[a[i], b[i]]))
    }

    fn state_as_message([a, b, c, d, e]: [Node; 5]) -> [Self; 2] {
        let zero = load(0, 4);
        [Self::of([a, b, c, d]), Self::of([e, zero, zero, zero])]
    }

    #[inline(never)]
    fn schedule(self, w1: Self, w2: Self, w3: Self) -> Self {
        let words = [self, w1, w2, w3].map(|w| w.0.nodes());
        let mut w = words.as_flattened().to_vec();
        for t in 16..20 {
            let next = SHA256.all(Op::Xor, &[w[t - 3], w[t - 8], w[t - 14], w[t - 16]]);
            w.push(SHA256.rotate(next, 31));
        }
        Self::of([w[16], w[17], w[18], w[19]])
    }
}
