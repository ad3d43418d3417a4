//! How arguments are chosen: mostly what functions ask for, now and then what they must refuse.

use crate::call::{Argument, Bytes, Call, Kept, Message, Place};
use crate::{Access, Function, Kind};
use arbitrary::Unstructured;

struct Chooser<'a, 'b> {
    choices: &'a mut Unstructured<'b>,
    kept: &'a Kept,
    call: Call,
    /// How many elements each list has.
    count: usize,
    /// The length of the bytes, or of all elements of the list, that were last chosen.
    len: usize,
}

impl Call {
    pub(crate) fn choose(function: &'static Function, choices: &mut Unstructured<'_>, kept: &Kept) -> Self {
        let call = Self { function, blocks: Vec::new(), arguments: Vec::new(), broken: false };
        let mut new = Chooser { choices, kept, call, count: 0, len: 0 };
        let count = if new.seldom() { new.up_to(70) } else { new.up_to(5) };
        new.count =
            new.kept_number("count").filter(|&count| count <= 70).map_or(count, |count| count as usize);
        for (number, (name, kind)) in function.parameters.iter().enumerate() {
            let next = function.parameters.get(number + 1).map_or("", |(name, _)| *name);
            let argument = new.argument(name, *kind, next);
            new.call.arguments.push(argument);
        }
        if new.up_to(3) == 1 {
            new.overlap();
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
        let back = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, usize::MAX][self.up_to(14)];
        let (_, elements) = self.kept.0.iter().rev().filter(|(kept, _)| *kept == name).nth(back)?;
        Some(elements)
    }

    fn kept_number(&mut self, name: &str) -> Option<u64> {
        self.kept(name)?.first()?[..].try_into().ok().map(u64::from_ne_bytes)
    }

    /// Returns what a parameter is given; `next` is the one after it.
    fn argument(&mut self, name: &'static str, kind: Kind, next: &str) -> Argument {
        let number = |number| Argument { number, ..Argument::default() };
        // The length of each of many keys, which the function multiplies by their count.
        let many_keys = name == "key_len" && self.call.function.name.ends_with("_many");
        let broken = self.seldom() && !many_keys;
        let argument = match kind {
            Kind::Number => return number(self.number(name)),
            Kind::Length if broken => number((usize::MAX - self.up_to(300)) as u64),
            Kind::Length if name == "count" => number(self.count as u64),
            Kind::Length if many_keys => number((self.len / self.count.max(1)) as u64),
            Kind::Length => number(self.len as u64),
            Kind::List => self.list(name),
            Kind::Messages => self.messages(name),
            Kind::Name => {
                const NAMES: [&[u8]; 4] = [b"sha256\0", b"chacha20-poly1305\0", b"sha25\0", b"\0"];
                let primitive = NAMES[self.up_to(3)];
                self.place(name, primitive, Access::Read)
            }
            Kind::Struct(access, of, len) => self.a_struct(name, access, of, len),
            Kind::Structs(of, len) => {
                let mut elements: Vec<(Option<Place>, usize)> = Vec::new();
                for number in 0..self.count {
                    let again = elements.get(self.up_to(4 * number)).cloned();
                    let new = |chooser: &mut Self| chooser.a_struct(name, Access::Read, of, len).place;
                    elements.push(again.unwrap_or_else(|| (new(self), len)));
                }
                let list = vec![0; self.count * size_of::<*const u8>()];
                Argument { elements, ..self.place(name, &list, Access::Read) }
            }
            Kind::Bytes(access, fixed) => {
                let len = fixed.unwrap_or_else(|| self.length(name, next));
                let mut content = self.content(name, len);
                // What was sealed there is opened there.
                if fixed.is_some() || access == Access::Write && name != "data" {
                    content.resize(len, 0xaa);
                }
                self.len = content.len();
                self.place(name, &content, access)
            }
        };
        // Where nothing is passed, null is allowed.
        self.call.broken |= broken && argument.place.as_ref().is_none_or(|place| !place.range.is_empty());
        if broken && kind != Kind::Length { Argument::default() } else { argument }
    }

    fn number(&mut self, name: &str) -> u64 {
        let new = match name {
            "hash" => self.up_to(7) as u64,
            // Time goes with it.
            "iterations" => self.up_to(5) as u64,
            "error" => (self.up_to(110) as i64).wrapping_neg() as u64,
            _ => self.choices.arbitrary().unwrap_or(0),
        };
        self.kept_number(name).unwrap_or(new)
    }

