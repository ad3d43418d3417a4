//! A call: its memory, its arguments, and the required outcome.

use super::{AUTHENTICATION_FAILED, Access, Function, Kind, Word};
use arbitrary::Unstructured;
use std::ffi::c_int;
use std::ops::Range;
use std::ptr;

/// A part of a block that a call is given.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) block: usize,
    pub(crate) range: Range<usize>,
    pub(crate) written: bool,
    /// The parameter's name.
    pub(crate) name: &'static str,
}

impl Place {
    fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (&self.range, &other.range);
        self.block == other.block && a.start.max(b.start) < a.end.min(b.end)
    }

    /// Whether the two may not be given to one call of the function. What begins together may be written over
    /// where the function says so.
    fn collides(&self, other: &Self, function: &Function) -> bool {
        let (read, written) = if self.written { (other, self) } else { (self, other) };
        let one_buffer = self.range.start == other.range.start
            && !read.written
            && function.one_buffer(read.name, written.name);
        self.overlaps(other) && written.written && !one_buffer
    }
}

/// What a parameter is given: a number, a place or null.
#[derive(Default)]
pub(crate) struct Argument {
    pub(crate) number: u64,
    pub(crate) place: Option<Place>,
}

pub(crate) struct Call {
    pub(crate) function: &'static Function,
    /// As C programs hold them: of just the length that is needed.
    pub(crate) blocks: Vec<Box<[u8]>>,
    pub(crate) arguments: Vec<Argument>,
    /// Whether it must fail, whatever overlaps.
    pub(crate) broken: bool,
}

