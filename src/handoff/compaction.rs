//! The compaction entry in which the fifth generation keeps the document (handoff.md H5.4).

use crate::json_object;
use crate::message::{Message, ToolCall};
use crate::session::{EntryKind, Role, Session, SessionError};
use crate::text::JsString;
use crate::text::json::{Object, Value};

/// Bytes of text that an estimated token stands for.
const BYTES_PER_TOKEN: usize = 4;

/// What stays beside the summary, by position on the branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptTail {
    /// The first entry that the summary stands for.
    pub summarized_from: usize,
    /// The first entry that is kept.
    pub first: usize,
}

/// What is kept of a branch: from the last user message on, or, when nothing lies before that, from the last answer.
/// The reference keeps by tokens, which only its tokenizer can count (handoff.md H7.4). None when nothing would be left
/// to summarise.
///
/// # Errors
/// When an entry cannot be read.
pub fn kept_tail(session: &Session, branch: &[usize]) -> Result<Option<KeptTail>, SessionError> {
    let entry = |position: usize| session.entry(branch[position]);
    let kind = |position: usize| entry(position).and_then(|entry| entry.kind());
    let is_border =
        |position: &usize| matches!(kind(*position), Some(EntryKind::Compaction | EntryKind::ResetBoundary));
    let from = (0..branch.len()).rev().find(is_border).map_or(0, |border| border + 1);
    let mut messages = (from..branch.len()).filter(|position| kind(*position) == Some(EntryKind::Message));
    let Some(oldest) = messages.next() else { return Ok(None) };
    let last = |role: Role| {
        let mut positions = (oldest + 1..branch.len()).rev();
        positions.find(|position| entry(*position).is_some_and(|entry| entry.role() == role))
    };
    let first = last(Role::User).or_else(|| last(Role::Assistant));
    Ok(first.map(|first| KeptTail { summarized_from: from, first }))
}

/// The members of the entry. The token counts are estimates: the last answer's own count where it has one.
///
/// # Errors
/// When an entry cannot be read.
pub(super) fn compaction_entry(
    session: &Session,
    branch: &[usize],
    tail: KeptTail,
    document: &JsString,
) -> Result<Object, SessionError> {
    let mut touched = Touched::default();
    let (mut bytes_before, mut bytes_kept, mut counted) = (0, 0, None);
    for (position, entry) in branch.iter().enumerate().skip(tail.summarized_from) {
        let Value::Object(entry) = session.value(*entry)? else { continue };
        let Some(Value::Object(raw)) = entry.get("message") else { continue };
        let message = Message::new(raw.clone());
        let bytes: usize = message.raw.get("content").map_or(0, |content| content.to_json().len());
        bytes_before += bytes;
        if position >= tail.first {
            bytes_kept += bytes;
        } else {
            message.tool_calls().iter().for_each(|call| touched.add(call));
        }
        let total = raw.get("usage").and_then(|usage| usage.get("totalTokens")).and_then(Value::as_f64);
        counted = total.filter(|total| *total > 0.0).or(counted);
    }
    let tokens_after = (bytes_kept + document.utf8_len()) / BYTES_PER_TOKEN;
    let tokens_before = counted.map_or(bytes_before / BYTES_PER_TOKEN, |total| total as usize);
    let id = session.entry(branch[tail.first]).and_then(|entry| entry.id()).unwrap_or_default();
    Ok(json_object! {
        "summary": document.clone(),
        "firstKeptEntryId": id,
        "tokensBefore": tokens_before,
        "tokensAfter": tokens_after,
        "method": "handoff",
        "details": touched.into_details(),
        "fromExtension": false,
    })
}

/// Files that tool calls read and changed, in order of first appearance.
#[derive(Default)]
struct Touched {
    read: Vec<JsString>,
    modified: Vec<JsString>,
}

impl Touched {
    fn add(&mut self, call: &ToolCall) {
        let path = call.arguments.get("path").and_then(Value::as_string);
        let list = match call.name.to_utf8().as_deref() {
            Some("read") => &mut self.read,
            Some("write" | "edit") => &mut self.modified,
            _ => return,
        };
        if let Some(path) = path.filter(|path| !list.contains(path)) {
            list.push(path.clone());
        }
    }

    fn into_details(self) -> Object {
        let modified = self.modified;
        let only_read = self.read.into_iter().filter(|path| !modified.contains(path));
        let read: Vec<Value> = only_read.map(Value::String).collect();
        let modified: Vec<Value> = modified.iter().cloned().map(Value::String).collect();
        json_object! { "readFiles": read, "modifiedFiles": modified }
    }
}
