//! How arguments are chosen: mostly what functions ask for, now and then what they must refuse.

use super::{Argument, Bytes, Element, Kept, Place};
use crate::blocks::Blocks;
use crate::{Access, Kind};
use arbitrary::Unstructured;

pub(super) struct Chooser<'a, 'b> {
    choices: &'a mut Unstructured<'b>,
    kept: &'a Kept,
    blocks: Blocks,
    /// A block for all, where things overlap and stand side by side.
    shared: Option<usize>,
    /// Structs must be whole, whatever was put over them: they are written once more at the end.
    structs: Vec<(Place, Vec<u8>)>,
    /// How many elements each list has.
    count: usize,
    /// Of each of many keys.
    key_len: usize,
    /// Of the bytes that were last chosen, and whether they are many keys.
    len: usize,
    many_keys: bool,
    broken: Option<&'static str>,
}

impl<'a, 'b> Chooser<'a, 'b> {
    pub(super) fn new(choices: &'a mut Unstructured<'b>, kept: &'a Kept) -> Self {
        let blocks = Blocks::default();
        let structs = Vec::new();
        let (shared, broken) = (None, None);
        let (count, key_len, len, many_keys) = (0, 0, 0, false);
        let mut new = Self { choices, kept, blocks, shared, structs, count, key_len, len, many_keys, broken };
        if new.up_to(3) == 1 {
            let len = new.up_to(4000);
            new.shared = Some(new.blocks.add(vec![0; len]));
        }
        let count = kept.choose_number("count", new.choices).filter(|&count| count <= 70);
        new.count = match count {
            Some(count) => count as usize,
            None if new.seldom() => new.up_to(70),
            None => new.up_to(5),
        };
        new.key_len = new.up_to(70);
        new
    }

    pub(super) fn finish(mut self) -> (Blocks, Option<&'static str>) {
        for (place, content) in &self.structs {
            self.blocks.as_mut_slice()[place.block][place.range()].copy_from_slice(content);
        }
        (self.blocks, self.broken)
    }

    fn up_to(&mut self, limit: usize) -> usize {
        self.choices.int_in_range(0..=limit).unwrap_or(0)
    }

    fn seldom(&mut self) -> bool {
        self.choices.arbitrary().is_ok_and(|byte: u8| byte >= 0xfa)
    }

    /// For a parameter; `next` is the one behind it.
    pub(super) fn argument(
        &mut self,
        name: &'static str,
        kind: Kind,
        next: &str,
        last: Option<&Argument>,
    ) -> Argument {
        let many_keys = next == "key_len" && kind == Kind::Bytes(Access::Write);
        let argument = match kind {
            Kind::Number => Argument::Number(self.number(name)),
            Kind::Length if name == "count" => Argument::Number(self.count as u64),
            // The function multiplies it by the count.
            Kind::Length if self.many_keys => return Argument::Number(self.key_len as u64),
            Kind::Length => Argument::Number(self.len as u64),
            Kind::List => self.list(name),
            Kind::Name => {
                const NAMES: [&[u8]; 4] = [b"sha256\0", b"chacha20-poly1305\0", b"sha25\0", b"\0"];
                let name_of_a_primitive = NAMES[self.up_to(3)];
                Argument::At(self.place(name, name_of_a_primitive, Access::Read))
            }
            Kind::Struct(access, of, len) => {
                let content = self.a_struct(of, len);
                let place = self.place(name, &content, access);
                self.structs.push((place.clone(), content));
                Argument::At(place)
            }
            Kind::Array(access, len) => {
                let mut content = self.content(name, len);
                content.resize(len, 0);
                Argument::At(self.place(name, &content, access))
            }
            Kind::Bytes(access) => {
                let len = match last {
                    _ if many_keys => self.count * self.key_len,
                    Some(Argument::Number(input)) if name == "output" => self.output_len(*input as usize),
                    _ => self.length(next),
                };
                let mut content = self.content(name, len);
                // What was sealed there is opened there.
                if access == Access::Write && name != "data" {
                    content.resize(len, 0xaa);
                }
                (self.len, self.many_keys) = (content.len(), many_keys);
                Argument::At(self.place(name, &content, access))
            }
        };
        if self.seldom() { self.spoil(kind, argument) } else { argument }
    }

