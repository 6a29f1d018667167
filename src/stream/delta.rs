//! [`Delta`]: one piece of streamed text, borrowed, with its place.

use crate::message::{AgentEvent, Source};
use crate::text::JsString;

use super::Origin;

/// A delta on its way from a recording to the rules. Nearly all of a recording is deltas, so none is built as an event
/// of its own before somebody asks for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delta<'a> {
    /// Prose, thinking, or the arguments of a call.
    pub source: Source,
    /// Content index of the block.
    pub index: usize,
    /// The added text.
    pub units: &'a [u16],
    /// See [`Origin::line`].
    pub line: Option<usize>,
    /// See [`Origin::entry`].
    pub entry: Option<&'a JsString>,
    /// See [`Origin::message`].
    pub message: Option<usize>,
    /// See [`Origin::delta`].
    pub number: Option<usize>,
}

impl<'a> Delta<'a> {
    /// The delta that an event is; none for another event.
    pub fn of(event: &'a AgentEvent, origin: &'a Origin) -> Option<Self> {
        let (source, index, delta) = match event {
            AgentEvent::TextDelta { index, delta } => (Source::Text, index, delta),
            AgentEvent::ThinkingDelta { index, delta } => (Source::Thinking, index, delta),
            AgentEvent::ToolCallDelta { index, delta } => (Source::Tool, index, delta),
            _ => return None,
        };
        let Origin { line, entry, message, block, delta: number } = origin;
        // Elsewhere a delta stands in its own block.
        let is_placed = block.is_none_or(|block| block == *index) && block.is_some() == number.is_some();
        is_placed.then_some(Self {
            source,
            index: *index,
            units: delta.units(),
            line: *line,
            entry: entry.as_ref(),
            message: *message,
            number: *number,
        })
    }

    /// The place of the delta.
    pub fn origin(&self) -> Origin {
        Origin {
            line: self.line,
            entry: self.entry.cloned(),
            message: self.message,
            block: self.number.map(|_| self.index),
            delta: self.number,
        }
    }

    /// The delta as an event.
    pub fn event(&self) -> AgentEvent {
        let (index, delta) = (self.index, JsString::from_units(self.units));
        match self.source {
            Source::Text => AgentEvent::TextDelta { index, delta },
            Source::Thinking => AgentEvent::ThinkingDelta { index, delta },
            Source::Tool => AgentEvent::ToolCallDelta { index, delta },
        }
    }
}
