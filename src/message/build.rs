//! New messages with the fields that the agent gives them (session.md S2.3).

use crate::json_object;
use crate::text::JsString;
use crate::text::json::{Object, Value};

use super::Message;

/// Who answers: what an assistant message says of its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// Wire protocol.
    pub api: JsString,
    /// Provider.
    pub provider: JsString,
    /// Model id.
    pub model: JsString,
}

impl Model {
    /// The scripted model.
    pub fn scripted() -> Self {
        Self { api: "scripted".into(), provider: "local".into(), model: "scripted".into() }
    }

    /// The model that an assistant message names; the scripted one where it names none.
    pub fn of(message: &Message) -> Self {
        let default = Self::scripted();
        Self {
            api: message.string("api").unwrap_or(default.api),
            provider: message.string("provider").unwrap_or(default.provider),
            model: message.string("model").unwrap_or(default.model),
        }
    }
}

impl Message {
    /// A prompt of the user.
    pub fn user(text: impl Into<JsString>, timestamp_ms: u64) -> Self {
        Self::new(json_object! {
            "role": "user",
            "content": vec![text_block(text)],
            "attribution": "user",
            "timestamp": timestamp_ms,
        })
    }

    /// An assistant message that used no tokens.
    pub fn assistant(model: &Model, content: Vec<Value>, stop_reason: &str, timestamp: Value) -> Self {
        Self::new(json_object! {
            "role": "assistant",
            "content": content,
            "api": model.api.clone(),
            "provider": model.provider.clone(),
            "model": model.model.clone(),
            "usage": no_usage(),
            "stopReason": stop_reason,
            "timestamp": timestamp,
        })
    }

    /// What a tool call gave: one text block.
    pub fn tool_result(
        call_id: JsString,
        tool_name: JsString,
        text: impl Into<JsString>,
        is_error: bool,
        timestamp_ms: u64,
    ) -> Self {
        Self::new(json_object! {
            "role": "toolResult",
            "toolCallId": call_id,
            "toolName": tool_name,
            "content": vec![text_block(text)],
            "isError": is_error,
            "timestamp": timestamp_ms,
        })
    }
}

/// A text block.
pub fn text_block(text: impl Into<JsString>) -> Value {
    json_object! { "type": "text", "text": text.into() }.into()
}

/// A thinking block.
pub fn thinking_block(thinking: impl Into<JsString>) -> Value {
    json_object! { "type": "thinking", "thinking": thinking.into() }.into()
}

/// A tool call block.
pub fn tool_call_block(id: JsString, name: JsString, arguments: Value) -> Object {
    json_object! { "type": "toolCall", "id": id, "name": name, "arguments": arguments }
}

fn no_usage() -> Object {
    let none = || Value::from(0_u32);
    json_object! {
        "input": none(),
        "output": none(),
        "cacheRead": none(),
        "cacheWrite": none(),
        "totalTokens": none(),
        "cost": json_object! {
            "input": none(),
            "output": none(),
            "cacheRead": none(),
            "cacheWrite": none(),
            "total": none(),
        },
    }
}
