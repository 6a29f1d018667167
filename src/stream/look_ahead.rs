//! Holding events back until the tool call they belong to is known.

use std::collections::BTreeMap;

use crate::message::{AgentEvent, Source, ToolCall};
use crate::text::JsString;
use crate::text::json;

use super::Delta;
use super::item::{Item, StreamItem};
use super::log::{Cursor, Log, Logged};

/// A queue of items whose head waits while it is a call start that lacks its name (session.md S8.6, pitfall 2).
///
/// It never holds more than one message, since the reader settles every call at the message's end.
#[derive(Debug, Default)]
pub(super) struct LookAhead {
    queue: Log<Option<Item>>,
    /// How much of the queue has left.
    gone: Cursor,
    /// Calls without a name by content index.
    open: BTreeMap<usize, OpenCall>,
    /// Ids of this message's calls that are settled.
    settled: Vec<JsString>,
}

#[derive(Debug)]
struct OpenCall {
    /// Place of the start among all that is no delta in the queue.
    at: usize,
    /// Argument text so far.
    arguments: JsString,
}

/// What leaves a [`LookAhead`].
#[derive(Debug)]
pub(super) enum Next<'a> {
    Delta(Delta<'a>),
    Item(Item),
}

impl LookAhead {
    /// Whether nothing waits, so that a delta can go by.
    pub(super) fn is_empty(&self) -> bool {
        self.gone.steps_before() == self.queue.len()
    }

    /// Removes what has left.
    pub(super) fn tidy(&mut self) {
        if self.gone != Cursor::default() {
            self.queue.clear();
            self.gone = Cursor::default();
        }
    }

    /// Whether there is a next item and it waits for nothing.
    pub(super) fn is_ready(&self) -> bool {
        let mut ahead = self.gone;
        match self.queue.next(&mut ahead) {
            None => false,
            Some(Logged::Delta(_)) => true,
            Some(Logged::Other(_)) => !self.open.values().any(|call| call.at == self.gone.others_before()),
        }
    }

    /// The next item, ready or not.
    pub(super) fn pop(&mut self) -> Option<Next<'_>> {
        let at = self.gone.others_before();
        if matches!(self.queue.next(&mut self.gone.clone()), Some(Logged::Delta(_))) {
            return match self.queue.next(&mut self.gone)? {
                Logged::Delta(delta) => Some(Next::Delta(delta)),
                Logged::Other(_) => None,
            };
        }
        self.queue.next(&mut self.gone)?;
        self.queue.other_mut(at)?.take().map(Next::Item)
    }

    /// Appends an item; a call start without a name opens a call.
    pub(super) fn push(&mut self, item: Item) {
        if let StreamItem::Event(event) = &item.content
            && let Some(delta) = Delta::of(event, &item.origin)
        {
            return self.push_delta(&delta);
        }
        let unnamed = match &item.content {
            StreamItem::Event(AgentEvent::ToolCallStart { index, name: None, .. }) => Some(*index),
            _ => None,
        };
        let at = self.queue.push(Some(item));
        if let Some(index) = unnamed {
            self.open.insert(index, OpenCall { at, arguments: JsString::new() });
        }
    }

    /// Appends a delta.
    pub(super) fn push_delta(&mut self, delta: &Delta<'_>) {
        if delta.source == Source::Tool
            && let Some(call) = self.open.get_mut(&delta.index)
        {
            call.arguments.push_units(delta.units);
        }
        if !self.queue.push_delta(delta) {
            self.queue.push(Some(Item { origin: delta.origin(), content: StreamItem::Event(delta.event()) }));
        }
    }

    /// Names the call at `index`.
    pub(super) fn settle(&mut self, index: usize, call_id: &JsString, call_name: &JsString) {
        self.settled.push(call_id.clone());
        let Some(call) = self.open.remove(&index) else { return };
        if let Some(Some(Item { content: StreamItem::Event(AgentEvent::ToolCallStart { id, name, .. }), .. })) =
            self.queue.other_mut(call.at)
        {
            *id = Some(call_id.clone());
            *name = Some(call_name.clone());
        }
    }

    /// Names what it can from the finished message's calls, by content index, and lets everything go. Gives the
    /// lines of the starts that stay unknown.
    ///
    /// A message that was cut short has lost its incomplete calls, and with them its numbering, so there a call is
    /// taken only when its arguments are those that streamed.
    pub(super) fn finish(&mut self, calls: &[(usize, ToolCall)], cut_short: bool) -> Vec<Option<usize>> {
        let mut unknown = Vec::new();
        while let Some((&index, open)) = self.open.first_key_value() {
            let free = |call: &ToolCall| !self.settled.contains(&call.id);
            let in_place = calls.iter().find(|(at, call)| *at == index && free(call));
            let same = |call: &ToolCall| free(call) && same_arguments(call, &open.arguments);
            let found = match in_place {
                Some((_, call)) if !cut_short || same(call) => Some(call),
                _ => calls.iter().map(|(_, call)| call).find(|call| same(call)),
            };
            if let Some(call) = found {
                self.settle(index, &call.id, &call.name);
            } else {
                unknown.push(self.queue.other(open.at).and_then(|item| item.as_ref()?.origin.line));
                self.open.remove(&index);
            }
        }
        self.settled.clear();
        unknown
    }
}

fn same_arguments(call: &ToolCall, streamed: &JsString) -> bool {
    if call.partial_args.as_ref() == Some(streamed) {
        return true;
    }
    streamed
        .to_utf8()
        .and_then(|text| json::parse(&text).ok())
        .is_some_and(|arguments| arguments.stringify() == call.arguments.stringify())
}
