//! Instructions on vectors and on masks.

use crate::machine::{Machine, operation, text};
use crate::values::{Op, Shift, Values};
use iced_x86::{Instruction, OpKind, Register};

/// The words of two operands of SHA-256's rounds, and their order.
const ABEF: [usize; 4] = [3, 2, 1, 0];

/// Returns the length of an instruction's elements, which a mask selects.
fn element_len(i: &Instruction) -> usize {
    i.memory_size().element_size()
}

impl<V: Values> Machine<'_, V> {
    /// Returns the bits of a mask register.
    fn mask(&self, register: Register) -> u64 {
        self.masks[register.number()].expect("a mask that is known")
    }

    fn zero(&mut self) -> V::Byte {
        self.values.constant(0)
    }

    /// Returns the immediate byte, which is the last operand.
    fn immediate(&self, i: &Instruction) -> usize {
        assert!(i.op_kind(i.op_count() - 1) == OpKind::Immediate8, "{}: no immediate byte", text(i));
        i.immediate8().into()
    }

    /// Writes a result under the mask, if there is one. Instructions of SSE leave what is above as it is.
    fn result(&mut self, i: &Instruction, mut bytes: Vec<V::Byte>) {
        if i.op_mask() != Register::None {
            let (mask, element) = (self.mask(i.op_mask()), element_len(i));
            let before = match i.op_kind(0) {
                _ if i.zeroing_masking() => self.constant(0, 8).repeat(8),
                OpKind::Register => self.register(i.op_register(0)),
                _ => {
                    // What is not selected is not touched, and may be no memory.
                    let address = self.address(i);
                    for (at, lane) in bytes.chunks(element).enumerate().filter(|(at, _)| mask >> at & 1 == 1)
                    {
                        self.memory.write(address + (at * element) as u64, lane);
                    }
                    return;
                }
            };
            for (at, byte) in bytes.iter_mut().enumerate() {
                if mask >> (at / element) & 1 == 0 {
                    *byte = before[at];
                }
            }
        }
        if i.op_kind(0) == OpKind::Register && i.op_register(0).is_vector_register() && is_sse(i) {
            bytes.extend(self.upper(i.op_register(0), bytes.len()));
            return self.set_register(i.op_register(0).full_register(), &bytes);
        }
        self.set_operand(i, 0, &bytes);
    }

    /// Returns the two sources of an instruction: of SSE, the first is the destination as well.
    fn sources(&mut self, i: &Instruction, len: usize) -> [Vec<V::Byte>; 2] {
        let first = u32::from(!is_sse(i));
        [first, first + 1].map(|operand| self.operand(i, operand, len))
    }

    /// Returns the second operand of a move. What a mask leaves out is not read, and may be no memory.
    fn moved(&mut self, i: &Instruction, len: usize) -> Vec<V::Byte> {
        if i.op_mask() == Register::None || i.op_kind(1) != OpKind::Memory {
            return self.operand(i, 1, len);
        }
        let (mask, element, address) = (self.mask(i.op_mask()), element_len(i), self.address(i));
        let mut bytes = vec![self.zero(); len];
        for at in (0..len).filter(|at| mask >> (at / element) & 1 == 1) {
            bytes[at] = self.load(address + at as u64, 1)[0];
        }
        bytes
    }

    fn lanes(&mut self, i: &Instruction, len: usize, element: usize, op: Op) {
        let [a, b] = self.sources(i, len);
        let lanes = a.chunks(element).zip(b.chunks(element));
        let bytes = lanes.flat_map(|(a, b)| self.lane(op, a, b)).collect();
        self.result(i, bytes);
    }

    /// Shifts or rotates each element by the immediate.
    fn shifts(&mut self, i: &Instruction, len: usize, element: usize, shift: Shift, by: usize) {
        let first = u32::from(!is_sse(i));
        let a = self.operand(i, first, len);
        let bytes = a.chunks(element).flat_map(|a| self.shifted(shift, a, by as u32)).collect();
        self.result(i, bytes);
    }

    /// Any function of three bits, as a sum of products of them.
    fn ternary(&mut self, i: &Instruction, len: usize) {
        let [a, b, c] = [0, 1, 2].map(|operand| self.operand(i, operand, len));
        let table = self.immediate(i);
        // Moebius' transform: the coefficients of the polynomial.
        let mut of: [bool; 8] = std::array::from_fn(|at| table >> at & 1 == 1);
        for bit in [1, 2, 4] {
            for at in 0..8 {
                if at & bit != 0 {
                    of[at] ^= of[at ^ bit];
                }
            }
        }
        let mut bytes = Vec::new();
        for at in (0..len).step_by(8) {
            let mut sum = self.constant(if of[0] { u64::MAX } else { 0 }, 8);
            for product in (1..8).filter(|&product| of[product]) {
                let mut factors = self.constant(u64::MAX, 8);
                for (bit, factor) in [(4, &a), (2, &b), (1, &c)] {
                    if product & bit != 0 {
                        factors = self.lane(Op::And, &factors, &factor[at..at + 8]);
                    }
                }
                sum = self.lane(Op::Xor, &sum, &factors);
            }
            bytes.extend(sum);
        }
        self.result(i, bytes);
    }

    /// Moves bytes: `from` says for each byte of the result which byte of the sources, one after the other.
    fn moves(
        &mut self,
        i: &Instruction,
        sources: &[Vec<V::Byte>],
        len: usize,
        from: impl Fn(usize) -> Option<usize>,
    ) {
        let (all, zero) = (sources.concat(), self.zero());
        let bytes = (0..len).map(|at| from(at).map_or(zero, |from| all[from])).collect();
        self.result(i, bytes);
    }

    /// Moves bytes of one source or of two: `from` gets the immediate and a place of the result.
    fn shuffle(
        &mut self,
        i: &Instruction,
        len: usize,
        sources: usize,
        from: impl Fn(usize, usize) -> Option<usize>,
    ) {
        let order = self.immediate(i);
        let sources = if sources == 1 { vec![self.operand(i, 1, len)] } else { self.sources(i, len).into() };
        self.moves(i, &sources, len, |at| from(order, at));
    }

    fn known_bytes(&self, bytes: &[V::Byte]) -> Vec<usize> {
        bytes.iter().map(|&byte| self.values.known(byte).expect("indices that are known").into()).collect()
    }

    fn aes_round(&mut self, i: &Instruction, len: usize, last: bool) {
        let [state, keys] = self.sources(i, len);
        let mut bytes = Vec::new();
        for (state, key) in state.chunks(16).zip(keys.chunks(16)) {
            let mut block: Vec<V::Byte> = (0..16).map(|at| state[(at + 4 * (at % 4)) % 16]).collect();
            block = block.into_iter().map(|byte| self.values.sub_byte(byte)).collect();
            if !last {
                block = self.values.mix_columns(&block);
            }
            bytes.extend(block.chunks(8).zip(key.chunks(8)).flat_map(|(a, b)| self.lane(Op::Xor, a, b)));
        }
        self.result(i, bytes);
    }

    fn product(&mut self, a: &[V::Byte], b: &[V::Byte]) -> Vec<V::Byte> {
        let (Some(x), Some(y)) = (self.value(a), self.value(b)) else { return self.values.carryless(a, b) };
        let product =
            (0..64).filter(|i| y >> i & 1 == 1).fold(0_u128, |sum, i| sum ^ u128::from(x) << i).to_le_bytes();
        product.iter().map(|&byte| self.values.constant(byte)).collect()
    }

    fn add_all(&mut self, words: &[&[V::Byte]]) -> Vec<V::Byte> {
        let first = words[0].to_vec();
        words[1..].iter().fold(first, |sum, word| self.lane(Op::Add, &sum, word))
    }

    /// An exclusive or of rotations to the right, and with `shift` of a shift.
    fn sigma(&mut self, x: &[V::Byte], rotations: &[u32], shift: Option<u32>) -> Vec<V::Byte> {
        let zero = self.constant(0, 4);
        let mut moved: Vec<_> = rotations.iter().map(|&by| self.shifted(Shift::RotateRight, x, by)).collect();
        moved.extend(shift.map(|by| self.shifted(Shift::Right, x, by)));
        moved.iter().fold(zero, |sum, term| self.lane(Op::Xor, &sum, term))
    }

    /// Two rounds of SHA-256: from C, D, G, H in the destination, A, B, E, F in the second operand.
    fn sha256_rounds(&mut self, i: &Instruction) {
        let split =
            |bytes: Vec<V::Byte>| -> Vec<Vec<V::Byte>> { bytes.chunks(4).map(<[_]>::to_vec).collect() };
        let [cdgh, abef] = [0, 1].map(|operand| split(self.operand(i, operand, 16)));
        let wk = split(self.register(Register::XMM0));
        let [mut a, mut b, mut e, mut f] = ABEF.map(|at| abef[at].clone());
        let [mut c, mut d, mut g, mut h] = ABEF.map(|at| cdgh[at].clone());
        for wk in &wk[..2] {
            let different = self.lane(Op::Xor, &f, &g);
            let chosen = self.lane(Op::And, &e, &different);
            let choice = self.lane(Op::Xor, &chosen, &g);
            let big1 = self.sigma(&e, &[6, 11, 25], None);
            let t1 = self.add_all(&[&h, &big1, &choice, wk]);
            let (ab, bc) = (self.lane(Op::Xor, &a, &b), self.lane(Op::Xor, &b, &c));
            let both = self.lane(Op::And, &ab, &bc);
            let majority = self.lane(Op::Xor, &both, &b);
            let big0 = self.sigma(&a, &[2, 13, 22], None);
            let (next_e, next_a) = (self.add_all(&[&d, &t1]), self.add_all(&[&t1, &big0, &majority]));
            (h, g, f, e, d, c, b, a) = (g, f, e, next_e, c, b, a, next_a);
        }
        self.result(i, [f, e, b, a].concat());
    }

    fn sha256_schedule(&mut self, i: &Instruction) {
        let [a, b] = [0, 1].map(|operand| self.operand(i, operand, 16));
        let mut w: Vec<Vec<V::Byte>> = [a, b].concat().chunks(4).map(<[_]>::to_vec).collect();
        if operation(i) == "sha256msg1" {
            for at in 0..4 {
                let sigma0 = self.sigma(&w[at + 1].clone(), &[7, 18], Some(3));
                w[at] = self.lane(Op::Add, &w[at].clone(), &sigma0);
            }
        } else {
            // The first two need W14 and W15, the others what was just computed.
            for at in 0..4 {
                let before = if at < 2 { w[at + 6].clone() } else { w[at - 2].clone() };
                let sigma1 = self.sigma(&before, &[17, 19], Some(10));
                w[at] = self.lane(Op::Add, &w[at].clone(), &sigma1);
            }
        }
        self.result(i, w[..4].concat());
    }

    /// Executes an instruction, if it is one of these.
    #[allow(clippy::too_many_lines, reason = "one line for an instruction")]
    pub(crate) fn step_vector(&mut self, i: &Instruction) -> bool {
        let len = self.operand_len(i, 0);
        let operation = &*operation(i);
        match operation {
            "movdqa" | "movdqu" | "movaps" | "movups" | "movdqa32" | "movdqa64" | "movdqu8" | "movdqu32"
            | "movdqu64" => {
                let bytes = self.moved(i, len);
                self.result(i, bytes);
            }
            "movd" | "movq" | "movss" | "movsd" => {
                let word = if matches!(operation, "movd" | "movss") { 4 } else { 8 };
                // From register to register, these keep what is above.
                let keeps = i.op_kind(0) == i.op_kind(1) && matches!(operation, "movss" | "movsd");
                assert!(!keeps || is_sse(i), "{}", text(i));
                let mut bytes = self.operand(i, 1, word);
                if !keeps && i.op_kind(0) == OpKind::Register && i.op_register(0).is_vector_register() {
                    let zero = self.zero();
                    bytes.resize(16, zero);
                }
                self.result(i, bytes);
            }
            "pinsrd" | "pinsrq" => {
                let word = i.memory_size().size();
                let first = u32::from(!is_sse(i));
                let (mut bytes, new) = (self.operand(i, first, 16), self.operand(i, first + 1, word));
                let at = self.immediate(i) * word % 16;
                bytes[at..at + word].copy_from_slice(&new);
                self.result(i, bytes);
            }
            "pextrd" | "pextrq" => {
                let word = i.memory_size().size();
                let (bytes, at) = (self.operand(i, 1, 16), self.immediate(i) * word % 16);
                let mut bytes = bytes[at..at + word].to_vec();
                let zero = self.zero();
                bytes.resize(len, zero);
                self.set_operand(i, 0, &bytes);
            }
            "pxor" | "pxord" | "pxorq" | "xorps" | "xorpd" => self.lanes(i, len, 8, Op::Xor),
            "por" | "pord" | "porq" | "orps" => self.lanes(i, len, 8, Op::Or),
            "pand" | "pandd" | "pandq" | "andps" => self.lanes(i, len, 8, Op::And),
            "pternlogd" | "pternlogq" => self.ternary(i, len),
            "paddd" => self.lanes(i, len, 4, Op::Add),
            "paddq" => self.lanes(i, len, 8, Op::Add),
            "pslld" => self.shifts(i, len, 4, Shift::Left, self.immediate(i)),
            "psrld" => self.shifts(i, len, 4, Shift::Right, self.immediate(i)),
            "psllq" => self.shifts(i, len, 8, Shift::Left, self.immediate(i)),
            "psrlq" => self.shifts(i, len, 8, Shift::Right, self.immediate(i)),
            "prord" => self.shifts(i, len, 4, Shift::RotateRight, self.immediate(i) % 32),
            "prorq" => self.shifts(i, len, 8, Shift::RotateRight, self.immediate(i) % 64),
            "prolq" => self.shifts(i, len, 8, Shift::RotateRight, (64 - self.immediate(i) % 64) % 64),
            "prold" => self.shifts(i, len, 4, Shift::RotateRight, (32 - self.immediate(i) % 32) % 32),
            "pslldq" => self.shifts_bytes(i, len, Shift::Left),
            "psrldq" => self.shifts_bytes(i, len, Shift::Right),
            "pshufb" => {
                let [a, order] = self.sources(i, len);
                let order = self.known_bytes(&order);
                self.moves(i, &[a], len, |at| (order[at] < 0x80).then_some(at / 16 * 16 + order[at] % 16));
            }
            "pshufd" => self.shuffle(i, len, 1, |order, at| {
                Some(at / 16 * 16 + 4 * (order >> (2 * (at / 4 % 4)) & 3) + at % 4)
            }),
            "pshuflw" | "pshufhw" => self.shuffle(i, len, 1, |order, at| {
                let half = if operation == "pshuflw" { 0 } else { 8 };
                let word = order >> (2 * (at % 8 / 2)) & 3;
                Some(if at % 16 / 8 * 8 == half { at / 8 * 8 + 2 * word + at % 2 } else { at })
            }),
            "shufps" => self.shuffle(i, len, 2, |order, at| {
                let (lane, word) = (at / 16 * 16, at / 4 % 4);
                Some(word / 2 * len + lane + 4 * (order >> (2 * word) & 3) + at % 4)
            }),
            "shufpd" => self.shuffle(i, len, 2, |order, at| {
                let (lane, half) = (at / 16 * 16, at / 8 % 2);
                Some(half * len + lane + 8 * (order >> (at / 8) & 1) + at % 8)
            }),
            "palignr" => {
                let ([a, b], by) = (self.sources(i, len), self.immediate(i));
                // The second source is the lower one.
                self.moves(i, &[b, a], len, |at| {
                    let (lane, from) = (at / 16 * 16, at % 16 + by);
                    (from < 32).then_some(from / 16 * len + lane + from % 16)
                });
            }
            "packuswb" => {
                let sources = self.sources(i, len);
                assert!(i.op_mask() == Register::None, "a mask of other elements than those in memory");
                let small = |byte: &V::Byte| self.values.known(*byte) == Some(0);
                assert!(sources.concat().iter().skip(1).step_by(2).all(small), "saturation of terms");
                self.moves(i, &sources, len, |at| Some(at % 16 / 8 * len + at / 16 * 16 + at % 8 * 2));
            }
            "punpcklbw" => self.unpack(i, len, 1, 0),
            "punpckhbw" => self.unpack(i, len, 1, 8),
            "punpckldq" | "unpcklps" => self.unpack(i, len, 4, 0),
            "punpckhdq" | "unpckhps" => self.unpack(i, len, 4, 8),
            "punpcklqdq" | "unpcklpd" | "movlhps" => self.unpack(i, len, 8, 0),
            "punpckhqdq" | "unpckhpd" => self.unpack(i, len, 8, 8),
            "pbroadcastb" | "pbroadcastd" | "pbroadcastq" | "broadcastss" | "broadcastsd"
            | "broadcasti128" | "broadcastf128" | "broadcasti32x4" | "broadcastf32x4" => {
                let part = match operation {
                    "pbroadcastb" => 1,
                    "pbroadcastd" | "broadcastss" => 4,
                    "pbroadcastq" | "broadcastsd" => 8,
                    _ => 16,
                };
                let bytes = self.operand(i, 1, part).repeat(len / part);
                self.result(i, bytes);
            }
            "perm2i128" | "perm2f128" => self.shuffle(i, len, 2, |order, at| {
                let select = order >> (4 * (at / 16));
                (select & 8 == 0).then_some(16 * (select & 3) + at % 16)
            }),
            "shufi32x4" | "shufi64x2" | "shuff64x2" | "shuff32x4" => self.shuffle(i, len, 2, |order, at| {
                let (lane, lanes) = (at / 16, len / 16);
                let from = order >> (lanes.ilog2() as usize * lane) & (lanes - 1);
                Some(lane / (lanes / 2) * len + 16 * from + at % 16)
            }),
            "permq" | "permd" if i.op_kind(2) != OpKind::Immediate8 => {
                let (order, a, element) = (self.operand(i, 1, len), self.operand(i, 2, len), element_len(i));
                let order = self.known_bytes(&order);
                self.moves(i, &[a], len, |at| {
                    Some((order[at / element * element] * element + at % element) % len)
                });
            }
            "permq" => self.shuffle(i, len, 1, |order, at| {
                Some(at / 32 * 32 + 8 * (order >> (2 * (at / 8 % 4)) & 3) + at % 8)
            }),
            "permt2d" | "permt2q" | "permi2d" | "permi2q" => {
                let element = element_len(i);
                let [first, second, third] = [0, 1, 2].map(|operand| self.operand(i, operand, len));
                let by_first = matches!(operation, "permi2d" | "permi2q");
                let (order, a) = if by_first { (first, second) } else { (second, first) };
                let order = self.known_bytes(&order);
                self.moves(i, &[a, third], len, |at| {
                    Some((order[at / element * element] * element + at % element) % (2 * len))
                });
            }
            "inserti128" | "insertf128" | "inserti32x4" | "inserti64x4" => {
                let part = self.operand_len(i, 2);
                let (mut bytes, new) = (self.operand(i, 1, len), self.operand(i, 2, part));
                let at = self.immediate(i) * part % len;
                bytes[at..at + part].copy_from_slice(&new);
                self.result(i, bytes);
            }
            "extracti128" | "extractf128" | "extracti32x4" | "extracti64x4" => {
                let bytes = self.register(i.op_register(1));
                let at = self.immediate(i) * len % bytes.len();
                self.result(i, bytes[at..at + len].to_vec());
            }
            "aesenc" => self.aes_round(i, len, false),
            "aesenclast" => self.aes_round(i, len, true),
            "pexpandd" | "pexpandq" => {
                assert!(i.op_kind(1) == OpKind::Register && i.op_mask() != Register::None, "{}", text(i));
                // The selected elements, from the lowest on.
                let (a, mask, element) = (self.operand(i, 1, len), self.mask(i.op_mask()), element_len(i));
                self.moves(i, &[a], len, |at| {
                    let before = mask & ((1 << (at / element)) - 1);
                    Some(before.count_ones() as usize * element + at % element)
                });
            }
            "pclmulqdq" => {
                let ([a, b], halves) = (self.sources(i, len), self.immediate(i));
                let [a_half, b_half] = [halves & 1, halves >> 4 & 1].map(|half| 8 * half..8 * half + 8);
                let lanes = a.chunks(16).zip(b.chunks(16));
                let product = lanes.flat_map(|(a, b)| self.product(&a[a_half.clone()], &b[b_half.clone()]));
                let product = product.collect();
                self.result(i, product);
            }
            "sha256rnds2" => self.sha256_rounds(i),
            "sha256msg1" | "sha256msg2" => self.sha256_schedule(i),
            "kmovd" | "kmovq" => {
                let bits = if operation == "kmovd" { 32 } else { 64 };
                let value = match i.op_kind(1) {
                    OpKind::Register if i.op_register(1).is_k() => self.mask(i.op_register(1)),
                    OpKind::Register => self.get(i.op_register(1)),
                    _ => {
                        let bytes = self.load(self.address(i), bits / 8);
                        self.value(&bytes).expect("a mask that is known")
                    }
                } & (u64::MAX >> (64 - bits));
                match i.op_register(0) {
                    register if register.is_k() => self.masks[register.number()] = Some(value),
                    register => self.set(register, value),
                }
            }
            _ => return false,
        }
        true
    }

    fn shifts_bytes(&mut self, i: &Instruction, len: usize, shift: Shift) {
        let (a, by, zero) = (self.operand(i, u32::from(!is_sse(i)), len), self.immediate(i), self.zero());
        let bytes = a.chunks(16).flat_map(|lane| crate::values::moved(shift, lane, by, zero)).collect();
        self.result(i, bytes);
    }

    /// Takes elements of the lower or the upper half of each lane in turns.
    fn unpack(&mut self, i: &Instruction, len: usize, element: usize, half: usize) {
        let sources = self.sources(i, len);
        self.moves(i, &sources, len, |at| {
            let (lane, place) = (at / 16 * 16, at % 16 / element);
            Some(place % 2 * len + lane + half + place / 2 * element + at % element)
        });
    }
}

/// Whether it has the encoding of SSE, with two operands.
fn is_sse(i: &Instruction) -> bool {
    i.encoding() == iced_x86::EncodingKind::Legacy
}