    /// Null instead of a pointer, or a length that nothing has.
    fn spoil(&mut self, kind: Kind, argument: Argument) -> Argument {
        match (kind, &argument) {
            (Kind::Length, _) => {
                self.broken = Some("a length that nothing has");
                Argument::Number((usize::MAX - self.up_to(300)) as u64)
            }
            (_, Argument::At(place) | Argument::List(place, _)) => {
                if place.len > 0 {
                    self.broken = Some("null");
                }
                Argument::Null
            }
            _ => argument,
        }
    }

    fn number(&mut self, name: &str) -> u64 {
        if let Some(number) = self.kept.choose_number(name, self.choices) {
            return number;
        }
        match name {
            "hash" => self.up_to(7) as u64,
            // Time goes with it.
            "iterations" => self.up_to(5) as u64,
            "error" => (self.up_to(110) as i64).wrapping_neg() as u64,
            _ => self.choices.arbitrary().unwrap_or(0),
        }
    }

    /// By the parameter that tells it.
    fn length(&mut self, name: &str) -> usize {
        match name {
            "tag_len" | "digest_len" | "expected_len" => [32, 20, 28, 48, 64, self.up_to(70)][self.up_to(5)],
            "tags_len" | "digests_len" => self.count * [32, 20, 28, 48, 64, self.up_to(70)][self.up_to(5)],
            "key_len" => [32, 16, 24, self.up_to(300)][self.up_to(3)],
            "state_len" => [48, 72, 136, self.up_to(140)][self.up_to(3)],
            _ if self.seldom() => self.up_to(9000),
            _ => 16 * self.up_to(20) + self.up_to(2) * self.up_to(17),
        }
    }

    /// Mostly as long as the input, a tag more, or a tag less.
    fn output_len(&mut self, input: usize) -> usize {
        match self.up_to(5) {
            0 => self.length("len"),
            1 | 2 => input,
            3 => input.saturating_add(16),
            _ => input.saturating_sub(16),
        }
        .min(20_000)
    }

    /// As an earlier call has it, of whatever length, or new.
    fn content(&mut self, name: &str, len: usize) -> Vec<u8> {
        if let Some(content) = self.kept.choose_one(name, self.choices) {
            return content.to_vec();
        }
        let mut content = vec![self.choices.arbitrary().unwrap_or(0); len];
        for byte in content.iter_mut().take(8) {
            *byte = self.choices.arbitrary().unwrap_or(0);
        }
        content
    }

    /// A struct as an earlier call left it, seldom one of another name, or one that nobody has initialised.
    fn a_struct(&mut self, name: &str, len: usize) -> Vec<u8> {
        let fill = if self.up_to(1) == 0 { 0 } else { 0xa5 };
        let name = if self.seldom() { "keylane_hash" } else { name };
        let mut content = self.kept.choose_one(name, self.choices).map_or_else(Vec::new, <[u8]>::to_vec);
        content.resize(len, fill);
        content
    }

    fn list(&mut self, name: &'static str) -> Argument {
        let kept = self.kept.choose(name, self.choices).filter(|kept| kept.len() == self.count);
        let mut elements = Vec::new();
        for number in 0..self.count {
            if let Some(kept) = kept {
                elements.push(Element::At(self.place(name, &kept[number], Access::Read)));
                continue;
            }
            let len = self.length("len");
            elements.push(if self.seldom() {
                if len > 0 {
                    self.broken = Some("null in a list");
                }
                Element::Null(len)
            } else {
                let content = self.content("element", len);
                Element::At(self.place(name, &content, Access::Read))
            });
        }
        // In a block of its own: an element that something else lies over would be no pointer.
        let (start, len) = (self.up_to(2), self.count * size_of::<Bytes>());
        let block = self.blocks.add(vec![0; start + len]);
        Argument::List(Place { block, start, len, written: false, name }, elements)
    }

    fn place(&mut self, name: &'static str, content: &[u8], access: Access) -> Place {
        let (len, written) = (content.len(), access == Access::Write);
        let room = self.shared.and_then(|block| self.blocks.as_slice()[block].len().checked_sub(len));
        if let (Some(block), Some(room)) = (self.shared, room) {
            // Often at the beginning, where several things begin.
            let start = if self.up_to(3) == 0 { 0 } else { self.up_to(room) };
            let place = Place { block, start, len, written, name };
            self.blocks.as_mut_slice()[block][place.range()].copy_from_slice(content);
            return place;
        }
        // At any address, and up to the block's end.
        let start = self.up_to(2) * self.up_to(64);
        let mut bytes = vec![0xcd; start];
        bytes.extend_from_slice(content);
        Place { block: self.blocks.add(bytes), start, len, written, name }
    }
}