    /// Returns how long a parameter is, by its name and by that of the parameter that says how long.
    fn length(&mut self, name: &str, len: &str) -> usize {
        let common: &[usize] = match len {
            "tag_len" | "digest_len" | "expected_len" => &[32, 20, 28, 48, 64],
            "opened_len" => return self.count,
            "tags_len" | "digests_len" => return self.count * self.length(name, "tag_len"),
            // Many keys.
            "key_len" if name == "out" => return self.count * self.up_to(70),
            "key_len" => &[32, 16, 24],
            "state_len" => &[48, 72, 136],
            // As long as the input before it, a tag more, or a tag less.
            // And a nonce.
            _ if name == "output" && self.call.function.name.ends_with("_random") => {
                let more = if self.call.function.name.contains("_siv_") { 12 + 16 } else { 24 + 16 };
                &[self.len + more, self.len.saturating_sub(more)]
            }
            _ if name == "output" => &[self.len, self.len + 16, self.len.saturating_sub(16)],
            _ => &[],
        };
        match self.choices.choose(common) {
            Ok(&len) if !self.seldom() => len,
            _ if self.seldom() => self.up_to(9000),
            _ => 16 * self.up_to(20) + self.up_to(2) * self.up_to(17),
        }
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

    /// As an earlier call left it, seldom one of another name, or one that was not initialised.
    fn a_struct(&mut self, name: &'static str, access: Access, of: &str, len: usize) -> Argument {
        let of = if self.seldom() { "keylane_hash" } else { of };
        let fill = [0, 0xa5][self.up_to(1)];
        let mut content = self.kept(of).map_or_else(Vec::new, |kept| kept[0].clone());
        content.resize(len, fill);
        self.place(name, &content, access)
    }

    fn list(&mut self, name: &'static str) -> Argument {
        let kept = self.kept(name).filter(|kept| kept.len() == self.count);
        let mut elements = Vec::new();
        for number in 0..self.count {
            let len = self.length(name, "");
            let content = kept.map_or_else(|| self.content("element", len), |kept| kept[number].clone());
            let null = self.seldom();
            self.call.broken |= null && !content.is_empty();
            let place = if null { None } else { self.place(name, &content, Access::Read).place };
            elements.push((place, content.len()));
        }
        self.len = elements.iter().map(|(_, len)| len).sum();
        let list = self.place(name, &vec![0; self.count * size_of::<Bytes>()], Access::Read);
        Argument { elements, ..list }
    }

    /// Messages as an earlier call has left them, or new ones.
    fn messages(&mut self, name: &'static str) -> Argument {
        let kept = self.kept(name).filter(|kept| kept.len() == 4 * self.count);
        let nonce_len = if self.call.function.name.starts_with("keylane_x") { 24 } else { 12 };
        let mut elements = Vec::new();
        for number in 0..4 * self.count {
            let (name, fixed, access) = [
                ("nonce", Some(nonce_len), Access::Read),
                ("aad", None, Access::Read),
                ("data", None, Access::Write),
                ("tag", Some(16), Access::Write),
            ][number % 4];
            let len = fixed.unwrap_or_else(|| self.length(name, ""));
            let mut content = kept.map_or_else(|| self.content("element", len), |kept| kept[number].clone());
            content.resize(fixed.unwrap_or(content.len()), 0xaa);
            let null = self.seldom();
            self.call.broken |= null && !content.is_empty();
            let place = if null { None } else { self.place(name, &content, access).place };
            elements.push((place, content.len()));
        }
        self.len = self.count;
        let list = self.place(name, &vec![0; self.count * size_of::<Message>()], Access::Read);
        Argument { elements, ..list }
    }

    /// Puts the content into a block of its own, at any address, up to the block's end.
    fn place(&mut self, name: &'static str, content: &[u8], access: Access) -> Argument {
        let start = self.up_to(2) * self.up_to(64);
        self.call.blocks.push([&vec![0xcd; start], content].concat().into());
        let (block, range) = (self.call.blocks.len() - 1, start..start + content.len());
        let place = Place { block, range, written: access == Access::Write, name };
        Argument { place: Some(place), ..Argument::default() }
    }

    /// Puts bytes where something else lies, often at its beginning, or over a struct.
    fn overlap(&mut self) {
        let parameters = self.call.function.parameters.iter().zip(&mut self.call.arguments);
        let bytes = parameters.filter(|((_, kind), _)| matches!(kind, Kind::Bytes(..)));
        let mut places: Vec<_> = bytes.filter_map(|(_, argument)| argument.place.as_mut()).collect();
        let Some(last) = places.len().checked_sub(1) else { return };
        let place = &mut places[self.choices.int_in_range(0..=last).unwrap_or(0)];
        let block = self.choices.int_in_range(0..=self.call.blocks.len() - 1).unwrap_or(0);
        let Some(room) = self.call.blocks[block].len().checked_sub(place.range.len()) else { return };
        let at_once = self.choices.ratio(1, 4).unwrap_or(false);
        let start = if at_once { 0 } else { self.choices.int_in_range(0..=room).unwrap_or(0) };
        (place.block, place.range) = (block, start..start + place.range.len());
    }
}
