//! The messages that a scripted turn leaves behind (session.md S2.3, S5.6, S9.2).

use crate::json_object;
use crate::message::{
    CANCELLED_CALL, EARLY_PLACEHOLDER, Message, Model, NOT_EXECUTED_PREFIX, PLACEHOLDER_PREFIX, PLAIN_ABORT, ToolCall,
    text_block,
};
use crate::text::JsString;
use crate::text::json::{Object, Value};

use super::partial::Partial;
use super::{Failure, PartContent, ScriptReply};

/// An order to abort.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Abort {
    /// The reason that the aborted message states; without one it says only that the request was aborted.
    pub reason: Option<JsString>,
    /// Set when the reason concerns a single call of the message (engine.md E7.4 step 3).
    pub scope: Option<CallScope>,
    /// Whether the early generation carries it out: the call that streams stays in the message, and results do not say
    /// why they were stopped (engine.md E11; recordings-early, e06).
    pub is_early: bool,
}

/// A call that an abort is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallScope {
    /// The call's id.
    pub call: JsString,
    /// The reason that all other calls get.
    pub others: JsString,
}

impl Abort {
    /// The reason for one call, when the abort tells calls apart.
    fn text_for(&self, id: &JsString) -> Option<JsString> {
        let scope = self.scope.as_ref()?;
        if scope.call == *id { self.reason.clone() } else { Some(scope.others.clone()) }
    }
}

/// The message of a reply that came to its end. Without a stop reason it is `toolUse` when there are calls, else
/// `stop`.
pub(super) fn built_message(
    partial: Partial,
    stop_reason: Option<&JsString>,
    failure: Option<&Failure>,
    model: &Model,
    timestamp: u64,
) -> Message {
    let mut message = Message::assistant(model, partial.into_content(), "stop", timestamp.into());
    let default = if message.tool_calls().is_empty() { "stop" } else { "toolUse" };
    let reason = stop_reason.cloned().unwrap_or_else(|| default.into());
    if reason == "aborted" {
        message.raw.insert("errorMessage", PLAIN_ABORT);
    }
    message.raw.insert("stopReason", reason);
    if let Some(failure) = failure {
        message.raw.insert("stopReason", "error");
        message.raw.insert("errorMessage", failure.text());
        if let Some(status) = failure.status {
            message.raw.insert("errorStatus", u32::from(status));
        }
    }
    message
}

/// The message as it stood when it was aborted.
pub fn aborted_message(partial: Partial, abort: &Abort, model: &Model, timestamp: u64) -> Message {
    let content = if abort.is_early { partial.into_content_with_cut_call() } else { partial.into_content() };
    let mut message = Message::assistant(model, content, "aborted", timestamp.into());
    message.raw.insert("errorMessage", abort.reason.clone().unwrap_or_else(|| PLAIN_ABORT.into()));
    let texts = message.tool_calls().into_iter().filter_map(|call| Some((abort.text_for(&call.id)?, call.id)));
    let texts: Object = texts.map(|(text, id)| (id, text)).collect();
    if !texts.is_empty() {
        message.raw.insert("toolCallAbortMessages", texts);
    }
    message
}

/// The result of a call that was complete when its message was aborted.
pub fn placeholder(call: ToolCall, abort: &Abort, timestamp_ms: u64) -> Message {
    if abort.is_early {
        let mut message = Message::tool_result(call.id, call.name, EARLY_PLACEHOLDER, true, timestamp_ms);
        message.raw.insert("details", Object::new());
        return message;
    }
    let reason = abort.text_for(&call.id).or_else(|| abort.reason.clone());
    let mut text = JsString::from(PLACEHOLDER_PREFIX);
    text.push_units(reason.unwrap_or_else(|| PLAIN_ABORT.into()).units());
    let mut message = Message::tool_result(call.id, call.name, text, true, timestamp_ms);
    let details = json_object! { "__synthetic": true, "source": "assistant_stop_aborted", "executed": false };
    message.raw.insert("details", Value::from(details));
    message
}

/// The result of a call that was to run when a late abort came: the first one was running already.
pub fn stopped(call_id: JsString, tool: JsString, is_first: bool, abort: &Abort, timestamp_ms: u64) -> Message {
    if is_first {
        return Message::tool_result(call_id, tool, CANCELLED_CALL, true, timestamp_ms);
    }
    let mut text = JsString::from(NOT_EXECUTED_PREFIX);
    text.push_units(abort.reason.clone().unwrap_or_else(|| PLAIN_ABORT.into()).units());
    text.push_str(".");
    Message::tool_result(call_id, tool, text, true, timestamp_ms)
}

/// The result of a call that the agent refuses before it runs anything.
pub(super) fn refused(call: ToolCall, why: JsString, timestamp_ms: u64) -> Message {
    let mut message = Message::tool_result(call.id, call.name, why.clone(), true, timestamp_ms);
    message.raw.insert("details", Value::from(json_object! { "isError": true, "error": why }));
    message
}

/// The message of a reply with its empty text blocks: nothing of them streams, but a capture counts them.
pub(super) fn with_empty_texts(mut message: Message, reply: &ScriptReply) -> Message {
    let aborted = message.ending().is_aborted();
    let Some(Value::Array(blocks)) = message.raw.get_mut("content").filter(|_| !aborted) else { return message };
    let mut at = 0;
    for part in &reply.parts {
        match &part.content {
            PartContent::Thinking(thinking) if thinking.is_empty() => continue,
            PartContent::Text(text) if text.is_empty() => blocks.insert(at.min(blocks.len()), text_block("")),
            _ => {}
        }
        at += 1;
    }
    message
}
