//! The arguments of a call: which memory, how long, null or not.

mod chooser;

use crate::blocks::Blocks;
use crate::{Access, Function, Kind, Word};
use arbitrary::Unstructured;
use chooser::Chooser;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr;

/// What earlier calls were given and have left, by the names of structs and parameters: what one seals another opens.
#[derive(Default)]
pub(crate) struct Kept(Vec<(&'static str, Vec<u8>)>);

impl Kept {
    /// One of the last of that name, mostly.
    fn choose(&self, name: &str, choices: &mut Unstructured<'_>) -> Option<&[u8]> {
        let recent: Vec<_> = self.0.iter().rev().filter(|(kept, _)| *kept == name).take(3).collect();
        let fresh = choices.ratio(1, 4).unwrap_or(true);
        choices.choose(&recent).ok().filter(|_| !fresh).map(|(_, bytes)| &bytes[..])
    }
}

/// A part of a block that a call is given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) block: usize,
    start: usize,
    len: usize,
    written: bool,
    is_struct: bool,
}

impl Place {
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.start + self.len
    }

    /// Whether the two may not be given to one call. Only what begins together may be written over.
    fn collides(&self, other: &Self) -> bool {
        let overlap = self.block == other.block
            && self.len > 0
            && other.len > 0
            && self.start < other.start + other.len
            && other.start < self.start + self.len;
        let one_buffer = self.start == other.start && !self.is_struct && !other.is_struct;
        overlap && (self.written || other.written) && !(one_buffer && self.written != other.written)
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
type Bytes = (*const c_void, usize);

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

    /// What the call is given.
    pub(crate) fn words(&mut self) -> Vec<Word> {
        let starts = self.blocks.starts();
        let at = |place: &Place| starts[place.block].wrapping_byte_add(place.start);
        let word = |pointer: *mut c_void, number| Word { pointer, number };
        let words = self.arguments.iter().map(|argument| match argument {
            Argument::Number(number) => word(ptr::null_mut(), *number),
            Argument::Null => word(ptr::null_mut(), 0),
            Argument::At(place) => word(at(place), 0),
            Argument::List(place, elements) => {
                for (number, element) in elements.iter().enumerate() {
                    let bytes: Bytes = match element {
                        Element::Null(len) => (ptr::null(), *len),
                        Element::At(place) => (at(place), place.len),
                    };
                    let element = at(place).wrapping_byte_add(number * size_of::<Bytes>()).cast::<Bytes>();
                    // SAFETY: the place has room for all elements, and nobody else has a reference to it now.
                    unsafe { element.write_unaligned(bytes) };
                }
                word(at(place), 0)
            }
        });
        words.collect()
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
        let collides =
            |(number, place): (usize, &&Place)| places[..number].iter().any(|other| place.collides(other));
        self.broken.or_else(|| places.iter().enumerate().any(collides).then_some("an overlap"))
    }

    /// Keeps what the call was given and has left, for the next ones.
    pub(crate) fn keep(&self, kept: &mut Kept) {
        if self.broken_rule().is_some() {
            return;
        }
        for ((name, kind), argument) in self.function.parameters.iter().zip(&self.arguments) {
            let bytes = match argument {
                Argument::Number(number) if *kind == Kind::Number => &number.to_ne_bytes()[..],
                Argument::At(place) => self.bytes(place),
                _ => continue,
            };
            let name = match *kind {
                Kind::Struct(_, name, _) => name,
                // What is written under one name is read under another.
                Kind::Bytes(Access::Write) if *name == "output" => "sealed",
                Kind::Bytes(Access::Write) if *name == "out" => "expected",
                _ => name,
            };
            kept.0.push((name, bytes.to_vec()));
        }
    }
}
