//! [`Log`]: what streams in a message, kept in order and small.

use crate::message::Source;
use crate::text::JsString;

use super::Delta;

/// A row of deltas and other things. The text of the deltas stands in few pieces; a delta takes 16 bytes beside it.
///
/// It grows page by page: nothing is copied, and no more room is taken than is needed.
#[derive(Clone, Debug)]
pub struct Log<T> {
    pages: Vec<Page>,
    others: Vec<T>,
    length: usize,
    /// Entry and message of all deltas that are kept as such.
    shared: Option<(Option<JsString>, Option<usize>)>,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self { pages: Vec::new(), others: Vec::new(), length: 0, shared: None }
    }
}

/// In place of a number that is not known.
const NONE: u32 = u32::MAX;

/// Code units, and steps, that one page holds.
const PAGE: usize = 1 << 15;

#[derive(Clone, Debug, Default)]
struct Page {
    text: Vec<u16>,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    length: u32,
    line: u32,
    number: u32,
    index: u16,
    /// What it is; none for something else than a delta.
    source: Option<Source>,
}

/// A place between two steps of a [`Log`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The page, and the step and the unit in it.
    page: usize,
    step: usize,
    unit: usize,
    /// Steps before it, and those of them that are no delta.
    before: usize,
    other: usize,
}

/// One step of a [`Log`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Logged<'a, T> {
    /// Text.
    Delta(Delta<'a>),
    /// Anything else, and a delta whose numbers are out of the ordinary.
    Other(&'a T),
}

impl<T> Log<T> {
    /// Adds a delta, unless its numbers are out of the ordinary: then it gives false, and the delta goes to
    /// [`Log::push`].
    #[must_use]
    pub fn push_delta(&mut self, delta: &Delta<'_>) -> bool {
        let small = |number: Option<usize>| match number {
            None => Some(NONE),
            Some(number) => u32::try_from(number).ok().filter(|&number| number != NONE),
        };
        let (Some(length), Ok(index), Some(line), Some(number)) =
            (small(Some(delta.units.len())), u16::try_from(delta.index), small(delta.line), small(delta.number))
        else {
            return false;
        };
        match &self.shared {
            None => self.shared = Some((delta.entry.cloned(), delta.message)),
            Some((entry, message)) if entry.as_ref() != delta.entry || *message != delta.message => return false,
            Some(_) => {}
        }
        let page = self.page(delta.units.len());
        page.text.extend_from_slice(delta.units);
        page.steps.push(Step { length, line, number, index, source: Some(delta.source) });
        true
    }

    /// Adds something else; gives its place for [`Log::other_mut`].
    pub fn push(&mut self, other: T) -> usize {
        let step = Step { length: 0, line: NONE, number: NONE, index: 0, source: None };
        self.page(0).steps.push(step);
        self.others.push(other);
        self.others.len() - 1
    }

    /// The page for a step with so much text.
    fn page(&mut self, units: usize) -> &mut Page {
        self.length += 1;
        let has_room = |page: &Page| page.text.len() + units <= PAGE.max(units) && page.steps.len() < PAGE;
        if !self.pages.last().is_some_and(has_room) {
            self.pages.push(Page::default());
        }
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.length
    }

    /// What is no delta, by its place.
    pub fn other(&self, at: usize) -> Option<&T> {
        self.others.get(at)
    }

    /// What is no delta, by its place, to be changed.
    pub fn other_mut(&mut self, at: usize) -> Option<&mut T> {
        self.others.get_mut(at)
    }

    /// The step behind the cursor, which moves on.
    pub fn next(&self, cursor: &mut Cursor) -> Option<Logged<'_, T>> {
        let mut page = self.pages.get(cursor.page)?;
        if cursor.step == page.steps.len() {
            page = self.pages.get(cursor.page + 1)?;
            (cursor.page, cursor.step, cursor.unit) = (cursor.page + 1, 0, 0);
        }
        let step = page.steps.get(cursor.step)?;
        cursor.step += 1;
        cursor.before += 1;
        let Some(source) = step.source else {
            cursor.other += 1;
            return self.others.get(cursor.other - 1).map(Logged::Other);
        };
        let end = cursor.unit + step.length as usize;
        let units = page.text.get(cursor.unit..end)?;
        cursor.unit = end;
        let (entry, message) = self.shared.as_ref().map_or((None, None), |(entry, message)| (entry.as_ref(), *message));
        let wide = |number: u32| (number != NONE).then_some(number as usize);
        Some(Logged::Delta(Delta {
            source,
            index: usize::from(step.index),
            units,
            line: wide(step.line),
            entry,
            message,
            number: wide(step.number),
        }))
    }

    /// Removes everything. Room for a little is kept.
    pub fn clear(&mut self) {
        self.pages.truncate(1);
        for page in &mut self.pages {
            page.text.clear();
            page.steps.clear();
        }
        self.others.clear();
        self.length = 0;
        self.shared = None;
    }
}

impl Cursor {
    /// Number of steps before it.
    pub fn steps_before(&self) -> usize {
        self.before
    }

    /// Number of steps before it that are no delta.
    pub fn others_before(&self) -> usize {
        self.other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What goes in comes out, over the borders of pages and with numbers that do not fit.
    #[test]
    fn everything_comes_out_in_order() {
        let mut log: Log<(Vec<u16>, usize)> = Log::default();
        let long = vec![7; PAGE + 1];
        let units = |at: usize| -> Vec<u16> { if at % 1000 == 3 { long.clone() } else { vec![at as u16; at % 40] } };
        let delta = |at: usize, units: &[u16]| {
            let index = if at % 7 == 6 { usize::from(u16::MAX) + 1 } else { at % 3 };
            let source = [Source::Text, Source::Thinking, Source::Tool][at % 3];
            let line = (!at.is_multiple_of(5)).then_some(at);
            (source, index, line, units.len())
        };
        for at in 0..70_000 {
            let units = units(at);
            let (source, index, line, _) = delta(at, &units);
            let one = Delta { source, index, units: &units, line, entry: None, message: Some(1), number: Some(at) };
            if !log.push_delta(&one) {
                log.push((units, index));
            }
        }
        let mut cursor = Cursor::default();
        for at in 0..70_000 {
            assert_eq!(cursor.steps_before(), at);
            let (source, index, line, length) = delta(at, &units(at));
            match log.next(&mut cursor) {
                Some(Logged::Delta(one)) => {
                    assert_eq!((one.source, one.index, one.line, one.units.len()), (source, index, line, length));
                    assert_eq!((one.number, one.message, one.units), (Some(at), Some(1), units(at).as_slice()));
                }
                Some(Logged::Other((units, other))) => assert_eq!((units.len(), *other), (length, index)),
                None => panic!("{at} is missing"),
            }
        }
        assert_eq!((log.next(&mut cursor), log.len()), (None, 70_000));
    }
}
