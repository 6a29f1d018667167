//! Marks of the generation that judges, in session entries and in events (generation-v4.md W14).
//!
//! Each is certain: no earlier generation writes it. A session without judged rules has none, so that a missing mark
//! says nothing.

use super::INJECTION_TYPE;
use crate::text::JsString;
use crate::text::json::{Object, Value};

/// How a warning begins. In earlier generations only tool results hold such a block.
const REMINDER: &str = "<system-reminder";

/// Whether a session entry is one that only the judging generation writes: tokens spent on a judge, or a warning.
#[cfg(feature = "internals")]
pub fn is_judging_entry(entry: &Object) -> bool {
    match kind(entry).as_deref() {
        Some("model_usage") => {
            entry.get("purpose").and_then(Value::as_string).is_some_and(|purpose| *purpose == "ttsr")
        }
        Some("custom_message") => is_warning(entry),
        _ => false,
    }
}

/// Whether an event of a stream is one that only the judging generation announces.
#[cfg(feature = "internals")]
pub fn is_judging_event(event: &Object) -> bool {
    match kind(event).as_deref() {
        Some("agent_end") => event.get("yielded").is_some_and(|yielded| yielded.as_bool().is_some()),
        Some("ttsr_triggered") => {
            let rules = event.get("rules").and_then(Value::as_array).unwrap_or_default();
            rules.iter().any(|rule| rule.get("question").and_then(Value::as_string).is_some())
        }
        Some("prompt_result" | "session_settled") => true,
        Some("message_start" | "message_end") => {
            event.get("message").and_then(Value::as_object).is_some_and(|message| {
                message.get("role").and_then(Value::as_string).is_some_and(|role| *role == "custom")
                    && is_warning(message)
            })
        }
        _ => false,
    }
}

#[cfg(feature = "internals")]
fn kind(object: &Object) -> Option<String> {
    object.get("type")?.as_string()?.to_utf8()
}

/// Whether a custom message is a warning after a judge's yes.
pub fn is_warning(message: &Object) -> bool {
    let is_ours = message.get("customType").and_then(Value::as_string).is_some_and(|kind| *kind == INJECTION_TYPE);
    let begins = |text: &JsString| text.starts_with(REMINDER);
    is_ours
        && match message.get("content") {
            Some(Value::String(text)) => begins(text),
            Some(Value::Array(blocks)) => {
                blocks.first().and_then(|block| block.get("text")?.as_string()).is_some_and(begins)
            }
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json;

    fn object(text: &str) -> Object {
        json::parse(text).expect("JSON").as_object().expect("an object").clone()
    }

    #[test]
    fn only_judge_usage_and_warnings_mark_a_session() {
        for marked in [
            r#"{"type":"model_usage","purpose":"ttsr","role":"typesafe"}"#,
            r#"{"type":"custom_message","customType":"ttsr-injection","content":"<system-reminder reason=\"x\">"}"#,
            r#"{"type":"custom_message","customType":"ttsr-injection","content":[{"type":"text","text":"<system-reminder"}]}"#,
        ] {
            assert!(is_judging_entry(&object(marked)), "{marked}");
        }
        for plain in [
            r#"{"type":"model_usage","purpose":"title"}"#,
            r#"{"type":"model_usage"}"#,
            r#"{"type":"custom_message","customType":"ttsr-injection","content":"<system-interrupt reason=\"x\">"}"#,
            r#"{"type":"custom_message","customType":"other","content":"<system-reminder reason=\"x\">"}"#,
            r#"{"type":"message","message":{"role":"toolResult","content":[{"type":"text","text":"<system-reminder"}]}}"#,
            r#"{"type":"ttsr_injection","injectedRules":["a"]}"#,
        ] {
            assert!(!is_judging_entry(&object(plain)), "{plain}");
        }
    }

    #[test]
    fn only_new_frames_and_fields_mark_a_stream() {
        for marked in [
            r#"{"type":"agent_end","messages":[],"yielded":true}"#,
            r#"{"type":"agent_end","yielded":false}"#,
            r#"{"type":"ttsr_triggered","rules":[{"name":"a"},{"name":"b","question":"B?"}]}"#,
            r#"{"type":"prompt_result"}"#,
            r#"{"type":"session_settled"}"#,
            r#"{"type":"message_end","message":{"role":"custom","customType":"ttsr-injection","content":"<system-reminder"}}"#,
        ] {
            assert!(is_judging_event(&object(marked)), "{marked}");
        }
        for plain in [
            r#"{"type":"agent_end","messages":[]}"#,
            r#"{"type":"ttsr_triggered","rules":[{"name":"a","condition":["x"]}]}"#,
            r#"{"type":"message_end","message":{"role":"toolResult","content":"<system-reminder"}}"#,
            r#"{"type":"message_end","message":{"role":"developer","content":"x"}}"#,
            r#"{"type":"turn_end"}"#,
        ] {
            assert!(!is_judging_event(&object(plain)), "{plain}");
        }
    }
}
