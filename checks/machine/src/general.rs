//! Instructions on general registers, and jumps.

use crate::machine::{Flags, Machine};
use crate::values::{Op, Shift, Values};
use iced_x86::{ConditionCode, Instruction, Mnemonic, OpKind, Register, RflagsBits};
use std::slice::from_ref;

/// Returns the lower bytes of a number.
fn cut(value: u64, len: usize) -> u64 {
    value & (u64::MAX >> (64 - 8 * len))
}

fn sign(value: u64, len: usize) -> bool {
    value >> (8 * len - 1) & 1 == 1
}

impl<V: Values> Machine<'_, V> {
    /// Computes a lane, of known bytes or of terms.
    pub(crate) fn lane(&mut self, op: Op, a: &[V::Byte], b: &[V::Byte]) -> Vec<V::Byte> {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => {
                let z = match op {
                    Op::Add => x.wrapping_add(y),
                    Op::Sub => x.wrapping_sub(y),
                    Op::And => x & y,
                    Op::Or => x | y,
                    Op::Xor => x ^ y,
                };
                self.constant(z, a.len())
            }
            _ => self.values.binary(op, a, b),
        }
    }

    pub(crate) fn shifted(&mut self, shift: Shift, a: &[V::Byte], by: u32) -> Vec<V::Byte> {
        let bits = 8 * a.len() as u32;
        match self.value(a) {
            _ if by == 0 => a.to_vec(),
            _ if by >= bits && shift == Shift::Arithmetic => self.shifted(shift, a, bits - 1),
            _ if by >= bits && shift != Shift::RotateRight => self.constant(0, a.len()),
            Some(x) => {
                let z = match shift {
                    Shift::Left => x << by,
                    Shift::Right => x >> by,
                    Shift::RotateRight => x >> by | x << (bits - by),
                    Shift::Arithmetic => ((x << (64 - bits)) as i64 >> (64 - bits) >> by) as u64,
                };
                self.constant(z, a.len())
            }
            None => self.values.shift(shift, a, by),
        }
    }

    /// Sets the flags after a bitwise operation or a shift.
    fn flags_of(&mut self, result: &[V::Byte]) {
        self.flags = self.value(result).map(|value| Flags {
            carry: Some(false),
            zero: value == 0,
            sign: sign(value, result.len()),
            overflow: false,
        });
    }

    /// Adds or subtracts with a carry, and sets the flags.
    fn sum(&mut self, op: Op, a: &[V::Byte], b: &[V::Byte], carry: V::Byte) -> Vec<V::Byte> {
        let len = a.len();
        let (Some(x), Some(y), Some(carry)) = (self.value(a), self.value(b), self.values.known(carry)) else {
            self.flags = None;
            if let Some((sum, carry)) = self.values.sum(op, a, b, carry) {
                self.carry = Some(carry);
                return sum;
            }
            assert!(self.values.known(carry) == Some(0), "a carry into a sum of terms");
            return self.lane(op, a, b);
        };
        let (x, y) = (cut(x, len), cut(y, len));
        let wide = match op {
            Op::Add => u128::from(x) + u128::from(y) + u128::from(carry),
            _ => u128::from(x).wrapping_sub(u128::from(y)).wrapping_sub(u128::from(carry)),
        };
        let z = cut(wide as u64, len);
        let [sx, sy, sz] = [x, y, z].map(|value| sign(value, len));
        let overflow = sx != sz && if matches!(op, Op::Add) { sx == sy } else { sx != sy };
        let carry = Some(wide >> (8 * len) & 1 == 1);
        self.flags = Some(Flags { carry, zero: z == 0, sign: sz, overflow });
        self.constant(z, len)
    }

    fn condition(&self, code: ConditionCode) -> bool {
        let f = self.flags.unwrap_or_else(|| panic!("{:#x}: a branch that depends on terms", self.ip));
        match code {
            ConditionCode::o => f.overflow,
            ConditionCode::no => !f.overflow,
            ConditionCode::b => self.carry(),
            ConditionCode::ae => !self.carry(),
            ConditionCode::e => f.zero,
            ConditionCode::ne => !f.zero,
            ConditionCode::be => self.carry() || f.zero,
            ConditionCode::a => !self.carry() && !f.zero,
            ConditionCode::s => f.sign,
            ConditionCode::ns => !f.sign,
            ConditionCode::l => f.sign != f.overflow,
            ConditionCode::ge => f.sign == f.overflow,
            ConditionCode::le => f.zero || f.sign != f.overflow,
            ConditionCode::g => !f.zero && f.sign == f.overflow,
            code => panic!("{code:?}"),
        }
    }

    fn number(&mut self, i: &Instruction, operand: u32, len: usize) -> u64 {
        let bytes = self.operand(i, operand, len);
        self.value(&bytes).unwrap_or_else(|| panic!("{:#x}: a number that depends on terms", self.ip))
    }

    fn carry(&self) -> bool {
        let carry = self.flags.and_then(|flags| flags.carry);
        carry.unwrap_or_else(|| panic!("{:#x}: a carry that depends on terms", self.ip))
    }

    fn target(&mut self, i: &Instruction) -> u64 {
        match i.op_kind(0) {
            OpKind::NearBranch64 => i.near_branch64(),
            _ => self.number(i, 0, 8),
        }
    }

    /// Executes an instruction, if it is one of these.
    #[allow(clippy::too_many_lines, reason = "one line for an instruction")]
    pub(crate) fn step_general(&mut self, i: &Instruction) -> bool {
        use Mnemonic as M;
        let mnemonic = i.mnemonic();
        let is_move = matches!(mnemonic, M::Mov | M::Movzx);
        let is_jump = matches!(mnemonic, M::Jmp | M::Call | M::Ret) || i.is_jcc_short_or_near();
        let is_vector = (0..i.op_count()).any(|operand| {
            i.op_kind(operand) == OpKind::Register
                && (i.op_register(operand).is_vector_register() || i.op_register(operand).is_k())
        });
        if is_vector {
            return false;
        }
        let len = if i.op_count() > 0 && !is_jump { self.operand_len(i, 0) } else { 8 };
        if i.is_jcc_short_or_near() {
            if self.condition(i.condition_code()) {
                self.ip = i.near_branch64();
            }
            return true;
        }
        if is_move {
            let from = self.operand_len(i, 1).min(len);
            let (mut bytes, zero) = (self.operand(i, 1, from), self.values.constant(0));
            bytes.resize(len, zero);
            self.set_operand(i, 0, &bytes);
            return true;
        }
        if let (Some(carry), M::Setb | M::Setae) = (self.carry, mnemonic) {
            let [zero, one] = [0, 1].map(|x| self.values.constant(x));
            let not = self.values.sum(Op::Sub, &[one], &[carry], zero).expect("a sum").0;
            self.set_operand(i, 0, if mnemonic == M::Setb { from_ref(&carry) } else { &not });
            return true;
        }
        if i.condition_code() != ConditionCode::None {
            let holds = self.condition(i.condition_code());
            // CMOVcc has two operands, SETcc one.
            if i.op_count() == 2 {
                let chosen = self.operand(i, u32::from(holds), len);
                self.set_operand(i, 0, &chosen);
            } else {
                let byte = self.constant(holds.into(), 1);
                self.set_operand(i, 0, &byte);
            }
            return true;
        }
        let zero = self.values.constant(0);
        let carry = self.carry;
        if i.rflags_modified() & RflagsBits::CF != 0 {
            self.carry = None;
        }
        match mnemonic {
            M::Nop | M::Endbr64 => {}
            M::Vzeroupper => {
                for number in 0..16 {
                    let low = self.register(Register::XMM0 + number);
                    self.set_register(Register::XMM0 + number, &low);
                }
            }
            M::Lea => {
                let parts = [i.memory_base(), i.memory_index()].map(|register| match register {
                    Register::None | Register::RIP => self.constant(0, 8),
                    register => self.register(register),
                });
                let bytes = if parts.iter().all(|part| self.value(part).is_some()) {
                    let address = self.address(i);
                    self.constant(address, len)
                } else {
                    // A sum, which a compiler computes as an address.
                    let displacement = self.constant(i.memory_displacement64(), len);
                    let index = self.shifted(Shift::Left, &parts[1][..len], i.memory_index_scale().ilog2());
                    let sum = self.lane(Op::Add, &parts[0][..len], &index);
                    self.lane(Op::Add, &sum, &displacement)
                };
                self.set_operand(i, 0, &bytes);
            }
            M::Push => {
                let bytes = self.operand(i, 0, 8);
                let at = self.get(Register::RSP) - 8;
                self.set(Register::RSP, at);
                self.memory.write(at, &bytes);
            }
            M::Pop => {
                let at = self.get(Register::RSP);
                let bytes = self.load(at, 8);
                self.set_operand(i, 0, &bytes);
                self.set(Register::RSP, at + 8);
            }
            M::Xchg => {
                let [a, b] = [0, 1].map(|operand| self.operand(i, operand, len));
                self.set_operand(i, 0, &b);
                self.set_operand(i, 1, &a);
            }
            M::Jmp => self.ip = self.target(i),
            M::Call => {
                let target = self.target(i);
                self.push(self.ip);
                self.ip = target;
            }
            M::Ret => {
                let at = self.get(Register::RSP);
                let bytes = self.load(at, 8);
                self.ip = self.value(&bytes).expect("an address");
                self.set(Register::RSP, at + 8);
            }
            M::Add | M::Sub | M::Adc | M::Sbb | M::Cmp => {
                let (a, b) = (self.operand(i, 0, len), self.operand(i, 1, len));
                let carry = match carry {
                    _ if !matches!(mnemonic, M::Adc | M::Sbb) => zero,
                    Some(carry) => carry,
                    None => {
                        let carry = self.carry();
                        self.values.constant(carry.into())
                    }
                };
                let op = if matches!(mnemonic, M::Add | M::Adc) { Op::Add } else { Op::Sub };
                let sum = self.sum(op, &a, &b, carry);
                if mnemonic != M::Cmp {
                    self.set_operand(i, 0, &sum);
                }
            }
            M::Inc | M::Dec | M::Neg => {
                let (a, one, zeros) = (self.operand(i, 0, len), self.constant(1, len), self.constant(0, len));
                let before = self.flags;
                let sum = match mnemonic {
                    M::Inc => self.sum(Op::Add, &a, &one, zero),
                    M::Dec => self.sum(Op::Sub, &a, &one, zero),
                    _ => self.sum(Op::Sub, &zeros, &a, zero),
                };
                if mnemonic != M::Neg {
                    self.carry = carry;
                }
                if let (Some(flags), true) = (&mut self.flags, mnemonic != M::Neg) {
                    flags.carry = before.and_then(|before| before.carry);
                }
                self.set_operand(i, 0, &sum);
            }
            M::Mul | M::Mulx => {
                let (last, by) =
                    (i.op_count() - 1, if mnemonic == M::Mul { Register::RAX } else { Register::RDX });
                let (a, b) = (self.operand(i, last, 8), self.register(by));
                let product = self.values.multiply(&a, &b);
                self.flags = if mnemonic == M::Mul { None } else { self.flags };
                let (low, high) = match mnemonic {
                    M::Mul => (Register::RAX, Register::RDX),
                    _ => (i.op_register(1), i.op_register(0)),
                };
                self.set_register(low, &product[..8]);
                self.set_register(high, &product[8..]);
            }
            M::Imul if i.op_count() > 1 && len == 8 => {
                let (a, b) = (self.operand(i, i.op_count() - 2, 8), self.operand(i, i.op_count() - 1, 8));
                let product = match (self.value(&a), self.value(&b)) {
                    (Some(a), Some(b)) => self.constant(a.wrapping_mul(b), 8),
                    _ => self.values.multiply(&a, &b)[..8].to_vec(),
                };
                self.flags = None;
                self.set_operand(i, 0, &product);
            }
            M::And | M::Or | M::Xor | M::Test => {
                let (a, b) = (self.operand(i, 0, len), self.operand(i, 1, len));
                let op = match mnemonic {
                    M::Or => Op::Or,
                    M::Xor => Op::Xor,
                    _ => Op::And,
                };
                let result = self.lane(op, &a, &b);
                self.flags_of(&result);
                if mnemonic != M::Test {
                    self.set_operand(i, 0, &result);
                }
            }
            M::Not => {
                let (a, ones) = (self.operand(i, 0, len), self.constant(u64::MAX, len));
                let result = self.lane(Op::Xor, &a, &ones);
                self.set_operand(i, 0, &result);
            }
            M::Andn => {
                let (a, b) = (self.operand(i, 1, len), self.operand(i, 2, len));
                let ones = self.constant(u64::MAX, len);
                let not = self.lane(Op::Xor, &a, &ones);
                let result = self.lane(Op::And, &not, &b);
                self.flags_of(&result);
                self.set_operand(i, 0, &result);
            }
            M::Shl | M::Shr | M::Sar | M::Ror | M::Rol | M::Shlx | M::Shrx | M::Sarx | M::Rorx => {
                let apart = u32::from(matches!(mnemonic, M::Shlx | M::Shrx | M::Sarx | M::Rorx));
                let bits = 8 * len as u32;
                let count = self.number(i, apart + 1, 1) as u32 & if len == 8 { 63 } else { 31 };
                let a = self.operand(i, apart, len);
                let result = match mnemonic {
                    M::Shl | M::Shlx => self.shifted(Shift::Left, &a, count),
                    M::Shr | M::Shrx => self.shifted(Shift::Right, &a, count),
                    M::Sar | M::Sarx => self.shifted(Shift::Arithmetic, &a, count),
                    M::Rol => self.shifted(Shift::RotateRight, &a, (bits - count % bits) % bits),
                    _ => self.shifted(Shift::RotateRight, &a, count % bits),
                };
                let known = self.value(&a);
                if matches!(mnemonic, M::Rol | M::Ror) {
                    // A rotation changes the carry and the overflow, and no other flag.
                    self.flags = None;
                } else if apart == 0 && count > 0 {
                    self.flags_of(&result);
                    match (&mut self.flags, known) {
                        (Some(flags), Some(x)) => {
                            let last = match mnemonic {
                                M::Shl => bits.checked_sub(count),
                                M::Sar => Some(count.min(bits) - 1),
                                _ => Some(count - 1),
                            };
                            flags.carry = Some(last.is_some_and(|bit| x >> bit & 1 == 1));
                            flags.overflow = flags.sign != sign(x, len);
                        }
                        // The carry is a bit of what is not known, though the result may be.
                        _ => self.flags = None,
                    }
                }
                self.set_operand(i, 0, &result);
            }
            M::Shrd | M::Shld => {
                let (a, b) = (self.operand(i, 0, len), self.operand(i, 1, len));
                let (count, bits) = (self.number(i, 2, 1) as u32 % (8 * len as u32), 8 * len as u32);
                let (shift, back) = match mnemonic {
                    M::Shrd => (Shift::Right, Shift::Left),
                    _ => (Shift::Left, Shift::Right),
                };
                let (kept, entered) = (self.shifted(shift, &a, count), self.shifted(back, &b, bits - count));
                // They have no bit in common.
                let result = self.lane(Op::Xor, &kept, &entered);
                self.flags = None;
                self.set_operand(i, 0, &result);
            }
            M::Bswap => {
                let mut bytes = self.operand(i, 0, len);
                bytes.reverse();
                self.set_operand(i, 0, &bytes);
            }
            M::Bzhi => {
                let (a, bits) = (self.operand(i, 1, len), self.number(i, 2, 1));
                let mask = if bits >= 8 * len as u64 { u64::MAX } else { (1 << bits) - 1 };
                let mask = self.constant(mask, len);
                let result = self.lane(Op::And, &a, &mask);
                self.flags = None;
                self.set_operand(i, 0, &result);
            }
            _ => return false,
        }
        true
    }
}
