//! Registers, operands, and the run from an entry to its return.

use crate::memory::Memory;
use crate::values::Values;
use iced_x86::{Decoder, DecoderOptions, FastFormatter, Instruction, Mnemonic, OpKind, Register};
use std::collections::{BTreeMap, HashMap};

/// Executes code over terms.
pub struct Machine<'a, V: Values> {
    pub(crate) values: &'a mut V,
    pub(crate) memory: Memory<V::Byte>,
    /// Eight bytes each.
    general: [Vec<V::Byte>; 16],
    /// 64 bytes each.
    vectors: Vec<Vec<V::Byte>>,
    /// `None` before they are set.
    pub(crate) masks: [Option<u64>; 8],
    /// `None` after an instruction whose flags depend on terms or are of no use here.
    pub(crate) flags: Option<Flags>,
    /// The carry, where it is a term.
    pub(crate) carry: Option<V::Byte>,
    pub(crate) ip: u64,
    /// Changed bytes of instructions.
    changed: HashMap<u64, u8>,
    /// The instructions that were executed, by their addresses.
    executed: BTreeMap<u64, Code>,
}

/// An instruction, its bytes, and the place of its immediate byte.
struct Code {
    instruction: Instruction,
    bytes: Vec<u8>,
    immediate: Option<usize>,
}

/// A change of one byte of the code.
#[derive(Clone, Debug)]
pub struct Spoil {
    at: u64,
    byte: u8,
    /// The instruction as it was.
    pub instruction: String,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags {
    /// `None` after INC or DEC, which leave it, where it was not known.
    pub(crate) carry: Option<bool>,
    pub(crate) zero: bool,
    pub(crate) sign: bool,
    pub(crate) overflow: bool,
}

/// Where the entry returns to.
const RETURN: u64 = 0x7fff_fffe_0000_0000;
/// The number of the first input that is a byte of a register, before those of the stack.
const UNKNOWN: u32 = 1 << 31;
/// The registers of the first arguments, of System V's ABI.
const ARGUMENTS: [Register; 6] =
    [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9];

impl<'a, V: Values> Machine<'a, V> {
    /// Returns a machine whose registers are unknown, but for the top of the stack.
    pub fn new(values: &'a mut V) -> Self {
        let mut inputs = UNKNOWN..;
        let mut unknown = |len| inputs.by_ref().take(len).map(|number| values.input(number)).collect();
        let mut machine = Self {
            general: std::array::from_fn(|_| unknown(8)),
            vectors: (0..32).map(|_| unknown(64)).collect(),
            values,
            memory: Memory::new(),
            masks: [None; 8],
            flags: None,
            carry: None,
            ip: 0,
            changed: HashMap::new(),
            executed: BTreeMap::new(),
        };
        let top = machine.memory.stack_top();
        machine.set(Register::RSP, top);
        machine
    }

    /// Lays bytes over a part of memory.
    pub fn lay(&mut self, place: &[u8], bytes: &[V::Byte]) {
        assert!(place.len() == bytes.len());
        self.memory.write(place.as_ptr() as u64, bytes);
    }

    /// Returns the bytes of a part of memory.
    pub fn bytes(&mut self, place: &[u8]) -> Vec<V::Byte> {
        self.load(place.as_ptr() as u64, place.len())
    }

    /// Returns what it computes with.
    pub fn values(&mut self) -> &mut V {
        self.values
    }

    /// Changes a byte of the code.
    pub fn spoil(&mut self, spoil: &Spoil) {
        self.changed.insert(spoil.at, spoil.byte);
    }

    /// Executes a function up to its return.
    pub fn call(&mut self, entry: u64, arguments: &[u64]) {
        for (&register, &argument) in ARGUMENTS.iter().zip(arguments) {
            self.set(register, argument);
        }
        self.push(RETURN);
        self.ip = entry;
        let mut steps = 0;
        while self.ip != RETURN {
            steps += 1;
            assert!(steps < 1 << 22, "no end");
            let at = self.ip;
            let instruction = self.fetch(at);
            self.ip = instruction.next_ip();
            if !self.step_general(&instruction) && !self.step_vector(&instruction) {
                panic!("{at:#x}: {} is not known", text(&instruction));
            }
        }
    }

    fn fetch(&mut self, at: u64) -> Instruction {
        if let Some(code) = self.executed.get(&at) {
            return code.instruction;
        }
        let bytes: Vec<u8> = (at..at + 15)
            .map(|at| match self.changed.get(&at) {
                Some(&byte) => byte,
                None => self.memory.process(at),
            })
            .collect();
        let mut decoder = Decoder::with_ip(64, &bytes, at, DecoderOptions::NONE);
        let instruction = decoder.decode();
        let immediate = decoder.get_constant_offsets(&instruction);
        let immediate = (immediate.immediate_size() == 1).then(|| immediate.immediate_offset());
        let bytes = bytes[..instruction.len()].to_vec();
        self.executed.insert(at, Code { instruction, bytes, immediate });
        instruction
    }

