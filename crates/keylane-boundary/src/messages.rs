//! Lists of messages: their ranges, which must not overlap, and the messages as Rust has them.

use crate::error::{
    Failure, KEYLANE_ERROR_INPUT_TOO_LONG, KEYLANE_ERROR_INVALID_PARAMETER, KEYLANE_ERROR_OVERLAP,
};
use crate::{Access, Call, GROUP, MessageList, Range, bytes, bytes_mut, check, keylane_message};
use keylane::aead::Message;
use std::marker::PhantomData;
use std::ptr;

const TAG_LEN: usize = 16;

/// The ranges of one message.
struct Ranges {
    nonce: Range,
    aad: Range,
    text: Range,
    tag: Range,
}

impl keylane_message {
    fn ranges(&self, nonce_len: usize) -> Ranges {
        let range = |start, len, access| Range { start, len, access };
        Ranges {
            nonce: range(self.nonce.addr(), nonce_len, Access::Read),
            aad: range(self.aad.addr(), self.aad_len, Access::Read),
            text: range(self.text.addr(), self.text_len, Access::Alone),
            tag: range(self.tag.addr(), TAG_LEN, Access::Alone),
        }
    }

    /// # Safety
    /// The ranges are valid, and nothing else refers to those that are written.
    unsafe fn message<'a>(self, nonce_len: usize) -> Message<'a> {
        // SAFETY: as the caller promises; bytes have no alignment.
        unsafe {
            Message {
                nonce: bytes(self.nonce, nonce_len),
                aad: bytes(self.aad, self.aad_len),
                text: bytes_mut(self.text, self.text_len),
                tag: &mut *self.tag.cast(),
            }
        }
    }
}

/// Whether the test holds for all ranges of a list's messages, and for the list's.
///
/// # Safety
/// The list is readable, and has so many messages.
#[inline(always)]
pub(crate) unsafe fn all_parts(
    start: usize,
    count: usize,
    nonce_len: usize,
    test: impl Fn(&Range) -> bool,
) -> bool {
    let list = MessageList(ptr::with_exposed_provenance(start));
    let messages = Messages { list, count, nonce_len, _borrowed: PhantomData };
    let of_one = |i| {
        let Ranges { nonce, aad, text, tag } = messages.ranges(i);
        test(&nonce) && test(&aad) && test(&text) && test(&tag)
    };
    test(&messages.itself()) && (0..count).all(of_one)
}

/// The function that is called with some messages and the number of the first.
type Run<'r> = &'r mut dyn FnMut(usize, &mut [Message<'_>]) -> Result<(), Failure>;

/// The messages of a list.
pub struct Messages<'a> {
    list: MessageList,
    count: usize,
    nonce_len: usize,
    _borrowed: PhantomData<&'a mut [u8]>,
}

impl Call {
    /// Messages of an AEAD with nonces of `nonce_len` bytes, and the longest texts and additional data that
    /// it takes.
    pub fn messages(
        &self,
        list: MessageList,
        count: usize,
        nonce_len: usize,
        (max_text_len, max_aad_len): (u64, u64),
    ) -> Result<Messages<'_>, Failure> {
        let size = count.checked_mul(size_of::<keylane_message>());
        check(list.0.addr(), size.ok_or(Failure(KEYLANE_ERROR_INPUT_TOO_LONG))?)?;
        let messages = Messages { list, count, nonce_len, _borrowed: PhantomData };
        for i in 0..count {
            let keylane_message { nonce, aad, aad_len, text, text_len, tag } = messages.get(i);
            check(nonce.addr(), nonce_len)?;
            check(aad.addr(), aad_len)?;
            check(text.addr(), text_len)?;
            check(tag.addr(), TAG_LEN)?;
            if text_len as u64 > max_text_len || aad_len as u64 > max_aad_len {
                return Err(Failure(KEYLANE_ERROR_INPUT_TOO_LONG));
            }
        }
        messages.check_overlap()?;
        self.claim_near(list.0.expose_provenance(), count, Access::Messages { nonce_len })?;
        Ok(messages)
    }
}

impl<'a> Messages<'a> {
    /// Passes on the messages, at most [`GROUP`] at a time, with the first one's number.
    pub fn each_group(&mut self, run: Run<'_>) -> Result<(), Failure> {
        (0..self.count).step_by(GROUP).try_for_each(|start| match self.count - start {
            // To fill a whole group takes longer than to process a few messages.
            count @ ..5 => self.group::<4>(start, count, run),
            count => self.group::<GROUP>(start, count.min(GROUP), run),
        })
    }

    fn group<const N: usize>(&self, start: usize, count: usize, run: Run<'_>) -> Result<(), Failure> {
        let mut unused = [[0; TAG_LEN]; N];
        let empty = |tag| Message { nonce: &[][..], aad: &[], text: &mut [], tag };
        let mut group = unused.each_mut().map(empty);
        for (i, message) in group[..count].iter_mut().enumerate() {
            // SAFETY: `messages` has checked the pointers, and that nothing overlaps what is written; each
            // message is passed on once.
            *message = unsafe { self.get(start + i).message(self.nonce_len) };
        }
        run(start, &mut group[..count])
    }

    fn get(&self, i: usize) -> keylane_message {
        assert!(i < self.count);
        // SAFETY: readable for `count` messages, as C promises. It need not have aligned them.
        unsafe { self.list.0.add(i).read_unaligned() }
    }

