//! [`Log`]: what streams in a message, kept in order and small.

use crate::message::Source;
use crate::text::JsString;

use super::Delta;

/// A row of deltas and other things. The text of the deltas stands in one piece; a delta takes 20 bytes beside it.
#[derive(Clone, Debug)]
pub struct Log<T> {
    text: Vec<u16>,
    steps: Vec<Step>,
    others: Vec<T>,
    /// Entry and message of all deltas that are kept as such.
    shared: Option<(Option<JsString>, Option<usize>)>,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self { text: Vec::new(), steps: Vec::new(), others: Vec::new(), shared: None }
    }
}

/// In place of a number that is not known.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Step {
    /// What it is; none for something else than a delta.
    source: Option<Source>,
    length: u32,
    index: u32,
    line: u32,
    number: u32,
}

/// A place between two steps of a [`Log`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    step: usize,
    unit: usize,
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
        let (Some(length), Some(index), Some(line), Some(number)) =
            (small(Some(delta.units.len())), small(Some(delta.index)), small(delta.line), small(delta.number))
        else {
            return false;
        };
        match &self.shared {
            None => self.shared = Some((delta.entry.cloned(), delta.message)),
            Some((entry, message)) if entry.as_ref() != delta.entry || *message != delta.message => return false,
            Some(_) => {}
        }
        self.text.extend_from_slice(delta.units);
        self.steps.push(Step { source: Some(delta.source), length, index, line, number });
        true
    }

    /// Adds something else; gives its place for [`Log::other_mut`].
    pub fn push(&mut self, other: T) -> usize {
        self.steps.push(Step { source: None, length: 0, index: 0, line: NONE, number: NONE });
        self.others.push(other);
        self.others.len() - 1
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
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
        let step = self.steps.get(cursor.step)?;
        cursor.step += 1;
        let Some(source) = step.source else {
            cursor.other += 1;
            return self.others.get(cursor.other - 1).map(Logged::Other);
        };
        let end = cursor.unit + step.length as usize;
        let units = self.text.get(cursor.unit..end)?;
        cursor.unit = end;
        let (entry, message) = self.shared.as_ref().map_or((None, None), |(entry, message)| (entry.as_ref(), *message));
        let wide = |number: u32| (number != NONE).then_some(number as usize);
        Some(Logged::Delta(Delta {
            source,
            index: step.index as usize,
            units,
            line: wide(step.line),
            entry,
            message,
            number: wide(step.number),
        }))
    }

    /// Removes everything. A large allocation is given back.
    pub fn clear(&mut self) {
        /// Units and steps for which room is kept.
        const KEPT: usize = 1 << 16;
        self.text.clear();
        self.steps.clear();
        self.text.shrink_to(KEPT);
        self.steps.shrink_to(KEPT);
        self.others.clear();
        self.shared = None;
    }
}

impl Cursor {
    /// Number of steps before it.
    pub fn step(&self) -> usize {
        self.step
    }

    /// Number of steps before it that are no delta.
    pub fn other(&self) -> usize {
        self.other
    }
}
