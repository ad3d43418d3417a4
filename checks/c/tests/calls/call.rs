//! A call: its memory, its arguments, and what must come of it.

use crate::{AUTHENTICATION_FAILED, Access, Function, Kind, Word};
use arbitrary::Unstructured;
use std::ffi::{c_int, c_void};
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
    /// A list's elements, each a place or null, and a length; four for each message. They are written into
    /// the list's place when all blocks have an address.
    pub(crate) elements: Vec<(Option<Place>, usize)>,
}

/// `keylane_bytes`.
#[repr(C)]
pub(crate) struct Bytes {
    data: *const c_void,
    len: usize,
}

/// `keylane_message`.
#[repr(C)]
pub(crate) struct Message {
    nonce: *const c_void,
    aad: Bytes,
    text: Bytes,
    tag: *const c_void,
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
/// another opens. All elements of a list; one of anything else.
#[derive(Default)]
pub(crate) struct Kept(pub(crate) Vec<(&'static str, Vec<Vec<u8>>)>);

impl Call {
    /// Calls the function and checks what it did. Returns what lay in the memory before, and the code.
    pub(crate) fn make(&mut self) -> (Vec<Box<[u8]>>, c_int) {
        self.words();
        let before = self.blocks.clone();
        let code = (self.function.call)(&self.words());
        self.check(&before, code);
        (before, code)
    }

    /// Writes the lists and returns the arguments. The pointers are good until a block is borrowed again.
    fn words(&mut self) -> Vec<Word> {
        let starts: Vec<*mut u8> = self.blocks.iter_mut().map(|block| block.as_mut_ptr()).collect();
        let start = |place: &Place| starts[place.block].wrapping_add(place.range.start).cast();
        let at = |place: &Option<Place>| place.as_ref().map_or(ptr::null_mut(), start);
        let word = |(argument, (_, kind)): (&Argument, &(_, Kind))| {
            let pointer: *mut c_void = at(&argument.place);
            if self.function.takes_messages() {
                for (number, message) in argument.elements.as_chunks().0.iter().enumerate() {
                    let [nonce, aad, text, tag] =
                        message.each_ref().map(|(place, len)| Bytes { data: at(place), len: *len });
                    let message = Message { nonce: nonce.data, aad, text, tag: tag.data };
                    // SAFETY: as below.
                    unsafe { pointer.cast::<Message>().wrapping_add(number).write_unaligned(message) };
                }
                return Word { pointer, number: argument.number };
            }
            for (number, (place, len)) in argument.elements.iter().enumerate() {
                let data = at(place);
                // SAFETY: the place has room for all elements, and nothing else has a reference to it now.
                unsafe {
                    match kind {
                        Kind::Structs(..) => pointer.cast::<*mut c_void>().add(number).write_unaligned(data),
                        _ => pointer.cast::<Bytes>().add(number).write_unaligned(Bytes { data, len: *len }),
                    }
                }
            }
            Word { pointer, number: argument.number }
        };
        self.arguments.iter().zip(self.function.parameters).map(word).collect()
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
        let mut expected = before.to_vec();
        let refused = if wiped && function.takes_messages() { self.refused() } else { Vec::new() };
        for place in self.places().filter(|place| place.written && (code == 0 || wiped)) {
            let opened = function.takes_messages() && !refused.iter().any(|text| ptr::eq(*text, place));
            assert!(!wiped || opened || self.is_wiped(place), "{name}: not wiped");
            expected[place.block][place.range.clone()].copy_from_slice(self.bytes(place));
        }
        // Messages store powers of H in their key, which is const.
        let kinds = function.parameters.iter().map(|(_, kind)| kind).zip(&self.arguments);
        for (_, argument) in kinds.filter(|(kind, _)| matches!(kind, Kind::Struct(_, "keylane_aes_gcm", _))) {
            let Some(place) = argument.place.as_ref().filter(|place| !place.written) else { continue };
            expected[place.block][place.range.clone()].copy_from_slice(self.bytes(place));
        }
        assert!(expected == self.blocks, "{name} returned {code}, and wrote where it must not");
    }

    /// Changes a bit of what was sealed, or of its tag, unless that is something else as well.
    pub(crate) fn forge(&mut self, choices: &mut Unstructured<'_>) -> bool {
        let sealed = |place: &&Place| matches!(place.name, "tag" | "tags" | "expected" | "sealed" | "data");
        let alone = |place: &&Place| self.places().filter(|other| place.overlaps(other)).count() == 1;
        let found: Vec<_> = self.places().filter(sealed).filter(alone).collect();
        let Some(place) = choices.choose(&found).ok().or_else(|| found.first()) else { return false };
        let (block, range) = (place.block, place.range.clone());
        let at = choices.int_in_range(range.start..=range.end - 1).unwrap_or(range.start);
        self.blocks[block][at] ^= 1 << choices.int_in_range(0..=7).unwrap_or(0);
        true
    }

    /// Wipes the struct that the function reads: a const one, otherwise the one that it changes. Returns
    /// whether there is one: there may be none in a list.
    pub(crate) fn wipe_struct(&mut self) -> bool {
        let Some(place) = self.structs().min_by_key(|place| place.written).cloned() else { return false };
        self.blocks[place.block][place.range].fill(0);
        true
    }

    fn structs(&self) -> impl Iterator<Item = &Place> {
        let parameters = self.function.parameters.iter().zip(&self.arguments);
        parameters.filter_map(|((_, kind), argument)| match kind {
            Kind::Struct(..) => argument.place.as_ref(),
            Kind::Structs(..) => argument.elements.first()?.0.as_ref(),
            _ => None,
        })
    }

    /// Returns the texts of messages whose tags are wrong: `opened` says which, and that there is one.
    fn refused(&self) -> Vec<&Place> {
        let opened = self.places().find(|place| place.name == "opened").expect("it says which");
        let opened = self.bytes(opened);
        assert!(opened.contains(&0) && opened.iter().all(|&opened| opened <= 1), "which opened: {opened:?}");
        let messages = self.arguments.iter().flat_map(|argument| argument.elements.as_chunks::<4>().0);
        let refused = messages.zip(opened).filter(|(_, opened)| **opened == 0);
        refused.filter_map(|([_, _, (text, _), _], _)| text.as_ref()).collect()
    }

    fn bytes(&self, place: &Place) -> &[u8] {
        &self.blocks[place.block][place.range.clone()]
    }

    fn is_wiped(&self, place: &Place) -> bool {
        self.bytes(place).iter().all(|&byte| byte == 0)
    }

    fn places(&self) -> impl Iterator<Item = &Place> {
        let lists = self.arguments.iter().flat_map(|argument| &argument.elements);
        let elements = lists.filter_map(|(place, _)| place.as_ref());
        self.arguments.iter().filter_map(|argument| argument.place.as_ref()).chain(elements)
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
        let bytes = |place: &Option<Place>| place.as_ref().map_or(Vec::new(), |it| self.bytes(it).to_vec());
        for (&(name, kind), argument) in self.function.parameters.iter().zip(&self.arguments) {
            let elements = match kind {
                Kind::Number => vec![argument.number.to_ne_bytes().to_vec()],
                Kind::Length if name == "count" => vec![argument.number.to_ne_bytes().to_vec()],
                Kind::List | Kind::Messages => {
                    argument.elements.iter().map(|(place, _)| bytes(place)).collect()
                }
                _ if argument.place.is_some() => vec![bytes(&argument.place)],
                _ => continue,
            };
            let name = match kind {
                // What was wiped or finalized is of no more use; what it held before is.
                Kind::Struct(..) if elements[0].iter().all(|&byte| byte == 0) => continue,
                Kind::Struct(_, name, _) => name,
                // What is written under one name is read under another.
                Kind::Bytes(Access::Write, None) if name == "output" => "sealed",
                Kind::Bytes(Access::Write, None) if name == "out" => "expected",
                _ => name,
            };
            kept.0.push((name, elements));
        }
    }
}
