//! The choice of arguments: mostly valid ones, sometimes ones that must be refused.

use super::call::{Argument, Call, Kept, Place};
use super::{Access, Function, Kind};
use arbitrary::Unstructured;
use std::ffi::c_int;

struct Chooser<'a, 'b> {
    choices: &'a mut Unstructured<'b>,
    kept: &'a Kept,
    call: Call,
    /// How many messages a batch has.
    count: usize,
    /// The length of the bytes, or how many structs of an array, that were last chosen.
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
    fn kept(&mut self, name: &str) -> Option<&'a [u8]> {
        let back = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, usize::MAX][self.up_to(14)];
        let (_, content) = self.kept.0.iter().rev().filter(|(kept, _)| *kept == name).nth(back)?;
        Some(content)
    }

    fn kept_number(&mut self, name: &str) -> Option<u64> {
        self.kept(name)?.try_into().ok().map(u64::from_ne_bytes)
    }

    /// Returns what a parameter is given; `next` is the one after it.
    fn argument(&mut self, name: &'static str, kind: Kind, next: &str) -> Argument {
        let number = |number| Argument { number, ..Argument::default() };
        // The length of each of many keys, which the function multiplies by their count.
        let many_keys = name == "key_len" && self.call.function.name.ends_with("_many");
        // A batch whose additional data and offsets are both null has none.
        let no_aad =
            name == "aad_offsets" && self.call.arguments.last().is_some_and(|aad| aad.place.is_none());
        let broken = self.seldom() && !many_keys && !no_aad;
        let argument = match kind {
            Kind::Number => return number(self.number(name)),
            Kind::Length if broken => number((usize::MAX - self.up_to(300)) as u64),
            Kind::Length if name == "count" => number(self.count as u64),
            Kind::Length if many_keys => number((self.len / self.count.max(1)) as u64),
            Kind::Length => number(self.len as u64),
            Kind::Numbers => self.numbers(name),
            Kind::Name => {
                const NAMES: [&[u8]; 4] = [b"sha256\0", b"chacha20-poly1305\0", b"sha25\0", b"\0"];
                let primitive = NAMES[self.up_to(3)];
                self.place(name, primitive, Access::Read)
            }
            Kind::Struct(access, of, len) => {
                self.len = if next == "keys_count" { self.up_to(4) } else { 1 };
                let structs: Vec<_> = (0..self.len).flat_map(|_| self.a_struct(of, len)).collect();
                self.place(name, &structs, access)
            }
            Kind::Bytes(access, fixed) => {
                let fixed = fixed.or_else(|| self.fixed(name, next));
                let len = fixed.unwrap_or_else(|| self.length(name, next));
                let mut content = self.content(name, len);
                // What was sealed there is opened there.
                if fixed.is_some() || access == Access::Write && name != "text" {
                    content.resize(len, 0xaa);
                }
                // Nothing of a batch without messages is read.
                if next.ends_with("offsets") && self.count == 0 {
                    content.clear();
                }
                self.len = content.len();
                self.place(name, &content, access)
            }
        };
        // Where nothing is passed, null is allowed.
        self.call.broken |= broken && argument.place.as_ref().is_none_or(|place| !place.range.is_empty());
        if broken && kind != Kind::Length { Argument::default() } else { argument }
    }

    /// Returns the length of bytes that have no parameter for it.
    fn fixed(&mut self, name: &str, next: &str) -> Option<usize> {
        Some(match name {
            "nonces" => self.count * self.nonce_len(),
            "tags" if next != "tags_len" => 16 * self.count,
            "opened" => self.count,
            "output" if next == "len" => self.len,
            _ => return None,
        })
    }

    /// Returns the length of the nonces of the key that the call is given: what initialised it was kept with
    /// its algorithm.
    fn nonce_len(&self) -> usize {
        let key = self.call.blocks.first().map_or(&[][..], |block| block);
        let made =
            self.kept.0.windows(2).find(|pair| pair[0].0 == "keylane_aead" && key.ends_with(&pair[0].1));
        let algorithm =
            made.and_then(|pair| pair[1].1.as_slice().try_into().ok()).map_or(1, u64::from_ne_bytes);
        keylane_c::keylane_aead_nonce_len(algorithm as c_int).max(12)
    }

    /// Returns offsets of the bytes that were last chosen, or indices into that array.
    fn numbers(&mut self, name: &'static str) -> Argument {
        let mut numbers: Vec<usize> = Vec::new();
        if name == "which" {
            let last = self.len.saturating_sub(1);
            numbers = (0..self.count).map(|_| self.up_to(last)).collect();
            if self.seldom() {
                numbers.iter_mut().for_each(|number| *number = self.up_to(last + 1));
            }
            self.call.broken |= numbers.iter().any(|&number| number >= self.len);
        } else if self.count > 0 {
            let len = self.len;
            numbers = (1..self.count).map(|_| self.up_to(len)).collect();
            numbers.extend([0, len]);
            numbers.sort_unstable();
            let middle = self.count / 2;
            if self.seldom() && numbers[middle] < numbers[middle + 1] {
                numbers.swap(middle, middle + 1);
                self.call.broken = true;
            }
        }
        let mut content: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        // As an earlier call had them.
        let last = self.len.to_ne_bytes();
        let kept = self.kept(name).filter(|kept| kept.len() == content.len() && kept.ends_with(&last));
        if let Some(kept) = kept.filter(|_| name != "which" && !self.call.broken) {
            content = kept.to_vec();
        }
        self.place(name, &content, Access::Read)
    }

    fn number(&mut self, name: &str) -> u64 {
        let new = match name {
            "hash" => self.up_to(7) as u64,
            "algorithm" if self.call.function.name.contains("keystream") => return self.up_to(4) as u64,
            "algorithm" => return self.up_to(9) as u64,
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
            "tag_len" if self.call.function.name.contains("aead") => &[16, 12, 8, 4],
            "tag_len" | "digest_len" | "expected_len" => &[32, 20, 28, 48, 64],
            "nonce_len" if self.call.function.name.contains("keystream") => &[12, 24, 16],
            "nonce_len" => &[self.nonce_len(); 1],
            "tags_len" | "digests_len" => return self.count * self.length(name, "tag_len"),
            // Many keys.
            "key_len" if name == "out" => return self.count * self.up_to(70),
            "key_len" => &[32, 16, 24],
            "state_len" => &[48, 72, 136],
            // The input before it, and a tag more or less; and a nonce.
            _ if name == "output" => {
                let function = self.call.function;
                let more = 16 + if function.name.ends_with("_random") { self.nonce_len() } else { 0 };
                &[if function.opens() { self.len.saturating_sub(more) } else { self.len + more }]
            }
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
        // What made one tag made one of one tag.
        let name = if self.call.function.name.ends_with("_any") && name == "tags" { "tag" } else { name };
        if let Some(content) = self.kept(name) {
            return content.to_vec();
        }
        let mut content = vec![self.choices.arbitrary().unwrap_or(0); len];
        content.iter_mut().take(8).for_each(|byte| *byte = self.choices.arbitrary().unwrap_or(0));
        content
    }

    /// As an earlier call left it, seldom one of another name, or one that was not initialised.
    fn a_struct(&mut self, of: &str, len: usize) -> Vec<u8> {
        let of = if self.seldom() { "keylane_hash" } else { of };
        let fill = [0, 0xa5][self.up_to(1)];
        let mut content = self.kept(of).map_or_else(Vec::new, <[u8]>::to_vec);
        content.resize(len, fill);
        content
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
