//! Reminders as messages and as blocks of results.

use crate::json_object;
use crate::lifecycle::Injection;
use crate::message::{INJECTION_TYPE, Message, REMINDER_PREFIX, text_block};
use crate::text::JsString;
use crate::text::json::Value;

/// A reminder as the hidden message that joins the conversation.
pub fn injected_message(injection: &Injection) -> Message {
    if !injection.custom {
        return Message::new(json_object! {
            "role": injection.role(),
            "content": vec![text_block(injection.content.clone())],
            "attribution": "agent",
        });
    }
    let rules: Vec<Value> = injection.rules.iter().cloned().map(Value::String).collect();
    let mut details = json_object! {"rules": rules};
    if let Some(id) = injection.delivery_id {
        details.insert("deliveryId", id);
    }
    Message::new(json_object! {
        "role": injection.role(),
        "customType": INJECTION_TYPE,
        "content": injection.content.clone(),
        "display": false,
        "details": details,
        "attribution": "agent",
    })
}

/// Puts one text block in front of a result's content (engine.md E7.2 step 4).
pub(super) fn put_in_front(result: &mut Message, content: &JsString) {
    let block = text_block(content.clone());
    match result.raw.get_mut("content") {
        Some(Value::Array(blocks)) => blocks.insert(0, block),
        Some(Value::String(text)) => {
            let text = text_block(std::mem::take(text));
            result.raw.insert("content", vec![block, text]);
        }
        _ => result.raw.insert("content", vec![block]),
    }
}

/// Whether a judge's yes is told, not a match (generation-v4.md W8).
pub(super) fn is_warning(injection: &Injection) -> bool {
    injection.content.starts_with(REMINDER_PREFIX)
}