    fn ranges(&self, i: usize) -> Ranges {
        self.get(i).ranges(self.nonce_len)
    }

    /// Returns the range of the list.
    fn itself(&self) -> Range {
        Range {
            start: self.list.0.addr(),
            len: self.count * size_of::<keylane_message>(),
            access: Access::Read,
        }
    }

    /// Fails if anything that is written overlaps anything else of the messages.
    fn check_overlap(&self) -> Result<(), Failure> {
        let [texts, tags] = [true, false].map(|texts| Ascending { messages: self, texts, order: None });
        if texts.is_sorted() && tags.is_sorted() {
            self.check_apart(&texts, &tags)
        } else {
            self.check_sorted()
        }
    }

    #[cold]
    fn check_sorted(&self) -> Result<(), Failure> {
        let mut orders = [[0; MAX_SORTED]; 2];
        let [of_texts, of_tags] = &mut orders;
        self.check_apart(&Ascending::sort(self, true, of_texts)?, &Ascending::sort(self, false, of_tags)?)
    }

    fn check_apart(&self, texts: &Ascending<'_>, tags: &Ascending<'_>) -> Result<(), Failure> {
        let is_apart = |range: &Range, near: &mut [usize; 2]| {
            texts.is_apart(range, &mut near[0]) && tags.is_apart(range, &mut near[1])
        };
        let (mut near_tag, mut near_nonce, mut near_aad) = (0, [0; 2], [0; 2]);
        let are_apart = is_apart(&self.itself(), &mut [0; 2])
            && (0..self.count).all(|i| {
                let Ranges { nonce, aad, text, tag } = self.ranges(i);
                (text.len == 0 || texts.is_apart(&tag, &mut near_tag))
                    && is_apart(&nonce, &mut near_nonce)
                    && is_apart(&aad, &mut near_aad)
            });
        if are_apart { Ok(()) } else { Err(Failure(KEYLANE_ERROR_OVERLAP)) }
    }
}

/// How many ranges can be sorted, if they are not in ascending order.
const MAX_SORTED: usize = 1024;

/// Ranges that are written, one of each message, in ascending order: the texts, or the tags. None is empty.
struct Ascending<'a> {
    messages: &'a Messages<'a>,
    texts: bool,
    /// Their indices, if they are not in ascending order themselves.
    order: Option<&'a [u16]>,
}

impl<'a> Ascending<'a> {
    /// Fails if two overlap, or if they are too many to be sorted.
    fn sort(
        messages: &'a Messages<'_>,
        texts: bool,
        order: &'a mut [u16; MAX_SORTED],
    ) -> Result<Self, Failure> {
        let mut new = Self { messages, texts, order: None };
        if new.is_sorted() {
            return Ok(new);
        }
        let order = order.get_mut(..messages.count).ok_or(Failure(KEYLANE_ERROR_INVALID_PARAMETER))?;
        (0..).zip(&mut *order).for_each(|(i, place)| *place = i);
        sort(order, &|i| new.range(i).start);
        new.order = Some(order);
        if new.is_sorted() { Ok(new) } else { Err(Failure(KEYLANE_ERROR_OVERLAP)) }
    }

    #[inline(always)]
    fn range(&self, i: usize) -> Range {
        let Ranges { text, tag, .. } = self.messages.ranges(i);
        // In place of an empty text, which may be anywhere, its tag.
        if self.texts && text.len > 0 { text } else { tag }
    }

    #[inline(always)]
    fn get(&self, k: usize) -> Range {
        self.range(self.order.map_or(k, |order| order[k].into()))
    }

    #[inline(always)]
    fn end(&self, k: usize) -> usize {
        let Range { start, len, .. } = self.get(k);
        start + len
    }

    /// Whether each ends before the next one begins.
    fn is_sorted(&self) -> bool {
        (1..self.messages.count).all(|k| self.end(k - 1) <= self.get(k).start)
    }

    /// Whether none of them overlaps `other`. Sets `near` to the first that ends after the start of `other`,
    /// which is mostly where it was or the next one.
    #[inline]
    fn is_apart(&self, other: &Range, near: &mut usize) -> bool {
        let count = self.messages.count;
        let is_first = |k: usize| {
            (k == 0 || self.end(k - 1) <= other.start) && (k == count || self.end(k) > other.start)
        };
        if !is_first(*near) {
            let next = count.min(*near + 1);
            *near = if is_first(next) { next } else { self.search(other.start) };
        }
        other.len == 0 || *near == count || self.get(*near).start >= other.start + other.len
    }

    /// Returns the first that ends after `start`.
    fn search(&self, start: usize) -> usize {
        let (mut low, mut high) = (0, self.messages.count);
        while low < high {
            let middle = low.midpoint(high);
            if self.end(middle) <= start { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// Sorts by a key: Shell's method, which is a tenth of the code of the standard library's.
fn sort(order: &mut [u16], key: &dyn Fn(usize) -> usize) {
    for gap in [301, 132, 57, 23, 10, 4, 1] {
        for end in gap..order.len() {
            let (item, mut at) = (order[end], end);
            while at >= gap && key(order[at - gap].into()) > key(item.into()) {
                order[at] = order[at - gap];
                at -= gap;
            }
            order[at] = item;
        }
    }
}
