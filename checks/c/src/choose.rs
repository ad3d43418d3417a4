//! How arguments are chosen: mostly what functions ask for, now and then what they must refuse.

use crate::call::{Argument, Bytes, Call, Place};
use crate::{Access, Function, Kind};
use arbitrary::Unstructured;

/// What earlier calls were given and have left, by the names of structs and parameters: what one seals
/// another opens. All elements of a list; one of anything else.
#[derive(Default)]
pub(crate) struct Kept(pub(crate) Vec<(&'static str, Vec<Vec<u8>>)>);

struct Chooser<'a, 'b> {
    choices: &'a mut Unstructured<'b>,
    kept: &'a Kept,
    call: Call,
    /// A block for all, where things overlap and stand side by side.
    shared: Option<usize>,
    /// Structs must be whole, whatever was put over them: they are written once more at the end.
    structs: Vec<(Place, Vec<u8>)>,
    /// How many elements each list has.
    count: usize,
    /// The length of each of many keys.
    key_len: usize,
    /// The length of the bytes that were last chosen, and whether they are many keys.
    len: usize,
    many_keys: bool,
}

impl Call {
    pub(crate) fn choose(function: &'static Function, choices: &mut Unstructured<'_>, kept: &Kept) -> Self {
        let call = Self { function, blocks: Vec::new(), arguments: Vec::new(), broken: None };
        let (shared, structs, count, key_len, len, many_keys) = (None, Vec::new(), 0, 0, 0, false);
        let mut new = Chooser { choices, kept, call, shared, structs, count, key_len, len, many_keys };
        if new.up_to(3) == 1 {
            let len = new.up_to(4000);
            new.shared = Some(new.block(vec![0; len]));
        }
        new.count = match new.kept_number("count").filter(|&count| count <= 70) {
            Some(count) => count as usize,
            None if new.seldom() => new.up_to(70),
            None => new.up_to(5),
        };
        new.key_len = new.up_to(70);
        for (number, (name, kind)) in function.parameters.iter().enumerate() {
            let next = function.parameters.get(number + 1).map_or("", |(name, _)| *name);
            let argument = new.argument(name, *kind, next);
            new.call.arguments.push(argument);
        }
        for (place, content) in &new.structs {
            new.call.blocks[place.block][place.range()].copy_from_slice(content);
        }
        new.call
    }
}

impl<'a> Chooser<'a, '_> {
    fn up_to(&mut self, limit: usize) -> usize {
        self.choices.int_in_range(0..=limit).unwrap_or(0)
    }

    fn seldom(&mut self) -> bool {
        self.choices.arbitrary().is_ok_and(|byte: u8| byte >= 0xfa)
    }

    /// Mostly the last of that name: a message opens only if all is as it was sealed.
    fn kept(&mut self, name: &str) -> Option<&'a [Vec<u8>]> {
        let back = match self.choices.int_in_range(0..=31) {
            Ok(back @ 29..=30) => back - 28,
            Ok(0..29) => 0,
            _ => return None,
        };
        let (_, elements) = self.kept.0.iter().rev().filter(|(kept, _)| *kept == name).nth(back)?;
        Some(elements)
    }

    fn kept_number(&mut self, name: &str) -> Option<u64> {
        self.kept(name)?.first()?[..].try_into().ok().map(u64::from_ne_bytes)
    }

    fn block(&mut self, bytes: Vec<u8>) -> usize {
        self.call.blocks.push(bytes.into());
        self.call.blocks.len() - 1
    }

    /// Returns what a parameter is given; `next` is the one after it.
    fn argument(&mut self, name: &'static str, kind: Kind, next: &str) -> Argument {
        let number = |number| Argument { number, ..Argument::default() };
        let many_keys = next == "key_len" && kind == Kind::Bytes(Access::Write, None);
        let argument = match kind {
            Kind::Number => number(self.number(name)),
            Kind::Length if name == "count" => number(self.count as u64),
            // The function multiplies it by the count.
            Kind::Length if self.many_keys => return number(self.key_len as u64),
            Kind::Length => number(self.len as u64),
            Kind::List => self.list(name),
            Kind::Name => {
                const NAMES: [&[u8]; 4] = [b"sha256\0", b"chacha20-poly1305\0", b"sha25\0", b"\0"];
                let primitive = NAMES[self.up_to(3)];
                self.place(name, primitive, Access::Read)
            }
            Kind::Struct(access, of, len) => {
                // As an earlier call left it, seldom one of another name, or one that was not initialised.
                let fill = if self.up_to(1) == 0 { 0 } else { 0xa5 };
                let of = if self.seldom() { "keylane_hash" } else { of };
                let mut content = self.kept(of).map_or_else(Vec::new, |kept| kept[0].clone());
                content.resize(len, fill);
                let argument = self.place(name, &content, access);
                self.structs.extend(argument.place.clone().map(|place| (place, content)));
                argument
            }
            Kind::Bytes(access, fixed) => {
                let len = match self.call.arguments.last() {
                    _ if many_keys => self.count * self.key_len,
                    Some(Argument { number, place: None, .. }) if name == "output" => {
                        self.output_len(*number)
                    }
                    _ => fixed.unwrap_or_else(|| self.length(next)),
                };
                let mut content = self.content(name, len);
                // What was sealed there is opened there.
                if fixed.is_some() || access == Access::Write && name != "data" {
                    content.resize(len, 0xaa);
                }
                (self.len, self.many_keys) = (content.len(), many_keys);
                self.place(name, &content, access)
            }
        };
        if !self.seldom() || kind == Kind::Number {
            return argument;
        }
        if kind == Kind::Length {
            self.call.broken = Some("a length that nothing has");
            return number((usize::MAX - self.up_to(300)) as u64);
        }
        if argument.place.is_some_and(|place| place.len > 0) {
            self.call.broken = Some("null");
        }
        Argument::default()
    }

    fn number(&mut self, name: &str) -> u64 {
        if let Some(number) = self.kept_number(name) {
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

    /// Returns a length, by the name of the parameter that holds it.
    fn length(&mut self, name: &str) -> usize {
        match name {
            "tag_len" | "digest_len" | "expected_len" => [32, 20, 28, 48, 64, self.up_to(70)][self.up_to(5)],
            "tags_len" | "digests_len" => self.count * self.length("tag_len"),
            "key_len" => [32, 16, 24, self.up_to(300)][self.up_to(3)],
            "state_len" => [48, 72, 136, self.up_to(140)][self.up_to(3)],
            _ if self.seldom() => self.up_to(9000),
            _ => 16 * self.up_to(20) + self.up_to(2) * self.up_to(17),
        }
    }

    /// Mostly as long as the input, a tag more, or a tag less.
    fn output_len(&mut self, input: u64) -> usize {
        let input = input as usize;
        let len = match self.up_to(5) {
            0 => self.length("len"),
            1 | 2 => input,
            3 => input.saturating_add(16),
            _ => input.saturating_sub(16),
        };
        len.min(20_000)
    }

    /// Returns what an earlier call has, of whatever length, or something new.
    fn content(&mut self, name: &str, len: usize) -> Vec<u8> {
        if let Some([content, ..]) = self.kept(name) {
            return content.clone();
        }
        let mut content = vec![self.choices.arbitrary().unwrap_or(0); len];
        content.iter_mut().take(8).for_each(|byte| *byte = self.choices.arbitrary().unwrap_or(0));
        content
    }

    fn list(&mut self, name: &'static str) -> Argument {
        let kept = self.kept(name).filter(|kept| kept.len() == self.count);
        let mut elements = Vec::new();
        for number in 0..self.count {
            let len = if kept.is_some() { 0 } else { self.length("len") };
            if kept.is_none() && self.seldom() {
                if len > 0 {
                    self.call.broken = Some("null in a list");
                }
                elements.push((None, len));
                continue;
            }
            let content = kept.map_or_else(|| self.content("element", len), |kept| kept[number].clone());
            elements.push((self.place(name, &content, Access::Read).place, content.len()));
        }
        // In a separate block: if another argument overlapped an element, it would not be a pointer.
        let (start, len) = (self.up_to(2), self.count * size_of::<Bytes>());
        let block = self.block(vec![0; start + len]);
        Argument { place: Some(Place { block, start, len, written: false, name }), elements, number: 0 }
    }

    fn place(&mut self, name: &'static str, content: &[u8], access: Access) -> Argument {
        let (len, written) = (content.len(), access == Access::Write);
        let room = |block: &usize| self.call.blocks[*block].len() >= len;
        let (block, start) = if let Some(block) = self.shared.filter(room) {
            // Often at the beginning, where several things begin.
            let room = self.call.blocks[block].len() - len;
            (block, if self.up_to(3) == 0 { 0 } else { self.up_to(room) })
        } else {
            // At any address, and up to the block's end.
            let start = self.up_to(2) * self.up_to(64);
            (self.block(vec![0xcd; start + len]), start)
        };
        let place = Place { block, start, len, written, name };
        self.call.blocks[block][place.range()].copy_from_slice(content);
        Argument { place: Some(place), ..Argument::default() }
    }
}
