//! Holding events back until the tool call they belong to is known.

use std::collections::{BTreeMap, VecDeque};

use crate::message::{AgentEvent, ToolCall};
use crate::text::JsString;
use crate::text::json;

use super::item::{Item, StreamItem};

/// A queue of items whose head waits while it is a call start that lacks its name (session.md S8.6, pitfall 2).
///
/// It never holds more than one message, since the reader settles every call at the message's end.
#[derive(Debug, Default)]
pub(super) struct LookAhead {
    queue: VecDeque<Item>,
    /// How many items have left the queue.
    gone: usize,
    /// Calls without a name by content index.
    open: BTreeMap<usize, OpenCall>,
    /// Ids of this message's calls that are settled.
    settled: Vec<JsString>,
}

#[derive(Debug)]
struct OpenCall {
    /// Place of the start in the sequence of all items.
    at: usize,
    /// Argument text so far.
    arguments: JsString,
}

impl LookAhead {
    /// The next item that waits for nothing.
    pub(super) fn pop(&mut self) -> Option<Item> {
        if self.open.values().any(|call| call.at == self.gone) {
            return None;
        }
        let item = self.queue.pop_front()?;
        self.gone += 1;
        Some(item)
    }

    /// Appends an item; a call start without a name opens a call.
    pub(super) fn push(&mut self, item: Item) {
        match &item.content {
            StreamItem::Event(AgentEvent::ToolCallStart { index, name: None, .. }) => {
                let call = OpenCall { at: self.gone + self.queue.len(), arguments: JsString::new() };
                self.open.insert(*index, call);
            }
            StreamItem::Event(AgentEvent::ToolCallDelta { index, delta }) => {
                if let Some(call) = self.open.get_mut(index) {
                    call.arguments.push_units(delta.units());
                }
            }
            _ => {}
        }
        self.queue.push_back(item);
    }

    /// Names the call at `index`.
    pub(super) fn settle(&mut self, index: usize, call_id: &JsString, call_name: &JsString) {
        self.settled.push(call_id.clone());
        let Some(call) = self.open.remove(&index) else { return };
        if let Some(Item { content: StreamItem::Event(AgentEvent::ToolCallStart { id, name, .. }), .. }) =
            self.queue.get_mut(call.at - self.gone)
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
                let at = open.at - self.gone;
                unknown.push(self.queue.get(at).and_then(|item| item.origin.line));
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
