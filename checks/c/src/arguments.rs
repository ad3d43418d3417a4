//! The arguments of a call: which memory, how long, null or not.

mod chooser;

use crate::blocks::Blocks;
use crate::{Access, Function, Kind, Returned, Word};
use arbitrary::Unstructured;
use chooser::Chooser;
use std::ffi::c_void;
use std::ops::Range;
use std::{ptr, slice};

/// What earlier calls were given and have left, by the names of structs and parameters: what one seals
/// another opens. Of a list, all elements; of anything else, one.
#[derive(Default)]
pub(crate) struct Kept(Vec<(&'static str, Vec<Vec<u8>>)>);

impl Kept {
    /// The last of that name, mostly: a message opens only if all is as it was sealed.
    fn choose(&self, name: &str, choices: &mut Unstructured<'_>) -> Option<&[Vec<u8>]> {
        let back = match choices.int_in_range(0..=31) {
            Ok(back @ 29..=30) => back - 28,
            Ok(0..29) => 0,
            _ => return None,
        };
        self.0.iter().rev().filter(|(kept, _)| *kept == name).nth(back).map(|(_, elements)| &elements[..])
    }

    fn choose_one(&self, name: &str, choices: &mut Unstructured<'_>) -> Option<&[u8]> {
        self.choose(name, choices)?.first().map(Vec::as_slice)
    }

    fn choose_number(&self, name: &str, choices: &mut Unstructured<'_>) -> Option<u64> {
        self.choose_one(name, choices)?.try_into().ok().map(u64::from_ne_bytes)
    }
}

/// A part of a block that a call is given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) block: usize,
    start: usize,
    len: usize,
    written: bool,
    /// Of the parameter.
    name: &'static str,
}

impl Place {
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.start + self.len
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.block == other.block
            && self.len > 0
            && other.len > 0
            && self.start < other.start + other.len
            && other.start < self.start + self.len
    }

    /// Whether the two may not be given to one call of the function. Where it says so, what begins together
    /// may be written over.
    fn collides(&self, other: &Self, function: &Function) -> bool {
        let one_buffer = self.start == other.start
            && self.written != other.written
            && if self.written {
                function.one_buffer(other.name, self.name)
            } else {
                function.one_buffer(self.name, other.name)
            };
        self.overlaps(other) && (self.written || other.written) && !one_buffer
    }
}

/// What a parameter is given.
enum Argument {
    Number(u64),
    Null,
    At(Place),
    /// A list's elements, which are written into its place when all blocks have an address.
    List(Place, Vec<Element>),
}

/// An element of a list: null with a length, or a place.
enum Element {
    Null(usize),
    At(Place),
}

/// `keylane_bytes`.
#[repr(C)]
struct Bytes {
    data: *const c_void,
    len: usize,
}

impl Element {
    fn place(&self) -> Option<&Place> {
        match self {
            Self::At(place) => Some(place),
            Self::Null(_) => None,
        }
    }
}

pub(crate) struct Arguments {
    function: &'static Function,
    blocks: Blocks,
    arguments: Vec<Argument>,
    broken: Option<&'static str>,
}

impl Arguments {
    pub(crate) fn new(function: &'static Function, choices: &mut Unstructured<'_>, kept: &Kept) -> Self {
        let mut chooser = Chooser::new(choices, kept);
        let mut arguments = Vec::new();
        for (number, (name, kind)) in function.parameters.iter().enumerate() {
            let next = function.parameters.get(number + 1).map_or("", |(name, _)| *name);
            let argument = chooser.argument(name, *kind, next, arguments.last());
            arguments.push(argument);
        }
        let (blocks, broken) = chooser.finish();
        Self { function, blocks, arguments, broken }
    }

    /// Calls the function. Gives what lay in the memory before, too.
    pub(crate) fn call(&mut self) -> (Vec<Vec<u8>>, Returned) {
        let lens: Vec<_> = self.memory().iter().map(Vec::len).collect();
        let starts = self.blocks.starts();
        let at = |place: &Place| starts[place.block].wrapping_byte_add(place.start);
        let word = |pointer: *mut c_void, number| Word { pointer, number };
        let words = self.arguments.iter().map(|argument| match argument {
            Argument::Number(number) => word(ptr::null_mut(), *number),
            Argument::Null => word(ptr::null_mut(), 0),
            Argument::At(place) => word(at(place), 0),
            Argument::List(place, elements) => {
                for (number, element) in elements.iter().enumerate() {
                    let bytes = match element {
                        Element::Null(len) => Bytes { data: ptr::null(), len: *len },
                        Element::At(place) => Bytes { data: at(place), len: place.len },
                    };
                    let element = at(place).wrapping_byte_add(number * size_of::<Bytes>()).cast::<Bytes>();
                    // SAFETY: the place has room for all elements, and nobody else has a reference to it now.
                    unsafe { element.write_unaligned(bytes) };
                }
                word(at(place), 0)
            }
        });
        let words: Vec<_> = words.collect();
        // Through the same pointers, as a borrow of the blocks would be their end.
        // SAFETY: each is the start of a block of that length.
        let block =
            |(start, len): (&*mut c_void, &usize)| unsafe { slice::from_raw_parts(start.cast(), *len) };
        let before = starts.iter().zip(&lens).map(block).map(<[u8]>::to_vec).collect();
        (before, (self.function.call)(&words))
    }