    /// Returns changes of one instruction each, in a list for each kind of operation that was executed:
    /// another immediate byte or another operation, as [`change`] says.
    pub fn spoils(&self) -> Vec<Vec<Spoil>> {
        let mut kinds: BTreeMap<Mnemonic, Vec<Spoil>> = BTreeMap::new();
        for (&at, code) in &self.executed {
            let Code { instruction, bytes, immediate } = code;
            let changes = if is_long(instruction) && V::OF_64_BITS { change_of_64 } else { change };
            for &bits in changes(instruction) {
                // No prefix of these instructions is equal to one of their opcodes.
                let opcodes: &[u8] = if is_long(instruction) {
                    &[0x01, 0x03, 0x11, 0x13, 0x89, 0x8b]
                } else {
                    &[0xef, 0xfe, 0xdc, 0xdd, 0xd4]
                };
                let opcode = bytes.iter().position(|byte| opcodes.contains(byte));
                let Some(place) = immediate.or(opcode) else { continue };
                let (at, byte) = (at + place as u64, bytes[place] ^ bits);
                let spoil = Spoil { at, byte, instruction: text(instruction) };
                kinds.entry(instruction.mnemonic()).or_default().push(spoil);
            }
        }
        // What an instruction in the middle computes is most likely of use.
        for spoils in kinds.values_mut() {
            let middle = spoils.len() / 2;
            spoils.rotate_left(middle);
        }
        kinds.into_values().collect()
    }

    /// Returns how many different instructions were executed.
    pub fn executed(&self) -> usize {
        self.executed.len()
    }

    pub(crate) fn value(&self, bytes: &[V::Byte]) -> Option<u64> {
        let mut known = bytes.iter().rev().map(|&byte| self.values.known(byte));
        known.try_fold(0, |value, byte| Some(value << 8 | u64::from(byte?)))
    }

    pub(crate) fn constant(&mut self, value: u64, len: usize) -> Vec<V::Byte> {
        value.to_le_bytes()[..len].iter().map(|&byte| self.values.constant(byte)).collect()
    }

    pub(crate) fn load(&mut self, at: u64, len: usize) -> Vec<V::Byte> {
        let byte = |at| match (self.memory.over(at), Memory::<V::Byte>::of_stack(at)) {
            (Some(byte), _) => byte,
            // What was not written is unknown, and may be copied.
            (None, Some(number)) => self.values.input(number),
            (None, None) => {
                let byte = self.memory.process(at);
                self.values.constant(byte)
            }
        };
        (at..).take(len).map(byte).collect()
    }

    pub(crate) fn push(&mut self, value: u64) {
        let at = self.get(Register::RSP) - 8;
        self.set(Register::RSP, at);
        let bytes = self.constant(value, 8);
        self.memory.write(at, &bytes);
    }

    /// Returns the number in a general register, which must be known.
    pub(crate) fn get(&self, register: Register) -> u64 {
        let bytes = self.register(register);
        self.value(&bytes).unwrap_or_else(|| {
            panic!("{:#x}: an address, a length or a branch that depends on terms", self.ip)
        })
    }

    pub(crate) fn set(&mut self, register: Register, value: u64) {
        let bytes = self.constant(value, register.size());
        self.set_register(register, &bytes);
    }

    pub(crate) fn register(&self, register: Register) -> Vec<V::Byte> {
        let (full, number) = (register.full_register(), register.number());
        let high = [Register::AH, Register::BH, Register::CH, Register::DH].contains(&register);
        if register.is_vector_register() {
            self.vectors[number][..register.size()].to_vec()
        } else if high {
            self.general[full.number()][1..2].to_vec()
        } else {
            assert!(register.is_gpr(), "{register:?}");
            self.general[full.number()][..register.size()].to_vec()
        }
    }

    /// Sets a register. Of a vector, the bytes after `bytes` become zero; of a general register, as the CPU
    /// does it.
    pub(crate) fn set_register(&mut self, register: Register, bytes: &[V::Byte]) {
        let zero = self.values.constant(0);
        let full = register.full_register().number();
        if register.is_vector_register() {
            self.vectors[full] = bytes.to_vec();
            self.vectors[full].resize(64, zero);
        } else {
            assert!(register.is_gpr() && bytes.len() == register.size(), "{register:?}");
            let high = [Register::AH, Register::BH, Register::CH, Register::DH].contains(&register);
            if bytes.len() == 4 {
                self.general[full].fill(zero);
            }
            self.general[full][usize::from(high)..][..bytes.len()].copy_from_slice(bytes);
        }
    }

