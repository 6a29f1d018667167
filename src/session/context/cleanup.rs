//! The clean-up that the model's context gets before it is sent (session.md S4.9).

use std::collections::HashSet;

use crate::text::JsString;
use crate::text::json::{Object, Value};

use super::ContextMessage;

/// Applies the three steps in their order.
pub(super) fn clean(messages: Vec<ContextMessage>) -> Vec<ContextMessage> {
    drop_cut_short(drop_unanswered(notes_first(messages)))
}

fn text<'a>(object: &'a Object, key: &str) -> Option<&'a JsString> {
    object.get(key).and_then(Value::as_string)
}

fn is_custom(message: &ContextMessage, custom_type: &str) -> bool {
    let raw = &message.message.raw;
    text(raw, "role").is_some_and(|role| *role == "custom")
        && text(raw, "customType").is_some_and(|own| *own == custom_type)
}

/// Context notes stand in front, hidden.
fn notes_first(messages: Vec<ContextMessage>) -> Vec<ContextMessage> {
    let is_note = |message: &ContextMessage| is_custom(message, "experimental_context_notes");
    let (mut notes, rest): (Vec<_>, Vec<_>) = messages.into_iter().partition(is_note);
    for note in &mut notes {
        note.message.raw.insert("display", false);
    }
    notes.extend(rest);
    notes
}

/// An id as the agent compares it, by value whatever its type: one that is missing equals another that is missing.
#[derive(PartialEq, Eq, Hash)]
enum CallId {
    Missing,
    Text(JsString),
    /// Bits of the number; there is one zero.
    Number(u64),
    /// `null`, `true`, `false`
    Word(Option<bool>),
    /// A list or an object equals nothing but itself, and no two members share one.
    Unequalled,
}

impl CallId {
    fn of(id: Option<&Value>) -> Self {
        match id {
            None => Self::Missing,
            Some(Value::String(text)) => Self::Text(text.clone()),
            Some(Value::Number(_)) => {
                id.and_then(Value::as_f64).map_or(Self::Unequalled, |number| Self::Number((number + 0.0).to_bits()))
            }
            Some(Value::Null) => Self::Word(None),
            Some(Value::Bool(value)) => Self::Word(Some(*value)),
            Some(Value::Array(_) | Value::Object(_)) => Self::Unequalled,
        }
    }

    fn is_among(&self, ids: &HashSet<Self>) -> bool {
        *self != Self::Unequalled && ids.contains(self)
    }
}

/// The id of a block that is a tool call.
fn call_id(block: &Value) -> Option<CallId> {
    let is_call = block.get("type").and_then(Value::as_string).is_some_and(|kind| *kind == "toolCall");
    is_call.then(|| CallId::of(block.get("id")))
}

/// Removes calls without a result, and what only makes sense beside them.
fn drop_unanswered(messages: Vec<ContextMessage>) -> Vec<ContextMessage> {
    let is_result = |raw: &Object| text(raw, "role").is_some_and(|role| *role == "toolResult");
    let results = messages.iter().map(|message| &message.message.raw).filter(|raw| is_result(raw));
    let answered: HashSet<CallId> = results.map(|raw| CallId::of(raw.get("toolCallId"))).collect();
    let mut kept = Vec::with_capacity(messages.len());
    for mut message in messages {
        if message.message.is_assistant()
            && let Some(Value::Array(blocks)) = message.message.raw.get_mut("content")
        {
            let before = blocks.len();
            blocks.retain(|block| call_id(block).is_none_or(|id| id.is_among(&answered)));
            if blocks.len() < before {
                let kind = |block: &Value, name: &str| {
                    block.get("type").and_then(Value::as_string).is_some_and(|kind| *kind == name)
                };
                blocks.retain(|block| !kind(block, "redactedThinking"));
                for block in blocks.iter_mut() {
                    if let Value::Object(block) = block {
                        block.remove("thinkingSignature");
                    }
                }
                if blocks.is_empty() {
                    continue;
                }
            }
        }
        kept.push(message);
    }
    kept
}

/// Removes assistants that ended `aborted` or `error` and the results of their calls, unless the thinking that was
/// interrupted follows.
fn drop_cut_short(messages: Vec<ContextMessage>) -> Vec<ContextMessage> {
    let mut gone = vec![false; messages.len()];
    let mut orphaned = HashSet::new();
    for (at, message) in messages.iter().enumerate() {
        let raw = &message.message.raw;
        if message.message.is_assistant()
            && message.message.is_cut_short()
            && !messages.get(at + 1).is_some_and(|next| is_custom(next, "interrupted-thinking"))
        {
            gone[at] = true;
            let blocks = raw.get("content").and_then(Value::as_array).unwrap_or_default();
            orphaned.extend(blocks.iter().filter_map(call_id));
        } else if text(raw, "role").is_some_and(|role| *role == "toolResult")
            && CallId::of(raw.get("toolCallId")).is_among(&orphaned)
        {
            gone[at] = true;
        }
    }
    let mut gone = gone.into_iter();
    messages.into_iter().filter(|_| !gone.next().unwrap_or(false)).collect()
}