/// What earlier calls were given and have left, by the names of structs and parameters: what one seals
/// another opens.
#[derive(Default)]
pub(crate) struct Kept(pub(crate) Vec<(&'static str, Vec<u8>)>);

impl Call {
    /// Calls the function and checks what it did. Returns what lay in the memory before, and the code.
    pub(crate) fn make(&mut self) -> (Vec<Box<[u8]>>, c_int) {
        let before = self.blocks.clone();
        let words = self.words();
        let code = (self.function.call)(&words);
        self.check(&before, code);
        (before, code)
    }

    /// Returns the arguments. The pointers are good until a block is borrowed again.
    fn words(&mut self) -> Vec<Word> {
        let starts: Vec<*mut u8> = self.blocks.iter_mut().map(|block| block.as_mut_ptr()).collect();
        let start = |place: &Place| starts[place.block].wrapping_add(place.range.start).cast();
        let word = |argument: &Argument| {
            let pointer = argument.place.as_ref().map_or(ptr::null_mut(), start);
            Word { pointer, number: argument.number }
        };
        self.arguments.iter().map(word).collect()
    }

    fn check(&self, before: &[Box<[u8]>], code: c_int) {
        let (function, name) = (self.function, self.function.name);
        assert!(function.may_return(code), "{name} returned {code}");
        assert!(code != 0 || !function.fails || !self.breaks_a_rule(), "{name} accepts null or an overlap");
        if function.finishes() && code == 0 {
            let wiped = self.structs().filter(|place| place.written).all(|place| self.is_wiped(place));
            assert!(wiped, "{name} has not wiped its struct");
        }
        let wiped = (function.opens() || function.finishes()) && code == AUTHENTICATION_FAILED;
        if wiped && function.takes_messages() {
            self.check_refused();
        }
        let mut expected = before.to_vec();
        for place in self.places().filter(|place| place.written && (code == 0 || wiped)) {
            let is_wiped = function.takes_messages() || self.is_wiped(place);
            assert!(!wiped || is_wiped, "{name}: not wiped");
            expected[place.block][place.range.clone()].copy_from_slice(self.bytes(place));
        }
        assert!(expected == self.blocks, "{name} returned {code}, and wrote where it must not");
    }

    /// Changes a bit of what was sealed, or of its tag, unless that is something else as well.
    pub(crate) fn forge(&mut self, choices: &mut Unstructured<'_>) -> bool {
        let sealed = |place: &&Place| matches!(place.name, "tag" | "tags" | "expected" | "sealed" | "text");
        let alone = |place: &&Place| self.places().filter(|other| place.overlaps(other)).count() == 1;
        let found: Vec<_> = self.places().filter(sealed).filter(alone).collect();
        let Some(place) = choices.choose(&found).ok().or_else(|| found.first()) else { return false };
        let (block, range) = (place.block, place.range.clone());
        let at = choices.int_in_range(range.start..=range.end - 1).unwrap_or(range.start);
        self.blocks[block][at] ^= 1 << choices.int_in_range(0..=7).unwrap_or(0);
        true
    }

    /// Wipes the struct that the function reads: a const one, otherwise the one that it changes. Returns
    /// whether there is one: there may be none in an array, and no message that needs one.
    pub(crate) fn wipe_struct(&mut self) -> bool {
        let no_message =
            |((name, _), argument): (&(&str, Kind), &Argument)| *name == "count" && argument.number == 0;
        let mut parameters = self.function.parameters.iter().zip(&self.arguments);
        if self.function.name.ends_with("_each") && parameters.any(no_message) {
            return false;
        }
        let Some(place) = self.structs().min_by_key(|place| place.written).cloned() else { return false };
        self.blocks[place.block][place.range.clone()].fill(0);
        !place.range.is_empty()
    }

    fn structs(&self) -> impl Iterator<Item = &Place> {
        let parameters = self.function.parameters.iter().zip(&self.arguments);
        let structs = parameters.filter(|((_, kind), _)| matches!(kind, Kind::Struct(..)));
        structs.filter_map(|(_, argument)| argument.place.as_ref())
    }

    /// Checks that texts of messages with wrong tags are wiped: `opened` says which, and that there is one.
    fn check_refused(&self) {
        let named = |name| self.bytes(self.places().find(|place| place.name == name).expect(name));
        let (opened, offsets) = (named("opened"), named("text_offsets").as_chunks().0);
        assert!(opened.contains(&0) && opened.iter().all(|&opened| opened <= 1), "which opened: {opened:?}");
        // Null, if all texts are empty.
        let Some(text) = self.places().find(|place| place.name == "text") else { return };
        for (ends, _) in offsets.windows(2).zip(opened).filter(|(_, opened)| **opened == 0) {
            let [start, end] = [ends[0], ends[1]].map(usize::from_ne_bytes);
            assert!(self.bytes(text)[start..end].iter().all(|&byte| byte == 0), "not wiped");
        }
    }

    fn bytes(&self, place: &Place) -> &[u8] {
        &self.blocks[place.block][place.range.clone()]
    }

    fn is_wiped(&self, place: &Place) -> bool {
        self.bytes(place).iter().all(|&byte| byte == 0)
    }

    fn places(&self) -> impl Iterator<Item = &Place> {
        self.arguments.iter().filter_map(|argument| argument.place.as_ref())
    }

    fn breaks_a_rule(&self) -> bool {
        let places: Vec<_> = self.places().collect();
        let collides = |(number, place): (usize, &&Place)| {
            places[..number].iter().any(|other| place.collides(other, self.function))
        };
        self.broken || places.iter().enumerate().any(collides)
    }

    /// Keeps what the call was given and has left, for the next ones.
    pub(crate) fn keep(&self, kept: &mut Kept) {
        for (&(name, kind), argument) in self.function.parameters.iter().zip(&self.arguments) {
            let content = match (kind, &argument.place) {
                (Kind::Number, _) => argument.number.to_ne_bytes().to_vec(),
                (Kind::Length, _) if name == "count" => argument.number.to_ne_bytes().to_vec(),
                (_, Some(place)) => self.bytes(place).to_vec(),
                _ => continue,
            };
            let name = match kind {
                // What was wiped or finalized is of no more use; what it held before is.
                Kind::Struct(..) if content.iter().all(|&byte| byte == 0) => continue,
                Kind::Struct(_, name, len) if content.len() == len => name,
                // What is written under one name is read under another.
                Kind::Bytes(Access::Write, None) if name == "output" => "sealed",
                Kind::Bytes(Access::Write, None) if name == "out" => "expected",
                _ => name,
            };
            kept.0.push((name, content));
        }
    }
}