    /// Returns the upper part of a vector register, which instructions of SSE leave as it is.
    pub(crate) fn upper(&self, register: Register, from: usize) -> Vec<V::Byte> {
        self.vectors[register.full_register().number()][from..].to_vec()
    }

    pub(crate) fn address(&self, instruction: &Instruction) -> u64 {
        let part = |register| match register {
            Register::None => 0,
            Register::RIP => 0,
            register => self.get(register),
        };
        assert!(!matches!(instruction.segment_prefix(), Register::FS | Register::GS), "thread-local memory");
        let index = part(instruction.memory_index()).wrapping_mul(instruction.memory_index_scale().into());
        instruction.memory_displacement64().wrapping_add(part(instruction.memory_base())).wrapping_add(index)
    }

    /// Returns `len` bytes of an operand. An immediate is extended by its sign.
    pub(crate) fn operand(&mut self, instruction: &Instruction, operand: u32, len: usize) -> Vec<V::Byte> {
        match instruction.op_kind(operand) {
            OpKind::Register => {
                let mut bytes = self.register(instruction.op_register(operand));
                bytes.truncate(len);
                bytes
            }
            OpKind::Memory if instruction.is_broadcast() => {
                let element = instruction.memory_size().element_size();
                self.load(self.address(instruction), element).repeat(len / element)
            }
            OpKind::Memory => self.load(self.address(instruction), len),
            _ => {
                let immediate = instruction.try_immediate(operand);
                self.constant(immediate.unwrap_or_else(|_| panic!("{}: an operand", text(instruction))), len)
            }
        }
    }

    /// Returns the length of an operand in bytes.
    pub(crate) fn operand_len(&self, instruction: &Instruction, operand: u32) -> usize {
        match instruction.op_kind(operand) {
            OpKind::Register => instruction.op_register(operand).size(),
            OpKind::Memory => instruction.memory_size().size(),
            _ => 8,
        }
    }

    pub(crate) fn set_operand(&mut self, instruction: &Instruction, operand: u32, bytes: &[V::Byte]) {
        match instruction.op_kind(operand) {
            OpKind::Register => self.set_register(instruction.op_register(operand), bytes),
            OpKind::Memory => self.memory.write(self.address(instruction), bytes),
            kind => panic!("{kind:?} cannot be written"),
        }
    }
}

/// Returns the bits of the opcode or of the immediate byte of which each change makes another function: of
/// PXOR (EF) and PADDD (FE) the other one and PUNPCKLDQ (62), which is none of terms only; of AESENC (DC) and
/// AESENCLAST (DD) the other one.
fn change(instruction: &Instruction) -> &'static [u8] {
    let last = instruction.op_count().saturating_sub(1);
    let of_one = instruction.op_register(last.saturating_sub(1)) == instruction.op_register(last);
    match &*operation(instruction) {
        "paddd" | "paddq" | "pxor" | "pxord" if of_one => &[],
        "paddd" => &[0xfe ^ 0xef, 0xfe ^ 0x62],
        "pxor" | "pxord" => &[0xef ^ 0xfe, 0xef ^ 0x62],
        "pslld" | "psrld" | "psllq" | "psrlq" | "prorq" | "prolq" | "prold" | "prord" | "pshufd"
        | "palignr" => &[1],
        "pclmulqdq" | "aesenc" | "aesenclast" => &[1],
        "rorx" => &[1],
        "paddq" => &[0xd4 ^ 0xef],
        // The exclusive or of three terms becomes its complement: the neighbours of its table multiply terms.
        "pternlogd" | "pternlogq" if instruction.immediate8() == 0x96 => &[0xff],
        "pternlogd" | "pternlogq" => &[1],
        _ => &[],
    }
}

/// Does [`change`] of instructions on registers of 64 bits: a sum becomes one with the carry, or one without,
/// and source and destination change places.
fn change_of_64(instruction: &Instruction) -> &'static [u8] {
    let of_registers = [0, 1].iter().all(|&operand| instruction.op_kind(operand) == OpKind::Register);
    match instruction.mnemonic() {
        Mnemonic::Add | Mnemonic::Adc if of_registers => &[0x10, 0x02],
        Mnemonic::Mov if of_registers => &[0x02],
        Mnemonic::Shr if instruction.op_kind(1) == OpKind::Immediate8 => &[1],
        _ => &[],
    }
}

fn is_long(instruction: &Instruction) -> bool {
    instruction.op_register(0).is_gpr64()
}

/// Returns the name of what an instruction does, which its forms for SSE, AVX and AVX-512 have in common.
pub(crate) fn operation(instruction: &Instruction) -> String {
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    name.strip_prefix('v').map(str::to_owned).unwrap_or(name)
}

pub(crate) fn text(instruction: &Instruction) -> String {
    let mut text = String::new();
    FastFormatter::new().format(instruction, &mut text);
    text
}