    /// Puts back what calls changed.
    pub(crate) fn restore(&mut self, content: &[Vec<u8>]) {
        self.blocks.restore(content);
    }

    /// Changes a bit of what was sealed, or of its tag; not where that is something else, too.
    pub(crate) fn forge(&mut self, choices: &mut Unstructured<'_>) -> bool {
        let sealed = |place: &&Place| matches!(place.name, "tag" | "tags" | "expected" | "sealed" | "data");
        let alone = |place: &&Place| self.places().filter(|other| place.overlaps(other)).count() == 1;
        let found: Vec<_> =
            self.places().filter(sealed).filter(alone).filter(|place| place.len > 0).collect();
        let Some(place) = choices.choose(&found).ok().or_else(|| found.first()) else { return false };
        let (block, at) = (place.block, place.start + choices.int_in_range(0..=place.len - 1).unwrap_or(0));
        self.blocks.as_mut_slice()[block][at] ^= 1 << choices.int_in_range(0..=7).unwrap_or(0);
        true
    }

    /// Wipes the struct that the function reads, if any: a const one, or else the one that it changes.
    pub(crate) fn wipe_struct(&mut self) {
        let place = self.structs().min_by_key(|place| place.written);
        let place = place.expect("who asks for an initialised struct takes one").clone();
        self.blocks.as_mut_slice()[place.block][place.range()].fill(0);
    }

    /// The structs that the function changes.
    pub(crate) fn written_structs(&self) -> impl Iterator<Item = &Place> {
        self.structs().filter(|place| place.written)
    }

    fn structs(&self) -> impl Iterator<Item = &Place> {
        self.function.parameters.iter().zip(&self.arguments).filter_map(|((_, kind), argument)| {
            match (kind, argument) {
                (Kind::Struct(..), Argument::At(place)) => Some(place),
                _ => None,
            }
        })
    }

    pub(crate) fn memory(&self) -> &[Vec<u8>] {
        self.blocks.as_slice()
    }

    pub(crate) fn bytes(&self, place: &Place) -> &[u8] {
        &self.memory()[place.block][place.range()]
    }

    /// What the call may write to.
    pub(crate) fn written(&self) -> impl Iterator<Item = &Place> {
        self.places().filter(|place| place.written)
    }

    fn places(&self) -> impl Iterator<Item = &Place> {
        self.arguments.iter().flat_map(|argument| {
            let (itself, elements) = match argument {
                Argument::At(place) => (Some(place), &[][..]),
                Argument::List(place, elements) => (Some(place), &elements[..]),
                Argument::Number(_) | Argument::Null => (None, &[][..]),
            };
            itself.into_iter().chain(elements.iter().filter_map(Element::place))
        })
    }

    /// Why the call must fail, whatever it is.
    pub(crate) fn broken_rule(&self) -> Option<&'static str> {
        let places: Vec<_> = self.places().collect();
        let collides = |(number, place): (usize, &&Place)| {
            places[..number].iter().any(|other| place.collides(other, self.function))
        };
        self.broken.or_else(|| places.iter().enumerate().any(collides).then_some("an overlap"))
    }

    /// Keeps what the call was given and has left, for the next ones.
    pub(crate) fn keep(&self, kept: &mut Kept) {
        if self.broken_rule().is_some() {
            return;
        }
        for ((name, kind), argument) in self.function.parameters.iter().zip(&self.arguments) {
            let elements = match argument {
                Argument::Number(number) if *kind == Kind::Number || *name == "count" => {
                    vec![number.to_ne_bytes().to_vec()]
                }
                Argument::At(place) => vec![self.bytes(place).to_vec()],
                Argument::List(_, elements) => elements
                    .iter()
                    .map(|it| it.place().map_or_else(Vec::new, |place| self.bytes(place).to_vec()))
                    .collect(),
                _ => continue,
            };
            let name = match *kind {
                // What was wiped or finalized is of no more use; what holds it before is.
                Kind::Struct(..) if elements[0].iter().all(|&byte| byte == 0) => continue,
                Kind::Struct(_, name, _) => name,
                // What is written under one name is read under another.
                Kind::Bytes(Access::Write) if *name == "output" => "sealed",
                Kind::Bytes(Access::Write) if *name == "out" => "expected",
                _ => name,
            };
            kept.0.push((name, elements));
        }
    }
}
